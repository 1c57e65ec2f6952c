// SPDX-License-Identifier: Apache-2.0
#include "library_runtime.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>

#include "interpreter.hpp"
#include "values.hpp"

namespace dlcert::python {

namespace {

[[noreturn]] void raise_type(const char* message) {
  py.PyErr_SetString(*py.PyExc_TypeError, message);
  throw Raised{};
}

std::string to_text(PyObject* told) {
  if (!is_a(told, py.PyUnicode_Type)) raise_type("expected a str");
  return to_utf8(told);
}

bool to_truth(PyObject* told) {
  if (!is_a(told, py.PyBool_Type)) raise_type("expected True or False");
  return py.PyObject_IsTrue(told) == 1;
}

// The members of a tuple that must have so many.
template <std::size_t Count>
std::array<PyObject*, Count> members(PyObject* told) {
  if (!is_a(told, py.PyTuple_Type) || py.PyTuple_Size(told) != std::ptrdiff_t{Count})
    raise_type("expected a tuple with the right number of members");
  std::array<PyObject*, Count> all{};
  for (std::size_t i = 0; i < Count; ++i)
    all[i] = item(told, static_cast<std::ptrdiff_t>(i));
  return all;
}

}  // namespace

// ---- arguments ----

void GpuArguments::add(const dlcert_value& value) {
  if (value.tag == DLCERT_ABSENT) {
    values_.emplace_back();
  } else if (value.tag == DLCERT_PAIR) {
    values_.push_back(call(attribute(adapter_, "named_device").get(), tuple(to_object(value))));
  } else if (value.tag == DLCERT_GUARD) {
    values_.push_back(
        call(host_function("guard").get(), tuple(Ref::to(adapter_), number(value.first))));
  } else {
    values_.push_back(to_object(value));
  }
}

void GpuArguments::add(bool value) {
  values_.push_back(truth(value));
}

void GpuArguments::add(std::int32_t value) {
  values_.push_back(number(value));
}

void GpuArguments::add(std::int64_t value) {
  values_.push_back(number(value));
}

void GpuArguments::add(std::uint64_t value) {
  values_.push_back(unsigned_number(value));
}

void GpuArguments::add(const char* value) {
  values_.push_back(text(value));
}

void GpuArguments::add(std::span<const char* const> texts) {
  values_.push_back(text_tuple({texts.begin(), texts.end()}));
}

void GpuArguments::add(const dlcert_build& build) {
  const auto has = [&](std::uint32_t flag) { return truth((build.flags & flag) != 0); };
  values_.push_back(call(host_function("Build").get(),
                         tuple(has(DLCERT_BUILD_GPU), has(DLCERT_BUILD_RUNTIME_BINDINGS),
                               has(DLCERT_BUILD_LINEAR_ALGEBRA), number(build.management_bindings),
                               text(build.architecture_flags))));
}

void GpuArguments::add(const dlcert_runtime_stream* stream) {
  if (stream == nullptr)
    values_.push_back(Ref::to(none()));
  else
    values_.push_back(call(host_function("Stream").get(),
                           tuple(number(stream->id), number(stream->device_index),
                                 number(stream->device_type), unsigned_number(stream->handle))));
}

void GpuArguments::add(PyObject& object) {
  values_.push_back(Ref::to(&object));
}

void GpuArguments::add(void* context) {
  // A pointer to a function, as an address.
  Ref function = unsigned_number(reinterpret_cast<std::uintptr_t>(call_));
  values_.push_back(
      call(host_function("queued_call").get(), tuple(std::move(function), address(context))));
}

Ref GpuArguments::take() {
  while (!values_.empty() && !values_.back())
    values_.pop_back();
  for (Ref& value : values_)
    if (!value) value = Ref::to(none());
  return tuple(values_);
}

// ---- answers ----

void take_answer(PyObject* told, bool& answer) {
  answer = to_truth(told);
}

void take_answer(PyObject* told, std::int64_t& answer) {
  answer = to_number(told);
}

void take_answer(PyObject* told, std::uint64_t& answer) {
  const Ref index = made(py.PyNumber_Index(told));
  answer = py.PyLong_AsUnsignedLongLong(index.get());
  if (py.PyErr_Occurred() != nullptr) throw Raised{};
}

void take_answer(PyObject* told, std::string& answer) {
  answer = to_text(told);
}

void take_answer(PyObject* told, std::vector<std::string>& answer) {
  if (is_a(told, py.PyUnicode_Type)) raise_type("expected a sequence of str");
  const Ref all = made(py.PySequence_Tuple(told));
  for (std::ptrdiff_t i = 0; i < py.PyTuple_Size(all.get()); ++i)
    answer.push_back(to_text(item(all.get(), i)));
}

void take_answer(PyObject* told, std::optional<std::vector<std::string>>& answer) {
  if (told != none()) take_answer(told, answer.emplace());
}

void take_answer(PyObject* told, std::vector<std::int64_t>& answer) {
  answer = numbers(told);
}

void take_answer(PyObject* told, std::pair<std::int32_t, std::int32_t>& answer) {
  const auto [first, second] = members<2>(told);
  answer = {static_cast<std::int32_t>(to_number(first)),
            static_cast<std::int32_t>(to_number(second))};
}

void take_answer(PyObject* told, std::pair<bool, bool>& answer) {
  const auto [first, second] = members<2>(told);
  answer = {to_truth(first), to_truth(second)};
}

void take_answer(PyObject* told, dlcert_device_properties& answer) {
  const auto [name, major, minor, total_memory] = members<4>(told);
  answer.major = static_cast<std::int32_t>(to_number(major));
  answer.minor = static_cast<std::int32_t>(to_number(minor));
  take_answer(total_memory, answer.total_memory);
  adapter::detail::copy_text(answer.name, sizeof(answer.name), to_text(name));
}

void take_answer(PyObject* told, dlcert_runtime_stream& answer) {
  const auto [id, device_index, device_type, handle] = members<4>(told);
  answer.id = to_number(id);
  answer.device_index = to_number(device_index);
  answer.device_type = to_number(device_type);
  take_answer(handle, answer.handle);
}

void take_answer(PyObject* told, dlcert_measurement& answer) {
  const auto [value, unit] = members<2>(told);
  answer.value = to_number(value);
  answer.unit = static_cast<std::int32_t>(to_number(unit));
}

void take_answer(PyObject* told, dlcert_dtype& answer) {
  const auto [code, bits, lanes] = members<3>(told);
  answer = {static_cast<std::uint8_t>(to_number(code)), static_cast<std::uint8_t>(to_number(bits)),
            static_cast<std::uint16_t>(to_number(lanes))};
}

void take_answer(PyObject* told, const void*& answer) {
  if (told != none()) answer = Ref::to(told).give_up();
}

void take_answer(PyObject* told, PyObject*& answer) {
  if (told == none()) raise_type("expected an object but found None");
  answer = Ref::to(told).give_up();
}

// ---- the environment ----

// setenv() puts another text in the place of an entry: where the places are the same, so are the
// texts.
static bool has_same_entries() {
  static auto* const known = new std::vector<const char*>;
  std::size_t count = 0;
  while (::environ != nullptr && ::environ[count] != nullptr)
    ++count;
  if (known->size() == count && std::equal(known->begin(), known->end(), ::environ)) return true;
  known->assign(::environ, ::environ + count);
  return false;
}

void refresh_environment() {
  if (has_same_entries()) return;
  static auto* const known = new std::vector<std::string>;
  std::vector<std::string> now;
  for (char** entry = ::environ; entry != nullptr && *entry != nullptr; ++entry)
    now.emplace_back(*entry);
  if (now == *known) return;
  Ref entries = made(py.PyTuple_New(static_cast<std::ptrdiff_t>(now.size())));
  std::ptrdiff_t index = 0;
  for (const std::string& entry : now)
    py.PyTuple_SetItem(
        entries.get(), index++,
        made(py.PyBytes_FromStringAndSize(entry.data(), static_cast<std::ptrdiff_t>(entry.size())))
            .give_up());
  call(host_function("set_environment").get(), tuple(std::move(entries)));
  *known = std::move(now);
}

}  // namespace dlcert::python
