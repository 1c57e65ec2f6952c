// SPDX-License-Identifier: Apache-2.0
//
// Forks, in the world that the environment gives: a child of a process that has called CUDA cannot
// use it, as with a real driver.

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

// Else TSan ends a forked child that starts a thread.
#if defined(__SANITIZE_THREAD__)
// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" __attribute__((visibility("default"))) const char* __tsan_default_options();
extern "C" const char* __tsan_default_options() {
  return "die_after_fork=0";
}
// NOLINTEND(bugprone-reserved-identifier)
#endif

namespace dlcert::shim {
namespace {

// Whether `body()` holds in a forked child, which ends then.
template <class Body>
bool holds_in_child(Body&& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body() ? 0 : 1);
  int state = 0;
  return ::waitpid(child, &state, 0) == child && WIFEXITED(state) && WEXITSTATUS(state) == 0;
}

bool works() {
  CUcontext context = nullptr;
  CUdeviceptr memory = 0;
  return cuInit(0) == CUDA_SUCCESS && cuDevicePrimaryCtxRetain(&context, 0) == CUDA_SUCCESS &&
         cuCtxSetCurrent(context) == CUDA_SUCCESS && cuMemAlloc(&memory, 64) == CUDA_SUCCESS &&
         cuMemsetD8(memory, 1, 64) == CUDA_SUCCESS && cuCtxSynchronize() == CUDA_SUCCESS;
}

bool is_not_initialized() {
  CUcontext context = nullptr;
  int count = 0;
  return cuInit(0) == CUDA_ERROR_NOT_INITIALIZED &&
         cuDevicePrimaryCtxRetain(&context, 0) == CUDA_ERROR_NOT_INITIALIZED &&
         cudaGetDeviceCount(&count) == cudaErrorInitializationError;
}

TEST(DriverFork, AChildOfAProcessThatNeverCalledCudaUsesIt) {
  EXPECT_TRUE(holds_in_child(works));
  EXPECT_TRUE(holds_in_child(works));
  EXPECT_TRUE(works());
}

TEST(DriverFork, AChildOfAProcessThatCalledTheDriverDoesNot) {
  ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
  EXPECT_TRUE(holds_in_child(is_not_initialized));
  EXPECT_TRUE(works());
}

TEST(DriverFork, AChildOfAProcessThatCalledTheRuntimeDoesNot) {
  int count = 0;
  ASSERT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
  EXPECT_TRUE(holds_in_child(is_not_initialized));
  EXPECT_TRUE(works());
}

}  // namespace
}  // namespace dlcert::shim
