/* What the counterexamples beside it have in common: dlcert's adapter ABI (adapter.h), without
   its comments, calls that tell what the library answers, and managed tensors. */
#ifndef DLCERT_COUNTEREXAMPLE_H
#define DLCERT_COUNTEREXAMPLE_H
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef DLCERT_ADAPTER_VALUES_H_
#define DLCERT_ADAPTER_VALUES_H_
#include <stdint.h>
#if defined(_WIN32)
#define DLCERT_EXPORT __declspec(dllexport)
#else
#define DLCERT_EXPORT __attribute__((visibility("default")))
#endif
#ifdef __cplusplus
extern "C" {
#endif
typedef int32_t dlcert_status;
enum {
  DLCERT_OK = 0,
  DLCERT_REFUSED = 1,
  DLCERT_NOT_FORMABLE = 2
};
typedef int32_t dlcert_error_kind;
enum {
  DLCERT_ERROR_OTHER = 0,
  DLCERT_ERROR_BUFFER = 1,
  DLCERT_ERROR_VALUE = 2,
  DLCERT_ERROR_TYPE = 3,
  DLCERT_ERROR_RUNTIME = 4,
  DLCERT_ERROR_ATTRIBUTE = 5,
  DLCERT_ERROR_ASSERTION = 6,
  DLCERT_ERROR_INDEX = 7,
  DLCERT_ERROR_OS = 8,
  DLCERT_ERROR_MEMORY = 9,
  DLCERT_ERROR_NOT_IMPLEMENTED = 10,
  DLCERT_ERROR_MODULE_NOT_FOUND = 11,
  DLCERT_ERROR_DEFERRED = 12,
  DLCERT_ERROR_DEVICE = 13
};
#define DLCERT_ERROR_TYPE_CAPACITY 64
#define DLCERT_ERROR_MESSAGE_CAPACITY 512
typedef struct dlcert_error {
  uint32_t struct_size;
  dlcert_error_kind kind;
  int64_t code;
  char type[DLCERT_ERROR_TYPE_CAPACITY];
  char message[DLCERT_ERROR_MESSAGE_CAPACITY];
} dlcert_error;
typedef struct dlcert_dtype {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
} dlcert_dtype;
typedef struct dlcert_device {
  int32_t type;
  int32_t id;
} dlcert_device;
enum { DLCERT_LEGACY = 1, DLCERT_VERSIONED = 2 };
typedef struct dlcert_managed {
  int32_t form;
  int32_t reserved;
  void* pointer;
} dlcert_managed;
enum {
  DLCERT_ABSENT = 0,
  DLCERT_NONE = 1,
  DLCERT_BOOL = 2,
  DLCERT_INT = 3,
  DLCERT_PAIR = 4,
  DLCERT_FLOAT = 5,
  DLCERT_TEXT = 6,
  DLCERT_GUARD = 7,
  DLCERT_OBJECT =
      8
};
typedef struct dlcert_value {
  int32_t tag;
  int32_t reserved;
  int64_t first;
  int64_t second;
  double number;
  const char* text;
} dlcert_value;
#ifdef __cplusplus
}
#endif
#endif
#ifndef DLCERT_ADAPTER_RUNTIME_H_
#define DLCERT_ADAPTER_RUNTIME_H_
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
typedef struct dlcert_text_list {
  void* context;
  void (*add)(void* context, const char* text, uint64_t size);
} dlcert_text_list;
typedef struct dlcert_number_list {
  void* context;
  void (*add)(void* context, int64_t number);
} dlcert_number_list;
typedef struct dlcert_texts {
  const char* const* texts;
  uint64_t count;
} dlcert_texts;
typedef struct dlcert_device_properties {
  uint32_t struct_size;
  int32_t major;
  int32_t minor;
  int32_t reserved;
  uint64_t total_memory;
  char name[256];
} dlcert_device_properties;
typedef struct dlcert_devices_group {
  uint32_t struct_size;
  uint32_t reserved;
  dlcert_status (*visible_devices)(void* self, const dlcert_text_list* out, dlcert_error* error);
  dlcert_status (*raw_device_count)(void* self, int64_t* out, dlcert_error* error);
  dlcert_status (*raw_device_uuids)(void* self, const dlcert_text_list* out, int32_t* known,
                                    dlcert_error* error);
  dlcert_status (*uuids_to_ordinals)(void* self, dlcert_texts identifiers, dlcert_texts uuids,
                                     const dlcert_number_list* out, dlcert_error* error);
  dlcert_status (*management_device_count)(void* self, int64_t* out, dlcert_error* error);
  dlcert_status (*device_count)(void* self, int64_t* out, dlcert_error* error);
  dlcert_status (*is_available)(void* self, int32_t* out, dlcert_error* error);
  dlcert_status (*management_index)(void* self, const dlcert_value* device, int64_t* out,
                                    dlcert_error* error);
  dlcert_status (*device_index)(void* self, const dlcert_value* device, int32_t optional,
                                int64_t* out, dlcert_error* error);
  dlcert_status (*device_name)(void* self, const dlcert_value* device, const dlcert_text_list* out,
                               dlcert_error* error);
  dlcert_status (*device_capability)(void* self, const dlcert_value* device, int32_t* major,
                                     int32_t* minor, dlcert_error* error);
  dlcert_status (*device_properties)(void* self, const dlcert_value* device,
                                     dlcert_device_properties* out, dlcert_error* error);
  dlcert_status (*can_access_peer)(void* self, const dlcert_value* device, const dlcert_value* peer,
                                   int32_t* out, dlcert_error* error);
} dlcert_devices_group;
enum {
  DLCERT_BUILD_GPU = 1u << 0,
  DLCERT_BUILD_RUNTIME_BINDINGS = 1u << 1,
  DLCERT_BUILD_LINEAR_ALGEBRA = 1u << 2
};
enum {
  DLCERT_BINDINGS_PRESENT = 0,
  DLCERT_BINDINGS_MISSING = 1,
  DLCERT_BINDINGS_BROKEN = 2
};
typedef struct dlcert_build {
  uint32_t struct_size;
  uint32_t flags;
  int32_t management_bindings;
  int32_t reserved;
  const char* architecture_flags;
} dlcert_build;
enum { DLCERT_CALL_PLAIN = 0, DLCERT_CALL_SEED = 1, DLCERT_CALL_SEED_ALL = 2 };
typedef dlcert_status (*dlcert_queued_call)(void* context, dlcert_error* error);
enum {
  DLCERT_CONSTANT_STATUS_SUCCESS = 0,
  DLCERT_CONSTANT_STATUS_NOT_READY = 1,
  DLCERT_CONSTANT_HAS_HALF = 2,
  DLCERT_CONSTANT_HAS_LINEAR_ALGEBRA = 3,
  DLCERT_CONSTANT_DEFAULT_GENERATORS = 4
};
typedef struct dlcert_runtime_stream {
  int64_t id;
  int64_t device_index;
  int64_t device_type;
  uint64_t handle;
} dlcert_runtime_stream;
typedef struct dlcert_guard dlcert_guard;
typedef struct dlcert_gpu_object dlcert_gpu_object;
enum {
  DLCERT_STORAGE_FROM_BUFFER = 0,
  DLCERT_STORAGE_FROM_WEAK_POINTER = 1,
  DLCERT_STORAGE_FROM_SHARED_FILE = 2
};
typedef struct dlcert_runtime_group {
  uint32_t struct_size;
  uint32_t reserved;
  dlcert_status (*behave_as)(void* self, const dlcert_build* build, dlcert_error* error);
  dlcert_status (*initialize)(void* self, dlcert_error* error);
  dlcert_status (*is_initialized)(void* self, int32_t* out, dlcert_error* error);
  dlcert_status (*queue)(void* self, int32_t kind, dlcert_queued_call call, void* context,
                         dlcert_error* error);
  dlcert_status (*runtime_bindings)(void* self, const void** out, dlcert_error* error);
  dlcert_status (*check_error)(void* self, int64_t code, dlcert_error* error);
  dlcert_status (*constant)(void* self, int32_t which, int64_t* out, dlcert_error* error);
  dlcert_status (*current_device_index)(void* self, int64_t* out, dlcert_error* error);
  dlcert_status (*set_device)(void* self, const dlcert_value* device, dlcert_error* error);
  dlcert_status (*exchange_device)(void* self, int64_t device, int64_t* previous,
                                   dlcert_error* error);
  dlcert_status (*maybe_exchange_device)(void* self, int64_t device, int64_t* previous,
                                         dlcert_error* error);
  dlcert_status (*device_guard)(void* self, const dlcert_value* device, dlcert_guard** out,
                                dlcert_error* error);
  dlcert_status (*device_of_guard)(void* self, const dlcert_value* device, dlcert_guard** out,
                                   dlcert_error* error);
  dlcert_status (*stream_guard)(void* self, const dlcert_runtime_stream* stream, dlcert_guard** out,
                                dlcert_error* error);
  dlcert_status (*with_guard)(void* self, dlcert_guard* guard, dlcert_queued_call body,
                              void* context, dlcert_error* error);
  void (*drop_guard)(void* self, dlcert_guard* guard);
  dlcert_status (*new_stream)(void* self, const dlcert_value* device, dlcert_runtime_stream* out,
                              dlcert_error* error);
  dlcert_status (*external_stream)(void* self, uint64_t handle, const dlcert_value* device,
                                   dlcert_runtime_stream* out, dlcert_error* error);
  dlcert_status (*current_stream_of)(void* self, const dlcert_value* device,
                                     dlcert_runtime_stream* out, dlcert_error* error);
  dlcert_status (*default_stream_of)(void* self, const dlcert_value* device,
                                     dlcert_runtime_stream* out, dlcert_error* error);
  dlcert_status (*set_stream)(void* self, const dlcert_runtime_stream* stream, dlcert_error* error);
  dlcert_status (*synchronize_device)(void* self, const dlcert_value* device, dlcert_error* error);
  dlcert_status (*sleep)(void* self, int64_t cycles, dlcert_error* error);
  dlcert_status (*ipc_collect)(void* self, dlcert_error* error);
  dlcert_status (*blas_handle)(void* self, uint64_t* out, dlcert_error* error);
  dlcert_status (*set_sync_debug_mode)(void* self, const dlcert_value* mode, dlcert_error* error);
  dlcert_status (*sync_debug_mode)(void* self, int64_t* out, dlcert_error* error);
  dlcert_status (*architectures)(void* self, const dlcert_text_list* out, dlcert_error* error);
  dlcert_status (*gencode_flags)(void* self, const dlcert_text_list* out, dlcert_error* error);
  dlcert_status (*parse_architecture)(void* self, const char* text, int64_t* out,
                                      dlcert_error* error);
  dlcert_status (*supports_bfloat16)(void* self, int32_t including_emulation, int32_t* out,
                                     dlcert_error* error);
  dlcert_status (*set_generator_offset)(void* self, int64_t offset, const dlcert_value* device,
                                        dlcert_error* error);
  dlcert_status (*generator_offset)(void* self, const dlcert_value* device, int64_t* out,
                                    dlcert_error* error);
  dlcert_status (*storage_classes)(void* self, const dlcert_text_list* out, dlcert_error* error);
  dlcert_status (*storage_dtype)(void* self, const char* name, int32_t published, dlcert_dtype* out,
                                 dlcert_error* error);
  dlcert_status (*build_storage)(void* self, const char* name, int32_t source, dlcert_error* error);
  dlcert_status (*gpu_object)(void* self, const dlcert_value* device, dlcert_gpu_object** out,
                              dlcert_error* error);
  dlcert_status (*describe_gpu_object)(void* self, dlcert_gpu_object* object, int32_t* is_gpu,
                                       int32_t* is_sparse, dlcert_error* error);
  dlcert_status (*convert_gpu_object)(void* self, dlcert_gpu_object* object, const char* type,
                                      dlcert_error* error);
  void (*drop_gpu_object)(void* self, dlcert_gpu_object* object);
} dlcert_runtime_group;
enum {
  DLCERT_UNIT_NOT_TOLD = 0,
  DLCERT_UNIT_PERCENT = 1,
  DLCERT_UNIT_MEBIBYTES = 2,
  DLCERT_UNIT_DEGREES_CELSIUS = 3,
  DLCERT_UNIT_MILLIWATTS = 4,
  DLCERT_UNIT_WATTS = 5,
  DLCERT_UNIT_MEGAHERTZ = 6,
  DLCERT_UNIT_HERTZ = 7
};
typedef struct dlcert_measurement {
  int64_t value;
  int32_t unit;
  int32_t reserved;
} dlcert_measurement;
typedef struct dlcert_telemetry_group {
  uint32_t struct_size;
  uint32_t reserved;
  dlcert_status (*memory_usage)(void* self, const dlcert_value* device, dlcert_measurement* out,
                                dlcert_error* error);
  dlcert_status (*utilization)(void* self, const dlcert_value* device, dlcert_measurement* out,
                               dlcert_error* error);
  dlcert_status (*temperature)(void* self, const dlcert_value* device, dlcert_measurement* out,
                               dlcert_error* error);
  dlcert_status (*power_draw)(void* self, const dlcert_value* device, dlcert_measurement* out,
                              dlcert_error* error);
  dlcert_status (*clock_rate)(void* self, const dlcert_value* device, dlcert_measurement* out,
                              dlcert_error* error);
} dlcert_telemetry_group;
#ifdef __cplusplus
}
#endif
#endif
#ifndef DLCERT_ADAPTER_PYTHON_H_
#define DLCERT_ADAPTER_PYTHON_H_
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
struct dlcert_tensor;
struct dlcert_capsule;
struct dlcert_producer;
struct dlcert_tensor_spec;
struct dlcert_import_request;
typedef struct dlcert_python_object {
  uint32_t struct_size;
  uint32_t reserved;
  const struct dlcert_producer* producer;
  const void* table;
  const char* class_body;
} dlcert_python_object;
enum {
  DLCERT_PYTHON_LOCK_HELD = 1,
  DLCERT_PYTHON_ERROR_IN_FLIGHT = 2
};
enum {
  DLCERT_PYTHON_IMPORTS = 1,
  DLCERT_PYTHON_CREATE = 2,
  DLCERT_PYTHON_READ = 3,
  DLCERT_PYTHON_DEVICE = 4
};
typedef struct dlcert_python_group {
  uint32_t struct_size;
  uint32_t reserved;
  dlcert_status (*evaluate)(void* self, struct dlcert_tensor* tensor, const char* expression,
                            const dlcert_text_list* out, dlcert_error* error);
  dlcert_status (*evaluate_capsule)(void* self, struct dlcert_tensor* tensor,
                                    const char* expression, struct dlcert_capsule** out,
                                    dlcert_error* error);
  dlcert_status (*import_object)(void* self, const dlcert_python_object* object,
                                 const char* expression, struct dlcert_tensor** out,
                                 dlcert_error* error);
  const struct dlcert_producer* (*producer_of)(void* self, void* py_object);
  dlcert_status (*run)(void* self, int32_t how, void (*body)(void* context), void* context,
                       int32_t* kept, dlcert_error* error);
  void (*unraisable)(void* self, const dlcert_text_list* out);
  dlcert_status (*finalize)(void* self, dlcert_error* error);
  dlcert_status (*source)(void* self, int32_t what, const struct dlcert_tensor_spec* spec,
                          const void* bytes, uint64_t size, const dlcert_text_list* out,
                          dlcert_error* error);
  dlcert_status (*object_of)(void* self, struct dlcert_tensor* tensor, void** out,
                             dlcert_error* error);
  void (*drop_object)(void* self, void* py_object);
  dlcert_status (*import_any)(void* self, void* py_object,
                              const struct dlcert_import_request* request,
                              struct dlcert_tensor** out, dlcert_error* error);
} dlcert_python_group;
#ifdef __cplusplus
}
#endif
#endif
#ifndef DLCERT_ADAPTER_H_
#define DLCERT_ADAPTER_H_
#include <stddef.h>
#include <stdint.h>
#define DLCERT_ABI_MAJOR 1u
#define DLCERT_ABI_MINOR 3u
#ifdef __cplusplus
extern "C" {
#endif
typedef struct dlcert_tensor dlcert_tensor;
enum {
  DLCERT_SPEC_READ_ONLY = 1u << 0,
  DLCERT_SPEC_SUBBYTE_PADDED = 1u << 1,
  DLCERT_SPEC_BYTE_STRIDES = 1u << 2
};
enum {
  DLCERT_STATE_PLAIN = 0,
  DLCERT_STATE_BYTE_SWAPPED = 1,
  DLCERT_STATE_RECORD = 2,
  DLCERT_STATE_EXTENDED_FLOAT = 3,
  DLCERT_STATE_BFLOAT_COMPLEX = 4,
  DLCERT_STATE_QUANTIZED = 5,
  DLCERT_STATE_REQUIRES_GRADIENT = 6,
  DLCERT_STATE_CONJUGATE = 7,
  DLCERT_STATE_NEGATED = 8,
  DLCERT_STATE_SPARSE = 9,
  DLCERT_STATE_COUNT = 10
};
typedef struct dlcert_tensor_spec {
  uint32_t struct_size;
  uint32_t flags;
  int32_t state;
  int32_t ndim;
  dlcert_dtype dtype;
  dlcert_device device;
  int32_t reserved;
  const int64_t* shape;
  const int64_t* strides;
  int64_t offset;
  int64_t storage_size;
} dlcert_tensor_spec;
enum { DLCERT_DESCRIPTION_READ_ONLY = 1u << 0 };
typedef struct dlcert_description {
  uint32_t struct_size;
  uint32_t flags;
  dlcert_dtype dtype;
  dlcert_device device;
  int32_t ndim;
  const int64_t* shape;
  const int64_t* strides;
  const void* data;
  const void* storage_begin;
  uint64_t storage_bytes;
} dlcert_description;
typedef struct dlcert_tensor_group {
  uint32_t struct_size;
  uint32_t reserved;
  int32_t (*can)(void* self, const dlcert_tensor_spec* spec);
  dlcert_status (*create)(void* self, const dlcert_tensor_spec* spec, const void* bytes,
                          uint64_t size, dlcert_tensor** out, dlcert_error* error);
  dlcert_status (*describe)(void* self, dlcert_tensor* tensor, dlcert_description* out,
                            dlcert_error* error);
  dlcert_status (*read)(void* self, dlcert_tensor* tensor, void* bytes, uint64_t size,
                        dlcert_error* error);
  dlcert_status (*write)(void* self, dlcert_tensor* tensor, const void* bytes, uint64_t size,
                         dlcert_error* error);
  void (*release)(void* self, dlcert_tensor* tensor);
  dlcert_status (*alias)(void* self, dlcert_tensor* tensor, dlcert_tensor** out,
                         dlcert_error* error);
  int64_t (*live_allocations)(void* self);
  void (*fail_allocation)(void* self, int64_t successes);
  int32_t (*can_import)(void* self, const dlcert_tensor_spec* spec);
} dlcert_tensor_group;
typedef struct dlcert_request {
  uint32_t struct_size;
  uint32_t reserved;
  dlcert_value stream;
  dlcert_value max_version;
  dlcert_value dl_device;
  dlcert_value copy;
} dlcert_request;
typedef struct dlcert_import_request {
  uint32_t struct_size;
  uint32_t reserved;
  dlcert_value device;
  dlcert_value copy;
} dlcert_import_request;
typedef struct dlcert_capsule dlcert_capsule;
typedef struct dlcert_exported {
  uint32_t struct_size;
  uint32_t reserved;
  dlcert_managed managed;
  dlcert_capsule* capsule;
} dlcert_exported;
typedef struct dlcert_producer {
  uint32_t struct_size;
  uint32_t reserved;
  void* context;
  dlcert_status (*dlpack_device)(void* context, dlcert_device* out, dlcert_error* error);
  dlcert_status (*dlpack)(void* context, const dlcert_request* request, dlcert_exported* out,
                          dlcert_error* error);
} dlcert_producer;
typedef struct dlcert_exchange_group {
  uint32_t struct_size;
  uint32_t reserved;
  dlcert_status (*dlpack_device)(void* self, dlcert_tensor* tensor, dlcert_device* out,
                                 dlcert_error* error);
  dlcert_status (*export_managed)(void* self, dlcert_tensor* tensor, const dlcert_request* request,
                                  dlcert_managed* out, dlcert_error* error);
  dlcert_status (*import_managed)(void* self, dlcert_managed managed, dlcert_tensor** out,
                                  dlcert_error* error);
  dlcert_status (*import_from)(void* self, const dlcert_producer* producer,
                               const dlcert_import_request* request, dlcert_tensor** out,
                               dlcert_error* error);
} dlcert_exchange_group;
typedef void (*dlcert_capsule_destructor)(void* pointer, const char* name);
typedef struct dlcert_capsule_group {
  uint32_t struct_size;
  uint32_t reserved;
  dlcert_status (*make)(void* self, void* pointer, const char* name,
                        dlcert_capsule_destructor destructor, dlcert_capsule** out,
                        dlcert_error* error);
  const char* (*name)(void* self, dlcert_capsule* capsule);
  void* (*pointer)(void* self, dlcert_capsule* capsule, const char* name);
  void (*set_name)(void* self, dlcert_capsule* capsule, const char* name);
  void (*drop)(void* self, dlcert_capsule* capsule);
  dlcert_status (*export_capsule)(void* self, dlcert_tensor* tensor, const dlcert_request* request,
                                  dlcert_capsule** out, dlcert_error* error);
  dlcert_status (*import_capsule)(void* self, dlcert_capsule* capsule, dlcert_tensor** out,
                                  dlcert_error* error);
  dlcert_status (*to_dlpack)(void* self, dlcert_tensor* tensor, dlcert_capsule** out,
                             dlcert_error* error);
} dlcert_capsule_group;
typedef struct dlcert_stream_group {
  uint32_t struct_size;
  uint32_t reserved;
  dlcert_status (*run_with_stream)(void* self, dlcert_device device, uint64_t stream,
                                   void (*body)(void* context), void* context, dlcert_error* error);
  dlcert_status (*current_stream)(void* self, dlcert_device device, uint64_t* out,
                                  dlcert_error* error);
  dlcert_status (*synchronize)(void* self, dlcert_device device, dlcert_error* error);
  dlcert_status (*current_device)(void* self, int32_t device_type, int32_t* out,
                                  dlcert_error* error);
} dlcert_stream_group;
typedef struct dlcert_exchange_api_group {
  uint32_t struct_size;
  uint32_t reserved;
  dlcert_status (*table)(void* self, const void** out, dlcert_error* error);
  dlcert_status (*object_of)(void* self, dlcert_tensor* tensor, void** out, dlcert_error* error);
  dlcert_status (*tensor_of)(void* self, void* object, dlcert_tensor** out, dlcert_error* error);
  void (*drop_object)(void* self, void* object);
  dlcert_status (*take_error)(void* self, dlcert_error* error);
} dlcert_exchange_api_group;
enum { DLCERT_FACT_UNKNOWN = INT32_MIN };
enum { DLCERT_DEVICE_CODES = 19, DLCERT_DTYPE_CODES = 18, DLCERT_FLAG_BITS = 3 };
typedef struct dlcert_dlpack_facts {
  uint32_t struct_size;
  int32_t major_version;
  int32_t minor_version;
  int32_t legacy_version;
  int32_t pointer_bytes;
  int32_t device_type_bytes;
  int32_t version_bytes, version_major_offset, version_minor_offset;
  int32_t device_bytes, device_type_offset, device_id_offset;
  int32_t dtype_bytes, dtype_code_offset, dtype_bits_offset, dtype_lanes_offset;
  int32_t tensor_bytes, tensor_data_offset, tensor_device_offset, tensor_ndim_offset,
      tensor_dtype_offset, tensor_shape_offset, tensor_strides_offset, tensor_byte_offset_offset;
  int32_t legacy_bytes, legacy_tensor_offset, legacy_context_offset, legacy_deleter_offset;
  int32_t versioned_bytes, versioned_version_offset, versioned_context_offset,
      versioned_deleter_offset, versioned_flags_offset, versioned_tensor_offset;
  int32_t device_codes[DLCERT_DEVICE_CODES];
  int32_t dtype_codes[DLCERT_DTYPE_CODES];
  int32_t flag_masks[DLCERT_FLAG_BITS];
} dlcert_dlpack_facts;
enum {
  DLCERT_PRODUCER = 1u << 0,
  DLCERT_CONSUMER = 1u << 1,
  DLCERT_RUNTIME = 1u << 2
};
enum {
  DLCERT_FAITHFUL_ERRORS = 1u << 0,
  DLCERT_THREAD_SAFE = 1u << 1,
  DLCERT_FAILED_IMPORT_CONSUMES = 1u << 2,
  DLCERT_KNOWS_READ_ONLY = 1u << 3,
  DLCERT_PASSES_CODES_THROUGH = 1u << 4,
  DLCERT_ENDS_WITHOUT_EXIT = 1u << 5,
  DLCERT_CUDA_ALONE = 1u << 6,
  DLCERT_ROCM_ALONE = 1u << 7
};
typedef struct dlcert_host {
  uint32_t struct_size;
  uint32_t reserved;
  void* context;
  void (*warn)(void* context, const char* category, const char* message);
  void (*fault)(void* context, const char* message);
} dlcert_host;
typedef struct dlcert_adapter {
  uint32_t struct_size;
  uint32_t abi_major;
  uint32_t abi_minor;
  uint32_t roles;
  uint32_t properties;
  uint32_t reserved;
  const char* name;
  const char* version;
  const char* runtime;
  void* self;
  const dlcert_tensor_group* tensor;
  const dlcert_exchange_group* exchange;
  const dlcert_capsule_group* capsule;
  const dlcert_dlpack_facts* cxx_facts;
  const dlcert_dlpack_facts* c_facts;
  dlcert_status (*open)(void* self, const dlcert_host* host, dlcert_error* error);
  void (*close)(void* self);
  const dlcert_stream_group* stream;
  const dlcert_exchange_api_group* exchange_api;
  const dlcert_devices_group* devices;
  const dlcert_runtime_group* gpu_runtime;
  const dlcert_telemetry_group* telemetry;
  const char* device_order;
  const dlcert_python_group* python;
  void (*before_fork)(void* self);
  void (*after_fork)(void* self, int32_t in_child);
  int32_t stacks_signal;
} dlcert_adapter;
typedef const dlcert_adapter* (*dlcert_adapter_get_function)(uint32_t abi_major);
DLCERT_EXPORT const dlcert_adapter* dlcert_adapter_get(uint32_t abi_major);
typedef const dlcert_adapter* (*dlcert_adapter_named_function)(uint32_t abi_major, const char* name,
                                                               dlcert_error* error);
DLCERT_EXPORT const dlcert_adapter* dlcert_adapter_named(uint32_t abi_major, const char* name,
                                                         dlcert_error* error);
#ifdef __cplusplus
}
#endif
#endif

