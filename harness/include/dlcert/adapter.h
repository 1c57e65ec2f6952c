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

/* The version of this ABI. The major version increases when a member moves, the minor version when
   a struct or group grows. */
#define DLCERT_ABI_MAJOR 1u
#define DLCERT_ABI_MINOR 5u

#ifdef __cplusplus
extern "C" {
#endif

/* ---- tensors ---- */

/* A tensor of the library. The functions of group 1 make and release it. Opaque to dlcert. */
typedef struct dlcert_tensor dlcert_tensor;

enum {
  /* A read-only tensor: write() refuses it; describe() and versioned exports report it as
     read-only. */
  DLCERT_SPEC_READ_ONLY = 1u << 0,
  /* Each sub-byte element occupies its own byte, with its value in the low bits. */
  DLCERT_SPEC_SUBBYTE_PADDED = 1u << 1,
  /* Strides, offset and storage_size count bytes, as for one field of an array of packed
     records. */
  DLCERT_SPEC_BYTE_STRIDES = 1u << 2
};

/* The state of a tensor's data. The states other than PLAIN mark data that DLPack cannot describe,
   or that the library does not export.

   The dtype of the spec is meaningful only in PLAIN, BYTE_SWAPPED, REQUIRES_GRADIENT, CONJUGATE,
   NEGATED, SPARSE and NOT_EXPORTED. The values are meaningful in these states except NOT_EXPORTED.
   If the values are not meaningful, the library may ignore the shape too, and create() may get more
   or fewer bytes than the elements take. */
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
  DLCERT_STATE_MISSING = 11,      /* numbers, some of which are missing (null) */
  DLCERT_STATE_RAGGED = 12,       /* rows of different lengths */
  DLCERT_STATE_NOT_EXPORTED = 13, /* a dtype that the library has but never exports */
  DLCERT_STATE_COUNT = 14
};

/* Describes a tensor that the library shall make: a strided view of a storage of its own.

   Logical element (i0, i1, ...) lies `offset + sum(ik * strides[k])` units after the start of a
   storage of `storage_size` units. A unit is one element, or one byte under
   DLCERT_SPEC_BYTE_STRIDES. The view always lies inside its storage.

   `device` is numbered as in DLPack, with one exception: a CPU device with an index above 0 is a
   further device of the host, under the library's own number. describe() reports the same number
   for a tensor on such a device; DLPack descriptors of that tensor have index 0. */
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

/* What the library reports about one of its tensors. The library owns everything that the members
   point to, and keeps it valid until the tensor is released. */
typedef struct dlcert_description {
  uint32_t struct_size;
  uint32_t flags; /* DLCERT_DESCRIPTION_* */
  dlcert_dtype dtype;
  dlcert_device device;
  int32_t ndim;
  /* ndim extents; may be NULL if ndim is 0. */
  const int64_t* shape;
  /* ndim strides, in elements; NULL if the library does not report strides. */
  const int64_t* strides;
  /* The address of logical element (0, ..., 0); NULL if the library does not report it, or if there
     is no such element. */
  const void* data;
  /* The start and size of the allocation that holds the elements; NULL if the library does not
     report it. */
  const void* storage_begin;
  uint64_t storage_bytes;
} dlcert_description;

/* Group 1: tensors.

   A producer must have create, describe and release. A consumer must have describe, release, and
   read or an export function, so that dlcert can look at imported values. The other functions are
   optional. A library that is only a runtime needs none of this group.

   "Logical bytes" are the elements in row-major order of their indices. Each element has
   ceil(bits * lanes / 8) bytes in native byte order. A sub-byte element has its own byte: the value
   is in the low bits, the other bits are zero. A pointer to logical bytes may be NULL if their
   `size` is 0. */
