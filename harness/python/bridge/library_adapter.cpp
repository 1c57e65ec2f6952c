// SPDX-License-Identifier: Apache-2.0
//
// How an adapter is loaded, what its table holds, and how its errors are told. Its calls are in
// library_calls.cpp and library_runtime.cpp, the questions of Python's own rules in
// library_questions.cpp.
#include "library_adapter.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "natives.hpp"

namespace dlcert::python {

namespace {

// The text that a function of the package returns; empty where a library has broken what that
// needs.
std::optional<std::string> told_by(const char* function, const Ref& arguments) {
  try {
    return to_utf8(call(host_function(function).get(), arguments).get());
  } catch (const Raised&) {
    py.PyErr_Clear();
    return std::nullopt;
  }
}

// The two lines of the package's assigned(): for an error of the adapter, and for an error that
// nobody can assign. Both are empty if a library has broken what that needs.
std::pair<std::string, std::string> sides_of(const Ref& arguments) {
  try {
    const Ref lines = call(host_function("assigned").get(), arguments);
    return {to_utf8(item(lines.get(), 0)), to_utf8(item(lines.get(), 1))};
  } catch (const Raised&) {
    py.PyErr_Clear();
    return {};
  }
}

// The functions of groups whose methods have their names.
template <typename... Group>
std::vector<std::string> names_of() {
  std::vector<std::string> names;
  (adapter::Functions<Group>::each([&](const char* name, auto) { names.emplace_back(name); }), ...);
  return names;
}

// Returns whether a function needs no method of the Python class: its capsules are the
// interpreter's, and the bridge releases its tensors.
bool is_of_bridge(std::string_view method) {
  for (const std::string_view own : {"no_method", "make_capsule", "capsule_name", "capsule_pointer",
                                     "set_capsule_name", "drop_capsule"})
    if (method == own) return true;
  return false;
}

}  // namespace

LibraryAdapter::Tensor::~Tensor() {
  if (!object_) return;
  const Lock lock;
  object_ = Ref{};
}

LibraryAdapter::LibraryAdapter(const Place& place) {
  const Lock lock;
  try {
    load(place);
  } catch (const Raised&) {
    const Ref error = take_error();
    let_go();
    throw Unusable{
        told_by("tell_fault", tuple(error.copy())).value_or(refused(error.get()).what())};
  } catch (...) {
    let_go();
    throw;
  }
}

LibraryAdapter::~LibraryAdapter() {
  const Lock lock;
  let_go();
}

// Of all objects, which needs the lock.
void LibraryAdapter::let_go() {
  methods_.clear();
  for (Ref* const one :
       {&adapter_, &deferred_error_, &make_spec_, &evaluate_, &make_producer_, &last_spec_object_})
    *one = Ref{};
}

void LibraryAdapter::load(const Place& place) {
  {
    const FatalSignalsKept kept;
    adapter_ = call(host_function("load").get(),
                    tuple(text(place.shown), text(place.file), text(place.module)));
  }
  make_spec_ = host_function("spec");
  evaluate_ = host_function("evaluate");
  make_producer_ = host_function("producer");
  name_ = text_attribute("name");
  version_ = text_attribute("version");
  if (attribute(adapter_.get(), "runtime").get() != none()) runtime_ = text_attribute("runtime");
  if (attribute(adapter_.get(), "array_api").get() != none())
    array_api_ = text_attribute("array_api");
  deferred_error_ = attribute(adapter_.get(), "deferred_error");
  properties_ = DLCERT_ENDS_WITHOUT_EXIT;
  if (flag("faithful_errors")) properties_ |= DLCERT_FAITHFUL_ERRORS;
  if (flag("thread_safe")) properties_ |= DLCERT_THREAD_SAFE;
  if (flag("knows_read_only")) properties_ |= DLCERT_KNOWS_READ_ONLY;
  if (flag("passes_codes_through")) properties_ |= DLCERT_PASSES_CODES_THROUGH;
  if (attribute(adapter_.get(), "vendor").get() != none()) properties_ |= vendor();
  find_methods();
  make_table();
}

std::uint32_t LibraryAdapter::vendor() {
  const std::string name = text_attribute("vendor");
  if (name == "cuda") return DLCERT_CUDA_ALONE;
  if (name == "rocm") return DLCERT_ROCM_ALONE;
  throw Unusable{fmt::format("vendor: expected cuda or rocm but found '{}'", name)};
}

std::string LibraryAdapter::text_attribute(const char* name) {
  const Ref value = attribute(adapter_.get(), name);
  if (!is_a(value.get(), py.PyUnicode_Type))
    throw Unusable{fmt::format("{}: expected a text but found {}", name, shown(value.get()))};
  return to_utf8(value.get());
}

bool LibraryAdapter::flag(const char* name) {
  return py.PyObject_IsTrue(attribute(adapter_.get(), name).get()) == 1;
}

void LibraryAdapter::find_methods() {
  std::vector<std::string> methods =
      names_of<dlcert_devices_group, dlcert_runtime_group, dlcert_telemetry_group>();
#define DLCERT_METHOD(slot, method, ...) methods.emplace_back(#method);
  DLCERT_TENSOR_FUNCTIONS(DLCERT_METHOD)
  DLCERT_EXCHANGE_FUNCTIONS(DLCERT_METHOD)
  DLCERT_CAPSULE_FUNCTIONS(DLCERT_METHOD)
  DLCERT_STREAM_FUNCTIONS(DLCERT_METHOD)
  DLCERT_EXCHANGE_API_FUNCTIONS(DLCERT_METHOD)
#undef DLCERT_METHOD
  const Ref offered =
      call(host_function("offered").get(), tuple(adapter_.copy(), text_tuple(methods)));
  for (std::ptrdiff_t i = 0; i < py.PyTuple_Size(offered.get()); ++i) {
    const std::string name = to_utf8(py.PyTuple_GetItem(offered.get(), i));
    methods_.emplace(name, attribute(adapter_.get(), name.c_str()));
  }
}

// The table of this class, without what the Python class lacks. Capsules are the interpreter's and
// questions the bridge's own: these are there always.
void LibraryAdapter::make_table() {
  table_ = adapter::table(*this);
  tensor_ = *table_.tensor;
  exchange_ = *table_.exchange;
  capsule_ = *table_.capsule;
  table_.tensor = &tensor_;
  table_.exchange = &exchange_;
  table_.capsule = &capsule_;
#define DLCERT_KEEP_TENSOR(slot, method, ...) \
  if (!is_of_bridge(#method) && !has(#method)) tensor_.slot = nullptr;
#define DLCERT_KEEP_EXCHANGE(slot, method, ...) \
  if (!has(#method)) exchange_.slot = nullptr;
#define DLCERT_KEEP_CAPSULE(slot, method, ...) \
  if (!is_of_bridge(#method) && !has(#method)) capsule_.slot = nullptr;
  DLCERT_TENSOR_FUNCTIONS(DLCERT_KEEP_TENSOR)
  DLCERT_EXCHANGE_FUNCTIONS(DLCERT_KEEP_EXCHANGE)
  DLCERT_CAPSULE_FUNCTIONS(DLCERT_KEEP_CAPSULE)
#undef DLCERT_KEEP_TENSOR
#undef DLCERT_KEEP_EXCHANGE
#undef DLCERT_KEEP_CAPSULE
  if (!has("run_with_stream") || !has("current_stream") || !has("synchronize") ||
      !has("current_device"))
    table_.stream = nullptr;
  if (!has("exchange_table")) table_.exchange_api = nullptr;
  table_.roles = 0;
  if (has("create") && (has("export_capsule") || has("to_dlpack"))) table_.roles |= DLCERT_PRODUCER;
  if (has("import_from") || has("import_capsule")) table_.roles |= DLCERT_CONSUMER;
  devices_ = *table_.devices;
  gpu_runtime_ = *table_.gpu_runtime;
  telemetry_ = *table_.telemetry;
  table_.devices = kept(devices_);
  table_.gpu_runtime = kept(gpu_runtime_);
  table_.telemetry = kept(telemetry_);
  if (table_.roles == DLCERT_RUNTIME) {
    table_.tensor = nullptr;
    table_.exchange = nullptr;
    table_.capsule = nullptr;
  }
}

// The group without what the Python class lacks; NULL where that is all. What drops an object needs
// no method: it is there with what makes one.
template <typename Group>
const Group* LibraryAdapter::kept(Group& group) {
  bool any = false;
  adapter::Functions<Group>::each([&](const std::string& name, auto slot) {
    const bool offered = has(name == "drop_guard"        ? "with_guard"
                             : name == "drop_gpu_object" ? "gpu_object"
                                                         : name);
    if (!offered) group.*slot = nullptr;
    any |= offered;
  });
  if (any) table_.roles |= DLCERT_RUNTIME;
  return any ? &group : nullptr;
}

// ---- errors ----

// The error in flight is the library's, or the adapter's own.
void LibraryAdapter::report(const char* method) {
  const Ref error = take_error();
  const Ref not_formable = host_function("NotFormable");
  if (py.PyErr_GivenExceptionMatches(error.get(), not_formable.get()) != 0)
    throw adapter::NotFormable{};
  const auto [fault, unassigned] = sides_of(tuple(adapter_.copy(), text(method), error.copy()));
  if (!fault.empty()) fail(method, fault);
  if (!unassigned.empty()) throw adapter::Refused{DLCERT_ERROR_UNASSIGNED, unassigned};
  if (deferred_error_.get() == none() ||
      py.PyErr_GivenExceptionMatches(error.get(), deferred_error_.get()) == 0)
    throw refused(error.get());
  dlcert_error deferred = refused(error.get()).error();
  deferred.kind = DLCERT_ERROR_DEFERRED;
  throw adapter::Refused{deferred};
}

void LibraryAdapter::fail(const char* method, const std::string& why) {
  const std::string line = fmt::format("{}(): {}", method, why);
  if (host_ != nullptr && offsetof(dlcert_host, fault) < host_->struct_size)
    host_->fault(host_->context, line.c_str());
  throw adapter::Refused{DLCERT_ERROR_OTHER, line, "FaultOfAdapter"};
}

void LibraryAdapter::fail_by_answer(const char* method, PyObject* told) {
  const Ref wrong = take_error();
  fail(method, fmt::format("wrong return value {}: {}", shown(told), refused(wrong.get()).what()));
}

void LibraryAdapter::fail_if_empty(const char* method) {
  const Ref certain =
      call(host_function("returns_nothing").get(), tuple(adapter_.copy(), text(method)));
  if (certain.get() == truth(true).get())
    fail(method, "expected a result but the method returns nothing; add `return`");
}

void LibraryAdapter::open(const dlcert_host& host) {
  host_ = &host;
  set_host(&host);
}

void LibraryAdapter::close() {
  set_host(nullptr);
  host_ = nullptr;
}

}  // namespace dlcert::python
