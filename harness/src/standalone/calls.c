/* SPDX-License-Identifier: Apache-2.0 */
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
