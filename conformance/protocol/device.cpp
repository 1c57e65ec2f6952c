// SPDX-License-Identifier: Apache-2.0
//
// What a producer's dlpack_device() says.

#include <algorithm>
#include <vector>

#include <dlcert/suite/trace.hpp>

#include "protocol/support.hpp"
#include "registration.hpp"
#include "testbench/further_devices.hpp"
#include "testbench/reported_device.hpp"
#include "testbench/states.hpp"

namespace dlcert::protocol {

DLCERT_FAMILY(device)

namespace {

constexpr Needs reporting = exporting | Can::dlpack_device;

// A program asks both again.
Judgement judged_devices(const Tensor& tensor, const Managed& exported) {
  const std::string managed = trace_name(exported.raw().pointer);
  if (managed == "unknown") return {};
  if (trace()->language() == Language::c)
    return {.by = Judgement::By::condition,
            .code = fmt::format("same_text(exported_device({}), dlpack_device(library, {}))",
                                managed, trace_name(tensor.handle())),
            .type = "judge_condition"};
  return {.by = Judgement::By::value,
          .expected =
              fmt::format("tuple(map(int, {}.__dlpack_device__()))", trace_name(tensor.handle())),
          .code = fmt::format("({0}.dl_tensor.device.device_type, {0}.dl_tensor.device.device_id)",
                              managed)};
}

void expect_exported_on(const Case& c, const Tensor& tensor, dlcert_device reported,
                        const Managed& exported) {
  const dlcert_device found = device_of(exported);
  const bool pinned = reported.type == 3 || reported.type == 11;
  if (pinned && found.type == cpu.type && c.settings.policy("pinned-device-report") == "host")
    return;
  owned_by("abi.device.host-memory-tagging", [&] {
    seen_by([&] { return judged_devices(tensor, exported); },
            [&] { testbench::expect_named_device("device of the export", reported, found); });
  });
}

DLCERT_CHECK(export_is_on_the_reported_device,
             producer_check("protocol.device.matches-export",
                            "an export is on the device that dlpack_device reports", reporting)) {
  const Source source = draw_source(c);
  const auto reported = testbench::reported_device(c.producer, source.tensor);
  const Exported exported =
      export_or_skip(c, source.tensor, draw_request(c.draw), "export of this layout");
  expect_exported_on(c, source.tensor, reported, exported.managed());
}

// Other devices of the host's memory than cpu:0. The memory is none that a GPU's driver has pinned:
// libraries that do not claim such devices may ask that driver for it.
std::vector<dlcert_device> other_host_devices(const Party& consumer, TensorSpec spec) {
  std::vector<dlcert_device> devices{{1, 1}};
  for (const dlcert_device device : {dlcert_device{3, 0}, {11, 0}, {13, 0}}) {
    spec.device = device;
    if (consumer.can(spec)) devices.push_back(device);
  }
  return devices;
}

// Foreign memory: the device that a tensor came with is the only one that both answers can mean.
DLCERT_CHECK(
    imported_tensor_is_exported_on_the_reported_device,
    producer_check("protocol.device.matches-export",
                   "an imported tensor is exported on the device that dlpack_device reports",
                   reporting | Can::any_import)) {
  const TensorSpec spec = draw_spec(c.draw, c.producer, {.padded = false});
  const Route route = draw_route(c.draw, c.producer);
  Descriptor descriptor = describe_spec(spec, draw_form(c.draw, c.producer.consuming(), route));
  descriptor.device =
      c.draw.flip() ? cpu : c.draw.one_of(other_host_devices(c.producer.consuming(), spec));
  Offer offer{descriptor, scatter(spec, draw_logical(c.draw, spec))};
  Import import{c.producer, offer, route};
  if (!import.accepted()) throw Declined{"memory under this device's name is refused"};
  {
    const auto reported = testbench::reported_device(c.producer, import.tensor());
    const Exported exported =
        export_or_skip(c, import.tensor(), draw_request(c.draw), "export of foreign memory");
    expect_exported_on(c, import.tensor(), reported, exported.managed());
  }
  import.finish();
}

DLCERT_CHECK(further_device_is_reported_as_exported,
             with_device_tensors(producer_check(
                 "protocol.device.matches-export",
                 "a tensor on a further device is exported on the device that dlpack_device "
                 "reports",
                 reporting))) {
  const Source source = testbench::make_on_further_device(c, c.producer);
  const auto reported = testbench::reported_device(c.producer, source.tensor);
  const Exported exported =
      export_or_skip(c, source.tensor, draw_request(c.draw), "export of this tensor");
  expect_exported_on(c, source.tensor, reported, exported.managed());
}

constexpr std::int32_t standard_types[] = {1, 2, 3, 4, 7, 8, 9, 10, 13, 14};
constexpr std::int32_t dlpack_types[] = {11, 12, 15, 16, 17, 18};
constexpr std::int32_t post_release_types[] = {19, 20, 21};

DLCERT_CHECK_ALSO_ON_DEVICES(
    reported_type_is_in_the_standards_enumeration,
    producer_check("protocol.device.enum-values",
                   "the reported device type is one that the standard lists", reporting)) {
  const Source source = draw_source(c);
  const std::int32_t type = testbench::reported_device_type(c.producer, source.tensor);
  if (std::ranges::count(standard_types, type) != 0) return;
  c.observe("a type that the standard does not list");
  const bool later = std::ranges::count(post_release_types, type) != 0 &&
                     c.settings.policy("post-release-codes") == "record";
  expect(later || std::ranges::count(dlpack_types, type) != 0,
         "device type: expected one that DLPack lists but found {}", type);
}

DLCERT_CHECK_ALSO_ON_DEVICES(
    none_exports_where_the_data_is,
    producer_check("protocol.dldevice.none-same",
                   "dl_device None exports on the device that dlpack_device reports", reporting)) {
  const Source source = draw_source(c);
  const auto reported = testbench::reported_device(c.producer, source.tensor);
  dlcert_request asked = draw_request(c.draw);
  asked.dl_device = none();
  const Exported exported = export_or_skip(c, source.tensor, asked, "export of this layout");
  expect_exported_on(c, source.tensor, reported, exported.managed());
}

DLCERT_CHECK(data_without_one_device_may_refuse_to_name_it,
             if_touched(producer_check("protocol.device.may-raise",
                                       "sparse data names its device or raises BufferError",
                                       reporting))) {
  const Tensor sparse =
      std::move(testbench::make_in_state(c, testbench::state_of(DLCERT_STATE_SPARSE)).tensor);
  const auto reported = c.producer.dlpack_device(sparse);
  if (reported.ok()) return c.declined("device named");
  c.observe("refused");
  if (!c.producer.declares(DLCERT_FAITHFUL_ERRORS))
    return c.declined("its errors have no kinds of their own");
  c.touched();
  expect_kind(c.producer, reported.error(), DLCERT_ERROR_BUFFER, "dlpack_device of sparse data");
}

}  // namespace
}  // namespace dlcert::protocol
