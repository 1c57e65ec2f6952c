// SPDX-License-Identifier: Apache-2.0
//
// A check tests one requirement: it has a description of what it asserts, and a function (its body)
// that arranges, acts and asserts in one case. This header also has the assertions for that
// function.
//
//   suite.add({.requirement = "lifetime.deleter.exactly-once",
//              .sentence = "the consumer calls the deleter exactly once",
//              .role = Role::consumer,
//              .needs = Can::any_import | Can::describe,
//              .body = [](Case& c) { ... }});
//
// conformance/registration.hpp explains how the suite's own files write and register their checks.
//
// Implemented in harness/src/party/check.cpp. harness/src/worker runs the cases.
#pragma once

#include <fmt/core.h>

#include <concepts>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <dlcert/suite/draw.hpp>
#include <dlcert/suite/party.hpp>
#include <dlcert/suite/program_step.hpp>

namespace dlcert {

// ---- checks and cases ----

// The role in which a check tests a library. It decides which Party of a case is under test. dlcert
// tests a library in the roles that its adapter declares.
enum class Role : std::uint8_t {
  producer,
  consumer,
  runtime,  // no counterpart: Case::producer is under test, and Case::consumer is not used
};

// The process in which the cases of a check run. They always run one after the other.
enum class Isolation : std::uint8_t {
  // A process that also runs cases of other checks. The body leaves the library and the process as
  // they were.
  shared,
  // A process for this check alone. The body may unload the library (Case::unload_subject), or
  // leave the process in a state in which no other check could run.
  own_process,
  // A process for each case, for requirements about events that happen once in a process. It is
  // forked from a process that has loaded the library and called only open(). Needs simulated
  // devices.
  process_per_case,
};

// The vendor whose devices a check needs. A process has the devices of one vendor; if it has those
// of the other vendor, the check is not applicable.
enum class Platform : std::uint8_t {
  any,  // needs no devices
  cuda,
  rocm,
};

// The settings of the run: the profile and the policies. They do not change during the run.
struct Settings {
  // Versions of DLPack ("1.3") and of the array API ("2025.12", or "none": it is not claimed), and
  // the binding runtime rules (none, torch-2.4 or driver). "declared": what each library declares.
  std::string spec = "declared";
  std::string array_api = "declared";
  std::string runtime = "none";
  std::string driver = "simulated";  // of the devices: simulated, cuda or hip
  // The value of every policy, by the policy's name.
  std::map<std::string, std::string, std::less<>> policies;

  // Returns the value of a policy. Throws DefectOfCheck if no policy has that name.
  std::string_view policy(std::string_view name) const;
};

// What all cases of a unit share: the two Party objects, which outlive it, and functions of the
// worker.
struct Binding {
  const Party& producer;
  const Party& consumer;
  Role role = Role::consumer;
  const Settings& settings;
  // unload_subject closes the adapter of the tested library and unloads its module. reload_subject
  // loads and opens it again; the Party is then as before, at its old address. Both are empty if
  // the library has no module, like dlcert's own.
  std::function<void()> unload_subject = {};
  std::function<void()> reload_subject = {};
  // take_warnings returns the distinct warnings of the tested library since the last call;
  // keep_warnings puts them back.
  std::function<std::vector<std::string>()> take_warnings = {};
  std::function<void(std::vector<std::string>)> keep_warnings = {};
};

// One case of one check: everything that a body needs. Lives as long as the case, and belongs to
// the thread that runs the body.
class Case {
 public:
  Case(Draw& choices, const Binding& binding, std::size_t index_of_row = 0)
      : draw{choices},
        producer{binding.producer},
        consumer{binding.consumer},
        settings{binding.settings},
        row{index_of_row},
        binding_{binding} {}
  Case(const Case&) = delete;
  Case& operator=(const Case&) = delete;
  ~Case() = default;

  Draw& draw;
  const Party& producer;
  const Party& consumer;
  const Settings& settings;
  const std::size_t row;  // the row, for a check with rows; else 0

  // Returns the Party under test. The other one is dlcert's own library, or in a matrix another
  // library.
  const Party& subject() const { return role() == Role::consumer ? consumer : producer; }
  Role role() const { return binding_.role; }

  // Counts an outcome that is recorded but not judged ("refused", "kept its live name"). The result
  // shows the sums over all cases. `what` has static storage.
  void observe(std::string_view what) { observations_.push_back(what); }
  std::span<const std::string_view> observations() const { return observations_; }

