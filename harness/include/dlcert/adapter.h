/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The adapter ABI: what a tensor library shows to dlcert so that it can be certified.
 *
 * An adapter is a module that exports one symbol, dlcert_adapter_get(). The table that it returns
 * points to groups of functions; a library implements the groups and functions that it has and
 * leaves the others NULL. C++ authors use adapter.hpp, which turns an ordinary class into this
 * table. Where to start: adapters.md in harness/docs, installed below share/doc/dlcert.
 *
 * This header and the three that it includes (the plain values; devices, runtime and telemetry;
 * Python) are C11 and C++, and include neither dlpack.h nor anything else of DLPack: the library
 * under test brings its own copy. Managed tensors cross as `void*` with a form.
 *
 * Rules that hold everywhere:
 * - `self` is that of the table. Pointers that a function gets are never NULL and valid during the
 *   call, unless stated otherwise.
 * - Every struct that crosses starts with `struct_size`, the sizeof that its author compiled; what
 *   lies beyond is absent. The exceptions are the plain values, which never grow: dlcert_dtype,
 *   dlcert_device, dlcert_value and dlcert_managed, and of adapter_runtime.h the lists,
 *   dlcert_texts, dlcert_runtime_stream and dlcert_measurement.
 * - A function that returns dlcert_status writes its outputs only on DLCERT_OK. On any other status
 *   it leaves them untouched, and keeps nothing of what it was given.
 * - `error` is never NULL. It is filled on DLCERT_REFUSED and ignored otherwise.
 * - An object that a call gives on DLCERT_OK is never NULL either.
 * - No exception, signal or longjmp crosses. Calls are serial but may come from any thread; they
 *   are concurrent only for adapters that declare DLCERT_THREAD_SAFE.
 * - Text is UTF-8, NUL-terminated and static unless stated otherwise.
 * - `reserved` members are 0.
 */
#ifndef DLCERT_ADAPTER_H_
#define DLCERT_ADAPTER_H_

#include <dlcert/adapter_python.h>
#include <dlcert/adapter_runtime.h>
#include <dlcert/adapter_values.h>
#include <stddef.h>
#include <stdint.h>

/* The major version changes when a member moves, the minor one when a struct or group grows. */
#define DLCERT_ABI_MAJOR 1u
#define DLCERT_ABI_MINOR 3u

