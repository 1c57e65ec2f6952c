// SPDX-License-Identifier: Apache-2.0
//
// The calls of the groups tensor, exchange, capsule, stream and exchange table.
#include <fmt/format.h>

#include <algorithm>

#include "capsules.hpp"
#include "library_adapter.hpp"
#include "library_runtime.hpp"
#include "values.hpp"

namespace dlcert::python {

namespace {

Ref bytes(std::span<const std::byte> logical) {
  return made(py.PyBytes_FromStringAndSize(reinterpret_cast<const char*>(logical.data()),
                                           static_cast<std::ptrdiff_t>(logical.size())));
}

Ref pair(dlcert_device device) {
  return tuple(number(device.type), number(device.id));
}

[[noreturn]] void raise_value(const char* message) {
  py.PyErr_SetString(*py.PyExc_ValueError, message);
  throw Raised{};
}

dlcert_device device_of(PyObject* object) {
  const std::vector<std::int64_t> values = numbers(object);
  if (values.size() != 2) raise_value("expected a device (type, index)");
  return {static_cast<std::int32_t>(values[0]), static_cast<std::int32_t>(values[1])};
}

std::uint64_t to_address(PyObject* object) {
  const Ref index = made(py.PyNumber_Index(object));
  const unsigned long long value = py.PyLong_AsUnsignedLongLong(index.get());
  if (py.PyErr_Occurred() != nullptr) throw Raised{};
  return value;
}

void* to_pointer(PyObject* object) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): Python has addresses as integers
  return reinterpret_cast<void*>(to_address(object));
}

// All that tells one spec from another.
std::vector<std::int64_t> key_of(const dlcert_tensor_spec& spec) {
  std::vector<std::int64_t> key{spec.flags,      spec.state,       spec.dtype.code,
                                spec.dtype.bits, spec.dtype.lanes, spec.device.type,
                                spec.device.id,  spec.offset,      spec.storage_size};
  key.insert(key.end(), spec.shape, spec.shape + spec.ndim);
  key.insert(key.end(), spec.strides, spec.strides + spec.ndim);
  return key;
}

Ref extents(const std::int64_t* values, std::int32_t count) {
  Ref all = made(py.PyTuple_New(count));
  for (std::int32_t i = 0; i < count; ++i)
    py.PyTuple_SetItem(all.get(), i, number(values[i]).give_up());
  return all;
}

}  // namespace

PyObject* LibraryAdapter::method(const char* name) const {
  return methods_.find(std::string_view{name})->second.get();
}

Ref LibraryAdapter::ask(const char* name, const Ref& arguments, const Ref& keywords) {
  refresh_environment();
  return call(method(name), arguments, keywords.get());
}

// The same spec is asked about several times in a case.
Ref LibraryAdapter::spec_object(const dlcert_tensor_spec& spec) {
  std::vector<std::int64_t> key = key_of(spec);
  if (key != last_spec_) {
    last_spec_object_ =
        call(make_spec_.get(),
             tuple(number(spec.dtype.code), number(spec.dtype.bits), number(spec.dtype.lanes),
                   extents(spec.shape, spec.ndim), extents(spec.strides, spec.ndim),
                   number(spec.offset), number(spec.storage_size), pair(spec.device),
                   number(spec.flags), number(spec.state)));
    last_spec_ = std::move(key);
  }
  return last_spec_object_.copy();
}

// ---- tensors ----

bool LibraryAdapter::answers(const char* name, const dlcert_tensor_spec& spec) {
  return guarded(name, [&] {
    const Ref answer = ask(name, tuple(spec_object(spec)));
    if (!is_a(answer.get(), py.PyBool_Type))
      fail(name, fmt::format("expected True or False but found {}", shown(answer.get())));
    return py.PyObject_IsTrue(answer.get()) == 1;
  });
}

bool LibraryAdapter::can(const dlcert_tensor_spec& spec) {
  return answers("can", spec);
}

bool LibraryAdapter::can_import(const dlcert_tensor_spec& spec) {
  return answers("can_import", spec);
}

LibraryAdapter::Tensor LibraryAdapter::create(const dlcert_tensor_spec& spec,
                                              std::span<const std::byte> logical) {
  return guarded("create", [&] {
    Ref made_tensor = ask("create", tuple(spec_object(spec), bytes(logical)));
    if (made_tensor.get() == none()) fail("create", "expected a tensor but found None");
    return Tensor{std::move(made_tensor)};
  });
}

// A Description: dtype, shape, device, strides, data, storage, read_only. Whatever is none is the
// adapter's fault.
dlcert_description LibraryAdapter::describe(Tensor& tensor) {
  return guarded("describe", [&] {
    const Ref told = ask("describe", tuple(Ref::to(tensor.object())));
    try {
      return to_description(told.get(), tensor);
    } catch (const Raised&) {
      const Ref wrong = take_error();
      fail("describe", fmt::format("expected a dlcert.Description but found {}: {}",
                                   shown(told.get()), refused(wrong.get()).what()));
    }
  });
}

