// SPDX-License-Identifier: Apache-2.0
//
// Calls that wait for initialization: their order, and what their failure does.
#include <algorithm>
#include <cctype>

#include "registration.hpp"
#include "runtime/calls.hpp"
#include "runtime/support.hpp"
#include "testbench/environment.hpp"
#include "testbench/errors.hpp"

namespace dlcert::runtime {

DLCERT_FAMILY(deferred_calls)

namespace {

using testbench::ArrangedEnvironment;
using testbench::Environment;
using testbench::expect_kind;

std::vector<std::int64_t> numbers_up_to(std::int64_t last) {
  std::vector<std::int64_t> numbers;
  for (std::int64_t number = 1; number <= last; ++number)
    numbers.push_back(number);
  return numbers;
}

// ---- order --------------------------------------------------------------------------------------

DLCERT_CHECK(queued_calls_run_in_order, on_both_vendors(in_fresh_process(
                                            "runtime.deferred.queue-order",
                                            "queued calls run in their order at initialization"))) {
  const ArrangedEnvironment arranged{c, {}};
  const GpuRuntime runtime{c.subject()};
  Journal journal;
  const std::int64_t calls = c.draw.between(1, 40);
  for (std::int64_t entry = 1; entry <= calls; ++entry)
    queue_entry(runtime, journal, static_cast<int>(entry));
  expect(journal.entries().empty(), "a queued call ran before initialization");
  require(runtime.initialize(), "initialize");
  expect_equal("queued calls that have run", numbers_up_to(calls), journal.entries());
}

DLCERT_CHECK(later_calls_run_at_once,
             on_both_vendors(in_fresh_process("runtime.deferred.queue-order",
                                              "calls run at once after initialization"))) {
  const ArrangedEnvironment arranged{c, {}};
  const GpuRuntime runtime{c.subject()};
  Journal journal;
  require(runtime.initialize(), "initialize");
  const std::int64_t calls = c.draw.between(1, 4);
  for (std::int64_t entry = 1; entry <= calls; ++entry) {
    queue_entry(runtime, journal, static_cast<int>(entry),
                static_cast<std::int32_t>(c.draw.below(3)));
    expect_equal("calls that have run when queue returned", numbers_up_to(entry),
                 journal.entries());
  }
}

// ---- failures -----------------------------------------------------------------------------------

// A call that fails the first `failures` times.
std::function<std::optional<Error>()> failing(Journal& journal, int entry, int failures,
                                              const std::string& message) {
  return [&journal, entry, failures, message, runs = 0]() mutable -> std::optional<Error> {
    journal.write(entry);
    if (++runs > failures) return std::nullopt;
    return Error{DLCERT_ERROR_VALUE, 0, "ValueError", message};
  };
}

std::string draw_message(Case& c) {
  std::string message = "broken";
  const std::int64_t letters = c.draw.between(0, 40);
  for (std::int64_t i = 0; i < letters; ++i)
    message += static_cast<char>('a' + c.draw.below(26));
  return message;
}

// The error of an initialization in which a queued call fails with `message`.
Error error_of_queued_call(Case& c, const GpuRuntime& runtime, const std::string& message) {
  Journal journal;
  const std::int64_t before = c.draw.between(0, 3);
  for (std::int64_t entry = 1; entry <= before; ++entry)
    queue_entry(runtime, journal, static_cast<int>(entry));
  require(runtime.queue(DLCERT_CALL_PLAIN, failing(journal, 100, 1, message)), "queue");
  return require_refused(runtime.initialize(), "initialize with a call that fails");
}

DLCERT_CHECK(
    failure_is_told_as_deferred,
    on_both_vendors(in_fresh_process("runtime.deferred.error",
                                     "the failure of a queued call is told with its message"))) {
  const ArrangedEnvironment arranged{c, {}};
  const std::string message = draw_message(c);
  const Error error = error_of_queued_call(c, GpuRuntime{c.subject()}, message);
  expect_kind(c.subject(), error, DLCERT_ERROR_DEFERRED, "initialize with a call that fails");
  expect(error.message.find(message) != std::string::npos,
         R"(the failure of a queued call is told as "{}", without its own message "{}")",
         error.message, message);
}

bool has_word(std::string_view text, std::string_view word) {
  const auto is_of_a_word = [&](std::size_t at) {
    return at < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_');
  };
  for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1))
    if (!is_of_a_word(at - 1) && !is_of_a_word(at + word.size())) return true;
  return false;
}

