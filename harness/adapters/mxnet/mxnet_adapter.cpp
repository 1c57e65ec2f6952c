// SPDX-License-Identifier: Apache-2.0

// MXNet's NDArrays, by the functions of mxnet/c_api.h, with NumPy's shapes.
#include <dlpack/dlpack.h>
#include <mxnet/c_api.h>

#include <dlcert/adapter_strided.hpp>

namespace dlcert::adapter {

// By the numbers of mshadow/base.h.
const DtypeTable<int> types{{kDLFloat, 32, 0}, {kDLFloat, 64, 1},  {kDLFloat, 16, 2},
                            {kDLUInt, 8, 3},   {kDLInt, 32, 4},    {kDLInt, 8, 5},
                            {kDLInt, 64, 6},   {kDLBfloat, 16, 12}};

static void check(int status) {
  if (status != 0) throw std::runtime_error{MXGetLastError()};
}

struct Array {
  std::shared_ptr<void> handle;
  std::vector<std::int64_t> shape;  // when it was described last
};

struct Mxnet : StridedTensors<Array> {
  int former_shapes = 0;
  const char* name() { return "mxnet"; }
  const char* version() { return DLCERT_MXNET_VERSION; }
  void open(const dlcert_host&) { check(MXSetIsNumpyShape(2, &former_shapes)); }
  bool has(dlcert_dtype dtype) override { return types.own(dtype) != nullptr; }
  bool has_layout(const dlcert_tensor_spec& spec) override { return compact(spec); }
  bool takes_layout(const dlcert_tensor_spec& spec) override {
    return compact_at_offset(spec) && !empty(spec);  // whose strides it reckons otherwise
  }
  Tensor make(const dlcert_tensor_spec& spec) override {
    NDArrayHandle made = nullptr;
    const int type = *types.own(spec.dtype);
    check(MXNDArrayCreateEx64(spec.shape, spec.ndim, kDLCPU, 0, 0, type, &made));
    return {{made, &MXNDArrayFree}, {}};
  }
  dlcert_description describe(Tensor& array) override {
    int type = 0, rank = 0;
    const std::int64_t* extents = nullptr;
    void* data = nullptr;
    check(MXNDArrayWaitToWrite(array.handle.get()));
    check(MXNDArrayGetDType(array.handle.get(), &type));
    check(MXNDArrayGetShapeEx64(array.handle.get(), &rank, &extents));
    check(MXNDArrayGetData(array.handle.get(), &data));
    array.shape.assign(extents, extents + rank);
    return described(types.dtype(type), host, array.shape, {}, data);
  }
  Tensor alias(Tensor& array) { return array; }
  dlcert_managed export_managed(Tensor& array, const dlcert_request& request) {
    void* made = nullptr;
    if (requested_form(request) == DLCERT_LEGACY)
      check(MXNDArrayToDLPack(array.handle.get(), &made));
    return {DLCERT_LEGACY, 0, made};
  }
  Tensor import_managed(dlcert_managed managed) {
    NDArrayHandle made = nullptr;
    check(MXNDArrayFromDLPackEx(imported<DLManagedTensor>(managed), false, &made));
    return {{made, &MXNDArrayFree}, {}};
  }
};

}  // namespace dlcert::adapter

DLCERT_ADAPTER(dlcert::adapter::Mxnet)
