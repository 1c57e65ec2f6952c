// SPDX-License-Identifier: Apache-2.0
//
// The adapter class of every Python library (adapter.hpp): each method takes the interpreter's
// lock, calls the method of the same name of a Python object, and tells what that raised.
#pragma once

#include <map>
#include <string>
#include <thread>
#include <vector>

#include <dlcert/adapter.hpp>

#include "interpreter.hpp"
#include "library_runtime.hpp"

namespace dlcert::python {

// What an adapter is loaded from: a file, or an importable module where that is empty.
struct Place {
  std::string shown;  // "python:numpy"
  std::string file;
  std::string module;
};

class LibraryAdapter : public GpuMethods<LibraryAdapter> {
 public:
  // An object of the library, and what was last described of it.
  class Tensor {
   public:
    explicit Tensor(Ref object) : object_{std::move(object)} {}
    Tensor(Tensor&&) = default;
    Tensor& operator=(Tensor&&) = default;
    Tensor(const Tensor&) = delete;
    Tensor& operator=(const Tensor&) = delete;
    ~Tensor();
    PyObject* object() const { return object_.get(); }
    std::vector<std::int64_t> shape, strides;

   private:
    Ref object_;
  };
  using Capsule = PyObject;

  // Loads the adapter, in an interpreter that runs. Throws Unusable; the traceback of what was
  // raised goes to standard error.
  explicit LibraryAdapter(const Place& place);
  ~LibraryAdapter();
  LibraryAdapter(const LibraryAdapter&) = delete;
  LibraryAdapter& operator=(const LibraryAdapter&) = delete;

  // The table of this adapter: what its class lacks is not in it.
  const dlcert_adapter& table() const { return table_; }

  const char* name() { return name_.c_str(); }
  const char* version() { return version_.c_str(); }
  const char* runtime() { return runtime_.empty() ? nullptr : runtime_.c_str(); }
  const char* array_api() { return array_api_.empty() ? nullptr : array_api_.c_str(); }
  std::uint32_t properties() { return properties_; }
  std::int32_t stacks_signal() { return python::stacks_signal(); }
  void open(const dlcert_host& host);
  void close();
  void before_fork() { python::before_fork(); }
  void after_fork(bool in_child) { python::after_fork(in_child); }

  bool can(const dlcert_tensor_spec& spec);
  bool can_import(const dlcert_tensor_spec& spec);
  Tensor create(const dlcert_tensor_spec& spec, std::span<const std::byte> logical);
  dlcert_description describe(Tensor& tensor);
  void read(Tensor& tensor, std::span<std::byte> logical);
  void write(Tensor& tensor, std::span<const std::byte> logical);
  Tensor alias(Tensor& tensor);
  std::int64_t live_allocations();
  void fail_allocation(std::int64_t successes);

  dlcert_device dlpack_device(Tensor& tensor);
  Tensor import_from(const dlcert_producer& producer, const dlcert_import_request& request);

  PyObject* make_capsule(void* pointer, const char* name, dlcert_capsule_destructor destructor);
  const char* capsule_name(PyObject& capsule);
  void* capsule_pointer(PyObject& capsule, const char* name);
  void set_capsule_name(PyObject& capsule, const char* name);
  void drop_capsule(PyObject* capsule);
  PyObject* export_capsule(Tensor& tensor, const dlcert_request& request);
  Tensor import_capsule(PyObject& capsule);
  PyObject* to_dlpack(Tensor& tensor);

  void run_with_stream(dlcert_device device, std::uint64_t stream, void (*body)(void*),
                       void* context);
  std::uint64_t current_stream(dlcert_device device);
  void synchronize(dlcert_device device);
  std::int32_t current_device(std::int32_t device_type);

  const void* exchange_table();
  void* object_of(Tensor& tensor);
  Tensor tensor_of(void* object);
  void drop_object(void* object);
  void take_object_error();

  std::string python_evaluate(Tensor* tensor, const char* expression);
  PyObject* python_capsule(Tensor* tensor, const char* expression);
  Tensor python_import(const dlcert_python_object& object, const char* expression);
  const dlcert_producer* python_producer_of(void* py_object);
  bool python_run(std::int32_t how, void (*body)(void*), void* context);
  void python_unraisable(const dlcert_text_list* out);
  void python_finalize();
  std::string python_source(std::int32_t what, const dlcert_tensor_spec* spec,
                            std::span<const std::byte> logical);
  void* python_object_of(Tensor& tensor);
  void python_drop_object(void* py_object);
  Tensor python_import_any(void* py_object, const dlcert_import_request& request);

 private:
  template <typename Adapter, typename Signature>
  friend class GpuMethod;

  void load(const Place& place);
  void let_go();
  void find_methods();
  void make_table();
  template <typename Group>
  const Group* kept(Group& group);
  std::string text_attribute(const char* name);
  bool flag(const char* name);
  std::uint32_t vendor();

  // Runs `body` under the lock; what it raises is told as an error of `method`.
  template <typename Body>
  auto guarded(const char* method, const Body& body) {
    const Lock lock;
    try {
      return body();
    } catch (const Raised&) {
      report(method);
    }
  }
  [[noreturn]] void report(const char* method);
  // The adapter itself is wrong.
  [[noreturn]] void fail(const char* method, const std::string& why);
  // So it is by what it has told, as the error in flight says.
  [[noreturn]] void fail_by_answer(const char* method, PyObject* told);

  // The adapter is wrong if the method, which gave None, has no `return` with a value.
  void fail_if_empty(const char* method);

  bool has(const std::string& method) const { return methods_.contains(method); }
  PyObject* method(const char* name) const;
  Ref ask(const char* name, const Ref& arguments, const Ref& keywords = {});
  Ref spec_object(const dlcert_tensor_spec& spec);
  Ref evaluated(PyObject* x, const char* expression);
  bool answers(const char* name, const dlcert_tensor_spec& spec);
  PyObject* capsule_or_throw(Ref object);
  Tensor imported(const char* method, Ref object);
  std::size_t bytes_of(Tensor& tensor);
  static dlcert_description to_description(PyObject* told, Tensor& tensor);

  Ref adapter_;
  Ref deferred_error_;  // a type of exception, or None
  std::map<std::string, Ref, std::less<>> methods_;
  std::string name_, version_, runtime_, array_api_;
  std::uint32_t properties_ = 0;
  const dlcert_host* host_ = nullptr;
  bool finalized_ = false;  // the interpreter has ended

  Ref make_spec_, evaluate_, make_producer_;
  std::vector<std::int64_t> last_spec_;  // of spec_object(), and what it gave
  Ref last_spec_object_;
  std::map<PyObject*, const dlcert_producer*> producers_;  // during import_object, by their type
  std::map<std::thread::id, Ref> left_errors_;  // by bodies of run(), until take_object_error()

  dlcert_adapter table_{};
  dlcert_tensor_group tensor_{};
  dlcert_exchange_group exchange_{};
  dlcert_capsule_group capsule_{};
  dlcert_devices_group devices_{};
  dlcert_runtime_group gpu_runtime_{};
  dlcert_telemetry_group telemetry_{};
};

}  // namespace dlcert::python
