// SPDX-License-Identifier: Apache-2.0
//
// Codes, indices and addresses of memory on devices, and of memory that host and devices share.

#include <array>

#include <dlcert/suite/spy.hpp>

#include "abi/support.hpp"
#include "generators/device_specs.hpp"
#include "generators/offers.hpp"
#include "registration.hpp"
#include "testbench/device_session.hpp"
#include "testbench/exports.hpp"
#include "testbench/facts.hpp"
#include "testbench/stream_export.hpp"
#include "testbench/stream_import.hpp"

namespace dlcert::abi {

DLCERT_FAMILY(device_memory)

namespace {

using driver::MemoryKind;
using testbench::consuming;
using testbench::DeviceSession;
using testbench::DeviceSource;
using testbench::expect_gathered;
using testbench::export_or_skip;
using testbench::Exported;
using testbench::producing;

DLDevice device_in(const Exported& exported) {
  return exported.managed().tensor().device;
}

std::int32_t type_in(const Exported& exported) {
  return static_cast<std::int32_t>(device_in(exported).device_type);
}

// Exports without a stream: nothing is pending.
Exported export_resident(Case& c, const DeviceSource& device_source) {
  return export_or_skip(c, device_source.source.tensor, testbench::request_on(c.draw, none()),
                        "export of this memory");
}

// What the driver knows of the exported elements' address.
driver::PointerAttributes attributes_of(const DeviceSession& session, const Exported& exported) {
  driver::PointerAttributes found;
  const driver::Status status =
      session.driver().attributes(exported.managed().first_element(), found);
  expect(status == driver::Status::success, "address of the elements: expected one of the driver");
  return found;
}

MemoryKind draw_shared_kind(Case& c, const DeviceSession& session) {
  return !session.rocm() && c.draw.flip() ? MemoryKind::managed : MemoryKind::pinned;
}

MemoryKind draw_any_kind(Case& c, const DeviceSession& session) {
  return c.draw.flip() ? draw_shared_kind(c, session) : MemoryKind::device;
}

DeviceSource draw_resident(Case& c, DeviceSession& session, MemoryKind kind) {
  return testbench::make_device_source(c, session, session.device_of(kind, session.draw_device()));
}

constexpr bool is_pinned(std::int32_t type) {
  return type == kDLCUDAHost || type == kDLROCMHost;
}

// ---- producers ----------------------------------------------------------------------------------

DLCERT_CHECK(device_memory_has_its_code_and_index,
             on_both_vendors(producer_check("abi.device.codes-base",
                                            "device memory is exported under its code and index",
                                            producing))) {
  DeviceSession session{c};
  const dlcert_device device = session.device(session.draw_device());
  const DeviceSource device_source = testbench::make_device_source(c, session, device);
  const Exported exported = export_resident(c, device_source);
  testbench::expect_device(exported.managed(), device);
}

DLCERT_CHECK(device_memory_is_on_the_named_device,
             on_both_vendors(producer_check(
                 "abi.data.device-address",
                 "the data pointer is memory of the device that is named", producing))) {
  DeviceSession session{c};
  const DeviceSource device_source = draw_resident(c, session, MemoryKind::device);
  const Exported exported = export_resident(c, device_source);
  const driver::PointerAttributes found = attributes_of(session, exported);
  expect(found.kind == MemoryKind::device || found.kind == MemoryKind::managed,
         "address of the elements: expected memory of a device but found other memory");
  testbench::expect_own_number(session, device_source, exported.managed());
}

// The start of the allocation, say, from which byte_offset leads to the elements.
DLCERT_CHECK(device_data_is_an_address,
             on_both_vendors(producer_check("abi.data.device-address",
                                            "data itself is an address that the driver knows",
                                            producing))) {
  DeviceSession session{c};
  const Exported exported =
      export_resident(c, draw_resident(c, session, draw_any_kind(c, session)));
  const DLTensor& tensor = exported.managed().tensor();
  expect_field(
      exported.managed(), tensor.data != nullptr, "exported.dl_tensor.data != NULL",
      "data of a tensor with elements: expected an address but found NULL and byte_offset {:#x}",
      tensor.byte_offset);
  driver::PointerAttributes found;
  expect(session.driver().attributes(tensor.data, found) == driver::Status::success,
         "data of a tensor with elements: expected an address of the driver but found {}",
         tensor.data);
}

// Returns true if the first element of the export lies in the source's memory.
bool shares_memory(const DeviceSource& source, const Managed& exported) {
  const std::byte* const first = exported.first_element();
  return first >= source.range.begin && first < source.range.begin + source.range.size;
}

DLCERT_CHECK(export_to_other_memory_says_copied,
             if_touched(on_both_vendors(producer_check(
                 "abi.flags.copied-bit", "an export to another device or kind of memory has bit 1",
                 producing)))) {
  DeviceSession session{c};
  const DeviceSource device_source =
      testbench::make_device_source(c, session, session.device(session.draw_device()));
  const auto elsewhere = testbench::export_elsewhere(c, session, device_source);
  const Managed& managed = elsewhere.exported.managed();
  if (!managed.versioned()) throw Declined{"exported in the legacy form"};
  if (!(testbench::device_of(managed) == elsewhere.requested))
    throw Declined{"exported elsewhere than was asked for"};
  if (shares_memory(device_source, managed)) throw Declined{"memory is shared"};
  expect_copied_bit(c, managed, "a copy in other memory");
  c.touched();
}

DLCERT_CHECK(requested_copies_of_device_memory_say_so,
             on_both_vendors(producer_check("abi.flags.copied-bit",
                                            "a copy of device memory on request has bit 1",
                                            producing))) {
  DeviceSession session{c};
  const DeviceSource device_source = draw_resident(c, session, MemoryKind::device);
  dlcert_request asked = testbench::request_on(c.draw, none());
  asked.copy = boolean(true);
  const Exported copy = session.on(device_source.source.spec.device.id, [&] {
    return export_or_skip(c, device_source.source.tensor, asked, "copies on request");
  });
  if (!copy.managed().versioned()) throw NotClaimed{"versioned exports"};
  if (shares_memory(device_source, copy.managed())) throw Declined{"memory is shared"};
  expect_copied_bit(c, copy.managed(), "a copy of device memory");
}

DLCERT_CHECK(host_copies_of_device_memory_say_so,
             on_both_vendors(producer_check("abi.flags.copied-bit",
                                            "a copy of device memory on the host has bit 1",
                                            producing))) {
  DeviceSession session{c};
  const DeviceSource device_source = draw_resident(c, session, MemoryKind::device);
  dlcert_request asked = testbench::request_on(c.draw, none());
  asked.dl_device = pair(kDLCPU, 0);
  if (c.draw.flip()) asked.copy = c.draw.flip() ? boolean(true) : none();
  const Exported copy = session.on(device_source.source.spec.device.id, [&] {
    return export_or_skip(c, device_source.source.tensor, asked, "copies on the host");
  });
  if (!copy.managed().versioned()) throw NotClaimed{"versioned exports"};
  if (shares_memory(device_source, copy.managed())) throw Declined{"memory is shared"};
  expect_copied_bit(c, copy.managed(), "a copy on the host");
}

DLCERT_CHECK(codes_11_and_13_mean_what_they_say,
             on_both_vendors(producer_check("abi.device.codes-host-managed",
                                            "memory under codes 11 and 13 is of that kind",
                                            producing))) {
  DeviceSession session{c};
  const Exported exported =
      export_resident(c, draw_resident(c, session, draw_any_kind(c, session)));
  const MemoryKind found = attributes_of(session, exported).kind;
  const std::int32_t type = type_in(exported);
  if (type != kDLCUDAManaged && type != kDLROCMHost) throw NotClaimed{"codes 11 and 13"};
  expect(type != kDLCUDAManaged || found == MemoryKind::managed,
         "memory under code 13: expected CUDA managed memory but found other memory");
  expect(type != kDLROCMHost || (found == MemoryKind::pinned && session.rocm()),
         "memory under code 11: expected ROCm pinned memory but found other memory");
}

DLCERT_CHECK(shared_memory_has_its_own_code,
             on_both_vendors(producer_check(
                 "abi.device.host-memory-tagging",
                 "the code of pinned and managed memory follows the policy", producing))) {
  DeviceSession session{c};
  const MemoryKind kind = draw_shared_kind(c, session);
  const Exported exported = export_resident(c, draw_resident(c, session, kind));
  const std::int32_t expected = session.device_of(kind, 0).type;
  const bool own = type_in(exported) == expected;
  c.observe(own ? "its own code" : "another code");
  in_fields(
      exported.managed(),
      [&] {
        expect(own || c.settings.policy("host-memory-tagging") == "record",
               "policy host-memory-tagging=exact: expected device type {} but found {}", expected,
               type_in(exported));
      },
      "exported.dl_tensor.device.device_type == {}", expected);
}

DLCERT_CHECK(shared_memory_has_index_0,
             on_both_vendors(producer_check("abi.device.id-zero-for-host",
                                            "pinned and managed memory is exported under index 0",
                                            producing))) {
  DeviceSession session{c};
  const DeviceSource device_source = draw_resident(c, session, draw_shared_kind(c, session));
  const Exported exported = export_resident(c, device_source);
  if (!is_pinned(type_in(exported)) && type_in(exported) != kDLCUDAManaged)
    throw NotClaimed{"a code for pinned or managed memory"};
  testbench::expect_index_0(exported.managed());
}

DLCERT_CHECK(pinned_memory_is_read_by_the_host,
             on_both_vendors(producer_check("abi.device.pinned-host-access",
                                            "the host reads memory that is tagged as pinned",
                                            producing))) {
  DeviceSession session{c};
  const DeviceSource device_source = draw_resident(c, session, MemoryKind::pinned);
  const Exported exported = export_resident(c, device_source);
  if (!is_pinned(type_in(exported))) throw NotClaimed{"a code for pinned memory"};
  expect(attributes_of(session, exported).kind == MemoryKind::pinned,
         "address of the elements: expected pinned memory but found other memory");
  expect_gathered(exported.managed(), device_source.source.logical);
}

DLCERT_CHECK(managed_memory_is_managed,
             on_cuda(producer_check("abi.device.managed-any-access",
                                    "memory that is tagged as managed is managed", producing))) {
  DeviceSession session{c};
  const DeviceSource device_source = draw_resident(c, session, MemoryKind::managed);
  const Exported exported = export_resident(c, device_source);
  if (type_in(exported) != kDLCUDAManaged) throw NotClaimed{"a code for managed memory"};
  expect(attributes_of(session, exported).kind == MemoryKind::managed,
         "address of the elements: expected managed memory but found other memory");
  expect_gathered(exported.managed(), device_source.source.logical);
}

// ---- consumers ----------------------------------------------------------------------------------

DLCERT_CHECK(device_memory_is_taken_for_what_it_is,
             on_both_vendors(consumer_check("abi.device.codes-base",
                                            "device memory is taken for that of its kind of device",
                                            consuming))) {
  DeviceSession session{c};
  const dlcert_device device = session.device(session.draw_device());
  const Description said = testbench::described_import(c, session, device);
  testbench::expect_imported_device_type(device.type, said.device.type);
}

// Where the elements would lie cannot be asked of an address that is none.
DLCERT_CHECK(empty_device_tensor_needs_no_address,
             on_both_vendors(consumer_check(
                 "abi.data.zero-size-null",
                 "null data of a tensor without elements on a device is accepted", consuming))) {
  DeviceSession session{c};
  const dlcert_device device = session.device(session.draw_device());
  const dlcert_dtype dtype = draw_device_spec(c.draw, c.consumer, device).dtype;
  TensorSpec spec = compact_spec(dtype, {c.draw.between(0, 3), 0});
  spec.device = device;
  require_claimed(c.consumer, spec);
  Descriptor descriptor = describe_spec(spec, draw_form(c.draw, c.consumer, Route::producer));
  descriptor.data = Descriptor::Data::null;
  Offer offer{descriptor, Bytes{}};
  SpyProducer producer{device, &offer, c.consumer, false};
  session.on(device.id, [&] {
    auto imported = c.consumer.import_from(producer.c(), import_request());
    if (!imported.ok() && producer.exports() == 0) throw Declined{"refused without its data"};
    const Tensor empty = require(std::move(imported), "import of a tensor without elements");
    const Description said = require(c.consumer.describe(empty), "describe");
    expect_equal("shape", spec.shape, said.shape);
    expect_equal("dtype", spec.dtype, said.dtype);
    testbench::expect_imported_device_type(device.type, said.device.type);
  });
  expect_deleted_once(offer);
}

}  // namespace
}  // namespace dlcert::abi
