// SPDX-License-Identifier: Apache-2.0
//
// How the functions of a table tell success and failure: by a code, never by an exception.

#include <cstring>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <dlcert/driver/simulated.hpp>

#include "exchange_api/support.hpp"
#include "generators/offers.hpp"
#include "registration.hpp"
#include "testbench/errors.hpp"
#include "testbench/failing_allocations.hpp"
#include "testbench/states.hpp"

namespace dlcert::exchange_api {

DLCERT_FAMILY(outcomes)

namespace {

using testbench::draw_hardly_exportable;

// ---- calls that may fail ------------------------------------------------------------------------

void refuse_now_and_then(Draw& draw, Descriptor& descriptor) {
  if (draw.flip()) draw_refusal(draw, descriptor);
}

// The code of a call and what it left in its output.
struct CallResult {
  int code = 0;
  bool stored = false;    // the output no longer holds what stood there
  bool reported = false;  // an error was set, by SetError or in the interpreter
};

CallResult call_allocator(Case& c, const Table& table) {
  PrototypeOf prototype{draw_asked(c)};
  draw_strangeness(c.draw, prototype);
  Allocation allocation{table, prototype.tensor};
  const CallResult result{allocation.code(), allocation.result() != poison(),
                          allocation.reported().calls != 0};
  if (allocation.ok()) allocation.take().release();
  return result;
}

CallResult call_from_object(Case& c, const Table& table) {
  const Source source = draw_hardly_exportable(c);
  const Object object = object_of(c.producer, source.tensor);
  auto* out = static_cast<DLManagedTensorVersioned*>(poison());
  const int code = table.from_object(object, &out);
  const bool stored = out != poison() && out != nullptr;
  if (code == 0 && stored) Managed{{DLCERT_VERSIONED, 0, out}}.release();
  return {code, stored};
}

CallResult call_view(Case& c, const Table& table) {
  const Source source = draw_hardly_exportable(c);
  const Object object = object_of(c.producer, source.tensor);
  DLTensor out{};
  return {table.view(object, &out), true};
}

CallResult call_to_object(Case& c, const Table& table) {
  const OfferedTensor offered = draw_offered(c, {.read_only = true}, refuse_now_and_then);
  void* out = poison();
  const int code = table.to_object(offered.offer->managed(), &out);
  const bool stored = out != poison() && out != nullptr;
  if (code == 0 && stored) Object{c.producer, out}.drop();
  if (code != 0 && offered.offer->deleter_calls() == 0) offered.offer->release_from_harness();
  return {code, stored};
}

CallResult call_work_stream(Case& c, const Table& table) {
  constexpr dlcert_device devices[] = {{1, 0}, {2, 0}, {10, 0}, {2, 9999}, {99, 0}};
  const dlcert_device device = c.draw.one_of(devices);
  void* out = poison();
  const int code = table.work_stream(device, &out);
  const bool cpu = device.type == kDLCPU;  // what is stored is the business of stream.cpu-null
  return {code, cpu || out != poison()};
}

using Call = CallResult (*)(Case&, const Table&);

CallResult result_of(Case& c, Call call) {
  CallResult result = call(c, Table{c.producer});
  if (c.producer.take_object_error()) result.reported = true;
  c.observe(result.code == 0 ? "succeeded" : "failed");
  return result;
}

// ---- codes --------------------------------------------------------------------------------------

void expect_stored(const CallResult& result) {
  expect(result.code != 0 || result.stored, "output after 0: expected a result but found none");
}

void expect_zero_or_minus_one(const CallResult& result) {
  expect(result.code == 0 || result.code == -1, "code: expected 0 or -1 but found {}", result.code);
  expect_stored(result);
}

// The text still speaks of a returned pointer, or NULL, where the type is int: the policy says what
// a failure may be.
void expect_code_of_the_policy(const Case& c, const CallResult& result) {
  const std::string_view policy = c.settings.policy("exchange-failure-code");
  if (policy == "minus-one") return expect_zero_or_minus_one(result);
  if (policy == "record" && result.reported) return;
  expect_stored(result);
}

DLCERT_CHECK(allocator_answers_by_its_code,
             producer_check("exchange.fn.return-codes",
                            "the allocator gives 0 and a tensor, or a code of failure",
                            publishing)) {
  expect_code_of_the_policy(c, result_of(c, call_allocator));
}
DLCERT_CHECK_ALSO_ON_DEVICES(
    from_object_answers_by_its_code,
    also_without_tensors(producer_check("exchange.fn.return-codes",
                                        "from_py_object gives 0 and a tensor, or a code of failure",
                                        making))) {
  expect_code_of_the_policy(c, result_of(c, call_from_object));
}
DLCERT_CHECK_ALSO_ON_DEVICES(view_answers_by_its_code,
                             also_without_tensors(producer_check(
                                 "exchange.fn.return-codes",
                                 "dltensor_from_py_object gives 0 and a view, or -1", making))) {
  expect_zero_or_minus_one(result_of(c, call_view));
}
DLCERT_CHECK_ALSO_ON_DEVICES(to_object_answers_by_its_code,
                             producer_check("exchange.fn.return-codes",
                                            "to_py_object gives 0 and an object, or -1",
                                            publishing)) {
  expect_zero_or_minus_one(result_of(c, call_to_object));
}
DLCERT_CHECK(work_stream_answers_by_its_code,
             producer_check("exchange.fn.return-codes",
                            "current_work_stream gives 0 and a stream, or -1", publishing)) {
  expect_zero_or_minus_one(result_of(c, call_work_stream));
}

// ---- the interpreter's error --------------------------------------------------------------------

// Whatever a call left is taken before the next: what they do beside it sets nothing.
DLCERT_CHECK_ALSO_ON_DEVICES(
    error_is_set_where_a_function_fails,
    also_without_tensors(producer_check("exchange.fn.python-error-set",
                                        "a function of the table that fails leaves an error set",
                                        making | Can::python))) {
  constexpr Call calls[] = {call_from_object, call_to_object, call_work_stream, call_view};
  const Table table{c.producer};
  const std::size_t choice = c.draw.below(table.has(table_at::view) ? 4 : 3);
  c.producer.take_object_error();
  const CallResult result = calls[choice](c, table);
  const std::optional<Error> error = c.producer.take_object_error();
  c.observe(result.code == 0 ? "succeeded" : "failed");
  if (result.code == 0 && error) c.observe("succeeded with an error set");
  expect(result.code == 0 || error.has_value(),
         "error behind code {}: expected one to be set but found none", result.code);
}

DLCERT_CHECK(undescribable_object_sets_buffer_error,
             if_touched(producer_check("exchange.from.buffer-error",
                                       "an object that DLPack cannot describe sets BufferError",
                                       making | Can::python))) {
  const Source source =
      testbench::make_in_state(c, c.draw.one_of(testbench::undescribable_states()));
  auto object = c.producer.object_of(source.tensor);
  if (!object.ok()) throw Declined{"has no object of such data"};
  DLManagedTensorVersioned* out = nullptr;
  const int code = Table{c.producer}.from_object(object.value(), &out);
  if (code == 0) {
    Managed{{DLCERT_VERSIONED, 0, out}}.release();
    throw Declined{"exported"};
  }
  c.touched();
  const std::optional<Error> error = c.producer.take_object_error();
  expect(error.has_value(), "error behind code {}: expected BufferError but found none", code);
  testbench::expect_kind(c.producer, *error, DLCERT_ERROR_BUFFER, "error");
}

// ---- exceptions ---------------------------------------------------------------------------------

// While one lives, the end of the process is not judged, unless an exception brought it about: a
// crash is no exception, and fails exchange.fn.return-codes.
class CrashIsNotJudged {
 public:
  CrashIsNotJudged() {
    driver::simulated_driver().note_limit(std::string{limit});
    before = std::set_terminate([] {
      static_cast<void>(driver::simulated_driver().take_limits());
      before();
    });
  }
  CrashIsNotJudged(const CrashIsNotJudged&) = delete;
  CrashIsNotJudged& operator=(const CrashIsNotJudged&) = delete;
  ~CrashIsNotJudged() {
    std::set_terminate(before);
    for (std::string& met : driver::simulated_driver().take_limits())
      if (met != limit) driver::simulated_driver().note_limit(std::move(met));
  }

