// SPDX-License-Identifier: Apache-2.0
//
// The properties of a case's input that a requirement is about: a byte offset, negative strides, a
// NULL deleter. If a check fails and its input has such a property, the failure may follow from
// another requirement, the owner of the property. dlcert then runs the check again with cases that
// do not have the property (runner/consequences.hpp).
//
// Party and Offer note the properties before the library gets the input. Implemented in
// harness/src/party/input_properties.cpp.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <dlcert/suite/check.hpp>

namespace dlcert {

class Tensor;

enum class InputProperty : std::uint8_t {
  // of memory and layout
  byte_offset,
  unaligned,
  view_of_storage,
  null_data,
  no_elements,
  rank_0,
  rank_above_8,
  null_strides,
  strided,
  negative_stride,
  zero_stride,
  unit_stride,
  // of the managed tensor
  legacy,
  versioned,
  other_minor,
  other_major,
  null_deleter,
  null_context,
  read_only,
  copied,
  unknown_flag,
  // of the elements
  boolean,
  bfloat16,
  complex,
  float8,
  float6,
  float4,
  opaque_handle,
  other_code,
  vector_lanes,
  sub_byte,
  padded,
  not_exportable_state,
  // of the device
  other_device,
  further_index,
  // of the call
  stream_0,
  stream_1,
  stream_2,
  stream_handle,
  stream_none,
  max_version,
  dl_device,
  copy_true,
  copy_false,
  import_device,
  import_copy,
  imported,
};
inline constexpr std::size_t input_property_count =
    static_cast<std::size_t>(InputProperty::imported) + 1;

// The requirement that owns the refusal of a claimed tensor, if no property of its input explains
// it.
inline constexpr std::string_view owner_of_refusals = "protocol.from.new-array";

// A set of properties.
using InputProperties = std::uint64_t;
static_assert(input_property_count <= 64);
constexpr InputProperties operator|(InputProperties set, InputProperty one) {
  return set | std::uint64_t{1} << static_cast<unsigned>(one);
}
constexpr bool has(InputProperties set, InputProperty one) {
  return (set >> static_cast<unsigned>(one) & 1) != 0;
}
std::vector<InputProperty> members_of(InputProperties set);

// "a byte offset", "negative strides", for texts such as "passes without ...".
std::string_view to_text(InputProperty property);
// The name in results: "byte_offset". The inverse throws std::runtime_error for another text.
std::string_view name_of(InputProperty property);
InputProperty input_property_from(std::string_view name);

// The requirements that own the property, for libraries tested in this role, the nearest first: the
// first of them that failed is the owner. Empty: none does.
std::span<const std::string_view> owners_of(InputProperty property, Role role);

// The input of the case that is being run has a property that the unit leaves out: the case is
// drawn again.
struct ExcludedInput {};

// Collects the properties of the input of a case, from any thread. Only one may exist at a time.
// Also writes the set to `shared`, unless it is NULL, which another process can read if this one
// dies.
class InputOfCase {
 public:
  InputOfCase(InputProperties excluded, std::atomic<std::uint64_t>* shared);
  ~InputOfCase();
  InputOfCase(const InputOfCase&) = delete;
  InputOfCase& operator=(const InputOfCase&) = delete;

  InputProperties properties() const { return noted_.load(std::memory_order_relaxed); }
  // Whether a property of `excluded` was noted: whatever the case shows does not count.
  bool has_excluded() const { return (properties() & excluded_) != 0; }

 private:
  friend void note_input(InputProperties properties);
  friend bool is_left_out(InputProperty property);

  const InputProperties excluded_;
  std::atomic<std::uint64_t>* const shared_;
  std::atomic<std::uint64_t> noted_{0};
};

// Notes properties of the input of the running case; nothing while a TraceAside exists, because a
// trial call is not part of the case. Throws ExcludedInput for a property that the unit leaves out,
// unless this thread is inside a call of a library.
void note_input(InputProperties properties);

// Returns true if the unit leaves out the property. The code that makes an input can then make it
// without the property.
bool is_left_out(InputProperty property);

// Exists while this thread is inside a call of a library: no exception may cross it.
class InsideLibrary {
 public:
  InsideLibrary();
  ~InsideLibrary();
  InsideLibrary(const InsideLibrary&) = delete;
  InsideLibrary& operator=(const InsideLibrary&) = delete;
};

// The properties of a tensor to be made, and of the arguments of a call.
InputProperties properties_of(const TensorSpec& spec);
InputProperties properties_of(const dlcert_request& request);
InputProperties properties_of(const dlcert_import_request& request);
// Those that an export has by the tensor that it exports.
InputProperties properties_of_export(const Tensor& tensor);
// Those of elements of a type, whoever describes them.
InputProperties properties_of(dlcert_dtype dtype);

}  // namespace dlcert
