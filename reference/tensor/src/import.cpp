// SPDX-License-Identifier: Apache-2.0

#include "dlcert/tensor/import.hpp"

#include <algorithm>
#include <span>

#include "dlcert/tensor/export_steps.hpp"

#include "driver_calls.hpp"
#include "refuse.hpp"

namespace dlcert::reference {
namespace {

/// Whether the driver knows the address as memory of that device.
bool is_memory_of(DLDevice device, const std::byte* address) {
  driver::PointerAttributes found;
  return driver::driver().attributes(address, found) == driver::Status::success &&
         (found.kind == memory_kind(device) ||
          (has_streams(device) && found.kind == driver::MemoryKind::managed)) &&
         (!has_streams(device) || found.device == device.device_id);
}

std::string list_of(const std::int64_t* values, std::int32_t count) {
  if (values == nullptr) return "NULL";
  return fmt::format("({})", fmt::join(values, values + count, ", "));
}

}  // namespace

Form ImportSteps::form_of(const Capsule& capsule) {
  if (capsule.is_named(capsule_name::legacy)) return Form::legacy;
  if (capsule.is_named(capsule_name::versioned)) return Form::versioned;
  refuse_as(ErrorKind::value,
            "expected a capsule named dltensor or dltensor_versioned but found {}",
            capsule.name() != nullptr ? capsule.name() : "one without a name");
}

void ImportSteps::check_target(DLDevice source, const Argument& requested) {
  const DLDevice target = ExportSteps::device(requested).value_or(source);
  if (!same_device(target, source) && !same_device(target, cpu_device)) refuse_device(target);
  check_device(target);
}

Argument ImportSteps::stream_for(DLDevice source, const Argument& requested) {
  const DLDevice target = ExportSteps::device(requested).value_or(source);
  if (!has_streams(target)) return Absent{};
  const Stream stream = current_stream(ordinal_of(target));
  if (target.device_type == kDLCUDA)
    return static_cast<std::int64_t>(stream == Stream::null ? Stream::legacy : stream);
  // On ROCm the standard has no number for the per-thread stream: it waits for the null stream.
  const bool is_default = stream == Stream::legacy || stream == Stream::per_thread;
  return static_cast<std::int64_t>(is_default ? Stream::null : stream);
}

void ImportSteps::check_device_memory(const DLTensor& tensor) {
  const Reach reach = reach_of(tensor);
  if (reach.empty) return;
  const std::int64_t unit = std::int64_t{tensor.dtype.bits} * tensor.dtype.lanes;
  const std::byte* const first = first_element(tensor);
  const std::byte* const lowest = first + floor_bytes(reach.low * unit);
  const std::byte* const highest = first + ceil_bytes((reach.high + 1) * unit) - 1;
  for (const std::byte* const end : {lowest, highest})
    if (!is_memory_of(tensor.device, end)) {
      refuse_as(ErrorKind::buffer, "expected memory of device {} but found other memory at {}",
                to_string(tensor.device), fmt::ptr(end));
    }
}

ExportRequest ImportSteps::request_for(DLDevice source, const ImportRequest& request) {
  return {
      .stream = stream_for(source, request.device),
      .max_version = std::pair<std::int64_t, std::int64_t>(own_version.major, own_version.minor),
      .dl_device = request.device,
      .copy = request.copy};
}

std::optional<ExportRequest> ImportSteps::older_request_for(DLDevice source,
                                                            const ImportRequest& request) {
  const DLDevice target = ExportSteps::device(request.device).value_or(source);
  if (!same_device(target, source) || !ExportSteps::copy(request.copy).value_or(true))
    return std::nullopt;
  return ExportRequest{.stream = stream_for(source, request.device)};
}

bool ImportSteps::needs_copy(const ImportRequest& request, const Imported& imported) {
  return ExportSteps::copy(request.copy).value_or(false) && !imported.is_copied();
}

/// True when the bits from the first to the last element can be numbered and every byte has an
/// address.
bool ImportSteps::fits_address_space(const DLTensor& tensor, const Reach& reach,
                                     std::int64_t unit) noexcept {
  // Positions are counted in bits, so together these fit into 63 bits.
  constexpr std::uint64_t highest_offset = std::uint64_t{1} << 58;
  constexpr std::int64_t most_bits = std::int64_t{1} << 62;
  std::int64_t bits = 0;
  std::uintptr_t first = 0;
  if (reach.overflow || tensor.byte_offset > highest_offset ||
      __builtin_sub_overflow(reach.high, reach.low, &bits) ||
      __builtin_add_overflow(bits, 1, &bits) || __builtin_mul_overflow(bits, unit, &bits) ||
      bits > most_bits ||
      __builtin_add_overflow(reinterpret_cast<std::uintptr_t>(tensor.data), tensor.byte_offset,
                             &first)) {
    return false;
  }
  const auto below = static_cast<std::uintptr_t>(-floor_bytes(reach.low * unit));
  const auto bytes = static_cast<std::uintptr_t>(ceil_bytes(bits));
  return first >= below && first - below <= ~bytes;
}

void ImportSteps::refuse_flags(std::uint64_t flags) {
  refuse_as(ErrorKind::buffer, "expected flags within {} but found {}", known_flags, flags);
}

void ImportSteps::refuse_device(DLDevice device) {
  refuse_as(ErrorKind::buffer, "expected device {} but found {}", to_string(cpu_device),
            to_string(device));
}

void ImportSteps::refuse_rank(std::int32_t rank) {
  refuse_as(ErrorKind::buffer, "expected a rank from 0 to {} but found {}", max_rank, rank);
}

void ImportSteps::check_missing_shape(const DLTensor& tensor) {
  if (tensor.ndim == 0) return;
  refuse_as(ErrorKind::buffer, "expected a shape of {} extents but found NULL", tensor.ndim);
}

void ImportSteps::refuse_extents(const DLTensor& tensor) {
  refuse_as(ErrorKind::buffer, "expected extents of 0 or more but found {}",
            list_of(tensor.shape, tensor.ndim));
}

void ImportSteps::refuse_missing_data(const DLTensor& tensor) {
  refuse_as(ErrorKind::buffer, "expected data for shape {} but found NULL",
            list_of(tensor.shape, tensor.ndim));
}

void ImportSteps::refuse_addresses(const DLTensor& tensor) {
  refuse_as(
      ErrorKind::buffer,
      "expected elements within the address space but found shape {} strides {} byte offset {}",
      list_of(tensor.shape, tensor.ndim), list_of(tensor.strides, tensor.ndim), tensor.byte_offset);
}

void refuse_version(DLPackVersion version) {
  refuse_as(ErrorKind::buffer, "expected a managed tensor of version {}.x but found {}.{}",
            own_version.major, version.major, version.minor);
}

}  // namespace dlcert::reference
