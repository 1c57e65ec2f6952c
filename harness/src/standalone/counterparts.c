/* SPDX-License-Identifier: Apache-2.0 */
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
