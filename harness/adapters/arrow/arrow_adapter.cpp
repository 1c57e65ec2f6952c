// SPDX-License-Identifier: Apache-2.0

// Arrow's tensors, by the C++ functions of arrow/c/dlpack.h.
#include <arrow/api.h>
#include <arrow/c/dlpack.h>

#include <dlcert/adapter_strided.hpp>

namespace dlcert::adapter {

const DtypeTable<std::shared_ptr<arrow::DataType>> types{
    {kDLInt, 8, arrow::int8()},       {kDLInt, 16, arrow::int16()},
    {kDLInt, 32, arrow::int32()},     {kDLInt, 64, arrow::int64()},
    {kDLUInt, 8, arrow::uint8()},     {kDLUInt, 16, arrow::uint16()},
    {kDLUInt, 32, arrow::uint32()},   {kDLUInt, 64, arrow::uint64()},
    {kDLFloat, 16, arrow::float16()}, {kDLFloat, 32, arrow::float32()},
    {kDLFloat, 64, arrow::float64()}};

template <typename T>
T value(arrow::Result<T> result) {
  if (!result.ok()) throw std::invalid_argument{result.status().ToString()};
  return result.MoveValueUnsafe();
}

// A tensor, and its strides in elements; Arrow's own are in bytes.
struct Array {
  std::shared_ptr<arrow::Tensor> value;
  std::vector<std::int64_t> strides = in_elements(value->strides(), value->type()->byte_width());
};

struct Arrow : StridedTensors<Array> {
  const char* name() { return "arrow"; }
  const char* version() { return ARROW_VERSION_STRING; }
  std::uint32_t properties() { return DLCERT_FAILED_IMPORT_CONSUMES | DLCERT_KNOWS_READ_ONLY; }
  bool has(dlcert_dtype dtype) override { return types.own(dtype) != nullptr; }
  bool has_layout(const dlcert_tensor_spec& spec) override { return !reversed(spec); }
  std::uint32_t flags() override { return DLCERT_SPEC_READ_ONLY | DLCERT_SPEC_BYTE_STRIDES; }
  Tensor make(const dlcert_tensor_spec& spec) override {
    std::shared_ptr<arrow::Buffer> memory = value(arrow::AllocateBuffer(storage_bytes(spec)));
    std::memset(memory->mutable_data(), 0, static_cast<std::size_t>(memory->size()));
    memory = arrow::SliceMutableBuffer(memory, offset_bytes(spec));
    if ((spec.flags & DLCERT_SPEC_READ_ONLY) != 0) memory = arrow::SliceBuffer(memory, 0);
    return {std::make_shared<arrow::Tensor>(*types.own(spec.dtype), memory, shape_of(spec),
                                            byte_strides_of(spec))};
  }
  dlcert_description describe(Tensor& t) override {
    return described(types.dtype(t.value->type()), host, t.value->shape(), t.strides,
                     t.value->raw_data(), t.value->is_mutable() ? 0 : DLCERT_DESCRIPTION_READ_ONLY);
  }
  Elements elements(Tensor& t) override {
    const arrow::Tensor& x = *t.value;
    return {x.type()->byte_width(), x.shape(), x.strides(), x.raw_data()};
  }
  Tensor alias(Tensor& t) { return t; }
  dlcert_managed export_managed(Tensor& t, const dlcert_request& request) {
    if (requested_form(request, true) == DLCERT_LEGACY)
      return exported(value(arrow::dlpack::ExportTensor(t.value)));
    return exported(value(arrow::dlpack::ExportTensorVersioned(t.value, requested_copy(request))));
  }
  Tensor import_managed(dlcert_managed managed) {
    auto* const tensor = imported<DLManagedTensorVersioned>(managed);
    return {value(arrow::dlpack::ImportTensorVersioned(tensor))};
  }
};

}  // namespace dlcert::adapter

DLCERT_ADAPTER(dlcert::adapter::Arrow)
