// SPDX-License-Identifier: Apache-2.0
#include "testbench/snapshot.hpp"

namespace dlcert::testbench {

Snapshot::Snapshot(const Managed& managed)
    : tensor_{managed.tensor()},
      spec_{described_spec(managed)},
      logical_{gather_exported(managed)} {}

void Snapshot::expect_unchanged(const Managed& managed) const {
  const DLTensor& now = managed.tensor();
  expect(tensor_.data == now.data && tensor_.byte_offset == now.byte_offset,
         "data of an export: expected it unmoved but found another address");
  expect(tensor_.shape == now.shape && tensor_.strides == now.strides,
         "shape and strides of an export: expected them unmoved but found other addresses");
  const TensorSpec spec = described_spec(managed);
  expect_equal("dtype", spec_.dtype, spec.dtype);
  expect_equal("shape", spec_.shape, spec.shape);
  expect_equal("strides", spec_.strides, spec.strides);
  in_elements(managed, logical_,
              [&] { expect_equal("elements", logical_, gather_exported(managed)); });
}

}  // namespace dlcert::testbench
