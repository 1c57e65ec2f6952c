// SPDX-License-Identifier: Apache-2.0
//
// The tensors that the preflight tries, and the kinds of tensors by which claims are named.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <dlcert/suite/check.hpp>

namespace dlcert {

// Devices of one type, the first of each; `name` as in the preflight's table.
struct TriedDevice {
  std::string_view name;
  dlcert_device device;
};

// Those of a process that has devices of `platform`'s vendor; host memory is among those of
// Platform::cuda only, so that it is tried once.
std::vector<TriedDevice> tried_devices(Platform platform);

// The layouts that are tried on each device, and the tensors of one: each dtype of DLPack once,
// where it can lie so, in one shape or a few. A compact type that `party` claims in none of them
// also in a shape that it is known to claim (Party::claimed_tensors).
std::vector<std::string_view> tried_layouts();
std::vector<TensorSpec> specs_of(std::string_view layout, dlcert_device device, const Party& party);

// The names of the kinds of which `party` claims at least one tensor, in a process that has devices
// of `platform`'s vendor: "cpu-any", "complex", "cuda-memory", ...
std::vector<std::string> claimed_kinds(const Party& party, Platform platform);

// The memories of the process's devices, whose vendor is `platform`: of each device, pinned and
// managed.
std::vector<dlcert_device> memories_of(Platform platform);

// Whether `party` claims any tensor in memory of the process's devices, whose vendor is `platform`:
// on a device, pinned or managed. Each dtype of whole bytes is tried, and float32 in each small
// shape that the checks draw. Platform::any: on a further device of its own
// (plain_specs_on_further_devices).
bool claims_tensors_on(const Party& party, Platform platform);

// Whether a library says that it works on devices: by a tensor there that `party` claims, or by the
// groups in which it counts or uses them.
bool claims_devices(const Party& party);

}  // namespace dlcert
