// SPDX-License-Identifier: Apache-2.0
//
// Streams of other types than the standard's, which Python lets a caller write.

#include <array>
#include <string>

#include "generators/device_specs.hpp"
#include "generators/specs.hpp"
#include "registration.hpp"
#include "testbench/device_session.hpp"
#include "testbench/errors.hpp"
#include "testbench/python.hpp"

namespace dlcert::stream {

DLCERT_FAMILY(python_values)

namespace {

using testbench::DeviceSession;
using testbench::exporting_in_python;
using testbench::importing_in_python;
using testbench::Source;

constexpr std::string_view no_streams[] = {"1.5", "'1'", "object()", "(1,)", "b'1'", "[]"};

bool exports(const Case& c, const Source& source, std::string_view arguments) {
  return Python{c.producer}
      .capsule_of(source.tensor, fmt::format("x.__dlpack__({})", arguments))
      .ok();
}

void expect_no_stream(Case& c, const Source& source) {
  const std::string_view value = c.draw.one_of(no_streams);
  expect_refusal(!exports(c, source, fmt::format("stream={}", value)),
                 "stream={}: expected a refusal but it was accepted", value);
  testbench::touched_if(c, exports(c, source, "stream=None"), "a stream of None is refused too");
}

DLCERT_CHECK(device_data_takes_integers_alone,
             if_touched(on_both_vendors(producer_check("stream.range-rejected",
                                                       "what is no integer is refused as a stream",
                                                       exporting_in_python | Can::streams)))) {
  const DeviceSession session{c};
  const dlcert_device device = session.device(session.draw_device());
  const TensorSpec spec = draw_device_spec(c.draw, c.producer, device);
  require_claimed(c.producer, spec);
  session.make_current(device.id);
  const Source source = testbench::make_source(c, spec);
  if (c.settings.policy("stream-invalid-rejection") != "record") return expect_no_stream(c, source);
  c.touched();
  const std::string_view value = c.draw.one_of(no_streams);
  c.observe(exports(c, source, fmt::format("stream={}", value)) ? "accepted" : "refused");
}

DLCERT_CHECK(host_data_takes_no_other_object,
             if_touched(producer_check("stream.none-only-without-streams",
                                       "host memory is exported for no object as its stream",
                                       exporting_in_python))) {
  expect_no_stream(c, testbench::make_source(c, draw_simple_spec(c.draw, c.producer)));
}

// Whatever memory it is: where there are streams they are integers, and elsewhere there are none.
DLCERT_CHECK(consumer_passes_an_integer_or_none,
             consumer_check("stream.type-int",
                            "a consumer passes an integer as its stream, or None",
                            importing_in_python)) {
  const testbench::PythonImport import{c};
  for (const SpyProducer::Call& call : import.calls()) {
    const std::int32_t tag = call.request.stream.tag;
    expect(call.device || tag <= DLCERT_NONE || tag == DLCERT_INT,
           "stream: expected an integer or None but found a value of kind {} (dlcert_value)", tag);
  }
  expect(import.exports() > 0 || !import.accepted(), "import: expected an export of the object");
}

}  // namespace
}  // namespace dlcert::stream
