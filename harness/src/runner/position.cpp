// SPDX-License-Identifier: Apache-2.0
#include "runner/position.hpp"

#include <cstring>

#include "register/text.hpp"

namespace dlcert {

void reset(Position& position) {
  position.phase = Phase::starting;
  position.unit = no_unit;
  position.case_index = 0;
  position.case_seed = 0;
  position.beat_nanoseconds = 0;
  position.pid = 0;
  position.loaded_bytes = 0;
  position.wait_status = 0;
  position.ended = 0;
  position.reason[0] = '\0';
  position.adapter_fault = 0;
  position.limit[0] = '\0';
  position.forks_among_threads = 0;
  position.stacks_signal = 0;
  position.inputs = 0;
  position.fatal_signal = 0;
  position.signature[0] = position.frames[0] = '\0';
}

std::string text_in(std::span<const char> room) {
  return one_line({room.data(), strnlen(room.data(), room.size())});
}

std::string reason_of(const Position& position) {
  return text_in(position.reason);
}

std::string limit_of(const Position& position) {
  return text_in(position.limit);
}

std::string without_case(std::string how) {
  constexpr std::string_view first = "case 0 ", last = " in case 0";
  if (how.starts_with(first)) how.erase(0, first.size());
  if (how.ends_with(last)) how.resize(how.size() - last.size());
  return how;
}

std::string_view to_text(Phase phase) {
  switch (phase) {
    case Phase::starting:
      return "starting";
    case Phase::loading:
      return "loading";
    case Phase::idle:
    case Phase::running:
      return "between checks";
    case Phase::closing:
      return "closing";
    case Phase::unloading:
      return "unloading";
    case Phase::finished:
    case Phase::spent:
      break;
  }
  return "exiting";
}

}  // namespace dlcert
