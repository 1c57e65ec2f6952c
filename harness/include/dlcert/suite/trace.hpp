// SPDX-License-Identifier: Apache-2.0
//
// The calls that a case makes across the adapter ABI, written down while a case is being described
// (never while cases are only being judged). The trace is the counterexample: people read its
// lines, and a stand-alone C program is made from it. Implemented in harness/src/party/trace.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace dlcert {

// Of the stand-alone program: Python's where the tested library is one of Python.
enum class Language : std::uint8_t { c, python };

// Where a described case's events go. Each is written before its call is made, so that a crash
// shows the call at fault.
class TraceSink {
 public:
  virtual ~TraceSink() = default;
  // `text` is one line for people: "t1 = create(float32 shape=[2, 3] ...)". `statement` is source
  // of the same act for the stand-alone program, in its language (see standalone.hpp and
  // python_program.hpp of harness/src/standalone for the names that it may use); in either a
  // comment of C stands for what the program cannot do. Either may be empty. Any thread.
  virtual void event(std::string_view text, std::string_view statement) = 0;
  virtual Language language() const { return Language::c; }
  // How many events are told and not withdrawn, and back to so many.
  virtual std::size_t told() const = 0;
  virtual void withdraw_behind(std::size_t told) = 0;
};

// The sink of the case that is being described, or NULL. Set by the worker around one case.
TraceSink* trace();
// Sets the sink and forgets all names. `sink` outlives its use; NULL ends the description.
void set_trace(TraceSink* sink);

// While one lives nothing is told by any thread, though a case is being described; names are kept.
class TracePause {
 public:
  TracePause();
  ~TracePause();
  TracePause(const TracePause&) = delete;
  TracePause& operator=(const TracePause&) = delete;

 private:
  TraceSink* sink_;
};

// What any thread tells while one lives is withdrawn when it ends, names and all: a call that does
// not belong to the case, of which a crash must be shown all the same. They nest.
class TraceAside {
 public:
  TraceAside();
  ~TraceAside();
  TraceAside(const TraceAside&) = delete;
  TraceAside& operator=(const TraceAside&) = delete;

  static bool any();  // whether one lives

 private:
  struct Names;
  TraceSink* sink_;
  std::size_t told_ = 0;
  std::unique_ptr<Names> names_;
};

// Names of what a described case makes: "t1" for a tensor, "m1" for a managed tensor (exported or
// offered), "c1" for a capsule, "p1" for an object with dlpack(). They are variables of the
// stand-alone program too. A name is taken before the call that makes the thing, so that a crash
// shows it, and bound to the thing's address after. Any thread.
std::string new_trace_name(std::string_view prefix);
void bind_trace_name(const void* object, std::string name);
// "NULL" for NULL, "unknown" for what has no name.
std::string trace_name(const void* object);

}  // namespace dlcert
