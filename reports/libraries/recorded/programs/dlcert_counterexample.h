/* Definitions that the counterexamples in this folder share: dlcert's adapter ABI
   (adapter.h) without its comments, calls into the library, judgements, and managed
   tensors. */
#ifndef DLCERT_COUNTEREXAMPLE_H
#define DLCERT_COUNTEREXAMPLE_H
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
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
  DLCERT_ERROR_DEVICE = 13,
  DLCERT_ERROR_UNASSIGNED = 14
};
#define DLCERT_ERROR_TYPE_CAPACITY 64
#define DLCERT_ERROR_MESSAGE_CAPACITY 512
enum {
  DLCERT_CAUSE_NOT_TOLD = 0,
  DLCERT_CAUSE_NONE = 1,
  DLCERT_CAUSE_TOLD = 2
};
typedef struct dlcert_error {
  uint32_t struct_size;
  dlcert_error_kind kind;
  int64_t code;
  char type[DLCERT_ERROR_TYPE_CAPACITY];
  char message[DLCERT_ERROR_MESSAGE_CAPACITY];
  int32_t cause;
  dlcert_error_kind cause_kind;
  char cause_message[DLCERT_ERROR_MESSAGE_CAPACITY];
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
  dlcert_status (*registered_kernels)(void* self, const dlcert_text_list* out, dlcert_error* error);
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
  DLCERT_PYTHON_DEVICE = 4,
  DLCERT_PYTHON_STREAM = 5,
  DLCERT_PYTHON_WRITE = 6
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
#define DLCERT_ABI_MINOR 5u
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
  DLCERT_STATE_STRING = 10,
  DLCERT_STATE_MISSING = 11,
  DLCERT_STATE_RAGGED = 12,
  DLCERT_STATE_NOT_EXPORTED = 13,
  DLCERT_STATE_COUNT = 14
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
  const char* array_api;
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

#define LIST(...) ((const int64_t[]){__VA_ARGS__})


/* ---- Conditions on a struct that a library handed over ---- */

/* A pointer that was not NULL. Its target is not recorded. */
#define NOT_RECORDED ((void*)1)

/* 0 if the condition holds, else 1: the exit code. */
#define MUST(...) must((__VA_ARGS__) != 0, #__VA_ARGS__)

static inline int must(int holds, const char* condition) {
  printf("%s: %s\n", holds ? "kept" : "broken", condition);
  return holds ? 0 : 1;
}

static inline int is_at_most(DLPackVersion version, uint32_t major, uint32_t minor) {
  return version.major < major || (version.major == major && version.minor <= minor);
}

/* In elements. If strides is NULL, the layout is row-major. */
static inline int64_t stride_of(const DLTensor* tensor, int32_t axis) {
  if (tensor->strides != NULL) return tensor->strides[axis];
  int64_t stride = 1;
  for (int32_t inner = axis + 1; inner < tensor->ndim; ++inner)
    if (tensor->shape[inner] > 1) stride *= tensor->shape[inner];
  return stride;
}

static inline int shape_is(const DLTensor* tensor, int32_t rank, const int64_t* extents) {
  if (tensor->ndim != rank || (rank > 0 && tensor->shape == NULL)) return 0;
  for (int32_t axis = 0; axis < rank; ++axis)
    if (tensor->shape[axis] != extents[axis]) return 0;
  return 1;
}

static inline int has_no_negative_extent(const DLTensor* tensor) {
  for (int32_t axis = 0; axis < tensor->ndim; ++axis)
    if (tensor->shape[axis] < 0) return 0;
  return 1;
}

static inline int64_t bytes_of_element(const DLTensor* tensor) {
  return ((int64_t)tensor->dtype.bits * tensor->dtype.lanes + 7) / 8;
}

static inline int64_t element_count(const DLTensor* tensor) {
  int64_t count = 1;
  for (int32_t axis = 0; axis < tensor->ndim; ++axis)
    count *= tensor->shape[axis];
  return count;
}

/* No element has a byte before `begin` or from `end` on; both in bytes from the first element. */
static inline int reaches_within(const DLTensor* tensor, int64_t begin, int64_t end) {
  int64_t lowest = 0, highest = bytes_of_element(tensor);
  for (int32_t axis = 0; axis < tensor->ndim; ++axis) {
    const int64_t last =
        (tensor->shape[axis] - 1) * stride_of(tensor, axis) * bytes_of_element(tensor);
    if (last < 0) lowest += last;
    if (last > 0) highest += last;
  }
  return begin <= lowest && highest <= end;
}

/* Bit 0 of each byte is the least significant one. `bit` can be negative. */
static inline int bit_at(const unsigned char* base, int64_t bit) {
  const int64_t byte = bit >= 0 ? bit / 8 : -((7 - bit) / 8);
  return base[byte] >> (bit - 8 * byte) & 1;
}

/* The elements in row-major order are equal to `wanted`, with whole bytes for each. */
static inline int elements_are(const DLTensor* tensor, uint64_t flags, const unsigned char* wanted,
                               int64_t size) {
  if (tensor->ndim < 0 || (tensor->ndim > 0 && tensor->shape == NULL)) return 0;
  const int padded = (flags & DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED) != 0;
  const int64_t bits = (int64_t)tensor->dtype.bits * tensor->dtype.lanes;
  const int64_t item = bytes_of_element(tensor);
  const int64_t step = tensor->dtype.bits < 8 && !padded ? bits : 8 * item;
  const int64_t count = element_count(tensor);
  if (!has_no_negative_extent(tensor) || count * item != size) return 0;

  const uintptr_t first = (uintptr_t)tensor->data + (uintptr_t)tensor->byte_offset;
  for (int64_t i = 0; i < count; ++i) {
    int64_t place = 0, rest = i;
    for (int32_t axis = tensor->ndim - 1; axis >= 0; --axis) {
      place += rest % tensor->shape[axis] * stride_of(tensor, axis) * step;
      rest /= tensor->shape[axis];
    }
    for (int64_t bit = 0; bit < bits; ++bit)
      if (bit_at((const unsigned char*)first, place + bit) != bit_at(wanted, 8 * i * item + bit))
        return 0;
  }
  return 1;
}

/* ---- judgements, and the process that makes the calls ---- */

/* The exit codes of the child process, in which the library may exit with any other. */
enum { CHILD_KEEPS = 100, CHILD_BREAKS = 101, CHILD_FAILED = 102 };

enum { CHILD_SECONDS = 40 }; /* a child that lives longer hangs */

static _Noreturn inline void end_child(int code) {
  fflush(NULL);
  _exit(code);
}

static _Noreturn inline void unexpected(const char* format, ...) {
  va_list values;
  va_start(values, format);
  printf("unexpected: ");
  vprintf(format, values);
  va_end(values);
  printf("\n");
  end_child(CHILD_FAILED);
}

static _Noreturn inline void judge(int holds) {
  end_child(holds ? CHILD_KEEPS : CHILD_BREAKS);
}

static inline void judge_text(const char* found, const char* expected) {
  printf("expected: %s\nfound:    %s\n", expected, found == NULL ? "NULL" : found);
  judge(found != NULL && strcmp(found, expected) == 0);
}

static inline void judge_number(long long found, long long expected) {
  printf("expected: %lld\nfound:    %lld\n", expected, found);
  judge(found == expected);
}

static inline void judge_condition(int holds, const char* condition) {
  printf("expected: %s\nfound:    %s\n", condition, holds ? "the same" : "that does not hold");
  judge(holds);
}

#define JUDGE(...) judge_condition((__VA_ARGS__) != 0, #__VA_ARGS__)

/* What an end means: MAY_END is for a library that ends the process or hangs if it breaks the rule.
 */
typedef enum run_kind { JUDGES, MAY_END } run_kind;

static inline int exit_code(run_kind kind, int code) {
  if (code == CHILD_KEEPS) printf("the library keeps the rule\n");
  if (code == CHILD_BREAKS || (code != CHILD_KEEPS && code != CHILD_FAILED && kind == MAY_END)) {
    printf("the library breaks the rule\n");
    return 1;
  }
  return code == CHILD_KEEPS ? 0 : 2;
}

static inline const char* signal_name(int number) {
  static const struct {
    int number;
    const char* name;
  } names[] = {{SIGSEGV, "SIGSEGV"}, {SIGABRT, "SIGABRT"}, {SIGBUS, "SIGBUS"},
               {SIGFPE, "SIGFPE"},   {SIGILL, "SIGILL"},   {SIGTRAP, "SIGTRAP"},
               {SIGTERM, "SIGTERM"}, {SIGKILL, "SIGKILL"}, {SIGALRM, "SIGALRM"}};
  static char other[32];
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i)
    if (names[i].number == number) return names[i].name;
  snprintf(other, sizeof(other), "signal %d", number);
  return other;
}

