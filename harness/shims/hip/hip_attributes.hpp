// SPDX-License-Identifier: Apache-2.0
//
// What HIP alone says of devices.

#pragma once

#include "shims/hip/hip_shim.hpp"

// What HIP has for CUDA's sake or gives by other means than a number is refused by name, and other
// numbers are unknown.
inline dlcert::shim::Status read_other_attribute(const hipDeviceProp_t& of, int attribute,
                                                 int& out) {
  using dlcert::shim::Status;
  switch (attribute) {
#define DLCERT_CASE(name, value)   \
  case hipDeviceAttribute##name:   \
    out = static_cast<int>(value); \
    return Status::success;
#define DLCERT_REFUSED(name)                                                                \
  case hipDeviceAttribute##name: {                                                          \
    static std::atomic_flag reported;                                                       \
    return dlcert::shim::not_modelled("hipDeviceGetAttribute(hipDeviceAttribute" #name ")", \
                                      reported);                                            \
  }
    DLCERT_CASE(EccEnabled, of.ECCEnabled)
    DLCERT_CASE(ClockRate, of.clockRate)
    DLCERT_CASE(CooperativeMultiDeviceLaunch, of.cooperativeMultiDeviceLaunch)
    DLCERT_CASE(DirectManagedMemAccessFromHost, of.directManagedMemAccessFromHost)
    DLCERT_CASE(IsMultiGpuBoard, of.isMultiGpuBoard)
    DLCERT_CASE(KernelExecTimeout, of.kernelExecTimeoutEnabled)
    DLCERT_CASE(MaxTexture1DWidth, of.maxTexture1D)
    DLCERT_CASE(MaxTexture1DLinear, of.maxTexture1DLinear)
    DLCERT_CASE(MaxTexture2DWidth, of.maxTexture2D[0])
    DLCERT_CASE(MaxTexture2DHeight, of.maxTexture2D[1])
    DLCERT_CASE(MaxTexture3DWidth, of.maxTexture3D[0])
    DLCERT_CASE(MaxTexture3DHeight, of.maxTexture3D[1])
    DLCERT_CASE(MaxTexture3DDepth, of.maxTexture3D[2])
    DLCERT_CASE(MaxPitch, of.memPitch)
    DLCERT_CASE(MemoryBusWidth, of.memoryBusWidth)
    DLCERT_CASE(MemoryClockRate, of.memoryClockRate)
    DLCERT_CASE(MultiprocessorCount, of.multiProcessorCount)
    DLCERT_CASE(PageableMemoryAccessUsesHostPageTables, of.pageableMemoryAccessUsesHostPageTables)
    DLCERT_CASE(PciDomainID, of.pciDomainID)
    DLCERT_CASE(TextureAlignment, of.textureAlignment)
    DLCERT_CASE(TexturePitchAlignment, of.texturePitchAlignment)
    DLCERT_CASE(ClockInstructionRate, of.clockInstructionRate)
    DLCERT_CASE(MaxSharedMemoryPerMultiprocessor, of.maxSharedMemoryPerMultiProcessor)
    DLCERT_CASE(GcnArch, of.gcnArch)
    DLCERT_CASE(CooperativeMultiDeviceUnmatchedFunc, of.cooperativeMultiDeviceUnmatchedFunc)
    DLCERT_CASE(CooperativeMultiDeviceUnmatchedGridDim, of.cooperativeMultiDeviceUnmatchedGridDim)
    DLCERT_CASE(CooperativeMultiDeviceUnmatchedBlockDim, of.cooperativeMultiDeviceUnmatchedBlockDim)
    DLCERT_CASE(CooperativeMultiDeviceUnmatchedSharedMem,
                of.cooperativeMultiDeviceUnmatchedSharedMem)
    DLCERT_CASE(IsLargeBar, of.isLargeBar)
    DLCERT_CASE(AsicRevision, of.asicRevision)
    DLCERT_CASE(CanUseStreamWaitValue, 0)
    DLCERT_CASE(ImageSupport, 0)
    DLCERT_CASE(PhysicalMultiProcessorCount, of.multiProcessorCount)
    DLCERT_REFUSED(AccessPolicyMaxWindowSize)
    DLCERT_REFUSED(AsyncEngineCount)
    DLCERT_REFUSED(CanUseHostPointerForRegisteredMem)
    DLCERT_REFUSED(ComputePreemptionSupported)
    DLCERT_REFUSED(DeviceOverlap)
    DLCERT_REFUSED(GlobalL1CacheSupported)
    DLCERT_REFUSED(HostNativeAtomicSupported)
    DLCERT_REFUSED(LocalL1CacheSupported)
    DLCERT_REFUSED(Luid)
    DLCERT_REFUSED(LuidDeviceNodeMask)
    DLCERT_REFUSED(MaxBlocksPerMultiProcessor)
    DLCERT_REFUSED(MaxSurface1D)
    DLCERT_REFUSED(MaxSurface1DLayered)
    DLCERT_REFUSED(MaxSurface2D)
    DLCERT_REFUSED(MaxSurface2DLayered)
    DLCERT_REFUSED(MaxSurface3D)
    DLCERT_REFUSED(MaxSurfaceCubemap)
    DLCERT_REFUSED(MaxSurfaceCubemapLayered)
    DLCERT_REFUSED(MaxTexture1DLayered)
    DLCERT_REFUSED(MaxTexture1DMipmap)
    DLCERT_REFUSED(MaxTexture2DGather)
    DLCERT_REFUSED(MaxTexture2DLayered)
    DLCERT_REFUSED(MaxTexture2DLinear)
    DLCERT_REFUSED(MaxTexture2DMipmap)
    DLCERT_REFUSED(MaxTexture3DAlt)
    DLCERT_REFUSED(MaxTextureCubemap)
    DLCERT_REFUSED(MaxTextureCubemapLayered)
    DLCERT_REFUSED(MaxThreadsDim)
    DLCERT_REFUSED(MultiGpuBoardGroupID)
    DLCERT_REFUSED(Name)
    DLCERT_REFUSED(PersistingL2CacheMaxSize)
    DLCERT_REFUSED(MaxRegistersPerMultiprocessor)
    DLCERT_REFUSED(ReservedSharedMemPerBlock)
    DLCERT_REFUSED(SharedMemPerBlockOptin)
    DLCERT_REFUSED(SharedMemPerMultiprocessor)
    DLCERT_REFUSED(SingleToDoublePrecisionPerfRatio)
    DLCERT_REFUSED(SurfaceAlignment)
    DLCERT_REFUSED(TccDriver)
    DLCERT_REFUSED(TotalGlobalMem)
    DLCERT_REFUSED(Uuid)
    DLCERT_REFUSED(Arch)
    DLCERT_REFUSED(GcnArchName)
    DLCERT_REFUSED(HdpMemFlushCntl)
    DLCERT_REFUSED(HdpRegFlushCntl)
    DLCERT_REFUSED(FineGrainSupport)
#undef DLCERT_REFUSED
#undef DLCERT_CASE
    default:
      return Status::invalid_value;
  }
}
