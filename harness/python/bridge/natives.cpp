// SPDX-License-Identifier: Apache-2.0
#include "natives.hpp"

#include <dlpack/dlpack.h>

#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "capsules.hpp"
#include "interpreter.hpp"
#include "object.hpp"
#include "values.hpp"

namespace dlcert::python {

namespace {

std::atomic<const dlcert_host*> current_host{nullptr};

// The function of a method table that runs `Body`, which gives a new reference or throws.
template <Ref (*Body)(PyObject* arguments)>
PyObject* native(PyObject*, PyObject* arguments) {
  try {
    return Body(arguments).give_up();
  } catch (const Raised&) {
    return nullptr;
  } catch (const std::bad_alloc&) {
    py.PyErr_SetString(*py.PyExc_MemoryError, "no memory");
    return nullptr;
  } catch (const std::exception& wrong) {  // of an argument
    py.PyErr_SetString(*py.PyExc_ValueError, wrong.what());
    return nullptr;
  }
}

template <typename T>
T* pointer_of(PyObject* address) {
  const unsigned long long value = py.PyLong_AsUnsignedLongLong(address);
  if (py.PyErr_Occurred() != nullptr) throw Raised{};
  return reinterpret_cast<T*>(value);
}

dlcert_error new_error() {
  dlcert_error error{};
  error.struct_size = sizeof(error);
  return error;
}

// ---- the harness's objects ----

// Where no built-in exception is of its kind, the error is one of a type of its own.
[[noreturn]] void raise_status(dlcert_status status, const dlcert_error& error) {
  if (status != DLCERT_REFUSED) {
    py.PyErr_SetString(*py.PyExc_RuntimeError, "dlcert cannot answer this call");
  } else if (PyObject* const type = exception_of(error.kind); type != nullptr) {
    py.PyErr_SetString(type, error.message);
  } else {
    const Ref own = call(host_function("exception_named").get(), tuple(text(error.type)));
    py.PyErr_SetString(own.get(), error.message);
  }
  throw Raised{};
}

// dlpack_device(producer) -> (type, index)
Ref dlpack_device(PyObject* arguments) {
  const auto* const producer = pointer_of<const dlcert_producer>(item(arguments, 0));
  dlcert_device device{};
  dlcert_error error = new_error();
  dlcert_status status = DLCERT_OK;
  {
    const Unlocked unlocked;
    status = producer->dlpack_device(producer->context, &device, &error);
  }
  if (status != DLCERT_OK) raise_status(status, error);
  return tuple(number(device.type), number(device.id));
}

// dlpack(producer, stream, max_version, dl_device, copy) -> capsule
Ref dlpack(PyObject* arguments) {
  const auto* const producer = pointer_of<const dlcert_producer>(item(arguments, 0));
  const PassedValue stream{item(arguments, 1)}, max_version{item(arguments, 2)},
      dl_device{item(arguments, 3)}, copy{item(arguments, 4)};
  const dlcert_request request{sizeof(dlcert_request), 0,
                               stream.value(),         max_version.value(),
                               dl_device.value(),      copy.value()};
  dlcert_exported exported{};
  exported.struct_size = sizeof(exported);
  dlcert_error error = new_error();
  dlcert_status status = DLCERT_OK;
  {
    const Unlocked unlocked;
    status = producer->dlpack(producer->context, &request, &exported, &error);
  }
  if (status != DLCERT_OK) raise_status(status, error);
  if (exported.capsule != nullptr) return Ref{reinterpret_cast<PyObject*>(exported.capsule)};
  return owning_capsule(exported.managed);
}

// make_call(function, context): what the harness has queued, or the body of a guard, once.
Ref make_call(PyObject* arguments) {
  const auto function = reinterpret_cast<dlcert_queued_call>(pointer_of<void>(item(arguments, 0)));
  void* const context = pointer_of<void>(item(arguments, 1));
  dlcert_error error = new_error();
  dlcert_status status = DLCERT_OK;
  {
    const Unlocked unlocked;
    status = function(context, &error);
  }
  if (status != DLCERT_OK) raise_status(status, error);
  return Ref::to(none());
}

// ---- tensors of the adapter's own ----

// A managed tensor over bytes of its own, for libraries that make tensors by importing.
struct Strided {
  DLManagedTensorVersioned versioned{};
  DLManagedTensor legacy{};
  std::vector<std::int64_t> shape, strides;
  std::string bytes;
};

template <typename Managed>
void delete_strided(Managed* managed) {
  delete static_cast<Strided*>(managed->manager_ctx);
}

// strided_capsule(bytes, dtype, device, shape, strides, byte_offset, versioned, read_only)
Ref strided_capsule(PyObject* arguments) {
  auto block = std::make_unique<Strided>();
  char* data = nullptr;
  std::ptrdiff_t size = 0;
  done(py.PyBytes_AsStringAndSize(item(arguments, 0), &data, &size));
  block->bytes.assign(data, static_cast<std::size_t>(size));
  const std::vector<std::int64_t> dtype = numbers(item(arguments, 1));
  const std::vector<std::int64_t> device = numbers(item(arguments, 2));
  block->shape = numbers(item(arguments, 3));
  block->strides = numbers(item(arguments, 4));
  DLTensor tensor{};
  tensor.data = block->bytes.data();
  tensor.device = {static_cast<DLDeviceType>(device.at(0)),
                   static_cast<std::int32_t>(device.at(1))};
  tensor.ndim = static_cast<std::int32_t>(block->shape.size());
  tensor.dtype = {static_cast<std::uint8_t>(dtype.at(0)), static_cast<std::uint8_t>(dtype.at(1)),
                  static_cast<std::uint16_t>(dtype.at(2))};
  tensor.shape = block->shape.data();
  tensor.strides = block->strides.data();
  tensor.byte_offset = static_cast<std::uint64_t>(to_number(item(arguments, 5)));
  const bool versioned = py.PyObject_IsTrue(item(arguments, 6)) == 1;
  const bool read_only = py.PyObject_IsTrue(item(arguments, 7)) == 1;
  Strided* const kept = block.release();
  kept->versioned = {{1, 0},
                     kept,
                     &delete_strided<DLManagedTensorVersioned>,
                     read_only ? std::uint64_t{DLPACK_FLAG_BITMASK_READ_ONLY} : 0,
                     tensor};
  kept->legacy = {tensor, kept, &delete_strided<DLManagedTensor>};
  return versioned ? owning_capsule({DLCERT_VERSIONED, 0, &kept->versioned})
                   : owning_capsule({DLCERT_LEGACY, 0, &kept->legacy});
}

Ref bytes_of_capsule(PyObject* arguments) {
  return logical_bytes(item(arguments, 0));
}

// capsule_pointer(capsule, name) -> address
Ref capsule_pointer(PyObject* arguments) {
  void* const pointer =
      py.PyCapsule_GetPointer(item(arguments, 0), to_utf8(item(arguments, 1)).c_str());
  if (pointer == nullptr) throw Raised{};
  return made(py.PyLong_FromUnsignedLongLong(reinterpret_cast<unsigned long long>(pointer)));
}

// table_capsule(address) -> capsule "dlpack_exchange_api"
Ref table_capsule(PyObject* arguments) {
  return made(
      py.PyCapsule_New(pointer_of<void>(item(arguments, 0)), "dlpack_exchange_api", nullptr));
}

// ---- what the package tells ----

// warn(category, message)
Ref warn(PyObject* arguments) {
  const std::string category = to_utf8(item(arguments, 0));
  const std::string message = to_utf8(item(arguments, 1));
  if (const dlcert_host* const host = current_host.load(); host != nullptr)
    host->warn(host->context, category.c_str(), message.c_str());
  return Ref::to(none());
}

// set_absent(object)
Ref keep_absent(PyObject* arguments) {
  set_absent(Ref::to(item(arguments, 0)).give_up());
  return Ref::to(none());
}

std::array functions{
    PyMethodDef{"dlpack_device", &native<dlpack_device>, METH_VARARGS, nullptr},
    PyMethodDef{"dlpack", &native<dlpack>, METH_VARARGS, nullptr},
    PyMethodDef{"make_call", &native<make_call>, METH_VARARGS, nullptr},
    PyMethodDef{"strided_capsule", &native<strided_capsule>, METH_VARARGS, nullptr},
    PyMethodDef{"logical_bytes", &native<bytes_of_capsule>, METH_VARARGS, nullptr},
    PyMethodDef{"capsule_pointer", &native<capsule_pointer>, METH_VARARGS, nullptr},
    PyMethodDef{"table_capsule", &native<table_capsule>, METH_VARARGS, nullptr},
    PyMethodDef{"warn", &native<warn>, METH_VARARGS, nullptr},
    PyMethodDef{"set_absent", &native<keep_absent>, METH_VARARGS, nullptr},
    PyMethodDef{nullptr, nullptr, 0, nullptr},
};

}  // namespace

void add_natives() {
  const Ref module = made(py.PyModule_NewObject(text("_dlcert").get()));
  done(py.PyModule_AddFunctions(module.get(), functions.data()));
  done(py.PyDict_SetItemString(py.PyImport_GetModuleDict(), "_dlcert", module.get()));
}

void set_host(const dlcert_host* host) {
  current_host = host;
}

}  // namespace dlcert::python
