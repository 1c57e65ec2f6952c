// SPDX-License-Identifier: Apache-2.0

#include "dlcert/python/array.hpp"

#include <cstddef>
#include <span>

namespace dlcert::reference::python {
namespace {

PyObject* address(const void* at) {
  return PyLong_FromUnsignedLongLong(reinterpret_cast<std::uintptr_t>(at));
}

PyObject* shape(PyObject* self, void*) noexcept {
  return guarded([&] { return object_of(tensor_of(self).shape().span()); });
}

PyObject* strides(PyObject* self, void*) noexcept {
  return guarded([&] {
    const Tensor& tensor = tensor_of(self);
    const bool in_elements = tensor.layout().unit == StrideUnit::element;
    return in_elements ? object_of(tensor.strides().span()) : Owned::share(Py_None);
  });
}

PyObject* dtype(PyObject* self, void*) noexcept {
  const DLDataType type = tensor_of(self).dtype().description();
  return Py_BuildValue("(iii)", int{type.code}, int{type.bits}, int{type.lanes});
}

PyObject* device(PyObject* self, void*) noexcept {
  return guarded([&] { return object_of(tensor_of(self).device()); });
}

PyObject* readonly(PyObject* self, void*) noexcept {
  return PyBool_FromLong(tensor_of(self).is_read_only() ? 1 : 0);
}

PyObject* data(PyObject* self, void*) noexcept {
  return address(tensor_of(self).first_element());
}

PyObject* storage(PyObject* self, void*) noexcept {
  return guarded([&] {
    const Storage& storage = tensor_of(self).storage();
    const Owned begin = checked(address(storage.data()));
    return checked(Py_BuildValue("(OL)", begin.get(), static_cast<long long>(storage.size())));
  });
}

}  // namespace

PyGetSetDef array_properties[] = {
    {"shape", &shape, nullptr, "The extents.", nullptr},
    {"strides", &strides, nullptr, "In elements; None for strides in bytes.", nullptr},
    {"dtype", &dtype, nullptr, "(code, bits, lanes) of DLPack.", nullptr},
    {"device", &device, nullptr, "(type, id) of DLPack.", nullptr},
    {"readonly", &readonly, nullptr, "Whether nothing can be written through the array.", nullptr},
    {"data", &data, nullptr, "The address of element (0, 0, ...); 0 where there is none.", nullptr},
    {"storage", &storage, nullptr, "(address, bytes) of the memory that the array views.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyObject* array_tobytes(PyObject* self, PyObject*) noexcept {
  return guarded([&] {
    const Tensor& tensor = tensor_of(self);
    Owned bytes = checked(PyBytes_FromStringAndSize(nullptr, tensor.logical_bytes()));
    auto* const begin = reinterpret_cast<std::byte*>(PyBytes_AsString(bytes.get()));
    tensor.read({begin, static_cast<std::size_t>(tensor.logical_bytes())});
    return bytes;
  });
}

PyObject* array_write(PyObject* self, PyObject* bytes) noexcept {
  return guarded([&] {
    tensor_of(self).write(bytes_of(bytes));
    return Owned::share(Py_None);
  });
}

}  // namespace dlcert::reference::python
