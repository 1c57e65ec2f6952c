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
// what it claims on the devices of `platform`'s vendor if the process has them, while the phase is
// `running`; nothing on Platform::any.
Inventory take_inventory(const Suite& suite, std::span<const AdapterSource> adapters,
                         Platform platform, const std::function<void(Phase)>& reached);

// What a loaded library says of itself.
AdapterInfo description_of(const Library& library);

// What of it stands in this process, as its user would name it.
LoadedAdapter loaded_adapter(const Library& library);

// In what a library describes itself otherwise than it did, in one line; empty: in nothing.
std::string difference(const AdapterInfo& before, const AdapterInfo& now);

}  // namespace dlcert
