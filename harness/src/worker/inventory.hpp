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

struct Asked {
  Platform platform = Platform::any;  // the vendor of the devices on which claims are asked for
  bool all = true;                    // also for the checks, and for claims on the host
};

// The checks of the suite, and what each adapter says of itself: each is loaded and unloaded in
// turn, of which `reached` hears. One that is not usable has AdapterInfo::error set. Each is asked
// what it claims if the process has devices of the vendor: the phase is `running` before each
// few questions. Nothing is asked on Platform::any.
Inventory take_inventory(const Suite& suite, std::span<const AdapterSource> adapters,
                         const Asked& asked, const std::function<void(Phase)>& reached);

// What a loaded library says of itself.
AdapterInfo description_of(const Library& library);

// Sets what the library claims in each role (AdapterInfo::tensors, no_tensors_on): in the memory of
// the process's devices, whose vendor is `asked.platform`, and where `asked.all` on the host. Calls
// `asking` before each few questions.
void ask_claims(const Library& library, const Asked& asked, AdapterInfo& info,
                const std::function<void()>& asking);

// What of it stands in this process, as its user would name it.
LoadedAdapter loaded_adapter(const Library& library);

// In what a library describes itself otherwise than it did, in one line; empty: in nothing.
std::string difference(const AdapterInfo& before, const AdapterInfo& now);

}  // namespace dlcert