  // Reports that the case meets the requirement: from here on, a library that breaks the
  // requirement can fail. For checks with Check::says_touched. May be called any number of times.
  void touched() { touched_ = true; }
  // Reports that the library declined: it did what the standard allows instead ("refused",
  // "copied"), so that the case does not meet the requirement. Also counts `why` as an observation.
  // The body may go on to assert. touched() takes precedence. `why` has static storage.
  void declined(std::string_view why) {
    observe(why);
    why_declined_ = why;
  }
  bool was_touched() const { return touched_; }
  std::string_view why_declined() const { return why_declined_; }  // empty: not declined

  // Reports, for a check of pairs, the dtype and layout of the case ("float32", "reversed").
  void concerns(std::string dtype, std::string_view layout) {
    dtype_ = std::move(dtype);
    layout_ = layout;
  }
  // Reports, for a check of pairs, the error by which the library declined.
  void refused(std::string error) { refusal_ = std::move(error); }
  const std::string& dtype() const { return dtype_; }
  std::string_view layout() const { return layout_; }
  const std::string& refusal() const { return refusal_; }

  // Returns the first distinct warnings ("category: text") of the tested library since the last
  // call. The result of the check does not show them. Any thread.
  std::vector<std::string> take_warnings() const {
    return binding_.take_warnings ? binding_.take_warnings() : std::vector<std::string>{};
  }

  // Runs assertions that are less serious than later assertions of the body: a name, a flag or the
  // number of a stream or device, before order, values, memory or deletion. Any thread that the
  // body waits for. Keeps the first Failure of all calls and returns; any other exception, also
  // AdapterFault and WrongBytes, passes through. The case fails with the kept Failure if the body
  // ends in any way but by another failure, which takes precedence.
  void minor(const std::function<void()>& assertions);
  // The kept Failure, or null.
  const std::exception_ptr& minor_failure() const { return minor_failure_; }

  // Closes the adapter of the tested library and unloads its module. After this call the body must
  // not call the library, and must own nothing of it but managed tensors. The worker loads the
  // library again when the body has ended. For checks with Isolation::own_process. Throws
  // NotFormable if the library cannot be unloaded.
  void unload_subject();
  bool unloaded() const { return unloaded_; }

 private:
  const Binding& binding_;
  bool unloaded_ = false;
  bool touched_ = false;
  std::string_view why_declined_;
  std::exception_ptr minor_failure_;
  std::string dtype_, refusal_;
  std::string_view layout_;
  std::vector<std::string_view> observations_;
};

// Default of Check::one_in: one in ten of the cases that the library's claims leave must meet the
// requirement.
inline constexpr std::uint16_t usual_share = 10;

// Default of Check::processes: this number of cases is enough for most requirements. Each case
// needs a process, which takes tens of milliseconds.
inline constexpr std::uint16_t usual_processes = 25;

// The number of rows of a table; 0: the check is a property. The number is given directly, or by a
// function that reads the table. A worker calls the function once, before it forks the processes of
// the check's cases, so that they find the table in their memory. The function is not called at
// each start of a worker, because reading all tables would double the time of the start.
class RowCount {
 public:
  RowCount() = default;
  RowCount(std::size_t rows) : rows_{rows} {}  // NOLINT(google-explicit-constructor)
  template <std::invocable Read>
  RowCount(Read read) : read_{std::move(read)} {}  // NOLINT(google-explicit-constructor)

  operator std::size_t() const {  // NOLINT(google-explicit-constructor)
    if (read_) rows_ = std::exchange(read_, nullptr)();
    return rows_;
  }

