// SPDX-License-Identifier: Apache-2.0

#include "sparse_element.hpp"
#include "sparse_launch.hpp"

namespace dlcert::cuda {
namespace {

constexpr unsigned threads = 256;
constexpr std::int64_t most_blocks = 65535;

__global__ void multiply_sparse(SparseProduct product) {
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t element = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
       element < element_count(product); element += stride)
    compute_element(product, element);
}

}  // namespace
}  // namespace dlcert::cuda

dlcert::driver::Status dlcert_launch_sparse_product(dlcert::driver::Stream stream,
                                                    const dlcert::cuda::SparseProduct& product) {
  using namespace dlcert::cuda;
  const std::int64_t elements = element_count(product);
  if (elements == 0) return dlcert::driver::Status::success;  // an empty grid is an error
  const std::int64_t needed = (elements - 1) / threads + 1;
  const auto blocks = static_cast<unsigned>(needed < most_blocks ? needed : most_blocks);
  multiply_sparse<<<blocks, threads, 0, reinterpret_cast<cudaStream_t>(stream)>>>(product);
  return static_cast<dlcert::driver::Status>(cudaGetLastError());
}
