// SPDX-License-Identifier: Apache-2.0
#include "shims/management/calls.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SYMBOLS_AT_MOST = 512, FILE_AT_MOST = 1 << 20 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct management_settings settings;
static unsigned initializations;
static uint32_t calls_of[SYMBOLS_AT_MOST];

// A lock that another thread holds at a fork is never released in the child.
static void start_child_unlocked(void) {
  const pthread_mutex_t unlocked = PTHREAD_MUTEX_INITIALIZER;
  lock = unlocked;
}

// Calls before the first initialisation have no settings, and so no trace.
__attribute__((constructor)) static void start(void) {
  settings.trace_descriptor = -1;
  pthread_atfork(NULL, NULL, start_child_unlocked);
}

static bool knows_symbol(const char* symbol) {
  for (size_t i = 0; management_symbols[i] != NULL; ++i) {
    if (strcmp(management_symbols[i], symbol) == 0) {
      return true;
    }
  }
  // Another library may know it: it reads the same settings.
  const char* const other = strncmp(management_library.prefix, "nvml", 4) == 0 ? "amdsmi" : "nvml";
  return strncmp(symbol, other, strlen(other)) == 0;
}

// ---- Settings -----------------------------------------------------------------------------------

static bool read_file(const char* path, char problem[MANAGEMENT_PROBLEM]) {
  static char text[FILE_AT_MOST];
  FILE* const file = fopen(path, "re");
  if (file == NULL) {
    snprintf(problem, MANAGEMENT_PROBLEM,
             "DLCERT_MANAGEMENT_FILE: expected a file but found '%.200s': %s", path,
             strerror(errno));
    return false;
  }
  const size_t size = fread(text, 1, sizeof text, file);
  const bool whole = !ferror(file) && size < sizeof text;
  fclose(file);
  if (!whole) {
    snprintf(problem, MANAGEMENT_PROBLEM,
             "DLCERT_MANAGEMENT_FILE: expected a file of less than 1 MiB but found '%.200s'", path);
    return false;
  }
  return management_parse(&settings, text, size, path, knows_symbol, problem);
}

static bool read_settings(void) {
  char problem[MANAGEMENT_PROBLEM] = "";
  management_defaults(&settings, management_library.default_power);
  const char* const path = getenv("DLCERT_MANAGEMENT_FILE");
  const char* const text = getenv("DLCERT_MANAGEMENT");
  if ((path == NULL || *path == '\0' || read_file(path, problem)) &&
      (text == NULL ||
       management_parse(&settings, text, strlen(text), NULL, knows_symbol, problem))) {
    return true;
  }
  fprintf(stderr, "%s\n", problem);
  management_defaults(&settings, management_library.default_power);
  return false;
}

const struct management_settings* management_current(void) {
  return &settings;
}

// ---- Calls --------------------------------------------------------------------------------------

static void trace(const struct management_call* call, const char* outcome) {
  const bool is_open = settings.trace_descriptor >= 0;
  if (!is_open && settings.trace[0] == '\0') {
    return;
  }
  char line[sizeof call->arguments + 128];
  const int size =
      snprintf(line, sizeof line, "%s(%s) = %s\n", call->symbol, call->arguments, outcome);
  const int file = is_open ? settings.trace_descriptor
                           : open(settings.trace, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0 || write(file, line, (size_t)size) != size) {
    fprintf(stderr, "DLCERT_MANAGEMENT: trace: expected to write to '%s' but found: %s\n",
            is_open ? "trace.descriptor" : settings.trace, strerror(errno));
  }
  if (file >= 0 && !is_open) {
    close(file);
  }
}

static uint32_t count_call(const char* symbol) {
  for (size_t i = 0; management_symbols[i] != NULL && i < SYMBOLS_AT_MOST; ++i) {
    if (strcmp(management_symbols[i], symbol) == 0) {
      return ++calls_of[i];
    }
  }
  return 0;
}

static const struct management_fault* fault_of(const char* symbol, uint32_t nth) {
  for (uint32_t i = settings.fault_count; i > 0; --i) {
    const struct management_fault* const fault = &settings.faults[i - 1];
    if (strcmp(fault->symbol, symbol) == 0 && (fault->nth == 0 || fault->nth == nth)) {
      return fault;
    }
  }
  return NULL;
}

// True where the function is to do its work. Called with the lock, which a hang gives back.
static bool suffer_faults(struct management_call* call, uint32_t* code) {
  const uint32_t nth = count_call(call->symbol);
  const struct management_fault* const fault = fault_of(call->symbol, nth);
  call->garbage = fault != NULL && fault->kind == MANAGEMENT_GARBAGE;
  if (fault == NULL || call->garbage) {
    return true;
  }
  if (fault->kind == MANAGEMENT_CRASH) {
    trace(call, "crash");
    raise(SIGSEGV);
  }
  if (fault->kind == MANAGEMENT_HANG) {
    trace(call, "hang");
    pthread_mutex_unlock(&lock);
    while (true) {
      pause();
    }
  }
  *code = fault->code;
  return false;
}

uint32_t management_end(struct management_call* call, uint32_t code) {
  char number[16];
  snprintf(number, sizeof number, "%u", code);
  trace(call, number);
  pthread_mutex_unlock(&lock);
  return code;
}

bool management_begin(struct management_call* call, const char* symbol, bool initialized,
                      uint32_t* code, const char* format, ...) {
  call->symbol = symbol;
  pthread_mutex_lock(&lock);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(call->arguments, sizeof call->arguments, format, arguments);
  va_end(arguments);
  if (!suffer_faults(call, code)) {
    management_end(call, *code);
    return false;
  }
  if (initialized && initializations == 0) {
    *code = management_end(call, management_library.uninitialized);
    return false;
  }
  return true;
}

uint32_t management_initialize(const char* symbol, const char* arguments) {
  struct management_call call = {.symbol = symbol};
  snprintf(call.arguments, sizeof call.arguments, "%s", arguments);
  pthread_mutex_lock(&lock);
  uint32_t code = 0;
  if (initializations == 0 && !read_settings()) {
    code = management_library.malformed_settings;
  } else if (suffer_faults(&call, &code)) {
    ++initializations;
  }
  return management_end(&call, code);
}

uint32_t management_shut_down(const char* symbol) {
  struct management_call call;
  uint32_t code = 0;
  if (!management_begin(&call, symbol, true, &code, "%s", "")) {
    return code;
  }
  --initializations;
  return management_end(&call, 0);
}

// ---- Outputs ------------------------------------------------------------------------------------

void management_put_number(const struct management_call* call, uint32_t* to, uint32_t value) {
  *to = call->garbage ? UINT32_C(1) << 31 : value;
}

void management_put_bytes(const struct management_call* call, uint64_t* to, uint64_t value) {
  *to = call->garbage ? UINT64_C(1) << 31 : value;
}

void management_put_text(const struct management_call* call, char* to, size_t size,
                         const char* text) {
  if (call->garbage) {
    memset(to, 0xC3, size);
  } else {
    snprintf(to, size, "%s", text);
  }
}
