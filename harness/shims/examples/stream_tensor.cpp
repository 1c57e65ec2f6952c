// SPDX-License-Identifier: Apache-2.0

#include "shims/examples/stream_tensor.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

// The twins that a certification must find differ in one line. Of the others some are right, and
// ask what the drop-in runtime does not model, or launch kernels, which it does not run; one ends
// the process for what that runtime answered.
#define STREAM_TENSOR_CORRECT 0
#define STREAM_TENSOR_WITHOUT_WAIT 1
#define STREAM_TENSOR_WITH_HOST_BLOCK 2
#define STREAM_TENSOR_WITH_ARRAY 3
#define STREAM_TENSOR_WITH_KERNELS 4
#define STREAM_TENSOR_WITH_KERNELS_WITHOUT_WAIT 5
#define STREAM_TENSOR_WITH_CRASH_BEHIND_ARRAY 6
#ifndef STREAM_TENSOR_TWIN
#define STREAM_TENSOR_TWIN STREAM_TENSOR_CORRECT
#endif

namespace stream_tensor {
namespace {

constexpr auto device_type = static_cast<DLDeviceType>(gpu::dlpack_device_type);

void check(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error{cudaGetErrorString(error)};
}

void require(bool holds, const std::string& otherwise) {
  if (!holds) throw std::invalid_argument{otherwise};
}

class DeviceScope {
 public:
  explicit DeviceScope(int device) {
    check(cudaGetDevice(&before_));
    check(cudaSetDevice(device));
  }
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;
  ~DeviceScope() { static_cast<void>(cudaSetDevice(before_)); }

