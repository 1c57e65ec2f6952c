// SPDX-License-Identifier: Apache-2.0
//
// Values that checks, generators and libraries share, and their texts: dtypes, devices, tensor
// specs, requests and errors. Implemented in harness/src/party/spec.cpp.
#pragma once

#include <dlcert/adapter.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace dlcert {

using Bytes = std::vector<std::byte>;

// Describes a tensor to be made. Owns the arrays of its dlcert_tensor_spec, where the members and
// their units are defined.
struct TensorSpec {
  dlcert_dtype dtype{2, 32, 1};
  dlcert_device device{1, 0};
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;  // one per axis, in units
  std::int64_t offset = 0;            // units before logical element (0, ..., 0)
  std::int64_t storage_size = 1;      // units
  std::uint32_t flags = 0;            // DLCERT_SPEC_*
  std::int32_t state = DLCERT_STATE_PLAIN;

  // Returns the C form. It points into this object, and is valid until this object changes or dies.
  dlcert_tensor_spec c() const;

  // Returns the product of the extents.
  std::int64_t element_count() const;
  bool read_only() const { return (flags & DLCERT_SPEC_READ_ONLY) != 0; }
  bool padded() const { return (flags & DLCERT_SPEC_SUBBYTE_PADDED) != 0; }
  // Returns whether the layout is row-major and compact. Ignores strides of axes with extent 1 and
  // of empty tensors.
  bool contiguous() const;
};

// Returns the spec of a fresh, compact, row-major tensor.
TensorSpec compact_spec(dlcert_dtype dtype, std::vector<std::int64_t> shape);
// Returns the strides of such a tensor in elements, one for each axis.
std::vector<std::int64_t> row_major_strides(const std::vector<std::int64_t>& shape);

// Returns the bytes of an element in logical bytes: ceil(bits * lanes / 8).
std::size_t logical_item_size(dlcert_dtype dtype);
// Returns every scalar type of DLPack 1.3, each code with each of its widths. Types of whole bytes
// come first, and the most common of these before the others.
std::span<const dlcert_dtype> scalar_dtypes();
// Returns whether an element has fewer than 8 bits: bits * lanes < 8.
bool sub_byte(dlcert_dtype dtype);
bool operator==(const dlcert_dtype& a, const dlcert_dtype& b);
bool operator==(const dlcert_device& a, const dlcert_device& b);

// An error that an adapter reported; see dlcert_error.
struct Error {
  dlcert_error_kind kind = DLCERT_ERROR_OTHER;
  std::int64_t code = 0;
  std::string type;
  std::string message;
  std::int32_t cause = DLCERT_CAUSE_NOT_TOLD;  // DLCERT_CAUSE_*
  dlcert_error_kind cause_kind = DLCERT_ERROR_OTHER;
  std::string cause_message = {};
};

// Returns a value for a request, with the tag that the function is named after. integer() and
// text() also make device arguments.
dlcert_value absent();
dlcert_value none();
dlcert_value boolean(bool value);
dlcert_value integer(std::int64_t value);
dlcert_value pair(std::int64_t first, std::int64_t second);
dlcert_value number(double value);
dlcert_value text(const char* value);  // not copied: `value` outlives the result

// Returns the arguments of __dlpack__, all absent.
dlcert_request request();
// Returns the arguments of __dlpack__, all absent except max_version.
dlcert_request request_version(std::int64_t major, std::int64_t minor);
// Returns the arguments of from_dlpack, all absent.
dlcert_import_request import_request();

// Returns a text of one line for messages: "float32", "float32x4", "uint1", "code200/8", "cpu:0",
// "cuda:1", "device99:0", "float32 shape=[2, 3] strides=[3, 1] offset=0", "max_version=(1, 0)
// copy=true", "BufferError: text".
std::string to_text(dlcert_dtype dtype);
std::string to_text(dlcert_device device);
std::string device_type_name(std::int32_t device_type);  // "cpu", "cuda", "device99"
std::string to_text(const TensorSpec& spec);
std::string to_text(const dlcert_value& value);
std::string to_text(const dlcert_request& request);
std::string to_text(const dlcert_import_request& request);
std::string to_text(const Error& error);
// Returns "BufferError", "ValueError", ... as in Python.
const char* error_kind_name(dlcert_error_kind kind);

}  // namespace dlcert
