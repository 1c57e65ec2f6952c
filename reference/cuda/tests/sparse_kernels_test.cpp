// SPDX-License-Identifier: Apache-2.0
//
// Source of the rules: torch 2.4, _WrappedTritonKernel, _register_triton_kernels.

#include <array>
#include <cstring>
#include <random>
#include <span>

#include "runtime_fixture.hpp"

namespace dlcert::cuda {
namespace {

class SparseKernelsTest : public RuntimeTest {
 protected:
  /// Memory that host and device reach, of the world.
  template <class T>
  T* shared(std::span<const T> values) {
    void* memory = nullptr;
    EXPECT_EQ(driver_.allocate(driver::MemoryKind::managed, values.size_bytes(), memory),
              driver::Status::success);
    std::memcpy(memory, values.data(), values.size_bytes());
    return static_cast<T*>(memory);
  }

  SparseKernel& kernel(std::string_view name) {
    init();
    SparseKernel* const found = cuda().kernels().find(name);
    EXPECT_NE(found, nullptr);
    return *found;
  }
};

TEST_F(SparseKernelsTest, BothAreRegisteredAtInitializationOnlyIfTritonIsFoundOutsideDeploy) {
  const std::vector<std::string> both{"_triton_bsr_dense_addmm_out", "_triton_bsr_dense_mm_out"};
  EXPECT_TRUE(cuda().kernels().registered().empty());
  init();
  EXPECT_EQ(cuda().kernels().registered(), both);
  make({.triton = false});
  init();
  EXPECT_TRUE(cuda().kernels().registered().empty());
  make({.deploy = true});
  init();
  EXPECT_EQ(cuda().kernels().find(SparseKernels::product), nullptr);
}

// [1 2 | 0 0]   [1 2]
// [3 4 | 0 0] @ [3 4]
// [0 0 | 5 6]   [5 6]
// [0 0 | 7 8]   [7 8]
TEST_F(SparseKernelsTest, MultipliesOnTheCurrentStreamAndRemembersThatItWasInvoked) {
  SparseKernel& multiply = kernel(SparseKernels::product);
  const std::array<std::int64_t, 3> starts{0, 1, 2};
  const std::array<std::int64_t, 2> columns{0, 1};
  const std::array<float, 8> values{1, 2, 3, 4, 5, 6, 7, 8}, nothing{};
  float* const out = shared<float>(nothing);
  const SparseProduct product{.sparse = {2, 2, 2, 2, shared<std::int64_t>(starts),
                                         shared<std::int64_t>(columns), shared<float>(values)},
                              .dense = shared<float>(values),
                              .out = out,
                              .width = 2};
  cuda().streams().set(cuda().streams().take(std::int64_t{0}));
  EXPECT_FALSE(multiply.kernel_invoked());
  multiply(product);
  EXPECT_TRUE(multiply.kernel_invoked());
  EXPECT_FALSE(cuda().streams().query(cuda().streams().current({})));
  cuda().work().synchronize({});
  EXPECT_EQ(std::vector<float>(out, out + 8), (std::vector<float>{7, 10, 15, 22, 67, 78, 91, 106}));
  EXPECT_FALSE(kernel(SparseKernels::addmm).kernel_invoked());
}

TEST_F(SparseKernelsTest, AddsTheProductToAScaledInput) {
  std::mt19937 random(7);
  constexpr std::int64_t rows = 3, columns = 4, block_rows = 2, block_columns = 3, width = 5;
  const auto draw = [&](std::size_t count) {
    std::vector<float> values(count);
    for (float& each : values)
      each = static_cast<float>(static_cast<int>(random() % 9) - 4);
    return values;
  };
  const std::array<std::int64_t, 4> starts{0, 2, 2, 5};
  const std::array<std::int64_t, 5> block_column{1, 3, 0, 2, 3};
  const std::vector<float> blocks = draw(5 * block_rows * block_columns);
  const std::vector<float> dense = draw(columns * block_columns * width);
  const std::vector<float> input = draw(rows * block_rows * width);

  std::vector<float> expected = input;
  for (float& each : expected)
    each *= 0.5F;
  for (std::size_t row = 0; row < rows; ++row)
    for (auto at = starts[row]; at < starts[row + 1]; ++at)
      for (std::int64_t i = 0; i < block_rows; ++i)
        for (std::int64_t k = 0; k < block_columns; ++k)
          for (std::int64_t j = 0; j < width; ++j) {
            const auto block = static_cast<std::size_t>((at * block_rows + i) * block_columns + k);
            const std::int64_t dense_row =
                block_column[static_cast<std::size_t>(at)] * block_columns + k;
            expected[(row * block_rows + static_cast<std::size_t>(i)) * width +
                     static_cast<std::size_t>(j)] +=
                2 * blocks[block] * dense[static_cast<std::size_t>(dense_row * width + j)];
          }

  float* const out = shared<float>(input);
  const SparseProduct product{
      .sparse = {rows, columns, block_rows, block_columns, shared<std::int64_t>(starts),
                 shared<std::int64_t>(block_column), shared<float>(blocks)},
      .dense = shared<float>(dense),
      .input = out,
      .out = out,
      .width = width,
      .beta = 0.5F,
      .alpha = 2};
  kernel(SparseKernels::addmm)(product);
  cuda().work().synchronize({});
  EXPECT_EQ(std::vector<float>(out, out + expected.size()), expected);
}

TEST_F(SparseKernelsTest, AFailingCallDoesNotCountAsInvoked) {
  SparseKernel& multiply = kernel(SparseKernels::product);
  EXPECT_TRUE(says(error_of<ValueError>([&] { multiply({.width = -1}); }), {"-1"}));
  const std::array<std::int64_t, 2> starts{1, 0};
  EXPECT_THROW(multiply({.sparse = {.rows = 1, .row_starts = starts.data()}}), ValueError);
  EXPECT_FALSE(multiply.kernel_invoked());
}

}  // namespace
}  // namespace dlcert::cuda
