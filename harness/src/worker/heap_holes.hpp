// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace dlcert {

// Takes, for good, what is free between the blocks of the heap, so that what a forked process
// allocates lies side by side: the copy of a page costs it more than all that it allocates there.
// Does nothing where the C library does not tell how much is free.
void fill_heap_holes();

}  // namespace dlcert
