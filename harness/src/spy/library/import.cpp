// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include <dlcert/adapter.hpp>

#include "spy/library/library.hpp"

namespace dlcert::spy {

namespace {

using adapter::Refused;

constexpr std::uint64_t known_flags = DLPACK_FLAG_BITMASK_READ_ONLY |
                                      DLPACK_FLAG_BITMASK_IS_COPIED |
                                      DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED;
constexpr std::int32_t max_rank = 64;

[[noreturn]] void refuse(const char* message) {
  throw Refused{DLCERT_ERROR_BUFFER, message, "BufferError"};
}

void call_deleter(dlcert_managed managed) {
  if (managed.form == DLCERT_VERSIONED) {
    auto* const tensor = static_cast<DLManagedTensorVersioned*>(managed.pointer);
    if (tensor->deleter != nullptr) tensor->deleter(tensor);
  } else {
    auto* const tensor = static_cast<DLManagedTensor*>(managed.pointer);
    if (tensor->deleter != nullptr) tensor->deleter(tensor);
  }
}

class BorrowedMemory final : public Memory {
 public:
  explicit BorrowedMemory(dlcert_managed managed) : managed_{managed} {}
  ~BorrowedMemory() override { call_deleter(managed_); }
  BorrowedMemory(const BorrowedMemory&) = delete;
  BorrowedMemory& operator=(const BorrowedMemory&) = delete;
  std::span<std::byte> bytes() const override { return {}; }

 private:
  Allocations counted_;
  dlcert_managed managed_;
};

void validate_type(const DLTensor& tensor) {
  if (tensor.device.device_type != kDLCPU) refuse("expected a tensor on the host");
  if (!legal({tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes})) refuse("unknown dtype");
}

void validate_shape(const DLTensor& tensor) {
  if (tensor.ndim < 0 || tensor.ndim > max_rank) refuse("expected a rank of 0 to 64");
  if (tensor.ndim > 0 && tensor.shape == nullptr) refuse("expected a shape but found NULL");
  for (std::int32_t axis = 0; axis < tensor.ndim; ++axis)
    if (tensor.shape[axis] < 0) refuse("expected extents of 0 or more");
}

// Whether every byte distance within the tensor fits, so that no later arithmetic overflows.
bool addressable(const SpyTensor& tensor) {
  if (tensor.empty()) return true;
  std::int64_t count = 1;
  std::int64_t reach = 0;
  const std::int64_t item = static_cast<std::int64_t>(logical_item_size(tensor.dtype)) * 8;
  for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis) {
    std::int64_t span = 0;
    if (__builtin_mul_overflow(count, tensor.shape[axis], &count) ||
        tensor.strides[axis] == INT64_MIN ||
        __builtin_mul_overflow(tensor.shape[axis] - 1, std::abs(tensor.strides[axis]), &span) ||
        __builtin_add_overflow(reach, span, &reach))
      return false;
  }
  return !__builtin_mul_overflow(count, item, &count) &&
         !__builtin_mul_overflow(reach, item, &reach);
}

void take_layout(const DLTensor& tensor, SpyTensor& out) {
  validate_shape(tensor);
  const auto rank = static_cast<std::size_t>(tensor.ndim);
  if (rank != 0) out.shape.assign(tensor.shape, tensor.shape + rank);
  if (tensor.strides == nullptr)
    out.strides = row_major_strides(out.shape);
  else
    out.strides.assign(tensor.strides, tensor.strides + rank);
}

SpyTensor interpret(const DLTensor& tensor, std::uint64_t flags) {
  validate_type(tensor);
  if ((flags & ~known_flags) != 0) refuse("unknown flags");
  SpyTensor out;
  out.dtype = {tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes};
  out.copied = (flags & DLPACK_FLAG_BITMASK_IS_COPIED) != 0;
  out.read_only = (flags & DLPACK_FLAG_BITMASK_READ_ONLY) != 0;
  out.padded = (flags & DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED) != 0 && tensor.dtype.bits < 8;
  take_layout(tensor, out);
  if (!addressable(out)) refuse("the tensor is larger than memory");
  if (tensor.data == nullptr && !out.empty()) refuse("expected data but found NULL");
  if (tensor.data != nullptr) out.first = static_cast<std::byte*>(tensor.data) + tensor.byte_offset;
  return out;
}

SpyTensor interpret(dlcert_managed managed) {
  if (managed.pointer == nullptr) refuse("expected a managed tensor but found NULL");
  if (managed.form == DLCERT_LEGACY)
    return interpret(static_cast<const DLManagedTensor*>(managed.pointer)->dl_tensor, 0);
  const auto& tensor = *static_cast<const DLManagedTensorVersioned*>(managed.pointer);
  if (tensor.version.major != DLPACK_MAJOR_VERSION) {
    call_deleter(managed);
    refuse("expected a tensor of DLPack 1.x");
  }
  return interpret(tensor.dl_tensor, tensor.flags);
}

bool has_foreign_major(dlcert_managed managed) {
  return managed.form == DLCERT_VERSIONED && managed.pointer != nullptr &&
         static_cast<const DLManagedTensorVersioned*>(managed.pointer)->version.major !=
             DLPACK_MAJOR_VERSION;
}

// Takes a managed tensor that is the library's already, also when the import fails.
SpyTensor take_own(dlcert_managed managed) {
  const bool released_on_refusal = has_foreign_major(managed);
  try {
    return adopt(managed);
  } catch (...) {
    if (!released_on_refusal && managed.pointer != nullptr) call_deleter(managed);
    throw;
  }
}

SpyTensor take_capsule(SpyCapsule* capsule) {
  const std::unique_ptr<SpyCapsule> dropped_here{capsule};
  return consume(*capsule);
}

dlcert_request ask(const dlcert_import_request& request) {
  dlcert_request asked{};
  asked.struct_size = sizeof(asked);
  asked.max_version = pair(DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION);
  asked.dl_device = request.device;
  asked.copy = request.copy;
  return asked;
}

// Objects from before 2023.12 know none of the arguments.
dlcert_exported export_from(const dlcert_producer& producer, const dlcert_import_request& request) {
  const dlcert_request asked = ask(request);
  try {
    return adapter::dlpack(producer, asked);
  } catch (const Refused& refused) {
    if (refused.error().kind != DLCERT_ERROR_TYPE || given(request.device) || given(request.copy))
      throw;
    dlcert_request nothing{};
    nothing.struct_size = sizeof(nothing);
    return adapter::dlpack(producer, nothing);
  }
}

void validate(const dlcert_import_request& request) {
  if (given(request.device) &&
      (request.device.tag != DLCERT_PAIR || request.device.first != kDLCPU))
    throw Refused{DLCERT_ERROR_VALUE, "device: expected (1, 0)", "ValueError"};
  if (given(request.copy) && request.copy.tag != DLCERT_BOOL)
    throw Refused{DLCERT_ERROR_TYPE, "copy: expected a bool or None", "TypeError"};
}

}  // namespace

