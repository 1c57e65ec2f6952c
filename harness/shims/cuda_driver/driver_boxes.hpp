// SPDX-License-Identifier: Apache-2.0
//
// What copies of boxes ask for: the structures of cuda.h as copies of the simulated driver.

#pragma once

#include <cuda.h>

#include <bit>
#include <cstddef>

#include "shims/common/device_limits.hpp"
#include "shims/common/work.hpp"

namespace dlcert::shim {

inline std::size_t source_height(const CUDA_MEMCPY2D& of) {
  return of.Height;
}
inline std::size_t source_height(const CUDA_MEMCPY3D& of) {
  return of.srcHeight;
}
inline std::size_t target_height(const CUDA_MEMCPY2D& of) {
  return of.Height;
}
inline std::size_t target_height(const CUDA_MEMCPY3D& of) {
  return of.dstHeight;
}
inline std::size_t slices(const CUDA_MEMCPY2D& /*of*/) {
  return 1;
}
inline std::size_t slices(const CUDA_MEMCPY3D& of) {
  return of.Depth;
}
inline std::size_t source_slice(const CUDA_MEMCPY2D& /*of*/) {
  return 0;
}
inline std::size_t source_slice(const CUDA_MEMCPY3D& of) {
  return of.srcZ;
}
inline std::size_t target_slice(const CUDA_MEMCPY2D& /*of*/) {
  return 0;
}
inline std::size_t target_slice(const CUDA_MEMCPY3D& of) {
  return of.dstZ;
}

template <class Parameters>
bool names_array(const Parameters& of) {
  return of.srcMemoryType == CU_MEMORYTYPE_ARRAY || of.dstMemoryType == CU_MEMORYTYPE_ARRAY;
}

/// Where one end of a box begins, and how its rows and slices follow.
struct BoxEnd {
  std::byte* begin = nullptr;
  std::size_t pitch = 0;
  std::size_t slice_pitch = 0;
};

struct BoxPlace {
  std::size_t x, y, z, pitch, height;
};

/// False where rows or slices do not fit into the pitch and the height. Without a pitch the rows
/// follow each other.
inline bool find_end(CUmemorytype type, const void* host, CUdeviceptr device, BoxPlace place,
                     const Copy& box, BoxEnd& out) {
  if (place.pitch == 0) place.pitch = place.x + box.row_bytes;
  if (place.height == 0) place.height = place.y + box.rows;
  const bool fits = place.pitch <= most_pitch && place.x + box.row_bytes <= place.pitch &&
                    (box.slices == 1 || place.y + box.rows <= place.height);
  const void* const base = type == CU_MEMORYTYPE_HOST ? host : std::bit_cast<const void*>(device);
  out.pitch = place.pitch;
  out.slice_pitch = place.pitch * place.height;
  out.begin = static_cast<std::byte*>(const_cast<void*>(base)) + place.z * out.slice_pitch +
              place.y * place.pitch + place.x;
  return fits;
}

inline driver::CopyDirection direction_of(CUmemorytype from, CUmemorytype to) {
  using driver::CopyDirection;
  const bool known = (from == CU_MEMORYTYPE_HOST || from == CU_MEMORYTYPE_DEVICE) &&
                     (to == CU_MEMORYTYPE_HOST || to == CU_MEMORYTYPE_DEVICE);
  if (!known) return CopyDirection::inferred;  // unified addresses
  const bool from_host = from == CU_MEMORYTYPE_HOST, to_host = to == CU_MEMORYTYPE_HOST;
  if (from_host) return to_host ? CopyDirection::host_to_host : CopyDirection::host_to_device;
  return to_host ? CopyDirection::device_to_host : CopyDirection::device_to_device;
}

/// What the parameters of a copy without arrays ask for.
template <class Parameters>
Status read_box(const Parameters& of, Copy& out) {
  BoxEnd from, to;
  out.row_bytes = of.WidthInBytes;
  out.rows = of.Height;
  out.slices = slices(of);
  out.direction = static_cast<int>(direction_of(of.srcMemoryType, of.dstMemoryType));
  const bool fit =
      find_end(of.srcMemoryType, of.srcHost, of.srcDevice,
               {of.srcXInBytes, of.srcY, source_slice(of), of.srcPitch, source_height(of)}, out,
               from) &&
      find_end(of.dstMemoryType, of.dstHost, of.dstDevice,
               {of.dstXInBytes, of.dstY, target_slice(of), of.dstPitch, target_height(of)}, out,
               to);
  out.from = from.begin;
  out.from_pitch = from.pitch;
  out.from_slice_pitch = from.slice_pitch;
  out.to = to.begin;
  out.to_pitch = to.pitch;
  out.to_slice_pitch = to.slice_pitch;
  return fit ? Status::success : Status::invalid_value;
}

}  // namespace dlcert::shim