 private:
  mutable std::function<std::size_t()> read_;
  mutable std::size_t rows_ = 0;
};

// One check. All texts have static storage.
struct Check {
  // The ID of the requirement.
  std::string_view requirement = {};
  // The name of the body. The seed of the cases depends on the name, not on `sentence`, so that a
  // check with a changed description draws the same cases. Unique within the requirement, role and
  // platform.
  std::string_view name = {};
  // The description of what the body asserts. Unique within the requirement and role.
  std::string_view sentence;
  // The role in which the library is tested.
  Role role = Role::consumer;
  // What the tested library must offer (Party::offers); otherwise the check is not applicable. The
  // counterpart need not offer anything: a body asks the counterpart's offers() before it calls it.
  Needs needs = 0;
  // 0: a property, which runs as many drawn cases as the run asks for. n: a table, whose case i is
  // row i (Case::row); each row runs once.
  RowCount rows = {};
  Isolation isolation = Isolation::shared;
  // The maximum number of cases under Isolation::process_per_case for a library in an interpreter
  // (one with fork hooks). Of a longer table, evenly spread rows run.
  std::uint16_t processes = usual_processes;
  Platform platform = Platform::any;
  // True: the check judges what the library reports about itself, its header or its documents, but
  // nothing that it does. It gives no evidence, and does not show that the library claims a
  // feature.
  bool fact = false;
  // False: every case whose body returns has exercised the requirement. True: the body reports that
  // by Case::touched(). A case without that report was declined by the library, or its input was of
  // no use; then dlcert draws the case again, ten times at most.
  bool says_touched = false;
  // One in so many of the cases that the library's claims leave must meet the requirement, and at
  // least one case. Otherwise the check is inconclusive, or not applicable if the
  // library declined the missing cases.
  std::uint16_t one_in = usual_share;
  // True: the check judges two libraries with each other. The consumer is the subject. The check
  // does not run for a single library. Every row runs, even after a failed one (Case::concerns).
  bool pair = false;
  // True: each case takes a tensor of the tested library on a device of `platform`, or for
  // Platform::any on a further device of the library (plain_specs_on_further_devices). The check
  // does not run if the library claims no such tensor.
  bool device_tensors = false;
  // True: some cases take no tensor of the tested library. The variants of the check for devices
  // then run even if the library claims no tensors there.
  bool without_tensors = false;
  // The function of the check. Returns if the library keeps the requirement; otherwise ends by one
  // of the exceptions below. Any other exception fails the case. The body must do the same whenever
  // it runs with the same recorded choices, because dlcert shrinks and describes a failure by
  // running it again.
  void (*body)(Case&) = nullptr;
};

// The checks of a worker, in the order in which they were added.
class Suite {
 public:
  void add(const Check& check) { checks_.push_back(check); }
  std::span<const Check> checks() const { return checks_; }

