// SPDX-License-Identifier: Apache-2.0
#include "arguments.hpp"

#include <algorithm>

#include "views.hpp"

namespace dlcert::reference {
namespace {

constexpr std::uint16_t record_bytes = 32;

dlcert_value tagged(std::int32_t tag) {
  dlcert_value value{};
  value.tag = tag;
  return value;
}

struct ToValue {
  dlcert_value operator()(Absent) const { return tagged(DLCERT_ABSENT); }
  dlcert_value operator()(None) const { return tagged(DLCERT_NONE); }
  dlcert_value operator()(bool flag) const {
    dlcert_value value = tagged(DLCERT_BOOL);
    value.first = flag ? 1 : 0;
    return value;
  }
  dlcert_value operator()(std::int64_t number) const {
    dlcert_value value = tagged(DLCERT_INT);
    value.first = number;
    return value;
  }
  dlcert_value operator()(const std::pair<std::int64_t, std::int64_t>& pair) const {
    dlcert_value value = tagged(DLCERT_PAIR);
    value.first = pair.first;
    value.second = pair.second;
    return value;
  }
  dlcert_value operator()(double number) const {
    dlcert_value value = tagged(DLCERT_FLOAT);
    value.number = number;
    return value;
  }
  dlcert_value operator()(std::string_view text) const {
    dlcert_value value = tagged(DLCERT_TEXT);
    value.text = text.data();
    return value;
  }
};

DLDevice device_of(const dlcert_tensor_spec& spec) {
  return {static_cast<DLDeviceType>(spec.device.type), spec.device.id};
}

bool is_whole_bytes(const dlcert_tensor_spec& spec) {
  return (spec.dtype.bits * spec.dtype.lanes) % 8 == 0;
}

bool has_plain(const dlcert_tensor_spec& spec) {
  if (!Dtype::is_legal({spec.dtype.code, spec.dtype.bits, spec.dtype.lanes})) return false;
  if ((spec.flags & DLCERT_SPEC_SUBBYTE_PADDED) != 0) return spec.dtype.bits < 8;
  return (spec.flags & DLCERT_SPEC_BYTE_STRIDES) == 0 || is_whole_bytes(spec);
}

}  // namespace

Argument argument_of(const dlcert_value& value) {
  switch (value.tag) {
    case DLCERT_NONE:
      return None{};
    case DLCERT_BOOL:
      return value.first != 0;
    case DLCERT_INT:
      return value.first;
    case DLCERT_PAIR:
      return std::pair{value.first, value.second};
    case DLCERT_FLOAT:
      return value.number;
    case DLCERT_TEXT:
      return std::string_view{value.text};
    default:
      return Absent{};
  }
}

dlcert_value value_of(const Argument& argument) {
  return std::visit(ToValue{}, argument);
}

ExportRequest request_of(const dlcert_request& request) {
  return {argument_of(request.stream), argument_of(request.max_version),
          argument_of(request.dl_device), argument_of(request.copy)};
}

dlcert_request request_of(const ExportRequest& request) {
  dlcert_request made{};
  made.struct_size = sizeof made;
  made.stream = value_of(request.stream);
  made.max_version = value_of(request.max_version);
  made.dl_device = value_of(request.dl_device);
  made.copy = value_of(request.copy);
  return made;
}

ImportRequest request_of(const dlcert_import_request& request) {
  return {argument_of(request.device), argument_of(request.copy)};
}

bool has(const dlcert_tensor_spec& spec) {
  if (spec.ndim < 0 || spec.ndim > max_rank || !is_available(device_of(spec))) return false;
  switch (spec.state) {
    case DLCERT_STATE_PLAIN:
      return has_plain(spec);
    case DLCERT_STATE_BYTE_SWAPPED:
      return Dtype::can_be_swapped({spec.dtype.code, spec.dtype.bits, spec.dtype.lanes});
    case DLCERT_STATE_RECORD:
    case DLCERT_STATE_EXTENDED_FLOAT:
    case DLCERT_STATE_BFLOAT_COMPLEX:
      return true;
    default:
      return false;
  }
}

Dtype dtype_of(const dlcert_tensor_spec& spec) {
  switch (spec.state) {
    case DLCERT_STATE_BYTE_SWAPPED:
      return Dtype::byte_swapped(static_cast<DLDataTypeCode>(spec.dtype.code), spec.dtype.bits);
    case DLCERT_STATE_RECORD:
      return Dtype::record(record_bytes);
    case DLCERT_STATE_EXTENDED_FLOAT:
      return Dtype::extended_float();
    case DLCERT_STATE_BFLOAT_COMPLEX:
      return Dtype::bfloat_complex();
    default: {
      const bool padded = (spec.flags & DLCERT_SPEC_SUBBYTE_PADDED) != 0;
      return Dtype::described({spec.dtype.code, spec.dtype.bits, spec.dtype.lanes},
                              padded ? Packing::padded : Packing::packed);
    }
  }
}

Tensor allocate(const dlcert_tensor_spec& spec) {
  const Dtype dtype = dtype_of(spec);
  const auto rank = static_cast<std::size_t>(spec.ndim);
  const bool bytes = (spec.flags & DLCERT_SPEC_BYTE_STRIDES) != 0;
  Layout layout{Dims{std::span{spec.shape, rank}}, Dims{std::span{spec.strides, rank}}, 0,
                bytes ? StrideUnit::byte : StrideUnit::element};
  const std::int64_t unit = layout.unit_bits(dtype);
  layout.offset = spec.offset * unit;
  return view_of(allocate_storage((spec.storage_size * unit + 7) / 8, device_of(spec)), dtype,
                 layout);
}

}  // namespace dlcert::reference
