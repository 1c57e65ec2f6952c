// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <string_view>

#include <dlcert/suite/spec.hpp>

namespace dlcert {

namespace {

struct NamedDtype {
  std::string_view name;
  std::uint8_t bits;  // 0: the name is followed by the bits
};

// Indexed by code, as in dlpack.h.
constexpr std::array<NamedDtype, 18> dtype_names{{
    {"int", 0},
    {"uint", 0},
    {"float", 0},
    {"opaque", 0},
    {"bfloat", 0},
    {"complex", 0},
    {"bool", 8},
    {"float8_e3m4", 8},
    {"float8_e4m3", 8},
    {"float8_e4m3b11fnuz", 8},
    {"float8_e4m3fn", 8},
    {"float8_e4m3fnuz", 8},
    {"float8_e5m2", 8},
    {"float8_e5m2fnuz", 8},
    {"float8_e8m0fnu", 8},
    {"float6_e2m3fn", 6},
    {"float6_e3m2fn", 6},
    {"float4_e2m1fn", 4},
}};

// Indexed by device type, as in dlpack.h; empty: no such type.
constexpr std::array<std::string_view, 19> device_names{
    "",       "cpu",    "cuda",    "cuda_host", "opencl",    "",        "",
    "vulkan", "metal",  "vpi",     "rocm",      "rocm_host", "ext_dev", "cuda_managed",
    "oneapi", "webgpu", "hexagon", "maia",      "trn"};

constexpr std::array<const char*, 14> error_names{
    "error",          "BufferError",    "ValueError",          "TypeError",
    "RuntimeError",   "AttributeError", "AssertionError",      "IndexError",
    "OSError",        "MemoryError",    "NotImplementedError", "ModuleNotFoundError",
    "deferred error", "device error"};

std::string element_name(dlcert_dtype dtype) {
  if (dtype.code >= dtype_names.size()) return fmt::format("code{}/{}", dtype.code, dtype.bits);
  const NamedDtype& named = dtype_names[dtype.code];
  if (named.bits == 0) return fmt::format("{}{}", named.name, dtype.bits);
  if (named.bits == dtype.bits) return std::string{named.name};
  return fmt::format("{}/{}", named.name, dtype.bits);
}

std::string list(const std::vector<std::int64_t>& values) {
  return fmt::format("[{}]", fmt::join(values, ", "));
}

dlcert_value tagged(std::int32_t tag) {
  dlcert_value value{};
  value.tag = tag;
  return value;
}

// Above it a stream is a handle.
constexpr std::int64_t highest_stream_number = 2;

struct Argument {
  std::string_view name;
  const dlcert_value& value;
};

std::string given(std::initializer_list<Argument> arguments) {
  std::string out;
  for (const Argument& argument : arguments) {
    if (argument.value.tag == DLCERT_ABSENT) continue;
    if (!out.empty()) out += ' ';
    const dlcert_value& value = argument.value;
    const bool handle =
        argument.name == "stream" && value.tag == DLCERT_INT && value.first > highest_stream_number;
    out += handle ? fmt::format("{}={:#x}", argument.name, value.first)
                  : fmt::format("{}={}", argument.name, to_text(value));
  }
  return out;
}

}  // namespace

dlcert_tensor_spec TensorSpec::c() const {
  dlcert_tensor_spec out{};
  out.struct_size = sizeof(out);
  out.flags = flags;
  out.state = state;
  out.ndim = static_cast<std::int32_t>(shape.size());
  out.dtype = dtype;
  out.device = device;
  out.shape = shape.empty() ? nullptr : shape.data();
  out.strides = strides.empty() ? nullptr : strides.data();
  out.offset = offset;
  out.storage_size = storage_size;
  return out;
}

std::int64_t TensorSpec::element_count() const {
  std::uint64_t count = 1;  // which extents that a library made up may overflow
  for (const std::int64_t extent : shape)
    count *= static_cast<std::uint64_t>(extent);
  return static_cast<std::int64_t>(count);
}

bool TensorSpec::contiguous() const {
  if (element_count() == 0) return true;
  std::uint64_t expected = (flags & DLCERT_SPEC_BYTE_STRIDES) != 0 ? logical_item_size(dtype) : 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    if (shape[axis] == 1) continue;
    if (strides[axis] != static_cast<std::int64_t>(expected)) return false;
    expected *= static_cast<std::uint64_t>(shape[axis]);
  }
  return true;
}

TensorSpec compact_spec(dlcert_dtype dtype, std::vector<std::int64_t> shape) {
  TensorSpec spec;
  spec.dtype = dtype;
  spec.strides = row_major_strides(shape);
  spec.shape = std::move(shape);
  spec.storage_size = spec.element_count();
  return spec;
}

