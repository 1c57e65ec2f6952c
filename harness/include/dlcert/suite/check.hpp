// SPDX-License-Identifier: Apache-2.0
//
// What a check is: one sentence about one requirement, and a body that arranges, acts and asserts
// on one case; and what a body asserts with.
//
//   suite.add({.requirement = "lifetime.deleter.exactly-once",
//              .sentence = "the consumer calls the deleter exactly once",
//              .role = Role::consumer,
//              .needs = Can::any_import | Can::describe,
//              .body = [](Case& c) { ... }});
//
// How the suite's own files write and register theirs: conformance/registration.hpp.
//
// Implemented in harness/src/party/check.cpp; cases are run by harness/src/worker.
#pragma once

#include <fmt/core.h>

#include <concepts>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <dlcert/suite/draw.hpp>
#include <dlcert/suite/party.hpp>

namespace dlcert {

// ---- checks and cases ----

// What a library is tested as, which says which party of a case is the one under test. A library is
// tested as what its adapter's roles say.
enum class Role : std::uint8_t {
  producer,
  consumer,
  runtime,  // has no counterpart: Case::producer is under test, and Case::consumer is not used
};

// Which process the cases of a check run in, always one after the other.
enum class Isolation : std::uint8_t {
  // One with the cases of other checks: the body leaves library and process as they were.
  shared,
  // One for this check alone: the body may unload the library (Case::unload_subject) or leave the
  // process in a state in which no other check could run.
  own_process,
  // One for each case, forked from a process that has loaded the library and called nothing of it
  // but open(): for what happens once in a process. Applies only with simulated devices.
  process_per_case,
};

// Whose devices a check needs. A process has those of one vendor; in one that has the other
// vendor's the check is not applicable.
enum class Platform : std::uint8_t {
  any,  // none: any process will do
  cuda,
  rocm,
};

// What the run decided before any case: the profile and the policies. Does not change.
struct Settings {
  DLPackVersion spec{1, 3};           // of DLPack
  std::string array_api = "2025.12";  // of the array API standard
  std::string runtime = "none";       // whose runtime rules bind: none, torch-2.4 or driver
  std::string driver = "simulated";   // of the devices: simulated, cuda or hip
  // By name. Every policy of the register has a value.
  std::map<std::string, std::string, std::less<>> policies;

  // The value of a policy. Throws DefectOfCheck for a name that no policy has.
  std::string_view policy(std::string_view name) const;
};

// What all cases of a unit share: the parties, which outlive it, and what the worker does for them.
struct Binding {
  const Party& producer;
  const Party& consumer;
  Role role = Role::consumer;
  const Settings& settings;
  // Closes the adapter of the tested party and unloads its module, and undoes that, when the party
  // is as before at its old address; empty where impossible: the spy has no module.
  std::function<void()> unload_subject = {};
  std::function<void()> reload_subject = {};
  // Takes the distinct warnings of the tested library since they were last taken, and puts them
  // back.
  std::function<std::vector<std::string>()> take_warnings = {};
  std::function<void(std::vector<std::string>)> keep_warnings = {};
};

// One case of one check: everything a body needs. Lives for the duration of the case, and belongs
// to the thread that runs the body.
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
  const std::size_t row;  // of a check with rows; 0 otherwise

  // The party under test; the other one is the spy, or in a matrix another library.
  const Party& subject() const { return role() == Role::consumer ? consumer : producer; }
  Role role() const { return binding_.role; }

  // Counts an outcome that is recorded rather than judged ("refused", "kept its live name"); the
  // sums over all cases are shown with the result. `what` has static storage.
  void observe(std::string_view what) { observations_.push_back(what); }
  std::span<const std::string_view> observations() const { return observations_; }

  // What must have happened for the rule to be touched is its antecedent: it holds, and a library
  // that breaks the rule can fail from here on. For checks with Check::says_touched; any number of
  // times.
  void touched() { touched_ = true; }
  // The library did, as it may, what keeps the rule from being touched ("refused", "copied"), which
  // is also an observation. Assertions go on, and touched() has precedence. `why` has static
  // storage.
  void declined(std::string_view why) {
    observe(why);
    why_declined_ = why;
  }
  bool was_touched() const { return touched_; }
  std::string_view why_declined() const { return why_declined_; }  // empty: it was not

  // Of a check of pairs: the dtype and layout that the case is about ("float32", "reversed"), and,
  // where the library declined, what it said.
  void concerns(std::string dtype, std::string_view layout) {
    dtype_ = std::move(dtype);
    layout_ = layout;
  }
  void refused(std::string error) { refusal_ = std::move(error); }
  const std::string& dtype() const { return dtype_; }
  std::string_view layout() const { return layout_; }
  const std::string& refusal() const { return refusal_; }

  // The first distinct warnings ("category: text") that the tested library gave since they were
  // last taken. Those that are taken are not shown with the result. Any thread.
  std::vector<std::string> take_warnings() const {
    return binding_.take_warnings ? binding_.take_warnings() : std::vector<std::string>{};
  }

  // Closes the adapter of the tested library and unloads its module. Until the body ends the
  // subject must not be called and nothing of it may be owned but managed tensors; then the worker
  // loads it again. For checks with Isolation::own_process; throws NotFormable where it is
  // impossible.
  void unload_subject();
  bool unloaded() const { return unloaded_; }

 private:
  const Binding& binding_;
  bool unloaded_ = false;
  bool touched_ = false;
  std::string_view why_declined_;
  std::string dtype_, refusal_;
  std::string_view layout_;
  std::vector<std::string_view> observations_;
};

// Of the cases that the library's claims leave, one in so many at least must meet its rule.
inline constexpr std::uint16_t usual_share = 10;