dlcert_description LibraryAdapter::to_description(PyObject* told, Tensor& tensor) {
  if (!is_a(told, py.PyTuple_Type) || py.PyTuple_Size(told) != 7)
    raise_value("expected a tuple of 7 members");
  dlcert_description description{};
  const std::vector<std::int64_t> dtype = numbers(item(told, 0));
  if (dtype.size() != 3) raise_value("expected a dtype (code, bits, lanes)");
  description.dtype = {static_cast<std::uint8_t>(dtype[0]), static_cast<std::uint8_t>(dtype[1]),
                       static_cast<std::uint16_t>(dtype[2])};
  tensor.shape = numbers(item(told, 1));
  description.ndim = static_cast<std::int32_t>(tensor.shape.size());
  description.shape = tensor.shape.data();
  description.device = device_of(item(told, 2));
  if (item(told, 3) != none()) {
    tensor.strides = numbers(item(told, 3));
    if (tensor.strides.size() != tensor.shape.size())
      raise_value("expected as many strides as extents");
    description.strides = tensor.strides.data();
  }
  description.data = to_pointer(item(told, 4));
  const Ref storage = made(py.PySequence_Tuple(item(told, 5)));
  description.storage_begin = to_pointer(item(storage.get(), 0));
  description.storage_bytes = to_address(item(storage.get(), 1));
  const int read_only = py.PyObject_IsTrue(item(told, 6));
  done(read_only);
  if (read_only == 1) description.flags = DLCERT_DESCRIPTION_READ_ONLY;
  return description;
}

void LibraryAdapter::read(Tensor& tensor, std::span<std::byte> logical) {
  guarded("read", [&] {
    const Ref given = ask("read", tuple(Ref::to(tensor.object())));
    char* data = nullptr;
    std::ptrdiff_t size = 0;
    done(py.PyBytes_AsStringAndSize(given.get(), &data, &size));
    const auto found = static_cast<std::size_t>(size);
    if (found != logical.size() && found != bytes_of(tensor))
      fail("read", fmt::format("expected {} bytes, as describe() says, but found {}",
                               bytes_of(tensor), found));
    if (found != logical.size())
      throw adapter::Refused{
          DLCERT_ERROR_VALUE,
          fmt::format("read: expected {} logical bytes but found {}", logical.size(), size)};
    std::copy_n(reinterpret_cast<const std::byte*>(data), logical.size(), logical.begin());
  });
}

// The size of the logical bytes of a tensor that describe() describes.
std::size_t LibraryAdapter::bytes_of(Tensor& tensor) {
  const dlcert_description described = describe(tensor);
  std::size_t elements = 1;
  for (std::int32_t i = 0; i < described.ndim; ++i)
    elements *= static_cast<std::size_t>(described.shape[i]);
  return (elements * described.dtype.bits * described.dtype.lanes + 7) / 8;
}

void LibraryAdapter::write(Tensor& tensor, std::span<const std::byte> logical) {
  guarded("write", [&] {
    const Ref given = ask("write", tuple(Ref::to(tensor.object()), bytes(logical)));
    // A generator or a coroutine, which can be closed, has not written anything yet.
    if (Ref{py.PyObject_GetAttrString(given.get(), "close")} && given.get() != none())
      fail("write", fmt::format("expected None but found {}", shown(given.get())));
    py.PyErr_Clear();
  });
}

LibraryAdapter::Tensor LibraryAdapter::alias(Tensor& tensor) {
  return guarded("alias", [&] { return Tensor{ask("alias", tuple(Ref::to(tensor.object())))}; });
}

std::int64_t LibraryAdapter::live_allocations() {
  return guarded("live_allocations",
                 [&] { return to_number(ask("live_allocations", tuple()).get()); });
}

void LibraryAdapter::fail_allocation(std::int64_t successes) {
  guarded("fail_allocation", [&] { ask("fail_allocation", tuple(number(successes))); });
}

// ---- exchange ----

dlcert_device LibraryAdapter::dlpack_device(Tensor& tensor) {
  return guarded("dlpack_device", [&] {
    const Ref told = ask("dlpack_device", tuple(Ref::to(tensor.object())));
    if (told.get() == none()) fail_if_empty("dlpack_device");
    try {
      return device_of(told.get());
    } catch (const Raised&) {  // of what the library gave
      py.PyErr_Clear();
      throw adapter::Refused{
          DLCERT_ERROR_TYPE,
          fmt::format("expected a device (type, index) but found {}", shown(told.get()))};
    }
  });
}

LibraryAdapter::Tensor LibraryAdapter::import_from(const dlcert_producer& producer,
                                                   const dlcert_import_request& request) {
  return guarded("import_from", [&] {
    const Ref arguments = keywords(request);
    Ref source =
        call(make_producer_.get(), tuple(address(&producer), truth(producer.dlpack != nullptr),
                                         truth(producer.dlpack_device != nullptr)));
    return imported("import_from", ask("import_from", tuple(std::move(source)), arguments));
  });
}

// ---- capsules ----

PyObject* LibraryAdapter::make_capsule(void* pointer, const char* name,
                                       dlcert_capsule_destructor destructor) {
  return guarded("make_capsule", [&] { return new_capsule(pointer, name, destructor).give_up(); });
}

