// SPDX-License-Identifier: Apache-2.0
//
// The forms that functions have had, as libraries built with older headers ask for them by version.

#include <cudaTypedefs.h>

#include "driver_fixture.hpp"

namespace dlcert::shim {
namespace {

class DriverForms : public DriverApi {
 protected:
  DriverForms() { enter(); }

  template <class Function>
  static Function find(const char* name, int version) {
    void* found = nullptr;
    EXPECT_EQ(cuGetProcAddress(name, &found, version, CU_GET_PROC_ADDRESS_DEFAULT, nullptr),
              CUDA_SUCCESS);
    return std::bit_cast<Function>(found);
  }
};

TEST_F(DriverForms, EachFormOfTheCaptureInfoTellsTheSame) {
  const CUstream on = stream();
  EXPECT_EQ(cuStreamBeginCapture(on, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
  EXPECT_EQ(cuMemsetD8Async(memory(4), 4, 4, on), CUDA_SUCCESS);
  std::array<CUstreamCaptureStatus, 3> states{};
  std::array<cuuint64_t, 3> ids{};
  std::array<CUgraph, 2> graphs{};
  std::array<const CUgraphNode*, 2> nodes{};
  std::array<std::size_t, 2> counts{};
  const CUgraphEdgeData* edges = nullptr;
  const char* const name = "cuStreamGetCaptureInfo";
  EXPECT_EQ(find<PFN_cuStreamGetCaptureInfo_v10010>(name, 11020)(on, states.data(), ids.data()),
            CUDA_SUCCESS);
  EXPECT_EQ(find<PFN_cuStreamGetCaptureInfo_v11030>(name, 12020)(
                on, &states[1], &ids[1], graphs.data(), nodes.data(), counts.data()),
            CUDA_SUCCESS);
  EXPECT_EQ(counts[0], 1u);
  const CUgraphNode node = *nodes[0];
  EXPECT_EQ(find<PFN_cuStreamGetCaptureInfo_v12030>(name, 12030)(
                on, &states[2], &ids[2], &graphs[1], &nodes[1], &edges, &counts[1]),
            CUDA_SUCCESS);
  EXPECT_EQ(*nodes[1], node);
  EXPECT_EQ(edges->type, 0);
  EXPECT_EQ(graphs[0], graphs[1]);
  for (const std::size_t form : {0u, 1u, 2u}) {
    EXPECT_EQ(states[form], CU_STREAM_CAPTURE_STATUS_ACTIVE);
    EXPECT_EQ(ids[form], ids[0]);
  }
}

TEST_F(DriverForms, ContextsAreMadeInTheFormOfEachVersion) {
  CUcontext second = nullptr, fourth = nullptr;
  EXPECT_EQ((find<PFN_cuCtxCreate_v3020>("cuCtxCreate", 11030)(&second, 0, 1)), CUDA_SUCCESS);
  EXPECT_EQ(current(), second);
  EXPECT_EQ((find<PFN_cuCtxCreate_v12050>("cuCtxCreate", 13000)(&fourth, nullptr, 0, 1)),
            CUDA_SUCCESS);
  EXPECT_EQ(current(), fourth);
}

TEST_F(DriverForms, IdentitiesAndTimesAreToldInEachForm) {
  CUuuid first{}, second{};
  EXPECT_EQ(find<PFN_cuDeviceGetUuid_v9020>("cuDeviceGetUuid", 9020)(&first, 1), CUDA_SUCCESS);
  EXPECT_EQ(find<PFN_cuDeviceGetUuid_v11040>("cuDeviceGetUuid", 13000)(&second, 1), CUDA_SUCCESS);
  EXPECT_EQ(std::memcmp(&first, &second, sizeof first), 0);
  CUevent start = nullptr;
  EXPECT_EQ(cuEventCreate(&start, CU_EVENT_DEFAULT), CUDA_SUCCESS);
  EXPECT_EQ(cuEventRecord(start, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cuEventSynchronize(start), CUDA_SUCCESS);
  for (const int version : {2000, 12080}) {
    float milliseconds = -1;
    const auto elapsed = find<PFN_cuEventElapsedTime_v2000>("cuEventElapsedTime", version);
    EXPECT_EQ(elapsed(&milliseconds, start, start), CUDA_SUCCESS);
    EXPECT_GE(milliseconds, 0);
  }
}

TEST_F(DriverForms, AnUploadIsNoWork) {
  const CUstream on = stream();
  CUgraph graph = nullptr;
  CUgraphExec executable = nullptr;
  EXPECT_EQ(cuStreamBeginCapture(on, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamEndCapture(on, &graph), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphInstantiateWithFlags(&executable, graph, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphUpload(executable, on), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamQuery(on), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphUpload(nullptr, on), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(DriverForms, AccessToAPoolIsTold) {
  CUmemoryPool pool = nullptr;
  CUmemAccess_flags flags{};
  EXPECT_EQ(cuDeviceGetDefaultMemPool(&pool, 0), CUDA_SUCCESS);
  for (const int device : {0, 1}) {
    CUmemLocation location{CU_MEM_LOCATION_TYPE_DEVICE, device};
    EXPECT_EQ(cuMemPoolGetAccess(&flags, pool, &location), CUDA_SUCCESS);
    EXPECT_EQ(flags,
              device == 0 ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : CU_MEM_ACCESS_FLAGS_PROT_NONE);
  }
}

}  // namespace
}  // namespace dlcert::shim
