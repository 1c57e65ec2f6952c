// SPDX-License-Identifier: Apache-2.0
//
// The answer to Job::Mode::describe.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "records/job.hpp"
#include "records/loaded.hpp"
#include "records/records.hpp"
#include "worker/library.hpp"

namespace dlcert {

// The checks of the suite, and what each adapter says of itself: each is loaded and unloaded in
// turn, of which `reached` hears. One that is not usable has AdapterInfo::error set. Each is asked
// what it claims if the process has devices of `platform`'s vendor, while the phase is `running`:
// on them and, of CUDA's process, on the host; nothing on Platform::any.
Inventory take_inventory(const Suite& suite, std::span<const AdapterSource> adapters,
                         Platform platform, const std::function<void(Phase)>& reached);

// What a loaded library says of itself.
AdapterInfo description_of(const Library& library);

// Sets what the library claims in each role (AdapterInfo::tensors, no_tensors_on): in the memory of
// the process's devices, whose vendor is `platform`, and where `with_host` on the host.
void ask_claims(const Library& library, Platform platform, bool with_host, AdapterInfo& info);

// What of it stands in this process, as its user would name it.
LoadedAdapter loaded_adapter(const Library& library);

// In what a library describes itself otherwise than it did, in one line; empty: in nothing.
std::string difference(const AdapterInfo& before, const AdapterInfo& now);

}  // namespace dlcert
