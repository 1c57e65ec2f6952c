// SPDX-License-Identifier: Apache-2.0
//
// Copies and fills that block do not always wait for their end: CUDA Runtime API, "API
// synchronization behavior".

#pragma once

#include "dlcert/driver/driver.hpp"

namespace dlcert::driver {

/// Whether a copy that blocks returns when it is done. One from pageable memory to a device returns
/// when the bytes have left, one between memories of devices at once. Of managed memory the manual
/// says nothing since CUDA 12; before, such copies waited, and no program is blamed for that.
[[nodiscard]] constexpr bool copy_waits_for_its_end(MemoryKind to, MemoryKind from) noexcept {
  return to != MemoryKind::device || from == MemoryKind::pinned || from == MemoryKind::managed;
}

/// Whether a fill that blocks returns when it is done. CUDA names pinned memory alone; the tests of
/// HIP expect it of managed memory, too.
[[nodiscard]] constexpr bool fill_waits_for_its_end(Vendor vendor, MemoryKind of) noexcept {
  return of == MemoryKind::pinned || (of == MemoryKind::managed && vendor == Vendor::rocm);
}

}  // namespace dlcert::driver
