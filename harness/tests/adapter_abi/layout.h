/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The frozen layout of the adapter ABI on LP64: compiling this file, as C11 and as C++, is the
 * test. A struct may grow at its end (raise its size here), and so may a group; both raise
 * DLCERT_ABI_MINOR. Whatever moves a member raises DLCERT_ABI_MAJOR. The order of a group's
 * functions is frozen in layout_cxx.cpp.
 */
#include <dlcert/adapter.h>

#ifdef __cplusplus
#define FROZEN(condition, what) \
  static_assert(condition, what ": adapters compiled before this change would break")
#else
#define FROZEN(condition, what) \
  _Static_assert(condition, what ": adapters compiled before this change would break")
#endif
#define MEMBER(type, member, offset) FROZEN(offsetof(type, member) == (offset), #type "." #member)
#define SIZE(type, size) FROZEN(sizeof(type) == (size), "sizeof " #type)
/* Functions only, behind its size and reserved; `size` with those that are frozen. */
#define GROUP(type, size)       \
  MEMBER(type, struct_size, 0); \
  MEMBER(type, reserved, 4);    \
  FROZEN(sizeof(type) >= (size) && sizeof(type) % 8 == 0, "sizeof " #type)

MEMBER(dlcert_error, struct_size, 0);
MEMBER(dlcert_error, kind, 4);
MEMBER(dlcert_error, code, 8);
MEMBER(dlcert_error, type, 16);
MEMBER(dlcert_error, message, 80);
MEMBER(dlcert_error, cause, 592);
MEMBER(dlcert_error, cause_kind, 596);
MEMBER(dlcert_error, cause_message, 600);
SIZE(dlcert_error, 1112);

MEMBER(dlcert_dtype, code, 0);
MEMBER(dlcert_dtype, bits, 1);
MEMBER(dlcert_dtype, lanes, 2);
SIZE(dlcert_dtype, 4);

MEMBER(dlcert_device, type, 0);
MEMBER(dlcert_device, id, 4);
SIZE(dlcert_device, 8);

MEMBER(dlcert_managed, form, 0);
MEMBER(dlcert_managed, reserved, 4);
MEMBER(dlcert_managed, pointer, 8);
SIZE(dlcert_managed, 16);

MEMBER(dlcert_value, tag, 0);
MEMBER(dlcert_value, reserved, 4);
MEMBER(dlcert_value, first, 8);
MEMBER(dlcert_value, second, 16);
MEMBER(dlcert_value, number, 24);
MEMBER(dlcert_value, text, 32);
SIZE(dlcert_value, 40);

MEMBER(dlcert_tensor_spec, struct_size, 0);
MEMBER(dlcert_tensor_spec, flags, 4);
MEMBER(dlcert_tensor_spec, state, 8);
MEMBER(dlcert_tensor_spec, ndim, 12);
MEMBER(dlcert_tensor_spec, dtype, 16);
MEMBER(dlcert_tensor_spec, device, 20);
MEMBER(dlcert_tensor_spec, reserved, 28);
MEMBER(dlcert_tensor_spec, shape, 32);
MEMBER(dlcert_tensor_spec, strides, 40);
MEMBER(dlcert_tensor_spec, offset, 48);
MEMBER(dlcert_tensor_spec, storage_size, 56);
SIZE(dlcert_tensor_spec, 64);

MEMBER(dlcert_description, struct_size, 0);
MEMBER(dlcert_description, flags, 4);
MEMBER(dlcert_description, dtype, 8);
MEMBER(dlcert_description, device, 12);
MEMBER(dlcert_description, ndim, 20);
MEMBER(dlcert_description, shape, 24);
MEMBER(dlcert_description, strides, 32);
MEMBER(dlcert_description, data, 40);
MEMBER(dlcert_description, storage_begin, 48);
MEMBER(dlcert_description, storage_bytes, 56);
SIZE(dlcert_description, 64);

GROUP(dlcert_tensor_group, 80);

MEMBER(dlcert_request, struct_size, 0);
MEMBER(dlcert_request, reserved, 4);
MEMBER(dlcert_request, stream, 8);
MEMBER(dlcert_request, max_version, 48);
MEMBER(dlcert_request, dl_device, 88);
MEMBER(dlcert_request, copy, 128);
SIZE(dlcert_request, 168);

MEMBER(dlcert_import_request, struct_size, 0);
MEMBER(dlcert_import_request, reserved, 4);
MEMBER(dlcert_import_request, device, 8);
MEMBER(dlcert_import_request, copy, 48);
SIZE(dlcert_import_request, 88);

MEMBER(dlcert_exported, struct_size, 0);
MEMBER(dlcert_exported, reserved, 4);
MEMBER(dlcert_exported, managed, 8);
MEMBER(dlcert_exported, capsule, 24);
SIZE(dlcert_exported, 32);

MEMBER(dlcert_producer, struct_size, 0);
MEMBER(dlcert_producer, reserved, 4);
MEMBER(dlcert_producer, context, 8);
MEMBER(dlcert_producer, dlpack_device, 16);
MEMBER(dlcert_producer, dlpack, 24);
SIZE(dlcert_producer, 32);

GROUP(dlcert_exchange_group, 40);

GROUP(dlcert_capsule_group, 72);

GROUP(dlcert_stream_group, 40);

GROUP(dlcert_exchange_api_group, 48);

GROUP(dlcert_devices_group, 112);

GROUP(dlcert_runtime_group, 336);

GROUP(dlcert_telemetry_group, 48);

MEMBER(dlcert_python_object, struct_size, 0);
MEMBER(dlcert_python_object, producer, 8);
MEMBER(dlcert_python_object, table, 16);
MEMBER(dlcert_python_object, class_body, 24);
SIZE(dlcert_python_object, 32);

GROUP(dlcert_python_group, 72);

MEMBER(dlcert_text_list, context, 0);
MEMBER(dlcert_text_list, add, 8);
SIZE(dlcert_text_list, 16);

MEMBER(dlcert_number_list, context, 0);
MEMBER(dlcert_number_list, add, 8);
SIZE(dlcert_number_list, 16);

MEMBER(dlcert_texts, texts, 0);
MEMBER(dlcert_texts, count, 8);
SIZE(dlcert_texts, 16);

MEMBER(dlcert_device_properties, struct_size, 0);
MEMBER(dlcert_device_properties, major, 4);
MEMBER(dlcert_device_properties, minor, 8);
MEMBER(dlcert_device_properties, reserved, 12);
MEMBER(dlcert_device_properties, total_memory, 16);
MEMBER(dlcert_device_properties, name, 24);
SIZE(dlcert_device_properties, 280);

MEMBER(dlcert_build, struct_size, 0);
MEMBER(dlcert_build, flags, 4);
MEMBER(dlcert_build, management_bindings, 8);
MEMBER(dlcert_build, reserved, 12);
MEMBER(dlcert_build, architecture_flags, 16);
SIZE(dlcert_build, 24);

MEMBER(dlcert_runtime_stream, id, 0);
MEMBER(dlcert_runtime_stream, device_index, 8);
MEMBER(dlcert_runtime_stream, device_type, 16);
MEMBER(dlcert_runtime_stream, handle, 24);
SIZE(dlcert_runtime_stream, 32);

MEMBER(dlcert_measurement, value, 0);
MEMBER(dlcert_measurement, unit, 8);
MEMBER(dlcert_measurement, reserved, 12);
SIZE(dlcert_measurement, 16);

MEMBER(dlcert_host, struct_size, 0);
MEMBER(dlcert_host, reserved, 4);
MEMBER(dlcert_host, context, 8);
MEMBER(dlcert_host, warn, 16);
MEMBER(dlcert_host, fault, 24);
SIZE(dlcert_host, 32);

MEMBER(dlcert_adapter, struct_size, 0);
MEMBER(dlcert_adapter, abi_major, 4);
MEMBER(dlcert_adapter, abi_minor, 8);
MEMBER(dlcert_adapter, roles, 12);
MEMBER(dlcert_adapter, properties, 16);
MEMBER(dlcert_adapter, reserved, 20);
MEMBER(dlcert_adapter, name, 24);
MEMBER(dlcert_adapter, version, 32);
MEMBER(dlcert_adapter, runtime, 40);
MEMBER(dlcert_adapter, self, 48);
MEMBER(dlcert_adapter, tensor, 56);
MEMBER(dlcert_adapter, exchange, 64);
MEMBER(dlcert_adapter, capsule, 72);
MEMBER(dlcert_adapter, cxx_facts, 80);
MEMBER(dlcert_adapter, c_facts, 88);
MEMBER(dlcert_adapter, open, 96);
MEMBER(dlcert_adapter, close, 104);
MEMBER(dlcert_adapter, stream, 112);
MEMBER(dlcert_adapter, exchange_api, 120);
MEMBER(dlcert_adapter, devices, 128);
MEMBER(dlcert_adapter, gpu_runtime, 136);
MEMBER(dlcert_adapter, telemetry, 144);
MEMBER(dlcert_adapter, device_order, 152);
MEMBER(dlcert_adapter, python, 160);
MEMBER(dlcert_adapter, before_fork, 168);
MEMBER(dlcert_adapter, after_fork, 176);
MEMBER(dlcert_adapter, stacks_signal, 184);
MEMBER(dlcert_adapter, array_api, 192);
SIZE(dlcert_adapter, 200);

MEMBER(dlcert_dlpack_facts, struct_size, 0);
MEMBER(dlcert_dlpack_facts, major_version, 4);
MEMBER(dlcert_dlpack_facts, legacy_version, 12);
MEMBER(dlcert_dlpack_facts, device_codes, 136);
MEMBER(dlcert_dlpack_facts, dtype_codes, 212);
MEMBER(dlcert_dlpack_facts, flag_masks, 284);
SIZE(dlcert_dlpack_facts, 296);

FROZEN(DLCERT_ABI_MAJOR == 1, "DLCERT_ABI_MAJOR");
FROZEN(DLCERT_OK == 0 && DLCERT_REFUSED == 1 && DLCERT_NOT_FORMABLE == 2, "dlcert_status");
FROZEN(DLCERT_LEGACY == 1 && DLCERT_VERSIONED == 2, "form");
FROZEN(DLCERT_ABSENT == 0 && DLCERT_NONE == 1 && DLCERT_BOOL == 2 && DLCERT_INT == 3 &&
           DLCERT_PAIR == 4 && DLCERT_FLOAT == 5 && DLCERT_TEXT == 6 && DLCERT_GUARD == 7 &&
           DLCERT_OBJECT == 8,
       "tag");
FROZEN(DLCERT_ERROR_OTHER == 0 && DLCERT_ERROR_BUFFER == 1 && DLCERT_ERROR_DEVICE == 13,
       "dlcert_error_kind");
FROZEN(DLCERT_CAUSE_NOT_TOLD == 0 && DLCERT_CAUSE_NONE == 1 && DLCERT_CAUSE_TOLD == 2, "cause");
FROZEN(DLCERT_STATE_PLAIN == 0 && DLCERT_STATE_SPARSE == 9 && DLCERT_STATE_NOT_EXPORTED == 13,
       "state");
FROZEN(DLCERT_PRODUCER == 1 && DLCERT_CONSUMER == 2 && DLCERT_RUNTIME == 4, "roles");
FROZEN(DLCERT_BUILD_GPU == 1 && DLCERT_BUILD_RUNTIME_BINDINGS == 2 &&
           DLCERT_BUILD_LINEAR_ALGEBRA == 4 && DLCERT_BINDINGS_BROKEN == 2,
       "dlcert_build");
FROZEN(DLCERT_CALL_SEED == 1 && DLCERT_CALL_SEED_ALL == 2, "kinds of queued calls");
FROZEN(DLCERT_CONSTANT_STATUS_NOT_READY == 1 && DLCERT_CONSTANT_DEFAULT_GENERATORS == 4,
       "constants");
FROZEN(DLCERT_STORAGE_FROM_BUFFER == 0 && DLCERT_STORAGE_FROM_SHARED_FILE == 2, "storage sources");
FROZEN(DLCERT_UNIT_PERCENT == 1 && DLCERT_UNIT_HERTZ == 7, "units");
