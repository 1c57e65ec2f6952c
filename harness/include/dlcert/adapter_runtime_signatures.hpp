// SPDX-License-Identifier: Apache-2.0
//
// Which of the methods about devices, runtime and telemetry an adapter class has, and that each has
// the signature under which it will be called (adapter.hpp).
#pragma once

#include <dlcert/adapter.h>

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <dlcert/adapter_names.hpp>

namespace dlcert::adapter::detail {

DLCERT_DETAIL_NAME(visible_devices)
DLCERT_DETAIL_NAME(raw_device_count)
DLCERT_DETAIL_NAME(raw_device_uuids)
DLCERT_DETAIL_NAME(uuids_to_ordinals)
DLCERT_DETAIL_NAME(management_device_count)
DLCERT_DETAIL_NAME(device_count)
DLCERT_DETAIL_NAME(is_available)
DLCERT_DETAIL_NAME(management_index)
DLCERT_DETAIL_NAME(device_index)
DLCERT_DETAIL_NAME(device_name)
DLCERT_DETAIL_NAME(device_capability)
DLCERT_DETAIL_NAME(device_properties)
DLCERT_DETAIL_NAME(can_access_peer)
DLCERT_DETAIL_NAME(behave_as)
DLCERT_DETAIL_NAME(initialize)
DLCERT_DETAIL_NAME(is_initialized)
DLCERT_DETAIL_NAME(queue)
DLCERT_DETAIL_NAME(runtime_bindings)
DLCERT_DETAIL_NAME(check_error)
DLCERT_DETAIL_NAME(constant)
DLCERT_DETAIL_NAME(current_device_index)
DLCERT_DETAIL_NAME(set_device)
DLCERT_DETAIL_NAME(exchange_device)
DLCERT_DETAIL_NAME(maybe_exchange_device)
DLCERT_DETAIL_NAME(device_guard)
DLCERT_DETAIL_NAME(device_of_guard)
DLCERT_DETAIL_NAME(stream_guard)
DLCERT_DETAIL_NAME(with_guard)
DLCERT_DETAIL_NAME(drop_guard)
DLCERT_DETAIL_NAME(new_stream)
DLCERT_DETAIL_NAME(external_stream)
DLCERT_DETAIL_NAME(current_stream_of)
DLCERT_DETAIL_NAME(default_stream_of)
DLCERT_DETAIL_NAME(set_stream)
DLCERT_DETAIL_NAME(synchronize_device)
DLCERT_DETAIL_NAME(sleep)
DLCERT_DETAIL_NAME(ipc_collect)
DLCERT_DETAIL_NAME(blas_handle)
DLCERT_DETAIL_NAME(set_sync_debug_mode)
DLCERT_DETAIL_NAME(sync_debug_mode)
DLCERT_DETAIL_NAME(architectures)
DLCERT_DETAIL_NAME(gencode_flags)
DLCERT_DETAIL_NAME(parse_architecture)
DLCERT_DETAIL_NAME(supports_bfloat16)
DLCERT_DETAIL_NAME(set_generator_offset)
DLCERT_DETAIL_NAME(generator_offset)
DLCERT_DETAIL_NAME(storage_classes)
DLCERT_DETAIL_NAME(storage_dtype)
DLCERT_DETAIL_NAME(build_storage)
DLCERT_DETAIL_NAME(gpu_object)
DLCERT_DETAIL_NAME(describe_gpu_object)
DLCERT_DETAIL_NAME(convert_gpu_object)
DLCERT_DETAIL_NAME(drop_gpu_object)
DLCERT_DETAIL_NAME(memory_usage)
DLCERT_DETAIL_NAME(utilization)
DLCERT_DETAIL_NAME(temperature)
DLCERT_DETAIL_NAME(power_draw)
DLCERT_DETAIL_NAME(clock_rate)

DLCERT_DETAIL_TYPE(Guard)
DLCERT_DETAIL_TYPE(GpuObject)

// NOLINTBEGIN(bugprone-macro-parentheses): no expressions
#define DLCERT_DETAIL_REQUIRE_RUNTIME(method, result, arguments, signature)                     \
  static_assert(                                                                                \
      !has_##method<A> ||                                                                       \
          requires(A & a, G & guard, O & object, const dlcert_value& value,                     \
                   const dlcert_runtime_stream* stream, void* context, dlcert_queued_call call, \
                   const char* text, std::span<const char* const> texts, std::int64_t number,   \
                   std::int32_t small, const dlcert_build& build) {                             \
            { a.method arguments } -> std::same_as<result>;                                     \
          },                                                                                    \
      "the adapter's method " #method " must be callable as: " signature)
// NOLINTEND(bugprone-macro-parentheses)

// A method is there with the signature that is called, or not there at all.
template <typename A>
struct RuntimeSignatures {
  using G = Guard_of<A>;
  using O = GpuObject_of<A>;
  using Pair32 = std::pair<std::int32_t, std::int32_t>;
  using PairBool = std::pair<bool, bool>;

  static constexpr bool check_devices() {
    DLCERT_DETAIL_REQUIRE_RUNTIME(visible_devices, std::vector<std::string>, (),
                                  "std::vector<std::string> visible_devices()");
    DLCERT_DETAIL_REQUIRE_RUNTIME(raw_device_count, std::int64_t, (),
                                  "std::int64_t raw_device_count()");
    DLCERT_DETAIL_REQUIRE_RUNTIME(raw_device_uuids, std::optional<std::vector<std::string>>, (),
                                  "std::optional<std::vector<std::string>> raw_device_uuids()");
    DLCERT_DETAIL_REQUIRE_RUNTIME(uuids_to_ordinals, std::vector<std::int64_t>, (texts, texts),
                                  "std::vector<std::int64_t> uuids_to_ordinals(std::span<const "
                                  "char* const> identifiers, std::span<const char* const> uuids)");
    DLCERT_DETAIL_REQUIRE_RUNTIME(management_device_count, std::int64_t, (),
                                  "std::int64_t management_device_count()");
    DLCERT_DETAIL_REQUIRE_RUNTIME(device_count, std::int64_t, (), "std::int64_t device_count()");
    DLCERT_DETAIL_REQUIRE_RUNTIME(is_available, bool, (), "bool is_available()");
    DLCERT_DETAIL_REQUIRE_RUNTIME(management_index, std::int64_t, (value),
                                  "std::int64_t management_index(const dlcert_value&)");
    DLCERT_DETAIL_REQUIRE_RUNTIME(device_index, std::int64_t, (value, true),
                                  "std::int64_t device_index(const dlcert_value&, bool optional)");
    DLCERT_DETAIL_REQUIRE_RUNTIME(device_name, std::string, (value),
                                  "std::string device_name(const dlcert_value&)");
    DLCERT_DETAIL_REQUIRE_RUNTIME(
        device_capability, Pair32, (value),
        "std::pair<std::int32_t, std::int32_t> device_capability(const dlcert_value&)");
    DLCERT_DETAIL_REQUIRE_RUNTIME(
        device_properties, dlcert_device_properties, (value),
        "dlcert_device_properties device_properties(const dlcert_value&)");
    DLCERT_DETAIL_REQUIRE_RUNTIME(
        can_access_peer, bool, (value, value),
        "bool can_access_peer(const dlcert_value&, const dlcert_value& peer)");
    return true;
  }

  static constexpr bool check_runtime() {
    DLCERT_DETAIL_REQUIRE_RUNTIME(behave_as, void, (build), "void behave_as(const dlcert_build&)");
    DLCERT_DETAIL_REQUIRE_RUNTIME(initialize, void, (), "void initialize()");
    DLCERT_DETAIL_REQUIRE_RUNTIME(is_initialized, bool, (), "bool is_initialized()");
    DLCERT_DETAIL_REQUIRE_RUNTIME(
        queue, void, (small, call, context),
        "void queue(std::int32_t kind, dlcert_queued_call, void* context)");
    DLCERT_DETAIL_REQUIRE_RUNTIME(runtime_bindings, const void*, (),
                                  "const void* runtime_bindings()");
    DLCERT_DETAIL_REQUIRE_RUNTIME(check_error, void, (number),
                                  "void check_error(std::int64_t code)");
    DLCERT_DETAIL_REQUIRE_RUNTIME(constant, std::int64_t, (small),
                                  "std::int64_t constant(std::int32_t which)");
    DLCERT_DETAIL_REQUIRE_RUNTIME(current_device_index, std::int64_t, (),
                                  "std::int64_t current_device_index()");
    DLCERT_DETAIL_REQUIRE_RUNTIME(set_device, void, (value),
                                  "void set_device(const dlcert_value&)");
    DLCERT_DETAIL_REQUIRE_RUNTIME(exchange_device, std::int64_t, (number),
                                  "std::int64_t exchange_device(std::int64_t)");
    DLCERT_DETAIL_REQUIRE_RUNTIME(maybe_exchange_device, std::int64_t, (number),
                                  "std::int64_t maybe_exchange_device(std::int64_t)");
    DLCERT_DETAIL_REQUIRE_RUNTIME(device_guard, G*, (value),
                                  "Guard* device_guard(const dlcert_value&)");
    DLCERT_DETAIL_REQUIRE_RUNTIME(device_of_guard, G*, (value),
                                  "Guard* device_of_guard(const dlcert_value&)");
    DLCERT_DETAIL_REQUIRE_RUNTIME(stream_guard, G*, (stream),
                                  "Guard* stream_guard(const dlcert_runtime_stream*)");
    DLCERT_DETAIL_REQUIRE_RUNTIME(
        with_guard, void, (guard, call, context),
        "void with_guard(Guard&, dlcert_queued_call body, void* context)");
    DLCERT_DETAIL_REQUIRE_RUNTIME(drop_guard, void, (&guard), "void drop_guard(Guard*)");
    DLCERT_DETAIL_REQUIRE_RUNTIME(new_stream, dlcert_runtime_stream, (value),
                                  "dlcert_runtime_stream new_stream(const dlcert_value&)");
    DLCERT_DETAIL_REQUIRE_RUNTIME(
        external_stream, dlcert_runtime_stream, (std::uint64_t{}, value),
        "dlcert_runtime_stream external_stream(std::uint64_t handle, const dlcert_value&)");
    DLCERT_DETAIL_REQUIRE_RUNTIME(current_stream_of, dlcert_runtime_stream, (value),
                                  "dlcert_runtime_stream current_stream_of(const dlcert_value&)");
    DLCERT_DETAIL_REQUIRE_RUNTIME(default_stream_of, dlcert_runtime_stream, (value),
                                  "dlcert_runtime_stream default_stream_of(const dlcert_value&)");
    DLCERT_DETAIL_REQUIRE_RUNTIME(set_stream, void, (stream),
                                  "void set_stream(const dlcert_runtime_stream*)");
    DLCERT_DETAIL_REQUIRE_RUNTIME(synchronize_device, void, (value),
                                  "void synchronize_device(const dlcert_value&)");
    DLCERT_DETAIL_REQUIRE_RUNTIME(sleep, void, (number), "void sleep(std::int64_t cycles)");
    DLCERT_DETAIL_REQUIRE_RUNTIME(ipc_collect, void, (), "void ipc_collect()");
    DLCERT_DETAIL_REQUIRE_RUNTIME(blas_handle, std::uint64_t, (), "std::uint64_t blas_handle()");
    DLCERT_DETAIL_REQUIRE_RUNTIME(set_sync_debug_mode, void, (value),
                                  "void set_sync_debug_mode(const dlcert_value&)");
    DLCERT_DETAIL_REQUIRE_RUNTIME(sync_debug_mode, std::int64_t, (),
                                  "std::int64_t sync_debug_mode()");
    DLCERT_DETAIL_REQUIRE_RUNTIME(architectures, std::vector<std::string>, (),
                                  "std::vector<std::string> architectures()");
    DLCERT_DETAIL_REQUIRE_RUNTIME(gencode_flags, std::string, (), "std::string gencode_flags()");
    DLCERT_DETAIL_REQUIRE_RUNTIME(parse_architecture, std::int64_t, (text),
                                  "std::int64_t parse_architecture(const char* text)");
    DLCERT_DETAIL_REQUIRE_RUNTIME(supports_bfloat16, bool, (true),
                                  "bool supports_bfloat16(bool including_emulation)");
    DLCERT_DETAIL_REQUIRE_RUNTIME(
        set_generator_offset, void, (number, value),
        "void set_generator_offset(std::int64_t offset, const dlcert_value&)");
    DLCERT_DETAIL_REQUIRE_RUNTIME(generator_offset, std::int64_t, (value),
                                  "std::int64_t generator_offset(const dlcert_value&)");
    DLCERT_DETAIL_REQUIRE_RUNTIME(storage_classes, std::vector<std::string>, (),
                                  "std::vector<std::string> storage_classes()");
    DLCERT_DETAIL_REQUIRE_RUNTIME(storage_dtype, dlcert_dtype, (text, true),
                                  "dlcert_dtype storage_dtype(const char* name, bool published)");
    DLCERT_DETAIL_REQUIRE_RUNTIME(build_storage, void, (text, small),
                                  "void build_storage(const char* name, std::int32_t source)");
    DLCERT_DETAIL_REQUIRE_RUNTIME(gpu_object, O*, (value),
                                  "GpuObject* gpu_object(const dlcert_value&)");
    DLCERT_DETAIL_REQUIRE_RUNTIME(describe_gpu_object, PairBool, (object),
                                  "std::pair<bool, bool> describe_gpu_object(GpuObject&)");
    DLCERT_DETAIL_REQUIRE_RUNTIME(convert_gpu_object, void, (object, text),
                                  "void convert_gpu_object(GpuObject&, const char* type)");
    DLCERT_DETAIL_REQUIRE_RUNTIME(drop_gpu_object, void, (&object),
                                  "void drop_gpu_object(GpuObject*)");
    return true;
  }

  static constexpr bool check_telemetry() {
    DLCERT_DETAIL_REQUIRE_RUNTIME(memory_usage, dlcert_measurement, (value),
                                  "dlcert_measurement memory_usage(const dlcert_value&)");
    DLCERT_DETAIL_REQUIRE_RUNTIME(utilization, dlcert_measurement, (value),
                                  "dlcert_measurement utilization(const dlcert_value&)");
    DLCERT_DETAIL_REQUIRE_RUNTIME(temperature, dlcert_measurement, (value),
                                  "dlcert_measurement temperature(const dlcert_value&)");
    DLCERT_DETAIL_REQUIRE_RUNTIME(power_draw, dlcert_measurement, (value),
                                  "dlcert_measurement power_draw(const dlcert_value&)");
    DLCERT_DETAIL_REQUIRE_RUNTIME(clock_rate, dlcert_measurement, (value),
                                  "dlcert_measurement clock_rate(const dlcert_value&)");
    return true;
  }
};
#undef DLCERT_DETAIL_REQUIRE_RUNTIME

template <typename A>
inline constexpr bool has_devices_group =
    has_visible_devices<A> || has_raw_device_count<A> || has_raw_device_uuids<A> ||
    has_uuids_to_ordinals<A> || has_management_device_count<A> || has_device_count<A> ||
    has_is_available<A> || has_management_index<A> || has_device_index<A> || has_device_name<A> ||
    has_device_capability<A> || has_device_properties<A> || has_can_access_peer<A>;
template <typename A>
inline constexpr bool has_runtime_group =
    has_behave_as<A> || has_initialize<A> || has_is_initialized<A> || has_queue<A> ||
    has_runtime_bindings<A> || has_check_error<A> || has_constant<A> ||
    has_current_device_index<A> || has_set_device<A> || has_exchange_device<A> ||
    has_maybe_exchange_device<A> || has_device_guard<A> || has_device_of_guard<A> ||
    has_stream_guard<A> || has_with_guard<A> || has_drop_guard<A> || has_new_stream<A> ||
    has_external_stream<A> || has_current_stream_of<A> || has_default_stream_of<A> ||
    has_set_stream<A> || has_synchronize_device<A> || has_sleep<A> || has_ipc_collect<A> ||
    has_blas_handle<A> || has_set_sync_debug_mode<A> || has_sync_debug_mode<A> ||
    has_architectures<A> || has_gencode_flags<A> || has_parse_architecture<A> ||
    has_supports_bfloat16<A> || has_set_generator_offset<A> || has_generator_offset<A> ||
    has_storage_classes<A> || has_storage_dtype<A> || has_build_storage<A> || has_gpu_object<A> ||
    has_describe_gpu_object<A> || has_convert_gpu_object<A> || has_drop_gpu_object<A>;
template <typename A>
inline constexpr bool has_telemetry_group =
    has_memory_usage<A> || has_utilization<A> || has_temperature<A> || has_power_draw<A> ||
    has_clock_rate<A>;

}  // namespace dlcert::adapter::detail
