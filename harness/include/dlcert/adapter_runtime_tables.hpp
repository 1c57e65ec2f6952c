// SPDX-License-Identifier: Apache-2.0
//
// The C functions of an adapter class about devices, runtime and telemetry, in the groups of the
// ABI (adapter.hpp).
#pragma once

#include <dlcert/adapter.h>

#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include <dlcert/adapter_errors.hpp>
#include <dlcert/adapter_runtime_signatures.hpp>

namespace dlcert::adapter::detail {

inline void add(const dlcert_text_list& list, std::string_view text) {
  list.add(list.context, text.data(), text.size());
}
template <typename Texts>
void add_all(const dlcert_text_list& list, const Texts& texts) {
  for (const auto& text : texts)
    add(list, text);
}
inline std::span<const char* const> span_of(dlcert_texts texts) {
  return {texts.texts, static_cast<std::size_t>(texts.count)};
}

template <typename A>
struct RuntimeThunks {
  using G = Guard_of<A>;
  using O = GpuObject_of<A>;

  static A& adapter(void* self) { return *static_cast<A*>(self); }
  static G& guard(dlcert_guard* handle) { return *reinterpret_cast<G*>(handle); }
  static O& object(dlcert_gpu_object* handle) { return *reinterpret_cast<O*>(handle); }

  static dlcert_status visible_devices(void* self, const dlcert_text_list* out,
                                       dlcert_error* error) {
    return guarded(error, [&] { add_all(*out, adapter(self).visible_devices()); });
  }
  static dlcert_status raw_device_count(void* self, std::int64_t* out, dlcert_error* error) {
    return guarded(error, [&] { *out = adapter(self).raw_device_count(); });
  }
  static dlcert_status raw_device_uuids(void* self, const dlcert_text_list* out,
                                        std::int32_t* known, dlcert_error* error) {
    return guarded(error, [&] {
      const auto texts = adapter(self).raw_device_uuids();
      if (texts) add_all(*out, *texts);
      *known = texts ? 1 : 0;
    });
  }
  static dlcert_status uuids_to_ordinals(void* self, dlcert_texts identifiers, dlcert_texts uuids,
                                         const dlcert_number_list* out, dlcert_error* error) {
    return guarded(error, [&] {
      for (const std::int64_t number :
           adapter(self).uuids_to_ordinals(span_of(identifiers), span_of(uuids)))
        out->add(out->context, number);
    });
  }
  static dlcert_status management_device_count(void* self, std::int64_t* out, dlcert_error* error) {
    return guarded(error, [&] { *out = adapter(self).management_device_count(); });
  }
  static dlcert_status device_count(void* self, std::int64_t* out, dlcert_error* error) {
    return guarded(error, [&] { *out = adapter(self).device_count(); });
  }
  static dlcert_status is_available(void* self, std::int32_t* out, dlcert_error* error) {
    return guarded(error, [&] { *out = adapter(self).is_available() ? 1 : 0; });
  }
  static dlcert_status management_index(void* self, const dlcert_value* device, std::int64_t* out,
                                        dlcert_error* error) {
    return guarded(error, [&] { *out = adapter(self).management_index(*device); });
  }
  static dlcert_status device_index(void* self, const dlcert_value* device, std::int32_t optional,
                                    std::int64_t* out, dlcert_error* error) {
    return guarded(error, [&] { *out = adapter(self).device_index(*device, optional != 0); });
  }
  static dlcert_status device_name(void* self, const dlcert_value* device,
                                   const dlcert_text_list* out, dlcert_error* error) {
    return guarded(error, [&] { add(*out, adapter(self).device_name(*device)); });
  }
  static dlcert_status device_capability(void* self, const dlcert_value* device,
                                         std::int32_t* major, std::int32_t* minor,
                                         dlcert_error* error) {
    return guarded(error, [&] {
      const auto [first, second] = adapter(self).device_capability(*device);
      *major = first;
      *minor = second;
    });
  }
  static dlcert_status device_properties(void* self, const dlcert_value* device,
                                         dlcert_device_properties* out, dlcert_error* error) {
    return guarded(error, [&] {
      const std::uint32_t size = out->struct_size;
      dlcert_device_properties properties = adapter(self).device_properties(*device);
      properties.struct_size = sizeof properties;
      std::memcpy(out, &properties, size < sizeof properties ? size : sizeof properties);
    });
  }
  static dlcert_status can_access_peer(void* self, const dlcert_value* device,
                                       const dlcert_value* peer, std::int32_t* out,
                                       dlcert_error* error) {
    return guarded(error, [&] { *out = adapter(self).can_access_peer(*device, *peer) ? 1 : 0; });
  }

