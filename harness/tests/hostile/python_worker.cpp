// SPDX-License-Identifier: Apache-2.0
//
// A worker with a suite of its own, for libraries of Python: what hostile_worker has, by capsules
// and objects, and what could not be raised.
#include <dlfcn.h>

#include <cstdio>
#include <cstring>

#include <dlcert/suite/check.hpp>
#include <dlcert/suite/evidence.hpp>
#include <dlcert/suite/spy.hpp>
#include <dlcert/suite/worker.hpp>

#include "checks.hpp"

namespace dlcert::hostile {
namespace {

// The tensor behind a capsule that nobody has consumed.
const DLTensor& tensor_in(const Capsule& capsule) {
  const auto* const managed =
      static_cast<const DLManagedTensorVersioned*>(capsule.pointer(live_name(Form::versioned)));
  if (managed == nullptr)
    fail(fmt::format("capsule: expected the name '{}' but found '{}'", live_name(Form::versioned),
                     capsule.name().value_or("none")));
  return managed->dl_tensor;
}

void export_what_was_made(Case& c) {
  const TensorSpec spec = draw_vector(c, float64);
  require_claimed(c.producer, spec);
  const Bytes logical = logical_bytes(spec);
  const Tensor made = require(c.producer.create(spec, logical), "create");
  const dlcert_device device = require(c.producer.dlpack_device(made), "dlpack_device");
  expect_equal("device", 1, device.type);
  const Capsule capsule =
      require(c.producer.export_capsule(made, request_version(1, 0)), "export_capsule");
  const DLTensor& tensor = tensor_in(capsule);
  expect_equal("extent", spec.shape.at(0), *tensor.shape);
  Bytes found(logical.size());
  if (!found.empty()) std::memcpy(found.data(), tensor.data, found.size());
  expect_equal("elements", logical, found);
  note_found(Role::producer, found);
}

void import_what_is_offered(Case& c) {
  const TensorSpec spec = draw_vector(c, float64);
  require_claimed(c.consumer, spec);
  const Bytes logical = logical_bytes(spec);
  const auto offer = make_offer(spec, logical, Form::versioned);
  Import taken{c.consumer, *offer, Route::producer};
  if (!taken.accepted())
    fail(fmt::format("import: expected success but found {}", to_text(taken.error())));
  const Bytes found = require(c.consumer.read(taken.tensor(), logical.size()), "read");
  expect_equal("elements", logical, found);
  note_found(Role::consumer, found);
  taken.finish();
  expect_deleted_once(*offer);
}

// Of an int16 vector that was written to and let go.
void find_what_was_not_raised(Case& c) {
  const TensorSpec spec = draw_vector(c, int16);
  require_claimed(c.producer, spec);
  const Bytes logical = logical_bytes(spec);
  {
    const Tensor tensor = require(c.producer.create(spec, logical), "create");
    static_cast<void>(require(c.producer.write(tensor, logical), "write"));
  }
  std::string told;
  const dlcert_text_list list{.context = &told,
                              .add = [](void* context, const char* text, std::uint64_t size) {
                                *static_cast<std::string*>(context) += std::string{text, size};
                              }};
  const dlcert_adapter& table = c.producer.table();
  table.python->unraisable(table.self, &list);
  if (!told.empty()) fail(fmt::format("expected nothing that cannot be raised but found {}", told));
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
  exports.needs = Can::create | Can::dlpack_device | Can::export_capsule | Can::capsules;
  suite.add(exports);
  Check imports =
      check("protocol.from.new-array", "a float64 vector is imported", import_what_is_offered);
  imports.role = Role::consumer;
  imports.needs = Can::import_from | Can::read;
  suite.add(imports);
  Check alone = check("hostile.alone", "an int32 vector is as asked for in a process of its own",
                      [](Case& c) { make_and_describe(c, int32); });
  alone.isolation = Isolation::own_process;
  suite.add(alone);
  Check unraised =
      check("lifetime.no-unraisable-errors", "an int16 vector raises nothing behind its caller",
            find_what_was_not_raised);
  unraised.needs = Can::create | Can::write;
  suite.add(unraised);
  return suite;
}

}  // namespace
}  // namespace dlcert::hostile

int main(int argc, char** argv) {
  if (dlopen(HOSTILE_LIBPYTHON, RTLD_NOW | RTLD_GLOBAL) == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
  return worker_main(argc, argv, dlcert::hostile::make_suite());
}