typedef struct dlcert_tensor_group {
  uint32_t struct_size;
  uint32_t reserved;
  /* Returns 1 if the library can make such a tensor (producer) or take it (consumer), else 0.

     dlcert only uses specs for which the answer is 1: the library claims them. It is a failure if
     the library later refuses a claimed spec, or no longer claims a CPU tensor that it has claimed.
     NULL: the library claims every spec. dlcert calls this function several times in each case, so
     make it fast. If the library takes other tensors than it makes, also provide can_import(). */
  int32_t (*can)(void* self, const dlcert_tensor_spec* spec);
  /* Makes a tensor with the given `size` logical bytes. The library copies `bytes`. The caller
     owns *out and releases it. */
  dlcert_status (*create)(void* self, const dlcert_tensor_spec* spec, const void* bytes,
                          uint64_t size, dlcert_tensor** out, dlcert_error* error);
  /* Describes the tensor. The caller sets out->struct_size. describe() and read() must not return
     DLCERT_NOT_FORMABLE. */
  dlcert_status (*describe)(void* self, dlcert_tensor* tensor, dlcert_description* out,
                            dlcert_error* error);
  /* Copies the logical bytes of the tensor to `bytes`, which is the caller's host memory, also if
     the tensor lies on another device. `size` is the exact number of logical bytes. */
  dlcert_status (*read)(void* self, dlcert_tensor* tensor, void* bytes, uint64_t size,
                        dlcert_error* error);
  /* Overwrites all elements with logical bytes, by the library's own indexing. Refuses a read-only
     tensor. */
  dlcert_status (*write)(void* self, dlcert_tensor* tensor, const void* bytes, uint64_t size,
                         dlcert_error* error);
  /* Releases this handle. The memory stays alive as long as an alias or an export of it. Never
     fails. */
  void (*release)(void* self, dlcert_tensor* tensor);
  /* Makes another handle for the same memory (a view or a new reference). The caller owns *out and
     releases it. */
  dlcert_status (*alias)(void* self, dlcert_tensor* tensor, dlcert_tensor** out,
                         dlcert_error* error);
  /* Returns the number of storages and managed tensors of the library that are alive, including
     those that other code holds. Checks compare the number before and after an operation: an export
     increases it, the deleter of the export decreases it. When everything is released, the number
     must be as before. Therefore do not count memory that the library only caches. */
  int64_t (*live_allocations)(void* self);
  /* Makes one later allocation fail as if memory had run out. The library's next `successes`
     allocations of storages and managed tensors succeed, on any thread. The one after them fails,
     once. The call that needed it returns DLCERT_REFUSED with DLCERT_ERROR_MEMORY and leaves
     nothing behind (requirement protocol.export.other-errors). -1 switches this off. Checks switch
     it on before an export, an import or a call of the exchange table, and switch it off
     afterwards. */
  void (*fail_allocation)(void* self, int64_t successes);
  /* Returns 1 if the library can take such a tensor as a consumer, else 0. dlcert calls this
     function instead of can() for imports only. All that is said about can() holds here too. NULL:
     can() answers for both roles. */
  int32_t (*can_import)(void* self, const dlcert_tensor_spec* spec);
} dlcert_tensor_group;

/* ---- exchange ---- */

/* The arguments of __dlpack__ or the library's counterpart. If the library's function does not have
   a parameter, a call with a value other than None for that parameter is DLCERT_NOT_FORMABLE. */
typedef struct dlcert_request {
  uint32_t struct_size;
  uint32_t reserved;
  dlcert_value stream;      /* an int, numbered as in DLPack */
  dlcert_value max_version; /* a pair (major, minor) */
  dlcert_value dl_device;   /* a pair (device type, device id) */
  dlcert_value copy;        /* a bool */
} dlcert_request;

/* The arguments of from_dlpack, except its source. The rule for missing parameters is the same. */
typedef struct dlcert_import_request {
  uint32_t struct_size;
  uint32_t reserved;
  dlcert_value device; /* a pair (device type, device id) */
  dlcert_value copy;   /* a bool */
} dlcert_import_request;

/* A capsule of the library: a PyCapsule, or the library's model of one. Opaque to dlcert. */
typedef struct dlcert_capsule dlcert_capsule;

/* The result of a producer's dlpack(). If `capsule` is not NULL, the result is that capsule, which
   is one of the consumer's library (group 3). Otherwise the result is `managed`. The receiver owns
   it. */
typedef struct dlcert_exported {
  uint32_t struct_size;
  uint32_t reserved;
  dlcert_managed managed;
  dlcert_capsule* capsule;
} dlcert_exported;

