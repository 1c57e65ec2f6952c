// SPDX-License-Identifier: Apache-2.0
//
// What CUDA alone says of devices: numbers of compute capability 9.0, from the table of technical
// specifications in the programming guide.

#pragma once

#include <cstring>

#include "shims/common/device_limits.hpp"
#include "shims/cuda/cuda_shim.hpp"

inline constexpr int clock_kilohertz = 1410000;
inline constexpr int memory_clock_kilohertz = 2619000;
inline constexpr int single_to_double = 2;  ///< how many times as fast

// Textures and surfaces are not modelled; programs ask for their limits nevertheless.
inline void describe_textures(cudaDeviceProp& out) {
  const auto set = [](auto& sizes, auto... values) {
    int index = 0;
    ((sizes[index++] = values), ...);
  };
  out.textureAlignment = out.surfaceAlignment = 512;
  out.texturePitchAlignment = 32;
  out.maxTexture1D = out.maxSurface1D = 131072;
  out.maxTexture1DMipmap = 32768;
  set(out.maxTexture2D, 131072, 65536);
  set(out.maxTexture2DMipmap, 32768, 32768);
  set(out.maxTexture2DLinear, 131072, 65000, 2097120);
  set(out.maxTexture2DGather, 32768, 32768);
  set(out.maxTexture3D, 16384, 16384, 16384);
  set(out.maxTexture3DAlt, 8192, 8192, 32768);
  set(out.maxTexture1DLayered, 32768, 2048);
  set(out.maxTexture2DLayered, 32768, 32768, 2048);
  out.maxTextureCubemap = out.maxSurfaceCubemap = 32768;
  set(out.maxTextureCubemapLayered, 32768, 2046);
  set(out.maxSurface2D, 131072, 65536);
  set(out.maxSurface3D, 16384, 16384, 16384);
  set(out.maxSurface1DLayered, 32768, 2048);
  set(out.maxSurface2DLayered, 32768, 32768, 2048);
  set(out.maxSurfaceCubemapLayered, 32768, 2046);
}

inline void describe_more(const dlcert::driver::DeviceProperties& found, cudaDeviceProp& out) {
  static_assert(sizeof out.uuid.bytes == sizeof found.uuid);
  std::memcpy(out.uuid.bytes, found.uuid.data(), sizeof out.uuid.bytes);
  describe_textures(out);
  out.asyncEngineCount = 2;
  out.memoryBusWidth = 5120;
  out.sharedMemPerMultiprocessor = dlcert::shim::shared_bytes_per_multiprocessor;
  out.sharedMemPerBlockOptin = dlcert::shim::shared_bytes_per_block_optin;
  out.reservedSharedMemPerBlock = dlcert::shim::reserved_shared_bytes_per_block;
  out.regsPerMultiprocessor = dlcert::shim::registers_per_multiprocessor;
  out.maxBlocksPerMultiProcessor = dlcert::shim::blocks_per_multiprocessor;
  out.multiGpuBoardGroupID = out.pciBusID;
  out.clusterLaunch = out.major >= 9 ? 1 : 0;
  out.globalL1CacheSupported = out.localL1CacheSupported = 1;
  out.streamPrioritiesSupported = out.computePreemptionSupported = 1;
  out.concurrentManagedAccess = out.canUseHostPointerForRegisteredMem = 1;
  out.unifiedAddressing = out.memoryPoolsSupported = out.ipcEventSupported = 1;
  out.hostRegisterSupported = out.hostRegisterReadOnlySupported = 1;
#if CUDART_VERSION >= 13000
  out.deviceNumaId = out.hostNumaId = -1;
  out.gpuPciDeviceID = 0x10de;
#else
  out.deviceOverlap = 1;
  out.clockRate = clock_kilohertz;
  out.memoryClockRate = memory_clock_kilohertz;
  out.singleToDoublePrecisionPerfRatio = single_to_double;
  out.maxTexture1DLinear = dlcert::shim::linear_texture_width;
#endif
}

