// SPDX-License-Identifier: Apache-2.0
#include "party/exported_values.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include <dlcert/suite/check.hpp>
#include <dlcert/suite/evidence.hpp>

#include "party/across.hpp"

namespace dlcert {
namespace {

constexpr std::size_t most_bytes = 4096;

bool has_same_shape(const KnownValues& known, const DLTensor& tensor) {
  const std::size_t rank = known.shape.size();
  if (tensor.ndim != static_cast<std::int32_t>(rank)) return false;
  if (rank != 0 && tensor.shape == nullptr) return false;
  return std::equal(known.shape.begin(), known.shape.end(), tensor.shape);
}

bool is_compact(const KnownValues& known, const DLTensor& tensor) {
  std::int64_t stride = 1;
  for (std::size_t axis = known.shape.size(); axis-- > 0 && tensor.strides != nullptr;) {
    if (known.shape[axis] != 1 && tensor.strides[axis] != stride) return false;
    stride *= known.shape[axis];
  }
  return true;
}

// Memory from here to the present break belongs to this process.
const auto heap_begin = reinterpret_cast<std::uintptr_t>(::sbrk(0));

bool is_in_heap(const void* address, std::size_t size) {
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  const auto heap_end = reinterpret_cast<std::uintptr_t>(::sbrk(0));
  return heap_begin <= begin && begin <= heap_end && size <= heap_end - begin;
}

// Copies memory that a library names. Outside of the heap the kernel copies, which is slower: an
// invalid address is then an error, not the end of the process. Returns nothing if the system does
// not let a process do that.
Bytes memory_at(const void* address, std::size_t size) {
  Bytes bytes(size);
  if (is_in_heap(address, size)) {
    std::memcpy(bytes.data(), address, size);
    return bytes;
  }
  const iovec to{bytes.data(), size};
  const iovec from{const_cast<void*>(address), size};
  const ssize_t read = ::process_vm_readv(::getpid(), &to, 1, &from, 1, 0);
  if (read != static_cast<ssize_t>(size)) bytes.clear();
  return bytes;
}

}  // namespace

std::shared_ptr<KnownValues> known_values(const TensorSpec& spec, const Bytes& logical) {
  const bool in_order = spec.device.type == kDLCPU && spec.state == DLCERT_STATE_PLAIN &&
                        spec.contiguous() && !spec.padded();
  const bool whole_bytes = spec.dtype.lanes == 1 && spec.dtype.bits % 8 == 0;
  if (!in_order || !whole_bytes || logical.empty() || logical.size() > most_bytes) return nullptr;
  auto known = std::make_shared<KnownValues>();
  known->dtype = spec.dtype;
  known->shape = spec.shape;
  known->logical = logical;
  return known;
}

void forget_values(const Tensor& tensor) {
  if (KnownValues* const known = tensor.known_values()) known->may_differ = true;
}

void look_at_export(const Party& producer, const Tensor& source, const dlcert_managed& managed) {
  KnownValues* const known = source.known_values();
  if (known == nullptr || known->may_differ.exchange(true, std::memory_order_relaxed)) return;
  const DLTensor& tensor =
      managed.form == DLCERT_VERSIONED
          ? static_cast<const DLManagedTensorVersioned*>(managed.pointer)->dl_tensor
          : static_cast<const DLManagedTensor*>(managed.pointer)->dl_tensor;
  const dlcert_dtype dtype{tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes};
  if (tensor.device.device_type != kDLCPU || tensor.data == nullptr || !(dtype == known->dtype) ||
      !has_same_shape(*known, tensor) || !is_compact(*known, tensor))
    return;
  const Bytes found = memory_at(static_cast<const std::byte*>(tensor.data) + tensor.byte_offset,
                                known->logical.size());
  if (found.empty() || found == known->logical) return;
  note_wrong_values(producer, fmt::format("elements of an export: expected {} but found {}",
                                          to_text(known->logical), to_text(found)));
}

void look_at_export(const Party& producer, const Tensor& source, dlcert_capsule* capsule) {
  if (source.known_values() == nullptr) return;
  const dlcert_adapter& table = producer.table();
  const auto pointer_of = [&](const char* name) {
    return across([&] { return table.capsule->pointer(table.self, capsule, name); });
  };
  if (void* const versioned = pointer_of("dltensor_versioned"))
    return look_at_export(producer, source, {DLCERT_VERSIONED, 0, versioned});
  if (void* const legacy = pointer_of("dltensor"))
    look_at_export(producer, source, {DLCERT_LEGACY, 0, legacy});
}

}  // namespace dlcert
