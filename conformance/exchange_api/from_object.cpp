// SPDX-License-Identifier: Apache-2.0
//
// Managed tensors of objects: the caller owns them, and they are those of __dlpack__.

#include "exchange_api/devices.hpp"
#include "exchange_api/support.hpp"
#include "registration.hpp"
#include "testbench/facts.hpp"
#include "testbench/freed_memory.hpp"
#include "testbench/heap.hpp"
#include "testbench/states.hpp"

namespace dlcert::exchange_api {

DLCERT_FAMILY(from_object)

namespace {

using testbench::export_or_skip;
using testbench::Exported;
using testbench::FreedMemoryReuse;
using testbench::live_allocations;
using testbench::says_copied;

// A source, and its export through the table. A plain tensor must be exported; the refusal of
// another one ends the case.
struct TableExport {
  Source source;
  Object object;
  Managed managed;
};

TableExport export_by_table(Case& c, const Table& table, Source source) {
  Object object = object_of(c.producer, source.tensor);
  DLManagedTensorVersioned* out = nullptr;
  if (plain(source.spec)) {
    Managed managed = export_of(table, c.producer, object);
    return {std::move(source), std::move(object), std::move(managed)};
  }
  if (table.from_object(object, &out) != 0) {
    c.producer.take_object_error();
    throw Declined{"from_py_object refuses such a tensor"};
  }
  expect_stored("from_py_object", out);
  return {std::move(source), std::move(object), Managed{{DLCERT_VERSIONED, 0, out}}};
}

// ---- ownership ----------------------------------------------------------------------------------

DLCERT_CHECK_ALSO_ON_DEVICES(
    export_keeps_its_data_alive,
    producer_check("exchange.from.owning",
                   "an export through the table keeps its data until its deleter runs", making)) {
  const Table table{c.producer};
  const std::int64_t before = live_allocations(c.producer);
  {
    TableExport by_table = export_by_table(c, table, draw_source(c, {.read_only = true}));
    by_table.object.drop();
    by_table.source.tensor.release();
    {
      const FreedMemoryReuse reuse{c, by_table.source};
      expect_describes(by_table.managed, by_table.source.spec, by_table.source.logical);
    }
    by_table.managed.release();
  }
  testbench::expect_none_left("live allocations when the deleter has run", before, c.producer);
}

// ---- descriptors --------------------------------------------------------------------------------

constexpr std::uint64_t known_flags = DLPACK_FLAG_BITMASK_READ_ONLY |
                                      DLPACK_FLAG_BITMASK_IS_COPIED |
                                      DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED;

// Where the address of a data pointer is an address, and not the handle of a buffer.
bool is_addressable(const DLTensor& tensor) {
  switch (tensor.device.device_type) {
    case kDLCPU:
    case kDLCUDA:
    case kDLCUDAHost:
    case kDLCUDAManaged:
    case kDLROCM:
    case kDLROCMHost:
      return true;
    default:
      return false;
  }
}

void expect_same_place(const DLTensor& expected, const DLTensor& found) {
  if (!is_addressable(expected)) {
    expect_equal("handle of the data", expected.data, found.data);
    return expect_equal("byte_offset", expected.byte_offset, found.byte_offset);
  }
  const auto first = [](const DLTensor& tensor) {
    return static_cast<const std::byte*>(tensor.data) + tensor.byte_offset;
  };
  expect_equal("address of the first element", first(expected), first(found));
}

// What even a copy has in common with what it is of.
void expect_same_kind(const TensorSpec& expected, const TensorSpec& found) {
  testbench::expect_described_dtype(expected.dtype, found.dtype);
  testbench::expect_described_shape(expected.shape, found.shape);
}

// The descriptors may differ in strides that say nothing, and in where an empty tensor lies.
void expect_same_view(const DLTensor& expected, const DLTensor& found) {
  const Described mine{expected};
  const Described other{found};
  const TensorSpec a = described_spec(*mine);
  const TensorSpec b = described_spec(*other);
  testbench::expect_described_device(a.device, b.device);
  if (a.element_count() == 0) return;
  owned_by("abi.strides.element-units", [&] {
    for (std::size_t axis = 0; axis < a.shape.size(); ++axis)
      if (a.shape[axis] > 1)
        expect(a.strides[axis] == b.strides[axis], "stride of axis {}: expected {} but found {}",
               axis, a.strides[axis], b.strides[axis]);
  });
  testbench::Owners owners = testbench::owners_of_address();
  owners.push_back("sharing.zero-copy-when-possible");
  owned_by(owners, [&] { expect_same_place(expected, found); });
}

// Declined where one of them is said to be a copy, of which no more can be compared.
void expect_same(Case& c, const DLTensor& expected, const DLTensor& found, bool copied) {
  const Described mine{expected};
  const Described other{found};
  expect_same_kind(described_spec(*mine), described_spec(*other));
  if (copied) return c.declined("exported as a copy");
  c.touched();
  expect_same_view(expected, found);
}

// What the standard asks of every descriptor since 1.2.
void expect_well_formed(const DLTensor& tensor) {
  owned_by("abi.ndim.nonnegative",
           [&] { expect(tensor.ndim >= 0, "rank: expected 0 or more but found {}", tensor.ndim); });
  if (tensor.ndim == 0) return;
  owned_by("abi.shape.nonnull-when-ranked", [&] {
    expect(tensor.shape != nullptr, "shape: expected {} extents but found NULL", tensor.ndim);
  });
  owned_by("abi.strides.nonnull", [&] {
    expect(tensor.strides != nullptr, "strides: expected {} strides but found NULL", tensor.ndim);
  });
}

// Wherever there are elements; byte_offset is none.
void expect_address(const DLTensor& tensor) {
  const Described described{tensor};
  if (described_spec(*described).element_count() == 0) return;
  expect(tensor.data != nullptr,
         "data of a tensor with elements: expected an address but found NULL and byte_offset {:#x}",
         tensor.byte_offset);
}

bool labelled_1_2(DLPackVersion version) {
  return version.major == 1 && version.minor >= 2;
}

void expect_well_formed(const Managed& managed) {
  testbench::expect_major_1(managed);
  owned_by("abi.flags.default-zero", [&] {
    expect_field(managed, (managed.flags() & ~known_flags) == 0, "exported.flags <= 7",
                 "flags: expected known ones but found {:#x}", managed.flags());
  });
  if (!labelled_1_2(managed.version())) return;
  in_fields(
      managed, [&] { expect_well_formed(managed.tensor()); },
      "exported.dl_tensor.ndim == 0 || (exported.dl_tensor.ndim > 0 && exported.dl_tensor.shape != "
      "NULL && exported.dl_tensor.strides != NULL)");
}

// __dlpack__ of the same tensor. Not claimed where the library cannot answer in the versioned form.
Exported protocol_export(Case& c, const Source& source) {
  Exported exported =
      export_or_skip(c, source.tensor, request_version(own_version.major, own_version.minor),
                     "versioned exports through the protocol");
  if (!exported.managed().versioned()) throw NotClaimed{"versioned exports through the protocol"};
  return exported;
}

void expect_same_as_protocol(Case& c, Source source) {
  const Table table{c.producer};
  const TableExport by_table = export_by_table(c, table, std::move(source));
  expect_well_formed(by_table.managed);
  expect_address(by_table.managed.tensor());
  const Exported exported = protocol_export(c, by_table.source);
  const bool copied = says_copied(by_table.managed) || says_copied(exported.managed());
  expect_same(c, exported.managed().tensor(), by_table.managed.tensor(), copied);
  // Bit 0 is only recommended: abi.flags.read-only-bit.
  constexpr std::uint64_t binding = ~std::uint64_t{DLPACK_FLAG_BITMASK_READ_ONLY};
  if (!copied)
    testbench::expect_same_flags(exported.managed().flags() & binding,
                                 by_table.managed.flags() & binding);
}

// Expects bit 0 in the export if the export of __dlpack__ has it.
void expect_read_only_as_protocol(Case& c, Source source) {
  const TableExport by_table = export_by_table(c, Table{c.producer}, std::move(source));
  const Exported exported = protocol_export(c, by_table.source);
  if ((exported.managed().flags() & DLPACK_FLAG_BITMASK_READ_ONLY) == 0) throw Declined{"writable"};
  if (says_copied(by_table.managed)) throw Declined{"copied"};
  c.touched();
  if (c.settings.policy("read-only-flag") == "record") return;
  expect_field(by_table.managed, (by_table.managed.flags() & DLPACK_FLAG_BITMASK_READ_ONLY) != 0,
               "exported.flags & DLPACK_FLAG_BITMASK_READ_ONLY",
               "flags of an export through the table: expected bit 0, as of __dlpack__, but found "
               "{:#x}",
               by_table.managed.flags());
}

DLCERT_CHECK(export_is_that_of_the_protocol,
             if_touched(producer_check("exchange.from.same-rules",
                                       "an export through the table is that of __dlpack__",
                                       making))) {
  expect_same_as_protocol(c, draw_source(c, {.read_only = true}));
}

Source draw_device_source(Case& c, const testbench::DeviceSession& session) {
  const dlcert_device device = draw_device(c, session);
  session.make_current(device.id);
  return make_source(c, draw_spec_on(c, device));
}

DLCERT_CHECK(device_export_is_that_of_the_protocol,
             if_touched(on_both_vendors(
                 producer_check("exchange.from.same-rules",
                                "an export of device memory is that of __dlpack__", making)))) {
  const testbench::DeviceSession session{c};
  expect_same_as_protocol(c, draw_device_source(c, session));
}

void expect_view_like_export(Case& c, Source source) {
  const Table table{c.producer};
  const TableExport by_table = export_by_table(c, table, std::move(source));
  DLTensor view{};
  const int code = table.view(by_table.object, &view);
  c.producer.take_object_error();
  if (code != 0) throw Declined{"a view of such a tensor is refused"};
  if (labelled_1_2(table.version())) expect_well_formed(view);
  expect_address(view);
  expect_same(c, by_table.managed.tensor(), view, says_copied(by_table.managed));
}

DLCERT_CHECK(view_is_like_the_export,
             if_touched(producer_check("exchange.from.same-rules",
                                       "a view says what the owning export says", making))) {
  expect_view_like_export(c, draw_source(c, {.read_only = true}));
}

DLCERT_CHECK(device_view_is_like_the_export,
             if_touched(on_both_vendors(
                 producer_check("exchange.from.same-rules",
                                "a view of device memory says what the export says", making)))) {
  const testbench::DeviceSession session{c};
  expect_view_like_export(c, draw_device_source(c, session));
}

// ---- imports, and data in other states ----------------------------------------------------------

void with_import(Case& c, const std::function<void(Source)>& judge) {
  const ImportPath path = draw_import_path(c.draw, c.producer.consuming(), Form::versioned);
  TensorSpec spec = draw_spec(c.draw, c.producer.consuming(),
                              {.shape = {.empty = false}, .padded = false, .read_only = true});
  Bytes logical = draw_logical(c.draw, spec);
  const auto offer = make_offer(spec, logical, Form::versioned, c.draw.flip());
  Import import{c.producer, *offer, path.route};
  require_accepted(import, c.producer, Form::versioned);
  judge({std::move(spec), std::move(logical), std::move(import.tensor())});
}

DLCERT_CHECK(export_of_an_import_is_that_of_the_protocol,
             if_touched(producer_check(
                 "exchange.from.same-rules",
                 "what the table exports of an imported tensor is what __dlpack__ exports",
                 making | Can::any_import | Can::describe | Can::reads_back))) {
  with_import(c, [&](Source imported) {
    if (c.draw.flip())
      expect_same_as_protocol(c, std::move(imported));
    else
      expect_view_like_export(c, std::move(imported));
  });
}

DLCERT_CHECK(table_says_that_data_is_read_only,
             if_touched(producer_check("abi.flags.read-only-bit",
                                       "an export through the table has bit 0 if that of "
                                       "__dlpack__ has",
                                       making))) {
  expect_read_only_as_protocol(c, draw_source(c, {.read_only = true}));
}

DLCERT_CHECK(table_says_that_an_import_is_read_only,
             if_touched(producer_check(
                 "abi.flags.read-only-bit",
                 "what the table exports of an imported tensor has bit 0 if that of __dlpack__ has",
                 making | Can::any_import | Can::describe | Can::reads_back))) {
  with_import(c, [&](Source imported) { expect_read_only_as_protocol(c, std::move(imported)); });
}

DLCERT_CHECK(export_shows_the_values_of_any_state,
             if_touched(producer_check("exchange.from.same-rules",
                                       "lazy, sparse or byte-swapped data is refused by the table "
                                       "or exported with its values",
                                       making))) {
  const Source source = testbench::make_with_values(c);
  const testbench::State& state = testbench::state_of(source.spec.state);
  const Table table{c.producer};
  auto made = c.producer.object_of(source.tensor);
  if (!made.ok()) throw Declined{"has no object of such data"};
  const Object& object = made.value();
  DLManagedTensorVersioned* out = nullptr;
  DLTensor view{};
  const bool exported = table.from_object(object, &out) == 0;
  const Managed managed{{DLCERT_VERSIONED, 0, exported ? out : nullptr}};
  c.producer.take_object_error();
  const bool viewed = table.has(table_at::view) && table.view(object, &view) == 0;
  c.producer.take_object_error();
  owned_by("protocol.export.values", [&] {  // whose fault it is if __dlpack__ does the same
    if (exported) testbench::expect_values(state, source, managed);
    if (viewed) testbench::expect_values(state, source, *Described{view});
  });
  if (exported || viewed)
    c.touched();
  else
    c.declined("refused");
}

// ---- allocations --------------------------------------------------------------------------------

DLCERT_CHECK(allocation_is_well_formed,
             producer_check("exchange.from.same-rules",
                            "an allocated tensor obeys the rules of every export", making)) {
  PrototypeOf prototype{draw_asked(c)};
  const Managed made = allocate(Table{c.producer}, prototype);
  expect_well_formed(made);
  expect_equal("rank", prototype.tensor.ndim, made.tensor().ndim);
}

}  // namespace
}  // namespace dlcert::exchange_api
