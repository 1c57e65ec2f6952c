// SPDX-License-Identifier: Apache-2.0
//
// sparse_kernels_test: the reference's sparse kernels as CUDA runs them. The suite Launch is for
// the drop-in libcudart, which runs no kernel; the suite Result for a device.

#include <cstdio>
#include <exception>

#include "dlcert/driver/select.hpp"

#include "cuda/tests/runtime_fixture.hpp"
#include "cuda/tests/sparse_example.hpp"

namespace dlcert::cuda {
namespace {

class SparseKernelsOnCuda : public testing::Test {
 protected:
  SparseKernel& kernel(std::string_view name) {
    cuda_.initialization().initialize();
    SparseKernel* const found = cuda_.kernels().find(name);
    if (found == nullptr) throw std::runtime_error("the sparse kernels were not built here");
    return *found;
  }
  Cuda& cuda() { return cuda_; }
  static driver::Driver& driver() { return driver::driver(); }

 private:
  OwnParts parts_;
  Cuda cuda_{{}, [](const std::string&) {}, parts_};
};

class Launch : public SparseKernelsOnCuda {};
class Result : public SparseKernelsOnCuda {};

TEST_F(Launch, IsOneKernelInTheCurrentStream) {
  SparseKernel& multiply = kernel(SparseKernels::product);
  const SparseExample example = make_sparse_example(driver(), 1);
  const Stream stream = cuda().streams().take(std::int64_t{0});
  cuda().streams().set(stream);
  driver::SimulatedDriver& world = driver::simulated_driver();
  world.start_trace();
  multiply(example.product);
  std::vector<driver::Call> launches;
  for (const driver::Call& call : world.stop_trace())
    if (call.function == "launch" || call.function == "launch_host_function")
      launches.push_back(call);
  ASSERT_EQ(launches.size(), 1U);
  EXPECT_EQ(launches[0].function, "launch");
  EXPECT_EQ(launches[0].stream, stream.handle);
  EXPECT_FALSE(launches[0].waited);
  EXPECT_TRUE(multiply.kernel_invoked());
}

TEST_F(Launch, OfNothingIsNone) {
  SparseKernel& multiply = kernel(SparseKernels::product);
  driver::simulated_driver().start_trace();
  multiply({});
  for (const driver::Call& call : driver::simulated_driver().stop_trace())
    EXPECT_NE(call.function, "launch");
  EXPECT_TRUE(multiply.kernel_invoked());
}

TEST_F(Launch, InADestroyedStreamIsACudaError) {
  SparseKernel& multiply = kernel(SparseKernels::product);
  const SparseExample example = make_sparse_example(driver(), 1);
  driver::Stream gone{};
  ASSERT_EQ(driver().create_stream(driver::StreamKind::non_blocking, 0, gone),
            driver::Status::success);
  ASSERT_EQ(driver().destroy_stream(gone), driver::Status::success);
  cuda().streams().set(Stream{.id = 4711, .handle = gone});
  EXPECT_THROW(multiply(example.product), CudaError);
  EXPECT_FALSE(multiply.kernel_invoked());
}

TEST_F(Result, IsTheProductAddedToAScaledInput) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const SparseExample example = make_sparse_example(driver(), seed);
    kernel(SparseKernels::addmm)(example.product);
    cuda().work().synchronize({});
    EXPECT_EQ(result_of(example), example.expected) << "seed " << seed;
  }
}

}  // namespace
}  // namespace dlcert::cuda

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  try {
    static_cast<void>(dlcert::driver::select_driver("cuda"));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
  const int failed = RUN_ALL_TESTS();
  if (testing::UnitTest::GetInstance()->test_to_run_count() > 0) return failed;
  std::fputs("error: no test was selected\n", stderr);
  return 1;
}