/* An object with __dlpack__ and __dlpack_device__, from which the consumer imports.

   The caller of import_from owns it, and it is valid during that call only. Either function may be
   NULL, because an object may lack either method. The library may call both any number of times, on
   the thread of that call. The library sets the struct_size of the request, of *out and of *error.

   An error that one of these functions reports must reach the caller of import_from unchanged.
   There is one exception: a TypeError of dlpack may mean that the object does not know a newer
   argument. The library may then call dlpack again without that argument. */
typedef struct dlcert_producer {
  uint32_t struct_size;
  uint32_t reserved;
  void* context;
  /* Calls __dlpack_device__. */
  dlcert_status (*dlpack_device)(void* context, dlcert_device* out, dlcert_error* error);
  /* Calls __dlpack__. The caller owns what *out holds. */
  dlcert_status (*dlpack)(void* context, const dlcert_request* request, dlcert_exported* out,
                          dlcert_error* error);
} dlcert_producer;

/* Group 2: exchange of bare managed tensors, and imports from objects. A producer must have
   export_managed here, or export_capsule or to_dlpack of group 3. A consumer must have
   import_managed or import_from here, or import_capsule of group 3. The other functions are
   optional. */
typedef struct dlcert_exchange_group {
  uint32_t struct_size;
  uint32_t reserved;
  /* Calls __dlpack_device__: *out is the device of the tensor's data. Must not return
     DLCERT_NOT_FORMABLE. */
  dlcert_status (*dlpack_device)(void* self, dlcert_tensor* tensor, dlcert_device* out,
                                 dlcert_error* error);
  /* Calls __dlpack__, without the capsule around the result. The tensor stays the caller's.

     The caller owns out->pointer and releases it by its deleter, on any thread. That may be after
     `tensor` was released or after close(). Keep the deleter's code loaded that long: link with
     -z nodelete. */
  dlcert_status (*export_managed)(void* self, dlcert_tensor* tensor, const dlcert_request* request,
                                  dlcert_managed* out, dlcert_error* error);
  /* Imports a bare managed tensor. The status decides who owns it afterwards:
     - DLCERT_OK: the library owns it. The caller owns *out and releases it.
     - DLCERT_REFUSED: the caller still owns it, with two exceptions. If the adapter declares
       DLCERT_FAILED_IMPORT_CONSUMES, or if the tensor has a foreign major version, the library must
       have called the deleter. dlpack.h demands the latter.
     - DLCERT_NOT_FORMABLE: the library has not touched it. */
  dlcert_status (*import_managed)(void* self, dlcert_managed managed, dlcert_tensor** out,
                                  dlcert_error* error);
  /* Calls from_dlpack. The library gets ownership of each result of producer->dlpack, and releases
     it exactly once: before a refusal returns, or at the latest when *out is released. The caller
     owns *out and releases it. */
  dlcert_status (*import_from)(void* self, const dlcert_producer* producer,
                               const dlcert_import_request* request, dlcert_tensor** out,
                               dlcert_error* error);
} dlcert_exchange_group;

/* ---- capsules ---- */

/* The destructor of a capsule that make() made. It is called when the capsule dies, on the thread
   that dropped it, with the capsule's pointer and its name at that moment, which may be NULL. */
typedef void (*dlcert_capsule_destructor)(void* pointer, const char* name);

/* Group 3: for libraries that exchange tensors in PyCapsules or a model of them. If one of the
   first five functions is missing, dlcert ignores the whole group. The others are optional (see
   group 2). */