#ifdef __cplusplus
extern "C" {
#endif

/* ---- tensors ---- */

/* A tensor of the library, made and released through the tensor group. Opaque to dlcert. */
typedef struct dlcert_tensor dlcert_tensor;

enum {
  /* A read-only tensor: write() refuses it, describe() and versioned exports say so. */
  DLCERT_SPEC_READ_ONLY = 1u << 0,
  /* Each sub-byte element lies in a byte of its own, its value in the low bits. */
  DLCERT_SPEC_SUBBYTE_PADDED = 1u << 1,
  /* Strides, offset and storage_size count bytes: a field of packed records. */
  DLCERT_SPEC_BYTE_STRIDES = 1u << 2
};

/* States of data that DLPack cannot describe, or that the library does not export. A spec in such a
   state has no meaningful dtype but in BYTE_SWAPPED, REQUIRES_GRADIENT, CONJUGATE, NEGATED, SPARSE
   and NOT_EXPORTED. Except in NOT_EXPORTED a meaningful dtype comes with values. Where the values do
   not matter the shape does not either, and create() may be given more or fewer bytes than they
   take. */
enum {
  DLCERT_STATE_PLAIN = 0,
  DLCERT_STATE_BYTE_SWAPPED = 1,
  DLCERT_STATE_RECORD = 2,         /* a structured element of 32 bytes */
  DLCERT_STATE_EXTENDED_FLOAT = 3, /* x87 80-bit floating point */
  DLCERT_STATE_BFLOAT_COMPLEX = 4,
  DLCERT_STATE_QUANTIZED = 5,
  DLCERT_STATE_REQUIRES_GRADIENT = 6,
  DLCERT_STATE_CONJUGATE = 7,
  DLCERT_STATE_NEGATED = 8,
  DLCERT_STATE_SPARSE = 9,
  DLCERT_STATE_STRING = 10,       /* text, or objects of the library's language */
  DLCERT_STATE_MISSING = 11,      /* numbers, of which some are missing (null) */
  DLCERT_STATE_RAGGED = 12,       /* rows of different lengths */
  DLCERT_STATE_NOT_EXPORTED = 13, /* of a dtype that the library has, and never exports */
  DLCERT_STATE_COUNT = 14
};

/* A tensor to be made: a strided view on a storage of its own.

   Logical element (i0, i1, ...) lies `offset + sum(ik * strides[k])` units after the start of a
   storage of `storage_size` units; a unit is one element, or one byte under
   DLCERT_SPEC_BYTE_STRIDES. dlcert only asks for views that lie inside their storage.

   A device is named as in DLPack. A CPU device of an index above 0 is another device of the host, by
   the library's own number, which describe() tells of its tensors too; descriptors have index 0. */
typedef struct dlcert_tensor_spec {
  uint32_t struct_size;
  uint32_t flags; /* DLCERT_SPEC_* */
  int32_t state;  /* DLCERT_STATE_* */
  int32_t ndim;
  dlcert_dtype dtype;
  dlcert_device device;
  int32_t reserved;
  const int64_t* shape;   /* ndim extents; NULL when ndim is 0 */
  const int64_t* strides; /* ndim strides, in units; NULL when ndim is 0, never otherwise */
  int64_t offset;         /* units */
  int64_t storage_size;   /* units */
} dlcert_tensor_spec;

enum { DLCERT_DESCRIPTION_READ_ONLY = 1u << 0 };

/* What the library says of one of its tensors. Everything it points to is the library's and valid
   until the tensor is released. */
typedef struct dlcert_description {
  uint32_t struct_size;
  uint32_t flags; /* DLCERT_DESCRIPTION_* */
  dlcert_dtype dtype;
  dlcert_device device;
  int32_t ndim;
  /* ndim extents; may be NULL when ndim is 0. */
  const int64_t* shape;
  /* ndim strides, in elements; NULL when the library does not tell. */
  const int64_t* strides;
  /* The address of logical element (0, ..., 0); NULL when the library does not tell or has none. */
  const void* data;
  /* The allocation that backs the tensor; NULL when the library does not tell. */
  const void* storage_begin;
  uint64_t storage_bytes;
} dlcert_description;

/* Group 1: tensors. A producer must have create, describe and release, a consumer describe,
   release, and read or an export by which what it imported comes back; the rest is optional. A
   library that is only a runtime needs none of it.

   "Logical bytes" are the elements in row-major order of their indices, each in ceil(bits * lanes /
   8) bytes of native byte order; a sub-byte element has a byte of its own, its value in the low
   bits, the rest zero. `bytes` may be NULL when `size` is 0. */
typedef struct dlcert_tensor_group {
  uint32_t struct_size;
  uint32_t reserved;
  /* Whether the library can make (producer) or take (consumer) such a tensor: 1 or 0. dlcert uses
     only claimed specs, and refusing a claimed one is a failure. NULL: every spec is claimed.
     Should be cheap: called several times in each case. A library that takes other tensors than it
     makes has can_import() beside it. */
  int32_t (*can)(void* self, const dlcert_tensor_spec* spec);
  /* Makes a tensor from `size` logical bytes, which the library copies. The caller owns *out and
     releases it. */
  dlcert_status (*create)(void* self, const dlcert_tensor_spec* spec, const void* bytes,
                          uint64_t size, dlcert_tensor** out, dlcert_error* error);
  /* Describes the tensor; out->struct_size is set by the caller. Always formable, as is read(). */
  dlcert_status (*describe)(void* self, dlcert_tensor* tensor, dlcert_description* out,
                            dlcert_error* error);
  /* Copies the logical bytes to `bytes`, the caller's memory on the host, wherever the tensor lies;
     `size` is exactly their number. */
  dlcert_status (*read)(void* self, dlcert_tensor* tensor, void* bytes, uint64_t size,
                        dlcert_error* error);
  /* Overwrites all elements with logical bytes, through the library's own indexing. Refuses for a
     read-only tensor. */
  dlcert_status (*write)(void* self, dlcert_tensor* tensor, const void* bytes, uint64_t size,
                         dlcert_error* error);
  /* Drops this handle; the memory lives as long as an alias or an export of it. Never fails. */
  void (*release)(void* self, dlcert_tensor* tensor);
  /* Another handle on the same memory (a view or a new reference). The caller owns *out and
     releases it. */
  dlcert_status (*alias)(void* self, dlcert_tensor* tensor, dlcert_tensor** out,
                         dlcert_error* error);
  /* How many storages and managed tensors of the library are alive, whoever holds them. Checks
     compare the number before and after what they do: an export raises it, its deleter lowers it,
     and whoever releases all finds what was there before; so a cache must not count. */
  int64_t (*live_allocations)(void* self);
  /* The library's next `successes` allocations of storages and managed tensors, on whatever thread,
     succeed; the one after fails, once, as if memory had run out: the call that needed it is
     refused as DLCERT_ERROR_MEMORY (protocol.export.other-errors) and leaves nothing behind. -1
     ends that. Checks ask for it before an export, import or call of the exchange table, and end it
     behind. */
  void (*fail_allocation)(void* self, int64_t successes);
  /* Whether the library can take such a tensor as a consumer: 1 or 0. Asked in the place of can()
     wherever the library imports, and nowhere else; the same holds for it. NULL: can() answers for
     both roles. */
  int32_t (*can_import)(void* self, const dlcert_tensor_spec* spec);
} dlcert_tensor_group;

/* ---- exchange ---- */

/* The arguments of __dlpack__ or its counterpart. Where the library's function lacks a parameter, a
   call that gives it a value other than None is DLCERT_NOT_FORMABLE. */
typedef struct dlcert_request {
  uint32_t struct_size;
  uint32_t reserved;
  dlcert_value stream;      /* int in DLPack's numbering */
  dlcert_value max_version; /* pair (major, minor) */
  dlcert_value dl_device;   /* pair (device type, device id) */
  dlcert_value copy;        /* bool */
} dlcert_request;

/* The arguments of from_dlpack beside its source; the same holds. */
typedef struct dlcert_import_request {
  uint32_t struct_size;
  uint32_t reserved;
  dlcert_value device; /* pair (device type, device id) */
  dlcert_value copy;   /* bool */
} dlcert_import_request;

/* A capsule of the library: a PyCapsule or a model of one. Opaque to dlcert. */
typedef struct dlcert_capsule dlcert_capsule;

/* What a producer's dlpack() returned: a capsule of the consumer's library (group 3) when `capsule`
   is not NULL, else `managed`. The receiver owns it. */
typedef struct dlcert_exported {
  uint32_t struct_size;
  uint32_t reserved;
  dlcert_managed managed;
  dlcert_capsule* capsule;
} dlcert_exported;

/* An object with __dlpack__ and __dlpack_device__ that the consumer imports from. It belongs to the
   caller of import_from and is valid during that call only; either function may be NULL, as an
   object may lack either method. Both may be called any number of times, on the thread of that
   call. Errors that they report must reach the caller of import_from unchanged, but for a TypeError
   of dlpack, which may mean that it does not know a newer argument: the library may ask again
   without. The caller of either sets the struct_size of the request, of *out and of *error. */
typedef struct dlcert_producer {
  uint32_t struct_size;
  uint32_t reserved;
  void* context;
  /* __dlpack_device__. */
  dlcert_status (*dlpack_device)(void* context, dlcert_device* out, dlcert_error* error);
  /* __dlpack__. The caller owns what *out holds. */
  dlcert_status (*dlpack)(void* context, const dlcert_request* request, dlcert_exported* out,
                          dlcert_error* error);
} dlcert_producer;

/* Group 2: the exchange of bare managed tensors, and from objects. A producer must have
   export_managed here or export_capsule of group 3, a consumer import_managed or import_from here
   or import_capsule of group 3; the rest is optional. */
typedef struct dlcert_exchange_group {
  uint32_t struct_size;
  uint32_t reserved;
  /* __dlpack_device__: the device of the tensor's data. */
  dlcert_status (*dlpack_device)(void* self, dlcert_tensor* tensor, dlcert_device* out,
                                 dlcert_error* error);
  /* __dlpack__ without the capsule around it. The caller owns out->pointer and releases it by its
     deleter, on any thread, be it after `tensor` was released or after close(); the deleter's code
     should stay loaded as long (link with -z nodelete). The tensor stays the caller's. */
  dlcert_status (*export_managed)(void* self, dlcert_tensor* tensor, const dlcert_request* request,
                                  dlcert_managed* out, dlcert_error* error);
  /* Takes a bare managed tensor. On DLCERT_OK the library owns it and *out is the caller's. On
     DLCERT_REFUSED the caller still owns it, unless the adapter declares
     DLCERT_FAILED_IMPORT_CONSUMES, or its major version is foreign, when the library must have
     called the deleter (dlpack.h). On DLCERT_NOT_FORMABLE it is untouched. */
  dlcert_status (*import_managed)(void* self, dlcert_managed managed, dlcert_tensor** out,
                                  dlcert_error* error);
  /* from_dlpack. Whatever producer->dlpack returned is released exactly once in total: by the
     library, at the latest when *out is released, or before this returns a refusal. *out is the
     caller's. */
  dlcert_status (*import_from)(void* self, const dlcert_producer* producer,
                               const dlcert_import_request* request, dlcert_tensor** out,
                               dlcert_error* error);
} dlcert_exchange_group;

/* ---- capsules ---- */

/* Called when a capsule made by make() dies, on the thread that dropped it, with its pointer and
   the name that it has at that moment, which may be NULL. */
typedef void (*dlcert_capsule_destructor)(void* pointer, const char* name);

/* Group 3: for libraries whose carrier is a PyCapsule or a model of it. The first five come
   together, and without them the others do not count; each of these is optional (see group 2). */
typedef struct dlcert_capsule_group {
  uint32_t struct_size;
  uint32_t reserved;
  /* A capsule around a foreign pointer. `name` may be NULL, and otherwise outlives the capsule;
     `destructor` may be NULL. The caller owns *out and drops it. */
  dlcert_status (*make)(void* self, void* pointer, const char* name,
                        dlcert_capsule_destructor destructor, dlcert_capsule** out,
                        dlcert_error* error);
  /* The present name, valid until it is changed or the capsule dropped; NULL for a nameless
     capsule. */
  const char* (*name)(void* self, dlcert_capsule* capsule);
  /* The pointer if the capsule's name equals `name`, else NULL: PyCapsule_GetPointer. */
  void* (*pointer)(void* self, dlcert_capsule* capsule, const char* name);
  /* PyCapsule_SetName. `name` outlives the capsule. */
  void (*set_name)(void* self, dlcert_capsule* capsule, const char* name);
  /* Gives up the caller's reference; the capsule's destructor runs when it was the last. */
  void (*drop)(void* self, dlcert_capsule* capsule);
  /* __dlpack__. The caller owns *out and drops it; the tensor stays the caller's. */
  dlcert_status (*export_capsule)(void* self, dlcert_tensor* tensor, const dlcert_request* request,
                                  dlcert_capsule** out, dlcert_error* error);
  /* from_dlpack of a bare capsule, which stays the caller's to drop. The caller owns *out and
     releases it. A refused capsule keeps its live name and its tensor, or gets its used name and
     the library has released the tensor (policy failed-import-ownership). */
  dlcert_status (*import_capsule)(void* self, dlcert_capsule* capsule, dlcert_tensor** out,
                                  dlcert_error* error);
  /* torch.utils.dlpack.to_dlpack or its counterpart: __dlpack__ without arguments. The tensor stays
     the caller's, who owns *out as well and drops it. */
  dlcert_status (*to_dlpack)(void* self, dlcert_tensor* tensor, dlcert_capsule** out,
                             dlcert_error* error);
} dlcert_capsule_group;

/* ---- streams ---- */

/* Group 4: for libraries that enqueue work on streams of a device. All or none.

   A stream crosses as its native handle: the numeric value of a cudaStream_t or hipStream_t, 0 for
   the legacy default stream. Handles belong to whoever made them.

   In a build with per-thread default streams (CUDA_API_PER_THREAD_DEFAULT_STREAM, nvcc
   --default-stream per-thread; HIP_API_PER_THREAD_DEFAULT_STREAM) a null handle is the per-thread
   stream. There an adapter gives 2 for it, and takes 0 for cudaStreamLegacy (1); where HIP has no
   name for that stream, it is left to code that is compiled without the option. */
typedef struct dlcert_stream_group {
  uint32_t struct_size;
  uint32_t reserved;
  /* Calls body(context) once, on the calling thread, while `stream` is the library's current stream
     of `device` there, and makes the former one current again. What body does never fails. */
  dlcert_status (*run_with_stream)(void* self, dlcert_device device, uint64_t stream,
                                   void (*body)(void* context), void* context, dlcert_error* error);
  /* The calling thread's current stream of `device`. */
  dlcert_status (*current_stream)(void* self, dlcert_device device, uint64_t* out,
                                  dlcert_error* error);
  /* Returns when all work of the library on `device` has run. */
  dlcert_status (*synchronize)(void* self, dlcert_device device, dlcert_error* error);
  /* The index of the calling thread's current device of a DLPack device type. */
  dlcert_status (*current_device)(void* self, int32_t device_type, int32_t* out,
                                  dlcert_error* error);
} dlcert_stream_group;

/* ---- the exchange table ---- */

/* Group 5: for libraries that publish a DLPackExchangeAPI. All or none. The table's functions take
   objects: a PyObject, or a model of one. */
typedef struct dlcert_exchange_api_group {
  uint32_t struct_size;
  uint32_t reserved;
  /* The const DLPackExchangeAPI* that the library publishes; lives until the process ends. */
  dlcert_status (*table)(void* self, const void** out, dlcert_error* error);
  /* The object of a tensor, which stays the caller's. The caller owns *out and drops it. */
  dlcert_status (*object_of)(void* self, dlcert_tensor* tensor, void** out, dlcert_error* error);
  /* A tensor over an object of the library, which stays the caller's. The caller owns *out and
     releases it. */
  dlcert_status (*tensor_of)(void* self, void* object, dlcert_tensor** out, dlcert_error* error);
  /* Gives up a reference to an object. Never fails. */
  void (*drop_object)(void* self, void* object);
  /* The error that the last failed function of the table left set on this thread, which is
     forgotten: DLCERT_REFUSED and `error` filled with it, or DLCERT_OK when none is set. */
  dlcert_status (*take_error)(void* self, dlcert_error* error);
} dlcert_exchange_api_group;

/* ---- the library's own dlpack.h ---- */

/* A fact that the header does not have. */
enum { DLCERT_FACT_UNKNOWN = INT32_MIN };
/* The lengths of the arrays below: one more than the highest code that dlcert knows. */
enum { DLCERT_DEVICE_CODES = 19, DLCERT_DTYPE_CODES = 18, DLCERT_FLAG_BITS = 3 };

/* Sizes, offsets and values as the library's dlpack.h has them; dlpack_facts.h fills it. A thing
   that the header lacks is DLCERT_FACT_UNKNOWN. Offsets are in bytes. */
typedef struct dlcert_dlpack_facts {
  uint32_t struct_size;
  int32_t major_version;  /* DLPACK_MAJOR_VERSION */
  int32_t minor_version;  /* DLPACK_MINOR_VERSION */
  int32_t legacy_version; /* DLPACK_VERSION of 0.x */
  int32_t pointer_bytes;
  int32_t device_type_bytes; /* sizeof(DLDeviceType) */
  int32_t version_bytes, version_major_offset, version_minor_offset;
  int32_t device_bytes, device_type_offset, device_id_offset;
  int32_t dtype_bytes, dtype_code_offset, dtype_bits_offset, dtype_lanes_offset;
  int32_t tensor_bytes, tensor_data_offset, tensor_device_offset, tensor_ndim_offset,
      tensor_dtype_offset, tensor_shape_offset, tensor_strides_offset, tensor_byte_offset_offset;
  int32_t legacy_bytes, legacy_tensor_offset, legacy_context_offset, legacy_deleter_offset;
  int32_t versioned_bytes, versioned_version_offset, versioned_context_offset,
      versioned_deleter_offset, versioned_flags_offset, versioned_tensor_offset;
  /* [value]: the value that the header gives to the enumerator which means that in dlpack.h 1.3. */
  int32_t device_codes[DLCERT_DEVICE_CODES];
  int32_t dtype_codes[DLCERT_DTYPE_CODES];
  /* The masks of read-only, is-copied, sub-byte-padded. */
  int32_t flag_masks[DLCERT_FLAG_BITS];
} dlcert_dlpack_facts;

/* ---- the table ---- */

/* The roles of a library. */
enum {
  DLCERT_PRODUCER = 1u << 0, /* exports tensors */
  DLCERT_CONSUMER = 1u << 1, /* imports tensors */
  DLCERT_RUNTIME = 1u << 2   /* enumerates devices and initializes a GPU runtime: groups 6 to 8 */
};

/* What a library declares of itself. */
enum {
  /* Error kinds are those that the library's users see; otherwise any refusal will do, whatever
     kind a requirement asks for. */
  DLCERT_FAITHFUL_ERRORS = 1u << 0,
  /* Any function may be called while another runs, on another thread. */
  DLCERT_THREAD_SAFE = 1u << 1,
  /* import_managed takes ownership even when it fails. */
  DLCERT_FAILED_IMPORT_CONSUMES = 1u << 2,
  /* The library has read-only tensors. */
  DLCERT_KNOWS_READ_ONLY = 1u << 3,
  /* The library hands descriptors on without interpreting device and dtype codes: it may accept
     codes that it does not know, if it describes them unchanged. */
  DLCERT_PASSES_CODES_THROUGH = 1u << 4,
  /* A process that has loaded the library ends by _exit(2): its exit handlers and static
     destructors are an interpreter's, and no rule of DLPack's. */
  DLCERT_ENDS_WITHOUT_EXIT = 1u << 5,
  /* The library is built for the devices of one vendor: what is asked on those of the other is not
     applicable. Neither: it takes those that are there. */
  DLCERT_CUDA_ALONE = 1u << 6,
  DLCERT_ROCM_ALONE = 1u << 7
};

/* What dlcert offers to the adapter, valid from open to close. */
typedef struct dlcert_host {
  uint32_t struct_size;
  uint32_t reserved;
  void* context;
  /* Reports a warning of the library: `category` such as "UserWarning". Both texts are copied and
     may be NULL. Checks may ask for a warning or for none; otherwise the first distinct ones are
     shown with the check's result. Any thread. */
  void (*warn)(void* context, const char* category, const char* message);
  /* The adapter itself is wrong, and not its library: what the present call gives is worth nothing.
     `message` is one line. The run ends with exit code 2; it need not return. Any thread. */
  void (*fault)(void* context, const char* message);
} dlcert_host;

/* The table: which library this is, and what it offers. The adapter's. dlcert looks up what is
   offered before open(), and reads `self` anew for each call: nothing but `self` may change once
   the table is returned, and that only in open(). */
typedef struct dlcert_adapter {
  uint32_t struct_size; /* reaches to `exchange` at least */
  uint32_t abi_major;   /* DLCERT_ABI_MAJOR, as compiled */
  uint32_t abi_minor;   /* DLCERT_ABI_MINOR, as compiled */
  uint32_t roles;       /* DLCERT_PRODUCER | ... */
  uint32_t properties;  /* DLCERT_FAITHFUL_ERRORS | ... */
  uint32_t reserved;
  const char* name;    /* never NULL nor empty */
  const char* version; /* the library's own, never NULL */
  const char* runtime; /* the runtime profile that it follows, such as "torch-2.4"; NULL: none */
  void* self;          /* passed to every function; may be NULL, for good or until open() sets it */
  const dlcert_tensor_group* tensor; /* this and the next: NULL of a runtime alone */
  const dlcert_exchange_group* exchange;
  const dlcert_capsule_group* capsule;  /* NULL: the library has no capsules */
  const dlcert_dlpack_facts* cxx_facts; /* its dlpack.h as C++ sees it; NULL: not told */
  const dlcert_dlpack_facts* c_facts;   /* as C sees it; NULL: not told */
  /* Called before any other function, and again behind close() where a check unloads the module and
     loads it anew. `host` is valid until close(). Unless it returns DLCERT_OK the adapter cannot be
     used, and close() is not called. Optional. */
  dlcert_status (*open)(void* self, const dlcert_host* host, dlcert_error* error);
  /* Called after every other function; another open() may follow. Exported tensors may outlive it.
     Never fails. A process that crashes or ends at once, such as one of a single case, does not
     call it. Optional. */
  void (*close)(void* self);
  const dlcert_stream_group* stream;             /* NULL: the library has no streams */
  const dlcert_exchange_api_group* exchange_api; /* NULL: the library publishes no table */
  const dlcert_devices_group* devices;           /* this and the next two: NULL: nothing of it */
  const dlcert_runtime_group* gpu_runtime;
  const dlcert_telemetry_group* telemetry;
  /* Where the library documents in which order it numbers the devices of imported arrays: a
     sentence or an address; empty: nowhere; NULL: not told. */
  const char* device_order;
  const dlcert_python_group* python; /* NULL: the library is in no Python interpreter */
  /* Called around each fork() of dlcert's, on the thread that forks: before it, and behind it in
     the parent (in_child 0) and in the child (1). A library in an interpreter brings that through a
     fork; where it has these, its threads are no reason not to fork. Both or none. */
  void (*before_fork)(void* self);
  void (*after_fork)(void* self, int32_t in_child);
  /* At this signal the library writes where each of its threads is to standard error, and goes on;
     dlcert sends it to what hangs before it ends that. 0: none. */
  int32_t stacks_signal;
} dlcert_adapter;

/* The one symbol of an adapter module. Returns the adapter's table, which it owns and which lives
   until the module is unloaded, or NULL when it does not support `abi_major`. Called once each time
   that the module is loaded. */
typedef const dlcert_adapter* (*dlcert_adapter_get_function)(uint32_t abi_major);
DLCERT_EXPORT const dlcert_adapter* dlcert_adapter_get(uint32_t abi_major);

/* The symbol of a module that serves many libraries, in the place of dlcert_adapter_get: the table
   of the one that `name` names, or NULL with `error` filled when there is no such. Called once each
   time that the module is loaded for that name. */
typedef const dlcert_adapter* (*dlcert_adapter_named_function)(uint32_t abi_major, const char* name,
                                                               dlcert_error* error);
DLCERT_EXPORT const dlcert_adapter* dlcert_adapter_named(uint32_t abi_major, const char* name,
                                                         dlcert_error* error);

#ifdef __cplusplus
}
#endif

#endif /* DLCERT_ADAPTER_H_ */
