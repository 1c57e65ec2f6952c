// SPDX-License-Identifier: Apache-2.0
//
// An act is one call of a party in the trace of a case that is being described: announced before it
// is made, so that a crash shows it, its result told after. When nothing is being described an Act
// costs one load.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include <dlcert/suite/party.hpp>
#include <dlcert/suite/program_step.hpp>
#include <dlcert/suite/trace.hpp>

namespace dlcert {

// A call as people read it, and as a C expression of the stand-alone program. `type` and `prefix`
// are those of the variable that holds what it makes; both empty when it makes nothing. `python` is
// the step of a program in Python, without its name. `c` is the kind of the step of a program in C,
// and `judge` the function there that compares the answer.
struct ActText {
  std::string text;
  std::string expression;
  std::string_view type = {};
  std::string_view prefix = {};
  ProgramStep python = {.kind = ProgramStep::Kind::missing};
  ProgramStep::Kind c = ProgramStep::Kind::call;
  std::string_view judge = {};
};

// A call that a program in C cannot make.
ActText comment(std::string text);

class Act {
 public:
  // `describe()` gives an ActText.
  template <typename Describe>
  explicit Act(const Describe& describe) : sink_{trace()} {
    if (sink_ != nullptr) [[unlikely]]
      announce(describe());
  }

  ~Act();
  Act(const Act&) = delete;
  Act& operator=(const Act&) = delete;

  bool described() const { return sink_ != nullptr; }

  // What the harness does while the library makes this call is a part of the program: it stands
  // inside the context manager of this step, until the block dies.
  class Block {
   public:
    Block(Act& act, const ProgramStep& begins);
    ~Block();
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;

   private:
    TraceSink* sink_ = nullptr;  // of a program in Python
  };

  // How the call ended: with a new object, which has the announced name from now on; with the
  // library's error; or not made at all.
  void made(const void* object);
  void named(const void* object);  // made by the harness itself
  void refused(const Error& error);
  void not_formable();

  // Or with an answer; `tell()` gives one line, and `literal()` the answer as a literal of Python.
  template <typename Tell>
  void answered(Tell&& tell) {
    if (sink_ != nullptr) [[unlikely]]
      result(tell());
  }
  template <typename Tell, typename Literal>
  void answered(Tell&& tell, Literal&& literal) {
    if (sink_ != nullptr) [[unlikely]]
      result(tell(), {.kind = ProgramStep::Kind::answered, .code = literal()});
  }
  void tell_description(const Description& description);

 private:
  void announce(const ActText& act);
  void result(std::string_view line, const ProgramStep& step = {});

  TraceSink* sink_;
  std::string name_;
  bool performed_ = true;  // by the stand-alone program too
  bool within_ = false;    // another act, whose library calls back: a program does so by itself
};

// The texts of the calls; `library` is the variable that holds the party's table in the stand-alone
// program.
namespace acts {

// The same, of a call that asks the library for a fact, and of one that cannot be refused.
ActText question(ActText act);
ActText without_outcome(ActText act);

ActText can(std::string_view library, const TensorSpec& spec);
ActText can_import(std::string_view library, const TensorSpec& spec);
ActText live_allocations(std::string_view library);
ActText create(std::string_view library, const TensorSpec& spec, const Bytes& logical);
ActText read(std::string_view library, const Tensor& tensor, std::size_t size);
ActText write(std::string_view library, const Tensor& tensor, const Bytes& logical);
// A call that takes one object and nothing else: describe, release, alias, dlpack_device,
// to_dlpack, drop ...
ActText plain(std::string_view library, std::string_view call, const void* object,
              std::string_view type = {}, std::string_view prefix = {});
ActText fail_allocation(std::string_view library, std::int64_t successes);
ActText exported(std::string_view library, std::string_view call, const Tensor& tensor,
                 const dlcert_request& request, std::string_view type, std::string_view prefix);
ActText import_managed(std::string_view library, dlcert_managed managed);
ActText import_from(std::string_view library, const dlcert_producer& producer,
                    const dlcert_import_request& request);
ActText make_capsule(std::string_view library, const void* pointer, const char* name,
                     bool destructor);
ActText capsule_text(std::string_view library, std::string_view call, const Capsule& capsule,
                     const char* name);
ActText call_deleter(const void* managed);

}  // namespace acts

// "\"text\"" with escapes, or "NULL".
std::string c_literal(const char* text);
// "\"00ff\"", the form in which the program takes bytes.
std::string c_bytes(const Bytes& bytes);
// "INT(5)", as the program's macros are called.
std::string c_value(const dlcert_value& value);

std::string to_text(const Description& description);

}  // namespace dlcert
