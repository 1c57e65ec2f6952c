// SPDX-License-Identifier: Apache-2.0
//
// The reference library behind adapters that claim, form or offer less than it has, or end badly,
// one for each NARROW_*: what may be certified of them, and what must not.
#include <dlcert/adapter.h>
#include <dlfcn.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <string>

namespace {

const dlcert_adapter* whole = nullptr;  // the reference library's table

[[maybe_unused]] std::int32_t can_whole(const dlcert_tensor_spec* spec) {
  return whole->tensor->can(whole->self, spec);
}

void narrow(dlcert_adapter& table, dlcert_tensor_group& tensor, dlcert_exchange_group& exchange) {
  // On the host alone, and without what needs more than tensors and exchange.
  table.properties &= ~std::uint32_t{DLCERT_THREAD_SAFE};
  table.roles = DLCERT_PRODUCER | DLCERT_CONSUMER;
  table.capsule = nullptr;
  table.stream = nullptr;
  table.exchange_api = nullptr;
  table.devices = nullptr;
  table.gpu_runtime = nullptr;
  table.telemetry = nullptr;
  tensor.can = [](void*, const dlcert_tensor_spec* spec) -> std::int32_t {
    return spec->device.type == 1 && spec->state == DLCERT_STATE_PLAIN ? can_whole(spec) : 0;
  };
#if defined(NARROW_CLAIMS_NOTHING)
  tensor.can = [](void*, const dlcert_tensor_spec*) { return 0; };
  tensor.create = [](void*, const dlcert_tensor_spec*, const void*, std::uint64_t, dlcert_tensor**,
                     dlcert_error*) -> dlcert_status { return DLCERT_REFUSED; };
  exchange.import_managed = [](void*, dlcert_managed, dlcert_tensor**,
                               dlcert_error*) -> dlcert_status { return DLCERT_REFUSED; };
  exchange.import_from = nullptr;
#elif defined(NARROW_FORMS_NOTHING)
  tensor.create = [](void*, const dlcert_tensor_spec*, const void*, std::uint64_t, dlcert_tensor**,
                     dlcert_error*) -> dlcert_status { return DLCERT_NOT_FORMABLE; };
  exchange.import_managed = [](void*, dlcert_managed, dlcert_tensor**,
                               dlcert_error*) -> dlcert_status { return DLCERT_NOT_FORMABLE; };
  exchange.import_from = nullptr;
#elif defined(NARROW_FORMS_ONE_IN_100)
  tensor.create = [](void* self, const dlcert_tensor_spec* spec, const void* bytes,
                     std::uint64_t size, dlcert_tensor** out,
                     dlcert_error* error) -> dlcert_status {
    static std::atomic<unsigned> calls{0};
    if (calls++ % 100 != 0) return DLCERT_NOT_FORMABLE;
    return whole->tensor->create(self, spec, bytes, size, out, error);
  };
  exchange.import_managed = [](void* self, dlcert_managed managed, dlcert_tensor** out,
                               dlcert_error* error) -> dlcert_status {
    static std::atomic<unsigned> calls{0};
    if (calls++ % 100 != 0) return DLCERT_NOT_FORMABLE;
    return whole->exchange->import_managed(self, managed, out, error);
  };
  exchange.import_from = nullptr;
#elif defined(NARROW_EMPTY)
  tensor.can = [](void*, const dlcert_tensor_spec* spec) -> std::int32_t {
    for (std::int32_t axis = 0; axis < spec->ndim; ++axis)
      if (spec->shape[axis] == 0) return spec->device.type == 1 ? can_whole(spec) : 0;
    return 0;
  };
#elif defined(NARROW_RANK_0)
  tensor.can = [](void*, const dlcert_tensor_spec* spec) -> std::int32_t {
    return spec->ndim == 0 && spec->device.type == 1 && spec->state == DLCERT_STATE_PLAIN
               ? can_whole(spec)
               : 0;
  };
#elif defined(NARROW_IMAGES) || defined(NARROW_IMAGES_UNKNOWN)
  // Planes of images: bytes of two axes, in rows that begin at multiples of 32.
  tensor.can = [](void*, const dlcert_tensor_spec* spec) -> std::int32_t {
#if defined(NARROW_IMAGES_UNKNOWN)
    // Ends the process that asks what it claims before the run, and no other.
    if (spec->ndim == 8) std::abort();
#endif
    const bool bytes = spec->dtype.code == 1 && spec->dtype.bits == 8 && spec->dtype.lanes == 1;
    return bytes && spec->ndim == 2 && spec->strides[0] == spec->shape[1] &&
                   spec->strides[1] == 1 && spec->offset == 0 && spec->device.type == 1 &&
                   spec->state == DLCERT_STATE_PLAIN
               ? can_whole(spec)
               : 0;
  };
  tensor.create = [](void* self, const dlcert_tensor_spec* spec, const void* bytes,
                     std::uint64_t size, dlcert_tensor** out,
                     dlcert_error* error) -> dlcert_status {
    const std::array<std::int64_t, 2> strides{(spec->shape[1] + 31) / 32 * 32, 1};
    dlcert_tensor_spec padded = *spec;
    padded.strides = strides.data();
    padded.storage_size = spec->shape[0] * strides[0];
    return whole->tensor->create(self, &padded, bytes, size, out, error);
  };
#elif defined(NARROW_READ_ONLY)
  tensor.can = [](void*, const dlcert_tensor_spec* spec) -> std::int32_t {
    return (spec->flags & DLCERT_SPEC_READ_ONLY) != 0 && spec->device.type == 1 &&
                   spec->state == DLCERT_STATE_PLAIN
               ? can_whole(spec)
               : 0;
  };
#elif defined(NARROW_IMMUTABLE)
  tensor.write = nullptr;
#elif defined(NARROW_FEWER_KINDS)
  tensor.write = nullptr;
  tensor.can = [](void*, const dlcert_tensor_spec* spec) -> std::int32_t {
    const bool int64 = spec->dtype.code == 0 && spec->dtype.bits == 64;
    return !int64 && spec->ndim <= 4 && spec->device.type == 1 && spec->state == DLCERT_STATE_PLAIN
               ? can_whole(spec)
               : 0;
  };
#elif defined(NARROW_ONE_VECTOR)
  tensor.can = [](void*, const dlcert_tensor_spec* spec) -> std::int32_t {
    return spec->ndim == 1 && spec->shape[0] == 1 && spec->device.type == 1 ? can_whole(spec) : 0;
  };
#elif defined(NARROW_OPENS_LATER)
  tensor.create = [](void* self, const dlcert_tensor_spec* spec, const void* bytes,
                     std::uint64_t size, dlcert_tensor** out,
                     dlcert_error* error) -> dlcert_status {
    Dl_info here{};
    ::dladdr(reinterpret_cast<void*>(&dlcert_adapter_get), &here);
    const std::string adapter = here.dli_fname;
    static void* const values =
        ::dlopen((adapter.substr(0, adapter.rfind('/')) + "/values.so").c_str(), RTLD_NOW);
    return values == nullptr ? DLCERT_REFUSED
                             : whole->tensor->create(self, spec, bytes, size, out, error);
  };
#elif defined(NARROW_DIES_WHEN_CLOSED)
  static bool used = false;
  tensor.can = [](void*, const dlcert_tensor_spec* spec) -> std::int32_t {
    used = true;
    return spec->device.type == 1 && spec->state == DLCERT_STATE_PLAIN ? can_whole(spec) : 0;
  };
  table.close = [](void*) {
    if (used) std::abort();
  };
#elif defined(NARROW_WITHOUT_READ)
  tensor.read = nullptr;
#else
#error "no NARROW_* is defined"
#endif
  (void)exchange;
}

}  // namespace

const dlcert_adapter* dlcert_adapter_get(std::uint32_t abi_major) {
  static dlcert_adapter table;
  static dlcert_tensor_group tensor;
  static dlcert_exchange_group exchange;
  void* const module = ::dlopen(REFERENCE_ADAPTER, RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) return nullptr;
  const auto get =
      reinterpret_cast<dlcert_adapter_get_function>(::dlsym(module, "dlcert_adapter_get"));
  whole = get(abi_major);
  if (whole == nullptr) return nullptr;
  table = *whole;
  tensor = *whole->tensor;
  exchange = *whole->exchange;
  table.name = "narrow";
  table.tensor = &tensor;
  table.exchange = &exchange;
  narrow(table, tensor, exchange);
  return &table;
}