/* ---- DLPack: the structs of dlpack.h 1.3, unless that is included first ---- */

#ifndef DLPACK_DLPACK_H_
typedef enum { kDLCPU = 1, kDLCUDA = 2 } DLDeviceType; /* and more */

typedef struct {
  DLDeviceType device_type;
  int32_t device_id;
} DLDevice;

typedef struct {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
} DLDataType;

typedef struct {
  uint32_t major;
  uint32_t minor;
} DLPackVersion;

typedef struct {
  void* data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t* shape;
  int64_t* strides;
  uint64_t byte_offset;
} DLTensor;

typedef struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(struct DLManagedTensor* self);
} DLManagedTensor;

typedef struct DLManagedTensorVersioned {
  DLPackVersion version;
  void* manager_ctx;
  void (*deleter)(struct DLManagedTensorVersioned* self);
  uint64_t flags;
  DLTensor dl_tensor;
} DLManagedTensorVersioned;

#define DLPACK_FLAG_BITMASK_READ_ONLY (1UL << 0UL)
#define DLPACK_FLAG_BITMASK_IS_COPIED (1UL << 1UL)
#define DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED (1UL << 2UL)
#endif

/* ---- calls into the library, each of which prints what it gave ---- */

static void* module;
static const dlcert_adapter* library;
static void* const unknown = NULL; /* a pointer that this program cannot make */

