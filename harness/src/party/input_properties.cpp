// SPDX-License-Identifier: Apache-2.0
#include <dlpack/dlpack.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include <dlcert/suite/input_properties.hpp>
#include <dlcert/suite/party.hpp>
#include <dlcert/suite/trace.hpp>

namespace dlcert {
namespace {

// The nearest first; empty: none.
struct OwnersOfProperty {
  // NOLINTNEXTLINE(google-explicit-constructor): most rows name one owner
  constexpr OwnersOfProperty(const char* first, const char* second = "")
      : owners{first, second},
        count{static_cast<std::size_t>(!owners[0].empty()) +
              static_cast<std::size_t>(!owners[1].empty())} {}

  std::array<std::string_view, 2> owners;
  std::size_t count;
};

struct PropertyRow {
  std::string_view name;
  std::string_view text;
  OwnersOfProperty of_consumers;  // the owners for this role
  OwnersOfProperty of_producers;
};

// In the order of the enumeration.
constexpr std::array<PropertyRow, input_property_count> property_rows{{
    {"byte_offset", "a byte offset", "abi.data.byte-offset-applied", ""},
    {"unaligned", "an address that is not a multiple of 256", "abi.data.alignment-not-relied-on",
     ""},
    {"view_of_storage", "an offset in the storage", "", "abi.data.byte-offset-meaning"},
    {"null_data", "NULL as data", "abi.data.zero-size-null", ""},
    {"no_elements", "an extent of 0", "abi.data.zero-size-accepted", "abi.data.zero-size-null"},
    {"rank_0",
     "rank 0",
     {"abi.ndim.rank0-null-accepted", "abi.ndim.zero-is-scalar"},
     "abi.ndim.zero-is-scalar"},
    {"rank_above_8", "a rank above 8", "abi.ndim.too-large-rejected", ""},
    {"null_strides", "NULL as strides", "abi.strides.consumer-null-tolerance", ""},
    {"strided", "strides that are not compact", "abi.strides.element-units",
     "abi.strides.element-units"},
    {"negative_stride", "negative strides", "abi.strides.negative", "abi.strides.negative"},
    {"zero_stride", "strides of 0", "abi.strides.zero-broadcast", "abi.strides.zero-broadcast"},
    {"unit_stride", "other strides than those of a dense tensor on axes with one element",
     "abi.strides.unit-extent-free", ""},
    {"legacy", "a legacy tensor", "lifetime.legacy-both-supported", ""},
    {"versioned", "a versioned tensor", "lifetime.legacy-both-supported", ""},
    {"other_minor", "another minor version", "abi.version.minor-is-additive", ""},
    {"other_major", "another major version", "abi.version.major-mismatch-delete", ""},
    {"null_deleter", "NULL as deleter", "lifetime.deleter.null-skipped", ""},
    {"null_context", "NULL as manager_ctx", "lifetime.ctx.opaque", ""},
    {"read_only",
     "read-only data",
     {"sharing.read-only-not-written", "sharing.read-only-ignored-not-raised"},
     "sharing.read-only-legacy-export"},
    {"copied", "the flag of a copy", "sharing.copied-mutable", ""},
    {"unknown_flag", "an unknown flag", "abi.flags.unknown-bits", ""},
    {"boolean",
     "booleans",
     {"abi.dtype.bool-code", "abi.dtype.bool-8bit"},
     {"abi.dtype.bool-code", "abi.dtype.bool-8bit"}},
    {"bfloat16", "bfloat16", "abi.dtype.bfloat16", "abi.dtype.bfloat16"},
    {"complex",
     "complex numbers",
     {"abi.dtype.complex-bits", "abi.dtype.complex-layout"},
     {"abi.dtype.complex-bits", "abi.dtype.complex-layout"}},
    {"float8", "8-bit floats", "abi.dtype.fp8-codes", "abi.dtype.fp8-codes"},
    {"float6", "6-bit floats", "abi.dtype.fp6-codes", "abi.dtype.fp6-codes"},
    {"float4", "4-bit floats", "abi.dtype.fp4-code", "abi.dtype.fp4-code"},
    {"opaque_handle", "opaque handles", "abi.dtype.opaque-handle", "abi.dtype.opaque-handle"},
    {"other_code",
     "a type code that no version has",
     {"abi.version.unknown-code-rejected", "abi.dtype.code-bits-consistency"},
     ""},
    {"vector_lanes", "lanes other than 1", "abi.dtype.lanes-unsupported-reject",
     "abi.dtype.lanes-vector"},
    {"sub_byte",
     "elements narrower than a byte",
     {"abi.dtype.subbyte-packed-default", "abi.dtype.subbyte-bit-order"},
     {"abi.dtype.subbyte-packed-default", "abi.dtype.subbyte-bit-order"}},
    {"padded", "padded elements", "abi.flags.subbyte-padded-honoured",
     "abi.flags.subbyte-padded-bit"},
    {"not_exportable_state", "data that DLPack cannot describe", "",
     "protocol.export.buffer-error"},
    {"other_device",
     "memory that is not the host's",
     {"protocol.from.unsupported-device", "protocol.from.device-cpu"},
     "abi.data.device-address"},
    {"further_index", "a device index above 0", "protocol.from.same-device-default",
     "protocol.device.matches-export"},
    {"stream_0", "stream=0", "", {"stream.rocm.zero-default", "stream.cuda.zero-rejected"}},
    {"stream_1", "stream=1", "", {"stream.cuda.one-legacy", "stream.rocm.one-two-rejected"}},
    {"stream_2", "stream=2", "", {"stream.cuda.two-per-thread", "stream.rocm.one-two-rejected"}},
    {"stream_handle", "the handle of a stream", "", "stream.producer-orders"},
    {"stream_none",
     "stream=None",
     "",
     {"stream.cuda.none-legacy-default", "stream.rocm.none-legacy-default"}},
    {"max_version", "max_version", "", "protocol.maxversion.upper-bound-major"},
    {"dl_device", "dl_device", "", "protocol.dldevice.result-device"},
    {"copy_true", "copy=True", "", "protocol.copy.true"},
    {"copy_false", "copy=False", "", "protocol.copy.false"},
    {"import_device", "device in from_dlpack", "protocol.from.device-cpu", ""},
    {"import_copy", "copy in from_dlpack", "protocol.from.copy-forwarded", ""},
    {"imported", "the export of an imported tensor", "", "sharing.source-usable-after"},
}};

const PropertyRow& row(InputProperty property) {
  return property_rows.at(static_cast<std::size_t>(property));
}

std::atomic<InputOfCase*> input_of_case{nullptr};
thread_local int calls_of_libraries = 0;

bool present(const dlcert_value& value) {
  return value.tag != DLCERT_ABSENT;
}

InputProperties float_widths(std::uint8_t code) {
  InputProperties set = 0;
  if (code >= kDLFloat8_e3m4 && code <= kDLFloat8_e8m0fnu) set = set | InputProperty::float8;
  if (code == kDLFloat6_e2m3fn || code == kDLFloat6_e3m2fn) set = set | InputProperty::float6;
  if (code == kDLFloat4_e2m1fn) set = set | InputProperty::float4;
  if (code > kDLFloat4_e2m1fn) set = set | InputProperty::other_code;
  return set;
}

}  // namespace

std::vector<InputProperty> members_of(InputProperties set) {
  std::vector<InputProperty> members;
  for (std::size_t i = 0; i < input_property_count; ++i)
    if (const auto property = static_cast<InputProperty>(i); has(set, property))
      members.push_back(property);
  return members;
}

std::string_view to_text(InputProperty property) {
  return row(property).text;
}

std::string_view name_of(InputProperty property) {
  return row(property).name;
}

InputProperty input_property_from(std::string_view name) {
  const auto found = std::ranges::find(property_rows, name, &PropertyRow::name);
  if (found == property_rows.end())
    throw std::runtime_error{fmt::format("expected a property of an input but found '{}'", name)};
  return static_cast<InputProperty>(found - property_rows.begin());
}

std::span<const std::string_view> owners_of(InputProperty property, Role role) {
  if (role == Role::runtime) return {};
  const PropertyRow& of = row(property);
  const OwnersOfProperty& owners = role == Role::consumer ? of.of_consumers : of.of_producers;
  return std::span{owners.owners}.first(owners.count);
}

InputOfCase::InputOfCase(InputProperties excluded, std::atomic<std::uint64_t>* shared)
    : excluded_{excluded}, shared_{shared} {
  if (shared_ != nullptr) shared_->store(0, std::memory_order_relaxed);
  input_of_case.store(this, std::memory_order_release);
}

InputOfCase::~InputOfCase() {
  input_of_case.store(nullptr, std::memory_order_release);
}

void note_input(InputProperties properties) {
  InputOfCase* const input = input_of_case.load(std::memory_order_acquire);
  if (input == nullptr || TraceAside::any()) return;
  const InputProperties all =
      input->noted_.fetch_or(properties, std::memory_order_relaxed) | properties;
  if (input->shared_ != nullptr) input->shared_->store(all, std::memory_order_relaxed);
  if ((properties & input->excluded_) != 0 && calls_of_libraries == 0) throw ExcludedInput{};
}

bool is_left_out(InputProperty property) {
  const InputOfCase* const input = input_of_case.load(std::memory_order_acquire);
  return input != nullptr && has(input->excluded_, property);
}

InsideLibrary::InsideLibrary() {
  ++calls_of_libraries;
}

InsideLibrary::~InsideLibrary() {
  --calls_of_libraries;
}

InputProperties properties_of(dlcert_dtype dtype) {
  InputProperties set = float_widths(dtype.code);
  if (dtype.code == kDLBool) set = set | InputProperty::boolean;
  if (dtype.code == kDLBfloat) set = set | InputProperty::bfloat16;
  if (dtype.code == kDLComplex) set = set | InputProperty::complex;
  if (dtype.code == kDLOpaqueHandle) set = set | InputProperty::opaque_handle;
  if (dtype.lanes != 1) set = set | InputProperty::vector_lanes;
  if (sub_byte(dtype)) set = set | InputProperty::sub_byte;
  return set;
}

InputProperties properties_of(const TensorSpec& spec) {
  InputProperties set = properties_of(spec.dtype);
  if (spec.offset != 0) set = set | InputProperty::view_of_storage;
  if (spec.shape.empty()) set = set | InputProperty::rank_0;
  if (spec.shape.size() > 8) set = set | InputProperty::rank_above_8;
  if (std::ranges::find(spec.shape, 0) != spec.shape.end()) set = set | InputProperty::no_elements;
  if (!spec.contiguous()) set = set | InputProperty::strided;
  for (std::size_t axis = 0; axis < spec.strides.size() && axis < spec.shape.size(); ++axis) {
    if (spec.strides[axis] < 0) set = set | InputProperty::negative_stride;
    if (spec.shape[axis] < 2) continue;
    if (spec.strides[axis] == 0) set = set | InputProperty::zero_stride;
  }
  if (spec.read_only()) set = set | InputProperty::read_only;
  if (spec.padded()) set = set | InputProperty::padded;
  if (spec.state != DLCERT_STATE_PLAIN) set = set | InputProperty::not_exportable_state;
  if (spec.device.type != kDLCPU) set = set | InputProperty::other_device;
  if (spec.device.id != 0) set = set | InputProperty::further_index;
  return set;
}

static InputProperty property_of_stream(std::int64_t number) {
  switch (number) {
    case 0:
      return InputProperty::stream_0;
    case 1:
      return InputProperty::stream_1;
    case 2:
      return InputProperty::stream_2;
    default:
      return InputProperty::stream_handle;
  }
}

InputProperties properties_of(const dlcert_request& request) {
  InputProperties set = 0;
  if (request.stream.tag == DLCERT_NONE)
    set = set | InputProperty::stream_none;
  else if (present(request.stream))
    set = set | property_of_stream(request.stream.first);
  if (present(request.max_version)) set = set | InputProperty::max_version;
  if (present(request.dl_device)) set = set | InputProperty::dl_device;
  if (request.copy.tag == DLCERT_BOOL)
    set = set | (request.copy.first != 0 ? InputProperty::copy_true : InputProperty::copy_false);
  return set;
}

InputProperties properties_of_export(const Tensor& tensor) {
  return tensor.is_imported() ? InputProperties{} | InputProperty::imported : InputProperties{};
}

InputProperties properties_of(const dlcert_import_request& request) {
  InputProperties set = 0;
  if (present(request.device)) set = set | InputProperty::import_device;
  if (present(request.copy)) set = set | InputProperty::import_copy;
  return set;
}

}  // namespace dlcert
