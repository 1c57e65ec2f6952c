// SPDX-License-Identifier: Apache-2.0

#include "device_elements.hpp"

#include <utility>
#include <vector>

#include "dlcert/tensor/layout.hpp"
#include "dlcert/tensor/streams.hpp"

#include "driver_calls.hpp"
#include "refuse.hpp"

namespace dlcert::reference {
namespace {

using driver::CopyDirection;

/// The calling thread's current stream of a tensor's device, for copies of its elements. The device
/// is the current one while this lives.
class CopyStream {
 public:
  explicit CopyStream(const Tensor& tensor)
      : ordinal_(ordinal_of(tensor.device())),
        guard_(ordinal_),
        stream_(current_stream(ordinal_)) {}

  void copy(void* to, const void* from, std::size_t bytes, CopyDirection direction) const {
    require(driver::driver().copy_async(to, from, bytes, direction, stream_), "copy_async");
  }
  /// Copies from host memory, which is not needed any more when this returns. A driver may read
  /// pageable memory, too, as late as when the copy runs: so what it reads is kept until then.
  void copy_from_host(const Tensor& tensor, void* to, const void* from, std::size_t bytes) const {
    const auto* const first = static_cast<const std::byte*>(from);
    std::vector<std::byte> read(first, first + bytes);
    copy(to, read.data(), bytes, CopyDirection::inferred);
    try {
      tensor.storage().record_stream(ordinal_, stream_, std::move(read));
    } catch (...) {
      synchronize();
      throw;
    }
  }
  void copy_rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                 std::size_t row_bytes, std::size_t rows) const {
    require(driver::driver().copy_2d_async(to, to_pitch, from, from_pitch, row_bytes, rows,
                                           CopyDirection::device_to_device, stream_),
            "copy_2d_async");
  }
  void synchronize() const { synchronize_stream(stream_); }
  [[nodiscard]] bool is_capturing() const {
    driver::CaptureStatus status{};
    return driver::driver().capture_status(stream_, status) == driver::Status::success &&
           status != driver::CaptureStatus::none;
  }
  void record_use(const Tensor& tensor) const { tensor.storage().record_stream(ordinal_, stream_); }

 private:
  int ordinal_;
  DeviceGuard guard_;
  Stream stream_;
};

/// The bytes of a tensor's storage from its lowest to its highest element.
struct ByteRange {
  std::int64_t begin;
  std::int64_t end;

  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(end - begin); }
};

ByteRange byte_range(const Tensor& tensor) {
  const Layout& layout = tensor.layout();
  const Reach reach = reach_of(layout.shape.span(), layout.strides.span());
  const std::int64_t unit = layout.unit_bits(tensor.dtype());
  return {floor_bytes(layout.offset + reach.low * unit),
          ceil_bytes(layout.offset + reach.high * unit + tensor.dtype().value_bits())};
}

Tensor in_host_memory(const Tensor& tensor, const ByteRange& range) {
  Layout layout = tensor.layout();
  layout.offset -= 8 * range.begin;
  return Tensor(allocate_storage(range.end - range.begin, tensor.storage().memory()),
                tensor.dtype(), layout);
}

/// Copies one row along the last axis, which has a positive stride, to neighbouring elements.
struct RowCopy {
  const CopyStream& stream;
  std::size_t item;
  std::size_t count;
  std::size_t pitch;

  void operator()(std::byte* to, const std::byte* from) const {
    if (pitch == item)
      stream.copy(to, from, item * count, CopyDirection::device_to_device);
    else
      stream.copy_rows(to, item, from, pitch, item, count);
  }
};

/// Calls `visit(to, from)` for each row along the last axis.
template <class Visit>
void for_each_row(const Tensor& tensor, std::byte* to, std::size_t row_bytes, Visit visit) {
  const std::size_t outer = tensor.rank() - 1;
  Dims index = Dims::filled(outer, 0);
  const std::byte* from = tensor.first_element();
  std::size_t axis = 0;
  do {
    visit(to, from);
    to += row_bytes;
    for (axis = outer; axis-- > 0;) {
      const std::int64_t step = tensor.stride_bits(axis) / 8;
      if (++index[axis] < tensor.shape()[axis]) {
        from += step;
        break;
      }
      from -= step * (tensor.shape()[axis] - 1);
      index[axis] = 0;
    }
  } while (axis != static_cast<std::size_t>(-1));
}

/// The rows along the last axis lie apart, or repeat one element, or run backwards: then each
/// element is a row of its own.
Tensor with_rows(const Tensor& tensor) {
  const std::size_t last = tensor.rank();
  const std::int64_t item = tensor.dtype().stored_bits();
  const bool forwards = last > 0 && tensor.stride_bits(last - 1) >= item;
  return forwards ? tensor : tensor.with_axis(last);
}

bool has_whole_bytes(const Tensor& tensor) {
  const Dtype& dtype = tensor.dtype();
  if (dtype.value_bits() != dtype.stored_bits() || dtype.stored_bits() % 8 != 0) return false;
  return tensor.layout().offset % 8 == 0;
}

}  // namespace

Tensor staged(const Tensor& tensor) {
  const ByteRange range = byte_range(tensor);
  Tensor host = in_host_memory(tensor, range);
  const CopyStream stream(tensor);
  stream.copy(host.storage().data(), tensor.storage().data() + range.begin, range.size(),
              CopyDirection::inferred);
  stream.synchronize();
  return host;
}

void read_from_device(const Tensor& tensor, std::span<std::byte> out) {
  if (!tensor.is_logical_in_memory()) {
    staged(tensor).read(out);
    return;
  }
  const CopyStream stream(tensor);
  stream.copy(out.data(), tensor.first_element(), out.size(), CopyDirection::inferred);
  stream.synchronize();
}

void write_to_device(const Tensor& tensor, std::span<const std::byte> in) {
  if (CopyStream(tensor).is_capturing()) {
    refuse_as(ErrorKind::value,
              "expected a stream that runs what it is given but found one that is captured");
  }
  if (tensor.is_logical_in_memory()) {
    const CopyStream stream(tensor);
    stream.copy_from_host(tensor, tensor.first_element(), in.data(), in.size());
    return;
  }
  const Tensor host = staged(tensor);  // what lies between the elements stays as it is
  host.write(in);
  const CopyStream stream(tensor);
  stream.copy_from_host(tensor, tensor.storage().data() + byte_range(tensor).begin,
                        host.storage().data(), static_cast<std::size_t>(host.storage().size()));
}

void copy_on_device(const Tensor& tensor, const Tensor& result) {
  if (!has_whole_bytes(tensor)) {
    const Tensor packed = staged(tensor).copy();
    const CopyStream stream(result);
    stream.copy_from_host(result, result.first_element(), packed.first_element(),
                          static_cast<std::size_t>(packed.storage().size()));
    return;
  }
  const CopyStream stream(tensor);
  if (tensor.is_row_major()) {
    stream.copy(result.first_element(), tensor.first_element(),
                static_cast<std::size_t>(result.storage().size()), CopyDirection::device_to_device);
  } else {
    const Tensor rows = with_rows(tensor);
    const std::size_t axis = rows.rank() - 1;
    const auto item = static_cast<std::size_t>(rows.dtype().stored_bits() / 8);
    const auto count = static_cast<std::size_t>(rows.shape()[axis]);
    const std::size_t pitch =
        count > 1 ? static_cast<std::size_t>(rows.stride_bits(axis) / 8) : item;
    for_each_row(rows, result.first_element(), item * count, RowCopy{stream, item, count, pitch});
  }
  stream.record_use(tensor);
  stream.record_use(result);
}

}  // namespace dlcert::reference