  static dlcert_status behave_as(void* self, const dlcert_build* build, dlcert_error* error) {
    return guarded(error, [&] { adapter(self).behave_as(*build); });
  }
  static dlcert_status initialize(void* self, dlcert_error* error) {
    return guarded(error, [&] { adapter(self).initialize(); });
  }
  static dlcert_status is_initialized(void* self, std::int32_t* out, dlcert_error* error) {
    return guarded(error, [&] { *out = adapter(self).is_initialized() ? 1 : 0; });
  }
  static dlcert_status queue(void* self, std::int32_t kind, dlcert_queued_call call, void* context,
                             dlcert_error* error) {
    return guarded(error, [&] { adapter(self).queue(kind, call, context); });
  }
  static dlcert_status runtime_bindings(void* self, const void** out, dlcert_error* error) {
    return guarded(error, [&] { *out = adapter(self).runtime_bindings(); });
  }
  static dlcert_status check_error(void* self, std::int64_t code, dlcert_error* error) {
    return guarded(error, [&] { adapter(self).check_error(code); });
  }
  static dlcert_status constant(void* self, std::int32_t which, std::int64_t* out,
                                dlcert_error* error) {
    return guarded(error, [&] { *out = adapter(self).constant(which); });
  }
  static dlcert_status current_device_index(void* self, std::int64_t* out, dlcert_error* error) {
    return guarded(error, [&] { *out = adapter(self).current_device_index(); });
  }
  static dlcert_status set_device(void* self, const dlcert_value* device, dlcert_error* error) {
    return guarded(error, [&] { adapter(self).set_device(*device); });
  }
  static dlcert_status exchange_device(void* self, std::int64_t device, std::int64_t* previous,
                                       dlcert_error* error) {
    return guarded(error, [&] { *previous = adapter(self).exchange_device(device); });
  }
  static dlcert_status maybe_exchange_device(void* self, std::int64_t device,
                                             std::int64_t* previous, dlcert_error* error) {
    return guarded(error, [&] { *previous = adapter(self).maybe_exchange_device(device); });
  }
  static dlcert_status device_guard(void* self, const dlcert_value* device, dlcert_guard** out,
                                    dlcert_error* error) {
    return guarded(error, [&] {
      *out = reinterpret_cast<dlcert_guard*>(adapter(self).device_guard(*device));
    });
  }
  static dlcert_status device_of_guard(void* self, const dlcert_value* device, dlcert_guard** out,
                                       dlcert_error* error) {
    return guarded(error, [&] {
      *out = reinterpret_cast<dlcert_guard*>(adapter(self).device_of_guard(*device));
    });
  }
  static dlcert_status stream_guard(void* self, const dlcert_runtime_stream* stream,
                                    dlcert_guard** out, dlcert_error* error) {
    return guarded(
        error, [&] { *out = reinterpret_cast<dlcert_guard*>(adapter(self).stream_guard(stream)); });
  }
  static dlcert_status with_guard(void* self, dlcert_guard* g, dlcert_queued_call body,
                                  void* context, dlcert_error* error) {
    return guarded(error, [&] { adapter(self).with_guard(guard(g), body, context); });
  }
  static void drop_guard(void* self, dlcert_guard* g) { adapter(self).drop_guard(&guard(g)); }
  static dlcert_status new_stream(void* self, const dlcert_value* device,
                                  dlcert_runtime_stream* out, dlcert_error* error) {
    return guarded(error, [&] { *out = adapter(self).new_stream(*device); });
  }
  static dlcert_status external_stream(void* self, std::uint64_t handle, const dlcert_value* device,
                                       dlcert_runtime_stream* out, dlcert_error* error) {
    return guarded(error, [&] { *out = adapter(self).external_stream(handle, *device); });
  }
  static dlcert_status current_stream_of(void* self, const dlcert_value* device,
                                         dlcert_runtime_stream* out, dlcert_error* error) {
    return guarded(error, [&] { *out = adapter(self).current_stream_of(*device); });
  }
  static dlcert_status default_stream_of(void* self, const dlcert_value* device,
                                         dlcert_runtime_stream* out, dlcert_error* error) {
    return guarded(error, [&] { *out = adapter(self).default_stream_of(*device); });
  }
  static dlcert_status set_stream(void* self, const dlcert_runtime_stream* stream,
                                  dlcert_error* error) {
    return guarded(error, [&] { adapter(self).set_stream(stream); });
  }
  static dlcert_status synchronize_device(void* self, const dlcert_value* device,
                                          dlcert_error* error) {
    return guarded(error, [&] { adapter(self).synchronize_device(*device); });
  }
  static dlcert_status sleep(void* self, std::int64_t cycles, dlcert_error* error) {
    return guarded(error, [&] { adapter(self).sleep(cycles); });
  }
  static dlcert_status ipc_collect(void* self, dlcert_error* error) {
    return guarded(error, [&] { adapter(self).ipc_collect(); });
  }
  static dlcert_status blas_handle(void* self, std::uint64_t* out, dlcert_error* error) {
    return guarded(error, [&] { *out = adapter(self).blas_handle(); });
  }
  static dlcert_status set_sync_debug_mode(void* self, const dlcert_value* mode,
                                           dlcert_error* error) {
    return guarded(error, [&] { adapter(self).set_sync_debug_mode(*mode); });
  }
  static dlcert_status sync_debug_mode(void* self, std::int64_t* out, dlcert_error* error) {
    return guarded(error, [&] { *out = adapter(self).sync_debug_mode(); });
  }
  static dlcert_status architectures(void* self, const dlcert_text_list* out, dlcert_error* error) {
    return guarded(error, [&] { add_all(*out, adapter(self).architectures()); });
  }
  static dlcert_status gencode_flags(void* self, const dlcert_text_list* out, dlcert_error* error) {
    return guarded(error, [&] { add(*out, adapter(self).gencode_flags()); });
  }
  static dlcert_status parse_architecture(void* self, const char* text, std::int64_t* out,
                                          dlcert_error* error) {
    return guarded(error, [&] { *out = adapter(self).parse_architecture(text); });
  }
  static dlcert_status supports_bfloat16(void* self, std::int32_t including_emulation,
                                         std::int32_t* out, dlcert_error* error) {
    return guarded(
        error, [&] { *out = adapter(self).supports_bfloat16(including_emulation != 0) ? 1 : 0; });
  }
  static dlcert_status set_generator_offset(void* self, std::int64_t offset,
                                            const dlcert_value* device, dlcert_error* error) {
    return guarded(error, [&] { adapter(self).set_generator_offset(offset, *device); });
  }
  static dlcert_status generator_offset(void* self, const dlcert_value* device, std::int64_t* out,
                                        dlcert_error* error) {
    return guarded(error, [&] { *out = adapter(self).generator_offset(*device); });
  }
  static dlcert_status storage_classes(void* self, const dlcert_text_list* out,
                                       dlcert_error* error) {
    return guarded(error, [&] { add_all(*out, adapter(self).storage_classes()); });
  }
  static dlcert_status storage_dtype(void* self, const char* name, std::int32_t published,
                                     dlcert_dtype* out, dlcert_error* error) {
    return guarded(error, [&] { *out = adapter(self).storage_dtype(name, published != 0); });
  }
  static dlcert_status build_storage(void* self, const char* name, std::int32_t source,
                                     dlcert_error* error) {
    return guarded(error, [&] { adapter(self).build_storage(name, source); });
  }
  static dlcert_status gpu_object(void* self, const dlcert_value* device, dlcert_gpu_object** out,
                                  dlcert_error* error) {
    return guarded(error, [&] {
      *out = reinterpret_cast<dlcert_gpu_object*>(adapter(self).gpu_object(*device));
    });
  }
  static dlcert_status describe_gpu_object(void* self, dlcert_gpu_object* o, std::int32_t* is_gpu,
                                           std::int32_t* is_sparse, dlcert_error* error) {
    return guarded(error, [&] {
      const auto [first, second] = adapter(self).describe_gpu_object(object(o));
      *is_gpu = first ? 1 : 0;
      *is_sparse = second ? 1 : 0;
    });
  }
  static dlcert_status convert_gpu_object(void* self, dlcert_gpu_object* o, const char* type,
                                          dlcert_error* error) {
    return guarded(error, [&] { adapter(self).convert_gpu_object(object(o), type); });
  }
  static void drop_gpu_object(void* self, dlcert_gpu_object* o) {
    adapter(self).drop_gpu_object(&object(o));
  }

