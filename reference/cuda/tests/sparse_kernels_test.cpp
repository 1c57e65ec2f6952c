// SPDX-License-Identifier: Apache-2.0
//
// Source of the rules: torch 2.4, _WrappedTritonKernel, _register_triton_kernels.

#include <array>
#include <span>

#include "runtime_fixture.hpp"
#include "sparse_example.hpp"

namespace dlcert::cuda {
namespace {

class SparseKernelsTest : public RuntimeTest {
 protected:
  template <class T>
  T* shared(std::span<const T> values) {
    return managed_copy(driver_, values);
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
  auto* const out = shared<float>(nothing);
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
  const SparseExample example = make_sparse_example(driver_, 7);
  kernel(SparseKernels::addmm)(example.product);
  cuda().work().synchronize({});
  EXPECT_EQ(result_of(example), example.expected);
}

TEST_F(SparseKernelsTest, RefusesAMatrixThatIsNone) {
  SparseKernel& multiply = kernel(SparseKernels::product);
  const auto refusal = [&](const SparseProduct& product) {
    return error_of<ValueError>([&] { multiply(product); });
  };
  const auto matrix = [](const std::int64_t* starts, const std::int64_t* columns) {
    return SparseProduct{.sparse = {1, 4, 1, 1, starts, columns}, .width = 1};
  };
  constexpr std::int64_t many = std::int64_t{1} << 32;
  const std::array<std::int64_t, 2> late{1, 1}, backward{0, -1}, one_block{0, 1};
  const std::int64_t negative = -1, beyond = 4;
  EXPECT_TRUE(says(refusal({.width = -1}), {"0 or more", "-1"}));
  EXPECT_TRUE(says(refusal({.sparse = {.rows = many, .block_rows = many}, .width = 1}),
                   {"2^63", "4294967296 * 4294967296 * 1"}));
  EXPECT_TRUE(says(refusal(matrix(late.data(), nullptr)), {"row 0", "start at 0", "found 1"}));
  EXPECT_TRUE(says(refusal(matrix(backward.data(), nullptr)), {"row 0", "0 or later", "-1"}));
  EXPECT_TRUE(says(refusal(matrix(one_block.data(), &negative)), {"0 to 3", "block 0", "-1"}));
  EXPECT_TRUE(says(refusal(matrix(one_block.data(), &beyond)), {"0 to 3", "block 0", "found 4"}));
  EXPECT_FALSE(multiply.kernel_invoked());
}

TEST_F(SparseKernelsTest, ACallThatTheDriverRefusesDoesNotCountAsInvoked) {
  SparseKernel& multiply = kernel(SparseKernels::product);
  cuda().streams().set(Stream{.id = 4711, .handle = driver::Stream{4711}});
  EXPECT_THROW(multiply({}), CudaError);
  EXPECT_FALSE(multiply.kernel_invoked());
}

}  // namespace
}  // namespace dlcert::cuda
