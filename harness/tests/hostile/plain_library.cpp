// SPDX-License-Identifier: Apache-2.0
#include "plain_library.hpp"

#include <dlpack/dlpack.h>

#include <algorithm>
#include <cstring>
#include <memory>

namespace hostile {
namespace {

Tensor& own(dlcert_tensor* tensor) {
  return *reinterpret_cast<Tensor*>(tensor);
}

std::int32_t can(void*, const dlcert_tensor_spec* spec) {
  return spec->device.type == kDLCPU && spec->state == DLCERT_STATE_PLAIN && spec->flags == 0;
}

dlcert_status create(void*, const dlcert_tensor_spec* spec, const void* bytes, std::uint64_t size,
                     dlcert_tensor** out, dlcert_error*) {
  auto tensor = std::make_unique<Tensor>(*spec);
  tensor->storage.resize(size);
  if (size > 0) std::memcpy(tensor->storage.data(), bytes, size);
  *out = reinterpret_cast<dlcert_tensor*>(tensor.release());
  return DLCERT_OK;
}

dlcert_status describe(void*, dlcert_tensor* handle, dlcert_description* out, dlcert_error*) {
  Tensor& tensor = own(handle);
  out->dtype = tensor.dtype;
  out->device = {kDLCPU, 0};
  out->ndim = static_cast<std::int32_t>(tensor.shape.size());
  out->shape = tensor.shape.data();
  out->strides = tensor.strides.data();
  out->data = tensor.storage.data();
  out->storage_begin = tensor.storage.data();
  out->storage_bytes = tensor.storage.size();
  return DLCERT_OK;
}

dlcert_status read(void*, dlcert_tensor* handle, void* bytes, std::uint64_t size, dlcert_error*) {
  if (size > 0) std::memcpy(bytes, own(handle).storage.data(), size);
  return DLCERT_OK;
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
  auto exported =
      std::make_unique<Export>(Export{{}, tensor.shape, tensor.strides, tensor.storage});
  exported->managed.dl_tensor = {exported->storage.data(),
                                 {kDLCPU, 0},
                                 static_cast<std::int32_t>(tensor.shape.size()),
                                 {tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes},
                                 exported->shape.data(),
                                 exported->strides.data(),
                                 0};
  exported->managed.manager_ctx = exported.get();
  exported->managed.deleter = [](DLManagedTensor* self) {
    delete static_cast<Export*>(self->manager_ctx);
  };
  *out = {DLCERT_LEGACY, 0, &exported.release()->managed};
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
  return group;
}

// What a library tears down at last.
struct Teardown {
  ~Teardown() { acts().on_unload(); }
} const teardown;

}  // namespace

Tensor::Tensor(const dlcert_tensor_spec& spec)
    : dtype{spec.dtype},
      shape(spec.shape, spec.shape + spec.ndim),
      strides(spec.strides, spec.strides + spec.ndim) {
  if (dtype.code == kDLInt && dtype.bits == 8) acts().on_prepare();
  provoking = dtype.code == kDLFloat && !shape.empty() && shape.front() >= 3;
  if (provoking) shape.front() = acts().on_provoke(shape.front());
}

const dlcert_adapter& table() {
  static dlcert_tensor_group tensors = tensor_group();
  static const dlcert_exchange_group exchange = exchange_group();
  static const dlcert_adapter adapter = [] {
    dlcert_adapter made{};
    made.struct_size = sizeof made;
    made.abi_major = DLCERT_ABI_MAJOR;
    made.abi_minor = DLCERT_ABI_MINOR;
    made.roles = DLCERT_PRODUCER;
    made.name = "hostile";
    made.version = "1.0";
    made.tensor = &tensors;
    made.exchange = &exchange;
    made.close = [](void*) { acts().on_close(); };
    acts().on_table(made, tensors);
    return made;
  }();
  return adapter;
}

}  // namespace hostile

const dlcert_adapter* dlcert_adapter_get(std::uint32_t abi_major) {
  if (abi_major != DLCERT_ABI_MAJOR) return nullptr;
  hostile::acts().on_load();
  return &hostile::table();
}
