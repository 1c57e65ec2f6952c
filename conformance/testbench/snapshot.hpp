// SPDX-License-Identifier: Apache-2.0
//
// Keeps what an export is before something happens that must not change it. A difference afterwards
// is a fact of the check's own requirement, whatever is wrong with the export itself.
#pragma once

#include "testbench/exports.hpp"

namespace dlcert::testbench {

// Everything that a managed tensor says, and what it points to.
class Snapshot {
 public:
  explicit Snapshot(const Managed& managed);

  void expect_unchanged(const Managed& managed) const;

 private:
  DLTensor tensor_;
  TensorSpec spec_;
  Bytes logical_;
};

}  // namespace dlcert::testbench