  static dlcert_status memory_usage(void* self, const dlcert_value* device, dlcert_measurement* out,
                                    dlcert_error* error) {
    return guarded(error, [&] { *out = adapter(self).memory_usage(*device); });
  }
  static dlcert_status utilization(void* self, const dlcert_value* device, dlcert_measurement* out,
                                   dlcert_error* error) {
    return guarded(error, [&] { *out = adapter(self).utilization(*device); });
  }
  static dlcert_status temperature(void* self, const dlcert_value* device, dlcert_measurement* out,
                                   dlcert_error* error) {
    return guarded(error, [&] { *out = adapter(self).temperature(*device); });
  }
  static dlcert_status power_draw(void* self, const dlcert_value* device, dlcert_measurement* out,
                                  dlcert_error* error) {
    return guarded(error, [&] { *out = adapter(self).power_draw(*device); });
  }
  static dlcert_status clock_rate(void* self, const dlcert_value* device, dlcert_measurement* out,
                                  dlcert_error* error) {
    return guarded(error, [&] { *out = adapter(self).clock_rate(*device); });
  }
};

// The thunk if the class has the method, else NULL.
// NOLINTBEGIN(bugprone-macro-parentheses): no expressions
#define DLCERT_DETAIL_SLOT(method) \
  if constexpr (has_##method<A>) group.method = RuntimeThunks<A>::method
// NOLINTEND(bugprone-macro-parentheses)

template <typename A>
constexpr dlcert_devices_group devices_group() {
  dlcert_devices_group group{};
  group.struct_size = sizeof group;
  DLCERT_DETAIL_SLOT(visible_devices);
  DLCERT_DETAIL_SLOT(raw_device_count);
  DLCERT_DETAIL_SLOT(raw_device_uuids);
  DLCERT_DETAIL_SLOT(uuids_to_ordinals);
  DLCERT_DETAIL_SLOT(management_device_count);
  DLCERT_DETAIL_SLOT(device_count);
  DLCERT_DETAIL_SLOT(is_available);
  DLCERT_DETAIL_SLOT(management_index);
  DLCERT_DETAIL_SLOT(device_index);
  DLCERT_DETAIL_SLOT(device_name);
  DLCERT_DETAIL_SLOT(device_capability);
  DLCERT_DETAIL_SLOT(device_properties);
  DLCERT_DETAIL_SLOT(can_access_peer);
  return group;
}

template <typename A>
constexpr dlcert_runtime_group runtime_group() {
  dlcert_runtime_group group{};
  group.struct_size = sizeof group;
  DLCERT_DETAIL_SLOT(behave_as);
  DLCERT_DETAIL_SLOT(initialize);
  DLCERT_DETAIL_SLOT(is_initialized);
  DLCERT_DETAIL_SLOT(queue);
  DLCERT_DETAIL_SLOT(runtime_bindings);
  DLCERT_DETAIL_SLOT(check_error);
  DLCERT_DETAIL_SLOT(constant);
  DLCERT_DETAIL_SLOT(current_device_index);
  DLCERT_DETAIL_SLOT(set_device);
  DLCERT_DETAIL_SLOT(exchange_device);
  DLCERT_DETAIL_SLOT(maybe_exchange_device);
  DLCERT_DETAIL_SLOT(device_guard);
  DLCERT_DETAIL_SLOT(device_of_guard);
  DLCERT_DETAIL_SLOT(stream_guard);
  DLCERT_DETAIL_SLOT(with_guard);
  DLCERT_DETAIL_SLOT(drop_guard);
  DLCERT_DETAIL_SLOT(new_stream);
  DLCERT_DETAIL_SLOT(external_stream);
  DLCERT_DETAIL_SLOT(current_stream_of);
  DLCERT_DETAIL_SLOT(default_stream_of);
  DLCERT_DETAIL_SLOT(set_stream);
  DLCERT_DETAIL_SLOT(synchronize_device);
  DLCERT_DETAIL_SLOT(sleep);
  DLCERT_DETAIL_SLOT(ipc_collect);
  DLCERT_DETAIL_SLOT(blas_handle);
  DLCERT_DETAIL_SLOT(set_sync_debug_mode);
  DLCERT_DETAIL_SLOT(sync_debug_mode);
  DLCERT_DETAIL_SLOT(architectures);
  DLCERT_DETAIL_SLOT(gencode_flags);
  DLCERT_DETAIL_SLOT(parse_architecture);
  DLCERT_DETAIL_SLOT(supports_bfloat16);
  DLCERT_DETAIL_SLOT(set_generator_offset);
  DLCERT_DETAIL_SLOT(generator_offset);
  DLCERT_DETAIL_SLOT(storage_classes);
  DLCERT_DETAIL_SLOT(storage_dtype);
  DLCERT_DETAIL_SLOT(build_storage);
  DLCERT_DETAIL_SLOT(gpu_object);
  DLCERT_DETAIL_SLOT(describe_gpu_object);
  DLCERT_DETAIL_SLOT(convert_gpu_object);
  DLCERT_DETAIL_SLOT(drop_gpu_object);
  return group;
}

template <typename A>
constexpr dlcert_telemetry_group telemetry_group() {
  dlcert_telemetry_group group{};
  group.struct_size = sizeof group;
  DLCERT_DETAIL_SLOT(memory_usage);
  DLCERT_DETAIL_SLOT(utilization);
  DLCERT_DETAIL_SLOT(temperature);
  DLCERT_DETAIL_SLOT(power_draw);
  DLCERT_DETAIL_SLOT(clock_rate);
  return group;
}

#undef DLCERT_DETAIL_SLOT

template <typename A>
inline constexpr dlcert_devices_group devices_group_of = devices_group<A>();
template <typename A>
inline constexpr dlcert_runtime_group runtime_group_of = runtime_group<A>();
template <typename A>
inline constexpr dlcert_telemetry_group telemetry_group_of = telemetry_group<A>();

}  // namespace dlcert::adapter::detail