 private:
  int before_ = 0;
};

class Event {
 public:
  Event() { check(cudaEventCreateWithFlags(&handle_, cudaEventDisableTiming)); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { static_cast<void>(cudaEventDestroy(handle_)); }

  [[nodiscard]] cudaEvent_t handle() const { return handle_; }

 private:
  cudaEvent_t handle_ = nullptr;
};

// The runtime waits for the work that may use the memory, and finds its device.
void free_memory(void* memory) {
  static_cast<void>(cudaFree(memory));
}

std::shared_ptr<void> allocate_memory(std::size_t bytes) {
  void* memory = nullptr;
  if (bytes > 0) check(cudaMalloc(&memory, bytes));
  return {memory, free_memory};
}

// ---- streams ------------------------------------------------------------------------------------

std::vector<cudaStream_t>& current_streams() {
  thread_local std::vector<cudaStream_t> streams;
  return streams;
}

// So that the legacy default stream has one name.
cudaStream_t named(cudaStream_t stream) {
  return stream == nullptr ? gpu::legacy_stream() : stream;
}

cudaStream_t stream_of(std::int64_t number) {
  if (number == gpu::legacy_stream_number) return gpu::legacy_stream();
  if (number == 2 && gpu::numbers_per_thread_stream) return cudaStreamPerThread;
  require(number > 2, "expected the number of a stream but found " + std::to_string(number));
  return std::bit_cast<cudaStream_t>(number);
}

// Makes what comes next on `consumer` wait for what the current stream holds.
void order_behind_current(int device, cudaStream_t consumer) {
  const cudaStream_t current = current_stream(device);
  if (named(current) == named(consumer)) return;
#if STREAM_TENSOR_TWIN == STREAM_TENSOR_WITH_ARRAY
  cudaArray_t array = nullptr;
  const cudaChannelFormatDesc bytes =
      cudaCreateChannelDesc(8, 0, 0, 0, cudaChannelFormatKindUnsigned);
  check(cudaMallocArray(&array, &bytes, 64, 0, 0));
#endif
  const Event done;
  check(cudaEventRecord(done.handle(), current));
#if STREAM_TENSOR_TWIN == STREAM_TENSOR_WITH_CRASH_BEHIND_ARRAY
  cudaArray_t array = nullptr;
  const cudaChannelFormatDesc bytes =
      cudaCreateChannelDesc(8, 0, 0, 0, cudaChannelFormatKindUnsigned);
  if (cudaMallocArray(&array, &bytes, 64, 0, 0) != cudaSuccess) std::abort();
#endif
#if STREAM_TENSOR_TWIN != STREAM_TENSOR_WITHOUT_WAIT && \
    STREAM_TENSOR_TWIN != STREAM_TENSOR_WITH_KERNELS_WITHOUT_WAIT
  check(cudaStreamWaitEvent(consumer, done.handle(), 0));
#endif
#if STREAM_TENSOR_TWIN == STREAM_TENSOR_WITH_HOST_BLOCK
  check(cudaStreamSynchronize(current));
#endif
}

#if STREAM_TENSOR_TWIN == STREAM_TENSOR_WITH_KERNELS || \
    STREAM_TENSOR_TWIN == STREAM_TENSOR_WITH_KERNELS_WITHOUT_WAIT
#define STREAM_TENSOR_WRITES_BY_KERNEL

// ---- kernels ------------------------------------------------------------------------------------

// As nvcc writes them: what stands for a kernel on the host, and its registration.
extern "C" {
void** __cudaRegisterFatBinary(void* code);
void __cudaRegisterFunction(void** module, const char* function, char* on_device, const char* name,
                            int thread_limit, uint3* thread, uint3* block, dim3* block_extent,
                            dim3* grid_extent, int* warp_size);
}

void write_kernel() {}

void launch_write(cudaStream_t stream) {
  static const bool registered = [] {
    static char name[] = "write";
    __cudaRegisterFunction(__cudaRegisterFatBinary(nullptr),
                           reinterpret_cast<const char*>(&write_kernel), name, name, -1, nullptr,
                           nullptr, nullptr, nullptr, nullptr);
    return true;
  }();
  require(registered, "no kernel");
  check(cudaLaunchKernel(reinterpret_cast<const void*>(&write_kernel), dim3{1}, dim3{1}, nullptr, 0,
                         stream));
}
#endif

// ---- staging ------------------------------------------------------------------------------------

// Pinned memory on its way to a device. A host function behind the copy hands it back, since the
// caller's bytes may be gone by then; it may not call the runtime, so blocks are used again and
// never freed.
class StagingBlock {
 public:
  explicit StagingBlock(std::size_t bytes) : bytes_{bytes} {
    check(cudaMallocHost(&memory_, bytes));
  }

  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] void* memory() const { return memory_; }

 private:
  void* memory_ = nullptr;
  std::size_t bytes_;
};

struct IdleBlocks {
  std::mutex mutex;
  std::vector<StagingBlock*> blocks;
};

IdleBlocks& idle_blocks() {
  static IdleBlocks& idle = *new IdleBlocks;
  return idle;
}

StagingBlock* take_idle_block(std::size_t bytes) {
  const std::scoped_lock lock{idle_blocks().mutex};
  std::vector<StagingBlock*>& idle = idle_blocks().blocks;
  const auto fits = [bytes](const StagingBlock* block) { return block->bytes() >= bytes; };
  const auto found = std::ranges::find_if(idle, fits);
  if (found == idle.end()) return nullptr;
  StagingBlock* const block = *found;
  idle.erase(found);
  return block;
}

void give_block_back(void* block) {
  const std::scoped_lock lock{idle_blocks().mutex};
  idle_blocks().blocks.push_back(static_cast<StagingBlock*>(block));
}

// ---- layouts ------------------------------------------------------------------------------------

std::vector<std::int64_t> compact_strides(std::span<const std::int64_t> shape) {
  std::vector<std::int64_t> strides(shape.size());
  std::int64_t stride = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    strides[axis] = stride;
    stride *= std::max<std::int64_t>(shape[axis], 1);
  }
  return strides;
}

std::size_t count_bytes(std::span<const std::int64_t> shape, DLDataType dtype) {
  require(dtype.lanes == 1 && dtype.bits % 8 == 0, "expected elements of whole bytes, one lane");
  std::int64_t bytes = dtype.bits / 8;
  for (const std::int64_t extent : shape) {
    require(extent >= 0, "expected an extent of at least 0 but found " + std::to_string(extent));
    require(extent == 0 || bytes <= std::numeric_limits<std::int64_t>::max() / extent,
            "expected fewer than 2^63 bytes");
    bytes *= extent;
  }
  return static_cast<std::size_t>(bytes);
}

// Strides of axes with one element, and of tensors with none, say nothing.
bool is_compact(const DLTensor& tensor, std::span<const std::int64_t> shape) {
  if (tensor.strides == nullptr || std::ranges::count(shape, 0) > 0) return true;
  const std::vector<std::int64_t> expected = compact_strides(shape);
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    if (shape[axis] != 1 && tensor.strides[axis] != expected[axis]) return false;
  return true;
}

}  // namespace

