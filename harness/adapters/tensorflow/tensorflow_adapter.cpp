// SPDX-License-Identifier: Apache-2.0

// TensorFlow's eager tensors, by the C functions of tensorflow/c/eager/dlpack.h.
#include <dlpack/dlpack.h>
#include <tensorflow/c/eager/c_api_experimental.h>
#include <tensorflow/c/eager/dlpack.h>

#include <dlcert/adapter_strided.hpp>

namespace dlcert::adapter {

const DtypeTable<TF_DataType> types{
    {kDLInt, 8, TF_INT8},         {kDLInt, 16, TF_INT16},         {kDLInt, 32, TF_INT32},
    {kDLInt, 64, TF_INT64},       {kDLUInt, 8, TF_UINT8},         {kDLUInt, 16, TF_UINT16},
    {kDLUInt, 32, TF_UINT32},     {kDLUInt, 64, TF_UINT64},       {kDLBool, 8, TF_BOOL},
    {kDLFloat, 16, TF_HALF},      {kDLFloat, 32, TF_FLOAT},       {kDLFloat, 64, TF_DOUBLE},
    {kDLBfloat, 16, TF_BFLOAT16}, {kDLComplex, 64, TF_COMPLEX64}, {kDLComplex, 128, TF_COMPLEX128}};

TF_Status* const status = TF_NewStatus();

// What a call gave, unless `status` says that it failed.
template <typename T>
T checked(T given) {
  if (TF_GetCode(status) == TF_OK) return given;
  const std::runtime_error error{TF_Message(status)};
  TF_SetStatus(status, TF_OK, "");
  throw error;
}

struct Array {
  explicit Array(TFE_TensorHandle* made) : handle{made, &TFE_DeleteTensorHandle} {
    for (int axis = 0; axis < checked(TFE_TensorHandleNumDims(made, status)); ++axis)
      shape.push_back(checked(TFE_TensorHandleDim(made, axis, status)));
  }
  std::shared_ptr<TFE_TensorHandle> handle;
  std::vector<std::int64_t> shape;
};

struct Tensorflow : StridedTensors<Array> {
  const char* name() { return "tensorflow"; }
  const char* version() { return TF_Version(); }
  bool has(dlcert_dtype dtype) override { return types.own(dtype) != nullptr; }
  bool has_layout(const dlcert_tensor_spec& spec) override { return compact(spec); }
  bool takes_layout(const dlcert_tensor_spec& spec) override { return compact_at_offset(spec); }
  Tensor make(const dlcert_tensor_spec& spec) override {
    const auto bytes = static_cast<std::size_t>(storage_bytes(spec));
    auto* const made = TF_AllocateTensor(*types.own(spec.dtype), spec.shape, spec.ndim, bytes);
    const std::shared_ptr<TF_Tensor> owner{made, &TF_DeleteTensor};
    return Array{checked(TFE_NewTensorHandle(made, status))};
  }
  dlcert_description describe(Tensor& t) override {
    void* const at = checked(TFE_TensorHandleDevicePointer(t.handle.get(), status));
    return described(types.dtype(TFE_TensorHandleDataType(t.handle.get())), host, t.shape, {}, at);
  }
  Tensor alias(Tensor& t) { return t; }
  dlcert_managed export_managed(Tensor& t, const dlcert_request& request) {
    if (requested_form(request) != DLCERT_LEGACY) throw NotFormable{};
    void* const made = checked(tensorflow::TFE_HandleToDLPack(t.handle.get(), status));
    return {DLCERT_LEGACY, 0, made};
  }
  Tensor import_managed(dlcert_managed managed) {
    static auto* const context = checked(TFE_NewContext(TFE_NewContextOptions(), status));
    auto* const given = imported<DLManagedTensor>(managed);
    return Array{checked(tensorflow::TFE_HandleFromDLPack(given, status, context))};
  }
};

}  // namespace dlcert::adapter

DLCERT_ADAPTER(dlcert::adapter::Tensorflow)
