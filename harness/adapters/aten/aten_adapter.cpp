// SPDX-License-Identifier: Apache-2.0

// ATen, the tensors of PyTorch, by the functions of ATen/DLConvertor.h, below Python.
#include <ATen/ATen.h>
#include <ATen/DLConvertor.h>

#include <dlcert/adapter_strided.hpp>

namespace dlcert::adapter {

struct Aten : StridedTensors<at::Tensor> {
  const char* name() { return "aten"; }
  const char* version() { return DLCERT_ATEN_VERSION; }
  static at::ScalarType type(dlcert_dtype d) { return at::toScalarType(dlpack_dtype(d)); }
  bool has(dlcert_dtype dtype) override { return type(dtype) != at::ScalarType::Undefined; }
  bool has_layout(const dlcert_tensor_spec& spec) override { return !reversed(spec); }
  bool has_state(const dlcert_tensor_spec& s) override {
    const bool number = s.dtype.code == kDLFloat || s.dtype.code == kDLComplex;
    const bool lazy = s.state == DLCERT_STATE_CONJUGATE || s.state == DLCERT_STATE_NEGATED;
    const bool other = s.state == DLCERT_STATE_SPARSE || s.state == DLCERT_STATE_REQUIRES_GRADIENT;
    return s.state == DLCERT_STATE_PLAIN || ((lazy || other) && number && s.dtype.bits >= 32);
  }
  Tensor make(const dlcert_tensor_spec& spec) override {
    const Tensor memory = at::empty({spec.storage_size}, type(spec.dtype));
    return memory.as_strided(shape_of(spec), strides_of(spec), spec.offset);
  }
  Tensor create(const dlcert_tensor_spec& spec, std::span<const std::byte> logical) override {
    const Tensor plain = StridedTensors::create(spec, logical);
    if (spec.state == DLCERT_STATE_CONJUGATE) return plain.conj_physical().conj();
    if (spec.state == DLCERT_STATE_NEGATED) return at::_neg_view(plain.neg());
    if (spec.state == DLCERT_STATE_REQUIRES_GRADIENT) return plain.requires_grad_();
    if (spec.state == DLCERT_STATE_SPARSE) return plain.to_sparse();
    return plain;
  }
  dlcert_description describe(Tensor& t) override {
    auto d = described(dtype_of(at::getDLDataType(t)), host, t.sizes(), t.strides(), t.data_ptr());
#if defined(DLPACK_MAJOR_VERSION)
    d.device = device_of(at::torchDeviceToDLDevice(t.device()));
#endif
    return with_storage(d, t.storage().data(), t.storage().nbytes());
  }
  void read(Tensor& t, std::span<std::byte> logical) override {
    Tensor plain = t.is_sparse() ? t.to_dense() : t.resolve_conj().resolve_neg();
    StridedTensors::read(plain, logical);
  }
  Tensor alias(Tensor& t) {
    return t.alias();
  }
  dlcert_managed export_managed(Tensor& t, const dlcert_request& asked) {
#if defined(DLPACK_MAJOR_VERSION)
    if (requested_form(asked) == DLCERT_VERSIONED) return exported(at::toDLPackVersioned(t));
#endif
    return exported(requested_form(asked) == DLCERT_LEGACY ? at::toDLPack(t) : throw NotFormable{});
  }
  Tensor import_managed(dlcert_managed given) {
#if defined(DLPACK_MAJOR_VERSION)
    if (given.form == DLCERT_VERSIONED)
      return at::fromDLPackVersioned(imported<DLManagedTensorVersioned>(given));
#endif
    return at::fromDLPack(imported<DLManagedTensor>(given));
  }
};

}  // namespace dlcert::adapter

DLCERT_ADAPTER(dlcert::adapter::Aten)
