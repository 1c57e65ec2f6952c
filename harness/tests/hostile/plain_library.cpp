// SPDX-License-Identifier: Apache-2.0
#include "plain_library.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

namespace hostile {
namespace {

constexpr std::int64_t stride = 1;

Tensor& own(dlcert_tensor* tensor) {
  return *reinterpret_cast<Tensor*>(tensor);
}

// Compact vectors of whole bytes on the host.
std::int32_t can(void*, const dlcert_tensor_spec* spec) {
  return acts().can(*spec) && spec->device.type == kDLCPU && spec->state == DLCERT_STATE_PLAIN &&
         spec->flags == 0 && spec->dtype.bits % 8 == 0 && spec->ndim == 1 &&
         spec->strides[0] == stride && spec->offset == 0 && spec->storage_size == spec->shape[0];
}

dlcert_status create(void*, const dlcert_tensor_spec* spec, const void* bytes, std::uint64_t size,
                     dlcert_tensor** out, dlcert_error* error) {
  auto tensor = std::make_unique<Tensor>(*spec);
  tensor->storage.resize(size);
  if (size > 0) std::memcpy(tensor->storage.data(), bytes, size);
  auto* made = reinterpret_cast<dlcert_tensor*>(tensor.get());
  const dlcert_status status = acts().on_create(tensor->provoking, made, *error);
  if (status != DLCERT_OK) return status;
  *out = made;
  if (made != nullptr) static_cast<void>(tensor.release());
  return DLCERT_OK;
}

dlcert_status describe(void*, dlcert_tensor* handle, dlcert_description* out, dlcert_error*) {
  Tensor& tensor = own(handle);
  out->dtype = tensor.dtype;
  out->device = {kDLCPU, 0};
  out->ndim = static_cast<std::int32_t>(tensor.shape.size());
  out->shape = tensor.shape.data();
  out->strides = &stride;
  out->data = tensor.storage.data();
  out->storage_begin = tensor.storage.data();
  out->storage_bytes = tensor.storage.size();
  return acts().on_describe(tensor.provoking, *out);
}

dlcert_status read(void*, dlcert_tensor* handle, void* bytes, std::uint64_t size, dlcert_error*) {
  const Tensor& tensor = own(handle);
  const void* const elements =
      tensor.imported != nullptr ? tensor.imported->dl_tensor.data : tensor.storage.data();
  if (size > 0) std::memcpy(bytes, elements, size);
  return acts().on_read({static_cast<std::byte*>(bytes), size});
}

void release(void*, dlcert_tensor* tensor) {
  delete &own(tensor);
}

dlcert_status export_managed(void*, dlcert_tensor* handle, const dlcert_request*,
                             dlcert_managed* out, dlcert_error*) {
  struct Export {
    DLManagedTensor managed;
    std::vector<std::int64_t> shape, strides;
    std::vector<std::byte> storage;
  };
  const Tensor& tensor = own(handle);
  auto exported = std::make_unique<Export>(Export{{}, tensor.shape, {stride}, tensor.storage});
  exported->managed.dl_tensor = {exported->storage.data(),
                                 {kDLCPU, 0},
                                 static_cast<std::int32_t>(tensor.shape.size()),
                                 {tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes},
                                 exported->shape.data(),
                                 exported->strides.data(),
                                 0};
  exported->managed.manager_ctx = exported.get();
  exported->managed.deleter = [](DLManagedTensor* self) {
    acts().on_deleter();
    delete static_cast<Export*>(self->manager_ctx);
  };
  dlcert_managed managed{DLCERT_LEGACY, 0, &exported->managed};
  const dlcert_status status = acts().on_export(managed);
  if (status != DLCERT_OK) return status;
  *out = managed;
  static_cast<void>(exported.release());
  return DLCERT_OK;
}

dlcert_status import_managed(void*, dlcert_managed managed, dlcert_tensor** out, dlcert_error*) {
  if (managed.form != DLCERT_LEGACY) return DLCERT_REFUSED;
  auto& given = *static_cast<DLManagedTensor*>(managed.pointer);
  const dlcert_status status = acts().on_import(given);
  if (status != DLCERT_OK) return status;
  *out = reinterpret_cast<dlcert_tensor*>(std::make_unique<Tensor>(given).release());
  return DLCERT_OK;
}

dlcert_tensor_group tensor_group() {
  dlcert_tensor_group group{};
  group.struct_size = sizeof group;
  group.can = can;
  group.create = create;
  group.describe = describe;
  group.read = read;
  group.release = release;
  return group;
}

dlcert_exchange_group exchange_group() {
  dlcert_exchange_group group{};
  group.struct_size = sizeof group;
  group.export_managed = export_managed;
  group.import_managed = import_managed;
  return group;
}

// What a library sets up at first, and tears down at last.
struct Lifetime {
  Lifetime() { acts().on_dlopen(); }
  ~Lifetime() { acts().on_unload(); }
} const lifetime;

}  // namespace

Tensor::Tensor(const dlcert_tensor_spec& spec)
    : dtype{spec.dtype}, shape(spec.shape, spec.shape + spec.ndim) {
  const bool is_int = dtype.code == kDLInt;
  if (is_int && dtype.bits == 8) acts().on_prepare();
  if (is_int && dtype.bits == 16 && !shape.empty())
    shape.front() = acts().on_isolated(shape.front());
  provoking = dtype.code == kDLFloat && dtype.bits != 64 && !shape.empty() && shape.front() >= 3;
  if (provoking) shape.front() = acts().on_provoke(shape.front());
}

Tensor::Tensor(DLManagedTensor& managed)
    : dtype{managed.dl_tensor.dtype.code, managed.dl_tensor.dtype.bits,
            managed.dl_tensor.dtype.lanes},
      shape(managed.dl_tensor.shape, managed.dl_tensor.shape + managed.dl_tensor.ndim),
      imported{&managed} {}

Tensor::~Tensor() {
  acts().on_release(provoking);
  if (imported != nullptr && acts().on_return(*imported) && imported->deleter != nullptr)
    imported->deleter(imported);
}

const dlcert_adapter& table() {
  static dlcert_tensor_group tensors = tensor_group();
  static const dlcert_exchange_group exchange = exchange_group();
  static const dlcert_adapter adapter = [] {
    dlcert_adapter made{};
    made.struct_size = sizeof made;
    made.abi_major = DLCERT_ABI_MAJOR;
    made.abi_minor = DLCERT_ABI_MINOR;
    made.roles = DLCERT_PRODUCER | DLCERT_CONSUMER;
    made.name = "hostile";
    made.version = "1.0";
    made.tensor = &tensors;
    made.exchange = &exchange;
    made.open = [](void*, const dlcert_host* host, dlcert_error* error) {
      return acts().on_open(*host, *error);
    };
    made.close = [](void*) { acts().on_close(); };
    acts().on_table(made, tensors);
    return made;
  }();
  return adapter;
}

}  // namespace hostile

const dlcert_adapter* dlcert_adapter_get(std::uint32_t abi_major) {
  if (abi_major != DLCERT_ABI_MAJOR || !hostile::acts().on_load()) return nullptr;
  return &hostile::table();
}
