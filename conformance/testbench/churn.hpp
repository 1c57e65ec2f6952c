// SPDX-License-Identifier: Apache-2.0
//
// Life going on in a library, so that memory which it freed too early gets other contents.
#pragma once

#include <vector>

#include "generators/exports.hpp"
#include "testbench/memory.hpp"

namespace dlcert {

// Tensors of the producer like `source` and of the same rank with other extents, and exports of
// them: whoever takes a block of the same size gets what was freed last. They live as long as this.
class Churn {
 public:
  Churn(Case& c, const Source& source);

 private:
  void add(Case& c, const TensorSpec& spec, const Bytes& logical);

  std::vector<Tensor> tensors_;
  std::vector<Exported> exports_;
  StirredHeap heap_;
};

}  // namespace dlcert
