// SPDX-License-Identifier: Apache-2.0
#include <new>

#include "spy/library/library.hpp"

namespace dlcert::spy {

std::atomic<std::int64_t> Allocations::live_{0};
std::atomic<std::int64_t> Allocations::successes_left_{-1};

Allocations::Allocations() {
  std::int64_t left = successes_left_.load();
  while (left >= 0 && !successes_left_.compare_exchange_weak(left, left - 1)) {
  }
  if (left == 0) throw std::bad_alloc{};
  live_.fetch_add(1);
}

bool SpyTensor::empty() const {
  for (const std::int64_t extent : shape)
    if (extent == 0) return true;
  return false;
}

namespace {

class OwnMemory final : public Memory {
 public:
  explicit OwnMemory(std::size_t bytes) : block_{bytes} {}
  std::span<std::byte> bytes() const override { return {block_.data(), block_.bytes()}; }

 private:
  Allocations counted_;
  GuardedBlock block_;
};

bool integer_bits(unsigned bits) {
  return (bits >= 1 && bits <= 8) || bits == 16 || bits == 32 || bits == 64;
}

std::size_t bytes_for(std::int64_t elements, std::int64_t bits) {
  return static_cast<std::size_t>((elements * bits + 7) / 8);
}

}  // namespace

std::shared_ptr<Memory> new_memory(std::size_t bytes) {
  return std::make_shared<OwnMemory>(bytes);
}

bool legal(dlcert_dtype dtype) {
  if (dtype.lanes == 0) return false;
  switch (dtype.code) {
    case kDLInt:
    case kDLUInt:
      return integer_bits(dtype.bits);
    case kDLFloat:
      return dtype.bits == 16 || dtype.bits == 32 || dtype.bits == 64;
    case kDLComplex:
      return dtype.bits == 32 || dtype.bits == 64 || dtype.bits == 128;
    case kDLOpaqueHandle:
      return dtype.bits == 64;
    case kDLBfloat:
      return dtype.bits == 16;
    case kDLFloat6_e2m3fn:
    case kDLFloat6_e3m2fn:
      return dtype.bits == 6;
    case kDLFloat4_e2m1fn:
      return dtype.bits == 4;
    default:
      return dtype.code <= kDLFloat8_e8m0fnu && dtype.bits == 8;
  }
}

SpyTensor compact_copy(const SpyTensor& source) {
  SpyTensor copy = source;
  copy.strides = row_major_strides(source.shape);
  std::int64_t elements = 1;
  for (const std::int64_t extent : source.shape)
    elements *= extent;
  copy.memory = new_memory(bytes_for(elements, stored_bits(source.dtype, source.padded)));
  copy.first = copy.memory->bytes().data();
  copy.read_only = false;
  Bytes logical(logical_size(source.layout()));
  gather(source.layout(), source.first, 0, logical.data());
  scatter(copy.layout(), copy.first, 0, logical.data());
  return copy;
}

}  // namespace dlcert::spy
