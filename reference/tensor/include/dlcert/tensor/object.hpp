// SPDX-License-Identifier: Apache-2.0
//
// What the functions of an exchange table take and give where Python has its objects, and the error
// that they leave where Python has its own.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>

#include "dlcert/tensor/tensor.hpp"

namespace dlcert::reference {

/// A tensor with a count of references, which deletes itself with the last one. References may be
/// taken and dropped on any thread.
class Object {
 public:
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  [[nodiscard]] const Tensor& tensor() const noexcept { return tensor_; }
  /// The extents, and behind them the strides in elements. They belong to the object and never
  /// change, although DLTensor has no pointer to constant numbers.
  [[nodiscard]] std::int64_t* dims() const noexcept {
    return reinterpret_cast<std::int64_t*>(const_cast<Object*>(this) + 1);
  }

  void retain() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
  void release() noexcept;

  /// The memory that an object of this rank takes.
  [[nodiscard]] static std::size_t bytes_for(std::size_t rank) noexcept {
    return sizeof(Object) + 2 * rank * sizeof(std::int64_t);
  }

 private:
  friend class ObjectRoom;
  Object(HostMemory& memory, Tensor tensor) noexcept;
  ~Object() = default;

  std::atomic<std::int64_t> references_{1};
  HostMemory& memory_;
  Tensor tensor_;
};

/// Memory for one object, taken before there is anything that could be lost. Gives itself back
/// unless it is filled.
class ObjectRoom {
 public:
  /// Throws std::bad_alloc.
  explicit ObjectRoom(std::size_t rank, HostMemory& memory = host_memory())
      : memory_(memory),
        bytes_(Object::bytes_for(rank)),
        room_(memory.allocate(bytes_, alignof(Object))) {}
  ObjectRoom(const ObjectRoom&) = delete;
  ObjectRoom& operator=(const ObjectRoom&) = delete;
  ~ObjectRoom() {
    if (room_ != nullptr) memory_.deallocate(room_, bytes_, alignof(Object));
  }

  /// The object of a tensor of the rank that was asked for, once. The caller owns its one
  /// reference.
  [[nodiscard]] Object* fill(Tensor tensor) noexcept;

 private:
  HostMemory& memory_;
  std::size_t bytes_;
  void* room_;
};

/// An object of a tensor, which shares the tensor's storage. The caller owns its one reference.
/// Throws std::bad_alloc.
[[nodiscard]] Object* make_object(const Tensor& tensor);

/// Leaves an error in the calling thread, in place of the one that was there.
void leave_error(std::exception_ptr error) noexcept;
/// The error that was left in the calling thread, which is forgotten; NULL when there is none.
[[nodiscard]] std::exception_ptr take_error() noexcept;

/// An error as the allocator of an exchange table reports it: the name of Python's exception, and a
/// message of one line.
struct PythonError {
  const char* kind;
  const char* message;
};

/// The exception that is being handled; the result is valid until its handler ends.
[[nodiscard]] PythonError current_python_error() noexcept;

}  // namespace dlcert::reference
