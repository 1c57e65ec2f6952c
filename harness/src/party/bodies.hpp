// SPDX-License-Identifier: Apache-2.0
//
// Functions of a check that run inside a library's frame, which no exception may cross. Implemented
// in gpu_party.cpp.
#pragma once

namespace dlcert {

// Throws on what ended a case inside a body, once the library's frame is left; else does nothing.
void rethrow_from_body();

}  // namespace dlcert
