// SPDX-License-Identifier: Apache-2.0

// tvm-ffi's tensors, by the C++ functions of their header.
#include <tvm/ffi/container/tensor.h>

#include <memory>

#include <dlcert/adapter_strided.hpp>

namespace dlcert::adapter {

// An allocator as FromNDAllocStrided takes one.
struct Storage {
  std::shared_ptr<std::byte> memory;
  void AllocData(DLTensor* tensor, const dlcert_tensor_spec& spec) {
    memory = host_memory(storage_bytes(spec));
    tensor->data = memory.get() + offset_bytes(spec);
  }
  void FreeData(DLTensor*) { memory.reset(); }
};

struct TvmFfi : StridedTensors<tvm::ffi::Tensor> {
  const char* name() { return "tvm_ffi"; }
  const char* version() { return DLCERT_TVM_FFI_VERSION; }
  std::uint32_t properties() { return DLCERT_PASSES_CODES_THROUGH | DLCERT_THREAD_SAFE; }

  bool has(dlcert_dtype dtype) override { return dtype.bits * dtype.lanes % 8 == 0; }
  Tensor make(const dlcert_tensor_spec& spec) override {
    const auto rank = static_cast<std::size_t>(spec.ndim);
    // It takes no null strides, be there none.
    const std::int64_t* const strides = rank == 0 ? &spec.offset : spec.strides;
    return Tensor::FromNDAllocStrided(Storage{}, {spec.shape, rank}, {strides, rank},
                                      dlpack_dtype(spec.dtype), {kDLCPU, 0}, spec);
  }
  dlcert_description describe(Tensor& tensor) override {
    const DLTensor& said = *tensor.GetDLTensorPtr();
    const auto* const data = static_cast<const std::byte*>(said.data);
    return described(dtype_of(said.dtype), device_of(said.device), tensor.shape(), tensor.strides(),
                     data + said.byte_offset);
  }
  Tensor alias(Tensor& tensor) { return tensor; }

  dlcert_managed export_managed(Tensor& tensor, const dlcert_request& request) {
    if (requested_form(request) == DLCERT_LEGACY) return exported(tensor.ToDLPack());
    return exported(tensor.ToDLPackVersioned());
  }
  Tensor import_managed(dlcert_managed managed) {
    if (managed.form == DLCERT_LEGACY)
      return Tensor::FromDLPack(imported<DLManagedTensor>(managed));
    return Tensor::FromDLPackVersioned(imported<DLManagedTensorVersioned>(managed));
  }
};

}  // namespace dlcert::adapter

DLCERT_ADAPTER(dlcert::adapter::TvmFfi)