const char* LibraryAdapter::capsule_name(PyObject& capsule) {
  const Lock lock;
  const char* const name = py.PyCapsule_GetName(&capsule);
  py.PyErr_Clear();
  return name;
}

void* LibraryAdapter::capsule_pointer(PyObject& capsule, const char* name) {
  const Lock lock;
  void* const pointer = py.PyCapsule_GetPointer(&capsule, name);
  py.PyErr_Clear();
  return pointer;
}

void LibraryAdapter::set_capsule_name(PyObject& capsule, const char* name) {
  guarded("set_capsule_name", [&] { done(py.PyCapsule_SetName(&capsule, name)); });
}

void LibraryAdapter::drop_capsule(PyObject* capsule) {
  const Lock lock;
  const Ref dropped{capsule};
}

LibraryAdapter::Tensor LibraryAdapter::imported(const char* method, Ref object) {
  if (object.get() == none()) fail_if_empty(method);
  return Tensor{std::move(object)};  // a library that gives None has not refused
}

// A capsule, or the error that the protocol has for what is none.
PyObject* LibraryAdapter::capsule_or_throw(Ref object) {
  if (is_a(object.get(), py.PyCapsule_Type)) return object.give_up();
  throw adapter::Refused{DLCERT_ERROR_TYPE,
                         fmt::format("expected a PyCapsule but found {}", shown(object.get()))};
}

PyObject* LibraryAdapter::export_capsule(Tensor& tensor, const dlcert_request& request) {
  return guarded("export_capsule", [&] {
    const Ref arguments = keywords(request);
    Ref given = ask("export_capsule", tuple(Ref::to(tensor.object())), arguments);
    if (given.get() == none()) {
      fail_if_empty("export_capsule");
      const Ref right = call(host_function("exports_right").get(),
                             tuple(adapter_.copy(), Ref::to(tensor.object()),
                                   arguments ? arguments.copy() : made(py.PyDict_New())));
      if (right.get() == truth(true).get())
        fail("export_capsule",
             "expected the capsule that the tensor's __dlpack__ gives but found None");
    }
    return capsule_or_throw(std::move(given));
  });
}

LibraryAdapter::Tensor LibraryAdapter::import_capsule(PyObject& capsule) {
  return guarded("import_capsule", [&] {
    return imported("import_capsule", ask("import_capsule", tuple(Ref::to(&capsule))));
  });
}

PyObject* LibraryAdapter::to_dlpack(Tensor& tensor) {
  return guarded("to_dlpack", [&] {
    Ref given = ask("to_dlpack", tuple(Ref::to(tensor.object())));
    if (given.get() == none()) fail_if_empty("to_dlpack");
    return capsule_or_throw(std::move(given));
  });
}

// ---- streams ----

// The class method is a context manager: `with adapter.run_with_stream(device, stream): body`.
void LibraryAdapter::run_with_stream(dlcert_device device, std::uint64_t stream,
                                     void (*body)(void*), void* context) {
  guarded("run_with_stream", [&] {
    const Ref manager = ask("run_with_stream", tuple(pair(device), unsigned_number(stream)));
    call(attribute(manager.get(), "__enter__").get());
    {
      const Unlocked unlocked;
      body(context);
    }
    const auto nothing = [] { return Ref::to(none()); };
    call(attribute(manager.get(), "__exit__").get(), tuple(nothing(), nothing(), nothing()));
  });
}

std::uint64_t LibraryAdapter::current_stream(dlcert_device device) {
  return guarded("current_stream",
                 [&] { return to_address(ask("current_stream", tuple(pair(device))).get()); });
}

void LibraryAdapter::synchronize(dlcert_device device) {
  guarded("synchronize", [&] { ask("synchronize", tuple(pair(device))); });
}

std::int32_t LibraryAdapter::current_device(std::int32_t device_type) {
  return guarded("current_device", [&] {
    return static_cast<std::int32_t>(
        to_number(ask("current_device", tuple(number(device_type))).get()));
  });
}

// ---- the exchange table ----

const void* LibraryAdapter::exchange_table() {
  return guarded("exchange_table", [&] {
    return static_cast<const void*>(to_pointer(ask("exchange_table", tuple()).get()));
  });
}

void* LibraryAdapter::object_of(Tensor& tensor) {
  const Lock lock;
  return Ref::to(tensor.object()).give_up();
}

LibraryAdapter::Tensor LibraryAdapter::tensor_of(void* object) {
  const Lock lock;
  return Tensor{Ref::to(static_cast<PyObject*>(object))};
}

void LibraryAdapter::drop_object(void* object) {
  const Lock lock;
  const Ref dropped{static_cast<PyObject*>(object)};
}

void LibraryAdapter::take_object_error() {
  const Lock lock;
  Ref& left = left_errors_[std::this_thread::get_id()];
  const Ref before = std::exchange(left, Ref{});
  const Ref now = take_error();
  if (now || before) throw refused(now ? now.get() : before.get());
}

}  // namespace dlcert::python