#define ABSENT ((dlcert_value){.tag = DLCERT_ABSENT})
#define NONE ((dlcert_value){.tag = DLCERT_NONE})
#define BOOL(value) ((dlcert_value){.tag = DLCERT_BOOL, .first = (value)})
#define INT(value) ((dlcert_value){.tag = DLCERT_INT, .first = (value)})
#define PAIR(one, two) ((dlcert_value){.tag = DLCERT_PAIR, .first = (one), .second = (two)})
#define FLOAT(value) ((dlcert_value){.tag = DLCERT_FLOAT, .number = (value)})
#define TEXT(value) ((dlcert_value){.tag = DLCERT_TEXT, .text = (value)})
#define REQUEST(stream_, max_version_, dl_device_, copy_)                                          \
  ((dlcert_request){sizeof(dlcert_request), 0, .stream = (stream_), .max_version = (max_version_), \
                    .dl_device = (dl_device_), .copy = (copy_)})
#define IMPORT(device_, copy_) \
  ((dlcert_import_request){sizeof(dlcert_import_request), 0, .device = (device_), .copy = (copy_)})

static dlcert_error error = {.struct_size = sizeof(dlcert_error)};

/* ---- what the library answers, and what it answered when the fault was found ---- */

enum { MAX_ANSWERS = 4096, MAX_ANSWER = 4096 };
static char* answers[MAX_ANSWERS];
static int answer_count, next_answer, other_answers;