 private:
  static constexpr std::string_view limit = "a crash is no exception, see exchange.fn.return-codes";
  static inline std::terminate_handler before = nullptr;
};

// The table fails the case when an exception leaves one of its functions.
DLCERT_CHECK_ALSO_ON_DEVICES(
    nothing_is_thrown,
    also_without_tensors(producer_check(
        "exchange.fn.no-cxx-exceptions",
        "no exception leaves a function of the table, whatever it is asked for", making))) {
  constexpr Call calls[] = {call_allocator, call_from_object, call_to_object, call_work_stream,
                            call_view};
  const bool views = Table{c.producer}.has(table_at::view);
  const CrashIsNotJudged guard;
  result_of(c, calls[c.draw.below(views ? 5 : 4)]);
}

// No other requirement has these calls, so a crash is judged here.
DLCERT_CHECK_ALSO_ON_DEVICES(
    nothing_is_thrown_without_memory,
    if_touched(producer_check("exchange.fn.no-cxx-exceptions",
                              "no exception leaves a function of the table that runs out of memory",
                              making | Can::fail_allocation))) {
  const Source source = draw_source(c);
  const Object object = object_of(c.producer, source.tensor);
  const Table table{c.producer};
  PrototypeOf prototype{draw_asked(c)};
  DLManagedTensorVersioned* out = nullptr;
  std::optional<testbench::FailingAllocations> failing{std::in_place, c.producer,
                                                       c.draw.between(0, 3)};
  Allocation allocation{table, prototype.tensor};
  const int code = table.from_object(object, &out);
  c.producer.take_object_error();
  failing.reset();
  testbench::touched_if(c, !allocation.ok() || code != 0,
                        "both succeed, whatever allocation failed");
  if (allocation.ok()) allocation.take().release();
  if (code == 0) Managed{{DLCERT_VERSIONED, 0, out}}.release();
}

}  // namespace
}  // namespace dlcert::exchange_api