std::vector<std::int64_t> row_major_strides(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> strides(shape.size());
  std::uint64_t stride = 1;  // which extents that a library made up may overflow
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    strides[axis] = static_cast<std::int64_t>(stride);
    if (shape[axis] > 1) stride *= static_cast<std::uint64_t>(shape[axis]);
  }
  return strides;
}

std::size_t logical_item_size(dlcert_dtype dtype) {
  return (std::size_t{dtype.bits} * dtype.lanes + 7) / 8;
}

bool sub_byte(dlcert_dtype dtype) {
  return dtype.bits * dtype.lanes < 8;
}

bool operator==(const dlcert_dtype& a, const dlcert_dtype& b) {
  return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes;
}

bool operator==(const dlcert_device& a, const dlcert_device& b) {
  return a.type == b.type && a.id == b.id;
}

dlcert_value absent() {
  return tagged(DLCERT_ABSENT);
}

dlcert_value none() {
  return tagged(DLCERT_NONE);
}

dlcert_value boolean(bool value) {
  dlcert_value out = tagged(DLCERT_BOOL);
  out.first = value ? 1 : 0;
  return out;
}

dlcert_value integer(std::int64_t value) {
  dlcert_value out = tagged(DLCERT_INT);
  out.first = value;
  return out;
}

dlcert_value pair(std::int64_t first, std::int64_t second) {
  dlcert_value out = tagged(DLCERT_PAIR);
  out.first = first;
  out.second = second;
  return out;
}

dlcert_value number(double value) {
  dlcert_value out = tagged(DLCERT_FLOAT);
  out.number = value;
  return out;
}

dlcert_value text(const char* value) {
  dlcert_value out = tagged(DLCERT_TEXT);
  out.text = value;
  return out;
}

dlcert_request request() {
  dlcert_request out{};
  out.struct_size = sizeof(out);
  return out;
}

dlcert_request request_version(std::int64_t major, std::int64_t minor) {
  dlcert_request out = request();
  out.max_version = pair(major, minor);
  return out;
}

dlcert_import_request import_request() {
  dlcert_import_request out{};
  out.struct_size = sizeof(out);
  return out;
}

std::string to_text(dlcert_dtype dtype) {
  std::string out = element_name(dtype);
  if (dtype.lanes != 1) out += fmt::format("x{}", dtype.lanes);
  return out;
}

std::string to_text(dlcert_device device) {
  return fmt::format("{}:{}", device_type_name(device.type), device.id);
}

std::string device_type_name(std::int32_t device_type) {
  const auto type = static_cast<std::size_t>(device_type);
  if (device_type >= 0 && type < device_names.size() && !device_names[type].empty())
    return std::string{device_names[type]};
  return fmt::format("device{}", device_type);
}

std::string to_text(const TensorSpec& spec) {
  std::string out = fmt::format("{} shape={} strides={} offset={}", to_text(spec.dtype),
                                list(spec.shape), list(spec.strides), spec.offset);
  if (!(spec.device == dlcert_device{1, 0})) out += fmt::format(" device={}", to_text(spec.device));
  if (spec.read_only()) out += " read-only";
  if (spec.padded()) out += " padded";
  if ((spec.flags & DLCERT_SPEC_BYTE_STRIDES) != 0) out += " byte-strides";
  if (spec.state != DLCERT_STATE_PLAIN) out += fmt::format(" state={}", spec.state);
  return out;
}

std::string to_text(const dlcert_value& value) {
  switch (value.tag) {
    case DLCERT_ABSENT:
      return "absent";
    case DLCERT_NONE:
      return "none";
    case DLCERT_BOOL:
      return value.first != 0 ? "true" : "false";
    case DLCERT_INT:
      return fmt::format("{}", value.first);
    case DLCERT_PAIR:
      return fmt::format("({}, {})", value.first, value.second);
    case DLCERT_FLOAT:
      return fmt::format("{:#}", value.number);
    case DLCERT_TEXT:
      return fmt::format("\"{}\"", value.text);
    default:
      return fmt::format("tag{}", value.tag);
  }
}

std::string to_text(const dlcert_request& request) {
  return given({{"stream", request.stream},
                {"max_version", request.max_version},
                {"dl_device", request.dl_device},
                {"copy", request.copy}});
}

std::string to_text(const dlcert_import_request& request) {
  return given({{"device", request.device}, {"copy", request.copy}});
}

std::string to_text(const Error& error) {
  std::string out = error_kind_name(error.kind);
  if (!error.type.empty() && error.type != out) out += fmt::format(" ({})", error.type);
  if (error.kind == DLCERT_ERROR_DEVICE) out += fmt::format(" {}", error.code);
  if (!error.message.empty()) out += fmt::format(": {}", error.message);
  return out;
}

const char* error_kind_name(dlcert_error_kind kind) {
  const auto index = static_cast<std::size_t>(kind);
  return kind >= 0 && index < error_names.size() ? error_names[index] : error_names[0];
}

}  // namespace dlcert