// The caller is the adapter's function `queue`, as adapter_runtime.h says.
DLCERT_CHECK(failure_tells_who_queued_it,
             if_touched(on_both_vendors(in_fresh_process(
                 "runtime.deferred.error",
                 "the failure of a queued call names the function that queued it")))) {
  const ArrangedEnvironment arranged{c, {}};
  const Error error = error_of_queued_call(c, GpuRuntime{c.subject()}, draw_message(c));
  const bool told = has_word(error.message, "queue");
  const bool cut_off = error.message.size() + 1 >= DLCERT_ERROR_MESSAGE_CAPACITY;
  testbench::touched_if(c, told || !cut_off, "the error's text is too long for the adapter's ABI");
  expect(told || cut_off,
         R"(the failure of a queued call is told as "{}", without the function that queued it)",
         error.message);
}

DLCERT_CHECK(failure_has_its_cause,
             if_touched(on_both_vendors(in_fresh_process(
                 "runtime.deferred.error",
                 "the failure of a queued call has the call's error as its cause")))) {
  const ArrangedEnvironment arranged{c, {}};
  const std::string message = draw_message(c);
  const Error error = error_of_queued_call(c, GpuRuntime{c.subject()}, message);
  if (!testbench::tells_cause(c, error)) return;
  testbench::expect_cause(error, "initialize with a call that fails");
  expect_equal("text of the cause", message, error.cause_message);
  expect_kind(c.subject(), {error.cause_kind, 0, {}, error.cause_message}, DLCERT_ERROR_VALUE,
              "the cause");
}

DLCERT_CHECK(failure_leaves_uninitialized,
             on_both_vendors(in_fresh_process("runtime.deferred.error-state",
                                              "nothing is initialized after a queued call failed",
                                              1))) {
  const ArrangedEnvironment arranged{c, {}};
  const GpuRuntime runtime{c.subject()};
  Journal journal;
  require(runtime.queue(DLCERT_CALL_PLAIN, failing(journal, 1, 1, "broken")), "queue");
  require_refused(runtime.initialize(), "initialize with a call that fails");
  expect_initialized(runtime, false, "after a queued call failed");
  const std::size_t runs = journal.entries().size();
  queue_entry(runtime, journal, 2);
  expect_equal("calls that ran at queue after the failure", runs, journal.entries().size());
}

DLCERT_CHECK(next_attempt_starts_again,
             on_both_vendors(in_fresh_process("runtime.deferred.error-state",
                                              "the next attempt runs the queued calls again"))) {
  const ArrangedEnvironment arranged{c, {}};
  const GpuRuntime runtime{c.subject()};
  Journal journal;
  const int failures = static_cast<int>(c.draw.between(1, 3));
  require(runtime.queue(DLCERT_CALL_PLAIN, failing(journal, 1, failures, "broken")), "queue");
  queue_entry(runtime, journal, 2);
  for (int attempt = 1; attempt <= failures; ++attempt)
    require_refused(runtime.initialize(), "initialize with a call that fails");
  require(runtime.initialize(), "initialize with a call that no longer fails");
  expect_initialized(runtime, true, "after an attempt without failure");
  const std::vector<std::int64_t> entries = journal.entries();
  expect_equal("runs of the call that failed", std::int64_t{failures} + 1,
               std::int64_t{std::ranges::count(entries, 1)});
  expect(std::ranges::count(entries, 2) > 0, "the call behind the one that failed never ran");
}

// ---- the library's own calls --------------------------------------------------------------------

