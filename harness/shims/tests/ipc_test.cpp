// SPDX-License-Identifier: Apache-2.0
//
// Handles for other processes. Source: CUDA Runtime API, cudaIpcGetMemHandle and so on; that the
// process which made a handle may not open it, HIP Runtime API, hipIpcOpenEventHandle.

#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "shim_fixture.hpp"

namespace dlcert::shim {
namespace {

constexpr int own_process = 201;  // invalid context, cudaErrorDeviceUninitialized

class Ipc : public ShimTest {
 protected:
  static cudaEvent_t new_event(unsigned int flags) {
    cudaEvent_t event = nullptr;
    EXPECT_EQ(cudaEventCreateWithFlags(&event, flags), cudaSuccess);
    return event;
  }
};

TEST_F(Ipc, AHandleOfMemoryIsOpenedByOthersOnly) {
  cudaIpcMemHandle_t handle{};
  void* opened = nullptr;
  ASSERT_EQ(cudaIpcGetMemHandle(&handle, device_memory(64)), cudaSuccess);
  EXPECT_EQ(static_cast<int>(cudaIpcOpenMemHandle(&opened, handle, cudaIpcMemLazyEnablePeerAccess)),
            own_process);
  EXPECT_EQ(opened, nullptr);
}

TEST_F(Ipc, EachMemoryHasAHandleOfItsOwn) {
  cudaIpcMemHandle_t first{}, again{}, other{};
  std::byte* const memory = device_memory(64);
  ASSERT_EQ(cudaIpcGetMemHandle(&first, memory), cudaSuccess);
  ASSERT_EQ(cudaIpcGetMemHandle(&again, memory), cudaSuccess);
  ASSERT_EQ(cudaIpcGetMemHandle(&other, device_memory(64)), cudaSuccess);
  EXPECT_EQ(std::memcmp(&first, &again, sizeof first), 0);
  EXPECT_NE(std::memcmp(&first, &other, sizeof first), 0);
}

TEST_F(Ipc, WhatIsNoWholeDeviceMemoryHasNoHandle) {
  cudaIpcMemHandle_t handle{};
  void* pinned = nullptr;
  ASSERT_EQ(cudaMallocHost(&pinned, 64), cudaSuccess);
  EXPECT_EQ(cudaIpcGetMemHandle(&handle, pinned), cudaErrorInvalidValue);
  EXPECT_EQ(cudaIpcGetMemHandle(&handle, device_memory(64) + 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaIpcGetMemHandle(&handle, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaIpcGetMemHandle(nullptr, device_memory(64)), cudaErrorInvalidValue);
}

TEST_F(Ipc, WhatIsNoHandleIsRefused) {
  const cudaIpcMemHandle_t none{};
  void* opened = nullptr;
  EXPECT_EQ(cudaIpcOpenMemHandle(&opened, none, cudaIpcMemLazyEnablePeerAccess),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaIpcOpenMemHandle(&opened, none, cudaIpcMemLazyEnablePeerAccess + 2),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaIpcOpenMemHandle(nullptr, none, cudaIpcMemLazyEnablePeerAccess),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaIpcCloseMemHandle(device_memory(64)), cudaErrorInvalidValue);
}

TEST_F(Ipc, AHandleOfAnEventIsOpenedByOthersOnly) {
  cudaIpcEventHandle_t handle{};
  cudaEvent_t opened = nullptr;
  const cudaEvent_t event = new_event(cudaEventDisableTiming | cudaEventInterprocess);
  ASSERT_EQ(cudaIpcGetEventHandle(&handle, event), cudaSuccess);
  EXPECT_EQ(static_cast<int>(cudaIpcOpenEventHandle(&opened, handle)), own_process);
  EXPECT_EQ(cudaIpcOpenEventHandle(&opened, {}), cudaErrorInvalidValue);
  EXPECT_EQ(cudaIpcOpenEventHandle(nullptr, handle), cudaErrorInvalidValue);
}

TEST_F(Ipc, OnlyEventsForOtherProcessesHaveAHandle) {
  cudaIpcEventHandle_t handle{};
  const cudaEvent_t own = new_event(cudaEventDisableTiming);
  const cudaEvent_t ended = new_event(cudaEventDisableTiming | cudaEventInterprocess);
  ASSERT_EQ(cudaEventDestroy(ended), cudaSuccess);
  EXPECT_EQ(static_cast<int>(cudaIpcGetEventHandle(&handle, own)), 400);
  EXPECT_EQ(static_cast<int>(cudaIpcGetEventHandle(&handle, ended)), 400);
  EXPECT_EQ(cudaIpcGetEventHandle(nullptr, own), cudaErrorInvalidValue);
}

TEST_F(Ipc, InAnotherProcessHandlesAreNotModelled) {
  cudaIpcMemHandle_t handle{};
  ASSERT_EQ(cudaIpcGetMemHandle(&handle, device_memory(64)), cudaSuccess);
  const pid_t child = ::fork();
  if (child == 0) {
    void* opened = nullptr;
    static_cast<void>(driver_.take_limits());
    const bool refused = cudaIpcOpenMemHandle(&opened, handle, cudaIpcMemLazyEnablePeerAccess) ==
                         cudaErrorNotSupported;
    const bool noted = driver_.take_limits().size() == 1;
    ::_exit(refused && noted ? 0 : 1);
  }
  int state = 0;
  ASSERT_EQ(::waitpid(child, &state, 0), child);
  EXPECT_TRUE(WIFEXITED(state) && WEXITSTATUS(state) == 0);
}

}  // namespace
}  // namespace dlcert::shim