typedef struct dlcert_capsule_group {
  uint32_t struct_size;
  uint32_t reserved;
  /* Makes a capsule around a foreign pointer. `name` may be NULL; otherwise it outlives the
     capsule. `destructor` may be NULL. The caller owns *out and drops it. */
  dlcert_status (*make)(void* self, void* pointer, const char* name,
                        dlcert_capsule_destructor destructor, dlcert_capsule** out,
                        dlcert_error* error);
  /* Returns the present name, or NULL if the capsule is nameless. The name is valid until it is
     changed or the capsule is dropped. */
  const char* (*name)(void* self, dlcert_capsule* capsule);
  /* Returns the pointer if the capsule's name equals `name`, else NULL (PyCapsule_GetPointer). */
  void* (*pointer)(void* self, dlcert_capsule* capsule, const char* name);
  /* Changes the name (PyCapsule_SetName). `name` outlives the capsule. */
  void (*set_name)(void* self, dlcert_capsule* capsule, const char* name);
  /* Drops the caller's reference. If it was the last one, the capsule's destructor runs. */
  void (*drop)(void* self, dlcert_capsule* capsule);
  /* Calls __dlpack__. The caller owns *out and drops it. The tensor stays the caller's. */
  dlcert_status (*export_capsule)(void* self, dlcert_tensor* tensor, const dlcert_request* request,
                                  dlcert_capsule** out, dlcert_error* error);
  /* Calls from_dlpack with a bare capsule. The caller still owns the capsule and drops it. The
     caller also owns *out and releases it. If the library refuses, one of two states is allowed
     (policy failed-import-ownership): the capsule keeps its live name and its tensor, or the
     capsule has its used name and the library has released the tensor. */
  dlcert_status (*import_capsule)(void* self, dlcert_capsule* capsule, dlcert_tensor** out,
                                  dlcert_error* error);
  /* Calls torch.utils.dlpack.to_dlpack or its counterpart: an export without arguments. The caller
     owns *out and drops it. The tensor stays the caller's. */
  dlcert_status (*to_dlpack)(void* self, dlcert_tensor* tensor, dlcert_capsule** out,
                             dlcert_error* error);
} dlcert_capsule_group;

/* ---- streams ---- */

/* Group 4: for libraries that enqueue work on streams of a device. Provide all functions or none.

   Streams are passed as native handles: the numeric value of a cudaStream_t or hipStream_t, and 0
   for the legacy default stream. The side that made a handle owns it.

   Some builds have per-thread default streams (CUDA_API_PER_THREAD_DEFAULT_STREAM, nvcc
   --default-stream per-thread; HIP_API_PER_THREAD_DEFAULT_STREAM). There a null handle means the
   per-thread stream, so the adapter translates:
   - For a null handle of the library, current_stream gives 2.
   - For a `stream` of 0, run_with_stream uses cudaStreamLegacy (1). HIP has no name for that
     stream; code that is compiled without the option can reach it. */
typedef struct dlcert_stream_group {
  uint32_t struct_size;
  uint32_t reserved;
  /* Makes `stream` the library's current stream of `device` on the calling thread, calls
     body(context) once on that thread, and makes the former stream current again. `body` never
     fails. For a library without a current stream, whose functions take a stream, the adapter
     passes `stream` to each of them within `body`. */
  dlcert_status (*run_with_stream)(void* self, dlcert_device device, uint64_t stream,
                                   void (*body)(void* context), void* context, dlcert_error* error);
  /* Gives the calling thread's current stream of `device`. DLCERT_NOT_FORMABLE: the library has no
     current stream. Then dlcert does not judge the order of work that is pending at an export,
     unless the policy producer-other-streams is `all`. */
  dlcert_status (*current_stream)(void* self, dlcert_device device, uint64_t* out,
                                  dlcert_error* error);
  /* Returns when all work of the library on `device` has completed. */
  dlcert_status (*synchronize)(void* self, dlcert_device device, dlcert_error* error);
  /* Gives the index of the calling thread's current device of a DLPack device type. */
  dlcert_status (*current_device)(void* self, int32_t device_type, int32_t* out,
                                  dlcert_error* error);
} dlcert_stream_group;

/* ---- the exchange table ---- */

/* Group 5: for libraries that publish a DLPackExchangeAPI. Provide all functions or none. The
   functions of that table take objects: a PyObject, or the library's model of one. */
typedef struct dlcert_exchange_api_group {
  uint32_t struct_size;
  uint32_t reserved;
  /* Gives the const DLPackExchangeAPI* that the library publishes. It stays valid until the process
     ends. */
  dlcert_status (*table)(void* self, const void** out, dlcert_error* error);
  /* Gives the object of a tensor. The tensor stays the caller's. The caller owns *out and drops
     it. */
  dlcert_status (*object_of)(void* self, dlcert_tensor* tensor, void** out, dlcert_error* error);
  /* Makes a tensor from an object of the library. The object stays the caller's. The caller
     owns *out and releases it. */
  dlcert_status (*tensor_of)(void* self, void* object, dlcert_tensor** out, dlcert_error* error);
  /* Drops a reference to an object. Never fails. */
  void (*drop_object)(void* self, void* object);
  /* Takes the error that the last failed function of the table has left set on this thread, and
     clears it. Returns DLCERT_REFUSED and fills `error` with it, or returns DLCERT_OK if no error
     is set. */
  dlcert_status (*take_error)(void* self, dlcert_error* error);
} dlcert_exchange_api_group;