static inline int load(const char* path);

/* Takes the steps in a child process. Returns the exit code of this one. */
static inline int run(run_kind kind, const char* path, void (*steps)(void)) {
  setvbuf(stdout, NULL, _IONBF, 0);
  const pid_t child = fork();
  if (child < 0) {
    perror("fork");
    return 2;
  }
  if (child == 0) {
    if (!load(path)) end_child(CHILD_FAILED);
    steps();
    end_child(CHILD_KEEPS);
  }
  int status = 0;
  const struct timespec pause = {.tv_nsec = 5000000};
  const time_t end = time(NULL) + CHILD_SECONDS;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (time(NULL) > end) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      printf("the library did not return within %d s\n", CHILD_SECONDS);
      return exit_code(kind, -1);
    }
    nanosleep(&pause, NULL);
  }
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  if (WIFSIGNALED(status))
    printf("ended by %s\n", signal_name(WTERMSIG(status)));
  else if (code < CHILD_KEEPS || code > CHILD_FAILED)
    printf("ended early with exit status %d\n", code);
  return exit_code(kind, code);
}

/* ---- calls into the library ---- */

static void* module;
static const dlcert_adapter* library;

#define ABSENT ((dlcert_value){.tag = DLCERT_ABSENT})
#define NONE ((dlcert_value){.tag = DLCERT_NONE})
#define BOOL(value) ((dlcert_value){.tag = DLCERT_BOOL, .first = (value)})
#define INT(value) ((dlcert_value){.tag = DLCERT_INT, .first = (value)})
#define PAIR(one, two) ((dlcert_value){.tag = DLCERT_PAIR, .first = (one), .second = (two)})
#define FLOAT(value) ((dlcert_value){.tag = DLCERT_FLOAT, .number = (value)})
#define TEXT(value) ((dlcert_value){.tag = DLCERT_TEXT, .text = (value)})
#define SPEC(...) ((dlcert_tensor_spec){.struct_size = sizeof(dlcert_tensor_spec), __VA_ARGS__})
#define REQUEST(...) ((dlcert_request){.struct_size = sizeof(dlcert_request), __VA_ARGS__})
#define IMPORT(...) \
  ((dlcert_import_request){.struct_size = sizeof(dlcert_import_request), __VA_ARGS__})

