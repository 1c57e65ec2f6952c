/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Devices, runtime and telemetry, as in torch.cuda: groups 6 to 8 of the adapter ABI (adapter.h),
 * for the role DLCERT_RUNTIME. The rules of adapter.h hold here.
 *
 * dlcert calls these functions in processes where it has called only open() of the library before.
 * It may have changed the C environment there (setenv). If the library's interpreter keeps a copy
 * of the environment, the adapter updates that copy before each call.
 *
 * A device argument is a dlcert_value. It is one of these:
 * - an int (an index),
 * - a text ("cuda:1"),
 * - a pair (DLPack device type, index; index -1: a device without index),
 * - a guard,
 * - None,
 * - absent: left out; the default is None.
 *
 * device_index defines the index that each of them stands for. Every other function treats its
 * device argument like device_index with `optional` 1, and refuses what that call refuses, unless
 * its comment says otherwise.
 *
 * "As torch.cuda.NAME" at the end of a comment names the function of PyTorch 2.4 whose behaviour
 * the requirements describe. If such a name contains nvml, ROCm builds have a twin for AMD SMI. A
 * lower-case name with dots, such as devices.index-resolution, is a requirement: it defines what is
 * refused and with which kind of error. `dlcert explain ID` prints it.
 *
 * If PyTorch 2.4 initializes the runtime on demand in a function, the library does so too. A number
 * that is not a constant of this header makes the call DLCERT_NOT_FORMABLE.
 */
#ifndef DLCERT_ADAPTER_RUNTIME_H_
#define DLCERT_ADAPTER_RUNTIME_H_

#include <dlcert/adapter_values.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- devices ---- */

/* Receives texts from a function. The function calls add(context, ...) for each text, in order,
   before it returns. add() copies the text, which has `size` bytes and need not end with NUL. If
   the function then refuses, dlcert ignores the texts. */
typedef struct dlcert_text_list {
  void* context;
  void (*add)(void* context, const char* text, uint64_t size);
} dlcert_text_list;

/* Receives numbers in the same way. */
typedef struct dlcert_number_list {
  void* context;
  void (*add)(void* context, int64_t number);
} dlcert_number_list;

/* `count` texts of the caller, valid during the call. */
typedef struct dlcert_texts {
  const char* const* texts;
  uint64_t count;
} dlcert_texts;

/* The properties of a device, as from torch.cuda.get_device_properties(). `name` is
   NUL-terminated. */
typedef struct dlcert_device_properties {
  uint32_t struct_size;
  int32_t major; /* of the compute capability */
  int32_t minor;
  int32_t reserved;
  uint64_t total_memory; /* bytes */
  char name[256];
} dlcert_device_properties;

