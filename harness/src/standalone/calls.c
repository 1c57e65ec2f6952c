/* SPDX-License-Identifier: Apache-2.0 */
/* ---- DLPack, as far as this program needs it (the layout of dlpack.h 1.3) ---- */

typedef struct tensor_view {
  void* data;
  dlcert_device device;
  int32_t ndim;
  dlcert_dtype dtype;
  int64_t* shape;
  int64_t* strides;
  uint64_t byte_offset;
} tensor_view;

typedef struct legacy_managed {
  tensor_view tensor;
  void* manager_ctx;
  void (*deleter)(struct legacy_managed*);
} legacy_managed;

typedef struct versioned_managed {
  uint32_t major, minor;
  void* manager_ctx;
  void (*deleter)(struct versioned_managed*);
  uint64_t flags;
  tensor_view tensor;
} versioned_managed;

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

static inline int told(const char* call, dlcert_status status) {
  if (status == DLCERT_OK)
    printf("%s: ok\n", call);
  else if (status == DLCERT_REFUSED)
    printf("%s: refused, error kind %d %s: %s\n", call, (int)error.kind, error.type, error.message);
  else
    printf("%s: status %d\n", call, (int)status);
  return status == DLCERT_OK;
}

static inline void show_list(const char* name, const int64_t* values, int32_t count) {
  printf(" %s=", name);
  if (values == NULL) {
    printf("NULL");
    return;
  }
  printf("[");
  for (int32_t i = 0; i < count; ++i)
    printf("%s%lld", i == 0 ? "" : ", ", (long long)values[i]);
  printf("]");
}

static inline void show_bytes(const unsigned char* bytes, uint64_t size) {
  printf("  %llu bytes ", (unsigned long long)size);
  for (uint64_t i = 0; i < size; ++i)
    printf("%02x", bytes[i]);
  printf("\n");
}

static inline void show_kind(dlcert_dtype dtype, dlcert_device device) {
  printf("  dtype=(code %u, bits %u, lanes %u) device=(%d, %d)", dtype.code, dtype.bits,
         dtype.lanes, (int)device.type, (int)device.id);
}

static inline tensor_view* view_of(dlcert_managed managed) {
  return managed.form == DLCERT_VERSIONED ? &((versioned_managed*)managed.pointer)->tensor
                                          : &((legacy_managed*)managed.pointer)->tensor;
}

static inline void show_managed(dlcert_managed managed) {
  const tensor_view* view = view_of(managed);
  if (managed.form == DLCERT_VERSIONED) {
    const versioned_managed* head = managed.pointer;
    printf("  versioned %u.%u flags=%llu deleter=%s\n", (unsigned)head->major,
           (unsigned)head->minor, (unsigned long long)head->flags,
           head->deleter == NULL ? "NULL" : "set");
  } else {
    const legacy_managed* head = managed.pointer;
    printf("  legacy deleter=%s\n", head->deleter == NULL ? "NULL" : "set");
  }
  show_kind(view->dtype, view->device);
  printf(" ndim=%d", (int)view->ndim);
  show_list("shape", view->shape, view->ndim);
  show_list("strides", view->strides, view->ndim);
  printf(" data=%p byte_offset=%llu\n", view->data, (unsigned long long)view->byte_offset);
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
  told("create", lib->tensor->create(lib->self, &spec, bytes, size, &tensor, &error));
  free(bytes);
  return tensor;
}

static inline void describe(const dlcert_adapter* lib, dlcert_tensor* tensor) {
  dlcert_description out = {.struct_size = sizeof(out)};
  if (!told("describe", lib->tensor->describe(lib->self, tensor, &out, &error))) return;
  show_kind(out.dtype, out.device);
  show_list("shape", out.shape, out.ndim);
  show_list("strides", out.strides, out.ndim);
  printf(" data=%p%s\n", (void*)(uintptr_t)out.data,
         (out.flags & DLCERT_DESCRIPTION_READ_ONLY) != 0 ? " read-only" : "");
}