/* An array of one value, which the program never frees. */
static inline const int64_t* repeated(int32_t count, int64_t value) {
  int64_t* const values = malloc((size_t)count * sizeof *values);
  for (int32_t i = 0; values != NULL && i < count; ++i)
    values[i] = value;
  return values;
}

static dlcert_error error = {.struct_size = sizeof(dlcert_error)};

/* ---- calls that the library may refuse ---- */

/* What a refusal of the next call means. */
static enum { FAILS, GOES_ON, KEEPS_RULE } on_refusal;
static int was_refused; /* the last call */

/* A call that the library refused when dlcert made it. It may accept it. */
#define REFUSED(call) (on_refusal = GOES_ON, (void)(call))
/* A call that the library may refuse: it keeps the rule then. */
#define UNLESS_REFUSED(call) (on_refusal = KEEPS_RULE, (call))
/* A call that the library must refuse, by any error or by one of some kinds: "TypeError, ..." */
#define JUDGE_REFUSAL(call) (on_refusal = GOES_ON, (void)(call), judge_refusal(NULL))
#define JUDGE_KIND(kinds, call) (on_refusal = GOES_ON, (void)(call), judge_refusal(kinds))
/* A call that the library must accept. */
#define JUDGE_SUCCESS(call) (on_refusal = GOES_ON, (void)(call), judge_success())

