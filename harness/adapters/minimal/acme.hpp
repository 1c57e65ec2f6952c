// SPDX-License-Identifier: Apache-2.0
//
// A tensor library as small as one can be: compact CPU arrays that speak DLPack 1.x. It stands for
// the library of the reader in ../../docs/adapters.md, where its adapter is.
#pragma once

#include <dlpack/dlpack.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <stdexcept>
#include <vector>

namespace acme {

inline constexpr const char* version = "1.0";

struct array {
  DLDataType dtype{};
  std::vector<std::int64_t> shape;
  std::shared_ptr<std::byte> data;  // owns the elements, own or imported

  std::size_t size_bytes() const {
    std::size_t count = 1;
    for (const std::int64_t extent : shape)
      count *= static_cast<std::size_t>(extent);
    return count * (dtype.bits / 8u);
  }
};

inline bool supports(DLDataType dtype) {
  const bool number = dtype.code == kDLInt || dtype.code == kDLUInt;
  const bool floating = dtype.code == kDLFloat && (dtype.bits == 32 || dtype.bits == 64);
  const bool whole = dtype.bits == 8 || dtype.bits == 16 || dtype.bits == 32 || dtype.bits == 64;
  return dtype.lanes == 1 && ((number && whole) || floating);
}

inline array make(DLDataType dtype, std::vector<std::int64_t> shape) {
  array made{dtype, std::move(shape), nullptr};
  auto* bytes = static_cast<std::byte*>(::operator new(made.size_bytes() + 1));
  made.data = {bytes, [](std::byte* p) { ::operator delete(p); }};
  return made;
}

// The caller owns the result and releases it by its deleter.
inline DLManagedTensorVersioned* to_dlpack(const array& source) {
  struct Export {
    DLManagedTensorVersioned managed{};
    array keeps_alive;
    std::vector<std::int64_t> strides;
  };
  auto* made = new Export{{}, source, std::vector<std::int64_t>(source.shape.size())};
  std::int64_t stride = 1;
  for (std::size_t axis = source.shape.size(); axis-- > 0;) {
    made->strides[axis] = stride;
    stride *= source.shape[axis] == 0 ? 1 : source.shape[axis];
  }
  made->managed.version = {1, 3};
  made->managed.manager_ctx = made;
  made->managed.deleter = [](DLManagedTensorVersioned* self) {
    delete static_cast<Export*>(self->manager_ctx);
  };
  made->managed.dl_tensor.data = source.size_bytes() == 0 ? nullptr : source.data.get();
  made->managed.dl_tensor.device = {kDLCPU, 0};
  made->managed.dl_tensor.ndim = static_cast<std::int32_t>(source.shape.size());
  made->managed.dl_tensor.dtype = source.dtype;
  made->managed.dl_tensor.shape = source.shape.empty() ? nullptr : made->keeps_alive.shape.data();
  made->managed.dl_tensor.strides = source.shape.empty() ? nullptr : made->strides.data();
  return &made->managed;
}

inline bool is_compact(const DLTensor& t) {
  std::int64_t expected = 1;
  for (std::int32_t axis = t.ndim; axis-- > 0;) {
    if (t.shape[axis] == 0) return true;
    if (t.strides != nullptr && t.shape[axis] > 1 && t.strides[axis] != expected) return false;
    if (__builtin_mul_overflow(expected, t.shape[axis], &expected)) return false;
  }
  return true;
}

// Owns `managed` when it returns; leaves it to the caller when it throws, but for a foreign major
// version, when it has called the deleter as dlpack.h demands.
inline array from_dlpack(DLManagedTensorVersioned* managed) {
  if (managed->version.major != 1) {
    if (managed->deleter != nullptr) managed->deleter(managed);
    throw std::runtime_error{"acme takes DLPack 1.x only"};
  }
  const DLTensor& t = managed->dl_tensor;
  const std::uint64_t known_flags = DLPACK_FLAG_BITMASK_IS_COPIED;
  if (t.device.device_type != kDLCPU || !supports(t.dtype) || (managed->flags & ~known_flags) != 0)
    throw std::runtime_error{"acme takes writable CPU tensors of whole-byte numbers only"};
  if (t.ndim < 0 || t.ndim > 64 || (t.ndim > 0 && t.shape == nullptr))
    throw std::runtime_error{"acme takes tensors of rank 0 to 64 only"};
  for (std::int32_t axis = 0; axis < t.ndim; ++axis)
    if (t.shape[axis] < 0 || t.shape[axis] > (std::int64_t{1} << 40))
      throw std::runtime_error{"acme: bad extent"};
  if (!is_compact(t)) throw std::runtime_error{"acme takes compact row-major tensors only"};
  array imported{t.dtype,
                 t.ndim == 0 ? std::vector<std::int64_t>{}
                             : std::vector<std::int64_t>(t.shape, t.shape + t.ndim),
                 nullptr};
  if (t.data == nullptr && imported.size_bytes() != 0) throw std::runtime_error{"acme: no data"};
  std::byte* first = t.data == nullptr ? nullptr : static_cast<std::byte*>(t.data) + t.byte_offset;
  imported.data = {first, [managed](std::byte*) {
                     if (managed->deleter != nullptr) managed->deleter(managed);
                   }};
  return imported;
}

}  // namespace acme
