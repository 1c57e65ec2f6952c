// SPDX-License-Identifier: Apache-2.0
//
// Every error that the comments of cuda_runtime_api.h list for a call is given by some use of it,
// or it is said why not.

#include <array>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "registered_code.hpp"
#include "shim_fixture.hpp"

namespace dlcert::shim {
namespace {

// What no use of a call makes the shim answer, by the error's name.
const std::map<std::string, std::string> never_given{
    {"cudaErrorUnknown", "nothing unknown happens"},
    {"cudaErrorNoKernelImageForDevice", "code for devices is not read"},
    {"cudaErrorMapBufferObjectFailed", "nothing is mapped"},
    {"cudaErrorTooManyPeers", "there is no most of peers"},
    {"cudaErrorDeviceUnavailable", "no other process uses a device"},
};

// The same of one call.
const std::set<std::string> not_given_by{
    "cudaOccupancyMaxActiveBlocksPerMultiprocessor cudaErrorInvalidDevice",  // it names none
    "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags cudaErrorInvalidDevice",
    "cudaOccupancyAvailableDynamicSMemPerBlock cudaErrorInvalidDevice",
    "cudaGetDeviceFlags cudaErrorInvalidDevice",
    "cudaDeviceGetTexture1DLinearMaxWidth cudaErrorUnsupportedLimit",  // all devices have it
    "cudaDeviceSetLimit cudaErrorMemoryAllocation",                    // a limit takes no memory
    "cudaStreamCopyAttributes cudaErrorNotSupported",
    "cudaStreamAttachMemAsync cudaErrorNotReady",
    "cudaIpcGetMemHandle cudaErrorNotSupported",  // handles are made, and opened nowhere
    "cudaIpcGetMemHandle cudaErrorMemoryAllocation",
    "cudaIpcCloseMemHandle cudaErrorNotSupported",
    "cudaIpcGetEventHandle cudaErrorNotSupported",
    "cudaIpcGetEventHandle cudaErrorMemoryAllocation",
    "cudaIpcOpenMemHandle cudaErrorNotSupported",  // ipc_test.cpp has these two, in a child
    "cudaIpcOpenEventHandle cudaErrorNotSupported",
    "cudaIpcOpenMemHandle cudaErrorInvalidResourceHandle",  // what is no handle is an invalid value
};

struct Use {
  std::string call;
  cudaError_t error;
  std::function<cudaError_t()> use;
};

std::string header() {
  std::ifstream file{DLCERT_CUDA_HEADER};
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// The errors that the comment before the declaration lists as what the call returns.
std::set<std::string> documented(const std::string& text, const std::string& call) {
  const std::size_t declared = text.find("CUDARTAPI " + call + "(");
  if (declared == std::string::npos) return {"no declaration"};
  const std::size_t comment = text.rfind("/**", declared);
  const std::size_t begin = std::min(text.find("\\return", comment), declared);
  const std::size_t end = std::min(text.find("\\note", begin), text.find("*/", begin));
  const std::string part = text.substr(begin, end - begin);
  static const std::regex error{"cudaError\\w+"};
  return {std::sregex_token_iterator{part.begin(), part.end(), error},
          std::sregex_token_iterator{}};
}

class DocumentedErrors : public ShimTest {
 protected:
  DocumentedErrors() {
    code_.add_kernel(&kernel_, "kernel");
    code_.add_variable(&variable_, "variable", sizeof variable_);
    EXPECT_EQ(cudaMallocManaged(&managed_, 4096, cudaMemAttachGlobal), cudaSuccess);
    EXPECT_EQ(cudaStreamDestroy(stale_), cudaSuccess);
    EXPECT_EQ(cudaEventCreateWithFlags(&own_event_, cudaEventDisableTiming), cudaSuccess);
    EXPECT_EQ(cudaIpcGetMemHandle(&memory_handle_, memory_), cudaSuccess);
    cudaEvent_t shared = nullptr;
    EXPECT_EQ(cudaEventCreateWithFlags(&shared, cudaEventDisableTiming | cudaEventInterprocess),
              cudaSuccess);
    EXPECT_EQ(cudaIpcGetEventHandle(&event_handle_, shared), cudaSuccess);
    config_.blockDim = dim3(32);
    cluster_.id = cudaLaunchAttributeClusterDimension;
    cluster_.val.clusterDim = {9, 1, 1};
    box_.srcPtr = {memory_, 8, 8, 2};
    box_.dstPtr = {memory_ + 32, 8, 8, 2};
    box_.extent = {8, 2, 2};
    box_.kind = cudaMemcpyDeviceToDevice;
    peer_.srcPtr = box_.srcPtr;
    peer_.dstPtr = box_.dstPtr;
    peer_.extent = box_.extent;
    peer_.dstDevice = 1;
  }

  cudaMemcpy3DParms box_with(std::size_t pitch, int kind) const {
    cudaMemcpy3DParms box = box_;
    box.srcPtr.pitch = pitch;
    box.kind = numbered<cudaMemcpyKind>(kind);
    return box;
  }
  cudaMemcpy3DPeerParms peer_with(std::size_t pitch, int device) const {
    cudaMemcpy3DPeerParms peer = peer_;
    peer.srcPtr.pitch = pitch;
    peer.srcDevice = device;
    return peer;
  }

  std::vector<Use> uses();
  void add_functions(std::vector<Use>& all);
  void add_devices(std::vector<Use>& all);
  void add_copies(std::vector<Use>& all);
  void add_symbols(std::vector<Use>& all);
  void add_streams_and_memory(std::vector<Use>& all);

  RegisteredCode code_;
  static constexpr char kernel_ = 0;
  static constexpr char unknown_ = 0;
  int variable_ = 0;
  int value_ = 0;
  std::size_t bytes_ = 0;
  void* address_ = nullptr;
  const char* name_ = nullptr;
  void* managed_ = nullptr;
  std::byte* memory_ = device_memory(64);
  cudaStream_t stale_ = new_stream();
  cudaEvent_t own_event_ = nullptr;
  cudaEvent_t opened_ = nullptr;
  cudaIpcMemHandle_t memory_handle_{};
  cudaIpcEventHandle_t event_handle_{};
  cudaLaunchConfig_t config_{};
  cudaLaunchAttribute cluster_{};
  cudaLaunchAttributeValue attribute_{};
  cudaFuncAttributes attributes_{};
  cudaMemcpy3DParms box_{};
  cudaMemcpy3DPeerParms peer_{};
};

#define DLCERT_USE(call, error, ...)               \
  all.push_back({#call, cudaError##error, [this] { \
                   static_cast<void>(this);        \
                   return call(__VA_ARGS__);       \
                 }})

void DocumentedErrors::add_functions(std::vector<Use>& all) {
  constexpr auto shared_bytes = cudaFuncAttributeMaxDynamicSharedMemorySize;
  DLCERT_USE(cudaFuncGetAttributes, InvalidDeviceFunction, &attributes_, &unknown_);
  DLCERT_USE(cudaFuncSetAttribute, InvalidDeviceFunction, &unknown_, shared_bytes, 0);
  DLCERT_USE(cudaFuncSetAttribute, InvalidValue, &kernel_, shared_bytes, -1);
  DLCERT_USE(cudaFuncSetCacheConfig, InvalidDeviceFunction, &unknown_, cudaFuncCachePreferNone);
  DLCERT_USE(cudaFuncGetName, InvalidDeviceFunction, &name_, &unknown_);
  DLCERT_USE(cudaFuncGetName, InvalidValue, nullptr, &kernel_);
  DLCERT_USE(cudaKernelSetAttributeForDevice, InvalidDeviceFunction, cudaKernel_t{}, shared_bytes,
             0, 0);
  DLCERT_USE(cudaKernelSetAttributeForDevice, InvalidValue, std::bit_cast<cudaKernel_t>(&kernel_),
             shared_bytes, -1, 0);
  DLCERT_USE(cudaOccupancyMaxActiveBlocksPerMultiprocessor, InvalidDeviceFunction, &value_,
             &unknown_, 32, 0);
  DLCERT_USE(cudaOccupancyMaxActiveBlocksPerMultiprocessor, InvalidValue, &value_, &kernel_, 0, 0);
  DLCERT_USE(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, InvalidDeviceFunction, &value_,
             &unknown_, 32, 0, 0);
  DLCERT_USE(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, InvalidValue, &value_,
             &kernel_, 32, 0, 2);
  DLCERT_USE(cudaOccupancyAvailableDynamicSMemPerBlock, InvalidDeviceFunction, &bytes_, &unknown_,
             1, 32);
  DLCERT_USE(cudaOccupancyAvailableDynamicSMemPerBlock, InvalidValue, &bytes_, &kernel_, 0, 32);
  DLCERT_USE(cudaOccupancyMaxPotentialClusterSize, InvalidDeviceFunction, &value_, &unknown_,
             &config_);
  DLCERT_USE(cudaOccupancyMaxPotentialClusterSize, InvalidValue, &value_, &kernel_, nullptr);
  DLCERT_USE(cudaOccupancyMaxActiveClusters, InvalidDeviceFunction, &value_, &unknown_, &config_);
  DLCERT_USE(cudaOccupancyMaxActiveClusters, InvalidValue, &value_, &kernel_, &config_);
  all.push_back({"cudaOccupancyMaxActiveClusters", cudaErrorInvalidClusterSize, [this] {
                   cudaLaunchConfig_t config = config_;
                   config.attrs = &cluster_;
                   config.numAttrs = 1;
                   return cudaOccupancyMaxActiveClusters(&value_, &kernel_, &config);
                 }});
}

void DocumentedErrors::add_devices(std::vector<Use>& all) {
  static const cudaChannelFormatDesc no_format{};
  static int no_device = 9;
  DLCERT_USE(cudaDeviceGetAttribute, InvalidDevice, &value_, cudaDevAttrWarpSize, 9);
  DLCERT_USE(cudaDeviceGetAttribute, InvalidValue, &value_, numbered<cudaDeviceAttr>(0), 0);
  DLCERT_USE(cudaDeviceGetP2PAttribute, InvalidDevice, &value_, cudaDevP2PAttrAccessSupported, 0,
             0);
  DLCERT_USE(cudaDeviceGetP2PAttribute, InvalidValue, &value_, numbered<cudaDeviceP2PAttr>(0), 0,
             1);
  DLCERT_USE(cudaDeviceGetTexture1DLinearMaxWidth, InvalidValue, &bytes_, &no_format, 0);
  DLCERT_USE(cudaChooseDevice, InvalidValue, &value_, nullptr);
  DLCERT_USE(cudaSetValidDevices, InvalidDevice, &no_device, 1);
  DLCERT_USE(cudaSetValidDevices, InvalidValue, nullptr, 1);
  DLCERT_USE(cudaSetDeviceFlags, InvalidValue, cudaDeviceMask + 1);
  DLCERT_USE(cudaInitDevice, InvalidDevice, 9, 0, 0);
  DLCERT_USE(cudaDeviceSetLimit, UnsupportedLimit, cudaLimitDevRuntimeSyncDepth, 2);
  DLCERT_USE(cudaDeviceGetLimit, UnsupportedLimit, &bytes_, cudaLimitDevRuntimeSyncDepth);
  DLCERT_USE(cudaDeviceGetLimit, InvalidValue, nullptr, cudaLimitStackSize);
  DLCERT_USE(cudaDeviceFlushGPUDirectRDMAWrites, NotSupported,
             cudaFlushGPUDirectRDMAWritesTargetCurrentDevice, cudaFlushGPUDirectRDMAWritesToOwner);
  all.push_back({"cudaDeviceSetLimit", cudaErrorInvalidValue, [this] {
                   driver_.restart({.vendor = own_vendor, .models = {{"Tesla V100", 7, 0}}});
                   const cudaError_t error = cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, 99);
                   return error;
                 }});
}

void DocumentedErrors::add_copies(std::vector<Use>& all) {
  const auto add = [&](const char* call, const char* async_call, cudaError_t error,
                       const cudaMemcpy3DParms& box) {
    all.push_back({call, error, [box] { return cudaMemcpy3D(&box); }});
    all.push_back({async_call, error, [box] { return cudaMemcpy3DAsync(&box, nullptr); }});
  };
  const auto add_peer = [&](cudaError_t error, const cudaMemcpy3DPeerParms& box) {
    all.push_back({"cudaMemcpy3DPeer", error, [box] { return cudaMemcpy3DPeer(&box); }});
    all.push_back(
        {"cudaMemcpy3DPeerAsync", error, [box] { return cudaMemcpy3DPeerAsync(&box, nullptr); }});
  };
  add("cudaMemcpy3D", "cudaMemcpy3DAsync", cudaErrorInvalidMemcpyDirection, box_with(8, 7));
  add("cudaMemcpy3D", "cudaMemcpy3DAsync", cudaErrorInvalidPitchValue, box_with(7, 3));
  add("cudaMemcpy3D", "cudaMemcpy3DAsync", cudaErrorInvalidValue, {});
  add_peer(cudaErrorInvalidDevice, peer_with(8, 9));
  add_peer(cudaErrorInvalidPitchValue, peer_with(7, 0));
  add_peer(cudaErrorInvalidValue, {});
  DLCERT_USE(cudaMemset3D, InvalidValue, {memory_, 7, 8, 2}, 0, {8, 2, 2});
  DLCERT_USE(cudaMemset3DAsync, InvalidValue, {memory_, 7, 8, 2}, 0, {8, 2, 2}, nullptr);
  all.push_back({"cudaMalloc3D", cudaErrorInvalidValue, [] {
                   return cudaMalloc3D(nullptr, {8, 2, 2});
                 }});
  all.push_back({"cudaMalloc3D", cudaErrorMemoryAllocation, [] {
                   cudaPitchedPtr memory{};
                   return cudaMalloc3D(&memory, {std::size_t{1} << 30, 1 << 10, 1});
                 }});
  DLCERT_USE(cudaMemcpyBatchAsync, InvalidValue, nullptr, nullptr, nullptr, 0, nullptr, nullptr, 0,
             cudaStreamPerThread);
  DLCERT_USE(cudaMemcpy3DBatchAsync, InvalidValue, 0, nullptr, 0, cudaStreamPerThread);
}

void DocumentedErrors::add_symbols(std::vector<Use>& all) {
  constexpr auto to = cudaMemcpyHostToDevice, from = cudaMemcpyDeviceToHost;
  constexpr cudaStream_t null = nullptr;
  DLCERT_USE(cudaMemcpyToSymbol, InvalidSymbol, &unknown_, &value_, 1, 0, to);
  DLCERT_USE(cudaMemcpyToSymbol, InvalidValue, &variable_, &value_, 4, 1, to);
  DLCERT_USE(cudaMemcpyToSymbol, InvalidMemcpyDirection, &variable_, &value_, 4, 0, from);
  DLCERT_USE(cudaMemcpyToSymbolAsync, InvalidSymbol, &unknown_, &value_, 1, 0, to, null);
  DLCERT_USE(cudaMemcpyToSymbolAsync, InvalidValue, &variable_, &value_, 4, 1, to, null);
  DLCERT_USE(cudaMemcpyToSymbolAsync, InvalidMemcpyDirection, &variable_, &value_, 4, 0, from,
             null);
  DLCERT_USE(cudaMemcpyFromSymbol, InvalidSymbol, &value_, &unknown_, 1, 0, from);
  DLCERT_USE(cudaMemcpyFromSymbol, InvalidValue, &value_, &variable_, 4, 1, from);
  DLCERT_USE(cudaMemcpyFromSymbol, InvalidMemcpyDirection, &value_, &variable_, 4, 0, to);
  DLCERT_USE(cudaMemcpyFromSymbolAsync, InvalidSymbol, &value_, &unknown_, 1, 0, from, null);
  DLCERT_USE(cudaMemcpyFromSymbolAsync, InvalidValue, &value_, &variable_, 4, 1, from, null);
  DLCERT_USE(cudaMemcpyFromSymbolAsync, InvalidMemcpyDirection, &value_, &variable_, 4, 0, to,
             null);
  DLCERT_USE(cudaGetSymbolAddress, InvalidSymbol, &address_, &unknown_);
  DLCERT_USE(cudaGetSymbolSize, InvalidSymbol, &bytes_, &unknown_);
}

void DocumentedErrors::add_streams_and_memory(std::vector<Use>& all) {
  constexpr auto policy = cudaStreamAttributeSynchronizationPolicy;
  constexpr auto advice = cudaMemAdviseSetAccessedBy;
  constexpr auto read_mostly = cudaMemRangeAttributeReadMostly;
  constexpr auto device = cudaMemLocationTypeDevice;
  constexpr unsigned int lazy = cudaIpcMemLazyEnablePeerAccess;
  DLCERT_USE(cudaStreamGetDevice, InvalidValue, nullptr, nullptr);
  DLCERT_USE(cudaStreamGetAttribute, InvalidResourceHandle, stale_, policy, &attribute_);
  DLCERT_USE(cudaStreamGetAttribute, InvalidValue, nullptr, policy, nullptr);
  DLCERT_USE(cudaStreamSetAttribute, InvalidResourceHandle, stale_, policy, &attribute_);
  DLCERT_USE(cudaStreamSetAttribute, InvalidValue, nullptr, policy, nullptr);
  DLCERT_USE(cudaStreamGetPriority, InvalidResourceHandle, stale_, &value_);
  DLCERT_USE(cudaStreamGetPriority, InvalidValue, nullptr, nullptr);
  DLCERT_USE(cudaStreamCreateWithPriority, InvalidValue, nullptr, 0, 0);
  DLCERT_USE(cudaStreamAttachMemAsync, InvalidResourceHandle, stale_, managed_, 0,
             cudaMemAttachSingle);
  DLCERT_USE(cudaStreamAttachMemAsync, InvalidValue, nullptr, managed_, 0, cudaMemAttachSingle);
  DLCERT_USE(cudaMemPrefetchAsync, InvalidDevice, managed_, 1, {device, 9}, 0, nullptr);
  DLCERT_USE(cudaMemPrefetchAsync, InvalidValue, memory_, 1, {device, 0}, 0, nullptr);
  DLCERT_USE(cudaMemAdvise, InvalidDevice, managed_, 1, advice, {device, 9});
  DLCERT_USE(cudaMemAdvise, InvalidValue, memory_, 1, advice, {device, 0});
  DLCERT_USE(cudaMemRangeGetAttribute, InvalidValue, &value_, 4, read_mostly, memory_, 1);
  DLCERT_USE(cudaMemRangeGetAttributes, InvalidValue, nullptr, nullptr, nullptr, 1, managed_, 1);
  DLCERT_USE(cudaIpcGetMemHandle, InvalidValue, &memory_handle_, managed_);
  DLCERT_USE(cudaIpcOpenMemHandle, DeviceUninitialized, &address_, memory_handle_, lazy);
  DLCERT_USE(cudaIpcOpenMemHandle, InvalidValue, &address_, memory_handle_, 0);
  DLCERT_USE(cudaIpcCloseMemHandle, InvalidValue, memory_);
  DLCERT_USE(cudaIpcGetEventHandle, InvalidResourceHandle, &event_handle_, own_event_);
  DLCERT_USE(cudaIpcGetEventHandle, InvalidValue, nullptr, own_event_);
  DLCERT_USE(cudaIpcOpenEventHandle, DeviceUninitialized, &opened_, event_handle_);
  DLCERT_USE(cudaIpcOpenEventHandle, InvalidValue, &opened_, {});
}

std::vector<Use> DocumentedErrors::uses() {
  std::vector<Use> all;
  add_functions(all);
  add_copies(all);
  add_symbols(all);
  add_streams_and_memory(all);
  add_devices(all);  // the last, since its last restarts the world
  return all;
}

TEST_F(DocumentedErrors, EachIsGivenByAUseOfItsCall) {
  for (const auto& [call, error, use] : uses())
    EXPECT_EQ(use(), error) << call;
}

TEST_F(DocumentedErrors, EachIsAccountedFor) {
  const std::string text = header();
  std::map<std::string, std::set<std::string>> given;
  for (const auto& [call, error, use] : uses())
    given[call].insert(cudaGetErrorName(error));
  for (const auto& [call, errors] : given)
    for (const std::string& error : documented(text, call)) {
      const bool known = errors.contains(error) || never_given.contains(error) ||
                         not_given_by.contains(call + " " + error);
      EXPECT_TRUE(known) << call << " " << error;
    }
}

}  // namespace
}  // namespace dlcert::shim
