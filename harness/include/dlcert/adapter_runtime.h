/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Devices, runtime and telemetry, as torch.cuda offers them: groups 6 to 8 of the adapter ABI
 * (adapter.h), those of the role DLCERT_RUNTIME. dlcert calls them in processes in which nothing of
 * the library but open() was called before, and in which the C environment (setenv) was changed:
 * an adapter of an interpreter that keeps a copy of it reads it again before each call.
 *
 * A device argument is a dlcert_value: an int (an index), a text ("cuda:1"), a pair (DLPack device
 * type, index; -1: a device without index), a guard, None, or absent: left out, for None by
 * default. device_index says which index each stands for; every other function that takes a device
 * takes it as device_index with `optional` 1 does, unless stated otherwise, and refuses what that
 * refuses.
 *
 * The name at the end of a comment is that of the function in PyTorch 2.4 whose behaviour the
 * requirements describe; where it says nvml, ROCm builds have a twin for AMD SMI. A name with dots
 * and no capital, such as devices.index-resolution, is the requirement that says what is refused,
 * and as which kind of error: `dlcert explain ID`. What PyTorch 2.4 initializes on demand, a
 * library does as well. The rules of adapter.h hold here. A number that stands for no constant of
 * this header is DLCERT_NOT_FORMABLE.
 */
#ifndef DLCERT_ADAPTER_RUNTIME_H_
#define DLCERT_ADAPTER_RUNTIME_H_

#include <dlcert/adapter_values.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- devices ---- */

/* Where a function lists texts: it calls add(context, ...) for each, in order, during its call. The
   text is copied and has `size` bytes; no NUL is needed. What is listed before a refusal is
   forgotten. */
typedef struct dlcert_text_list {
  void* context;
  void (*add)(void* context, const char* text, uint64_t size);
} dlcert_text_list;

/* The same for numbers. */
typedef struct dlcert_number_list {
  void* context;
  void (*add)(void* context, int64_t number);
} dlcert_number_list;

/* `count` texts of the caller, valid during the call. */
typedef struct dlcert_texts {
  const char* const* texts;
  uint64_t count;
} dlcert_texts;

/* What torch.cuda.get_device_properties() gives. The name is NUL-terminated. */
typedef struct dlcert_device_properties {
  uint32_t struct_size;
  int32_t major; /* of the compute capability */
  int32_t minor;
  int32_t reserved;
  uint64_t total_memory; /* bytes */
  char name[256];
} dlcert_device_properties;

/* Group 6: which devices there are. Each function is optional. */
typedef struct dlcert_devices_group {
  uint32_t struct_size;
  uint32_t reserved;
  /* The list of visible devices as the environment gives it now, before anything is known of the
     machine: ordinals as decimals, identifiers as they are ("GPU-8932f937").
     torch.cuda._parse_visible_devices */
  dlcert_status (*visible_devices)(void* self, const dlcert_text_list* out, dlcert_error* error);
  /* The number of devices that the management library reports; negative: it cannot be asked.
     torch.cuda._raw_device_count_nvml */
  dlcert_status (*raw_device_count)(void* self, int64_t* out, dlcert_error* error);
  /* The UUIDs of all devices that the management library reports, in its order, and *known 1; where
     there is no list, *known 0. torch.cuda._raw_device_uuid_nvml */
  dlcert_status (*raw_device_uuids)(void* self, const dlcert_text_list* out, int32_t* known,
                                    dlcert_error* error);
  /* The ordinals that identifiers stand for among the UUIDs of all devices, up to the first that
     stands for none or several (devices.uuid.transform). torch.cuda._transform_uuid_to_ordinals */
  dlcert_status (*uuids_to_ordinals)(void* self, dlcert_texts identifiers, dlcert_texts uuids,
                                     const dlcert_number_list* out, dlcert_error* error);
  /* The number of visible devices by the management library; negative: ask the runtime.
     torch.cuda._device_count_nvml */
  dlcert_status (*management_device_count)(void* self, int64_t* out, dlcert_error* error);
  /* The number of visible devices. torch.cuda.device_count */
  dlcert_status (*device_count)(void* self, int64_t* out, dlcert_error* error);
  /* 1 when the library can use a GPU, else 0. torch.cuda.is_available */
  dlcert_status (*is_available)(void* self, int32_t* out, dlcert_error* error);
  /* The index that the management library gives a visible device (devices.nvml-index,
     devices.amdsmi-index). torch.cuda._get_nvml_device_index */
  dlcert_status (*management_index)(void* self, const dlcert_value* device, int64_t* out,
                                    dlcert_error* error);
  /* The index that a device argument stands for: that of an int, as it is and without a look at the
     range, of a guard, or of a GPU that a text or pair names. None, and a GPU without index, stand
     for the current device where `optional` is 1; where it is 0 they are refused. So is, in either
     case, what names no GPU, and a text that names no device (devices.index-resolution).
     torch.cuda._utils._get_device_index */
  dlcert_status (*device_index)(void* self, const dlcert_value* device, int32_t optional,
                                int64_t* out, dlcert_error* error);
  /* The name, as one text: one call of add(). This and the next two refuse a device that is not
     there (devices.properties-range). torch.cuda.get_device_name */
  dlcert_status (*device_name)(void* self, const dlcert_value* device, const dlcert_text_list* out,
                               dlcert_error* error);
  /* The compute capability, as in the properties. torch.cuda.get_device_capability */
  dlcert_status (*device_capability)(void* self, const dlcert_value* device, int32_t* major,
                                     int32_t* minor, dlcert_error* error);
  /* out->struct_size is set by the caller. torch.cuda.get_device_properties */
  dlcert_status (*device_properties)(void* self, const dlcert_value* device,
                                     dlcert_device_properties* out, dlcert_error* error);
  /* 1 when `device` can read the memory of `peer`, else 0. Both must be there, and `peer` may not
     be None (devices.peer-access). torch.cuda.can_device_access_peer */
  dlcert_status (*can_access_peer)(void* self, const dlcert_value* device, const dlcert_value* peer,
                                   int32_t* out, dlcert_error* error);
} dlcert_devices_group;