static inline void answer(const char* format, ...) {
  char text[MAX_ANSWER];
  va_list values;
  va_start(values, format);
  vsnprintf(text, sizeof(text), format, values);
  va_end(values);
  printf("  %s\n", text);
  if (answer_count < MAX_ANSWERS) answers[answer_count++] = strdup(text);
}

/* The next answer was this one. */
static inline void saw(const char* expected) {
  const char* found = next_answer < answer_count ? answers[next_answer++] : "no answer";
  if (strncmp(found, expected, MAX_ANSWER - 1) == 0) return;
  ++other_answers;
  printf("  when the fault was found: %s\n", expected);
}

/* The exit code of a program whose fault is in the answers. A deleter that was called here, and was
   not then, is another answer. */
static inline int shows_fault(void) {
  for (int i = next_answer; i < answer_count; ++i)
    if (strcmp(answers[i], "deleter") == 0) ++other_answers;
  printf(other_answers == 0 ? "the library answers as when the fault was found\n"
                            : "the library answers otherwise than when the fault was found\n");
  return other_answers == 0;
}

static inline int told(const char* call, dlcert_status status) {
  printf("%s\n", call);
  if (status == DLCERT_OK) return 1;
  if (status == DLCERT_REFUSED) {
    printf("  error kind %d %s: %s\n", (int)error.kind, error.type, error.message);
    answer("refused");
  } else if (status == DLCERT_NOT_FORMABLE) {
    answer("not formable");
  } else {
    answer("status %d", (int)status);
  }
  return 0;
}