/* ---- the library's own dlpack.h ---- */

/* The value of a fact that the header does not have. */
enum { DLCERT_FACT_UNKNOWN = INT32_MIN };
/* The lengths of the arrays below. For device and dtype codes: one more than the highest code that
   dlcert knows. */
enum { DLCERT_DEVICE_CODES = 19, DLCERT_DTYPE_CODES = 18, DLCERT_FLAG_BITS = 3 };

/* Sizes, offsets and values of the library's dlpack.h; dlcert_fill_dlpack_facts() of dlpack_facts.h
   fills them. A fact that the header does not have is DLCERT_FACT_UNKNOWN. Sizes and offsets are in
   bytes. */
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
  /* [code]: the value of the header's enumerator for the device or dtype that has this code in
     dlpack.h 1.3. */
  int32_t device_codes[DLCERT_DEVICE_CODES];
  int32_t dtype_codes[DLCERT_DTYPE_CODES];
  /* The masks of the flags read-only, is-copied and sub-byte-padded, in this order. */
  int32_t flag_masks[DLCERT_FLAG_BITS];
} dlcert_dlpack_facts;

/* ---- the table ---- */

/* The roles of a library: what dlcert judges it as. */
enum {
  DLCERT_PRODUCER = 1u << 0, /* exports tensors */
  DLCERT_CONSUMER = 1u << 1, /* imports tensors */
  DLCERT_RUNTIME = 1u << 2   /* enumerates devices and initializes a GPU runtime: groups 6 to 8 */
};

/* The properties that a library declares. */
enum {
  /* The error kinds are those that the library's users see, so dlcert judges them. Without this
     property, any refusal satisfies a requirement that names a kind. */
  DLCERT_FAITHFUL_ERRORS = 1u << 0,
  /* dlcert may call any function while another one runs on another thread. */
  DLCERT_THREAD_SAFE = 1u << 1,
  /* import_managed takes ownership even if it refuses the tensor. */
  DLCERT_FAILED_IMPORT_CONSUMES = 1u << 2,
  /* The library has read-only tensors. */
  DLCERT_KNOWS_READ_ONLY = 1u << 3,
  /* The library passes descriptors on without interpreting their device and dtype codes. It may
     therefore accept codes that it does not know, if it describes them unchanged. */
  DLCERT_PASSES_CODES_THROUGH = 1u << 4,
  /* A process that has loaded the library ends by _exit(2), without exit handlers and static
     destructors. In such a process these belong to an interpreter, and DLPack has no rule about
     them. */
  DLCERT_ENDS_WITHOUT_EXIT = 1u << 5,
  /* The library is built for the devices of one vendor. Requirements about the other vendor's
     devices are then not applicable. Without either property, the library uses the devices that are
     there. */
  DLCERT_CUDA_ALONE = 1u << 6,
  DLCERT_ROCM_ALONE = 1u << 7
};

/* What dlcert provides to the adapter. Valid from open() to close(). */
typedef struct dlcert_host {
  uint32_t struct_size;
  uint32_t reserved;
  void* context;
  /* Reports a warning of the library. `category` is a name such as "UserWarning". dlcert copies
     both texts; both may be NULL. Some checks demand a warning, or that there is none. Otherwise
     dlcert shows the first distinct warnings with the result of the check. Any thread may call this
     function. */
  void (*warn)(void* context, const char* category, const char* message);
  /* Reports that the adapter itself is wrong, not its library. dlcert then ignores the result of
     the present call and ends the run with exit code 2. `message` is one line. Do not rely on a
     return from this call. Any thread may call it. */
  void (*fault)(void* context, const char* message);
} dlcert_host;

/* The table: the library's name, properties and functions. The adapter owns it. dlcert looks up the
   functions before open(), so the table must not change after it was returned. The only exception
   is `self`: open() may set it, and dlcert reads it again for each call. */