/* Group 6: the devices of the machine. Each function is optional. */
typedef struct dlcert_devices_group {
  uint32_t struct_size;
  uint32_t reserved;
  /* Lists the visible devices that the environment names now, without looking at the machine:
     ordinals as decimal numbers, identifiers unchanged ("GPU-8932f937"). As
     torch.cuda._parse_visible_devices. */
  dlcert_status (*visible_devices)(void* self, const dlcert_text_list* out, dlcert_error* error);
  /* Gives the number of devices that the management library reports; negative: it cannot report
     one. As torch.cuda._raw_device_count_nvml. */
  dlcert_status (*raw_device_count)(void* self, int64_t* out, dlcert_error* error);
  /* Lists the UUIDs of all devices that the management library reports, in its order, and
     sets *known to 1. If there is no such list, sets *known to 0. As
     torch.cuda._raw_device_uuid_nvml. */
  dlcert_status (*raw_device_uuids)(void* self, const dlcert_text_list* out, int32_t* known,
                                    dlcert_error* error);
  /* Lists the ordinals of `identifiers` among `uuids`, the UUIDs of all devices. Stops at the first
     identifier that matches no UUID or several (devices.uuid.transform). As
     torch.cuda._transform_uuid_to_ordinals. */
  dlcert_status (*uuids_to_ordinals)(void* self, dlcert_texts identifiers, dlcert_texts uuids,
                                     const dlcert_number_list* out, dlcert_error* error);
  /* Gives the number of visible devices by the management library; negative: ask the runtime
     instead. As torch.cuda._device_count_nvml. */
  dlcert_status (*management_device_count)(void* self, int64_t* out, dlcert_error* error);
  /* Gives the number of visible devices. As torch.cuda.device_count. */
  dlcert_status (*device_count)(void* self, int64_t* out, dlcert_error* error);
  /* Gives 1 if the library can use a GPU, else 0. As torch.cuda.is_available. */
  dlcert_status (*is_available)(void* self, int32_t* out, dlcert_error* error);
  /* Gives the management library's index of a visible device (devices.nvml-index,
     devices.amdsmi-index). As torch.cuda._get_nvml_device_index. */
  dlcert_status (*management_index)(void* self, const dlcert_value* device, int64_t* out,
                                    dlcert_error* error);
  /* Gives the index that a device argument stands for (devices.index-resolution):
     - an int: that int, without a range check;
     - a guard, or a text or pair that names a GPU with index: that index;
     - None, or a GPU without index: the current device if `optional` is 1, refused if it is 0;
     - anything that names no GPU, and a text that names no device: refused.

     As torch.cuda._utils._get_device_index. */
  dlcert_status (*device_index)(void* self, const dlcert_value* device, int32_t optional,
                                int64_t* out, dlcert_error* error);
  /* Gives the name as one text: calls add() once. device_name, device_capability and
     device_properties refuse a device that does not exist (devices.properties-range). As
     torch.cuda.get_device_name. */
  dlcert_status (*device_name)(void* self, const dlcert_value* device, const dlcert_text_list* out,
                               dlcert_error* error);
  /* Gives the compute capability that device_properties reports. As
     torch.cuda.get_device_capability. */
  dlcert_status (*device_capability)(void* self, const dlcert_value* device, int32_t* major,
                                     int32_t* minor, dlcert_error* error);
  /* Gives the properties. The caller sets out->struct_size. As torch.cuda.get_device_properties. */
  dlcert_status (*device_properties)(void* self, const dlcert_value* device,
                                     dlcert_device_properties* out, dlcert_error* error);
  /* Gives 1 if `device` can read the memory of `peer`, else 0. Refuses a device that does not
     exist, and None as `peer` (devices.peer-access). As torch.cuda.can_device_access_peer. */
  dlcert_status (*can_access_peer)(void* self, const dlcert_value* device, const dlcert_value* peer,
                                   int32_t* out, dlcert_error* error);
} dlcert_devices_group;

/* ---- runtime ---- */

/* Parts that a library is built with: flags of dlcert_build. */
enum {
  DLCERT_BUILD_GPU = 1u << 0,              /* GPU support */
  DLCERT_BUILD_RUNTIME_BINDINGS = 1u << 1, /* bindings of the vendor's runtime (cudart) */
  DLCERT_BUILD_LINEAR_ALGEBRA = 1u << 2    /* MAGMA */
};

/* The state of the Python bindings of the management library (pynvml or amdsmi). */
enum {
  DLCERT_BINDINGS_PRESENT = 0,
  DLCERT_BINDINGS_MISSING = 1,
  DLCERT_BINDINGS_BROKEN = 2 /* importing them fails */
};

/* A build of the library that behave_as() imitates. */
typedef struct dlcert_build {
  uint32_t struct_size;
  uint32_t flags;              /* DLCERT_BUILD_* */
  int32_t management_bindings; /* DLCERT_BINDINGS_* */
  int32_t reserved;
  const char* architecture_flags; /* "sm_70 compute_80"; valid during the call */
} dlcert_build;

/* The kind of a queued call: a plain call, or one that seeds the random generator of one device or
   of all. Of each kind of seeding only the latest call counts (runtime.deferred.seeds). */
enum { DLCERT_CALL_PLAIN = 0, DLCERT_CALL_SEED = 1, DLCERT_CALL_SEED_ALL = 2 };

