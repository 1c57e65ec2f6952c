// SPDX-License-Identifier: Apache-2.0
//
// A worker with a suite of its own: one check that a hostile library provokes, between two that it
// leaves alone.
#include <dlcert/suite/check.hpp>
#include <dlcert/suite/worker.hpp>

namespace dlcert::hostile {
namespace {

constexpr dlcert_dtype int8{0, 8, 1};
constexpr dlcert_dtype int32{0, 32, 1};
constexpr dlcert_dtype float32{2, 32, 1};

// Makes a vector of up to nine elements, and expects the library to describe what was asked for.
void make_and_describe(Case& c, dlcert_dtype dtype) {
  const TensorSpec spec = compact_spec(dtype, {c.draw.between(0, 9)});
  const Bytes logical(static_cast<std::size_t>(spec.element_count()) * logical_item_size(dtype));
  const Tensor tensor = require(c.producer.create(spec, logical), "create");
  const Description description = require(c.producer.describe(tensor), "describe");
  expect_equal("extent", spec.shape.at(0), description.shape.at(0));
}

Check check(std::string_view requirement, std::string_view sentence, void (*body)(Case&)) {
  Check made;
  made.requirement = requirement;
  made.sentence = sentence;
  made.role = Role::producer;
  made.needs = Can::create | Can::describe;
  made.body = body;
  return made;
}

Suite make_suite() {
  Suite suite;
  suite.add(check("hostile.prepare", "an int8 vector is as asked for",
                  [](Case& c) { make_and_describe(c, int8); }));
  suite.add(check("hostile.provoke", "a float32 vector is as asked for",
                  [](Case& c) { make_and_describe(c, float32); }));
  suite.add(check("hostile.innocent", "an int32 vector is as asked for",
                  [](Case& c) { make_and_describe(c, int32); }));
  Check alone = check("hostile.alone", "an int32 vector is as asked for in a process of its own",
                      [](Case& c) { make_and_describe(c, int32); });
  alone.isolation = Isolation::own_process;
  suite.add(alone);
  return suite;
}

}  // namespace
}  // namespace dlcert::hostile

int main(int argc, char** argv) {
  return worker_main(argc, argv, dlcert::hostile::make_suite());
}