// Of the two devices one is too old for the list, though binaries of its generation are in it, and
// the other one is new enough, though none are.
const Environment two_misfits{.devices = 2,
                              .models = {{.name = "No Binary", .major = 9, .minor = 0},
                                         {.name = "Too Old", .major = 7, .minor = 0}},
                              .build = Build{.architecture_flags = "sm_75 sm_80"}};

// The last: later releases warn of a device in both checks.
std::ptrdiff_t last_place_of(const std::vector<std::string>& texts, std::string_view part) {
  const auto found = std::find_if(texts.rbegin(), texts.rend(), [&](const std::string& each) {
    return each.find(part) != std::string::npos;
  });
  owned_by("runtime.capability.old-gpu-warning",
           [&] { expect(found != texts.rend(), "no warning names the device \"{}\"", part); });
  return texts.rend() - found;
}

DLCERT_CHECK(device_checks_come_first,
             on_cuda(in_fresh_process("runtime.deferred.builtin-calls",
                                      "devices are checked ahead of queued calls", 1))) {
  const ArrangedEnvironment arranged{c, two_misfits};
  const GpuRuntime runtime{c.subject()};
  std::vector<std::string> warnings;
  require(runtime.queue(DLCERT_CALL_PLAIN,
                        [&]() -> std::optional<Error> {
                          warnings = c.take_warnings();
                          return std::nullopt;
                        }),
          "queue");
  expect_equal("warnings before initialization", std::size_t{0}, c.take_warnings().size());
  require(runtime.initialize(), "initialize");
  expect(last_place_of(warnings, "Too Old") < last_place_of(warnings, "No Binary"),
         "the check for binaries ran before the check of the capability");
}

DLCERT_CHECK(device_checks_run_once, on_cuda(in_fresh_process("runtime.deferred.builtin-calls",
                                                              "devices are checked once", 1))) {
  const ArrangedEnvironment arranged{c, two_misfits};
  const GpuRuntime runtime{c.subject()};
  require(runtime.initialize(), "initialize");
  owned_by("runtime.capability.old-gpu-warning",
           [&] { expect(!c.take_warnings().empty(), "initialization warned of no device"); });
  require(runtime.initialize(), "a second initialize");
  require(runtime.current_device_index(), "current_device_index");
  expect_equal("warnings after initialization", std::size_t{0}, c.take_warnings().size());
}

// ---- kernels that are registered ----------------------------------------------------------------

std::size_t registered_kernels(const GpuRuntime& runtime) {
  return require(runtime.registered_kernels(), "registered_kernels").size();
}

DLCERT_CHECK(kernels_are_registered_ahead_of_user_calls,
             if_touched(on_both_vendors(in_fresh_process(
                 "runtime.deferred.builtin-calls",
                 "kernels are registered at initialization, ahead of queued calls", 1)))) {
  const ArrangedEnvironment arranged{c, {}};
  const GpuRuntime runtime{c.subject()};
  expect_equal("kernels registered before initialization", std::size_t{0},
               registered_kernels(runtime));
  std::size_t at_call = 0;
  require(runtime.queue(DLCERT_CALL_PLAIN,
                        [&]() -> std::optional<Error> {
                          at_call = registered_kernels(runtime);
                          return std::nullopt;
                        }),
          "queue");
  require(runtime.initialize(), "initialize");
  const std::size_t at_last = registered_kernels(runtime);
  testbench::touched_if(c, at_last > 0, "registers no kernels");
  expect_equal("kernels registered when the first queued call ran", at_last, at_call);
}

DLCERT_CHECK(kernels_are_registered_behind_the_device_checks,
             if_touched(on_cuda(in_fresh_process(
                 "runtime.deferred.builtin-calls",
                 "no kernel is registered where a check of the devices fails", 1)))) {
  const ArrangedEnvironment arranged{c, {.build = Build{.architecture_flags = "sm_unknown"}}};
  const GpuRuntime runtime{c.subject()};
  const bool failed = !runtime.initialize().ok();
  testbench::touched_if(c, failed, "takes an architecture without a number");
  if (failed)
    expect_equal("kernels registered behind a check that failed", std::size_t{0},
                 registered_kernels(runtime));
}

}  // namespace
}  // namespace dlcert::runtime