// How many cases with processes of their own are enough for most rules, where a process takes tens
// of milliseconds.
inline constexpr std::uint16_t usual_processes = 25;

// The number of rows of a table; 0: the check is a property. It is a number, or a function that
// reads the table. A worker calls that function once, before it forks the processes of the check's
// cases, so they find the table in their memory. Reading all tables at each start would double its
// time.
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

// One check. Texts have static storage.
struct Check {
  // Its ID in the register.
  std::string_view requirement = {};
  // The name of its body, from which the seed of its cases is made: a check that is worded anew
  // draws what it drew before. Unique within the requirement, role and platform.
  std::string_view name = {};
  // What the body asserts, as a sentence; unique within the requirement and role.
  std::string_view sentence;
  // What the tested party is tested as.
  Role role = Role::consumer;
  // What the tested party must offer (Party::offers); otherwise the check is not applicable. The
  // counterpart is asked for nothing: a body that calls what it may lack asks it first.
  Needs needs = 0;
  // 0: a property, run on as many drawn cases as the run has; n: a table, case i is row i
  // (Case::row), each run once.
  RowCount rows = {};
  Isolation isolation = Isolation::shared;
  // With Isolation::process_per_case: of a library in an interpreter (one with fork hooks), no more
  // cases are run than this. Its rule needs no more; of a table, evenly spread rows are run.
  std::uint16_t processes = usual_processes;
  Platform platform = Platform::any;
  // It judges what the library says of itself, its header or its documents, and nothing that it
  // does: no evidence, and no sign that the library claims a feature.
  bool fact = false;
  // False: each case whose body returns has met the rule. True: the body says so by
  // Case::touched(); a case in which it does not was declined by the library, or drawn in vain:
  // then it is drawn again, ten times at most.
  bool says_touched = false;
  // Of the cases that the library's claims leave, one in so many must meet the rule; otherwise the
  // check is vacuous, or does not apply where the library declined. At least one case must.
  std::uint16_t one_in = usual_share;
  // It judges two libraries with each other, of which the consumer is the subject, and is not run
  // for a library alone; each row is run, though one before failed (Case::concerns).
  bool pair = false;
  // Each case takes a tensor of the tested library on a device of `platform`, or on Platform::any
  // on a further device of the library (plain_specs_on_further_devices). Where the library claims
  // none, all would be unclaimed: the check is not run.
  bool device_tensors = false;
  // Some cases take no tensor of the tested library: its twins on devices are run without, too.
  bool without_tensors = false;
  // Returns where the rule is kept; otherwise ends by one of the throws below. Any other exception
  // fails the case. A body must do the same whenever it is run on the same choices: a failure is
  // shrunk and described by running it again.
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

// ---- how a body ends other than by returning: what it throws ----
//
// Here, and NotFormable and DefectOfCheck of party.hpp. On the body's own thread: what another one
// throws is carried over by testbench::on_new_thread.

// The rule is broken. `expected` and `found` are empty when the message says it all.
struct Failure {
  std::string message;
  std::string expected;
  std::string found;
  // Where the struct that the library handed over shows it: as C (recording.hpp); else empty.
  std::vector<std::string> recording = {};
};

// The adapter answers what it may not, whatever its library does.
struct AdapterFault : Failure {};

// Elements are not what they should be. The simulated devices run no kernels: where the library
// launched one in this case, what it wrote is not known, and the case is not judged.
struct WrongBytes : Failure {};

// The drawn case does not fit this check; another one is drawn, ten times at most. Counted.
struct Discard {};

// The library does not claim what the case needs. Counted and shown, the first reason by name; when
// no case is left the check is not applicable.
struct NotClaimed {
  std::string_view what;  // static storage
};

// The library claims no tensor that the case could take, though its rule is about any tensor: the
// rule applies to the library, and stays untested.
struct NoTensorClaimed : NotClaimed {};

// As Case::declined(), where nothing is left to be asserted.
struct Declined {
  std::string_view why;  // static storage
};

// A limit of dlcert's own keeps the case from being judged ("cudaMemGetInfo is not modelled"): it
// is neither a pass nor a failure. Counted and shown by its name.
struct NotJudged {
  std::string limit;
};

// The check could not see what it must see, through no fault of the library: the case is never a
// pass. `reason` is shown.
struct Inconclusive {
  std::string reason;
};

// ---- assertions ----

// Throws Failure: with this message, or with "<what>: expected <expected> but found <found>".
[[noreturn]] void fail(std::string message);
[[noreturn]] void fail_equal(std::string_view what, std::string expected, std::string found);

// Fails with the formatted message unless `condition` holds.
template <typename... Args>
void expect(bool condition, fmt::format_string<Args...> message, Args&&... args) {
  if (!condition) [[unlikely]]
    fail(fmt::format(message, std::forward<Args>(args)...));
}

// The texts of values in messages; those of spec.hpp come beside.
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

// Fails unless the values are equal: "deleter calls: expected 1 but found 2". Each type needs a
// to_text() like those above; it is called only on failure.
template <typename Expected, typename Found>
void expect_equal(std::string_view what, const Expected& expected, const Found& found) {
  if (!(expected == found)) [[unlikely]]
    fail_equal(what, to_text(expected), to_text(found));
}

// Throws WrongBytes instead.
void expect_equal(std::string_view what, const Bytes& expected, const Bytes& found);

// The value of an outcome that the rule obliges the library to give; fails otherwise, with `what`,
// the name of the call, and the library's error.
template <typename T>
T require(Outcome<T> outcome, std::string_view what) {
  if (!outcome.ok()) [[unlikely]]
    fail(fmt::format("{}: expected success but found {}", what, to_text(outcome.error())));
  return std::move(outcome).value();
}

}  // namespace dlcert
