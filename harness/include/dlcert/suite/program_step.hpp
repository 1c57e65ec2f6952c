// SPDX-License-Identifier: Apache-2.0
//
// A step of the stand-alone program that shows a case without dlcert, in Python or in C. A case
// that is described adds steps to its trace; harness/src/standalone makes the program from them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace dlcert {

struct ProgramStep {
  enum class Kind : std::uint8_t {
    nothing,    // the program does not need the step
    missing,    // no program can do this: `code` says what, in words
    otherwise,  // a program does this in another way, which may end or be refused alike
    imports,    // one line that imports a library
    call,       // the library is called
    own,        // the program's own: a tensor that it hands over, a setting
    dropped,    // the variable `code` ends
    begins,     // what comes until `ends` is done inside the context manager `code`
    ends,       // of the last `begins` that has not ended
    question,   // the library is asked; a program asks only if the answer is judged
    raised,     // the call or question before raised the exception that `code` names
    answered,   // the question before had this answer, a literal
    not_made,   // the call or question before was not made: the library has no such call
    required,   // the call or question before had to end as it did
    judged,     // see Judgement
  };
  Kind kind = Kind::nothing;
  std::string code = {};  // an expression or a statement; it may name variables of earlier steps
  std::string name = {};  // the variable that holds what the step makes; may be empty
  // In C, the type of that variable; of a question, the function that judges its answer
  // (harness/src/standalone/standalone.hpp).
  std::string type = {};
  // The same for dlcert's reference implementation in Python, if `code` is the library's own.
  std::string reference = {};
  std::string expected = {};  // of Kind::judged
};

// What a failed assertion looked at: a program must look at the same, and know the right result.
// Values are literals of Python.
struct Judgement {
  enum class By : std::uint8_t {
    nothing,    // a program cannot look at it
    refusal,    // the last call was accepted and must be refused
    kind,       // the last refusal must be by one of `expected`, names of exceptions
    success,    // the last refused call must be accepted
    answer,     // the last answer `found` must be `expected`
    value,      // `code` must be `expected`
    condition,  // `code` must be true; `found` is the value that it is about, `expected` a text
  };
  By by = By::nothing;
  std::string expected = {};
  std::string found = {};
  std::string code = {};  // as of a step
  std::string type = {};  // in C, the function that judges; empty: the program is in Python
};

inline ProgramStep to_step(const Judgement& judged) {
  return {.kind = ProgramStep::Kind::judged,
          .code = judged.code,
          .name = std::to_string(static_cast<int>(judged.by)),
          .type = judged.type,
          .reference = judged.found,
          .expected = judged.expected};
}

inline Judgement judgement_of(const ProgramStep& step) {
  const bool is_number = step.name.size() == 1;
  return {.by = static_cast<Judgement::By>(is_number ? step.name.front() - '0' : 0),
          .expected = step.expected,
          .found = step.reference,
          .code = step.code,
          .type = step.type};
}

// A step as one line: its members with a | between two. In a member, %p stands for | and %% for %.
inline std::string to_line(const ProgramStep& step) {
  std::string line(1, static_cast<char>('a' + static_cast<int>(step.kind)));
  for (const std::string* const member :
       {&step.code, &step.name, &step.type, &step.reference, &step.expected}) {
    line += '|';
    for (const char c : *member)
      line += c == '|' ? std::string{"%p"} : std::string(c == '%' ? 2 : 1, c);
  }
  return line;
}

// The step of such a line. Of any other text it is one that is missing.
inline ProgramStep step_from_line(std::string_view line) {
  std::array<std::string, 6> members;
  std::size_t member = 0;
  for (std::size_t i = 0; i < line.size() && member < members.size(); ++i) {
    if (line[i] == '|')
      ++member;
    else if (line[i] == '%' && i + 1 < line.size())
      members.at(member) += line[++i] == 'p' ? '|' : '%';
    else
      members.at(member) += line[i];
  }
  const bool is_step = member + 1 == members.size() && members[0].size() == 1 &&
                       members[0].front() >= 'a' &&
                       members[0].front() <= 'a' + static_cast<int>(ProgramStep::Kind::judged);
  if (!is_step) return {.kind = ProgramStep::Kind::missing, .code = std::string{line}};
  return {.kind = static_cast<ProgramStep::Kind>(members[0].front() - 'a'),
          .code = members[1],
          .name = members[2],
          .type = members[3],
          .reference = members[4],
          .expected = members[5]};
}

}  // namespace dlcert