static inline int made(const char* call, dlcert_status status) {
  const int ok = told(call, status);
  if (ok) answer("ok");
  return ok;
}

typedef struct list_text {
  char text[1500];
} list_text;

static inline list_text text_of_list(const int64_t* values, int32_t count) {
  list_text out = {"NULL"};
  if (values == NULL) return out;
  if (count < 0 || count > 64) return (list_text){"unread"};
  size_t length = (size_t)snprintf(out.text, sizeof(out.text), "[");
  for (int32_t i = 0; i < count; ++i)
    length += (size_t)snprintf(out.text + length, sizeof(out.text) - length, "%s%lld",
                               i == 0 ? "" : ", ", (long long)values[i]);
  snprintf(out.text + length, sizeof(out.text) - length, "]");
  return out;
}

#define KIND "dtype (%u, %u, %u) device (%d, %d)"
#define KIND_OF(dtype, device) \
  (dtype).code, (dtype).bits, (dtype).lanes, (int)(device).type, (int)(device).id

static inline DLTensor* view_of(dlcert_managed managed) {
  return managed.form == DLCERT_VERSIONED ? &((DLManagedTensorVersioned*)managed.pointer)->dl_tensor
                                          : &((DLManagedTensor*)managed.pointer)->dl_tensor;
}

static inline void answer_managed(dlcert_managed managed) {
  const DLTensor* view = view_of(managed);
  const dlcert_device device = {(int32_t)view->device.device_type, view->device.device_id};
  char head[80];
  if (managed.form == DLCERT_VERSIONED) {
    const DLManagedTensorVersioned* versioned = managed.pointer;
    snprintf(head, sizeof(head), "versioned %u.%u flags %llu deleter %s",
             (unsigned)versioned->version.major, (unsigned)versioned->version.minor,
             (unsigned long long)versioned->flags, versioned->deleter == NULL ? "NULL" : "set");
  } else {
    const DLManagedTensor* legacy = managed.pointer;
    snprintf(head, sizeof(head), "legacy deleter %s", legacy->deleter == NULL ? "NULL" : "set");
  }
  answer("%s " KIND " ndim %d shape %s strides %s offset %llu data %s", head,
         KIND_OF(view->dtype, device), (int)view->ndim, text_of_list(view->shape, view->ndim).text,
         text_of_list(view->strides, view->ndim).text, (unsigned long long)view->byte_offset,
         view->data == NULL ? "NULL" : "set");
}

