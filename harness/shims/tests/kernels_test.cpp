// SPDX-License-Identifier: Apache-2.0
//
// Kernels as the code that nvcc writes registers and launches them.

#include <optional>

#include "registered_code.hpp"
#include "shim_fixture.hpp"

extern "C" {
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes, void* stream);
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared_bytes, void* stream);
}

namespace dlcert::shim {
namespace {

// An object file with one kernel.
class ObjectFile {
 public:
  ObjectFile() { code_.emplace().add_kernel(&stub_, "_Z3addPf"); }
  ObjectFile(const ObjectFile&) = delete;
  ObjectFile& operator=(const ObjectFile&) = delete;
  ~ObjectFile() = default;

  void unload() { code_.reset(); }

  [[nodiscard]] int launch(cudaStream_t stream, dim3 grid = 1, dim3 block = 1) const {
    return static_cast<int>(cudaLaunchKernel(&stub_, grid, block, nullptr, 0, stream));
  }

 private:
  std::optional<RegisteredCode> code_;
  char stub_ = 0;
};

using KernelsTest = ShimTest;

TEST_F(KernelsTest, ALaunchIsPendingInItsStream) {
  const ObjectFile object;
  const cudaStream_t stream = new_stream();
  EXPECT_EQ(object.launch(stream), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(driver_.opaque_launches(), 1u);
}

TEST_F(KernelsTest, AGridOrABlockWithoutThreadsIsRefused) {
  const ObjectFile object;
  EXPECT_EQ(object.launch(nullptr, dim3(0)), cudaErrorInvalidConfiguration);
  EXPECT_EQ(object.launch(nullptr, dim3(1), dim3(1, 0)), cudaErrorInvalidConfiguration);
  EXPECT_EQ(object.launch(nullptr, dim3(1), dim3(1025)), cudaErrorInvalidConfiguration);
}

TEST_F(KernelsTest, AKernelEndsWithItsObjectFileAlone) {
  const ObjectFile stays;
  ObjectFile goes;
  EXPECT_EQ(goes.launch(nullptr), cudaSuccess);
  goes.unload();
  EXPECT_EQ(goes.launch(nullptr), cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(stays.launch(nullptr), cudaSuccess);
}

TEST_F(KernelsTest, AConfigurationIsPickedUpOnce) {
  ASSERT_EQ(__cudaPushCallConfiguration(dim3(2, 3, 4), dim3(5), 6, nullptr), 0u);
  dim3 grid, block;
  std::size_t shared_bytes = 0;
  cudaStream_t stream = nullptr;
  EXPECT_EQ(__cudaPopCallConfiguration(&grid, &block, &shared_bytes, &stream), cudaSuccess);
  EXPECT_EQ(grid.z, 4u);
  EXPECT_EQ(block.x, 5u);
  EXPECT_EQ(shared_bytes, 6u);
  EXPECT_EQ(__cudaPopCallConfiguration(&grid, &block, &shared_bytes, &stream),
            cudaErrorInvalidConfiguration);
}

}  // namespace
}  // namespace dlcert::shim