/* ---- runtime ---- */

/* With what a library counts as compiled: flags of dlcert_build. */
enum {
  DLCERT_BUILD_GPU = 1u << 0,              /* GPU support */
  DLCERT_BUILD_RUNTIME_BINDINGS = 1u << 1, /* bindings of the vendor's runtime (cudart) */
  DLCERT_BUILD_LINEAR_ALGEBRA = 1u << 2    /* MAGMA */
};

/* The state of the bindings of the management library, pynvml or amdsmi. */
enum {
  DLCERT_BINDINGS_PRESENT = 0,
  DLCERT_BINDINGS_MISSING = 1,
  DLCERT_BINDINGS_BROKEN = 2 /* importing them fails */
};

/* How a library counts as built. */
typedef struct dlcert_build {
  uint32_t struct_size;
  uint32_t flags;              /* DLCERT_BUILD_* */
  int32_t management_bindings; /* DLCERT_BINDINGS_* */
  int32_t reserved;
  const char* architecture_flags; /* "sm_70 compute_80"; valid during the call */
} dlcert_build;

/* Which call is queued: a plain one, or one that seeds the generator of one device or of all. Of
   each kind of seeding only the latest counts (runtime.deferred.seeds). */
enum { DLCERT_CALL_PLAIN = 0, DLCERT_CALL_SEED = 1, DLCERT_CALL_SEED_ALL = 2 };

/* A call of dlcert that the library makes with the `context` that came with it, on any thread. The
   library provides `error`, with struct_size set. The call returns DLCERT_OK, or DLCERT_REFUSED
   with `error` filled; it throws nothing. How often it is made, and what its error becomes, is said
   where it is passed. */
typedef dlcert_status (*dlcert_queued_call)(void* context, dlcert_error* error);

/* Numbers that torch.cuda publishes: cudaStatus, has_half, has_magma, default_generators. */
enum {
  DLCERT_CONSTANT_STATUS_SUCCESS = 0,     /* the status code, as published */
  DLCERT_CONSTANT_STATUS_NOT_READY = 1,   /* the same */
  DLCERT_CONSTANT_HAS_HALF = 2,           /* 1 or 0 */
  DLCERT_CONSTANT_HAS_LINEAR_ALGEBRA = 3, /* 1 or 0 */
  DLCERT_CONSTANT_DEFAULT_GENERATORS = 4  /* how many there are now */
};

/* A stream of the library, by value: torch.cuda.Stream. The first three members name it; a function
   that takes one looks at no other. Where the same stream is told twice, all four are equal. */
typedef struct dlcert_runtime_stream {
  int64_t id; /* the library's own */
  int64_t device_index;
  int64_t device_type; /* the library's own number of its GPU type */
  uint64_t handle;     /* the native stream; 0: the null stream */
} dlcert_runtime_stream;

