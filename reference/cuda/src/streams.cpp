// SPDX-License-Identifier: Apache-2.0

#include "dlcert/cuda/streams.hpp"

#include <fmt/format.h>

#include <atomic>
#include <map>
#include <utility>

#include "dlcert/cuda/errors.hpp"
#include "dlcert/cuda/runtime_status.hpp"
#include "dlcert/driver/select.hpp"

namespace dlcert::cuda {
namespace {

constinit std::atomic<std::uint64_t> instances{0};

// By library instance and device. None is the default stream.
thread_local std::map<std::pair<std::uint64_t, std::int64_t>, Stream> current_streams;

// Ids of the pool count down from -1: first the streams of normal priority.
std::int64_t pooled_id(StreamPriority priority, std::size_t place) {
  const std::size_t first = priority == StreamPriority::normal ? 1 : 1 + Streams::pool_size;
  return -static_cast<std::int64_t>(first + place);
}

}  // namespace

Streams::Streams(DeviceSelection& devices) : devices_{devices}, instance_{++instances} {}

Streams::~Streams() = default;

// ---- streams ------------------------------------------------------------------------------------

std::int64_t Streams::checked(const DeviceArgument& device) {
  devices_.initialization().initialize();
  const std::int64_t index = devices_.index_of(device);
  refuse_missing(index);
  return index;
}

void Streams::refuse_missing(std::int64_t device) const {
  const std::int64_t count = devices_.runtime_count();
  if (device < 0 || device >= count)
    throw RuntimeError(
        fmt::format("expected a device from 0 to {} but found {}", count - 1, device));
}

Stream Streams::current(const DeviceArgument& device) {
  return read_current(checked(device));
}

Stream Streams::default_stream(const DeviceArgument& device) {
  return {.device_index = checked(device)};
}

Stream Streams::take(const DeviceArgument& device, StreamPriority priority) {
  const std::int64_t index = checked(device);
  const std::scoped_lock lock(mutex_);
  if (pools_.empty()) pools_.resize(static_cast<std::size_t>(devices_.runtime_count()));
  Pool& pool = pools_.at(static_cast<std::size_t>(index)).at(static_cast<std::size_t>(priority));
  const std::size_t place = pool.next;
  if (place == pool.made.size()) pool.made.push_back(create(index, priority));
  pool.next = (place + 1) % pool_size;
  return {.id = pooled_id(priority, place), .device_index = index, .handle = pool.made[place]};
}

driver::Stream Streams::create(std::int64_t device, StreamPriority priority) {
  const DeviceGuard guard(devices_, device);
  driver::Stream made{};
  check(driver::driver().create_stream(driver::StreamKind::non_blocking,
                                       priority == StreamPriority::high ? -1 : 0, made));
  return made;
}

Stream Streams::external(std::uintptr_t handle, const DeviceArgument& device) {
  return {.id = static_cast<std::int64_t>(handle),
          .device_index = checked(device),
          .handle = driver::Stream{handle}};
}

Stream Streams::find(std::int64_t id, std::int64_t device_index) {
  if (id >= 0)
    return {.id = id,
            .device_index = device_index,
            .handle = driver::Stream{static_cast<std::uintptr_t>(id)}};
  const std::scoped_lock lock(mutex_);
  if (!pools_.empty()) {
    const Pools& pools = pools_.at(static_cast<std::size_t>(device_index));
    for (const StreamPriority priority : {StreamPriority::normal, StreamPriority::high}) {
      const auto& made = pools.at(static_cast<std::size_t>(priority)).made;
      for (std::size_t place = 0; place < made.size(); ++place)
        if (pooled_id(priority, place) == id)
          return {.id = id, .device_index = device_index, .handle = made[place]};
    }
  }
  throw RuntimeError(
      fmt::format("expected the id of a stream of device {} but found {}", device_index, id));
}

// ---- the current stream -------------------------------------------------------------------------

Stream Streams::read_current(std::int64_t device) const {
  const auto found = current_streams.find({instance_, device});
  return found != current_streams.end() ? found->second : Stream{.device_index = device};
}

void Streams::write_current(const Stream& stream) const {
  current_streams.insert_or_assign({instance_, stream.device_index}, stream);
}

void Streams::set(const std::optional<Stream>& stream) {
  if (stream) set(stream->id, stream->device_index, stream->device_type);
}

void Streams::set(std::int64_t id, std::int64_t device_index, int device_type) {
  devices_.initialization().initialize();
  if (device_type != gpu_device_type)
    throw RuntimeError(
        fmt::format("expected device type {} but found {}", gpu_device_type, device_type));
  refuse_missing(device_index);
  const Stream stream = find(id, device_index);
  if (devices_.current() != device_index) devices_.set(device_index);
  write_current(stream);
}

// ---- work ---------------------------------------------------------------------------------------

// The default stream's handle means that of the current device.
bool Streams::query(const Stream& stream) {
  const DeviceGuard guard(devices_, checked(stream.device_index));
  const driver::Status status = driver::driver().query_stream(stream.handle);
  if (status == driver::Status::not_ready) return false;
  check(status);
  return true;
}

void Streams::synchronize(const Stream& stream) {
  const DeviceGuard guard(devices_, checked(stream.device_index));
  check(driver::driver().synchronize_stream(stream.handle));
}

// ---- blocks -------------------------------------------------------------------------------------

StreamContext::StreamContext(Streams& streams, std::optional<Stream> stream)
    : streams_{streams}, stream_{stream} {
  if (stream_ && !streams.devices().available()) stream_.reset();
}

StreamContext::~StreamContext() = default;

StreamContext::Former StreamContext::look(const Stream& entered) {
  Former former{.source = streams_.current({}), .destination = {}};
  if (former.source.device_index != entered.device_index)
    former.destination = streams_.current(entered.device_index);
  return former;
}

void StreamContext::restore(const Former& former) {
  streams_.set(former.destination);
  streams_.set(former.source);
}

void StreamContext::enter() {
  if (!stream_) return;
  former_.reserve(former_.size() + 1);
  const Former former = look(*stream_);
  streams_.set(stream_);
  former_.push_back(former);
}

void StreamContext::exit() {
  if (!stream_) return;
  if (former_.empty()) throw RuntimeError("cannot exit a stream context that was not entered");
  const Former former = former_.back();
  former_.pop_back();
  restore(former);
}

StreamGuard::~StreamGuard() {
  try {
    context_.exit();
  } catch (const Error&) {  // a destructor reports nothing
  }
}

}  // namespace dlcert::cuda
