// SPDX-License-Identifier: Apache-2.0
//
// The trace of a case: the calls that it makes across the adapter ABI. dlcert only writes it while
// it describes a case, never while it judges cases. The trace is the counterexample: people read
// its lines, and a stand-alone program is made from it. Implemented in harness/src/party/trace.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <dlcert/suite/program_step.hpp>

namespace dlcert {

// The language of the stand-alone program: Python if each library of the case is in Python, else C.
enum class Language : std::uint8_t { c, python };

// Receives the events of the described case. Each event is written before its call is made, so that
// a crash shows the call that caused it.
class TraceSink {
 public:
  virtual ~TraceSink() = default;
  // Adds an event. `text` is one line for people: "t1 = create(float32 shape=[2, 3] ...)".
  // `statement` is the same call for the stand-alone program, a step (program_step.hpp). In C it
  // may use the names that harness/src/standalone/standalone.hpp lists. Either may be empty. Any
  // thread.
  virtual void event(std::string_view text, std::string_view statement) = 0;
  // Returns the language of the statements.
  virtual Language language() const { return Language::c; }
  // Returns the number of events that were added and not withdrawn.
  virtual std::size_t told() const = 0;
  // Withdraws all events after the first `told`.
  virtual void withdraw_behind(std::size_t told) = 0;
};

// Adds an event, whose statement is `in_c` or the step, by the sink's language. `in_c` is a
// statement in C; a comment stands for what a program cannot do.
inline void tell_step(TraceSink& sink, std::string_view text, std::string_view in_c,
                      const ProgramStep& in_python) {
  ProgramStep step = in_python;
  if (sink.language() == Language::c) {
    step = {.code = std::string{in_c.substr(0, in_c.rfind(';'))}};
    if (in_c.starts_with("/*"))
      step = {.kind = ProgramStep::Kind::missing, .code = std::string{text}};
    else if (!in_c.empty())
      step.kind = ProgramStep::Kind::own;
  }
  sink.event(text, step.kind == ProgramStep::Kind::nothing ? std::string{} : to_line(step));
}

// Returns the sink of the case that is being described, or NULL. The worker sets it around one
// case.
TraceSink* trace();
// Sets the sink and forgets all names. `sink` must outlive its use; NULL ends the description.
void set_trace(TraceSink* sink);

// During its lifetime no thread adds events, even if a case is being described. Names are kept.
class TracePause {
 public:
  TracePause();
  ~TracePause();
  TracePause(const TracePause&) = delete;
  TracePause& operator=(const TracePause&) = delete;

 private:
  TraceSink* sink_;
};

// When it dies, it withdraws all events and names that any thread added during its lifetime. Use it
// for calls that do not belong to the case; a crash in such a call is still shown. Lifetimes may
// nest.
class TraceAside {
 public:
  TraceAside();
  ~TraceAside();
  TraceAside(const TraceAside&) = delete;
  TraceAside& operator=(const TraceAside&) = delete;

  static bool any();  // whether one exists

 private:
  struct Names;
  TraceSink* sink_;
  std::size_t told_ = 0;
  std::unique_ptr<Names> names_;
};

// Names of the objects of a described case: "t1" for a tensor, "m1" for a managed tensor (of the
// library or of dlcert), "c1" for a capsule, "p1" for an object with dlpack(). They are variables
// of the stand-alone program too. new_trace_name() reserves a name before the call that makes the
// object, so that a crash shows it; bind_trace_name() then gives the name to the object's address.
// Any thread.
std::string new_trace_name(std::string_view prefix);
void bind_trace_name(const void* object, std::string name);
// Returns the name of an object, "NULL" for NULL, or "unknown" for an object without a name.
std::string trace_name(const void* object);
// Returns the native handle of a stream as a program writes it: the variable that holds it, or the
// number of a default stream. Of any other stream no program has a handle; a trace in Python says
// so.
std::string trace_stream(std::uint64_t native);

}  // namespace dlcert
