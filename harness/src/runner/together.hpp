// SPDX-License-Identifier: Apache-2.0
//
// Which libraries can be loaded into one process. All are loaded together, in their order and in
// the opposite one; where that ends or hangs the process, the smallest set of them that does is
// looked for, and the rest is put into processes that load.
#pragma once

#include <cstddef>
#include <vector>

#include "records/job.hpp"
#include "report/matrix.hpp"
#include "runner/runner.hpp"

namespace dlcert {

struct Together {
  // Indices of adapters that load together, ascending: each pair that does not clash is in one.
  std::vector<std::vector<std::size_t>> groups;
  std::vector<Clash> clashes;  // each showed itself twice
};

// Loads the adapters of `inventory`, which all can be loaded alone, in workers of their own. A
// death that may be others' doing (SIGKILL, too much memory) is no clash.
Together find_together(const Inventory& inventory, const RunOptions& options);

}  // namespace dlcert