static inline unsigned char* decoded(const char* hex, uint64_t* size) {
  *size = strlen(hex) / 2;
  unsigned char* bytes = malloc(*size + 1);
  for (uint64_t i = 0; i < *size; ++i) {
    unsigned value = 0;
    sscanf(hex + 2 * i, "%2x", &value);
    bytes[i] = (unsigned char)value;
  }
  return bytes;
}

static inline dlcert_tensor* create(const dlcert_adapter* lib, dlcert_tensor_spec spec,
                                    const char* hex) {
  uint64_t size = 0;
  unsigned char* bytes = decoded(hex, &size);
  dlcert_tensor* tensor = NULL;
  made("create", lib->tensor->create(lib->self, &spec, bytes, size, &tensor, &error));
  free(bytes);
  return tensor;
}

static inline void describe(const dlcert_adapter* lib, dlcert_tensor* tensor) {
  dlcert_description out = {.struct_size = sizeof(out)};
  if (!told("describe", lib->tensor->describe(lib->self, tensor, &out, &error))) return;
  answer(KIND " shape %s strides %s flags %s", KIND_OF(out.dtype, out.device),
         out.ndim == 0 ? "[]" : text_of_list(out.shape, out.ndim).text,
         text_of_list(out.strides, out.ndim).text,
         (out.flags & DLCERT_DESCRIPTION_READ_ONLY) != 0 ? "read-only" : "none");
}

static inline void answer_bytes(const unsigned char* bytes, uint64_t size) {
  char* hex = calloc(2 * size + 1, 1);
  for (uint64_t i = 0; i < size; ++i)
    snprintf(hex + 2 * i, 3, "%02x", bytes[i]);
  answer("%s", hex);
  free(hex);
}

static inline void read_bytes(const dlcert_adapter* lib, dlcert_tensor* tensor, uint64_t size) {
  unsigned char* bytes = calloc(size + 1, 1);
  memset(bytes, 0xA5, (size_t)size); /* as dlcert does: what is not written must show */
  if (told("read", lib->tensor->read(lib->self, tensor, bytes, size, &error)))
    answer_bytes(bytes, size);
  free(bytes);
}

static inline void write_bytes(const dlcert_adapter* lib, dlcert_tensor* tensor, const char* hex) {
  uint64_t size = 0;
  unsigned char* bytes = decoded(hex, &size);
  made("write", lib->tensor->write(lib->self, tensor, bytes, size, &error));
  free(bytes);
}

static inline dlcert_tensor* alias(const dlcert_adapter* lib, dlcert_tensor* tensor) {
  dlcert_tensor* out = NULL;
  made("alias", lib->tensor->alias(lib->self, tensor, &out, &error));
  return out;
}

static inline void release(const dlcert_adapter* lib, dlcert_tensor* tensor) {
  if (tensor != NULL) lib->tensor->release(lib->self, tensor);
  printf("release\n");
}

static inline void can(const dlcert_adapter* lib, dlcert_tensor_spec spec) {
  printf("can: %d\n", (int)lib->tensor->can(lib->self, &spec));
}

static inline void can_import(const dlcert_adapter* lib, dlcert_tensor_spec spec) {
  printf("can_import: %d\n", (int)lib->tensor->can_import(lib->self, &spec));
}

static inline void live_allocations(const dlcert_adapter* lib) {
  printf("live_allocations: %lld\n", (long long)lib->tensor->live_allocations(lib->self));
}

static inline void fail_allocation(const dlcert_adapter* lib, int64_t successes) {
  lib->tensor->fail_allocation(lib->self, successes);
  printf("fail_allocation: after %lld\n", (long long)successes);
}

static inline void dlpack_device(const dlcert_adapter* lib, dlcert_tensor* tensor) {
  dlcert_device device = {0, 0};
  if (told("dlpack_device", lib->exchange->dlpack_device(lib->self, tensor, &device, &error)))
    answer("device (%d, %d)", (int)device.type, (int)device.id);
}

static inline dlcert_managed export_managed(const dlcert_adapter* lib, dlcert_tensor* tensor,
                                            dlcert_request request) {
  dlcert_managed out = {0, 0, NULL};
  const dlcert_status status =
      lib->exchange->export_managed(lib->self, tensor, &request, &out, &error);
  if (made("export_managed", status) && out.pointer != NULL) answer_managed(out);
  return out;
}

static inline dlcert_tensor* import_managed(const dlcert_adapter* lib, dlcert_managed managed) {
  dlcert_tensor* out = NULL;
  made("import_managed", lib->exchange->import_managed(lib->self, managed, &out, &error));
  return out;
}

static inline dlcert_tensor* import_from(const dlcert_adapter* lib, const dlcert_producer* from,
                                         dlcert_import_request request) {
  dlcert_tensor* out = NULL;
  made("import_from", lib->exchange->import_from(lib->self, from, &request, &out, &error));
  return out;
}

static inline void call_deleter(dlcert_managed managed) {
  printf("call the deleter\n");
  if (managed.pointer == NULL) return;
  if (managed.form == DLCERT_VERSIONED) {
    DLManagedTensorVersioned* head = managed.pointer;
    if (head->deleter != NULL) head->deleter(head);
  } else {
    DLManagedTensor* head = managed.pointer;
    if (head->deleter != NULL) head->deleter(head);
  }
}

static int capsules_destroyed;

static inline void destroy_capsule(void* pointer, const char* name) {
  (void)pointer;
  ++capsules_destroyed;
  printf("  capsule destructor, name %s\n", name == NULL ? "NULL" : name);
}

/* The destructor of a well-behaved producer: the tensor is given back unless it was consumed. */
static inline void release_unless_used(void* pointer, const char* name) {
  destroy_capsule(pointer, name);
  if (name == NULL) return;
  if (strcmp(name, "dltensor_versioned") == 0)
    call_deleter((dlcert_managed){DLCERT_VERSIONED, 0, pointer});
  if (strcmp(name, "dltensor") == 0) call_deleter((dlcert_managed){DLCERT_LEGACY, 0, pointer});
}

