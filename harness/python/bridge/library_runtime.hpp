// SPDX-License-Identifier: Apache-2.0
//
// Groups 6 to 8 of the adapter ABI: devices, runtime, telemetry. Each function is the method of its
// name of the Python class; how arguments and answers cross is said by their types below.
#pragma once

#include <dlcert/adapter.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <dlcert/adapter_functions.hpp>

#include "object.hpp"

namespace dlcert::python {

// What a method is called with: what the C function gets, in its order. An argument that is left
// out at the end is left out, and is None before another one. A call of the harness and its context
// are one callable; a pair is what Adapter.named_device() makes of it, a guard what device_guard().
class GpuArguments {
 public:
  explicit GpuArguments(PyObject* adapter) : adapter_{adapter} {}

  void add(const dlcert_value& value);
  void add(bool value);
  void add(std::int32_t value);
  void add(std::int64_t value);
  void add(std::uint64_t value);
  void add(const char* value);
  void add(std::span<const char* const> texts);
  void add(const dlcert_build& build);
  void add(const dlcert_runtime_stream* stream);
  void add(PyObject& object);
  void add(dlcert_queued_call call) { call_ = call; }
  void add(void* context);

  Ref take();

 private:
  PyObject* adapter_;
  std::vector<Ref> values_;  // an empty one: left out
  dlcert_queued_call call_ = nullptr;
};

// What a method gave; raises where it is nothing of the kind. An object is the caller's from then
// on, and what stays the library's is kept until the process ends.
void take_answer(PyObject* told, bool& answer);
void take_answer(PyObject* told, std::int64_t& answer);
void take_answer(PyObject* told, std::uint64_t& answer);
void take_answer(PyObject* told, std::string& answer);
void take_answer(PyObject* told, std::vector<std::string>& answer);
void take_answer(PyObject* told, std::optional<std::vector<std::string>>& answer);
void take_answer(PyObject* told, std::vector<std::int64_t>& answer);
void take_answer(PyObject* told, std::pair<std::int32_t, std::int32_t>& answer);
void take_answer(PyObject* told, std::pair<bool, bool>& answer);
void take_answer(PyObject* told, dlcert_device_properties& answer);
void take_answer(PyObject* told, dlcert_runtime_stream& answer);
void take_answer(PyObject* told, dlcert_measurement& answer);
void take_answer(PyObject* told, dlcert_dtype& answer);
void take_answer(PyObject* told, const void*& answer);
void take_answer(PyObject* told, PyObject*& answer);

// os.environ is what the C environment is now.
void refresh_environment();

// One method of the Python class, under the signature of adapter_functions.hpp.
template <typename Adapter, typename Signature>
class GpuMethod;
template <typename Adapter, typename R, typename... P>
class GpuMethod<Adapter, R(P...)> {
 public:
  GpuMethod(Adapter& adapter, const char* name) : adapter_{adapter}, name_{name} {}
  R operator()(P... parameters) const {
    return adapter_.guarded(name_, [&]() -> R {
      refresh_environment();
      GpuArguments arguments{adapter_.adapter_.get()};
      (arguments.add(parameters), ...);
      const Ref told = call(adapter_.method(name_), arguments.take());
      if constexpr (!std::is_void_v<R>) return answer(told.get());
    });
  }

 private:
  R answer(PyObject* told) const {
    R answer{};
    try {
      take_answer(told, answer);
    } catch (const Raised&) {
      adapter_.fail_by_answer(name_, told);
    }
    return answer;
  }

  Adapter& adapter_;
  const char* name_;
};

// What drops an object needs no method.
template <typename Adapter>
class GpuMethod<Adapter, void(PyObject*)> {
 public:
  GpuMethod(Adapter&, const char*) {}
  void operator()(PyObject* object) const {
    const Lock lock;
    const Ref dropped{object};
  }
};

// The methods of all three groups; a base of the adapter class, which calls them by their names.
template <typename Adapter>
class GpuMethods {
 public:
  using Guard = PyObject;
  using GpuObject = PyObject;

#define DLCERT_PYTHON_METHOD(slot, method, ...) \
  GpuMethod<Adapter, __VA_ARGS__> method{static_cast<Adapter&>(*this), #method};
  DLCERT_DEVICES_FUNCTIONS(DLCERT_PYTHON_METHOD)
  DLCERT_RUNTIME_FUNCTIONS(DLCERT_PYTHON_METHOD)
  DLCERT_TELEMETRY_FUNCTIONS(DLCERT_PYTHON_METHOD)
#undef DLCERT_PYTHON_METHOD
};

}  // namespace dlcert::python
