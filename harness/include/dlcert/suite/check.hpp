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

// As what a library is tested.
enum class Role : std::uint8_t {
  producer,
  consumer,
  runtime,  // has no counterpart: it is bound as the producer
};

// Which process the cases of a check run in.
enum class Isolation : std::uint8_t {
  // With other checks, one after the other in one process.
  shared,
  // Alone in a process of its own: the body may unload the library or end the process's usefulness.
  own_process,
  // Every case in a process of its own, in which nothing of the library was called before but
  // open(): for what happens once in a process. With simulated devices only.
  process_per_case,
};

// Whose devices a process has: one vendor's.
enum class Platform : std::uint8_t {
  any,  // the check needs no device
  cuda,
  rocm,
};

// What the run decided before any case: the profile and the policies.
struct Settings {
  DLPackVersion spec{1, 3};           // of DLPack
  std::string array_api = "2025.12";  // of the array API standard
  std::string runtime = "none";       // whose runtime rules bind: none, torch-2.4 or driver
  std::string driver = "simulated";   // of the devices: simulated, cuda or hip
  // By name. Every policy of the register has a value.
  std::map<std::string, std::string, std::less<>> policies;

  // The value of a policy. An unknown name is a defect of the check and throws std::logic_error.
  std::string_view policy(std::string_view name) const;
};

// What all cases of a unit share: the parties, which outlive it, and what the worker does for them.
struct Binding {
  const Party& producer;
  const Party& consumer;
  Role role = Role::consumer;
  const Settings& settings;
  // Closes the adapter of the tested party and unloads its module, and undoes that; empty where
  // impossible.
  std::function<void()> unload_subject = {};
  std::function<void()> reload_subject = {};
  // Takes the distinct warnings of the libraries since they were last taken, and puts them back.
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

  // Counts an outcome that is recorded rather than judged ("refused", "kept its live name"). Shown
  // with the result. `what` has static storage.
  void observe(std::string_view what) { observations_.push_back(what); }
  std::span<const std::string_view> observations() const { return observations_; }

  // The distinct warnings ("category: text") that the library gave since they were last taken.
  std::vector<std::string> take_warnings() const {
    return binding_.take_warnings ? binding_.take_warnings() : std::vector<std::string>{};
  }

  // Unloads the tested library's module. Until the body ends the subject must not be called and
  // nothing of it may be owned but managed tensors. For checks with Isolation::own_process; throws
  // NotFormable where it is impossible.
  void unload_subject();
  bool unloaded() const { return unloaded_; }

 private:
  const Binding& binding_;
  bool unloaded_ = false;
  std::vector<std::string_view> observations_;
};

// Texts have static storage.
struct Check {
  // Its ID in the register.
  std::string_view requirement = {};
  // What the body asserts, as a sentence; unique within the requirement and role.
  std::string_view sentence;
  // As what the tested party is tested.
  Role role = Role::consumer;
  // What the tested party must offer; otherwise the check is not applicable.
  Needs needs = 0;
  // 0: a property, run on drawn cases; n: a table, case i is row i, each run once.
  std::size_t rows = 0;
  Isolation isolation = Isolation::shared;
  Platform platform = Platform::any;
  // Returns where the rule is kept; otherwise ends by one of the throws below.
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

// The rule is broken. `expected` and `found` are empty when the message says it all.
struct Failure {
  std::string message;
  std::string expected;
  std::string found;
};

// The drawn case does not fit this check; another one is drawn. Counted.
struct Discard {};

// The library does not claim what the case needs. Counted and shown; when no case is left the check
// is not applicable.
struct NotClaimed {
  std::string_view what;  // static storage
};

// The check could not see what it must see; never a pass.
struct Inconclusive {
  std::string reason;
};

// ---- assertions ----

// Throws Failure.
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

// "deleter calls: expected 1 but found 2". Both values in full: formatting happens only on failure.
template <typename Expected, typename Found>
void expect_equal(std::string_view what, const Expected& expected, const Found& found) {
  if (!(expected == found)) [[unlikely]]
    fail_equal(what, to_text(expected), to_text(found));
}

// The value of an outcome that the rule obliges the library to give; fails with the library's error
// otherwise.
template <typename T>
T require(Outcome<T> outcome, std::string_view what) {
  if (!outcome.ok()) [[unlikely]]
    fail(fmt::format("{}: expected success but found {}", what, to_text(outcome.error())));
  return std::move(outcome).value();
}

}  // namespace dlcert
