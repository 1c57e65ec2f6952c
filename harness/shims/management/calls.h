// SPDX-License-Identifier: Apache-2.0
//
// What each call of a stand-in for a management library goes through: one lock for the process, the
// count of initialisations, faults, garbage and the trace.

#ifndef DLCERT_SHIMS_MANAGEMENT_CALLS_H
#define DLCERT_SHIMS_MANAGEMENT_CALLS_H

#include "shims/management/settings.h"

/// The codes in which the two libraries differ. Each stand-in defines its own.
struct management_library {
  const char* prefix;  ///< Of its symbols.
  uint32_t uninitialized;
  uint32_t malformed_settings;
  uint32_t default_power;
};
extern const struct management_library management_library;

/// The library's symbols, made from the committed list; NULL ends them.
extern const char* const management_symbols[];

/// A call in progress. It holds the lock.
struct management_call {
  const char* symbol;
  char arguments[256];
  bool garbage;
};

/// Starts a call: takes the lock and notes the arguments for the trace. True where the function is
/// to do its work, which it ends with management_end. False where `*code` is the whole answer: of a
/// fault, or, when `initialized` says that the function needs it, of a missing initialisation.
bool management_begin(struct management_call* call, const char* symbol, bool initialized,
                      uint32_t* code, const char* format, ...)
    __attribute__((format(printf, 5, 6)));

/// Writes the trace, gives the lock back and returns `code`.
uint32_t management_end(struct management_call* call, uint32_t code);

/// A whole call that initialises: reads the settings when it is the first. Returns 0 or a code.
uint32_t management_initialize(const char* symbol, const char* arguments);

/// A whole call that undoes one initialisation.
uint32_t management_shut_down(const char* symbol);

/// What was set when the library was last initialised. Only between begin and end.
const struct management_settings* management_current(void);

/// Writes an output, or garbage in its place: 2^31, or bytes that are not ASCII up to the very end.
void management_put_number(const struct management_call* call, uint32_t* to, uint32_t value);
void management_put_bytes(const struct management_call* call, uint64_t* to, uint64_t value);
void management_put_text(const struct management_call* call, char* to, size_t size,
                         const char* text);

#endif  // DLCERT_SHIMS_MANAGEMENT_CALLS_H
