/* SPDX-License-Identifier: Apache-2.0 */
#include <dlcert/adapter.h>

/* Where nvcc leaves code for devices. */
extern DLCERT_EXPORT const int fat_binary_of_nothing;
__attribute__((section(".nvFatBinSegment"))) const int fat_binary_of_nothing = 0;