typedef struct dlcert_adapter {
  uint32_t struct_size; /* must reach to `exchange` at least */
  uint32_t abi_major;   /* DLCERT_ABI_MAJOR of the header that the adapter was compiled with */
  uint32_t abi_minor;   /* DLCERT_ABI_MINOR of that header */
  uint32_t roles;       /* DLCERT_PRODUCER | ... */
  uint32_t properties;  /* DLCERT_FAITHFUL_ERRORS | ... */
  uint32_t reserved;
  const char* name;    /* never NULL, never empty */
  const char* version; /* the library's own version, never NULL */
  const char* runtime; /* the runtime rules that it follows, such as "torch-2.4"; NULL: none */
  void* self;          /* passed to every function; may be NULL, always or until open() sets it */
  const dlcert_tensor_group* tensor; /* this and the next: NULL if the library is a runtime only */
  const dlcert_exchange_group* exchange;
  const dlcert_capsule_group* capsule;  /* NULL: the library does not have capsules */
  const dlcert_dlpack_facts* cxx_facts; /* its dlpack.h, compiled as C++; NULL: not given */
  const dlcert_dlpack_facts* c_facts;   /* its dlpack.h, compiled as C; NULL: not given */
  /* Opens the adapter; dlcert calls no other function before it. `host` is valid until close(). On
     any status but DLCERT_OK dlcert does not use the adapter and does not call close(). A check may
     close the adapter, unload its module, load it and open it again. Optional. */
  dlcert_status (*open)(void* self, const dlcert_host* host, dlcert_error* error);
  /* Closes the adapter; dlcert calls no other function after it, except another open(). Exported
     tensors may outlive this call. Never fails. dlcert does not call it in a process that crashes
     or that ends early, such as the process of a single case. Optional. */
  void (*close)(void* self);
  const dlcert_stream_group* stream;             /* NULL: the library does not have streams */
  const dlcert_exchange_api_group* exchange_api; /* NULL: the library publishes no table */
  const dlcert_devices_group* devices;           /* this and the next two: NULL: no such group */
  const dlcert_runtime_group* gpu_runtime;
  const dlcert_telemetry_group* telemetry;
  /* Where the library documents the order in which it numbers the devices of imported arrays: a
     sentence or an address. Empty: the library does not document it. NULL: not given. */
  const char* device_order;
  const dlcert_python_group* python; /* NULL: the library does not run in Python */
  /* Called before and after each fork() that dlcert makes, on the thread that forks: before_fork in
     the parent; after_fork in the parent (in_child 0) and in the child (in_child 1). By such hooks
     an interpreter goes on working after a fork. If a library has them, dlcert forks even if the
     library has started threads. Provide both or none. */
  void (*before_fork)(void* self);
  void (*after_fork)(void* self, int32_t in_child);
  /* The signal at which the library writes the stack of each of its threads to standard error and
     then continues. dlcert sends it to a hung process before dlcert ends that process. 0: none. */
  int32_t stacks_signal;
  const char* array_api; /* the version of the array API that it claims, as "2024.12"; NULL: none */
} dlcert_adapter;

/* The symbol that an adapter module exports. Returns the adapter's table, or NULL if the adapter
   does not support `abi_major`. The adapter owns the table, which lives until the module is
   unloaded. dlcert calls this function once each time it loads the module. */
typedef const dlcert_adapter* (*dlcert_adapter_get_function)(uint32_t abi_major);
DLCERT_EXPORT const dlcert_adapter* dlcert_adapter_get(uint32_t abi_major);

/* The symbol of a module that serves several libraries; it replaces dlcert_adapter_get. Returns the
   table of the library `name`. If there is none, fills `error` and returns NULL. dlcert calls this
   function once for that name each time it loads the module. */
typedef const dlcert_adapter* (*dlcert_adapter_named_function)(uint32_t abi_major, const char* name,
                                                               dlcert_error* error);
DLCERT_EXPORT const dlcert_adapter* dlcert_adapter_named(uint32_t abi_major, const char* name,
                                                         dlcert_error* error);

#ifdef __cplusplus
}
#endif

#endif /* DLCERT_ADAPTER_H_ */
