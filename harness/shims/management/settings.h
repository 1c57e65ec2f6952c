// SPDX-License-Identifier: Apache-2.0
//
// What a stand-in for a management library answers, as DLCERT_MANAGEMENT and DLCERT_MANAGEMENT_FILE
// say it. README.md lists the settings.

#ifndef DLCERT_SHIMS_MANAGEMENT_SETTINGS_H
#define DLCERT_SHIMS_MANAGEMENT_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  MANAGEMENT_DEVICES = 256,  ///< The most that can be set.
  MANAGEMENT_FAULTS = 64,
  MANAGEMENT_CLOCKS = 4,
  MANAGEMENT_TEXT = 96,  ///< Of a device's texts, with the terminator.
  MANAGEMENT_PATH = 512,
  MANAGEMENT_PROBLEM = 512
};

/// A number that is not set. No setting has this value.
#define MANAGEMENT_UNSET UINT32_MAX

/// Bytes with no terminator; those behind `size` are 0. A size of 0: not set.
struct management_bytes {
  uint32_t size;
  unsigned char data[MANAGEMENT_TEXT];
};

/// One device. An empty text stands for the library's default.
struct management_device {
  char uuid[MANAGEMENT_TEXT];
  struct management_bytes uuid_bytes;  ///< NVML: what its buffer holds, in the place of the text.
  char serial[MANAGEMENT_TEXT];        ///< 1 to 16 hexadecimal digits.
  char name[MANAGEMENT_TEXT];
  char mig[MANAGEMENT_TEXT];  ///< Of the one MIG device; empty: MIG is off.
  char pci[MANAGEMENT_TEXT];  ///< domain:bus:device.function, in hexadecimal.
  uint32_t utilization_gpu;   ///< Percent, as the next.
  uint32_t utilization_memory;
  uint32_t temperature;               ///< Degrees Celsius.
  uint32_t power;                     ///< In the unit of the library: NVML mW, AMD SMI W.
  uint32_t power_average;             ///< AMD SMI: watts; MANAGEMENT_UNSET: as power.
  uint32_t clock[MANAGEMENT_CLOCKS];  ///< MHz; in NVML's order: graphics, SM, memory, video.
  uint64_t memory_total;              ///< Bytes, as the next.
  uint64_t memory_used;
};

enum management_fault_kind {
  MANAGEMENT_FAIL,
  MANAGEMENT_HANG,
  MANAGEMENT_CRASH,
  MANAGEMENT_GARBAGE
};

/// What goes wrong in calls of one symbol.
struct management_fault {
  enum management_fault_kind kind;
  char symbol[MANAGEMENT_TEXT];
  uint32_t code;  ///< Of MANAGEMENT_FAIL.
  uint32_t nth;   ///< The one call that fails, from 1 up; 0: every call.
};

struct management_settings {
  uint32_t device_count;
  uint32_t
      described;  ///< Devices that have a record: those that there are, and those that were named.
  struct management_device undescribed;  ///< What holds for the others.
  struct management_device devices[MANAGEMENT_DEVICES];
  uint32_t fault_count;
  struct management_fault faults[MANAGEMENT_FAULTS];  ///< A later one counts before an earlier one.
  char trace[MANAGEMENT_PATH];                        ///< Empty: no trace.
  int32_t trace_descriptor;                           ///< Open for appending; -1: `trace` counts.
};

/// Which symbols a fault may name; the settings of one process may be meant for several libraries.
typedef bool (*management_knows_symbol)(const char* symbol);

/// Sets what holds where nothing is said: one device that draws `power`.
void management_defaults(struct management_settings* settings, uint32_t power);

/// Adds the settings in `size` bytes at `text`. They are separated by ';', or, when `file` is not
/// NULL, by lines, where '#' starts a comment. False where one is malformed: then `problem` is one
/// line that names `file` and the line, or the variable, and `settings` is partly changed.
bool management_parse(struct management_settings* settings, const char* text, size_t size,
                      const char* file, management_knows_symbol knows,
                      char problem[MANAGEMENT_PROBLEM]);

#ifdef __cplusplus
}
#endif

#endif  // DLCERT_SHIMS_MANAGEMENT_SETTINGS_H
