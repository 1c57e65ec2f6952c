/* SPDX-License-Identifier: Apache-2.0
 *
 * A library with as much memory for each thread as those of allocators and sanitizers have, which
 * it must have from the program's start. */

enum { bytes = 32768 };

__attribute__((visibility("default"))) char* memory_of_thread(void);

char* memory_of_thread(void) {
  static _Thread_local char memory[bytes] __attribute__((tls_model("initial-exec")));
  return memory;
}