 private:
  std::vector<Check> checks_;
};

// ---- exceptions by which a body ends ----
//
// These, and NotFormable and DefectOfCheck of party.hpp. The body must throw them on its own
// thread; testbench::on_new_thread carries them over from another thread.

// The library breaks the requirement. `expected` and `found` are empty if the message is enough.
struct Failure {
  std::string message;
  std::string expected;
  std::string found;
  // C statements that show the failure by the struct that the library exported (recording.hpp);
  // empty if the struct does not show it.
  std::vector<std::string> recording = {};
  // The requirements that are about the fact which the failed assertion states, the nearest first;
  // empty: the check's own. See owned_by().
  std::vector<std::string> owners = {};
  // The library refused a call that must succeed, or threw an exception.
  bool is_error = false;
};

// The adapter gives an answer that it must never give, whatever its library does.
struct AdapterFault : Failure {};

// Elements have wrong values. Simulated devices run no kernels. If the library launched one in this
// case, its output is unknown, and the case is not judged.
struct WrongBytes : Failure {};

// The drawn input does not fit the check. dlcert counts this and draws another one, ten times at
// most.
struct Discard {};

// The library does not claim what the case needs. dlcert counts such cases and shows the first
// reason. If no other cases are left, the check is not applicable.
struct NotClaimed {
  std::string_view what;  // static storage
};

// The library claims no tensor that the case could use, although the requirement is about any
// tensor. The requirement applies to the library, but stays untested.
struct NoTensorClaimed : NotClaimed {};

// Like Case::declined(), if nothing is left to assert.
struct Declined {
  std::string_view why;  // static storage
};

// A limit of dlcert prevents a verdict on the case, which neither passes nor fails. dlcert counts
// and shows the limit by its name ("cudaMemGetInfo is not modelled").
struct NotJudged {
  std::string limit;
};

// The check could not observe what it must observe, through no fault of the library. The case is
// not a pass. dlcert shows `reason`.
struct Inconclusive {
  std::string reason;
};

// ---- assertions ----

// Throws Failure with this message. `judged` is what a program in Python must look at to see the
// same.
[[noreturn]] void fail(std::string message, const Judgement& judged = {});
// Throws the same for a call that the library refused, or that threw (Failure::is_error).
[[noreturn]] void fail_by_error(std::string message);
// Throws Failure with the message "<what>: expected <expected> but found <found>".
[[noreturn]] void fail_equal(std::string_view what, std::string expected, std::string found,
                             const Judgement& judged = {});

// Throws Failure with the formatted message unless `condition` is true.
template <typename... Args>
void expect(bool condition, fmt::format_string<Args...> message, Args&&... args) {
  if (!condition) [[unlikely]]
    fail(fmt::format(message, std::forward<Args>(args)...));
}

// Tells the running trace that the last call had to succeed, if it did, or had to be refused. A
// check that does not tell it takes either, and a program does the same.
void tell_required();

// Throws the same unless the last call was refused, as it must be.
template <typename... Args>
void expect_refusal(bool refused, fmt::format_string<Args...> message, Args&&... args) {
  if (!refused) [[unlikely]]
    fail(fmt::format(message, std::forward<Args>(args)...), {.by = Judgement::By::refusal});
  tell_required();
}

// Tells the running trace that the last call had to succeed. A check that does not tell it takes a
// refusal, and a program does the same.
void tell_required();

// Throws the same if the last call was refused, as it must not be.
template <typename... Args>
void expect_acceptance(bool accepted, fmt::format_string<Args...> message, Args&&... args) {
  if (!accepted) [[unlikely]]
    fail(fmt::format(message, std::forward<Args>(args)...), {.by = Judgement::By::success});
  tell_required();
}

// Tells the running trace what the assertion that has just failed looked at, in place of what was
// told before.
void tell_judged(const Judgement& judged);

// Runs assertions. If one fails, a program in Python sees the same by `judged()`.
template <typename Tell, typename Assertions>
void seen_by(const Tell& judged, const Assertions& assertions) {
  try {
    assertions();
  } catch (const Failure&) {
    tell_judged(judged());
    throw;
  }
}

// Runs assertions of a fact that the requirements are about, the nearest first, whatever check
// makes them. A Failure that they throw names them, behind those that it names already. The first
// of them that fails as well owns the failure, which is its consequence.
template <typename Assertions>
void owned_by(std::span<const std::string_view> requirements, const Assertions& assertions) {
  try {
    assertions();
  } catch (Failure& failure) {
    failure.owners.insert(failure.owners.end(), requirements.begin(), requirements.end());
    throw;
  }
}
template <typename Assertions>
void owned_by(std::string_view requirement, const Assertions& assertions) {
  owned_by(std::span{&requirement, 1}, assertions);
}

// Returns the text of a value for messages. spec.hpp has more overloads.
inline std::string to_text(std::string_view value) {
  return fmt::format("\"{}\"", value);
}
inline std::string to_text(const char* value) {
  return to_text(std::string_view{value});
}
inline std::string to_text(bool value) {
  return value ? "true" : "false";
}
template <std::integral T>
std::string to_text(T value) {
  return fmt::format("{}", value);
}
template <typename T>
std::string to_text(T* value) {
  return fmt::format("{}", static_cast<const void*>(value));
}
std::string to_text(const Bytes& bytes);                    // hexadecimal, shortened in the middle
std::string to_text(std::span<const std::int64_t> values);  // "[2, 3]"
inline std::string to_text(const std::vector<std::int64_t>& values) {
  return to_text(std::span{values});
}

// Returns a value as a literal of Python.
template <std::integral T>
std::string to_literal(T value) {
  if constexpr (std::same_as<T, bool>)
    return value ? "True" : "False";
  else
    return fmt::format("{}", value);
}
std::string to_literal(std::string_view value);
inline std::string to_literal(const char* value) {
  return to_literal(std::string_view{value});
}
inline std::string to_literal(const std::string& value) {
  return to_literal(std::string_view{value});
}
std::string to_literal(dlcert_device device);
std::string to_literal(dlcert_dtype dtype);
std::string to_literal(const std::vector<std::int64_t>& values);
std::string to_literal(const Bytes& bytes);  // their hexadecimal text

// Returns what a program in Python judges if a value that the library told is wrong; nothing for
// values without literals.
template <typename Expected, typename Found>
Judgement judged_answer(const Expected& expected, const Found& found) {
  if constexpr (requires {
                  to_literal(expected);
                  to_literal(found);
                })
    return {
        .by = Judgement::By::answer, .expected = to_literal(expected), .found = to_literal(found)};
  else
    return {};
}

// Throws Failure unless the values are equal: "deleter calls: expected 1 but found 2". Each type
// needs a to_text() like those above, which is only called on failure.
template <typename Expected, typename Found>
void expect_equal(std::string_view what, const Expected& expected, const Found& found) {
  if (!(expected == found)) [[unlikely]]
    fail_equal(what, to_text(expected), to_text(found), judged_answer(expected, found));
}

// Throws WrongBytes unless the bytes are equal.
void expect_equal(std::string_view what, const Bytes& expected, const Bytes& found);

// Returns the value of an outcome that the requirement obliges the library to give. Otherwise
// throws Failure with `what`, the name of the call, and the library's error.
template <typename T>
T require(Outcome<T> outcome, std::string_view what) {
  if (!outcome.ok()) [[unlikely]]
    fail_by_error(fmt::format("{}: expected success but found {}", what, to_text(outcome.error())));
  tell_required();
  return std::move(outcome).value();
}

}  // namespace dlcert
