// SPDX-License-Identifier: Apache-2.0
//
// Streams, and which one the calling thread's work goes to on each device. Source: torch 2.4,
// current_stream, default_stream, set_stream, StreamContext; c10 CUDAStream.

#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <vector>

#include "dlcert/cuda/device_guard.hpp"
#include "dlcert/cuda/device_selection.hpp"
#include "dlcert/driver/driver.hpp"

namespace dlcert::cuda {

/// PyTorch's number for GPUs of both vendors (c10::DeviceType::CUDA); DLPack has others.
inline constexpr int gpu_device_type = 1;

struct Stream {
  std::int64_t id = 0;  ///< 0: default; negative: of the pool; else the handle of an external one
  std::int64_t device_index = 0;
  int device_type = gpu_device_type;
  driver::Stream handle = driver::Stream::null;  ///< native; of that device

  friend bool operator==(const Stream&, const Stream&) = default;
};

enum class StreamPriority : std::uint8_t { normal, high };

/// Of one library instance. Functions that take a device initialize, and throw a RuntimeError that
/// names an index without a device; what the driver refuses is a CudaError.
class Streams {
 public:
  /// As many per device and priority; then they are given again in turn.
  static constexpr std::size_t pool_size = 32;

  /// `devices` outlives it.
  explicit Streams(DeviceSelection& devices);
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;
  /// Pooled streams are left to the driver: others may still know them.
  virtual ~Streams();

  /// Of the calling thread; the default stream until it sets another one.
  [[nodiscard]] Stream current(const DeviceArgument& device);
  [[nodiscard]] Stream default_stream(const DeviceArgument& device);
  /// A stream of the pool, which does not synchronize with the default stream.
  [[nodiscard]] Stream take(const DeviceArgument& device,
                            StreamPriority priority = StreamPriority::normal);
  /// A foreign stream, which has to live longer than all use of it. 0 is the default stream.
  [[nodiscard]] virtual Stream external(std::uintptr_t handle, const DeviceArgument& device);

  /// Makes a stream current on its device, and that device current in the calling thread. None
  /// changes nothing.
  void set(const std::optional<Stream>& stream);
  /// The same by the three numbers that identify a stream. Throws a RuntimeError for a type other
  /// than gpu_device_type, an index without a device and an id of the pool that was not given.
  void set(std::int64_t id, std::int64_t device_index, int device_type);

  /// Whether all work of the stream has run, whichever device is current.
  [[nodiscard]] virtual bool query(const Stream& stream);
  /// Blocks until it has.
  virtual void synchronize(const Stream& stream);

  [[nodiscard]] DeviceSelection& devices() const noexcept { return devices_; }

 protected:
  [[nodiscard]] virtual Stream read_current(std::int64_t device) const;
  virtual void write_current(const Stream& stream) const;
  [[nodiscard]] virtual driver::Stream create(std::int64_t device, StreamPriority priority);
  /// Throws a RuntimeError unless there is the device.
  virtual void refuse_missing(std::int64_t device) const;

 private:
  struct Pool {
    std::deque<driver::Stream> made;
    std::size_t next = 0;
  };
  using Pools = std::array<Pool, 2>;  // by priority

  [[nodiscard]] std::int64_t checked(const DeviceArgument& device);
  [[nodiscard]] Stream find(std::int64_t id, std::int64_t device_index);

  DeviceSelection& devices_;
  const std::uint64_t instance_;  // never used twice
  std::mutex mutex_;              // of the pools
  std::vector<Pools> pools_;      // by device
};

/// Python's `with torch.cuda.stream(s)`: may be entered more than once, also within itself. On exit
/// the former stream of the other device, then that of the device that was current at entry, and
/// that device, are restored. Enter and exit in the same thread. Nothing happens for None and
/// without a GPU.
class StreamContext {
 public:
  /// `streams` outlives it.
  StreamContext(Streams& streams, std::optional<Stream> stream);
  StreamContext(const StreamContext&) = delete;
  StreamContext& operator=(const StreamContext&) = delete;
  virtual ~StreamContext();

  void enter();
  void exit();

 protected:
  struct Former {
    Stream source;                      ///< of the device that was current
    std::optional<Stream> destination;  ///< of the stream's device, if it is another one
  };
  [[nodiscard]] virtual Former look(const Stream& entered);
  virtual void restore(const Former& former);
  [[nodiscard]] Streams& streams() const noexcept { return streams_; }

 private:
  Streams& streams_;
  std::optional<Stream> stream_;  // none also without a GPU
  std::vector<Former> former_;
};

/// A StreamContext that is entered as long as it lives. A failure to restore is dropped.
class StreamGuard {
 public:
  StreamGuard(Streams& streams, std::optional<Stream> stream) : context_{streams, stream} {
    context_.enter();
  }
  StreamGuard(const StreamGuard&) = delete;
  StreamGuard& operator=(const StreamGuard&) = delete;
  ~StreamGuard();

 private:
  StreamContext context_;
};

}  // namespace dlcert::cuda