// Numbers that CUDA reserves are refused by name, others are unknown.
inline dlcert::shim::Status read_other_attribute(const cudaDeviceProp& of, int attribute,
                                                 int& out) {
  using dlcert::shim::Status;
  switch (attribute) {
#define DLCERT_CASE(name, value)   \
  case cudaDevAttr##name:          \
    out = static_cast<int>(value); \
    return Status::success;
#define DLCERT_REFUSED(name)                                                                     \
  case cudaDevAttr##name: {                                                                      \
    static std::atomic_flag reported;                                                            \
    return dlcert::shim::not_modelled("cudaDeviceGetAttribute(cudaDevAttr" #name ")", reported); \
  }
    // Copies and kernels.
    DLCERT_CASE(MaxPitch, of.memPitch)
    DLCERT_CASE(GpuOverlap, of.asyncEngineCount > 0)
    DLCERT_CASE(AsyncEngineCount, of.asyncEngineCount)
    DLCERT_CASE(KernelExecTimeout, 0)
    DLCERT_CASE(ComputePreemptionSupported, of.computePreemptionSupported)
    DLCERT_CASE(ClusterLaunch, of.clusterLaunch)
    DLCERT_CASE(SingleToDoublePrecisionPerfRatio, single_to_double)
    DLCERT_CASE(ClockRate, clock_kilohertz)
    DLCERT_CASE(TccDriver, of.tccDriver)
    DLCERT_CASE(MpsEnabled, 0)
    // The board.
    DLCERT_CASE(MultiProcessorCount, of.multiProcessorCount)
    DLCERT_CASE(PciDomainId, of.pciDomainID)
    DLCERT_CASE(IsMultiGpuBoard, of.isMultiGpuBoard)
    DLCERT_CASE(MultiGpuBoardGroupID, of.multiGpuBoardGroupID)
    DLCERT_CASE(EccEnabled, of.ECCEnabled)
    DLCERT_CASE(MemoryClockRate, memory_clock_kilohertz)
    DLCERT_CASE(GlobalMemoryBusWidth, of.memoryBusWidth)
    DLCERT_CASE(NumaConfig, cudaDeviceNumaConfigNone)
    DLCERT_CASE(NumaId, -1)
    DLCERT_CASE(HostNumaId, -1)
    DLCERT_CASE(GpuPciDeviceId, 0x10de)
    DLCERT_CASE(GpuPciSubsystemId, 0)
    // Multiprocessors and caches.
    DLCERT_CASE(MaxSharedMemoryPerMultiprocessor, of.sharedMemPerMultiprocessor)
    DLCERT_CASE(MaxSharedMemoryPerBlockOptin, of.sharedMemPerBlockOptin)
    DLCERT_CASE(ReservedSharedMemoryPerBlock, of.reservedSharedMemPerBlock)
    DLCERT_CASE(MaxRegistersPerMultiprocessor, of.regsPerMultiprocessor)
    DLCERT_CASE(MaxBlocksPerMultiprocessor, of.maxBlocksPerMultiProcessor)
    DLCERT_CASE(GlobalL1CacheSupported, of.globalL1CacheSupported)
    DLCERT_CASE(LocalL1CacheSupported, of.localL1CacheSupported)
    DLCERT_CASE(MaxPersistingL2CacheSize, of.persistingL2CacheMaxSize)
    DLCERT_CASE(MaxAccessPolicyWindowSize, of.accessPolicyMaxWindowSize)
    DLCERT_CASE(MemSyncDomainCount, of.major >= 9 ? 4 : 1)
    // Memory of the host, and of other processes and devices.
    DLCERT_CASE(HostNativeAtomicSupported, of.hostNativeAtomicSupported)
    DLCERT_CASE(CanUseHostPointerForRegisteredMem, of.canUseHostPointerForRegisteredMem)
    DLCERT_CASE(PageableMemoryAccessUsesHostPageTables, of.pageableMemoryAccessUsesHostPageTables)
    DLCERT_CASE(DirectManagedMemAccessFromHost, of.directManagedMemAccessFromHost)
    DLCERT_CASE(HostRegisterSupported, of.hostRegisterSupported)
    DLCERT_CASE(HostRegisterReadOnlySupported, of.hostRegisterReadOnlySupported)
    DLCERT_CASE(CanFlushRemoteWrites, 0)
    DLCERT_CASE(GPUDirectRDMASupported, of.gpuDirectRDMASupported)
    DLCERT_CASE(GPUDirectRDMAFlushWritesOptions, of.gpuDirectRDMAFlushWritesOptions)
    DLCERT_CASE(GPUDirectRDMAWritesOrdering, of.gpuDirectRDMAWritesOrdering)
    DLCERT_CASE(IpcEventSupport, of.ipcEventSupported)
    DLCERT_CASE(TimelineSemaphoreInteropSupported, of.timelineSemaphoreInteropSupported)
    DLCERT_CASE(MemoryPoolSupportedHandleTypes, of.memoryPoolSupportedHandleTypes)
    DLCERT_CASE(HostNumaMemoryPoolsSupported, 0)
    DLCERT_CASE(HostNumaMultinodeIpcSupported, 0)
    DLCERT_CASE(D3D12CigSupported, 0)
    DLCERT_CASE(VulkanCigSupported, 0)
#if CUDART_VERSION >= 13000
    DLCERT_CASE(HostMemoryPoolsSupported, 0)
    DLCERT_CASE(OnlyPartialHostNativeAtomicSupported, 0)
    DLCERT_REFUSED(Reserved96)
    DLCERT_REFUSED(Reserved145)
#else
    DLCERT_CASE(CooperativeMultiDeviceLaunch, 0)
#endif
    // Textures and surfaces.
    DLCERT_CASE(TextureAlignment, of.textureAlignment)
    DLCERT_CASE(TexturePitchAlignment, of.texturePitchAlignment)
    DLCERT_CASE(SurfaceAlignment, of.surfaceAlignment)
    DLCERT_CASE(SparseCudaArraySupported, of.sparseCudaArraySupported)
    DLCERT_CASE(DeferredMappingCudaArraySupported, of.deferredMappingCudaArraySupported)
    DLCERT_CASE(MaxTexture1DWidth, of.maxTexture1D)
    DLCERT_CASE(MaxTexture1DLinearWidth, dlcert::shim::linear_texture_width)
    DLCERT_CASE(MaxTexture1DMipmappedWidth, of.maxTexture1DMipmap)
    DLCERT_CASE(MaxTexture1DLayeredWidth, of.maxTexture1DLayered[0])
    DLCERT_CASE(MaxTexture1DLayeredLayers, of.maxTexture1DLayered[1])
    DLCERT_CASE(MaxTexture2DWidth, of.maxTexture2D[0])
    DLCERT_CASE(MaxTexture2DHeight, of.maxTexture2D[1])
    DLCERT_CASE(MaxTexture2DMipmappedWidth, of.maxTexture2DMipmap[0])
    DLCERT_CASE(MaxTexture2DMipmappedHeight, of.maxTexture2DMipmap[1])
    DLCERT_CASE(MaxTexture2DLinearWidth, of.maxTexture2DLinear[0])
    DLCERT_CASE(MaxTexture2DLinearHeight, of.maxTexture2DLinear[1])
    DLCERT_CASE(MaxTexture2DLinearPitch, of.maxTexture2DLinear[2])
    DLCERT_CASE(MaxTexture2DGatherWidth, of.maxTexture2DGather[0])
    DLCERT_CASE(MaxTexture2DGatherHeight, of.maxTexture2DGather[1])
    DLCERT_CASE(MaxTexture2DLayeredWidth, of.maxTexture2DLayered[0])
    DLCERT_CASE(MaxTexture2DLayeredHeight, of.maxTexture2DLayered[1])
    DLCERT_CASE(MaxTexture2DLayeredLayers, of.maxTexture2DLayered[2])
    DLCERT_CASE(MaxTexture3DWidth, of.maxTexture3D[0])
    DLCERT_CASE(MaxTexture3DHeight, of.maxTexture3D[1])
    DLCERT_CASE(MaxTexture3DDepth, of.maxTexture3D[2])
    DLCERT_CASE(MaxTexture3DWidthAlt, of.maxTexture3DAlt[0])
    DLCERT_CASE(MaxTexture3DHeightAlt, of.maxTexture3DAlt[1])
    DLCERT_CASE(MaxTexture3DDepthAlt, of.maxTexture3DAlt[2])
    DLCERT_CASE(MaxTextureCubemapWidth, of.maxTextureCubemap)
    DLCERT_CASE(MaxTextureCubemapLayeredWidth, of.maxTextureCubemapLayered[0])
    DLCERT_CASE(MaxTextureCubemapLayeredLayers, of.maxTextureCubemapLayered[1])
    DLCERT_CASE(MaxSurface1DWidth, of.maxSurface1D)
    DLCERT_CASE(MaxSurface1DLayeredWidth, of.maxSurface1DLayered[0])
    DLCERT_CASE(MaxSurface1DLayeredLayers, of.maxSurface1DLayered[1])
    DLCERT_CASE(MaxSurface2DWidth, of.maxSurface2D[0])
    DLCERT_CASE(MaxSurface2DHeight, of.maxSurface2D[1])
    DLCERT_CASE(MaxSurface2DLayeredWidth, of.maxSurface2DLayered[0])
    DLCERT_CASE(MaxSurface2DLayeredHeight, of.maxSurface2DLayered[1])
    DLCERT_CASE(MaxSurface2DLayeredLayers, of.maxSurface2DLayered[2])
    DLCERT_CASE(MaxSurface3DWidth, of.maxSurface3D[0])
    DLCERT_CASE(MaxSurface3DHeight, of.maxSurface3D[1])
    DLCERT_CASE(MaxSurface3DDepth, of.maxSurface3D[2])
    DLCERT_CASE(MaxSurfaceCubemapWidth, of.maxSurfaceCubemap)
    DLCERT_CASE(MaxSurfaceCubemapLayeredWidth, of.maxSurfaceCubemapLayered[0])
    DLCERT_CASE(MaxSurfaceCubemapLayeredLayers, of.maxSurfaceCubemapLayered[1])
    // Reserved.
    DLCERT_REFUSED(Reserved92)
    DLCERT_REFUSED(Reserved93)
    DLCERT_REFUSED(Reserved94)
    DLCERT_REFUSED(Reserved122)
    DLCERT_REFUSED(Reserved123)
    DLCERT_REFUSED(Reserved124)
    DLCERT_REFUSED(Reserved127)
    DLCERT_REFUSED(Reserved128)
    DLCERT_REFUSED(Reserved129)
    DLCERT_REFUSED(Reserved132)
    DLCERT_REFUSED(Reserved141)
#undef DLCERT_REFUSED
#undef DLCERT_CASE
    default:
      return Status::invalid_value;
  }
}