static inline dlcert_capsule* make_capsule(const dlcert_adapter* lib, void* pointer,
                                           const char* name, dlcert_capsule_destructor destructor) {
  dlcert_capsule* out = NULL;
  made("make_capsule", lib->capsule->make(lib->self, pointer, name, destructor, &out, &error));
  return out;
}

static inline void capsule_name(const dlcert_adapter* lib, dlcert_capsule* capsule) {
  const char* name = lib->capsule->name(lib->self, capsule);
  printf("capsule_name: %s\n", name == NULL ? "NULL" : name);
}

static inline void capsule_pointer(const dlcert_adapter* lib, dlcert_capsule* capsule,
                                   const char* name) {
  printf("capsule_pointer: %p\n", lib->capsule->pointer(lib->self, capsule, name));
}

static inline void set_capsule_name(const dlcert_adapter* lib, dlcert_capsule* capsule,
                                    const char* name) {
  lib->capsule->set_name(lib->self, capsule, name);
  printf("set_capsule_name\n");
}

static inline void drop(const dlcert_adapter* lib, dlcert_capsule* capsule) {
  printf("drop\n");
  if (capsule != NULL) lib->capsule->drop(lib->self, capsule);
}

static inline dlcert_capsule* export_capsule(const dlcert_adapter* lib, dlcert_tensor* tensor,
                                             dlcert_request request) {
  dlcert_capsule* out = NULL;
  made("export_capsule", lib->capsule->export_capsule(lib->self, tensor, &request, &out, &error));
  return out;
}

static inline dlcert_tensor* import_capsule(const dlcert_adapter* lib, dlcert_capsule* capsule) {
  dlcert_tensor* out = NULL;
  made("import_capsule", lib->capsule->import_capsule(lib->self, capsule, &out, &error));
  return out;
}

static inline dlcert_capsule* to_dlpack(const dlcert_adapter* lib, dlcert_tensor* tensor) {
  dlcert_capsule* out = NULL;
  made("to_dlpack", lib->capsule->to_dlpack(lib->self, tensor, &out, &error));
  return out;
}

static inline void unload(const dlcert_adapter* lib) {
  if (lib->close != NULL) lib->close(lib->self);
  dlclose(module);
  printf("unload\n");
}

/* ---- managed tensors of this program's own, each with an account of its deleter ---- */

enum { OFFER_STORAGE, OFFER_NULL, OFFER_UNMAPPED };
enum { OFFER_COUNTED, OFFER_NO_DELETER };
enum { OFFER_OWN_CONTEXT, OFFER_NO_CONTEXT, OFFER_UNREADABLE_CONTEXT };
enum { OFFER_WRITABLE, OFFER_READ_ONLY_DATA, OFFER_READ_ONLY_ALL, OFFER_SEALED_TAIL };

typedef struct offer_spec {
  int form;
  uint32_t major, minor;
  uint64_t flags;
  dlcert_dtype dtype;
  dlcert_device device;
  int32_t ndim;
  const int64_t* shape;
  const int64_t* strides;
  int32_t shape_length, strides_length; /* of the arrays, where it is not ndim; -1 is none */
  uint64_t byte_offset;
  int data;
  int64_t data_offset;
  int deleter, context, protection;
} offer_spec;

enum { MAX_OFFERS = 64 };
static struct {
  void* pointer;
  int deleted;
} offers[MAX_OFFERS];
static int offer_count;
static int stray_deletions;

static inline void note_deleter(void* pointer) {
  for (int i = 0; i < offer_count; ++i) {
    if (offers[i].pointer == pointer) {
      ++offers[i].deleted;
      answer("deleter");
      return;
    }
  }
  ++stray_deletions;
  printf("  a deleter is called with a foreign address\n");
}

static inline void delete_versioned(DLManagedTensorVersioned* head) {
  note_deleter(head);
}

static inline void delete_legacy(DLManagedTensor* head) {
  note_deleter(head);
}

/* Memory whose last byte lies before an inaccessible page. */
static inline unsigned char* guarded(uint64_t size) {
  const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
  const uint64_t pages = (size + page - 1) / page * page;
  unsigned char* start = mmap(NULL, (size_t)(pages + page), PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(start + pages, (size_t)page, PROT_NONE);
  return start + pages - size;
}

static inline void make_read_only(void* place, uint64_t size) {
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  const uintptr_t start = (uintptr_t)place / page * page;
  if (size != 0) mprotect((void*)start, (size_t)((uintptr_t)place + size - start), PROT_READ);
}

static inline int64_t* guarded_list(const int64_t* values, int32_t count, int protection) {
  if (values == NULL) return NULL;
  const uint64_t size = (uint64_t)(count > 0 ? count : 0) * sizeof(int64_t);
  int64_t* copy = (int64_t*)(void*)guarded(size);
  if (size != 0) memcpy(copy, values, (size_t)size);
  if (protection == OFFER_READ_ONLY_ALL) make_read_only(copy, size);
  return copy;
}

static inline dlcert_managed offer(offer_spec spec, const char* hex) {
  uint64_t size = 0;
  unsigned char* bytes = decoded(hex, &size);
  unsigned char* storage = guarded(size);
  memcpy(storage, bytes, (size_t)size);
  free(bytes);
  if (spec.protection == OFFER_READ_ONLY_DATA || spec.protection == OFFER_READ_ONLY_ALL)
    make_read_only(storage, size);

  unsigned char* inaccessible = guarded(0);
  DLTensor view = {.device = {(DLDeviceType)spec.device.type, spec.device.id},
                   .ndim = spec.ndim,
                   .dtype = {spec.dtype.code, spec.dtype.bits, spec.dtype.lanes}};
  const int32_t extents = spec.shape_length != 0 ? spec.shape_length : spec.ndim;
  const int32_t steps = spec.strides_length != 0 ? spec.strides_length : spec.ndim;
  view.shape = guarded_list(spec.shape, extents, spec.protection);
  view.strides = guarded_list(spec.strides, steps, spec.protection);
  view.byte_offset = spec.byte_offset;
  view.data = spec.data == OFFER_NULL       ? NULL
              : spec.data == OFFER_UNMAPPED ? (void*)inaccessible
                                            : (void*)(storage + spec.data_offset);
  void* context = spec.context == OFFER_NO_CONTEXT           ? NULL
                  : spec.context == OFFER_UNREADABLE_CONTEXT ? (void*)inaccessible
                                                             : (void*)&offers[offer_count];
  const int counted = spec.deleter == OFFER_COUNTED;
  dlcert_managed managed = {.form = spec.form};
  const DLManagedTensorVersioned versioned = {
      {spec.major, spec.minor}, context, counted ? delete_versioned : NULL, spec.flags, view};
  const DLManagedTensor legacy = {view, context, counted ? delete_legacy : NULL};
  const int is_versioned = spec.form == DLCERT_VERSIONED;
  uint64_t head_size = is_versioned ? sizeof(versioned) : sizeof(legacy);
  if (spec.protection == OFFER_SEALED_TAIL)
    head_size = offsetof(DLManagedTensorVersioned, dl_tensor);
  managed.pointer = guarded(head_size);
  memcpy(managed.pointer, is_versioned ? (const void*)&versioned : (const void*)&legacy,
         (size_t)head_size);
  if (spec.protection == OFFER_READ_ONLY_ALL) make_read_only(managed.pointer, head_size);
  if (offer_count < MAX_OFFERS) offers[offer_count++].pointer = managed.pointer;
  return managed;
}

/* Zeroed address space, of which only what is touched takes memory. */
static inline unsigned char* mapped_memory(uint64_t size) {
  unsigned char* start = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED) {
    fprintf(stderr, "not enough address space\n");
    exit(2);
  }
  return start;
}

