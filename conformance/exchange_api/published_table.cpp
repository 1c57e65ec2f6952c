// SPDX-License-Identifier: Apache-2.0
//
// The table itself: its bytes, what it says of its version, and that it stays.

#include <dlfcn.h>

#include "exchange_api/support.hpp"
#include "registration.hpp"
#include "testbench/freed_memory.hpp"

namespace dlcert::exchange_api {

DLCERT_FAMILY(published_table)

namespace {

using testbench::FreedMemoryReuse;
using testbench::HeapPoison;

// ---- layout -------------------------------------------------------------------------------------

DLCERT_CHECK(header_is_version_then_older_table,
             in_both_roles(consumer_check(
                 "exchange.layout.header",
                 "the table starts with its version, and a pointer to an older header at 8",
                 publishing, 1))) {
  const Table table{c.subject()};
  owned_by("exchange.version.filled", [&] {
    expect_equal("32 bits at offset 0, the major version", 1u, table.version().major);
  });
  if (table.previous() == nullptr) return;
  const Table older{c.subject(), table.previous()};
  expect(older.version().major <= 1,
         "the header behind the pointer at offset 8: expected an older version than 1 but found {}",
         older.version().major);
}

// Does not look at the stream: exchange.stream.cpu-null is about that.
void expect_work_stream_function(const Table& table, const Party& party) {
  void* stream = poison();
  const int code = table.work_stream({kDLCPU, 0}, &stream);
  party.take_object_error();
  expect(code == 0 || code == -1, "the function at offset 48: expected 0 or -1 but found {}", code);
}

// A view has no flags, so the library may refuse one of an object that needs them.
bool has_flags(const Party& party, const Object& object) {
  if (!party.offers(Needs{} | Can::describe)) return false;
  const Tensor tensor = require(party.tensor_of(object), "the tensor of an object");
  auto said = party.describe(tensor);
  return said.ok() && (said.value().read_only || sub_byte(said.value().dtype));
}

// One object goes through every function, each of which shows by its work that it is the right one.
DLCERT_CHECK_ALSO_ON_DEVICES(
    functions_are_in_place,
    in_both_roles(consumer_check("exchange.layout.table",
                                 "the table has its functions where the standard has them",
                                 reading))) {
  const Table table{c.subject()};
  OfferedTensor offered = draw_offered(c, {.layouts = Layouts::compact, .padded = false});
  ObjectImport import{table, c.subject(), *offered.offer};
  import.require_accepted(offered.spec);
  while_taken(*offered.offer, [&] {
    expect_describes(export_of(table, c.subject(), import.object()), offered.spec, offered.logical);
    if (!table.has(table_at::view) || has_flags(c.subject(), import.object())) return;
    const DLTensor view = view_of(table, c.subject(), import.object());
    expect_describes(*Described{view}, offered.spec, offered.logical);
  });
  expect_work_stream_function(table, c.subject());
  PrototypeOf prototype{offered.spec};
  Allocation allocation{table, prototype.tensor};
  c.observe(allocation.ok() ? "allocated" : "the allocator failed");
  if (allocation.ok())
    expect_equal("shape of what the function at offset 16 made", offered.spec.shape,
                 described_spec(allocation.take()).shape);
  import.finish();
  expect_released_once(*offered.offer);
}

// ---- version ------------------------------------------------------------------------------------

DLCERT_CHECK(version_is_filled,
             producer_check("exchange.version.filled", "the table says a version of major 1",
                            publishing, 1)) {
  const DLPackVersion version = Table{c.producer}.version();
  expect_equal("major version of the table", 1u, version.major);
  c.observe(version.minor >= 2 ? "1.2 or later" : "a minor version below 2");
}

bool older(DLPackVersion a, DLPackVersion b) {
  return a.major != b.major ? a.major < b.major : a.minor < b.minor;
}

void expect_mandatory_functions(const Table& table) {
  constexpr std::pair<std::size_t, const char*> mandatory[] = {
      {table_at::allocator, "managed_tensor_allocator"},
      {table_at::from_object, "managed_tensor_from_py_object_no_sync"},
      {table_at::to_object, "managed_tensor_to_py_object_no_sync"},
      {table_at::work_stream, "current_work_stream"}};
  for (const auto& [offset, name] : mandatory)
    expect(table.has(offset), "{} at offset {}: expected a function but found NULL", name, offset);
}

DLCERT_CHECK(chain_of_older_tables_ends,
             producer_check("exchange.version.prev-null",
                            "the chain of older tables descends and ends", publishing, 1)) {
  constexpr int most_links = 16;
  Table newer{c.producer};
  for (int links = 0; newer.previous() != nullptr; ++links) {
    expect(links < most_links, "chain of older tables: expected an end but found {} links", links);
    const Table next{c.producer, newer.previous()};
    expect(older(next.version(), newer.version()),
           "version of an older table: expected one below {}.{} but found {}.{}",
           newer.version().major, newer.version().minor, next.version().major,
           next.version().minor);
    if (next.version().major == 1) expect_mandatory_functions(next);
    newer = next;
  }
}

DLCERT_CHECK(mandatory_functions_are_there,
             producer_check("exchange.fn.mandatory-nonnull",
                            "the four mandatory functions are there", publishing, 1)) {
  expect_mandatory_functions(Table{c.producer});
}

// ---- lifetime -----------------------------------------------------------------------------------

void live_a_life(Case& c, const Table& table) {
  const Source source = draw_source(c);
  const Object object = object_of(c.producer, source.tensor);
  DLManagedTensorVersioned* out = nullptr;
  if (table.from_object(object, &out) == 0) Managed{{DLCERT_VERSIONED, 0, out}}.release();
  c.producer.take_object_error();
  const FreedMemoryReuse reuse{c, source};
}

DLCERT_CHECK_ALSO_ON_DEVICES(table_outlives_its_objects,
                             producer_check("exchange.table.immortal",
                                            "the table stays as it is when all objects are gone",
                                            making)) {
  const Table table{c.producer};
  const Table::Bytes before = table.bytes();
  live_a_life(c, table);
  const Table later{c.producer};  // maybe another one; the first must stay alive all the same
  const HeapPoison poison;
  expect(table.bytes() == before,
         "the table when its objects are gone: expected it unchanged but found other bytes");
  expect_work_stream_function(table, c.producer);
}

bool in_loaded_module(const void* address) {
  Dl_info info;
  return ::dladdr(address, &info) != 0;
}

DLCERT_CHECK(table_outlives_the_librarys_use,
             Check{.requirement = "exchange.table.immortal",
                   .sentence = "the table stays when the library is closed",
                   .role = Role::producer,
                   .needs = publishing,
                   .rows = 1,
                   .isolation = Isolation::own_process}) {
  const Table table{c.producer};
  const Table::Bytes before = table.bytes();
  const bool in_module = in_loaded_module(table.address());
  c.unload_subject();
  // A static table, as dlpack.h shows one, goes with a module that is unloaded; an interpreter
  // unloads none.
  if (in_module && !in_loaded_module(table.address())) throw Declined{"its module was unloaded"};
  expect(table.bytes() == before,
         "the table when its library was closed: expected it unchanged but found other bytes");
}

}  // namespace
}  // namespace dlcert::exchange_api
