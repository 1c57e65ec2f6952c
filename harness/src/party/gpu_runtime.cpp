// SPDX-License-Identifier: Apache-2.0
//
// A party's calls about its runtime.
#include <dlcert/suite/gpu_party.hpp>

#include "party/gpu_calls.hpp"

namespace dlcert {

bool operator==(const dlcert_runtime_stream& a, const dlcert_runtime_stream& b) {
  return a.id == b.id && a.device_index == b.device_index && a.device_type == b.device_type &&
         a.handle == b.handle;
}

std::string to_text(const dlcert_runtime_stream& stream) {
  return fmt::format("stream {} of device {} (type {}, handle {:#x})", stream.id,
                     stream.device_index, stream.device_type, stream.handle);
}

Outcome<std::monostate> GpuRuntime::initialize() const {
  Act act{[&] { return shown(fmt::format("{}.initialize()", label())); }};
  const auto error =
      call_of(group_of(party().table(), &dlcert_adapter::gpu_runtime), act,
              &dlcert_runtime_group::initialize,
              [&](auto function, dlcert_error* failure) { return function(self(), failure); });
  if (error) return *error;
  return std::monostate{};
}

Outcome<bool> GpuRuntime::is_initialized() const {
  Act act{[&] { return shown(fmt::format("{}.is_initialized()", label())); }};
  std::int32_t out = 0;
  const auto error = call_of(
      group_of(party().table(), &dlcert_adapter::gpu_runtime), act,
      &dlcert_runtime_group::is_initialized,
      [&](auto function, dlcert_error* failure) { return function(self(), &out, failure); });
  if (error) return *error;
  act.answered([&] { return dlcert::to_text(out != 0); });
  return out != 0;
}

Outcome<const void*> GpuRuntime::runtime_bindings() const {
  Act act{[&] { return shown(fmt::format("{}.runtime_bindings()", label())); }};
  const void* out{};
  const auto error = call_of(
      group_of(party().table(), &dlcert_adapter::gpu_runtime), act,
      &dlcert_runtime_group::runtime_bindings,
      [&](auto function, dlcert_error* failure) { return function(self(), &out, failure); });
  if (error) return *error;
  act.answered([&] { return fmt::format("{}", out); });
  return out;
}

Outcome<std::monostate> GpuRuntime::check_error(std::int64_t code) const {
  Act act{[&] { return shown(fmt::format("{}.check_error({})", label(), code)); }};
  const auto error = call_of(
      group_of(party().table(), &dlcert_adapter::gpu_runtime), act,
      &dlcert_runtime_group::check_error,
      [&](auto function, dlcert_error* failure) { return function(self(), code, failure); });
  if (error) return *error;
  return std::monostate{};
}

Outcome<std::int64_t> GpuRuntime::constant(std::int32_t which) const {
  Act act{[&] { return shown(fmt::format("{}.constant({})", label(), which)); }};
  std::int64_t out{};
  const auto error = call_of(
      group_of(party().table(), &dlcert_adapter::gpu_runtime), act, &dlcert_runtime_group::constant,
      [&](auto function, dlcert_error* failure) { return function(self(), which, &out, failure); });
  if (error) return *error;
  act.answered([&] { return fmt::format("{}", out); });
  return out;
}

Outcome<std::int64_t> GpuRuntime::current_device_index() const {
  Act act{[&] { return shown(fmt::format("{}.current_device_index()", label())); }};
  std::int64_t out{};
  const auto error = call_of(
      group_of(party().table(), &dlcert_adapter::gpu_runtime), act,
      &dlcert_runtime_group::current_device_index,
      [&](auto function, dlcert_error* failure) { return function(self(), &out, failure); });
  if (error) return *error;
  act.answered([&] { return fmt::format("{}", out); });
  return out;
}

Outcome<std::monostate> GpuRuntime::set_device(const dlcert_value& device) const {
  Act act{[&] { return shown(fmt::format("{}.set_device({})", label(), to_text(device))); }};
  const auto error = call_of(
      group_of(party().table(), &dlcert_adapter::gpu_runtime), act,
      &dlcert_runtime_group::set_device,
      [&](auto function, dlcert_error* failure) { return function(self(), &device, failure); });
  if (error) return *error;
  return std::monostate{};
}

Outcome<std::int64_t> GpuRuntime::exchange_device(std::int64_t device) const {
  Act act{[&] { return shown(fmt::format("{}.exchange_device({})", label(), device)); }};
  std::int64_t out{};
  const auto error =
      call_of(group_of(party().table(), &dlcert_adapter::gpu_runtime), act,
              &dlcert_runtime_group::exchange_device, [&](auto function, dlcert_error* failure) {
                return function(self(), device, &out, failure);
              });
  if (error) return *error;
  act.answered([&] { return fmt::format("{}", out); });
  return out;
}

Outcome<std::int64_t> GpuRuntime::maybe_exchange_device(std::int64_t device) const {
  Act act{[&] { return shown(fmt::format("{}.maybe_exchange_device({})", label(), device)); }};
  std::int64_t out{};
  const auto error = call_of(group_of(party().table(), &dlcert_adapter::gpu_runtime), act,
                             &dlcert_runtime_group::maybe_exchange_device,
                             [&](auto function, dlcert_error* failure) {
                               return function(self(), device, &out, failure);
                             });
  if (error) return *error;
  act.answered([&] { return fmt::format("{}", out); });
  return out;
}

Outcome<Guard> GpuRuntime::device_guard(const dlcert_value& device) const {
  Act act{[&] { return shown(fmt::format("{}.device_guard({})", label(), to_text(device))); }};
  dlcert_guard* out = nullptr;
  const auto error =
      call_of(group_of(party().table(), &dlcert_adapter::gpu_runtime), act,
              &dlcert_runtime_group::device_guard, [&](auto function, dlcert_error* failure) {
                return function(self(), &device, &out, failure);
              });
  if (error) return *error;
  expect_made(out, "device_guard");
  return Guard{party(), out};
}

Outcome<Guard> GpuRuntime::device_of_guard(const dlcert_value& device) const {
  Act act{[&] { return shown(fmt::format("{}.device_of_guard({})", label(), to_text(device))); }};
  dlcert_guard* out = nullptr;
  const auto error =
      call_of(group_of(party().table(), &dlcert_adapter::gpu_runtime), act,
              &dlcert_runtime_group::device_of_guard, [&](auto function, dlcert_error* failure) {
                return function(self(), &device, &out, failure);
              });
  if (error) return *error;
  expect_made(out, "device_of_guard");
  return Guard{party(), out};
}

Outcome<Guard> GpuRuntime::stream_guard(const dlcert_runtime_stream* stream) const {
  Act act{[&] {
    return shown(
        fmt::format("{}.stream_guard({})", label(), stream == nullptr ? "none" : to_text(*stream)));
  }};
  dlcert_guard* out = nullptr;
  const auto error =
      call_of(group_of(party().table(), &dlcert_adapter::gpu_runtime), act,
              &dlcert_runtime_group::stream_guard, [&](auto function, dlcert_error* failure) {
                return function(self(), stream, &out, failure);
              });
  if (error) return *error;
  expect_made(out, "stream_guard");
  return Guard{party(), out};
}

Outcome<dlcert_runtime_stream> GpuRuntime::new_stream(const dlcert_value& device) const {
  Act act{[&] { return shown(fmt::format("{}.new_stream({})", label(), to_text(device))); }};
  dlcert_runtime_stream out{};
  const auto error =
      call_of(group_of(party().table(), &dlcert_adapter::gpu_runtime), act,
              &dlcert_runtime_group::new_stream, [&](auto function, dlcert_error* failure) {
                return function(self(), &device, &out, failure);
              });
  if (error) return *error;
  act.answered([&] { return to_text(out); });
  return out;
}

Outcome<dlcert_runtime_stream> GpuRuntime::external_stream(std::uint64_t handle,
                                                           const dlcert_value& device) const {
  Act act{[&] {
    return shown(fmt::format("{}.external_stream({:#x}, {})", label(), handle, to_text(device)));
  }};
  dlcert_runtime_stream out{};
  const auto error =
      call_of(group_of(party().table(), &dlcert_adapter::gpu_runtime), act,
              &dlcert_runtime_group::external_stream, [&](auto function, dlcert_error* failure) {
                return function(self(), handle, &device, &out, failure);
              });
  if (error) return *error;
  act.answered([&] { return to_text(out); });
  return out;
}

Outcome<dlcert_runtime_stream> GpuRuntime::current_stream_of(const dlcert_value& device) const {
  Act act{[&] { return shown(fmt::format("{}.current_stream_of({})", label(), to_text(device))); }};
  dlcert_runtime_stream out{};
  const auto error =
      call_of(group_of(party().table(), &dlcert_adapter::gpu_runtime), act,
              &dlcert_runtime_group::current_stream_of, [&](auto function, dlcert_error* failure) {
                return function(self(), &device, &out, failure);
              });
  if (error) return *error;
  act.answered([&] { return to_text(out); });
  return out;
}

Outcome<dlcert_runtime_stream> GpuRuntime::default_stream_of(const dlcert_value& device) const {
  Act act{[&] { return shown(fmt::format("{}.default_stream_of({})", label(), to_text(device))); }};
  dlcert_runtime_stream out{};
  const auto error =
      call_of(group_of(party().table(), &dlcert_adapter::gpu_runtime), act,
              &dlcert_runtime_group::default_stream_of, [&](auto function, dlcert_error* failure) {
                return function(self(), &device, &out, failure);
              });
  if (error) return *error;
  act.answered([&] { return to_text(out); });
  return out;
}

Outcome<std::monostate> GpuRuntime::set_stream(const dlcert_runtime_stream* stream) const {
  Act act{[&] {
    return shown(
        fmt::format("{}.set_stream({})", label(), stream == nullptr ? "none" : to_text(*stream)));
  }};
  const auto error = call_of(
      group_of(party().table(), &dlcert_adapter::gpu_runtime), act,
      &dlcert_runtime_group::set_stream,
      [&](auto function, dlcert_error* failure) { return function(self(), stream, failure); });
  if (error) return *error;
  return std::monostate{};
}

Outcome<std::monostate> GpuRuntime::synchronize_device(const dlcert_value& device) const {
  Act act{
      [&] { return shown(fmt::format("{}.synchronize_device({})", label(), to_text(device))); }};
  const auto error = call_of(
      group_of(party().table(), &dlcert_adapter::gpu_runtime), act,
      &dlcert_runtime_group::synchronize_device,
      [&](auto function, dlcert_error* failure) { return function(self(), &device, failure); });
  if (error) return *error;
  return std::monostate{};
}

Outcome<std::monostate> GpuRuntime::sleep(std::int64_t cycles) const {
  Act act{[&] { return shown(fmt::format("{}.sleep({})", label(), cycles)); }};
  const auto error = call_of(
      group_of(party().table(), &dlcert_adapter::gpu_runtime), act, &dlcert_runtime_group::sleep,
      [&](auto function, dlcert_error* failure) { return function(self(), cycles, failure); });
  if (error) return *error;
  return std::monostate{};
}

Outcome<std::monostate> GpuRuntime::ipc_collect() const {
  Act act{[&] { return shown(fmt::format("{}.ipc_collect()", label())); }};
  const auto error =
      call_of(group_of(party().table(), &dlcert_adapter::gpu_runtime), act,
              &dlcert_runtime_group::ipc_collect,
              [&](auto function, dlcert_error* failure) { return function(self(), failure); });
  if (error) return *error;
  return std::monostate{};
}

Outcome<std::uint64_t> GpuRuntime::blas_handle() const {
  Act act{[&] { return shown(fmt::format("{}.blas_handle()", label())); }};
  std::uint64_t out{};
  const auto error = call_of(
      group_of(party().table(), &dlcert_adapter::gpu_runtime), act,
      &dlcert_runtime_group::blas_handle,
      [&](auto function, dlcert_error* failure) { return function(self(), &out, failure); });
  if (error) return *error;
  act.answered([&] { return fmt::format("{:#x}", out); });
  return out;
}

Outcome<std::monostate> GpuRuntime::set_sync_debug_mode(const dlcert_value& mode) const {
  Act act{[&] { return shown(fmt::format("{}.set_sync_debug_mode({})", label(), to_text(mode))); }};
  const auto error = call_of(
      group_of(party().table(), &dlcert_adapter::gpu_runtime), act,
      &dlcert_runtime_group::set_sync_debug_mode,
      [&](auto function, dlcert_error* failure) { return function(self(), &mode, failure); });
  if (error) return *error;
  return std::monostate{};
}

Outcome<std::int64_t> GpuRuntime::sync_debug_mode() const {
  Act act{[&] { return shown(fmt::format("{}.sync_debug_mode()", label())); }};
  std::int64_t out{};
  const auto error = call_of(
      group_of(party().table(), &dlcert_adapter::gpu_runtime), act,
      &dlcert_runtime_group::sync_debug_mode,
      [&](auto function, dlcert_error* failure) { return function(self(), &out, failure); });
  if (error) return *error;
  act.answered([&] { return fmt::format("{}", out); });
  return out;
}

Outcome<std::vector<std::string>> GpuRuntime::architectures() const {
  Act act{[&] { return shown(fmt::format("{}.architectures()", label())); }};
  Texts out;
  const dlcert_text_list list = out.list();
  const auto error = call_of(
      group_of(party().table(), &dlcert_adapter::gpu_runtime), act,
      &dlcert_runtime_group::architectures,
      [&](auto function, dlcert_error* failure) { return function(self(), &list, failure); });
  if (error) return *error;
  act.answered([&] { return fmt::format("[{}]", fmt::join(out.texts, ", ")); });
  return std::move(out.texts);
}

Outcome<std::string> GpuRuntime::gencode_flags() const {
  Act act{[&] { return shown(fmt::format("{}.gencode_flags()", label())); }};
  Texts out;
  const dlcert_text_list list = out.list();
  const auto error = call_of(
      group_of(party().table(), &dlcert_adapter::gpu_runtime), act,
      &dlcert_runtime_group::gencode_flags,
      [&](auto function, dlcert_error* failure) { return function(self(), &list, failure); });
  if (error) return *error;
  act.answered([&] { return fmt::format("{}", fmt::join(out.texts, ", ")); });
  return out.only("gencode_flags");
}

Outcome<std::int64_t> GpuRuntime::parse_architecture(const char* architecture) const {
  Act act{
      [&] { return shown(fmt::format("{}.parse_architecture(\"{}\")", label(), architecture)); }};
  std::int64_t out{};
  const auto error =
      call_of(group_of(party().table(), &dlcert_adapter::gpu_runtime), act,
              &dlcert_runtime_group::parse_architecture, [&](auto function, dlcert_error* failure) {
                return function(self(), architecture, &out, failure);
              });
  if (error) return *error;
  act.answered([&] { return fmt::format("{}", out); });
  return out;
}

Outcome<bool> GpuRuntime::supports_bfloat16(bool including_emulation) const {
  Act act{[&] {
    return shown(
        fmt::format("{}.supports_bfloat16(including_emulation={})", label(), including_emulation));
  }};
  std::int32_t out = 0;
  const auto error =
      call_of(group_of(party().table(), &dlcert_adapter::gpu_runtime), act,
              &dlcert_runtime_group::supports_bfloat16, [&](auto function, dlcert_error* failure) {
                return function(self(), including_emulation ? 1 : 0, &out, failure);
              });
  if (error) return *error;
  act.answered([&] { return dlcert::to_text(out != 0); });
  return out != 0;
}

Outcome<std::monostate> GpuRuntime::set_generator_offset(std::int64_t offset,
                                                         const dlcert_value& device) const {
  Act act{[&] {
    return shown(fmt::format("{}.set_generator_offset({}, {})", label(), offset, to_text(device)));
  }};
  const auto error = call_of(group_of(party().table(), &dlcert_adapter::gpu_runtime), act,
                             &dlcert_runtime_group::set_generator_offset,
                             [&](auto function, dlcert_error* failure) {
                               return function(self(), offset, &device, failure);
                             });
  if (error) return *error;
  return std::monostate{};
}

Outcome<std::int64_t> GpuRuntime::generator_offset(const dlcert_value& device) const {
  Act act{[&] { return shown(fmt::format("{}.generator_offset({})", label(), to_text(device))); }};
  std::int64_t out{};
  const auto error =
      call_of(group_of(party().table(), &dlcert_adapter::gpu_runtime), act,
              &dlcert_runtime_group::generator_offset, [&](auto function, dlcert_error* failure) {
                return function(self(), &device, &out, failure);
              });
  if (error) return *error;
  act.answered([&] { return fmt::format("{}", out); });
  return out;
}

Outcome<std::vector<std::string>> GpuRuntime::storage_classes() const {
  Act act{[&] { return shown(fmt::format("{}.storage_classes()", label())); }};
  Texts out;
  const dlcert_text_list list = out.list();
  const auto error = call_of(
      group_of(party().table(), &dlcert_adapter::gpu_runtime), act,
      &dlcert_runtime_group::storage_classes,
      [&](auto function, dlcert_error* failure) { return function(self(), &list, failure); });
  if (error) return *error;
  act.answered([&] { return fmt::format("[{}]", fmt::join(out.texts, ", ")); });
  return std::move(out.texts);
}

Outcome<dlcert_dtype> GpuRuntime::storage_dtype(const char* name, bool published) const {
  Act act{[&] {
    return shown(fmt::format("{}.storage_dtype({}, published={})", label(), name, published));
  }};
  dlcert_dtype out{};
  const auto error =
      call_of(group_of(party().table(), &dlcert_adapter::gpu_runtime), act,
              &dlcert_runtime_group::storage_dtype, [&](auto function, dlcert_error* failure) {
                return function(self(), name, published ? 1 : 0, &out, failure);
              });
  if (error) return *error;
  act.answered([&] { return to_text(out); });
  return out;
}

Outcome<std::monostate> GpuRuntime::build_storage(const char* name, std::int32_t source) const {
  Act act{[&] { return shown(fmt::format("{}.build_storage({}, {})", label(), name, source)); }};
  const auto error =
      call_of(group_of(party().table(), &dlcert_adapter::gpu_runtime), act,
              &dlcert_runtime_group::build_storage, [&](auto function, dlcert_error* failure) {
                return function(self(), name, source, failure);
              });
  if (error) return *error;
  return std::monostate{};
}

Outcome<GpuObject> GpuRuntime::gpu_object(const dlcert_value& device) const {
  Act act{[&] { return shown(fmt::format("{}.gpu_object({})", label(), to_text(device))); }};
  dlcert_gpu_object* out = nullptr;
  const auto error =
      call_of(group_of(party().table(), &dlcert_adapter::gpu_runtime), act,
              &dlcert_runtime_group::gpu_object, [&](auto function, dlcert_error* failure) {
                return function(self(), &device, &out, failure);
              });
  if (error) return *error;
  expect_made(out, "gpu_object");
  return GpuObject{party(), out};
}

}  // namespace dlcert
