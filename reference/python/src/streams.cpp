// SPDX-License-Identifier: Apache-2.0

#include "dlcert/python/streams.hpp"

#include <cstdint>
#include <utility>

#include "dlcert/python/arguments.hpp"
#include "dlcert/python/errors.hpp"
#include "dlcert/tensor/exchange_steps.hpp"
#include "dlcert/tensor/streams.hpp"

namespace dlcert::reference::python {
namespace {

struct StreamObject {
  PyObject_HEAD int ordinal;
  Stream stream;
  StreamGuard* guard;    ///< while it is entered
  unsigned long thread;  ///< that entered it
};

StreamObject& stream_in(PyObject* self) noexcept {
  return *reinterpret_cast<StreamObject*>(self);
}

int ordinal_with_streams(PyObject* object) {
  const DLDevice device = device_of(object);
  if (same_device(device, cpu_device) || !is_available(device))
    throw Error(ErrorKind::value, "expected a device with streams but found " + to_string(device));
  return ordinal_of(device);
}

PyObject* make_stream(PyTypeObject* type, PyObject* arguments, PyObject* keywords) noexcept {
  static const char* const names[] = {"device", "handle", nullptr};
  PyObject* device = nullptr;
  unsigned long long handle = 0;
  if (PyArg_ParseTupleAndKeywords(arguments, keywords, "OK:stream", const_cast<char**>(names),
                                  &device, &handle) == 0)
    return nullptr;
  return guarded([&] {
    const int ordinal = ordinal_with_streams(device);
    Owned made = checked(PyType_GenericAlloc(type, 0));
    stream_in(made.get()).ordinal = ordinal;
    stream_in(made.get()).stream = Stream{static_cast<std::uintptr_t>(handle)};
    return made;
  });
}

PyObject* leave_stream(PyObject* self, PyObject*) noexcept {
  return guarded([&] {
    StreamObject& left = stream_in(self);
    if (left.guard != nullptr && left.thread != PyThread_get_thread_ident())
      throw Error(ErrorKind::value, "expected the thread that entered the stream");
    delete std::exchange(left.guard, nullptr);
    return Owned::share(Py_None);
  });
}

PyObject* enter_stream(PyObject* self, PyObject*) noexcept {
  return guarded([&] {
    StreamObject& entered = stream_in(self);
    if (entered.guard != nullptr)
      throw Error(ErrorKind::value, "expected a stream not entered yet");
    entered.thread = PyThread_get_thread_ident();
    entered.guard = new StreamGuard(entered.ordinal, entered.stream);
    return Owned::share(self);
  });
}

// A stream that was never left stays current: its thread may be another one.
void end_stream(PyObject* self) noexcept {
  PyTypeObject* const type = Py_TYPE(self);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

}  // namespace

Owned stream_type() {
  static PyMethodDef methods[] = {{"__enter__", &enter_stream, METH_NOARGS, nullptr},
                                  {"__exit__", &leave_stream, METH_VARARGS, nullptr},
                                  {nullptr, nullptr, 0, nullptr}};
  PyType_Slot slots[] = {
      {Py_tp_doc, const_cast<char*>("stream(device, handle)\n--\n\nA context in which the calling "
                                    "thread's work on a device is enqueued on a stream.")},
      {Py_tp_new, reinterpret_cast<void*>(&make_stream)},
      {Py_tp_dealloc, reinterpret_cast<void*>(&end_stream)},
      {Py_tp_methods, methods},
      {0, nullptr}};
  PyType_Spec spec{.name = "dlcert_reference.stream",
                   .basicsize = sizeof(StreamObject),
                   .itemsize = 0,
                   .flags = Py_TPFLAGS_DEFAULT,
                   .slots = slots};
  return checked(PyType_FromSpec(&spec));
}

PyObject* current_stream(PyObject*, PyObject* device) noexcept {
  return guarded(
      [&] { return checked(PyLong_FromVoidPtr(ExchangeSteps::work_stream(device_of(device)))); });
}

PyObject* synchronize(PyObject*, PyObject* device) noexcept {
  return guarded([&] {
    synchronize_device(ordinal_with_streams(device));
    return Owned::share(Py_None);
  });
}

PyObject* ordinal(PyObject*, PyObject* device) noexcept {
  return guarded([&] { return checked(PyLong_FromLong(ordinal_with_streams(device))); });
}

}  // namespace dlcert::reference::python
