// SPDX-License-Identifier: Apache-2.0
//
// What a producer makes of dl_device.

#include "protocol/families.hpp"
#include "protocol/support.hpp"

namespace dlcert::protocol {
namespace {

constexpr dlcert_device requested_devices[] = {cuda, {8, 0}, {99, 0}};

void require_foreign(const Case& c, TensorSpec spec, dlcert_device device) {
  spec.device = device;
  if (c.producer.can(spec)) throw NotClaimed{"a device that is foreign to it"};
}

void foreign_device_raises_buffer_error(Case& c) {
  const Source source = simple_source(c);
  const dlcert_device device = c.draw.one_of(requested_devices);
  require_foreign(c, source.spec, device);
  const auto exported = export_tensor(c, source.tensor, with_device(draw_request(c.draw), device));
  expect(!exported.ok(), "export to {}: expected a refusal but found success", to_text(device));
  expect_kind(c.producer, exported.error(), DLCERT_ERROR_BUFFER, "error");
}

bool satisfies_cpu_request(const Case& c, dlcert_device found) {
  return found == cpu ||
         (host_accessible(found) && c.settings.policy("host-accessible-as-cpu") == "accept");
}

void export_is_on_the_requested_device(Case& c) {
  const Source source = draw_source(c);
  const Exported exported = export_or_skip(c, source.tensor, with_device(draw_request(c.draw), cpu),
                                           "export to the CPU on request");
  const dlcert_device found = device_of(exported.managed());
  expect(satisfies_cpu_request(c, found), "device of the export: expected {} but found {}",
         to_text(cpu), to_text(found));
}

void cpu_is_offered(Case& c) {
  const Source source = draw_source(c);
  auto exported = export_tensor(c, source.tensor, with_device(draw_request(c.draw), cpu));
  c.observe(exported.ok() ? "exported" : "refused");
  if (!exported.ok()) {
    expect(c.settings.policy("dldevice-cpu-mandate") == "optional" || !plain(source.spec),
           "export to the CPU: expected success but found {}", to_text(exported.error()));
    expect_kind(c.producer, exported.error(), DLCERT_ERROR_BUFFER, "error");
    return;
  }
  expect_equal("elements", source.logical, gather_exported(std::move(exported).value().managed()));
}

}  // namespace

void register_device_request_checks(Suite& suite) {
  suite.add({.requirement = "protocol.dldevice.unsupported",
             .sentence = "a device that the producer does not have raises BufferError",
             .role = Role::producer,
             .needs = exporting,
             .body = foreign_device_raises_buffer_error});
  suite.add({.requirement = "protocol.dldevice.result-device",
             .sentence = "an export to the CPU is on the CPU",
             .role = Role::producer,
             .needs = exporting,
             .body = export_is_on_the_requested_device});
  suite.add({.requirement = "protocol.dldevice.cpu-offered",
             .sentence = "an export to the CPU holds the source's values",
             .role = Role::producer,
             .needs = exporting,
             .body = cpu_is_offered});
}

}  // namespace dlcert::protocol