static inline const char* kind_name(int kind) {
  static const char* const names[] = {
      "error",          "BufferError",    "ValueError",          "TypeError",
      "RuntimeError",   "AttributeError", "AssertionError",      "IndexError",
      "OSError",        "MemoryError",    "NotImplementedError", "ModuleNotFoundError",
      "deferred error", "device error"};
  const int count = (int)(sizeof(names) / sizeof(names[0]));
  return names[kind >= 0 && kind < count ? kind : 0];
}

static inline void judge_refusal(const char* kinds) {
  const char* const found = was_refused ? kind_name((int)error.kind) : "success";
  printf("expected: %s\nfound:    %s\n", kinds == NULL ? "an error" : kinds, found);
  judge(was_refused && (kinds == NULL || strstr(kinds, found) != NULL));
}

static inline void judge_success(void) {
  printf("expected: success\nfound:    %s\n", was_refused ? kind_name((int)error.kind) : "success");
  judge(!was_refused);
}

/* Whether the call succeeded. */
static inline int made(const char* call, dlcert_status status) {
  const int policy = on_refusal;
  on_refusal = FAILS;
  was_refused = status == DLCERT_REFUSED;
  if (status == DLCERT_OK) {
    printf("%s: ok\n", call);
    return 1;
  }
  if (!was_refused) unexpected("%s: the library has no such call (status %d)", call, (int)status);
  printf("%s: refused, %s %s: %s\n", call, kind_name((int)error.kind), error.type, error.message);
  if (policy == KEEPS_RULE) judge(1);
  if (policy == FAILS) unexpected("%s: expected success", call);
  return 0;
}