static inline void put_bytes(unsigned char* place, const char* hex) {
  uint64_t size = 0;
  unsigned char* bytes = decoded(hex, &size);
  memcpy(place, bytes, (size_t)size);
  free(bytes);
}

/* Has the data of an offer lie there. */
static inline void lie_at(dlcert_managed managed, unsigned char* data) {
  view_of(managed)->data = data;
}

/* ---- an object with dlpack() and dlpack_device() ---- */

typedef struct own_producer {
  dlcert_producer table;
  dlcert_device device;
  dlcert_managed managed;
  const dlcert_adapter* capsules; /* whose capsules it hands out; NULL: none */
  dlcert_error_kind device_error, dlpack_error;
  const char *device_message, *dlpack_message; /* NULL: no error */
  int knows_only_stream, used;
} own_producer;

static inline dlcert_status raised(dlcert_error_kind kind, const char* message,
                                   dlcert_error* problem) {
  problem->kind = kind;
  problem->code = 0;
  problem->type[0] = '\0';
  snprintf(problem->message, sizeof(problem->message), "%s", message);
  return DLCERT_REFUSED;
}

static inline dlcert_status producer_device(void* context, dlcert_device* out,
                                            dlcert_error* problem) {
  const own_producer* own = context;
  printf("  dlpack_device() is called\n");
  if (own->device_message != NULL) return raised(own->device_error, own->device_message, problem);
  *out = own->device;
  return DLCERT_OK;
}

static inline void delete_from_capsule(void* pointer, const char* name) {
  if (name != NULL && strcmp(name, "dltensor") == 0)
    call_deleter((dlcert_managed){.form = DLCERT_LEGACY, .pointer = pointer});
  else if (name != NULL && strcmp(name, "dltensor_versioned") == 0)
    call_deleter((dlcert_managed){.form = DLCERT_VERSIONED, .pointer = pointer});
}

static inline dlcert_status producer_dlpack(void* context, const dlcert_request* request,
                                            dlcert_exported* out, dlcert_error* problem) {
  const own_producer* own = context;
  printf("  dlpack() is called\n");
  if (own->dlpack_message != NULL) return raised(own->dlpack_error, own->dlpack_message, problem);
  if (own->knows_only_stream &&
      (request->max_version.tag != DLCERT_ABSENT || request->dl_device.tag != DLCERT_ABSENT ||
       request->copy.tag != DLCERT_ABSENT))
    return raised(DLCERT_ERROR_TYPE, "unexpected keyword argument", problem);
  if (own->capsules != NULL) {
    const char* name =
        own->managed.form == DLCERT_VERSIONED ? "used_dltensor_versioned" : "used_dltensor";
    if (!own->used) name += strlen("used_");
    return own->capsules->capsule->make(own->capsules->self, own->managed.pointer, name,
                                        delete_from_capsule, &out->capsule, problem);
  }
  out->managed = own->managed;
  return DLCERT_OK;
}

enum { MAX_PRODUCERS = 64 };
static own_producer producers[MAX_PRODUCERS]; /* libraries may keep them until the end */
static int producer_count;

static inline dlcert_producer* producer(int32_t type, int32_t id, dlcert_managed managed) {
  if (producer_count == MAX_PRODUCERS) {
    fprintf(stderr, "more than %d objects\n", MAX_PRODUCERS);
    exit(2);
  }
  own_producer* own = &producers[producer_count++];
  own->table.struct_size = sizeof(dlcert_producer);
  own->table.context = own;
  own->table.dlpack_device = producer_device;
  own->table.dlpack = producer_dlpack;
  own->device = (dlcert_device){type, id};
  own->managed = managed;
  return &own->table;
}

static inline void producer_in_capsules(dlcert_producer* table, const dlcert_adapter* lib) {
  ((own_producer*)table->context)->capsules = lib;
}

static inline void producer_raises_from_device(dlcert_producer* table, dlcert_error_kind kind,
                                               const char* message) {
  own_producer* own = table->context;
  own->device_error = kind;
  own->device_message = message;
}

static inline void producer_raises_from_dlpack(dlcert_producer* table, dlcert_error_kind kind,
                                               const char* message) {
  own_producer* own = table->context;
  own->dlpack_error = kind;
  own->dlpack_message = message;
}

static inline void producer_knows_only_stream(dlcert_producer* table) {
  ((own_producer*)table->context)->knows_only_stream = 1;
}

static inline void producer_gives_used_capsules(dlcert_producer* table) {
  ((own_producer*)table->context)->used = 1;
}

static inline void producer_without_device(dlcert_producer* table) {
  table->dlpack_device = NULL;
}

static inline void producer_without_dlpack(dlcert_producer* table) {
  table->dlpack = NULL;
}

/* ---- loading, and the account at the end ---- */

static inline void warn(void* context, const char* category, const char* message) {
  (void)context;
  printf("  warning %s: %s\n", category, message);
}

static inline int load(const char* path) {
  module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (module == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 0;
  }
  dlcert_adapter_get_function get = NULL;
  *(void**)(&get) = dlsym(module, "dlcert_adapter_get");
  library = get == NULL ? NULL : get(DLCERT_ABI_MAJOR);
  if (library == NULL) {
    fprintf(stderr, "%s is no adapter\n", path);
    return 0;
  }
  static dlcert_host host = {.struct_size = sizeof(dlcert_host)};
  host.warn = warn;
  if (library->open != NULL && library->open(library->self, &host, &error) != DLCERT_OK) {
    fprintf(stderr, "%s does not open: %s\n", path, error.message);
    return 0;
  }
  return 1;
}

static inline void show_accounts(void) {
  for (int i = 0; i < offer_count; ++i)
    printf("m%d: %d deleter calls\n", i + 1, offers[i].deleted);
  if (stray_deletions != 0) printf("%d deleter calls with a foreign address\n", stray_deletions);
}

#endif
