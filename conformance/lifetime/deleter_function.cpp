// SPDX-License-Identifier: Apache-2.0
//
// The producer's deleter as a function that strangers call: from any thread, without exceptions,
// with its code still there.
#include <dlfcn.h>

#include "lifetime/support.hpp"
#include "registration.hpp"
#include "testbench/heap.hpp"
#include "testbench/threads.hpp"

namespace dlcert::lifetime {

DLCERT_FAMILY(deleter_function)

namespace {

using testbench::live_allocations;
using testbench::on_new_thread;

void touched_by_release(Case& c, const Exported& exported) {
  if (exported.has_release())
    c.touched();
  else
    c.declined("has no deleter");
}

void deleter_runs_on_a_foreign_thread(Case& c) {
  const std::int64_t before = live_allocations(c.producer);
  Source source = draw_source(c);
  Exported exported = export_either(c, source.tensor);
  touched_by_release(c, exported);
  if (c.draw.flip()) source.tensor.release();
  on_new_thread([&] { exported.release(); });
  if (source.tensor && c.producer.offers(Needs{} | Can::read))
    owned_by("sharing.source-usable-after", [&] {
      expect_equal(
          "elements of the source", source.logical,
          require(c.producer.read(source.tensor, source.logical.size()), "read of the source"));
    });
  source.tensor.release();
  testbench::expect_none_left("live allocations", before, c.producer);
}

DLCERT_CHECK(deleter_thread_is_judged_by_policy,
             if_touched(producer_check(
                 "lifetime.deleter.any-thread",
                 "the deleter works on a thread that the library has never seen", exporting))) {
  if (c.settings.policy("deleter-thread") == "any") return deleter_runs_on_a_foreign_thread(c);
  try {
    deleter_runs_on_a_foreign_thread(c);
    c.observe("works on a foreign thread");
  } catch (const Failure&) {
    c.observe("fails on a foreign thread");
  }
}

DLCERT_CHECK(deleter_throws_nothing,
             if_touched(producer_check("lifetime.deleter.no-exceptions",
                                       "no exception comes out of the deleter", exporting))) {
  Source source = draw_source(c, {.read_only = true});
  Exported exported = export_either(c, source.tensor);
  touched_by_release(c, exported);
  if (c.draw.flip()) source.tensor.release();
  exported.release();  // fails the case when an exception comes out
}

const void* deleter_of(const Managed& managed) {
  return managed.versioned()
             ? reinterpret_cast<const void*>(
                   static_cast<const DLManagedTensorVersioned*>(managed.raw().pointer)->deleter)
             : reinterpret_cast<const void*>(
                   static_cast<const DLManagedTensor*>(managed.raw().pointer)->deleter);
}

bool in_loaded_module(const void* code) {
  Dl_info info;
  return ::dladdr(code, &info) != 0;
}

DLCERT_CHECK(
    deleter_outlives_its_module,
    if_touched({.requirement = "lifetime.deleter.code-stays-loaded",
                .sentence = "the deleter's code stays loaded while an export is outstanding",
                .role = Role::producer,
                .needs = exporting | Can::export_managed,
                .rows = 1,
                .isolation = Isolation::own_process})) {
  Source source = make_source(c, draw_simple_spec(c.draw, c.producer));
  Managed managed =
      require(c.producer.export_managed(source.tensor,
                                        request_version(own_version.major, own_version.minor)),
              "export of a claimed tensor");
  source.tensor.release();
  const void* const deleter = deleter_of(managed);
  if (deleter == nullptr) throw Declined{"has no deleter"};
  // As a callback that an interpreter's ctypes makes.
  if (!in_loaded_module(deleter)) throw Declined{"its deleter was made at run time"};
  c.touched();
  c.unload_subject();
  if (in_loaded_module(deleter)) return managed.release();
  managed.give_up();
  fail(
      "code of the deleter: expected it loaded while an export is outstanding but found it "
      "unloaded");
}

}  // namespace
}  // namespace dlcert::lifetime
