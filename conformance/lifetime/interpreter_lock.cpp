// SPDX-License-Identifier: Apache-2.0
//
// Deleters and the interpreter's lock: whoever releases a tensor may hold it or not.

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "lifetime/support.hpp"
#include "registration.hpp"
#include "testbench/device_session.hpp"
#include "testbench/python.hpp"

namespace dlcert::lifetime {

DLCERT_FAMILY(interpreter_lock)

namespace {

using testbench::call_deleter;
using testbench::collect_garbage;
using testbench::exporting_in_python;
using testbench::tell;
using testbench::text_of;

// Each of these waits a little.
constexpr std::size_t few = 20;

// How often the interpreter counts the library's array: what its exports add to that, a deleter
// takes away, and touches the array.
std::int64_t references(const Case& c, const Source& source) {
  return std::stoll(text_of(c.producer, source.tensor, "__import__('sys').getrefcount(x)"));
}

Exported in_a_capsule(const Case& c, const Source& source) {
  for (const Form form : {Form::versioned, Form::legacy}) {
    auto exported = testbench::try_export(testbench::Wrapping::capsule, c.producer, source.tensor,
                                          testbench::request_for(form));
    if (exported && exported->ok()) return std::move(*exported).value();
  }
  throw NotClaimed{"an export of this tensor"};
}

dlcert_managed consumed(const Case& c, const Source& source) {
  return in_a_capsule(c, source).give_up();
}

// While one lives no thread of the interpreter gives the lock to another because its time is up.
class LongTurns {
 public:
  explicit LongTurns(const Party& party)
      : party_{party}, former_{asked("__import__('sys').getswitchinterval()")} {
    asked("__import__('sys').setswitchinterval(1000)");
  }
  ~LongTurns() {
    Python{party_}.evaluate(fmt::format("__import__('sys').setswitchinterval({})", former_));
  }
  LongTurns(const LongTurns&) = delete;
  LongTurns& operator=(const LongTurns&) = delete;

 private:
  std::string asked(const std::string& expression) const {
    return require(Python{party_}.evaluate(expression), expression);
  }

  const Party& party_;
  std::string former_;
};

// ---- without the lock ---------------------------------------------------------------------------

// A thread of the harness's own that calls a deleter, and what it has got done.
class ForeignRelease {
 public:
  explicit ForeignRelease(dlcert_managed managed)
      : thread_{[this, managed] {
          starting_ = true;
          call_deleter(managed);
          over_ = true;
        }} {}
  ~ForeignRelease() { thread_.join(); }
  ForeignRelease(const ForeignRelease&) = delete;
  ForeignRelease& operator=(const ForeignRelease&) = delete;

  // Returns a few milliseconds after it began, or when it is over: one that waits for the lock is
  // not.
  void give_time() const {
    while (!starting_)
      std::this_thread::yield();
    for (int waited = 0; !over_ && waited < 10; ++waited)
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }

 private:
  std::atomic<bool> starting_ = false;
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

DLCERT_CHECK(deleter_takes_the_lock_for_what_it_touches,
             producer_check("lifetime.deleter.gil-acquired",
                            "on a thread without the interpreter's lock a deleter takes it before "
                            "it touches the interpreter's objects",
                            exporting_in_python, few)) {
  const Source source = draw_source(c);
  const std::int64_t before = references(c, source);
  const dlcert_managed managed = consumed(c, source);
  const std::int64_t held = references(c, source);
  c.observe(held != before ? "keeps an object of the interpreter" : "keeps no such object");
  tell("a thread without the interpreter's lock calls the deleter");
  std::optional<ForeignRelease> release;
  std::int64_t behind = held;
  const LongTurns turns{c.producer};
  require(Python{c.producer}.run(DLCERT_PYTHON_LOCK_HELD,
                                 [&] {
                                   release.emplace(managed);
                                   release->give_time();
                                   behind = references(c, source);
                                 }),
          "taking the interpreter's lock");
  release.reset();
  expect(behind == held,
         "references to the array when a deleter was called while another thread holds the "
         "interpreter's lock: expected {} as before but found {}",
         held, behind);
  collect_garbage(c.producer);
  expect_equal("references to the array when the deleter has run", before, references(c, source));
}

// ---- with the lock ------------------------------------------------------------------------------

void with_the_lock(const Case& c, const std::function<void()>& body) {
  require(Python{c.producer}.run(DLCERT_PYTHON_LOCK_HELD, body), "taking the interpreter's lock");
}

DLCERT_CHECK(deleter_works_while_its_caller_holds_the_lock,
             producer_check("lifetime.deleter.gil-held-ok",
                            "a deleter returns while its caller holds the interpreter's lock",
                            exporting_in_python)) {
  const Source source = draw_source(c);
  const dlcert_managed managed = consumed(c, source);
  with_the_lock(c, [&] { call_deleter(managed); });
}

DLCERT_CHECK(capsule_dies_while_its_owner_holds_the_lock,
             producer_check("lifetime.deleter.gil-held-ok",
                            "a capsule that dies unconsumed under the interpreter's lock calls its "
                            "deleter, which returns",
                            exporting_in_python)) {
  const Source source = draw_source(c);
  Exported exported = in_a_capsule(c, source);
  with_the_lock(c, [&] { exported.release(); });
}

// ---- with an error in flight --------------------------------------------------------------------

bool keeps_the_error(const Case& c, const std::function<void()>& body) {
  return require(Python{c.producer}.run(DLCERT_PYTHON_ERROR_IN_FLIGHT, body),
                 "taking the interpreter's lock");
}

DLCERT_CHECK(deleter_keeps_the_error_in_flight,
             producer_check("lifetime.deleter.in-flight-error-kept",
                            "a deleter that is called while an error is in flight leaves that so",
                            exporting_in_python)) {
  const Source source = draw_source(c);
  const dlcert_managed managed = consumed(c, source);
  expect(keeps_the_error(c, [&] { call_deleter(managed); }),
         "the ValueError in flight: expected it behind the deleter but it is gone");
}

DLCERT_CHECK(capsule_keeps_the_error_in_flight,
             producer_check("capsule.destructor.error-kept",
                            "a capsule that dies while an error is in flight leaves that so",
                            exporting_in_python)) {
  const Source source = draw_source(c);
  Exported exported = in_a_capsule(c, source);
  owned_by("lifetime.deleter.in-flight-error-kept", [&] {
    expect(keeps_the_error(c, [&] { exported.release(); }),
           "the ValueError in flight: expected it when the capsule has died but it is gone");
  });
}

}  // namespace
}  // namespace dlcert::lifetime