/* A function of dlcert that the library calls with the `context` that came with it, on any thread.
   The library provides `error` and sets its struct_size. The function returns DLCERT_OK, or fills
   `error` and returns DLCERT_REFUSED. It throws nothing. The functions that take a
   dlcert_queued_call define how often the library calls it and what becomes of its error. */
typedef dlcert_status (*dlcert_queued_call)(void* context, dlcert_error* error);

/* Numbers that torch.cuda publishes: cudaStatus, has_half, has_magma, default_generators. */
enum {
  DLCERT_CONSTANT_STATUS_SUCCESS = 0,     /* the status code that the library publishes */
  DLCERT_CONSTANT_STATUS_NOT_READY = 1,   /* likewise */
  DLCERT_CONSTANT_HAS_HALF = 2,           /* 1 or 0 */
  DLCERT_CONSTANT_HAS_LINEAR_ALGEBRA = 3, /* 1 or 0 */
  DLCERT_CONSTANT_DEFAULT_GENERATORS = 4  /* their present number */
};

/* A stream of the library, by value, as torch.cuda.Stream. The first three members identify it;
   functions that take a stream look at no other. If the library reports the same stream twice, all
   four members are equal. */
typedef struct dlcert_runtime_stream {
  int64_t id; /* the library's own number */
  int64_t device_index;
  int64_t device_type; /* the library's own number of its GPU device type */
  uint64_t handle;     /* the native stream; 0: the null stream */
} dlcert_runtime_stream;

/* A context manager of the library, as torch.cuda.device, device_of or stream. Opaque to dlcert. */
typedef struct dlcert_guard dlcert_guard;
/* An object of a class derived from the library's base class of GPU objects. Opaque to dlcert. */
typedef struct dlcert_gpu_object dlcert_gpu_object;

/* The source from which a storage is built. */
enum {
  DLCERT_STORAGE_FROM_BUFFER = 0,
  DLCERT_STORAGE_FROM_WEAK_POINTER = 1,
  DLCERT_STORAGE_FROM_SHARED_FILE = 2
};

/* Group 7: the GPU runtime of a library, its guards and streams, and the effects of its build. Each
   function is optional, with two exceptions. If a library has guards, it must have with_guard and
   drop_guard. If it has GPU objects, it must have drop_gpu_object. Otherwise dlcert could not
   return what it owns. The current device and stream are those of the calling thread. */
