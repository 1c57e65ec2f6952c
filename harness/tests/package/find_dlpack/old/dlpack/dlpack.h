// SPDX-License-Identifier: Apache-2.0
// All that the find module reads of a header of the 0.x line.
#define DLPACK_VERSION 60
