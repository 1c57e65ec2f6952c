// SPDX-License-Identifier: Apache-2.0
//
// What the runner reads of a worker's position (records.hpp) once the worker has ended.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "records/records.hpp"

namespace dlcert {

// As it is before a worker begins.
void reset(Position& position);

// The text in one of its arrays, in one line.
std::string text_in(std::span<const char> room);
// Why the worker left by itself, and the limit that its case has met; empty where there is none.
std::string reason_of(const Position& position);
std::string limit_of(const Position& position);

// How a worker ended, without the case: "ended by SIGSEGV in case 0" is "ended by SIGSEGV".
std::string without_case(std::string how);

// When a worker ends that is there: "loading", "between checks", "exiting" ...
std::string_view to_text(Phase phase);

}  // namespace dlcert
