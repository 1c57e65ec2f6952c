// SPDX-License-Identifier: Apache-2.0
//
// Arguments of __dlpack__ that have the wrong form, which Python lets a caller write.

#include "protocol/support.hpp"
#include "registration.hpp"
#include "testbench/python.hpp"

namespace dlcert::protocol {

DLCERT_FAMILY(malformed_arguments)

namespace {

using testbench::exporting_in_python;
using testbench::importing_in_python;
using testbench::PythonImport;
using testbench::touched_if;

bool exports(const Case& c, const Source& source, std::string_view arguments) {
  return Python{c.producer}
      .capsule_of(source.tensor, fmt::format("x.__dlpack__({})", arguments))
      .ok();
}

// A malformed value of an option is refused; a well-formed one is taken.
void expect_refused(Case& c, std::string_view option, std::string_view malformed,
                    std::string_view well_formed) {
  const Source source = simple_source(c);
  expect_refusal(!exports(c, source, fmt::format("{}={}", option, malformed)),
                 "{}={}: expected a refusal but it was accepted", option, malformed);
  touched_if(c, exports(c, source, fmt::format("{}={}", option, well_formed)),
             "well-formed values are refused too");
}

// ---- max_version --------------------------------------------------------------------------------

constexpr std::string_view no_versions[] = {"1",        "1.0",       "'1.0'",      "()",
                                            "(1,)",     "(1, 0, 0)", "('a', 'b')", "{}",
                                            "object()", "b'10'",     "(None, 0)",  "(1.5, 0)"};

DLCERT_CHECK_ALSO_ON_DEVICES(
    malformed_version_is_refused,
    if_touched(producer_check("protocol.maxversion.malformed",
                              "a max_version that is no pair of integers is refused",
                              exporting_in_python, std::size(no_versions)))) {
  expect_refused(c, "max_version", no_versions[c.row], "(1, 0)");
}

constexpr std::string_view other_versions[] = {"[1, 0]", "(True, False)", "(1, 'b')"};

DLCERT_CHECK(doubtful_version_is_recorded,
             producer_check("protocol.maxversion.malformed",
                            "what becomes of a max_version that only looks like one is recorded",
                            exporting_in_python, std::size(other_versions))) {
  const Source source = simple_source(c);
  const bool taken = exports(c, source, fmt::format("max_version={}", other_versions[c.row]));
  c.observe(taken ? "accepted" : "refused");
}

// ---- dl_device ----------------------------------------------------------------------------------

constexpr std::string_view no_devices[] = {"1",         "'cpu'",      "()",       "(1,)",
                                           "(1, 0, 0)", "('cpu', 0)", "(1, 'a')", "(1.5, 0)",
                                           "object()",  "(1, None)"};

DLCERT_CHECK_ALSO_ON_DEVICES(
    malformed_device_is_refused,
    if_touched(producer_check("protocol.dldevice.malformed",
                              "a dl_device that is no pair of integers is refused",
                              exporting_in_python, std::size(no_devices)))) {
  expect_refused(c, "dl_device", no_devices[c.row], "(1, 0)");
}

// As libraries have them whose device types are an enumeration.
constexpr std::string_view enumerated =
    "(__import__('enum').IntEnum('DLDeviceType', {'kDLCPU': 1}).kDLCPU, 0)";

DLCERT_CHECK_ALSO_ON_DEVICES(
    member_of_an_enumeration_is_its_integer,
    if_touched(producer_check("protocol.dldevice.format",
                              "a device type may be a member of an integer enumeration",
                              exporting_in_python, 1))) {
  const Source source = simple_source(c);
  if (!exports(c, source, "dl_device=(1, 0)")) throw Declined{"the host is refused as a device"};
  c.touched();
  expect(
      exports(c, source, fmt::format("dl_device={}", enumerated)),
      "dl_device with a member of IntEnum: expected a capsule, as of (1, 0), but it was refused");
}

// The library passes the device on only where it is asked to.
DLCERT_CHECK(device_is_passed_as_a_pair_of_integers,
             if_touched(consumer_check("protocol.dldevice.format",
                                       "a consumer passes dl_device as a pair of integers",
                                       importing_in_python, 1))) {
  const TensorSpec spec = draw_simple_spec(c.draw, c.consumer);
  HonestProducer producer{c, spec, draw_logical(c.draw, spec)};
  dlcert_import_request asked = import_request();
  asked.device = pair(cpu.type, cpu.id);
  auto imported = c.consumer.import_from(producer.c(), asked);
  c.observe(imported.ok() ? "imported" : "refused");
  if (imported.ok()) imported.value().release();
  for (const SpyProducer::Call& call : producer.calls()) {
    if (call.device || call.request.dl_device.tag <= DLCERT_NONE) continue;
    c.touched();
    expect_equal("kind of dl_device (a pair is 4)", std::int32_t{DLCERT_PAIR},
                 call.request.dl_device.tag);
  }
  if (!c.was_touched()) c.declined("no dl_device is passed");
}

// An exporter that takes no other form.
constexpr std::string_view checks_its_device =
    R"(def __dlpack__(self, *, dl_device=None, method=dlpack, **others):
    pair = isinstance(dl_device, tuple) and [isinstance(part, int) for part in dl_device]
    if dl_device is not None and pair != [True, True]:
        raise AssertionError(f'dl_device={dl_device!r}')
    return method(self, dl_device=dl_device, **others)
__dlpack_device__ = dlpack_device
)";

DLCERT_CHECK_ALSO_ON_DEVICES(
    default_device_is_passed_as_a_pair_or_not,
    consumer_check("protocol.dldevice.format",
                   "without a device of its own a consumer passes none, or a pair of "
                   "integers",
                   importing_in_python, 1)) {
  PythonImport import{c, {.class_body = std::string{checks_its_device}}};
  import.require_accepted();
  import.finish();
}

}  // namespace
}  // namespace dlcert::protocol