/* A context manager of the library: torch.cuda.device, device_of or stream. Opaque to dlcert. */
typedef struct dlcert_guard dlcert_guard;
/* An object of a class that is built on the library's base of GPU objects. Opaque to dlcert. */
typedef struct dlcert_gpu_object dlcert_gpu_object;

/* What a storage is built from. */
enum {
  DLCERT_STORAGE_FROM_BUFFER = 0,
  DLCERT_STORAGE_FROM_WEAK_POINTER = 1,
  DLCERT_STORAGE_FROM_SHARED_FILE = 2
};

/* Group 7: the GPU runtime of a library, its guards, streams, and what follows from its build. Each
   function is optional; guards come with with_guard and drop_guard, objects with drop_gpu_object,
   without which dlcert cannot give back what it was given. Current devices and streams are those of
   the calling thread. */
typedef struct dlcert_runtime_group {
  uint32_t struct_size;
  uint32_t reserved;
  /* From now on, until the process ends, behaves as if built so. Called at most once in a process,
     before any other function but open(). DLCERT_NOT_FORMABLE where the library cannot pretend to
     be built so; a refusal fails the case. Never called: as the library is built. */
  dlcert_status (*behave_as)(void* self, const dlcert_build* build, dlcert_error* error);

  /* Starts the runtime, once (runtime.init.*), and then makes the queued calls. torch.cuda.init */
  dlcert_status (*initialize)(void* self, dlcert_error* error);
  /* 1 after an initialization of this process in which all queued calls succeeded, else 0
     (runtime.init.state-flag). torch.cuda.is_initialized */
  dlcert_status (*is_initialized)(void* self, int32_t* out, dlcert_error* error);
  /* Initialized: makes the call once before it returns, and refuses with the error of the call, as
     it is. Else: keeps the call and gives DLCERT_OK; initialize, or whatever initializes, makes it
     (runtime.deferred.queue-order), and refuses with DLCERT_ERROR_DEFERRED, whose message contains
     that of the call, if it fails. The library is then not initialized, and the next attempt makes
     the call again; never, if a later call of its kind of seeding took its place. `kind` is
     DLCERT_CALL_*. `context` is dlcert's and stays valid until the process ends.
     torch.cuda._lazy_call */
  dlcert_status (*queue)(void* self, int32_t kind, dlcert_queued_call call, void* context,
                         dlcert_error* error);
  /* Something of the vendor's runtime, which stays the library's; never NULL on success.
     torch.cuda.cudart */
  dlcert_status (*runtime_bindings)(void* self, const void** out, dlcert_error* error);
  /* Refuses every code but the vendor's success (runtime.check-error). torch.cuda.check_error */
  dlcert_status (*check_error)(void* self, int64_t code, dlcert_error* error);
  /* The published number that `which`, a DLCERT_CONSTANT_*, names (runtime.status-constants,
     runtime.module-constants). */
  dlcert_status (*constant)(void* self, int32_t which, int64_t* out, dlcert_error* error);

  /* The calling thread's current device, as the stream group tells it too.
     torch.cuda.current_device */
  dlcert_status (*current_device_index)(void* self, int64_t* out, dlcert_error* error);
  /* Makes a device current; a negative int changes nothing. Takes a device as device_index with
     `optional` 0 does (runtime.set-device). torch.cuda.set_device */
  dlcert_status (*set_device)(void* self, const dlcert_value* device, dlcert_error* error);
  /* Makes a device current and gives the index of the previous one; a negative index changes
     nothing and gives -1. Refuses any other in a build without GPUs
     (runtime.exchange-device-nogpu). torch.cuda._exchange_device */
  dlcert_status (*exchange_device)(void* self, int64_t device, int64_t* previous,
                                   dlcert_error* error);
  /* The same, for a device that need not have a context yet: none is created for it.
     torch.cuda._maybe_exchange_device */
  dlcert_status (*maybe_exchange_device)(void* self, int64_t device, int64_t* previous,
                                         dlcert_error* error);
  /* A guard that is not entered yet. Inside it `device` is current; with None or a negative int
     nothing changes. The caller owns *out and drops it. torch.cuda.device */
  dlcert_status (*device_guard)(void* self, const dlcert_value* device, dlcert_guard** out,
                                dlcert_error* error);
  /* The same, of the device of an object that the library makes on `device` and may drop before it
     returns. `device` may also be the CPU, whose guard changes nothing (runtime.device-guard-noop).
     torch.cuda.device_of */
  dlcert_status (*device_of_guard)(void* self, const dlcert_value* device, dlcert_guard** out,
                                   dlcert_error* error);
  /* The same, of a stream, which is copied: inside it the stream and its device are current.
     `stream` may be NULL, no stream: then nothing changes (runtime.stream-guard-noop).
     torch.cuda.stream */
  dlcert_status (*stream_guard)(void* self, const dlcert_runtime_stream* stream, dlcert_guard** out,
                                dlcert_error* error);
  /* Enters the guard, makes the call `body` once, on this thread, and leaves the guard, which makes
     current again what was so at this entry. What the body reports as an error is thrown through
     the guard and comes back as it was. The guard stays the caller's and may be entered again, and
     others inside it. */
  dlcert_status (*with_guard)(void* self, dlcert_guard* guard, dlcert_queued_call body,
                              void* context, dlcert_error* error);
  /* Gives the guard, which is not entered, up. Never fails. */
  void (*drop_guard)(void* self, dlcert_guard* guard);

  /* A stream of the library's on a device. It lives until the process ends. torch.cuda.Stream */
  dlcert_status (*new_stream)(void* self, const dlcert_value* device, dlcert_runtime_stream* out,
                              dlcert_error* error);
  /* A stream that keeps the handle of a native one of `device`, which stays the caller's; 0: the
     null stream (runtime.external-stream). torch.cuda.ExternalStream */
  dlcert_status (*external_stream)(void* self, uint64_t handle, const dlcert_value* device,
                                   dlcert_runtime_stream* out, dlcert_error* error);
  /* The current stream of a device; like the next, refuses a device that is not there.
     torch.cuda.current_stream */
  dlcert_status (*current_stream_of)(void* self, const dlcert_value* device,
                                     dlcert_runtime_stream* out, dlcert_error* error);
  /* The stream that is current at first, and stays the default. torch.cuda.default_stream */
  dlcert_status (*default_stream_of)(void* self, const dlcert_value* device,
                                     dlcert_runtime_stream* out, dlcert_error* error);
  /* Makes a stream current, and its device; NULL, no stream, changes nothing (runtime.set-stream,
     runtime.stream-guard-noop). torch.cuda.set_stream */
  dlcert_status (*set_stream)(void* self, const dlcert_runtime_stream* stream, dlcert_error* error);
  /* Returns when all work on all streams of the device, whoever made them, has run; leaves the
     current device as it was. torch.cuda.synchronize */
  dlcert_status (*synchronize_device)(void* self, const dlcert_value* device, dlcert_error* error);
  /* Gives the current stream work for about so many clock cycles, without waiting for it.
     torch.cuda._sleep */
  dlcert_status (*sleep)(void* self, int64_t cycles, dlcert_error* error);
  /* Frees memory whose last user was another process. torch.cuda.ipc_collect */
  dlcert_status (*ipc_collect)(void* self, dlcert_error* error);
  /* The current handle of the vendor's BLAS, as a number other than 0; it stays the library's.
     torch.cuda.current_blas_handle */
  dlcert_status (*blas_handle)(void* self, uint64_t* out, dlcert_error* error);
  /* An int, 0 to 2, or a text, "default", "warn" or "error"; refuses all others and then changes
     nothing (runtime.sync-debug-mode). torch.cuda.set_sync_debug_mode */
  dlcert_status (*set_sync_debug_mode)(void* self, const dlcert_value* mode, dlcert_error* error);
  /* As an int. torch.cuda.get_sync_debug_mode */
  dlcert_status (*sync_debug_mode)(void* self, int64_t* out, dlcert_error* error);

  /* The architectures of the build; none without a GPU. torch.cuda.get_arch_list */
  dlcert_status (*architectures)(void* self, const dlcert_text_list* out, dlcert_error* error);
  /* The compiler's flags for them (runtime.arch.list-and-gencode), as one text, which may be empty:
     one call of add(). torch.cuda.get_gencode_flags */
  dlcert_status (*gencode_flags)(void* self, const dlcert_text_list* out, dlcert_error* error);
  /* The number of an architecture: 90 of "sm_90a". torch.cuda._extract_arch_version */
  dlcert_status (*parse_architecture)(void* self, const char* text, int64_t* out,
                                      dlcert_error* error);
  /* Of the current device (runtime.bf16-support). `including_emulation` and *out are 1 or 0.
     torch.cuda.is_bf16_supported */
  dlcert_status (*supports_bfloat16)(void* self, int32_t including_emulation, int32_t* out,
                                     dlcert_error* error);
  /* Sets the offset of a device's generator, a multiple of 4; not initialized: queues that, and a
     device without index is the one current then (runtime.rng-offset-set).
     torch.cuda._set_rng_state_offset */
  dlcert_status (*set_generator_offset)(void* self, int64_t offset, const dlcert_value* device,
                                        dlcert_error* error);
  /* The offset that was set last. torch.cuda._get_rng_state_offset */
  dlcert_status (*generator_offset)(void* self, const dlcert_value* device, int64_t* out,
                                    dlcert_error* error);

  /* The legacy storage classes by name ("ByteStorage"), as they are registered
     (runtime.storage.dtypes). */
  dlcert_status (*storage_classes)(void* self, const dlcert_text_list* out, dlcert_error* error);
  /* The dtype of such a class. `published` 1: by the attribute that users read, which warns of its
     removal (dlcert_host.warn), 0: by the library's own, which does not. */
  dlcert_status (*storage_dtype)(void* self, const char* name, int32_t published, dlcert_dtype* out,
                                 dlcert_error* error);
  /* Builds a storage of such a class from `source`, a DLCERT_STORAGE_FROM_*, and gives it up again;
     or refuses, as runtime.storage.unsupported has it. */
  dlcert_status (*build_storage)(void* self, const char* name, int32_t source, dlcert_error* error);
  /* An object on `device`, small, and of a type that converts to FloatStorage and its like. The
     caller owns *out and drops it. torch.cuda._CudaBase */
  dlcert_status (*gpu_object)(void* self, const dlcert_value* device, dlcert_gpu_object** out,
                              dlcert_error* error);
  /* What the object says of itself, each 1 or 0: is_cuda and is_sparse
     (runtime.storage.lazy-and-device). */
  dlcert_status (*describe_gpu_object)(void* self, dlcert_gpu_object* object, int32_t* is_gpu,
                                       int32_t* is_sparse, dlcert_error* error);
  /* Converts it to a class of that name ("DoubleStorage"), on its own device, and gives the result
     up again. The object stays as it is and the caller's, the current device as it was. */
  dlcert_status (*convert_gpu_object)(void* self, dlcert_gpu_object* object, const char* type,
                                      dlcert_error* error);
  /* Gives the object up. Never fails. */
  void (*drop_gpu_object)(void* self, dlcert_gpu_object* object);
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

/* One sample, in the unit that the library says it has; DLCERT_UNIT_NOT_TOLD: it says none. */
typedef struct dlcert_measurement {
  int64_t value;
  int32_t unit; /* DLCERT_UNIT_* */
  int32_t reserved;
} dlcert_measurement;

/* Group 8: what the management library measures of a device. Each function is optional. Each
   refuses where the bindings, the library, its driver or the device does not answer
   (telemetry.handler.*), and changes neither the current device nor the stream. Which value and
   unit is due, says the requirement of its name: telemetry.memory-usage. */
typedef struct dlcert_telemetry_group {
  uint32_t struct_size;
  uint32_t reserved;
  /* The share of the last sample period in which memory was used. torch.cuda.memory_usage */
  dlcert_status (*memory_usage)(void* self, const dlcert_value* device, dlcert_measurement* out,
                                dlcert_error* error);
  /* The share of the last sample period in which a kernel ran. torch.cuda.utilization */
  dlcert_status (*utilization)(void* self, const dlcert_value* device, dlcert_measurement* out,
                               dlcert_error* error);
  /* The temperature of the GPU's core, or on ROCm of the junction. torch.cuda.temperature */
  dlcert_status (*temperature)(void* self, const dlcert_value* device, dlcert_measurement* out,
                               dlcert_error* error);
  /* The power, averaged over the sample period where the vendor does so. torch.cuda.power_draw */
  dlcert_status (*power_draw)(void* self, const dlcert_value* device, dlcert_measurement* out,
                              dlcert_error* error);
  /* The clock of the multiprocessors, or on ROCm of graphics. torch.cuda.clock_rate */
  dlcert_status (*clock_rate)(void* self, const dlcert_value* device, dlcert_measurement* out,
                              dlcert_error* error);
} dlcert_telemetry_group;

#ifdef __cplusplus
}
#endif

#endif /* DLCERT_ADAPTER_RUNTIME_H_ */