#define NEEDS(group, function)                                   \
  do {                                                           \
    if (lib->group == NULL || lib->group->function == NULL)      \
      unexpected("%s: the library has no such call", #function); \
  } while (0)

/* ---- values as text ---- */

/* Texts are few, and live as long as the process. */
static inline char* text_of(const char* format, ...) {
  va_list values;
  va_start(values, format);
  char* text = NULL;
  const int length = vasprintf(&text, format, values);
  va_end(values);
  if (length < 0) unexpected("no memory");
  return text;
}

static inline const char* list_text(const int64_t* values, int32_t count) {
  if (count > 0 && values == NULL) return "None";
  char* text = text_of("[");
  for (int32_t i = 0; i < count; ++i)
    text = text_of("%s%s%lld", text, i == 0 ? "" : ", ", (long long)values[i]);
  return text_of("%s]", text);
}

static inline const char* device_text(int type, int id) {
  return text_of("(%d, %d)", type, id);
}

static inline const char* hex_text(const unsigned char* bytes, uint64_t size) {
  char* text = calloc(2 * size + 1, 1);
  for (uint64_t i = 0; i < size; ++i)
    snprintf(text + 2 * i, 3, "%02x", bytes[i]);
  return text;
}

static inline int same_text(const char* one, const char* other) {
  printf("  %s\n  %s\n", one, other);
  return strcmp(one, other) == 0;
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

/* ---- tensors ---- */

static inline dlcert_tensor* create(const dlcert_adapter* lib, dlcert_tensor_spec spec,
                                    const char* hex) {
  NEEDS(tensor, create);
  uint64_t size = 0;
  unsigned char* bytes = decoded(hex, &size);
  dlcert_tensor* tensor = NULL;
  made("create", lib->tensor->create(lib->self, &spec, bytes, size, &tensor, &error));
  free(bytes);
  return tensor;
}

static inline dlcert_description describe(const dlcert_adapter* lib, dlcert_tensor* tensor) {
  NEEDS(tensor, describe);
  dlcert_description out = {.struct_size = sizeof(out)};
  made("describe", lib->tensor->describe(lib->self, tensor, &out, &error));
  return out;
}

static inline const char* described_dtype(dlcert_description description) {
  const dlcert_dtype dtype = description.dtype;
  return text_of("(%u, %u, %u)", dtype.code, dtype.bits, dtype.lanes);
}

static inline const char* described_device(dlcert_description description) {
  return device_text((int)description.device.type, (int)description.device.id);
}

static inline const char* described_shape(dlcert_description description) {
  return list_text(description.shape, description.ndim);
}

static inline const char* described_strides(dlcert_description description) {
  return list_text(description.strides, description.ndim);
}

/* The elements as hexadecimal text. */
static inline const char* read_bytes(const dlcert_adapter* lib, dlcert_tensor* tensor,
                                     uint64_t size) {
  NEEDS(tensor, read);
  unsigned char* bytes = calloc(size + 1, 1);
  memset(bytes, 0xA5, (size_t)size); /* what the library does not write must show */
  made("read", lib->tensor->read(lib->self, tensor, bytes, size, &error));
  const char* const text = hex_text(bytes, size);
  free(bytes);
  return text;
}

static inline void write_bytes(const dlcert_adapter* lib, dlcert_tensor* tensor, const char* hex) {
  NEEDS(tensor, write);
  uint64_t size = 0;
  unsigned char* bytes = decoded(hex, &size);
  made("write", lib->tensor->write(lib->self, tensor, bytes, size, &error));
  free(bytes);
}

static inline dlcert_tensor* alias(const dlcert_adapter* lib, dlcert_tensor* tensor) {
  NEEDS(tensor, alias);
  dlcert_tensor* out = NULL;
  made("alias", lib->tensor->alias(lib->self, tensor, &out, &error));
  return out;
}

static inline void release(const dlcert_adapter* lib, dlcert_tensor* tensor) {
  printf("release\n");
  if (tensor != NULL) lib->tensor->release(lib->self, tensor);
}

static inline void can(const dlcert_adapter* lib, dlcert_tensor_spec spec) {
  NEEDS(tensor, can);
  printf("can: %d\n", (int)lib->tensor->can(lib->self, &spec));
}

static inline void can_import(const dlcert_adapter* lib, dlcert_tensor_spec spec) {
  NEEDS(tensor, can_import);
  printf("can_import: %d\n", (int)lib->tensor->can_import(lib->self, &spec));
}

static inline void live_allocations(const dlcert_adapter* lib) {
  NEEDS(tensor, live_allocations);
  printf("live_allocations: %lld\n", (long long)lib->tensor->live_allocations(lib->self));
}

static inline void fail_allocation(const dlcert_adapter* lib, int64_t successes) {
  NEEDS(tensor, fail_allocation);
  printf("fail_allocation: after %lld\n", (long long)successes);
  lib->tensor->fail_allocation(lib->self, successes);
}

/* ---- managed tensors ---- */

static inline DLManagedTensorVersioned* versioned(dlcert_managed managed) {
  return managed.pointer;
}

static inline DLManagedTensor* legacy(dlcert_managed managed) {
  return managed.pointer;
}

static inline DLTensor* view_of(dlcert_managed managed) {
  return managed.form == DLCERT_VERSIONED ? &versioned(managed)->dl_tensor
                                          : &legacy(managed)->dl_tensor;
}

static inline const char* extents(dlcert_managed managed) {
  return list_text(view_of(managed)->shape, view_of(managed)->ndim);
}

static inline const char* exported_device(dlcert_managed managed) {
  const DLDevice device = view_of(managed)->device;
  return device_text((int)device.device_type, device.device_id);
}

static inline uintptr_t first_element(dlcert_managed managed) {
  return (uintptr_t)view_of(managed)->data + (uintptr_t)view_of(managed)->byte_offset;
}

/* Bits from one element to the next, and in an element. */
static inline int64_t bits_of_step(dlcert_managed managed) {
  const DLTensor* view = view_of(managed);
  const uint64_t flags = managed.form == DLCERT_VERSIONED ? versioned(managed)->flags : 0;
  const int padded = (flags & DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED) != 0;
  return view->dtype.bits < 8 && !padded ? (int64_t)view->dtype.bits * view->dtype.lanes
                                         : 8 * bytes_of_element(view);
}

/* The place of an element in row-major order, in elements from the first one. */
static inline int64_t place_of(const DLTensor* view, int64_t element) {
  int64_t place = 0;
  for (int32_t axis = view->ndim - 1; axis >= 0; --axis) {
    place += element % view->shape[axis] * stride_of(view, axis);
    element /= view->shape[axis];
  }
  return place;
}

/* All elements in row-major order as hexadecimal text, with whole bytes for each. */
static inline const char* elements(dlcert_managed managed) {
  const DLTensor* view = view_of(managed);
  if (!has_no_negative_extent(view)) return "a negative extent";
  const int64_t item = bytes_of_element(view), count = element_count(view);
  const int64_t bits = (int64_t)view->dtype.bits * view->dtype.lanes;
  unsigned char* bytes = calloc((size_t)(count * item) + 1, 1);
  for (int64_t i = 0; i < count; ++i)
    for (int64_t bit = 0; bit < bits; ++bit) {
      const int64_t from = place_of(view, i) * bits_of_step(managed) + bit;
      const int value = bit_at((const unsigned char*)first_element(managed), from);
      bytes[i * item + bit / 8] |= (unsigned char)(value << (bit % 8));
    }
  const char* const text = hex_text(bytes, (uint64_t)(count * item));
  free(bytes);
  return text;
}

/* Writes all elements, from whole bytes for each. */
static inline void set_elements(dlcert_managed managed, const char* hex) {
  const DLTensor* view = view_of(managed);
  const int64_t bits = (int64_t)view->dtype.bits * view->dtype.lanes;
  uint64_t size = 0;
  unsigned char* bytes = decoded(hex, &size);
  for (int64_t i = 0; i < element_count(view); ++i)
    for (int64_t bit = 0; bit < bits; ++bit) {
      const int64_t to = place_of(view, i) * bits_of_step(managed) + bit;
      const int64_t byte = to >= 0 ? to / 8 : -((7 - to) / 8);
      unsigned char* place = (unsigned char*)first_element(managed) + byte;
      const int mask = 1 << (to - 8 * byte);
      const int value = bit_at(bytes, 8 * i * bytes_of_element(view) + bit);
      *place = (unsigned char)(value ? *place | mask : *place & ~mask);
    }
  free(bytes);
}

static inline void show_managed(dlcert_managed managed) {
  const DLTensor* view = view_of(managed);
  if (managed.form == DLCERT_VERSIONED)
    printf("  versioned %u.%u flags %#llx", (unsigned)versioned(managed)->version.major,
           (unsigned)versioned(managed)->version.minor,
           (unsigned long long)versioned(managed)->flags);
  else
    printf("  legacy");
  printf(" dtype (%u, %u, %u) device (%d, %d) ndim %d byte_offset %llu\n", view->dtype.code,
         view->dtype.bits, view->dtype.lanes, (int)view->device.device_type,
         (int)view->device.device_id, (int)view->ndim, (unsigned long long)view->byte_offset);
}

/* The device as text, "(type, index)". */
static inline const char* dlpack_device(const dlcert_adapter* lib, dlcert_tensor* tensor) {
  NEEDS(exchange, dlpack_device);
  dlcert_device device = {0, 0};
  made("dlpack_device", lib->exchange->dlpack_device(lib->self, tensor, &device, &error));
  return device_text((int)device.type, (int)device.id);
}

static inline dlcert_managed export_managed(const dlcert_adapter* lib, dlcert_tensor* tensor,
                                            dlcert_request request) {
  NEEDS(exchange, export_managed);
  dlcert_managed out = {0, 0, NULL};
  const dlcert_status status =
      lib->exchange->export_managed(lib->self, tensor, &request, &out, &error);
  if (made("export_managed", status) && out.pointer != NULL) show_managed(out);
  return out;
}

static inline dlcert_tensor* import_managed(const dlcert_adapter* lib, dlcert_managed managed) {
  NEEDS(exchange, import_managed);
  dlcert_tensor* out = NULL;
  made("import_managed", lib->exchange->import_managed(lib->self, managed, &out, &error));
  return out;
}

static inline dlcert_tensor* import_from(const dlcert_adapter* lib, const dlcert_producer* from,
                                         dlcert_import_request request) {
  NEEDS(exchange, import_from);
  dlcert_tensor* out = NULL;
  made("import_from", lib->exchange->import_from(lib->self, from, &request, &out, &error));
  return out;
}

static inline void call_deleter(dlcert_managed managed) {
  printf("call the deleter\n");
  if (managed.pointer == NULL) return;
  if (managed.form == DLCERT_VERSIONED) {
    if (versioned(managed)->deleter != NULL) versioned(managed)->deleter(managed.pointer);
  } else {
    if (legacy(managed)->deleter != NULL) legacy(managed)->deleter(managed.pointer);
  }
}

/* Of the first element, as an export without a copy tells it. */
static inline uintptr_t address_of(const dlcert_adapter* lib, dlcert_tensor* tensor) {
  const dlcert_managed managed = export_managed(lib, tensor, REQUEST(.max_version = PAIR(1, 3)));
  const uintptr_t address = first_element(managed);
  call_deleter(managed);
  return address;
}

/* ---- capsules ---- */

/* The destructor of a well-behaved producer: the tensor is given back unless it was consumed. */
static inline void release_unless_used(void* pointer, const char* name) {
  printf("  capsule destructor, name %s\n", name == NULL ? "NULL" : name);
  if (name == NULL) return;
  if (strcmp(name, "dltensor_versioned") == 0)
    call_deleter((dlcert_managed){DLCERT_VERSIONED, 0, pointer});
  if (strcmp(name, "dltensor") == 0) call_deleter((dlcert_managed){DLCERT_LEGACY, 0, pointer});
}

static inline dlcert_capsule* make_capsule(const dlcert_adapter* lib, void* pointer,
                                           const char* name, dlcert_capsule_destructor destructor) {
  NEEDS(capsule, make);
  dlcert_capsule* out = NULL;
  made("make_capsule", lib->capsule->make(lib->self, pointer, name, destructor, &out, &error));
  return out;
}

static inline const char* capsule_name(const dlcert_adapter* lib, dlcert_capsule* capsule) {
  NEEDS(capsule, name);
  return lib->capsule->name(lib->self, capsule);
}

static inline void* capsule_pointer(const dlcert_adapter* lib, dlcert_capsule* capsule,
                                    const char* name) {
  NEEDS(capsule, pointer);
  return lib->capsule->pointer(lib->self, capsule, name);
}

/* The struct that a capsule holds. */
static inline dlcert_managed managed_in(const dlcert_adapter* lib, dlcert_capsule* capsule) {
  const char* const name = capsule_name(lib, capsule);
  const int is_versioned = name != NULL && strcmp(name, "dltensor_versioned") == 0;
  if (!is_versioned && (name == NULL || strcmp(name, "dltensor") != 0))
    unexpected("a capsule of the name %s", name == NULL ? "NULL" : name);
  const dlcert_managed managed = {is_versioned ? DLCERT_VERSIONED : DLCERT_LEGACY, 0,
                                  capsule_pointer(lib, capsule, name)};
  show_managed(managed);
  return managed;
}

static inline void set_capsule_name(const dlcert_adapter* lib, dlcert_capsule* capsule,
                                    const char* name) {
  NEEDS(capsule, set_name);
  printf("set_capsule_name\n");
  lib->capsule->set_name(lib->self, capsule, name);
}

static inline void drop(const dlcert_adapter* lib, dlcert_capsule* capsule) {
  printf("drop\n");
  if (capsule != NULL) lib->capsule->drop(lib->self, capsule);
}

static inline dlcert_capsule* export_capsule(const dlcert_adapter* lib, dlcert_tensor* tensor,
                                             dlcert_request request) {
  NEEDS(capsule, export_capsule);
  dlcert_capsule* out = NULL;
  made("export_capsule", lib->capsule->export_capsule(lib->self, tensor, &request, &out, &error));
  return out;
}

static inline dlcert_tensor* import_capsule(const dlcert_adapter* lib, dlcert_capsule* capsule) {
  NEEDS(capsule, import_capsule);
  dlcert_tensor* out = NULL;
  made("import_capsule", lib->capsule->import_capsule(lib->self, capsule, &out, &error));
  return out;
}

static inline dlcert_capsule* to_dlpack(const dlcert_adapter* lib, dlcert_tensor* tensor) {
  NEEDS(capsule, to_dlpack);
  dlcert_capsule* out = NULL;
  made("to_dlpack", lib->capsule->to_dlpack(lib->self, tensor, &out, &error));
  return out;
}

static inline void unload(const dlcert_adapter* lib) {
  printf("unload\n");
  if (lib->close != NULL) lib->close(lib->self);
  dlclose(module);
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
#define OFFER(...) ((offer_spec){__VA_ARGS__})

static struct {
  void* pointer;
  _Atomic int deleted;
} offers[MAX_OFFERS];
static int offer_count;

static inline void note_deleter(void* pointer) {
  for (int i = 0; i < offer_count; ++i) {
    if (offers[i].pointer == pointer) {
      ++offers[i].deleted;
      printf("  the deleter of m%d is called\n", i + 1);
      return;
    }
  }
  printf("  a deleter is called with a foreign address\n");
}

/* How often the deleter was called. A library may call it a little later. */
static inline int deletions(dlcert_managed managed) {
  const struct timespec pause = {.tv_nsec = 1000000};
  for (int i = 0; i < offer_count; ++i) {
    if (offers[i].pointer != managed.pointer) continue;
    for (int waits = 0; waits < 500 && offers[i].deleted == 0; ++waits)
      nanosleep(&pause, NULL);
    return offers[i].deleted;
  }
  unexpected("a struct of the library has no account of its deleter");
}

static inline void delete_versioned(DLManagedTensorVersioned* head) {
  note_deleter(head);
}

static inline void delete_legacy(DLManagedTensor* head) {
  note_deleter(head);
}

enum { NO_ELEMENT = 0xdb }; /* a byte that is no part of a tensor */

/* Memory between two inaccessible pages. Its last byte lies before the second one, and bytes that
   are no elements lie before its first. */
static inline unsigned char* guarded(uint64_t size) {
  const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
  const uint64_t pages = (size + page - 1) / page * page;
  unsigned char* front =
      mmap(NULL, (size_t)(pages + 2 * page), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (front == MAP_FAILED) unexpected("not enough memory");
  unsigned char* start = front + page;
  mprotect(start, (size_t)pages, PROT_READ | PROT_WRITE);
  memset(start, NO_ELEMENT, (size_t)pages);
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
  if (start == MAP_FAILED) unexpected("not enough address space");
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
  if (producer_count == MAX_PRODUCERS) unexpected("more than %d objects", MAX_PRODUCERS);
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

/* ---- loading ---- */

static inline void* filled(size_t size) {
  unsigned char* block = malloc(size);
  for (size_t i = 0; block != NULL && i < size; ++i)
    ((volatile unsigned char*)block)[i] = NO_ELEMENT; /* an optimizer leaves memset() out */
  return block;
}

/* Fills the memory that malloc() hands out next. A library that reads behind its own tensor must
   not find zeros there, because they can be the right values. */
static inline void fill_free_memory(void) {
  enum { BLOCKS = 64, LARGEST = 1048, BEHIND = 100000 };
  /* Takes the free blocks that the loading of a library left, and keeps them. */
  for (size_t size = LARGEST; size >= 24; size -= 16)
    for (int i = 0; i < BLOCKS; ++i)
      (void)filled(size);
  free(filled(BEHIND)); /* it lies behind all others */
}

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
  fill_free_memory();
  return 1;
}

#endif