typedef struct dlcert_runtime_group {
  uint32_t struct_size;
  uint32_t reserved;
  /* Makes the library behave, until the process ends, as if it were built like `build`. dlcert
     calls it at most once in a process, before any other function but open(). Returns
     DLCERT_NOT_FORMABLE if the library cannot imitate the build; a refusal fails the case. Without
     this call the library behaves as it is built. */
  dlcert_status (*behave_as)(void* self, const dlcert_build* build, dlcert_error* error);

  /* Initializes the runtime, once (runtime.init.*), and then makes the queued calls. As
     torch.cuda.init. */
  dlcert_status (*initialize)(void* self, dlcert_error* error);
  /* Gives 1 if an initialization in this process has completed with all queued calls successful,
     else 0 (runtime.init.state-flag). As torch.cuda.is_initialized. */
  dlcert_status (*is_initialized)(void* self, int32_t* out, dlcert_error* error);
  /* Queues a call. `kind` is a DLCERT_CALL_*. dlcert owns `context`, which stays valid until the
     process ends.

     If the runtime is initialized, makes the call once before it returns, and refuses with the
     call's error, unchanged. Otherwise keeps the call and returns DLCERT_OK. The function that
     later initializes the runtime makes the call (runtime.deferred.queue-order). If the call then
     fails, that function refuses with DLCERT_ERROR_DEFERRED. Its message contains the call's
     message, and the stack that the library recorded when the call was queued: this names the
     function of the adapter from which the library was called, `queue`. The cause is the call's
     error. The runtime is not initialized, and the next attempt makes the call again. A seeding
     call is never made if a later call of its kind has replaced it. As torch.cuda._lazy_call. */
  dlcert_status (*queue)(void* self, int32_t kind, dlcert_queued_call call, void* context,
                         dlcert_error* error);
  /* Gives an object of the vendor's runtime, never NULL. The library keeps ownership. As
     torch.cuda.cudart. */
  dlcert_status (*runtime_bindings)(void* self, const void** out, dlcert_error* error);
  /* Refuses every code except the vendor's success code (runtime.check-error). As
     torch.cuda.check_error. */
  dlcert_status (*check_error)(void* self, int64_t code, dlcert_error* error);
  /* Gives the published number that `which`, a DLCERT_CONSTANT_*, names (runtime.status-constants,
     runtime.module-constants). */
  dlcert_status (*constant)(void* self, int32_t which, int64_t* out, dlcert_error* error);

  /* Gives the calling thread's current device, the same that group 4 reports. As
     torch.cuda.current_device. */
  dlcert_status (*current_device_index)(void* self, int64_t* out, dlcert_error* error);
  /* Makes a device current; a negative int changes nothing. Treats its device argument like
     device_index with `optional` 0 (runtime.set-device). As torch.cuda.set_device. */
  dlcert_status (*set_device)(void* self, const dlcert_value* device, dlcert_error* error);
  /* Makes a device current and gives the index of the previous one. A negative index changes
     nothing and gives -1; in a build without GPUs any other index is refused
     (runtime.exchange-device-nogpu). As torch.cuda._exchange_device. */
  dlcert_status (*exchange_device)(void* self, int64_t device, int64_t* previous,
                                   dlcert_error* error);
  /* Does the same, but creates no context on a device that has none yet. As
     torch.cuda._maybe_exchange_device. */
  dlcert_status (*maybe_exchange_device)(void* self, int64_t device, int64_t* previous,
                                         dlcert_error* error);
  /* Makes a guard that is not entered yet. While it is entered, `device` is current; None or a
     negative int changes nothing. The caller owns *out and drops it. As torch.cuda.device. */
  dlcert_status (*device_guard)(void* self, const dlcert_value* device, dlcert_guard** out,
                                dlcert_error* error);
  /* Makes the same guard for the device of an object. The library makes that object on `device` and
     may drop it before this function returns. `device` may also be the CPU: that guard changes
     nothing (runtime.device-guard-noop). As torch.cuda.device_of. */
  dlcert_status (*device_of_guard)(void* self, const dlcert_value* device, dlcert_guard** out,
                                   dlcert_error* error);
  /* Makes a guard for a stream, which is copied. While it is entered, the stream and its device are
     current. NULL means no stream: the guard changes nothing (runtime.stream-guard-noop). The
     caller owns *out and drops it. As torch.cuda.stream. */
  dlcert_status (*stream_guard)(void* self, const dlcert_runtime_stream* stream, dlcert_guard** out,
                                dlcert_error* error);
  /* Enters the guard, calls `body` once on this thread, and leaves the guard. Leaving makes current
     again what was current before this entry. An error of `body` is raised inside the guard, and
     comes back unchanged. The guard stays the caller's. It may be entered again, and other guards
     inside it. */
  dlcert_status (*with_guard)(void* self, dlcert_guard* guard, dlcert_queued_call body,
                              void* context, dlcert_error* error);
  /* Drops a guard that is not entered. Never fails. */
  void (*drop_guard)(void* self, dlcert_guard* guard);

  /* Makes a stream of the library on a device. The stream lives until the process ends. As
     torch.cuda.Stream. */
  dlcert_status (*new_stream)(void* self, const dlcert_value* device, dlcert_runtime_stream* out,
                              dlcert_error* error);
  /* Makes a stream that wraps the native stream `handle` of `device`. The native stream stays the
     caller's. 0 means the null stream (runtime.external-stream). As torch.cuda.ExternalStream. */
  dlcert_status (*external_stream)(void* self, uint64_t handle, const dlcert_value* device,
                                   dlcert_runtime_stream* out, dlcert_error* error);
  /* Gives the current stream of a device. This function and default_stream_of refuse a device that
     does not exist. As torch.cuda.current_stream. */
  dlcert_status (*current_stream_of)(void* self, const dlcert_value* device,
                                     dlcert_runtime_stream* out, dlcert_error* error);
  /* Gives the default stream of a device, which is its current stream at first. As
     torch.cuda.default_stream. */
  dlcert_status (*default_stream_of)(void* self, const dlcert_value* device,
                                     dlcert_runtime_stream* out, dlcert_error* error);
  /* Makes a stream and its device current. NULL means no stream and changes nothing
     (runtime.set-stream, runtime.stream-guard-noop). As torch.cuda.set_stream. */
  dlcert_status (*set_stream)(void* self, const dlcert_runtime_stream* stream, dlcert_error* error);
  /* Returns when all work on all streams of the device has completed, including streams that other
     code made. Leaves the current device unchanged. As torch.cuda.synchronize. */
  dlcert_status (*synchronize_device)(void* self, const dlcert_value* device, dlcert_error* error);
  /* Enqueues work of about `cycles` clock cycles on the current stream and does not wait for it. As
     torch.cuda._sleep. */
  dlcert_status (*sleep)(void* self, int64_t cycles, dlcert_error* error);
  /* Releases memory whose last user was another process. As torch.cuda.ipc_collect. */
  dlcert_status (*ipc_collect)(void* self, dlcert_error* error);
  /* Gives the current handle of the vendor's BLAS as a number, never 0. The library keeps
     ownership. As torch.cuda.current_blas_handle. */
  dlcert_status (*blas_handle)(void* self, uint64_t* out, dlcert_error* error);
  /* Sets the mode: an int from 0 to 2, or a text "default", "warn" or "error". Refuses anything
     else and then changes nothing (runtime.sync-debug-mode). As torch.cuda.set_sync_debug_mode. */
  dlcert_status (*set_sync_debug_mode)(void* self, const dlcert_value* mode, dlcert_error* error);
  /* Gives the mode as an int. As torch.cuda.get_sync_debug_mode. */
  dlcert_status (*sync_debug_mode)(void* self, int64_t* out, dlcert_error* error);

  /* Lists the architectures of the build; none without a GPU. As torch.cuda.get_arch_list. */
  dlcert_status (*architectures)(void* self, const dlcert_text_list* out, dlcert_error* error);
  /* Gives the compiler's flags for these architectures (runtime.arch.list-and-gencode) as one text,
     which may be empty: calls add() once. As torch.cuda.get_gencode_flags. */
  dlcert_status (*gencode_flags)(void* self, const dlcert_text_list* out, dlcert_error* error);
  /* Gives the number of an architecture: 90 for "sm_90a". As torch.cuda._extract_arch_version. */
  dlcert_status (*parse_architecture)(void* self, const char* text, int64_t* out,
                                      dlcert_error* error);
  /* Gives 1 if the current device supports bfloat16, else 0 (runtime.bf16-support). Emulation
     counts if `including_emulation` is 1, not if it is 0. As torch.cuda.is_bf16_supported. */
  dlcert_status (*supports_bfloat16)(void* self, int32_t including_emulation, int32_t* out,
                                     dlcert_error* error);
  /* Sets the offset of a device's random generator, a multiple of 4. Before initialization the
     library queues this; a device without index then means the device that is current when the
     queued call runs (runtime.rng-offset-set). As torch.cuda._set_rng_state_offset. */
  dlcert_status (*set_generator_offset)(void* self, int64_t offset, const dlcert_value* device,
                                        dlcert_error* error);
  /* Gives the offset that was set last. As torch.cuda._get_rng_state_offset. */
  dlcert_status (*generator_offset)(void* self, const dlcert_value* device, int64_t* out,
                                    dlcert_error* error);

  /* Lists the names of the registered legacy storage classes ("ByteStorage";
     runtime.storage.dtypes). */
  dlcert_status (*storage_classes)(void* self, const dlcert_text_list* out, dlcert_error* error);
  /* Gives the dtype of such a class. If `published` is 1, reads the attribute for users, which
     warns of its removal (dlcert_host.warn). If it is 0, reads the library's internal attribute,
     which does not warn. */
  dlcert_status (*storage_dtype)(void* self, const char* name, int32_t published, dlcert_dtype* out,
                                 dlcert_error* error);
  /* Builds a storage of such a class from `source`, a DLCERT_STORAGE_FROM_*, and drops it. Refuses
     as runtime.storage.unsupported demands. */
  dlcert_status (*build_storage)(void* self, const char* name, int32_t source, dlcert_error* error);
  /* Makes a small object on `device`, of a type that converts to FloatStorage and the other
     classes. The caller owns *out and drops it. As torch.cuda._CudaBase. */
  dlcert_status (*gpu_object)(void* self, const dlcert_value* device, dlcert_gpu_object** out,
                              dlcert_error* error);
  /* Gives the object's is_cuda and is_sparse, each as 1 or 0 (runtime.storage.lazy-and-device). */
  dlcert_status (*describe_gpu_object)(void* self, dlcert_gpu_object* object, int32_t* is_gpu,
                                       int32_t* is_sparse, dlcert_error* error);
  /* Converts the object to the class `type` ("DoubleStorage") on the object's own device, and drops
     the result. The object stays unchanged and the caller's. The current device stays unchanged. */
  dlcert_status (*convert_gpu_object)(void* self, dlcert_gpu_object* object, const char* type,
                                      dlcert_error* error);
  /* Drops the object. Never fails. */
  void (*drop_gpu_object)(void* self, dlcert_gpu_object* object);
  /* Lists the names of the kernels that initialization has registered until now
     (runtime.deferred.builtin-calls). As the operators of torch._TritonLibrary.ops_table. */
  dlcert_status (*registered_kernels)(void* self, const dlcert_text_list* out, dlcert_error* error);
} dlcert_runtime_group;