SpyTensor adopt(dlcert_managed managed) {
  SpyTensor tensor = interpret(managed);
  tensor.memory = std::make_shared<BorrowedMemory>(managed);
  return tensor;
}

SpyTensor consume(SpyCapsule& capsule) {
  const bool versioned = capsule.named("dltensor_versioned");
  if (!versioned && !capsule.named("dltensor"))
    throw Refused{DLCERT_ERROR_VALUE, "expected a capsule named dltensor or dltensor_versioned",
                  "ValueError"};
  const dlcert_managed managed{versioned ? DLCERT_VERSIONED : DLCERT_LEGACY, 0, capsule.pointer};
  if (has_foreign_major(managed)) refuse("expected a tensor of DLPack 1.x");
  SpyTensor tensor = adopt(managed);
  capsule.name = versioned ? "used_dltensor_versioned" : "used_dltensor";
  return tensor;
}

SpyTensor import_from(const dlcert_producer& producer, const dlcert_import_request& request) {
  validate(request);
  if (!on_host(adapter::dlpack_device(producer))) refuse("expected a tensor on the host");
  const dlcert_exported exported = export_from(producer, request);
  SpyTensor tensor = exported.capsule != nullptr
                         ? take_capsule(reinterpret_cast<SpyCapsule*>(exported.capsule))
                         : take_own(exported.managed);
  const bool must_copy = request.copy.tag == DLCERT_BOOL && request.copy.first != 0;
  return must_copy && !tensor.copied ? compact_copy(tensor) : tensor;
}

}  // namespace dlcert::spy
