// SPDX-License-Identifier: Apache-2.0
//
// A worker with a suite of its own: the checks that hostile libraries provoke, between those that
// they leave alone.
#include <cstring>

#include <dlcert/suite/check.hpp>
#include <dlcert/suite/evidence.hpp>
#include <dlcert/suite/spy.hpp>
#include <dlcert/suite/worker.hpp>

#include "checks.hpp"

namespace dlcert::hostile {
namespace {

void export_what_was_made(Case& c) {
  const TensorSpec spec = draw_vector(c, float64);
  require_claimed(c.producer, spec);
  const Bytes logical = logical_bytes(spec);
  const Tensor tensor = require(c.producer.create(spec, logical), "create");
  const Managed managed = require(c.producer.export_managed(tensor, request()), "export_managed");
  expect_equal("extent", spec.shape.at(0), *managed.tensor().shape);
  expect(logical.empty() || managed.tensor().data != nullptr, "data: expected elements, not NULL");
  Bytes found(logical.size());
  if (!found.empty()) std::memcpy(found.data(), managed.first_element(), found.size());
  expect_equal("elements", logical, found);
  note_found(Role::producer, found);
}

void import_what_is_offered(Case& c) {
  const TensorSpec spec = draw_vector(c, float64);
  require_claimed(c.consumer, spec);
  const Bytes logical = logical_bytes(spec);
  static_cast<void>(forms(c.consumer, Route::managed));  // the first import of a process is a trial
  const auto offer = make_offer(spec, logical, Form::legacy);
  Import taken{c.consumer, *offer, Route::managed};
  if (!taken.accepted())
    fail(fmt::format("import: expected success but found {}", to_text(taken.error())));
  const Bytes found = require(c.consumer.read(taken.tensor(), logical.size()), "read");
  expect_equal("elements", logical, found);
  note_found(Role::consumer, found);
  taken.finish();
  expect_equal("deleter calls", 1, offer->deleter_calls());
}

Suite make_suite() {
  Suite suite;
  suite.add(check("hostile.prepare", "an int8 vector is as asked for",
                  [](Case& c) { make_and_describe(c, int8); }));
  suite.add(check("hostile.provoke", "a float32 vector is as asked for",
                  [](Case& c) { make_and_describe(c, float32); }));
  suite.add(check("hostile.innocent", "an int32 vector is as asked for",
                  [](Case& c) { make_and_describe(c, int32); }));
  Check exports =
      check("protocol.export.values", "a float64 vector is exported", export_what_was_made);
  exports.needs = Can::create | Can::export_managed;
  suite.add(exports);
  Check imports =
      check("protocol.from.new-array", "a float64 vector is imported", import_what_is_offered);
  imports.role = Role::consumer;
  imports.needs = Can::import_managed | Can::read;
  suite.add(imports);
  Check alone = check("hostile.alone", "an int32 vector is as asked for in a process of its own",
                      [](Case& c) { make_and_describe(c, int32); });
  alone.isolation = Isolation::own_process;
  suite.add(alone);
  Check isolated = check("hostile.isolated", "each int16 vector has a process of its own",
                         [](Case& c) { make_and_describe(c, int16); });
  isolated.isolation = Isolation::process_per_case;
  suite.add(isolated);
  return suite;
}

}  // namespace
}  // namespace dlcert::hostile

int main(int argc, char** argv) {
  return worker_main(argc, argv, dlcert::hostile::make_suite());
}
