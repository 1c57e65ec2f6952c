// SPDX-License-Identifier: Apache-2.0
//
// Entry points for which no default stream is chosen.

#include "shims/cuda/cuda_attributes.hpp"
#include "shims/cuda/cuda_shim.hpp"
#include "shims/common/ipc.inc"
#include "shims/common/runtime.inc"
#include "shims/common/variables.inc"

namespace dlcert::shim {

const driver::Vendor vendor = driver::Vendor::cuda;
const char* const library = "libcudart";

}  // namespace dlcert::shim

extern "C" cudaError_t cudaGraphInstantiate(cudaGraphExec_t* out, cudaGraph_t graph,
                                            unsigned long long flags) {
  return instantiate(out, graph, flags);
}

extern "C" cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                       cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}
