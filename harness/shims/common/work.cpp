// SPDX-License-Identifier: Apache-2.0

#include "shims/common/work.hpp"

#include "dlcert/driver/blocking_calls.hpp"

namespace dlcert::shim {
namespace {

using driver::CopyDirection;
using driver::MemoryKind;
using driver::PointerAttributes;

constexpr std::size_t pitch_alignment = 512;

template <class Work>
bool is_one_row(const Work& work) {
  return work.rows == 1 && work.slices == 1;
}

bool is_direction(int number) {
  return number >= 0 && number <= static_cast<int>(CopyDirection::inferred);
}

MemoryKind kind_of(SimulatedDriver& driver, const void* memory) {
  PointerAttributes found;
  const Status status = driver.attributes(memory, found);
  return status == Status::success ? found.kind : MemoryKind::pageable;
}

// A fill of nothing is refused wherever a call that may block is: in captures.
Status may_block(SimulatedDriver& driver, void* memory) {
  return driver.fill(memory, 0, 0);
}

// Makes the legacy stream of `after` wait for that of `before`. The current device becomes `after`.
Status chain(SimulatedDriver& driver, int before, int after) {
  if (before == after) return Status::success;
  driver::Event event{};
  Status status = driver.set_device(before);
  if (status != Status::success) return status;
  status = driver.create_event(driver::EventTiming::disabled, event);
  if (status != Status::success) return status;
  status = driver.record_event(event, Stream::null);
  if (status == Status::success) status = driver.set_device(after);
  if (status == Status::success) status = driver.wait_event(Stream::null, event);
  static_cast<void>(driver.destroy_event(event));
  return status;
}

}  // namespace

// ---- copies -------------------------------------------------------------------------------------

Status copy_async(SimulatedDriver& driver, const Copy& copy, Stream stream) {
  if (!is_direction(copy.direction)) return Status::invalid_copy_direction;
  const auto direction = static_cast<CopyDirection>(copy.direction);
  if (copy.order == driver::SourceOrder::stream && copy.slices == 1) {
    if (copy.rows == 1)
      return driver.copy_async(copy.to, copy.from, copy.row_bytes, direction, stream);
    return driver.copy_2d_async(copy.to, copy.to_pitch, copy.from, copy.from_pitch, copy.row_bytes,
                                copy.rows, direction, stream);
  }
  return driver.copy_box_async(copy.to, {copy.to_pitch, copy.to_slice_pitch}, copy.from,
                               {copy.from_pitch, copy.from_slice_pitch},
                               {copy.row_bytes, copy.rows, copy.slices}, direction, copy.order,
                               stream);
}

Status copy_now(SimulatedDriver& driver, const Copy& copy, Stream default_stream) {
  if (!is_direction(copy.direction)) return Status::invalid_copy_direction;
  const auto direction = static_cast<CopyDirection>(copy.direction);
  if (default_stream == Stream::null && is_one_row(copy))
    return driver.copy(copy.to, copy.from, copy.row_bytes, direction);
  return driver.copy_box(copy.to, {copy.to_pitch, copy.to_slice_pitch}, copy.from,
                         {copy.from_pitch, copy.from_slice_pitch},
                         {copy.row_bytes, copy.rows, copy.slices}, direction, default_stream);
}

Status copy_peer_async(SimulatedDriver& driver, int to_device, int from_device, const Copy& copy,
                       Stream stream) {
  if (is_one_row(copy))
    return driver.copy_peer_async(copy.to, to_device, copy.from, from_device, copy.row_bytes,
                                  stream);
  for (const int device : {to_device, from_device})
    if (const Status status = driver.init_device(device); status != Status::success) return status;
  return copy_async(driver, copy, stream);
}

Status copy_peer(SimulatedDriver& driver, int to_device, int from_device, const Copy& copy) {
  int current = 0;
  Status status = driver.current_device(current);
  if (status != Status::success) return status;
  const auto fence = [&] {
    for (const int device : {from_device, to_device, current})
      if (status == Status::success) status = driver.fence(device);
  };
  fence();
  for (const int device : {from_device, to_device})
    if (status == Status::success) status = chain(driver, device, current);
  if (status == Status::success)
    status = copy_peer_async(driver, to_device, from_device, copy, Stream::null);
  for (const int device : {from_device, to_device}) {
    if (status == Status::success) status = chain(driver, current, device);
    static_cast<void>(driver.set_device(current));
  }
  fence();
  return status;
}

// ---- fills --------------------------------------------------------------------------------------

Status fill_async(SimulatedDriver& driver, const Fill& fill, Stream stream) {
  const auto value = static_cast<std::uint8_t>(fill.value);
  if (is_one_row(fill)) return driver.fill_async(fill.memory, value, fill.row_bytes, stream);
  if (fill.row_bytes > fill.pitch) return Status::invalid_value;
  return driver.fill_box_async(fill.memory, {fill.pitch, fill.slice_pitch}, value,
                               {fill.row_bytes, fill.rows, fill.slices}, stream);
}

Status fill_now(SimulatedDriver& driver, const Fill& fill, Stream default_stream) {
  if (default_stream == Stream::null && is_one_row(fill))
    return driver.fill(fill.memory, static_cast<std::uint8_t>(fill.value), fill.row_bytes);
  if (const Status status = may_block(driver, fill.memory); status != Status::success)
    return status;
  const Status status = fill_async(driver, fill, default_stream);
  const bool waits = driver::fill_waits_for_its_end(vendor, kind_of(driver, fill.memory));
  return status == Status::success && waits ? driver.synchronize_stream(default_stream) : status;
}

// ---- memory and streams -------------------------------------------------------------------------

Status allocate_rows(SimulatedDriver& driver, std::size_t row_bytes, std::size_t rows, void** out,
                     std::size_t* pitch) {
  if (out == nullptr || pitch == nullptr) return Status::invalid_value;
  std::size_t aligned = 0, bytes = 0;
  if (__builtin_add_overflow(row_bytes, pitch_alignment - 1, &aligned))
    return Status::invalid_value;
  aligned -= aligned % pitch_alignment;
  if (__builtin_mul_overflow(aligned, rows, &bytes)) return Status::invalid_value;
  const Status status = driver.allocate(MemoryKind::device, bytes, *out);
  if (status == Status::success) *pitch = aligned;
  return status;
}

Status free_memory(SimulatedDriver& driver, void* memory) {
  const bool managed = memory != nullptr && kind_of(driver, memory) == MemoryKind::managed;
  return driver.release(managed ? MemoryKind::managed : MemoryKind::device, memory);
}

Status device_address(SimulatedDriver& driver, void* host, void** out) {
  if (out == nullptr) return Status::invalid_value;
  PointerAttributes found;
  const Status status = driver.attributes(host, found);
  if (status != Status::success) return status;
  if (found.device_pointer == nullptr || found.host_pointer == nullptr)
    return Status::invalid_value;
  *out = found.device_pointer;
  return Status::success;
}

Status refuse_in_capture(SimulatedDriver& driver, Stream stream) {
  auto capture = driver::CaptureStatus::none;
  const Status status = driver.capture_status(stream, capture);
  if (status != Status::success || capture == driver::CaptureStatus::none) return status;
  return Status::capture_unsupported;
}

Status refuse_captured(SimulatedDriver& driver, Stream stream) {
  auto capture = driver::CaptureStatus::none;
  const Status status = driver.capture_status(stream, capture);
  if (status != Status::success || capture == driver::CaptureStatus::none) return status;
  return driver.query_stream(stream);
}

}  // namespace dlcert::shim
