// SPDX-License-Identifier: Apache-2.0
//
// How a function of CUDA's driver API is written. Everything here belongs to the including file:
// handle 0 is not the same stream in all of them.
//
// The answers are those of cuda.h. A function that needs a context asks for the current one, which
// nothing makes on the way: that is the runtime's habit alone.

#pragma once

#include <cuda.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "shims/common/shim.hpp"

namespace {

using dlcert::driver::Context;
using dlcert::driver::ContextDetails;
using dlcert::driver::Event;
using dlcert::driver::Graph;
using dlcert::driver::GraphExec;
using dlcert::driver::MemoryKind;
using dlcert::shim::SimulatedDriver;
using dlcert::shim::Status;
using dlcert::shim::Stream;

using NativeStream = CUstream;
using NativeEvent = CUevent;
#include "../common/native_handles.inc"

[[maybe_unused]] Context context_of(CUcontext context) {
  return std::bit_cast<Context>(context);
}

[[maybe_unused]] void* memory_of(CUdeviceptr address) {
  return std::bit_cast<void*>(address);
}

// The driver API has no numbers of its own for what only a runtime refuses.
[[maybe_unused]] CUresult result_of(Status status) {
  if (status == Status::invalid_copy_direction || status == dlcert::shim::invalid_configuration)
    return CUDA_ERROR_INVALID_VALUE;
  if (status == dlcert::shim::invalid_device_function) return CUDA_ERROR_INVALID_HANDLE;
  if (status == Status::insufficient_driver) return CUDA_ERROR_SYSTEM_DRIVER_MISMATCH;
  return static_cast<CUresult>(status);
}

// What a function returns: the answer of `body(SimulatedDriver&)`.
template <class Body>
CUresult run_uninitialized(Body&& body) {
  return result_of(dlcert::shim::answer(std::forward<Body>(body)));
}

// The same once the driver was initialized, here or by a call of the runtime.
template <class Body>
CUresult run(Body&& body) {
  return run_uninitialized([&](SimulatedDriver& driver) {
    return driver.was_called() ? body(driver) : Status::not_initialized;
  });
}

// The same with a current context: `body(SimulatedDriver&, const ContextDetails&)`.
template <class Body>
CUresult run_in_context(Body&& body) {
  return run([&](SimulatedDriver& driver) {
    Context current{};
    ContextDetails details;
    Status status = driver.current_context(current);
    if (status == Status::success && current == Context::none) status = Status::invalid_context;
    if (status == Status::success) status = driver.context_details(current, details);
    if (status != Status::success) return status;
    if constexpr (std::is_invocable_v<Body, SimulatedDriver&, const ContextDetails&>)
      return body(driver, details);
    else
      return body(driver);
  });
}

template <class Native, class Value>
Native native(Value value) {
  if constexpr (std::is_pointer_v<Native> ||
                (std::is_pointer_v<Value> && sizeof(Native) == sizeof(Value))) {
    return std::bit_cast<Native>(value);
  } else {
    return static_cast<Native>(value);
  }
}

// Of a result: `body(SimulatedDriver&, Value&)` goes to `out`, which may not be NULL.
template <class Value, class Native, class Body>
auto giving(Native* out, Body&& body) {
  return [out, body = std::forward<Body>(body)](SimulatedDriver& driver) {
    if (out == nullptr) return Status::invalid_value;
    Value value{};
    const Status status = body(driver, value);
    if (status == Status::success) *out = native<Native>(value);
    return status;
  };
}

template <class Value, class Native, class Body>
CUresult run_for(Native* out, Body&& body) {
  return run(giving<Value>(out, std::forward<Body>(body)));
}

template <class Value, class Native, class Body>
CUresult run_in_context_for(Native* out, Body&& body) {
  return run_in_context(giving<Value>(out, std::forward<Body>(body)));
}

}  // namespace
