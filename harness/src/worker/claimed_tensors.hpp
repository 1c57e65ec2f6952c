// SPDX-License-Identifier: Apache-2.0
//
// Asks a library which tensors it claims.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include <dlcert/suite/claimed_tensors.hpp>
#include <dlcert/suite/party.hpp>

namespace dlcert {

// The tensors of ranks 0 to 8 that `party` claims in these memories, by rank. Likely shapes are
// asked for: a library that claims none of them claims nothing here. Some thousand calls of can(),
// of which `asking` announces the first and then some at a time.
std::vector<ClaimedTensors> find_claimed_tensors(const Party& party,
                                                 std::span<const dlcert_device> memories,
                                                 const std::function<void()>& asking);

}  // namespace dlcert
