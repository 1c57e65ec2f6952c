// SPDX-License-Identifier: Apache-2.0
//
// Where a signal ended the process: two crashes with one signature are one fault.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

namespace dlcert {

// Room for texts in memory that outlives the process (records/records.hpp, Position). Each ends
// with 0, and is empty while nothing has crashed.
struct CrashTexts {
  std::span<char> signature;  // "SIGSEGV in libacme.so+0x1234"
  std::span<char> frames;     // "address 0x0: libacme.so+0x1234, dlcert-worker+0x5678, ..."
  // Gets the signal where another process traces this one, which then ends by SIGKILL: a tracer
  // that lets a signal through once would stop the process at the next one. May be NULL.
  std::atomic<std::int32_t>* signal = nullptr;
};

// From now on SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT write where they come from into `texts`,
// unless these hold an earlier crash, and then do what they did before. Call it again after
// libraries were loaded, which may have set handlers of their own: these run afterwards. Not for
// builds with sanitizers, which report crashes themselves.
void write_crashes_to(CrashTexts texts);

// False in builds with a sanitizer, where write_crashes_to() does nothing.
bool can_write_crashes();

}  // namespace dlcert
