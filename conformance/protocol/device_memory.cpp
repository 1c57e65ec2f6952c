// SPDX-License-Identifier: Apache-2.0
//
// The protocol on devices: what is said of memory there, and how it reaches the host.

#include <array>
#include <memory>
#include <optional>

#include "generators/device_specs.hpp"
#include "protocol/support.hpp"
#include "registration.hpp"
#include "testbench/device_session.hpp"
#include "testbench/failing_allocations.hpp"
#include "testbench/hidden_devices.hpp"
#include "testbench/judged_exports.hpp"
#include "testbench/reported_device.hpp"
#include "testbench/stream_export.hpp"
#include "testbench/stream_import.hpp"

namespace dlcert::protocol {

DLCERT_FAMILY(device_memory)

namespace {

using testbench::consuming;
using testbench::DeviceSession;
using testbench::DeviceSource;
using testbench::producing;
using testbench::StreamExport;
using testbench::StreamHandle;
using testbench::StreamImport;

DeviceSource draw_resident(Case& c, DeviceSession& session) {
  return testbench::make_device_source(c, session, session.device(session.draw_device()));
}

// ---- producers ----------------------------------------------------------------------------------

DLCERT_CHECK(
    device_memory_is_exported_where_it_is_said_to_be,
    on_both_vendors(producer_check("protocol.device.matches-export",
                                   "device memory is exported on the device that is reported",
                                   producing | Can::dlpack_device))) {
  DeviceSession session{c};
  const DeviceSource device_source = draw_resident(c, session);
  const auto reported = testbench::reported_device(c.producer, device_source.source.tensor);
  const Exported exported = export_or_skip(c, device_source.source.tensor,
                                           testbench::request_on(c.draw, none()), "export");
  owned_by("abi.device.host-memory-tagging", [&] {
    testbench::expect_named_device("device of the export", reported, device_of(exported.managed()));
  });
}

DLCERT_CHECK(host_request_without_copy_raises,
             if_touched(on_both_vendors(producer_check(
                 "protocol.dldevice.cpu-copy-false",
                 "device memory for the host with copy=False raises BufferError", producing)))) {
  DeviceSession session{c};
  const DeviceSource device_source = draw_resident(c, session);
  // A policy of its own decides if another device may be current.
  session.on(device_source.source.spec.device.id, [&] {
    const auto exported = export_tensor(c, device_source.source.tensor,
                                        with_copy(with_device(draw_request(c.draw), cpu), false));
    expect_refusal(!exported.ok(),
                   "export to the CPU with copy=False: expected a refusal but found success");
    owned_by("protocol.copy.false-error",
             [&] { expect_kind(c.producer, exported.error(), DLCERT_ERROR_BUFFER, "error"); });
    touched_if_exported(c, device_source.source);
  });
}

// Judges the data alone. The kind of the error is protocol.dldevice.cpu-copy-false.
DLCERT_CHECK(host_request_without_copy_does_not_copy,
             if_touched(on_both_vendors(producer_check(
                 "protocol.copy.false", "device memory for the host is not copied if copy is False",
                 producing)))) {
  DeviceSession session{c};
  const DeviceSource device_source = draw_resident(c, session);
  session.on(device_source.source.spec.device.id, [&] {
    auto exported = export_tensor(c, device_source.source.tensor,
                                  with_copy(with_device(draw_request(c.draw), cpu), false));
    if (!exported.ok()) return touched_if_exported(c, device_source.source);
    c.touched();
    const std::byte* const first = exported.value().managed().first_element();
    expect(first >= device_source.range.begin &&
               first < device_source.range.begin + device_source.range.size,
           "data under copy=False: expected a refusal or the source's memory but found a copy");
  });
}

// Indices whose low 32 bits are those of the tensor's device.
DLCERT_CHECK(no_other_device_is_taken_for_its_own,
             if_touched(on_both_vendors(
                 producer_check("protocol.dldevice.malformed",
                                "a device index of more than 32 bits is refused", producing)))) {
  constexpr std::array<std::int64_t, 3> beyond{std::int64_t{1} << 32, std::int64_t{1} << 40,
                                               -(std::int64_t{1} << 32)};
  DeviceSession session{c};
  const DeviceSource device_source = draw_resident(c, session);
  const dlcert_device device = device_source.source.spec.device;
  dlcert_request asked = testbench::request_on(c.draw, none());
  asked.dl_device = pair(device.type, device.id + c.draw.one_of(beyond));
  session.on(device.id, [&] {
    expect_refusal(!export_tensor(c, device_source.source.tensor, asked).ok(),
                   "export with dl_device={}: expected a refusal but found success",
                   to_text(asked.dl_device));
    touched_if_exported(c, device_source.source);
  });
}

DLCERT_CHECK(export_to_its_own_device_is_there,
             on_both_vendors(producer_check("protocol.dldevice.result-device",
                                            "an export to the tensor's own device is there",
                                            producing))) {
  DeviceSession session{c};
  const DeviceSource device_source = draw_resident(c, session);
  const dlcert_device device = device_source.source.spec.device;
  auto outcome = session.on(device.id, [&] {
    return export_tensor(c, device_source.source.tensor, with_device(draw_request(c.draw), device));
  });
  if (!outcome.ok()) throw Declined{"the tensor's own device is refused"};
  expect_device(outcome.value().managed(), device, "device of the export");
}

// Which of them a library serves is its choice.
DLCERT_CHECK(export_to_other_memory_is_there,
             if_touched(on_both_vendors(producer_check(
                 "protocol.dldevice.result-device",
                 "an export to another device or kind of memory is there", producing)))) {
  DeviceSession session{c};
  const DeviceSource device_source = draw_resident(c, session);
  const auto elsewhere = testbench::export_elsewhere(c, session, device_source);
  c.touched();
  expect_device(elsewhere.exported.managed(), elsewhere.requested, "device of the export");
}

DLCERT_CHECK(host_copy_holds_the_values,
             if_touched(on_both_vendors(producer_check(
                 "protocol.dldevice.cpu-offered",
                 "an export of device memory to the CPU holds its values", producing)))) {
  DeviceSession session{c};
  const DeviceSource device_source = draw_resident(c, session);
  auto outcome = session.on(device_source.source.spec.device.id, [&] {
    return export_tensor(c, device_source.source.tensor, with_device(draw_request(c.draw), cpu));
  });
  if (!outcome.ok()) {
    c.declined("refused");
    expect(c.settings.policy("dldevice-cpu-mandate") == "optional",
           "export to the CPU: expected success but found {}", to_text(outcome.error()));
    return expect_kind(c.producer, outcome.error(), DLCERT_ERROR_BUFFER, "error");
  }
  c.observe("exported");
  c.touched();
  const Exported exported = std::move(outcome).value();
  expect_cpu_request_satisfied(c, exported.managed());
  expect_gathered(exported.managed(), device_source.source.logical);
  owned_by("abi.flags.copied-bit", [&] {
    expect_field(exported.managed(),
                 !testbench::copy_needs_flag(c.producer, exported.managed()) ||
                     says_copied(exported.managed()),
                 "exported.flags & DLPACK_FLAG_BITMASK_IS_COPIED",
                 "flags of a copy: expected the copied bit but found it clear");
  });
}

// What is handed over for the host must hold there, even where it need not be handed over.
DLCERT_CHECK(export_to_the_host_has_the_values,
             if_touched(on_both_vendors(producer_check(
                 "protocol.export.values",
                 "device memory is exported to the host with its values, copied if asked for",
                 producing)))) {
  DeviceSession session{c};
  const DeviceSource device_source = draw_resident(c, session);
  dlcert_request asked = with_device(draw_request(c.draw), cpu);
  if (c.draw.flip()) asked = with_copy(asked, true);
  auto outcome = session.on(device_source.source.spec.device.id,
                            [&] { return export_tensor(c, device_source.source.tensor, asked); });
  if (!outcome.ok()) return c.declined("refused");
  const Managed& exported = outcome.value().managed();
  if (!(device_of(exported) == cpu)) return c.declined("exported on another device");
  c.touched();
  owned_by("protocol.dldevice.cpu-offered", [&] {
    expect_gathered(exported, device_source.source.logical, "elements of an export to the host");
  });
}

DLCERT_CHECK(copy_of_device_memory_is_elsewhere,
             on_both_vendors(producer_check("protocol.copy.true",
                                            "a copy of device memory has its values in memory of "
                                            "its own there",
                                            producing))) {
  DeviceSession session{c};
  const int device = session.draw_device();
  StreamExport transfer{c, session, session.stream(device, StreamHandle::Kind::non_blocking)};
  session.on(device,
             [&] { transfer.run_idle(with_copy(testbench::request_on(c.draw, none()), true)); });
  if (!transfer.accepted()) refuse_copy(c, transfer.spec(), transfer.error());
  const Managed& copy = transfer.exported().managed();
  c.minor([&] { expect_device(copy, session.device(device), "device of the copy"); });
  if (transfer.exported_range().begin == transfer.range().begin)
    fail("data of the copy: expected fresh memory but found the source's own",
         testbench::judged_sharing(transfer.tensor(), copy, false));
  const StreamHandle legacy = session.stream(device, StreamHandle::Kind::legacy);
  // A library that orders nothing behind its writes orders nothing behind its copy.
  owned_by(testbench::Owners{"stream.copy-over-stream", "stream.producer-orders"}, [&] {
    expect_equal("elements of the copy", transfer.logical(), transfer.read_on(legacy));
    session.expect_no_race();
  });
}

dlcert_request asks_for_copy() {
  return with_copy(request_version(own_version.major, own_version.minor), true);
}

// How many allocations live on the devices after several copies for which the host lacks memory, at
// the first allocation or at the next; empty where no copy fails.
std::optional<std::size_t> living_after_failures(Case& c, DeviceSession& session,
                                                 const DeviceSource& source, int rounds) {
  bool failed = false;
  for (int round = 0; round < rounds; ++round)
    session.on(source.source.spec.device.id, [&] {
      const testbench::FailingAllocations failing{c.producer, round % 2};
      const auto copy = export_tensor(c, source.source.tensor, asks_for_copy());
      failed = failed || !copy.ok();
    });
  if (!failed) return std::nullopt;
  return driver::simulated_driver().living().allocations;
}

DLCERT_CHECK(failed_copy_leaves_nothing_on_a_device,
             if_touched(on_both_vendors(producer_check(
                 "protocol.export.failure-clean",
                 "copies of device memory for which the host lacks memory leave none behind",
                 producing | Can::fail_allocation, 1)))) {
  constexpr int rounds = 16;
  DeviceSession session{c};
  if (!session.records_calls()) throw NotClaimed{"a driver that counts what lives"};
  const DeviceSource source = draw_resident(c, session);
  bool copies = false;
  session.on(source.source.spec.device.id,
             [&] { copies = export_tensor(c, source.source.tensor, asks_for_copy()).ok(); });
  if (!copies) return c.declined("refused");
  const auto before = living_after_failures(c, session, source, rounds);
  const auto after = living_after_failures(c, session, source, rounds);
  if (!before || !after) return c.declined("exported, whatever allocation failed");
  c.touched();
  expect(*after <= *before + rounds / 4,
         "allocations on devices after {} more copies that failed: expected {} or hardly more but "
         "found {}",
         rounds, *before, *after);
}

DLCERT_CHECK(device_memory_is_shared_without_a_copy,
             if_touched(on_both_vendors(
                 producer_check("protocol.copy.false",
                                "copy=False shares device memory or is refused", producing)))) {
  DeviceSession session{c};
  const int device = session.draw_device();
  StreamExport transfer{c, session, session.stream(device, StreamHandle::Kind::non_blocking)};
  session.on(device,
             [&] { transfer.run_idle(with_copy(testbench::request_on(c.draw, none()), false)); });
  if (!transfer.accepted()) return c.declined("copy=False is refused");
  c.touched();
  const Managed& shared = transfer.exported().managed();
  owned_by("sharing.zero-copy-when-possible", [&] {
    if (transfer.exported_range().begin != transfer.range().begin)
      fail("data under copy=False: expected the source's memory but found other memory",
           testbench::judged_sharing(transfer.tensor(), shared, true));
  });
  expect_field(shared, !says_copied(shared), "!(exported.flags & DLPACK_FLAG_BITMASK_IS_COPIED)",
               "copied flag under copy=False: expected clear but found set");
}

// ---- consumers ----------------------------------------------------------------------------------

DLCERT_CHECK(result_is_on_the_sources_device,
             on_both_vendors(consumer_check("protocol.from.same-device-default",
                                            "a tensor on a device is imported there", consuming))) {
  DeviceSession session{c};
  const dlcert_device device = session.device(session.draw_device());
  const Description said = testbench::described_import(c, session, device);
  expect_equal("device of the result", device, said.device);
}

DLCERT_CHECK(result_keeps_its_device_where_devices_are_hidden,
             on_both_vendors(testbench::in_own_process(consumer_check(
                 "protocol.from.same-device-default",
                 "where devices are hidden, a tensor on a device is imported there", consuming)))) {
  const testbench::HiddenDevices hidden{c};
  DeviceSession session{c};
  const dlcert_device device = session.device(session.draw_device());
  const Description said = testbench::described_import(c, session, device);
  expect_equal("device of the result", device, said.device);
}

DLCERT_CHECK(result_is_in_host_memory_on_request,
             if_touched(on_both_vendors(consumer_check(
                 "protocol.from.device-cpu",
                 "a tensor on a device is imported to the CPU or refused", consuming)))) {
  DeviceSession session{c};
  const int device = session.draw_device();
  StreamImport transfer{c, session, device};
  transfer.want_host_copy();
  transfer.import_on(session.draw_stream(device), [] {});
  if (!transfer.accepted()) {
    // If the library supports other such imports, protocol.from.unsupported-device judges the
    // error.
    return c.declined("refused");
  }
  c.touched();
  const Description said = require(c.consumer.describe(transfer.tensor()), "describe");
  expect_equal("device type of the result", cpu.type, said.device.type);
  transfer.expect_readable();
}

// A tensor of the harness on a device, with nothing pending. Its producer makes no copies.
class Lent {
 public:
  Lent(Case& c, DeviceSession& session)
      : case_{c}, session_{session}, device_{session.device(session.draw_device())} {
    const TensorSpec spec = draw_device_spec(c.draw, c.consumer, device_);
    require_claimed(c.consumer, spec);
    const std::size_t bytes =
        static_cast<std::size_t>(spec.storage_size) * logical_item_size(spec.dtype);
    Descriptor descriptor = describe_spec(spec, draw_form(c.draw, c.consumer, Route::producer));
    descriptor.data = Descriptor::Data::device;
    descriptor.device_memory =
        session.allocate(driver::MemoryKind::device, device_.id, bytes).begin;
    offer_ = std::make_unique<Offer>(descriptor, Bytes{});
    producer_ = std::make_unique<SpyProducer>(device_, offer_.get(), c.consumer, false);
    producer_->answer([this](const dlcert_request& request) {
      const bool copies = request.copy.tag == DLCERT_BOOL && request.copy.first != 0;
      return copies ? nullptr : offer_.get();
    });
  }

