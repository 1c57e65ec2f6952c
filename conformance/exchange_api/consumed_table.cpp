// SPDX-License-Identifier: Apache-2.0
//
// What a consumer makes of the tables that classes of others publish.

#include "exchange_api/spy_table.hpp"
#include "exchange_api/support.hpp"
#include "registration.hpp"
#include "testbench/python.hpp"

namespace dlcert::exchange_api {

DLCERT_FAMILY(consumed_table)

namespace {

using testbench::importing_in_python;

constexpr std::size_t few = 4;

std::string_view how_taken(const TableObject& object) {
  return object.asked_the_table() ? "imported by the table" : "imported by __dlpack__";
}

// ---- versions -----------------------------------------------------------------------------------

constexpr SpyTable newer[] = {SpyTable::too_new, SpyTable::chained, SpyTable::chained_in_vain};

DLCERT_CHECK(functions_of_a_newer_major_are_not_called,
             if_touched(consumer_check("exchange.version.check-first",
                                       "no function of a table of another major version is called",
                                       importing_in_python, std::size(newer)))) {
  require_use_of_tables(c);
  c.touched();
  TableObject object{c, newer[c.row]};
  c.observe(object.import().ok() ? how_taken(object) : "refused");
  for (const TableCall& call : object.calls())
    expect_equal("major version of the table whose function is called", 1u, call.major);
  object.finish();
}

constexpr SpyTable chains[] = {SpyTable::chained, SpyTable::chained_in_vain};

// It ends, and what was imported holds; which functions are called is judged above.
DLCERT_CHECK(chain_is_followed_or_not,
             if_touched(consumer_check("exchange.version.prev-chain",
                                       "what becomes of a chain of older tables is recorded",
                                       importing_in_python, std::size(chains)))) {
  require_use_of_tables(c);
  c.touched();
  TableObject object{c, chains[c.row]};
  const bool imported = object.import().ok();
  c.observe(imported ? how_taken(object) : "refused");
  if (imported) object.require_accepted();
  object.finish();
}

// ---- functions ----------------------------------------------------------------------------------

DLCERT_CHECK(table_without_views_is_used,
             if_touched(consumer_check("exchange.fn.dltensor-optional",
                                       "an object is imported whose table gives no views",
                                       importing_in_python, few))) {
  require_use_of_tables(c);
  c.touched();
  TableObject object{c, SpyTable::without_view};
  object.import();
  object.require_accepted();
  c.observe(how_taken(object));
  object.finish();
}

DLCERT_CHECK(views_are_offered_or_not, producer_check("exchange.fn.dltensor-optional",
                                                      "whether the table gives views is recorded",
                                                      publishing | Can::python, 1)) {
  c.observe(Table{c.producer}.has(table_at::view) ? "gives views" : "gives no views");
}

// ---- which objects ------------------------------------------------------------------------------

// Objects of classes with a table each, by turns.
DLCERT_CHECK(each_object_goes_to_the_table_of_its_class,
             if_touched(consumer_check("exchange.from.type-precondition",
                                       "a function of a table gets objects of the class that has "
                                       "it alone",
                                       importing_in_python, few))) {
  require_use_of_tables(c);
  c.touched();
  for (const SpyTable table : {SpyTable::current, SpyTable::another, SpyTable::current}) {
    TableObject object{c, table};
    object.import();
    object.require_accepted();
    for (const TableCall& call : object.calls()) {
      expect(call.table == table, "an object: expected the table of its class but found another's");
      expect(call.producer == &object.producer(),
             "a function of a table: expected the object that is imported but found another one");
    }
    object.finish();
  }
}

// The object gets a class that is derived from its own, and has its table by that.
constexpr const char* of_a_subclass =
    "from_dlpack((setattr(x, '__class__', type('Derived', (type(x),), {})), x)[1])";

DLCERT_CHECK(subclass_follows_the_policy,
             if_touched(consumer_check("exchange.from.type-precondition",
                                       "what becomes of an object of a subclass is recorded",
                                       importing_in_python, 1))) {
  require_use_of_tables(c);
  c.touched();
  TableObject object{c, SpyTable::current};
  object.import(of_a_subclass);
  object.require_accepted();
  c.observe(how_taken(object));
  const std::string_view policy = c.settings.policy("exchange-subclass");
  const bool by_table = object.asked_the_table();
  expect(policy != "exact" || !by_table,
         "an object of a subclass: expected no use of the table but found it");
  expect(policy != "inherit" || by_table,
         "an object of a subclass: expected use of the table but found none");
  object.finish();
}

// ---- where it is looked up ----------------------------------------------------------------------

constexpr const char* with_another_on_the_instance =
    "from_dlpack((setattr(x, '__dlpack_c_exchange_api__', 'no table'), x)[1])";

DLCERT_CHECK(attribute_of_the_instance_is_ignored,
             if_touched(consumer_check("exchange.attr.lookup-cacheable",
                                       "the table is looked up on the class, whatever the object "
                                       "has under its name",
                                       importing_in_python, few))) {
  require_use_of_tables(c);
  c.touched();
  TableObject object{c, SpyTable::current};
  object.import(with_another_on_the_instance);
  object.require_accepted();
  expect(object.asked_the_table(),
         "the table: expected that of the class to be used but found it was not");
  object.finish();
}

// ---- what is no table ---------------------------------------------------------------------------

// The last is a capsule of another name. An integer is not among them: as DLPack 1.2 had the
// attribute it was an address.
constexpr std::string_view no_tables[] = {"None", "'table'", "object()",
                                          "__import__('_datetime').datetime_CAPI"};

DLCERT_CHECK(another_value_is_taken_for_no_table,
             consumer_check("exchange.attr.name-and-capsule",
                            "what is no capsule of the table's name is not taken for one",
                            importing_in_python, std::size(no_tables))) {
  testbench::PythonImport import{
      c,
      {.class_body = fmt::format("{}__dlpack_c_exchange_api__ = {}\n", testbench::two_methods,
                                 no_tables[c.row])}};
  c.observe(import.accepted() ? "imported by __dlpack__" : "refused");
  if (import.accepted()) import.require_accepted();
  import.finish();
}

}  // namespace
}  // namespace dlcert::exchange_api
