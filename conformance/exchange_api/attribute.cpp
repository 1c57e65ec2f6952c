// SPDX-License-Identifier: Apache-2.0
//
// The attribute by which a class of arrays publishes the table.

#include <string>

#include "exchange_api/support.hpp"
#include "registration.hpp"
#include "testbench/python.hpp"

namespace dlcert::exchange_api {

DLCERT_FAMILY(attribute)

namespace {

using testbench::exporting_in_python;
using testbench::holds;
using testbench::text_of;

constexpr const char* table_name = "dlpack_exchange_api";

Source simple_source(Case& c) {
  return make_source(c, draw_simple_spec(c.draw, c.producer));
}

bool publishes(const Case& c, const Source& source, std::string_view where) {
  return holds(c.producer, source.tensor,
               fmt::format("hasattr({}, '__dlpack_c_exchange_api__')", where));
}

// The capsule that the class of the array has; a class without the attribute ends the case.
Outcome<Capsule> published(const Case& c, const Source& source) {
  if (!publishes(c, source, "type(x)")) throw Declined{"the class publishes no table"};
  return Python{c.producer}.capsule_of(source.tensor, "type(x).__dlpack_c_exchange_api__");
}

const void* table_in(Outcome<Capsule> capsule) {
  if (!capsule.ok()) throw Declined{"the attribute is no capsule"};
  return capsule.value().pointer(table_name);
}

// ---- presence -----------------------------------------------------------------------------------

DLCERT_CHECK_ALSO_ON_DEVICES(
    arrays_without_a_table_are_exported_all_the_same,
    producer_check("exchange.attr.optional",
                   "an array is exported by __dlpack__, whether its class publishes a "
                   "table or not",
                   exporting_in_python, 1)) {
  const Source source = simple_source(c);
  c.observe(publishes(c, source, "type(x)") ? "publishes a table" : "publishes no table");
  testbench::export_either(c, source.tensor);
}

DLCERT_CHECK_ALSO_ON_DEVICES(
    objects_without_a_table_are_imported_all_the_same,
    consumer_check("exchange.attr.optional",
                   "an object is imported by __dlpack__ where its class has no table",
                   testbench::importing_in_python, 1)) {
  testbench::PythonImport import{c};
  import.require_accepted();
  expect_equal("exports of the object", 1, import.exports());
  import.finish();
}

// ---- place --------------------------------------------------------------------------------------

DLCERT_CHECK_ALSO_ON_DEVICES(
    table_belongs_to_the_class,
    if_touched(producer_check("exchange.attr.on-type",
                              "the table is an attribute of the class, the same for all arrays",
                              exporting_in_python))) {
  const Source first = simple_source(c);
  const Source second = make_source(c, first.spec);
  const bool of_the_class = publishes(c, first, "type(x)");
  if (!of_the_class && !publishes(c, first, "x")) throw Declined{"the class publishes no table"};
  c.touched();
  expect(of_the_class, "the table of an array: expected it on the class but found it on the array");
  expect_equal("table of the class, asked for another array", table_in(published(c, first)),
               table_in(published(c, second)));
}

DLCERT_CHECK_ALSO_ON_DEVICES(
    attribute_is_a_capsule_of_the_name,
    if_touched(producer_check("exchange.attr.name-and-capsule",
                              "the attribute is a capsule \"dlpack_exchange_api\" around the table",
                              exporting_in_python))) {
  const Source source = simple_source(c);
  const Capsule capsule =
      require(published(c, source), "__dlpack_c_exchange_api__ of the class as a capsule");
  c.touched();
  expect_equal("capsule name", std::string{table_name}, capsule.name().value_or("(none)"));
  const void* const table = capsule.pointer(table_name);
  expect(table != nullptr, "pointer of the capsule: expected a table but found NULL");
  expect_equal("major version of the table", 1u, Table(c.producer, table).version().major);
  if (c.producer.offers(publishing))
    expect_equal("table in the capsule", Table{c.producer}.address(), table);
}

// ---- as it was in DLPack 1.2 --------------------------------------------------------------------

DLCERT_CHECK_ALSO_ON_DEVICES(
    older_attribute_is_the_tables_address,
    if_touched(
        producer_check("exchange.attr.legacy-int",
                       "the attribute of DLPack 1.2 is the table's address, or a capsule around it",
                       exporting_in_python, 1))) {
  const Source source = simple_source(c);
  constexpr std::string_view attribute = "type(x).__c_dlpack_exchange_api__";
  if (!holds(c.producer, source.tensor, "hasattr(type(x), '__c_dlpack_exchange_api__')"))
    throw Declined{"the class has no such attribute"};
  c.touched();
  const void* table = nullptr;
  if (holds(c.producer, source.tensor, fmt::format("isinstance({}, int)", attribute))) {
    const auto address = std::stoull(text_of(c.producer, source.tensor, std::string{attribute}));
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the attribute is an address
    table = reinterpret_cast<const void*>(static_cast<std::uintptr_t>(address));
  } else {
    table = require(Python{c.producer}.capsule_of(source.tensor, std::string{attribute}),
                    "__c_dlpack_exchange_api__ as a number or a capsule")
                .pointer(table_name);
  }
  expect(table != nullptr, "__c_dlpack_exchange_api__: expected a table but found NULL");
  expect_equal("major version of the table", 1u, Table(c.producer, table).version().major);
}

}  // namespace
}  // namespace dlcert::exchange_api