static inline void read_bytes(const dlcert_adapter* lib, dlcert_tensor* tensor, uint64_t size) {
  unsigned char* bytes = calloc(size + 1, 1);
  if (told("read", lib->tensor->read(lib->self, tensor, bytes, size, &error)))
    show_bytes(bytes, size);
  free(bytes);
}

static inline void write_bytes(const dlcert_adapter* lib, dlcert_tensor* tensor, const char* hex) {
  uint64_t size = 0;
  unsigned char* bytes = decoded(hex, &size);
  told("write", lib->tensor->write(lib->self, tensor, bytes, size, &error));
  free(bytes);
}

static inline dlcert_tensor* alias(const dlcert_adapter* lib, dlcert_tensor* tensor) {
  dlcert_tensor* out = NULL;
  told("alias", lib->tensor->alias(lib->self, tensor, &out, &error));
  return out;
}

static inline void release(const dlcert_adapter* lib, dlcert_tensor* tensor) {
  if (tensor != NULL) lib->tensor->release(lib->self, tensor);
  printf("release\n");
}

static inline void fail_allocation(const dlcert_adapter* lib, int64_t successes) {
  lib->tensor->fail_allocation(lib->self, successes);
  printf("fail_allocation: after %lld\n", (long long)successes);
}

static inline void dlpack_device(const dlcert_adapter* lib, dlcert_tensor* tensor) {
  dlcert_device device = {0, 0};
  if (told("dlpack_device", lib->exchange->dlpack_device(lib->self, tensor, &device, &error)))
    printf("  (%d, %d)\n", (int)device.type, (int)device.id);
}

static inline dlcert_managed export_managed(const dlcert_adapter* lib, dlcert_tensor* tensor,
                                            dlcert_request request) {
  dlcert_managed out = {0, 0, NULL};
  const dlcert_status status =
      lib->exchange->export_managed(lib->self, tensor, &request, &out, &error);
  if (told("export_managed", status) && out.pointer != NULL) show_managed(out);
  return out;
}

static inline dlcert_tensor* import_managed(const dlcert_adapter* lib, dlcert_managed managed) {
  dlcert_tensor* out = NULL;
  told("import_managed", lib->exchange->import_managed(lib->self, managed, &out, &error));
  return out;
}

static inline dlcert_tensor* import_from(const dlcert_adapter* lib, const dlcert_producer* from,
                                         dlcert_import_request request) {
  dlcert_tensor* out = NULL;
  told("import_from", lib->exchange->import_from(lib->self, from, &request, &out, &error));
  return out;
}

static inline void call_deleter(dlcert_managed managed) {
  printf("call the deleter\n");
  if (managed.pointer == NULL) return;
  if (managed.form == DLCERT_VERSIONED) {
    versioned_managed* head = managed.pointer;
    if (head->deleter != NULL) head->deleter(head);
  } else {
    legacy_managed* head = managed.pointer;
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
  told("make_capsule", lib->capsule->make(lib->self, pointer, name, destructor, &out, &error));
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
  told("export_capsule", lib->capsule->export_capsule(lib->self, tensor, &request, &out, &error));
  return out;
}

static inline dlcert_tensor* import_capsule(const dlcert_adapter* lib, dlcert_capsule* capsule) {
  dlcert_tensor* out = NULL;
  told("import_capsule", lib->capsule->import_capsule(lib->self, capsule, &out, &error));
  return out;
}

static inline dlcert_capsule* to_dlpack(const dlcert_adapter* lib, dlcert_tensor* tensor) {
  dlcert_capsule* out = NULL;
  told("to_dlpack", lib->capsule->to_dlpack(lib->self, tensor, &out, &error));
  return out;
}

static inline void unload(const dlcert_adapter* lib) {
  if (lib->close != NULL) lib->close(lib->self);
  dlclose(module);
  printf("unload\n");
}
