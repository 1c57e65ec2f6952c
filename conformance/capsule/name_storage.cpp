// SPDX-License-Identifier: Apache-2.0
//
// Where the name of a capsule lies: the interpreter keeps the pointer, and copies nothing.

#include "capsule/support.hpp"
#include "registration.hpp"
#include "testbench/freed_memory.hpp"
#include "testbench/python.hpp"

namespace dlcert::capsule {

DLCERT_FAMILY(name_storage)

namespace {

using testbench::collect_garbage;
using testbench::draw_source;
using testbench::HeapPoison;
using testbench::require_accepted;

// The name behind the pointer is what it was, when all that could own it is gone.
void expect_name_stays(const Party& party, const char* name, const std::string& before) {
  collect_garbage(party);
  const HeapPoison poison;
  expect_equal("name of a capsule that is gone", before, std::string{name});
}

DLCERT_CHECK(
    name_outlives_its_capsule,
    producer_check("capsule.name.static-storage",
                   "the name of an exported capsule stays when capsule and tensor are gone",
                   exporting | Can::python)) {
  Source source = draw_source(c);
  Capsule capsule = export_capsule(c, source, draw_version_request(c));
  require_live(capsule);
  const char* const name = capsule.name_in_place();
  const std::string before{name};
  source.tensor.release();
  if (c.draw.flip()) expect_name_stays(c.producer, name, before);
  capsule.drop();
  expect_name_stays(c.producer, name, before);
}

DLCERT_CHECK(used_name_outlives_the_import,
             consumer_check("capsule.name.static-storage",
                            "the used name stays when capsule and imported tensor are gone",
                            importing | Can::python)) {
  const OfferedTensor offered = draw_offered(c);
  Import import{c.consumer, *offered.offer, Route::capsule};
  require_accepted(import, c.consumer, offered.offer->descriptor().form);
  const char* const name = import.capsule()->name_in_place();
  expect(name != nullptr, "name of a consumed capsule: expected a used name but found none");
  const std::string before{name};
  import.finish();
  expect_name_stays(c.consumer, name, before);
}

}  // namespace
}  // namespace dlcert::capsule