/* ---- telemetry ---- */

/* The units of a measurement. */
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

/* One sample, in the unit that the library states. DLCERT_UNIT_NOT_TOLD: the library states
   none. */
typedef struct dlcert_measurement {
  int64_t value;
  int32_t unit; /* DLCERT_UNIT_* */
  int32_t reserved;
} dlcert_measurement;

/* Group 8: what the management library measures of a device. Each function is optional.

   Each function refuses if the bindings, the library, its driver or the device does not answer
   (telemetry.handler.*). Each leaves the current device and stream unchanged. The requirement of
   the same name, such as telemetry.memory-usage, defines the value and its unit. */
typedef struct dlcert_telemetry_group {
  uint32_t struct_size;
  uint32_t reserved;
  /* Gives the fraction of the last sample period in which memory was used. As
     torch.cuda.memory_usage. */
  dlcert_status (*memory_usage)(void* self, const dlcert_value* device, dlcert_measurement* out,
                                dlcert_error* error);
  /* Gives the fraction of the last sample period in which a kernel ran. As
     torch.cuda.utilization. */
  dlcert_status (*utilization)(void* self, const dlcert_value* device, dlcert_measurement* out,
                               dlcert_error* error);
  /* Gives the temperature of the GPU core, or on ROCm of the junction. As
     torch.cuda.temperature. */
  dlcert_status (*temperature)(void* self, const dlcert_value* device, dlcert_measurement* out,
                               dlcert_error* error);
  /* Gives the power, averaged over the sample period if the vendor does that. As
     torch.cuda.power_draw. */
  dlcert_status (*power_draw)(void* self, const dlcert_value* device, dlcert_measurement* out,
                              dlcert_error* error);
  /* Gives the clock rate of the multiprocessors, or on ROCm of the graphics clock. As
     torch.cuda.clock_rate. */
  dlcert_status (*clock_rate)(void* self, const dlcert_value* device, dlcert_measurement* out,
                              dlcert_error* error);
} dlcert_telemetry_group;

#ifdef __cplusplus
}
#endif

#endif /* DLCERT_ADAPTER_RUNTIME_H_ */
