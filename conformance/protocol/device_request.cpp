// SPDX-License-Identifier: Apache-2.0
//
// The argument `dl_device` of __dlpack__: where a producer puts the data.

#include <array>
#include <limits>

#include "protocol/support.hpp"
#include "registration.hpp"
#include "testbench/further_devices.hpp"

namespace dlcert::protocol {

DLCERT_FAMILY(device_request)

namespace {

// Of some the number is that of a device modulo 2^8 or 2^16.
constexpr dlcert_device requested_devices[] = {cuda,      {8, 0},       {99, 0}, {2, 256},
                                               {10, 256}, {2, 1 << 16}, {14, 0}};

bool has(const Case& c, TensorSpec spec, dlcert_device device) {
  spec.device = device;
  return c.producer.can(spec);
}

DLCERT_CHECK_ALSO_ON_DEVICES(
    foreign_device_raises_buffer_error,
    if_touched(producer_check("protocol.dldevice.unsupported",
                              "a device type that the producer does not have raises BufferError",
                              exporting))) {
  const Source source = simple_source(c);
  const dlcert_device device = c.draw.one_of(requested_devices);
  if (has(c, source.spec, device)) throw NotClaimed{"a device that is foreign to it"};
  auto exported = export_tensor(c, source.tensor, with_device(draw_request(c.draw), device));
  expect_export_refused(exported, device);
  // The error for an index that is not there is open.
  if (!has(c, source.spec, {device.type, 0}))
    expect_kind(c.producer, exported.error(), DLCERT_ERROR_BUFFER, "error");
  touched_if_exported(c, source);
}

// Types whose low 32 bits are those of the CPU.
constexpr std::array<std::int64_t, 4> nearly_cpu{
    (std::int64_t{1} << 32) + 1, 1 - (std::int64_t{1} << 32), (std::int64_t{1} << 40) + 1,
    std::numeric_limits<std::int64_t>::min() + 1};

DLCERT_CHECK(no_other_device_is_taken_for_the_cpu,
             if_touched(producer_check("protocol.dldevice.malformed",
                                       "a device type of more than 32 bits is refused",
                                       exporting))) {
  const Source source = simple_source(c);
  dlcert_request asked = draw_request(c.draw);
  asked.dl_device = pair(c.draw.one_of(nearly_cpu), 0);
  expect_refusal(!export_tensor(c, source.tensor, asked).ok(),
                 "export with dl_device={}: expected a refusal but found success",
                 to_text(asked.dl_device));
  touched_if_exported(c, source);
}

// The kind of the error is protocol.dldevice.unsupported.
DLCERT_CHECK_ALSO_ON_DEVICES(
    export_to_a_foreign_device_is_there_or_refused,
    if_touched(producer_check(
        "protocol.dldevice.result-device",
        "an export to a device that the producer does not have is refused or on that device",
        exporting))) {
  const Source source = simple_source(c);
  const dlcert_device device = c.draw.one_of(requested_devices);
  if (has(c, source.spec, device)) throw NotClaimed{"a device that is foreign to it"};
  dlcert_request asked = with_device(draw_request(c.draw), device);
  if (c.draw.flip()) asked = with_copy(asked, false);
  auto exported = export_tensor(c, source.tensor, asked);
  c.observe(exported.ok() ? "exported" : "refused");
  if (!exported.ok()) return touched_if_exported(c, source);
  c.touched();
  testbench::expect_device(exported.value().managed(), device, "device of the export");
}

DLCERT_CHECK(export_is_on_the_requested_device,
             producer_check("protocol.dldevice.result-device", "an export to the CPU is on the CPU",
                            exporting)) {
  const Source source = draw_source(c);
  const Exported exported = export_or_skip(c, source.tensor, with_device(draw_request(c.draw), cpu),
                                           "export to the CPU on request");
  expect_cpu_request_satisfied(c, exported.managed());
}

// Of a tensor whose memory the host may not read, the descriptor tells enough.
DLCERT_CHECK(export_from_a_further_device_is_on_the_requested_one,
             if_touched(with_device_tensors(producer_check(
                 "protocol.dldevice.result-device",
                 "an export from a further device is on the device that is asked for",
                 exporting)))) {
  const Source source = testbench::make_on_further_device(c, c.producer);
  constexpr std::array requested{cpu, cuda, dlcert_device{8, 0}};
  const dlcert_device device = c.draw.one_of(requested);
  auto exported = export_tensor(c, source.tensor, with_device(draw_request(c.draw), device));
  c.observe(exported.ok() ? "exported" : "refused");
  if (!exported.ok()) return touched_if_exported(c, source);
  c.touched();
  const dlcert_device found = device_of(exported.value().managed());
  owned_by(testbench::owners_of_device(device, found), [&] {
    expect(found == device || (device == cpu && satisfies_cpu_request(c, found)),
           "device of the export: expected {} but found {}", to_text(device), to_text(found));
  });
}

DLCERT_CHECK(cpu_is_offered,
             if_touched(producer_check("protocol.dldevice.cpu-offered",
                                       "an export to the CPU holds the source's values",
                                       exporting))) {
  const Source source = draw_source(c);
  auto exported = export_tensor(c, source.tensor, with_device(draw_request(c.draw), cpu));
  if (!exported.ok()) {
    c.declined("refused");
    expect(c.settings.policy("dldevice-cpu-mandate") == "optional" || !plain(source.spec),
           "export to the CPU: expected success but found {}", to_text(exported.error()));
    expect_kind(c.producer, exported.error(), DLCERT_ERROR_BUFFER, "error");
    return;
  }
  c.observe("exported");
  c.touched();
  expect_gathered(std::move(exported).value().managed(), source.logical);
}

}  // namespace
}  // namespace dlcert::protocol
