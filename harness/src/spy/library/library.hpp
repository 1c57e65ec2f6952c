// SPDX-License-Identifier: Apache-2.0
//
// The spy as a tensor library: strided CPU tensors that obey DLPack 1.3 by the letter. Deliberately
// plain, and independent of every other implementation in this project, so that two of them can
// disagree.
#pragma once

#include <dlcert/adapter.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <dlcert/suite/dlpack.hpp>

#include "spy/elements.hpp"
#include "spy/guarded_block.hpp"

namespace dlcert::spy {

// Counts the library's storages and managed tensors, and can be made to run out of memory.
class Allocations {
 public:
  static std::int64_t live() { return live_.load(); }
  static void fail_after(std::int64_t successes) { successes_left_.store(successes); }

  Allocations();  // throws std::bad_alloc where fail_after() asks for it
  ~Allocations() { live_.fetch_sub(1); }
  Allocations(const Allocations&) = delete;
  Allocations& operator=(const Allocations&) = delete;

 private:
  static std::atomic<std::int64_t> live_;
  static std::atomic<std::int64_t> successes_left_;
};

// What keeps elements alive.
class Memory {
 public:
  virtual ~Memory() = default;
  virtual std::span<std::byte> bytes() const = 0;  // the whole storage; empty when it is not known
};

std::shared_ptr<Memory> new_memory(std::size_t bytes);

struct SpyTensor {
  std::shared_ptr<Memory> memory;
  dlcert_dtype dtype{};
  std::vector<std::int64_t> shape, strides;  // in elements
  std::byte* first = nullptr;                // logical element (0, ..., 0)
  bool read_only = false;
  bool padded = false;
  bool copied = false;  // its producer made it for this import

  bool empty() const;
  std::int32_t rank() const { return static_cast<std::int32_t>(shape.size()); }
  ElementLayout layout() const { return ElementLayout::of_elements(dtype, padded, shape, strides); }
};

// A compact tensor in a new storage with the same elements.
SpyTensor compact_copy(const SpyTensor& source);

// Whether DLPack 1.3 knows the code and libraries use the bits with it.
bool legal(dlcert_dtype dtype);
inline bool on_host(dlcert_device device) {
  return device.type == kDLCPU;
}
inline constexpr dlcert_device host{kDLCPU, 0};

// Whether an argument was given, and not as None.
inline bool given(const dlcert_value& value) {
  return value.tag != DLCERT_ABSENT && value.tag != DLCERT_NONE;
}

// ---- export: what __dlpack__ does ---------------------------------------------------------------

// The caller owns the result and releases it by its deleter.
dlcert_managed export_tensor(const SpyTensor& tensor, const dlcert_request& request);

// ---- import: what from_dlpack does --------------------------------------------------------------

// Takes over a managed tensor. Throws adapter::Refused when it is malformed: the caller
// then still owns it, unless its major version is foreign: the deleter of that one has been called.
SpyTensor adopt(dlcert_managed managed);

// A capsule: pointer, name and destructor, with PyCapsule's rules.
struct SpyCapsule {
  SpyCapsule(void* held, const char* called, dlcert_capsule_destructor ended_by)
      : pointer{held}, name{called}, destructor{ended_by} {}
  SpyCapsule(const SpyCapsule&) = delete;
  SpyCapsule& operator=(const SpyCapsule&) = delete;
  ~SpyCapsule() {
    if (destructor != nullptr) destructor(pointer, name);
  }

  bool named(const char* other) const;

  void* pointer;
  const char* name;
  dlcert_capsule_destructor destructor;
};

// The caller owns the result and deletes it.
SpyCapsule* in_capsule(dlcert_managed managed);
// from_dlpack of a bare capsule. A refused capsule is as it was.
SpyTensor consume(SpyCapsule& capsule);
SpyTensor import_from(const dlcert_producer& producer, const dlcert_import_request& request);

}  // namespace dlcert::spy
