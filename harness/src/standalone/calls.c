/* SPDX-License-Identifier: Apache-2.0 */
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