  // Where the consumer then has it, or the end of the case.
  const std::byte* import(bool copy) {
    dlcert_import_request asked = import_request();
    asked.copy = boolean(copy);
    const std::byte* data = nullptr;
    session_.on(device_.id, [&] {
      auto imported = case_.consumer.import_from(producer_->c(), asked);
      if (!imported.ok()) throw Declined{"this copy request is refused"};
      data = require(case_.consumer.describe(imported.value()), "describe").data;
    });
    if (data == nullptr) throw NotClaimed{"the address of its data"};
    return data;
  }
  const std::byte* first_element() const { return offer_->first_element(); }

 private:
  Case& case_;
  DeviceSession& session_;
  dlcert_device device_;
  std::unique_ptr<Offer> offer_;
  std::unique_ptr<SpyProducer> producer_;
};

DLCERT_CHECK(device_memory_is_imported_without_a_copy,
             on_both_vendors(consumer_check("protocol.from.copy-forwarded",
                                            "copy=False shares the memory of a device",
                                            consuming))) {
  DeviceSession session{c};
  Lent lent{c, session};
  expect(lent.import(false) == lent.first_element(),
         "data under copy=False: expected the producer's memory but found other memory");
}

DLCERT_CHECK(device_memory_is_imported_as_a_copy,
             on_both_vendors(consumer_check("protocol.from.copy-forwarded",
                                            "copy=True shares no memory of a device", consuming))) {
  DeviceSession session{c};
  Lent lent{c, session};
  expect(lent.import(true) != lent.first_element(),
         "data under copy=True: expected other memory but found the producer's");
}

}  // namespace
}  // namespace dlcert::protocol
