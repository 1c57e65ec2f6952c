// SPDX-License-Identifier: Apache-2.0

#include "dlcert/tensor/export.hpp"

#include <limits>

#include "dlcert/tensor/layout.hpp"

#include "driver_calls.hpp"
#include "refuse.hpp"

namespace dlcert::reference {
namespace {

using Pair = std::pair<std::int64_t, std::int64_t>;

/// The value of an argument that may be left out. Throws a type error for a value of another type.
template <class Value>
std::optional<Value> optional_value(const Argument& argument, const char* name) {
  if (!is_given(argument)) return std::nullopt;
  if (const auto* const value = std::get_if<Value>(&argument)) return *value;
  refuse_as(ErrorKind::type, "expected {} or none but found {}", name, to_string(argument));
}

/// On CUDA 1 and 2 are the default streams and 0 is no stream; on ROCm 0 is the default stream
/// (array API, `__dlpack__`).
bool uses_cuda_numbers(DLDevice device) {
  return device.device_type != kDLROCM && device.device_type != kDLROCMHost;
}

/// The stride of an axis without neighbours says nothing, so it need not be divisible.
bool is_divisible(const Tensor& tensor, std::size_t axis) {
  return tensor.shape()[axis] <= 1 || tensor.stride_bits(axis) % tensor.dtype().stored_bits() == 0;
}

}  // namespace

std::optional<DLPackVersion> ExportSteps::max_version(const Argument& argument) {
  const auto version = optional_value<Pair>(argument, "a version (major, minor)");
  if (!version) return std::nullopt;
  constexpr std::int64_t highest = std::numeric_limits<std::uint32_t>::max();
  if (version->first < 0 || version->second < 0 || version->first > highest ||
      version->second > highest) {
    refuse_as(ErrorKind::value, "expected a version of two 32-bit numbers but found {}",
              to_string(argument));
  }
  return DLPackVersion{static_cast<std::uint32_t>(version->first),
                       static_cast<std::uint32_t>(version->second)};
}

std::optional<DLDevice> ExportSteps::device(const Argument& argument) {
  const auto device = optional_value<Pair>(argument, "a device (type, id)");
  if (!device) return std::nullopt;
  constexpr std::int64_t highest = std::numeric_limits<std::int32_t>::max();
  if (device->first < 0 || device->second < 0 || device->first > highest ||
      device->second > highest) {
    refuse_as(ErrorKind::buffer, "expected device {} but found {}", to_string(cpu_device),
              to_string(argument));
  }
  return DLDevice{static_cast<DLDeviceType>(device->first),
                  static_cast<std::int32_t>(device->second)};
}

std::optional<bool> ExportSteps::copy(const Argument& argument) {
  return optional_value<bool>(argument, "a boolean copy");
}

void ExportSteps::check_device(const Tensor& tensor, std::optional<DLDevice> requested) {
  if (!requested || same_device(*requested, tensor.device()) ||
      same_device(*requested, cpu_device)) {
    return;
  }
  refuse_as(ErrorKind::buffer, "expected device {} but found {}", to_string(tensor.device()),
            to_string(*requested));
}

Ordering ExportSteps::device_ordering_of(DLDevice target, const Argument& stream) {
  using Of = Ordering::Of;
  if (same_device(target, cpu_device)) {
    refuse_as(ErrorKind::value, "expected no stream on a device without streams but found {}",
              to_string(stream));
  }
  // No convention names the streams of memory that the host can touch: the host is safe as well.
  if (!is_given(stream))
    return has_streams(target) ? Ordering{Of::stream, Stream::null} : Ordering{Of::host};
  const auto* const number = std::get_if<std::int64_t>(&stream);
  if (number == nullptr) {
    refuse_as(ErrorKind::type, "expected a stream number or none but found {}", to_string(stream));
  }
  if (*number == -1) return {Of::nothing};
  const bool names_a_stream =
      *number > 2 || (uses_cuda_numbers(target) ? *number > 0 : *number == 0);
  if (!names_a_stream) {
    refuse_as(ErrorKind::value, "expected a stream of device {} but found {}", to_string(target),
              *number);
  }
  if (!has_streams(target)) return {Of::host};
  return {Of::stream, Stream{static_cast<std::uintptr_t>(*number)}};
}

void ExportSteps::wait_on_host(const Tensor& tensor) {
  tensor.storage().wait_for_uses();
  int devices = 0;
  require(driver::driver().device_count(devices), "device_count");
  for (int ordinal = 0; ordinal < devices; ++ordinal) {
    const DeviceGuard guard(ordinal);
    synchronize_stream(current_stream(ordinal));
  }
}

void refuse_sharing(const Tensor& tensor) {
  refuse_as(ErrorKind::buffer, "expected a copy to be allowed for device {} but found {}",
            to_string(cpu_device), to_string(tensor.device()));
}

void ExportSteps::check_divisible(const Tensor& tensor) {
  for (std::size_t axis = 0; axis < tensor.rank(); ++axis) {
    if (!is_divisible(tensor, axis)) {
      refuse_as(ErrorKind::buffer, "expected strides in whole elements of {} bits but found {}",
                tensor.dtype().stored_bits(), tensor.stride_bits(axis));
    }
  }
}

void ExportSteps::write_divided_strides(const Tensor& tensor, std::int64_t* out) noexcept {
  for (std::size_t axis = 0; axis < tensor.rank(); ++axis) {
    const std::int64_t bits = tensor.stride_bits(axis);
    out[axis] = tensor.has_neighbours(axis) ? bits / tensor.dtype().stored_bits() : 1;
  }
}

void ExportSteps::refuse_dtype(const Tensor& tensor) {
  refuse_as(ErrorKind::buffer, "expected a data type that DLPack can describe but found {}",
            to_string(tensor.dtype()));
}

void ExportSteps::refuse_offset(const Tensor& tensor) {
  refuse_as(ErrorKind::buffer, "expected a first element on a byte boundary but found it at bit {}",
            tensor.layout().offset);
}

void ExportSteps::refuse_legacy(const Tensor& tensor) {
  refuse_as(ErrorKind::buffer,
            "expected a versioned request, since legacy tensors have no flags, for {}",
            tensor.is_read_only() ? "read-only data" : "padded elements");
}

}  // namespace dlcert::reference
