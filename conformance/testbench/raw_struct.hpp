// SPDX-License-Identifier: Apache-2.0
//
// Managed tensors as plain bytes, at the offsets that the standard fixes for 64-bit pointers. The
// numbers stand here by themselves and come from no dlpack.h, so that they can contradict one.
#pragma once

#include <dlcert/adapter.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace dlcert::testbench {

static_assert(sizeof(void*) == 8, "the layouts are those of 64-bit pointers");

namespace versioned_at {
inline constexpr std::size_t major = 0, minor = 4, context = 8, deleter = 16, flags = 24,
                             descriptor = 32;
}
namespace legacy_at {
inline constexpr std::size_t descriptor = 0, context = 48, deleter = 56;
}
namespace descriptor_at {
inline constexpr std::size_t data = 0, device_type = 8, device_id = 12, ndim = 16, dtype_code = 20,
                             dtype_bits = 21, dtype_lanes = 22, shape = 24, strides = 32,
                             byte_offset = 40;
}

class RawBytes {
 public:
  explicit RawBytes(void* begin) : begin_{static_cast<std::byte*>(begin)} {}

  template <typename T>
  T get(std::size_t offset) const {
    T value;
    std::memcpy(&value, begin_ + offset, sizeof value);
    return value;
  }

  template <typename T>
  void put(std::size_t offset, T value) const {
    std::memcpy(begin_ + offset, &value, sizeof value);
  }

  RawBytes from(std::size_t offset) const { return RawBytes{begin_ + offset}; }

 private:
  std::byte* begin_;
};

inline RawBytes raw_struct(dlcert_managed managed) {
  return RawBytes{managed.pointer};
}

inline RawBytes raw_descriptor(dlcert_managed managed) {
  return raw_struct(managed).from(managed.form == DLCERT_VERSIONED ? versioned_at::descriptor
                                                                   : legacy_at::descriptor);
}

}  // namespace dlcert::testbench