// ---- streams ------------------------------------------------------------------------------------

Stream::Stream(int device) {
  const DeviceScope scope{device};
  check(cudaStreamCreateWithFlags(&handle_, cudaStreamNonBlocking));
}

Stream::~Stream() {
  static_cast<void>(cudaStreamDestroy(handle_));
}

cudaStream_t current_stream(int device) {
  const auto index = static_cast<std::size_t>(device);
  return index < current_streams().size() ? current_streams()[index] : nullptr;
}

void set_current_stream(int device, cudaStream_t stream) {
  const auto index = static_cast<std::size_t>(device);
  if (index >= current_streams().size()) current_streams().resize(index + 1, nullptr);
  current_streams()[index] = stream;
}

void synchronize(int device) {
  const DeviceScope scope{device};
  check(cudaStreamSynchronize(current_stream(device)));
}

std::int64_t stream_for_producer(int device) {
  const cudaStream_t stream = current_stream(device);
  // A per-thread stream without a number waits for the null stream.
  const bool has_number = gpu::numbers_per_thread_stream || stream != cudaStreamPerThread;
  return stream == nullptr || !has_number ? gpu::legacy_stream_number
                                          : std::bit_cast<std::int64_t>(stream);
}

// ---- tensors ------------------------------------------------------------------------------------

struct Tensor::Storage {
  std::shared_ptr<void> memory;  ///< the device's memory, or the producer's tensor
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;
  std::uint64_t flags = 0;
  bool filled = false;
  DLTensor tensor{};

  Storage(std::shared_ptr<void> owner, std::vector<std::int64_t> extents, DLTensor fields)
      : memory{std::move(owner)},
        shape{std::move(extents)},
        strides{compact_strides(shape)},
        tensor{fields} {
    tensor.ndim = static_cast<std::int32_t>(shape.size());
    tensor.shape = shape.data();
    tensor.strides = strides.data();
  }

  [[nodiscard]] int device() const { return tensor.device.device_id; }
  [[nodiscard]] std::size_t bytes() const { return count_bytes(shape, tensor.dtype); }
  [[nodiscard]] std::byte* data() const {
    return static_cast<std::byte*>(tensor.data) + tensor.byte_offset;
  }
};

Tensor::Tensor(std::shared_ptr<Storage> storage) : storage_{std::move(storage)} {}

std::shared_ptr<Tensor::Storage> Tensor::allocate(std::vector<std::int64_t> shape, DLDataType dtype,
                                                  int device) {
  const DeviceScope scope{device};
  std::shared_ptr<void> memory = allocate_memory(count_bytes(shape, dtype));
  DLTensor fields{};
  fields.data = memory.get();
  fields.device = {device_type, device};
  fields.dtype = dtype;
  return std::make_shared<Storage>(std::move(memory), std::move(shape), fields);
}

Tensor Tensor::from_bytes(std::span<const std::byte> bytes, std::vector<std::int64_t> shape,
                          DLDataType dtype, int device) {
  Tensor tensor{allocate(std::move(shape), dtype, device)};
  tensor.write(bytes);
  return tensor;
}

