// SPDX-License-Identifier: Apache-2.0

#include "dlcert/tensor/exchange.hpp"

#include <new>
#include <utility>

#include "dlcert/tensor/errors.hpp"

#include "refuse.hpp"

namespace dlcert::reference {
namespace {

thread_local std::exception_ptr pending_error;

const char* python_name(ErrorKind kind) noexcept {
  switch (kind) {
    case ErrorKind::buffer:
      return "BufferError";
    case ErrorKind::value:
      return "ValueError";
    case ErrorKind::type:
      return "TypeError";
    case ErrorKind::index:
      return "IndexError";
    case ErrorKind::device:
      break;
  }
  return "RuntimeError";
}

}  // namespace

Object::Object(HostMemory& memory, Tensor tensor) noexcept
    : memory_(memory), tensor_(std::move(tensor)) {
  ExportSteps::write_shape(tensor_, dims());
  ExportSteps::write_strides(tensor_, dims() + tensor_.rank());
}

void Object::release() noexcept {
  if (references_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  HostMemory& memory = memory_;
  const std::size_t bytes = bytes_for(tensor_.rank());
  this->~Object();
  memory.deallocate(this, bytes, alignof(Object));
}

Object* ObjectRoom::fill(Tensor tensor) noexcept {
  return ::new (std::exchange(room_, nullptr)) Object(memory_, std::move(tensor));
}

Object* make_object(const Tensor& tensor) {
  return ObjectRoom(tensor.rank()).fill(tensor);
}

void leave_error(std::exception_ptr error) noexcept {
  pending_error = std::move(error);
}

std::exception_ptr take_error() noexcept {
  return std::exchange(pending_error, nullptr);
}

PythonError current_python_error() noexcept {
  try {
    throw;
  } catch (const Error& error) {
    return {python_name(error.kind()), error.what()};
  } catch (const std::bad_alloc&) {
    return {"MemoryError", "out of memory"};
  } catch (const std::exception& error) {
    return {"RuntimeError", error.what()};
  } catch (...) {
    return {"RuntimeError", "an exception of unknown type"};
  }
}

Prototype ExchangeSteps::read_prototype(const DLTensor& prototype) {
  ImportSteps::check_device(prototype.device);
  ImportSteps::check_rank(prototype.ndim);
  ImportSteps::check_shape(prototype);
  return {Dtype::described(prototype.dtype), ImportSteps::shape_of(prototype), prototype.device};
}

void* ExchangeSteps::work_stream(DLDevice device) {
  if (same_device(device, cpu_device)) return nullptr;
  if (!is_available(device))
    refuse_as(ErrorKind::value, "expected an available device but found {}", to_string(device));
  const Stream stream = current_stream(ordinal_of(device));
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the table tells handles as addresses
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(stream));
}

void ExchangeSteps::refuse_view(const Tensor& tensor) {
  refuse_as(ErrorKind::buffer, "expected an owning exchange, since a view has no flags, for {}",
            tensor.is_read_only() ? "read-only data" : "padded elements");
}

}  // namespace dlcert::reference
