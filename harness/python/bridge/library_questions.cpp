// SPDX-License-Identifier: Apache-2.0
//
// Group 9: what only Python has (adapter_python.h).
#include <fmt/format.h>

#include <thread>

#include "library_adapter.hpp"
#include "values.hpp"

namespace dlcert::python {

Ref LibraryAdapter::evaluated(PyObject* x, const char* expression) {
  return call(evaluate_.get(),
              tuple(adapter_.copy(), Ref::to(x == nullptr ? none() : x), text(expression)));
}

std::string LibraryAdapter::python_evaluate(Tensor* tensor, const char* expression) {
  return guarded("evaluate", [&] {
    const Ref given = evaluated(tensor == nullptr ? nullptr : tensor->object(), expression);
    return to_utf8(made(py.PyObject_Str(given.get())).get());
  });
}

PyObject* LibraryAdapter::python_capsule(Tensor* tensor, const char* expression) {
  return guarded("evaluate_capsule", [&] {
    return capsule_or_throw(evaluated(tensor == nullptr ? nullptr : tensor->object(), expression));
  });
}

LibraryAdapter::Tensor LibraryAdapter::python_import(const dlcert_python_object& object,
                                                     const char* expression) {
  return guarded("import_object", [&] {
    const dlcert_producer* const producer = object.producer;
    const Ref source =
        call(host_function("own_producer").get(),
             tuple(address(producer), truth(producer->dlpack != nullptr),
                   truth(producer->dlpack_device != nullptr), address(object.table),
                   object.class_body == nullptr ? Ref::to(none()) : text(object.class_body)));
    const Ref type{py.PyObject_Type(source.get())};
    producers_[type.get()] = producer;
    Ref imported;
    try {
      imported = evaluated(source.get(), expression);
    } catch (const Raised&) {
      producers_.erase(type.get());
      throw;
    }
    producers_.erase(type.get());
    return Tensor{std::move(imported)};
  });
}

const dlcert_producer* LibraryAdapter::python_producer_of(void* py_object) {
  const Lock lock;
  const Ref type{py.PyObject_Type(static_cast<PyObject*>(py_object))};
  const auto found = producers_.find(type.get());
  return found == producers_.end() ? nullptr : found->second;
}

bool LibraryAdapter::python_run(std::int32_t how, void (*body)(void*), void* context) {
  if (how != DLCERT_PYTHON_LOCK_HELD && how != DLCERT_PYTHON_ERROR_IN_FLIGHT)
    throw adapter::NotFormable{};
  const Lock lock;
  if (how == DLCERT_PYTHON_LOCK_HELD) {
    body(context);
    // No call may begin while an error is set: what the body has left waits for who asks for it.
    left_errors_[std::this_thread::get_id()] = take_error();
    return true;
  }
  constexpr const char* message = "an error that is in flight";
  py.PyErr_SetString(*py.PyExc_ValueError, message);
  body(context);
  const Ref error = take_error();
  return error && py.PyErr_GivenExceptionMatches(error.get(), *py.PyExc_ValueError) != 0 &&
         to_utf8(made(py.PyObject_Str(error.get())).get()) == message;
}

void LibraryAdapter::python_unraisable(const dlcert_text_list* out) {
  if (finalized_) return;
  guarded("unraisable", [&] {
    const Ref told = made(py.PySequence_Tuple(call(host_function("unraised").get()).get()));
    for (std::ptrdiff_t i = 0; i < py.PyTuple_Size(told.get()); ++i) {
      const std::string line = to_utf8(py.PyTuple_GetItem(told.get(), i));
      out->add(out->context, line.data(), line.size());
    }
  });
}

// The calling thread becomes the interpreter's last one.
void LibraryAdapter::python_finalize() {
  py.PyGILState_Ensure();
  finalized_ = true;
  if (py.Py_FinalizeEx() < 0)
    throw adapter::Refused{DLCERT_ERROR_OTHER, "the interpreter could not flush buffered output"};
}

std::string LibraryAdapter::python_source(std::int32_t what, const dlcert_tensor_spec* spec,
                                          std::span<const std::byte> logical) {
  return guarded("source", [&] {
    switch (what) {
      case DLCERT_PYTHON_IMPORTS:
        return to_utf8(call(attribute(adapter_.get(), "source_imports").get()).get());
      case DLCERT_PYTHON_READ:
        return to_utf8(call(attribute(adapter_.get(), "source_read").get()).get());
      case DLCERT_PYTHON_CREATE: {
        Ref bytes = made(py.PyBytes_FromStringAndSize(reinterpret_cast<const char*>(logical.data()),
                                                      static_cast<std::ptrdiff_t>(logical.size())));
        return to_utf8(call(attribute(adapter_.get(), "source_create").get(),
                            tuple(spec_object(*spec), std::move(bytes)))
                           .get());
      }
      case DLCERT_PYTHON_DEVICE:
        return to_utf8(call(attribute(adapter_.get(), "source_device").get(),
                            tuple(tuple(number(spec->device.type), number(spec->device.id))))
                           .get());
      case DLCERT_PYTHON_STREAM: {
        const std::string stream{reinterpret_cast<const char*>(logical.data()), logical.size()};
        return to_utf8(call(attribute(adapter_.get(), "source_run_with_stream").get(),
                            tuple(tuple(number(spec->device.type), number(spec->device.id)),
                                  text(stream.c_str())))
                           .get());
      }
      case DLCERT_PYTHON_WRITE:
        return to_utf8(call(attribute(adapter_.get(), "source_write").get(),
                            tuple(made(py.PyBytes_FromStringAndSize(
                                reinterpret_cast<const char*>(logical.data()),
                                static_cast<std::ptrdiff_t>(logical.size())))))
                           .get());
      default:
        throw adapter::NotFormable{};
    }
  });
}

// ---- objects that go to other libraries ----

void* LibraryAdapter::python_object_of(Tensor& tensor) {
  const Lock lock;
  return Ref::to(tensor.object()).give_up();
}

void LibraryAdapter::python_drop_object(void* py_object) {
  const Lock lock;
  const Ref dropped{static_cast<PyObject*>(py_object)};
}

// A library that takes bare capsules alone gets what __dlpack__ gives.
LibraryAdapter::Tensor LibraryAdapter::python_import_any(void* py_object,
                                                         const dlcert_import_request& request) {
  return guarded("import_any", [&] {
    Ref object = Ref::to(static_cast<PyObject*>(py_object));
    const Ref arguments = keywords(request);
    if (has("import_from")) return Tensor{ask("import_from", tuple(std::move(object)), arguments)};
    if (arguments || !has("import_capsule")) throw adapter::NotFormable{};
    const Ref dlpack = attribute(object.get(), "__dlpack__");
    return Tensor{ask("import_capsule", tuple(call(dlpack.get())))};
  });
}

}  // namespace dlcert::python
