// SPDX-License-Identifier: Apache-2.0
//
// What dlcert needs to see of stream_tensor: everything that its rules on devices and streams ask.
#include <algorithm>

#include <dlcert/adapter.hpp>

#include "shims/examples/stream_tensor.hpp"

namespace {

using Handle = stream_tensor::Tensor;

// Makes a stream current, and the former one again.
class CurrentStream {
 public:
  CurrentStream(int device, cudaStream_t stream)
      : device_{device}, former_{stream_tensor::current_stream(device)} {
    stream_tensor::set_current_stream(device, stream);
  }
  CurrentStream(const CurrentStream&) = delete;
  CurrentStream& operator=(const CurrentStream&) = delete;
  ~CurrentStream() { stream_tensor::set_current_stream(device_, former_); }

 private:
  int device_;
  cudaStream_t former_;
};

stream_tensor::ExportRequest request_of(const dlcert_request& request) {
  // The library has no such arguments, and no legacy form.
  const bool versioned = request.max_version.tag == DLCERT_PAIR && request.max_version.first >= 1;
  if (!versioned || request.dl_device.tag > DLCERT_NONE || request.copy.tag > DLCERT_NONE)
    throw dlcert::adapter::NotFormable{};
  if (request.stream.tag <= DLCERT_NONE) return {};
  if (request.stream.tag != DLCERT_INT) throw dlcert::adapter::NotFormable{};
  return {request.stream.first};
}

struct StreamTensor {
  using Tensor = Handle;

  const char* name() { return "stream_tensor"; }
  const char* version() { return "1"; }
  std::uint32_t properties() { return DLCERT_FAILED_IMPORT_CONSUMES; }

  bool can(const dlcert_tensor_spec& spec) {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess) return false;
    return spec.device.type == gpu::dlpack_device_type && spec.device.id >= 0 &&
           spec.device.id < devices && spec.state == DLCERT_STATE_PLAIN && spec.flags == 0 &&
           spec.dtype.lanes == 1 && spec.dtype.bits % 8 == 0 && dlcert::adapter::compact(spec);
  }
  Tensor create(const dlcert_tensor_spec& spec, std::span<const std::byte> logical) {
    return Tensor::from_bytes(logical, {spec.shape, spec.shape + spec.ndim},
                              {spec.dtype.code, spec.dtype.bits, spec.dtype.lanes}, spec.device.id);
  }
  dlcert_description describe(Tensor& tensor) {
    const DLTensor& view = tensor.view();
    dlcert_description said{};
    said.dtype = {view.dtype.code, view.dtype.bits, view.dtype.lanes};
    said.device = {static_cast<std::int32_t>(view.device.device_type), view.device.device_id};
    said.ndim = view.ndim;
    said.shape = view.shape;
    said.strides = view.strides;
    said.data = static_cast<const std::byte*>(view.data) + view.byte_offset;
    return said;
  }
  void read(Tensor& tensor, std::span<std::byte> logical) {
    std::ranges::copy(tensor.to_bytes(), logical.begin());
  }
  void write(Tensor& tensor, std::span<const std::byte> logical) { tensor.write(logical); }

  dlcert_device dlpack_device(Tensor& tensor) { return describe(tensor).device; }
  dlcert_managed export_managed(Tensor& tensor, const dlcert_request& request) {
    return {DLCERT_VERSIONED, 0, tensor.export_to(request_of(request))};
  }
  Tensor import_managed(dlcert_managed managed) {
    if (managed.form != DLCERT_VERSIONED) throw dlcert::adapter::NotFormable{};
    return Tensor::import(static_cast<DLManagedTensorVersioned*>(managed.pointer));
  }
  Tensor import_from(const dlcert_producer& producer, const dlcert_import_request& request) {
    if (request.device.tag > DLCERT_NONE || request.copy.tag > DLCERT_NONE)
      throw dlcert::adapter::NotFormable{};
    const dlcert_device device = dlcert::adapter::dlpack_device(producer);
    if (device.type != gpu::dlpack_device_type)
      throw std::invalid_argument{"expected a tensor on a device of this library"};
    dlcert_request asked{};
    asked.struct_size = sizeof asked;
    asked.stream.tag = DLCERT_INT;
    asked.stream.first = stream_tensor::stream_for_producer(device.id);
    asked.max_version.tag = DLCERT_PAIR;
    asked.max_version.first = DLPACK_MAJOR_VERSION;
    asked.max_version.second = DLPACK_MINOR_VERSION;
    return import_managed(dlcert::adapter::dlpack(producer, asked).managed);
  }

  void run_with_stream(dlcert_device device, std::uint64_t stream, void (*body)(void*),
                       void* context) {
    const CurrentStream current{device.id, reinterpret_cast<cudaStream_t>(stream)};
    body(context);
  }
  std::uint64_t current_stream(dlcert_device device) {
    return reinterpret_cast<std::uint64_t>(stream_tensor::current_stream(device.id));
  }
  void synchronize(dlcert_device device) { stream_tensor::synchronize(device.id); }
  std::int32_t current_device(std::int32_t) {
    int device = 0;
    if (cudaGetDevice(&device) != cudaSuccess) throw std::runtime_error{"no device"};
    return device;
  }
};

}  // namespace

DLCERT_ADAPTER(StreamTensor)