Tensor Tensor::zeros(std::vector<std::int64_t> shape, DLDataType dtype, int device) {
  Tensor tensor{allocate(std::move(shape), dtype, device)};
  const Storage& storage = *tensor.storage_;
  const DeviceScope scope{device};
  if (storage.bytes() > 0)
    check(cudaMemsetAsync(storage.data(), 0, storage.bytes(), current_stream(device)));
  return tensor;
}

Tensor Tensor::import(DLManagedTensorVersioned* managed) {
  require(managed != nullptr, "expected a tensor but found NULL");
  std::shared_ptr<void> owner{managed, [managed](void*) {
                                if (managed->deleter != nullptr) managed->deleter(managed);
                              }};
  require(managed->version.major == DLPACK_MAJOR_VERSION,
          "expected DLPack 1 but found " + std::to_string(managed->version.major));
  const DLTensor& given = managed->dl_tensor;
  require(given.device.device_type == device_type, "expected a tensor on a device of this library");
  std::vector<std::int64_t> shape(given.shape, given.shape + given.ndim);
  static_cast<void>(count_bytes(shape, given.dtype));
  require(is_compact(given, shape), "expected a compact row-major tensor");
  auto storage = std::make_shared<Storage>(std::move(owner), std::move(shape), given);
  storage->flags = managed->flags & DLPACK_FLAG_BITMASK_READ_ONLY;
  return Tensor{std::move(storage)};
}

std::vector<std::byte> Tensor::to_bytes() const {
  std::vector<std::byte> bytes(storage_->bytes());
  if (bytes.empty()) return bytes;
  const DeviceScope scope{storage_->device()};
  const cudaStream_t stream = current_stream(storage_->device());
  check(cudaMemcpyAsync(bytes.data(), storage_->data(), bytes.size(), cudaMemcpyDeviceToHost,
                        stream));
  check(cudaStreamSynchronize(stream));
  return bytes;
}

void Tensor::write(std::span<const std::byte> bytes) {
  require((storage_->flags & DLPACK_FLAG_BITMASK_READ_ONLY) == 0, "the tensor is read-only");
  require(bytes.size() == storage_->bytes(), "expected " + std::to_string(storage_->bytes()) +
                                                 " bytes but found " +
                                                 std::to_string(bytes.size()));
  if (bytes.empty()) return;
  const DeviceScope scope{storage_->device()};
  const cudaStream_t stream = current_stream(storage_->device());
#ifdef STREAM_TENSOR_WRITES_BY_KERNEL
  if (std::exchange(storage_->filled, true)) return launch_write(stream);
#endif
  StagingBlock* block = take_idle_block(bytes.size());
  if (block == nullptr) block = new StagingBlock{bytes.size()};
  std::memcpy(block->memory(), bytes.data(), bytes.size());
  check(cudaMemcpyAsync(storage_->data(), block->memory(), bytes.size(), cudaMemcpyHostToDevice,
                        stream));
  check(cudaLaunchHostFunc(stream, give_block_back, block));
}

DLManagedTensorVersioned* Tensor::export_to(const ExportRequest& request) const {
  struct Exported {
    DLManagedTensorVersioned managed{};
    std::shared_ptr<const Storage> storage;
  };
  const std::int64_t number = request.stream.value_or(gpu::legacy_stream_number);
  if (number != -1) {
    const cudaStream_t consumer = stream_of(number);
    const DeviceScope scope{storage_->device()};
    order_behind_current(storage_->device(), consumer);
  }
  auto exported = std::make_unique<Exported>();
  exported->storage = storage_;
  exported->managed.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  exported->managed.manager_ctx = exported.get();
  exported->managed.flags = storage_->flags;
  exported->managed.dl_tensor = storage_->tensor;
  exported->managed.deleter = [](DLManagedTensorVersioned* self) {
    delete static_cast<Exported*>(self->manager_ctx);
  };
  return &exported.release()->managed;
}

const DLTensor& Tensor::view() const {
  return storage_->tensor;
}

}  // namespace stream_tensor
