// SPDX-License-Identifier: Apache-2.0
//
// What a consumer does with a capsule that it takes.

#include <algorithm>

#include "capsule/support.hpp"
#include "registration.hpp"
#include "testbench/python.hpp"

namespace dlcert::capsule {

DLCERT_FAMILY(consumption)

namespace {

using testbench::expect_holds;
using testbench::importing_in_python;
using testbench::PythonImport;
using testbench::require_accepted;

constexpr Needs importing_from = Can::capsules | Can::import_from | Can::describe | Can::reads_back;

// A consumer that renames no capsule at all has one fault, which the rule of legacy capsules names.
void expect_name(Form form, const std::string& found, const Judgement& judged = {}) {
  const auto expect_used = [&] {
    if (found != used_name(form)) fail_equal("capsule name", used_name(form), found, judged);
  };
  if (form == Form::versioned && found == live_name(form))
    owned_by("capsule.consume.rename-legacy", expect_used);
  else
    expect_used();
}

void expect_renamed(Case& c, Form form) {
  const OfferedTensor offered = draw_offered(c, form);
  Import import{c.consumer, *offered.offer, Route::capsule};
  require_accepted(import, c.consumer, form);
  const std::string name = name_of(*import.capsule());
  expect_name(form, name, judged_answer(used_name(form), name));
  import.finish();
}

DLCERT_CHECK(legacy_capsule_is_renamed,
             consumer_check("capsule.consume.rename-legacy",
                            "a legacy capsule that was taken is named used_dltensor", importing)) {
  expect_renamed(c, Form::legacy);
}

DLCERT_CHECK(versioned_capsule_is_renamed,
             consumer_check("capsule.consume.rename-versioned",
                            "a versioned capsule that was taken is named used_dltensor_versioned",
                            importing)) {
  expect_renamed(c, Form::versioned);
}

// An object that keeps the capsule which it gave. A capsule that still has its destructor was not
// taken: a consumer may copy and leave it alone.
constexpr std::string_view keeps_its_capsule =
    R"(def __dlpack__(self, *, method=dlpack, **keywords):
    self.capsule = method(self, **keywords)
    return self.capsule
__dlpack_device__ = dlpack_device
def after(self, imported):
    from ctypes import PYFUNCTYPE, c_char_p, c_void_p, py_object, pythonapi
    name = PYFUNCTYPE(c_char_p, py_object)(('PyCapsule_GetName', pythonapi))(self.capsule)
    destructor = PYFUNCTYPE(c_void_p, py_object)(('PyCapsule_GetDestructor', pythonapi))
    if not name.startswith(b'used_'):
        raise AssertionError('left alone' if destructor(self.capsule) else name.decode())
    return imported
)";

void expect_renamed_in_its_object(Case& c, Form form) {
  if (std::ranges::count(forms(c.consumer, Route::producer), form) == 0)
    throw NotClaimed{"objects of this form"};
  PythonImport import{c,
                      {.expression = "x.after(from_dlpack(x))",
                       .class_body = std::string{keeps_its_capsule},
                       .form = form}};
  if (!import.accepted() && import.error().message.ends_with("left alone"))
    throw Declined{"leaves the capsule alone"};
  c.touched();
  if (!import.accepted() && import.error().message.ends_with(live_name(form)))
    expect_name(form, live_name(form), {.by = Judgement::By::success});
  import.require_accepted();
  import.finish();
}

DLCERT_CHECK(legacy_capsule_of_an_object_is_renamed,
             if_touched(consumer_check(
                 "capsule.consume.rename-legacy",
                 "a legacy capsule that was taken from an object is named used_dltensor",
                 importing_in_python))) {
  expect_renamed_in_its_object(c, Form::legacy);
}

DLCERT_CHECK(versioned_capsule_of_an_object_is_renamed,
             if_touched(consumer_check("capsule.consume.rename-versioned",
                                       "a versioned capsule that was taken from an object is named "
                                       "used_dltensor_versioned",
                                       importing_in_python))) {
  expect_renamed_in_its_object(c, Form::versioned);
}

// A consumer that copied may release early: what it shows must then be its own.
DLCERT_CHECK(tensor_outlives_its_capsule,
             consumer_check("capsule.consume.moves-to-own-object",
                            "the imported tensor outlives its capsule and releases what it took",
                            importing)) {
  const OfferedTensor offered = draw_offered(c);
  Import import{c.consumer, *offered.offer, Route::capsule};
  require_accepted(import, c.consumer, offered.offer->descriptor().form);
  import.capsule()->drop();
  expect_holds(c.consumer, import.tensor(), offered.spec, offered.logical);
  import.finish();
  expect_deleted_once(*offered.offer);
}

// A library that copied may release what it took at any time, on any thread.
void expect_at_most_one_deletion(const Offer& offer) {
  const int calls = offer.deleter_calls();
  expect(calls <= 1, "deleter calls: expected at most 1 but found {}", calls);
}

DLCERT_CHECK(
    consumed_capsule_is_refused,
    consumer_check("capsule.consume.once",
                   "a capsule that was taken is refused, and the first import stays intact",
                   importing)) {
  const OfferedTensor offered = draw_offered(c);
  Import import{c.consumer, *offered.offer, Route::capsule};
  require_accepted(import, c.consumer, offered.offer->descriptor().form);
  const auto again = c.consumer.import_capsule(*import.capsule());
  expect_refusal(!again.ok(), "second import of a capsule: expected a refusal but found success");
  expect_at_most_one_deletion(*offered.offer);
  expect_holds(c.consumer, import.tensor(), offered.spec, offered.logical);
  import.finish();
  expect_deleted_once(*offered.offer);
}

// An object that keeps its capsule gives it to whoever asks next. The first one is the consumer's:
// what is given again is another one around the same tensor, under the name that it has now.
DLCERT_CHECK(consumed_capsule_of_an_object_is_refused,
             if_touched(consumer_check(
                 "capsule.consume.once",
                 "a capsule that was taken is refused when an object gives it again, and the first "
                 "import stays intact",
                 importing_from))) {
  const Form form = draw_form(c.draw, c.consumer, Route::producer);
  const OfferedTensor offered = draw_offered(c, form);
  Import import{c.consumer, *offered.offer, Route::producer};
  if (!import.accepted()) throw Declined{"refused the first time"};
  SpyProducer keeper{offered.offer->descriptor().device, offered.offer.get(), c.consumer, true};
  keeper.gives_used_capsules();
  const auto again = c.consumer.import_from(keeper.c(), import_request());
  expect_refusal(!again.ok(), "import of a capsule named {}: expected a refusal but found success",
                 used_name(form));
  if (keeper.exports() == 0)
    c.declined("refused before it was handed over");
  else
    c.touched();
  expect_at_most_one_deletion(*offered.offer);
  expect_holds(c.consumer, import.tensor(), offered.spec, offered.logical);
  import.finish();
  expect_deleted_once(*offered.offer);
}

constexpr const char* foreign_names[] = {"dltensor2",
                                         "DLTENSOR",
                                         "",
                                         "dltensor ",
                                         "dltensor_versioned2",
                                         "dltensor_",
                                         "tensor",
                                         "dltenso",
                                         "dltensor_VERSIONED",
                                         "used_dltensor",
                                         "used_dltensor_versioned",
                                         nullptr};

DLCERT_CHECK(capsule_of_another_name_is_refused,
             if_touched(consumer_check(
                 "capsule.consume.wrong-name-rejected",
                 "a capsule without a live name is refused and left untouched", importing))) {
  const OfferedTensor offered = draw_offered(c);
  const char* const name = c.draw.one_of(foreign_names);
  const Capsule capsule = require(
      c.consumer.make_capsule(offered.offer->managed().pointer, name, nullptr), "making a capsule");
  const auto imported = c.consumer.import_capsule(capsule);
  expect_refusal(!imported.ok(),
                 "import of a capsule named {}: expected a refusal but found success",
                 name == nullptr ? "NULL" : name);
  c.minor(
      [&] { expect_equal("capsule name", name == nullptr ? "(none)" : name, name_of(capsule)); });
  expect_equal("deleter calls", 0, offered.offer->deleter_calls());
  offered.offer->release_from_harness();
  testbench::touched_if_takes_plain(c, Route::capsule, offered.offer->descriptor().form);
}

// Whether the consumer leaves or removes the destructor is its choice; one that runs must not find
// a tensor to release.
DLCERT_CHECK(
    destructor_may_be_kept_or_removed,
    consumer_check("capsule.consume.set-destructor-null",
                   "the destructor of a consumed capsule is removed or finds nothing to do",
                   importing)) {
  const OfferedTensor offered = draw_offered(c);
  Capsule capsule = make_recording_capsule(c.consumer, *offered.offer);
  Tensor tensor = require(c.consumer.import_capsule(capsule), "import of a claimed tensor");
  capsule.drop();
  c.observe(destructor_calls().count == 0 ? "destructor removed" : "destructor kept");
  tensor.release();
  expect_deleted_once(*offered.offer);
}

DLCERT_CHECK(capsule_is_consumed_within_from_dlpack,
             if_touched(consumer_check("capsule.not-user-visible",
                                       "a producer's capsule is consumed within from_dlpack",
                                       importing | Can::import_from))) {
  const OfferedTensor offered = draw_offered(c, draw_form(c.draw, c.consumer, Route::producer));
  const CapsuleProducer producer{c.consumer, *offered.offer};
  auto imported = c.consumer.import_from(producer.c(), import_request());
  if (!imported.ok()) throw NotClaimed{"capsules from a producer"};
  imported.value().release();
  if (destructor_calls().count == 0) {
    c.declined("removed the capsule's destructor, or keeps the capsule");
  } else {
    c.touched();
    c.minor([&] {
      expect_equal("capsule name when it died", used_name(offered.offer->descriptor().form),
                   destructor_calls().name.value_or("(none)"));
    });
  }
  expect_deleted_once(*offered.offer);
}

}  // namespace
}  // namespace dlcert::capsule
