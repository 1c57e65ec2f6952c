// SPDX-License-Identifier: Apache-2.0
#include "report/program_run.hpp"

#include <fmt/format.h>

#include <array>

#include "register/enum_texts.hpp"

namespace dlcert {
namespace {

constexpr std::array<std::string_view, 3> state_texts{"confirmed", "not confirmed without dlcert",
                                                      "not run"};

}  // namespace

std::string_view to_text(ProgramRun::State state) {
  return state_texts.at(static_cast<std::size_t>(state));
}

ProgramRun::State program_state_from_text(std::string_view text) {
  return enum_from_text<ProgramRun::State>(text, state_texts, "state of a program");
}

std::string to_text(const ProgramRun& run) {
  return run.reason.empty() ? std::string{to_text(run.state)}
                            : fmt::format("{}: {}", to_text(run.state), run.reason);
}

}  // namespace dlcert
