// SPDX-License-Identifier: Apache-2.0
#include "worker/misreadings.hpp"

#include <dlpack/dlpack.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include <dlcert/suite/check.hpp>
#include <dlcert/suite/spy.hpp>

namespace dlcert {

namespace {

// Fewer agree by chance, or because a library has one special case.
constexpr std::size_t enough_witnesses = 3;

// ---- the elements of a spec ----

// Calls visit(position, index) for each element, in row-major order of the indices.
template <typename Visit>
void each_element(const TensorSpec& spec, const Visit& visit) {
  std::vector<std::int64_t> index(spec.shape.size(), 0);
  const auto count = static_cast<std::size_t>(spec.element_count());
  for (std::size_t position = 0; position < count; ++position) {
    visit(position, index);
    for (std::size_t axis = index.size(); axis-- > 0;) {
      if (++index[axis] < spec.shape[axis]) break;
      index[axis] = 0;
    }
  }
}

std::size_t column_major_position(const TensorSpec& spec, const std::vector<std::int64_t>& index) {
  std::int64_t position = 0;
  for (std::size_t axis = index.size(); axis-- > 0;)
    position = position * spec.shape[axis] + index[axis];
  return static_cast<std::size_t>(position);
}

std::int64_t unit_position(const TensorSpec& spec, const std::vector<std::int64_t>& index) {
  std::int64_t position = spec.offset;
  for (std::size_t axis = 0; axis < index.size(); ++axis)
    position += index[axis] * spec.strides[axis];
  return position;
}

bool is_bool(const TensorSpec& spec) {
  return spec.dtype.code == kDLBool && spec.dtype.lanes == 1;
}

// ---- predictions ----

constexpr int unknown = -1;

// The bytes that a mistake makes of a tensor's logical bytes; nothing where it says nothing of such
// a tensor.
using Prediction = std::optional<std::vector<int>>;

std::vector<int> known(const Bytes& bytes) {
  std::vector<int> out;
  for (const std::byte one : bytes)
    out.push_back(std::to_integer<int>(one));
  return out;
}

enum class Whose : std::uint8_t { create, read };

// The elements in column-major order, taken so by one of the two calls.
Prediction reordered(const TensorSpec& spec, const Bytes& logical, Whose whose) {
  if (shares_memory(spec)) return std::nullopt;
  const std::size_t item = logical_item_size(spec.dtype);
  std::vector<int> out(logical.size(), unknown);
  each_element(spec, [&](std::size_t row_major, const std::vector<std::int64_t>& index) {
    const std::size_t column_major = column_major_position(spec, index);
    const std::size_t from = whose == Whose::create ? column_major : row_major;
    const std::size_t to = whose == Whose::create ? row_major : column_major;
    for (std::size_t byte = 0; byte < item; ++byte)
      out[to * item + byte] = std::to_integer<int>(logical[from * item + byte]);
  });
  return out;
}
Prediction created_column_major(const TensorSpec& spec, const Bytes& logical) {
  return reordered(spec, logical, Whose::create);
}
Prediction read_column_major(const TensorSpec& spec, const Bytes& logical) {
  return reordered(spec, logical, Whose::read);
}

Prediction swapped(const TensorSpec& spec, const Bytes& logical) {
  if (spec.dtype.code == kDLComplex || spec.dtype.lanes != 1) return std::nullopt;
  std::vector<int> out = known(logical);
  const auto item = static_cast<std::ptrdiff_t>(logical_item_size(spec.dtype));
  for (auto at = out.begin(); at != out.end(); at += item)
    std::reverse(at, at + item);
  return out;
}

// Elements written at units of `write` bytes and read at units of `read` bytes.
Prediction placed(const TensorSpec& spec, const Bytes& logical, bool write_in_bytes,
                  bool read_in_bytes) {
  if (sub_byte(spec.dtype) || shares_memory(spec)) return std::nullopt;
  const std::size_t item = logical_item_size(spec.dtype);
  std::vector<int> memory(static_cast<std::size_t>(spec.storage_size) * item, unknown);
  std::vector<int> out(logical.size(), unknown);
  const auto place = [&](const std::vector<std::int64_t>& index, bool in_bytes) {
    return static_cast<std::size_t>(unit_position(spec, index)) * (in_bytes ? 1 : item);
  };
  each_element(spec, [&](std::size_t position, const std::vector<std::int64_t>& index) {
    for (std::size_t byte = 0; byte < item; ++byte)
      memory[place(index, write_in_bytes) + byte] =
          std::to_integer<int>(logical[position * item + byte]);
  });
  each_element(spec, [&](std::size_t position, const std::vector<std::int64_t>& index) {
    for (std::size_t byte = 0; byte < item; ++byte)
      out[position * item + byte] = memory[place(index, read_in_bytes) + byte];
  });
  return out;
}
Prediction both_in_bytes(const TensorSpec& spec, const Bytes& logical) {
  return placed(spec, logical, true, true);
}
Prediction created_in_bytes(const TensorSpec& spec, const Bytes& logical) {
  return placed(spec, logical, true, false);
}
Prediction read_in_bytes(const TensorSpec& spec, const Bytes& logical) {
  return placed(spec, logical, false, true);
}

template <std::size_t Width>
Prediction bool_of_width(const TensorSpec& spec, const Bytes& logical) {
  if (!is_bool(spec)) return std::nullopt;
  std::vector<int> out(logical.size(), 0);
  for (std::size_t at = 0; at < out.size(); at += Width)
    out[at] = std::to_integer<int>(logical[at / Width]);
  return out;
}

Prediction bool_as_bits(const TensorSpec& spec, const Bytes& logical) {
  if (!is_bool(spec)) return std::nullopt;
  std::vector<int> out(logical.size(), std::to_integer<int>(unread));
  for (std::size_t at = 0; at < logical.size(); ++at) {
    int& byte = out[at / 8];
    if (at % 8 == 0) byte = 0;
    byte |= std::to_integer<int>(logical[at]) << at % 8;
  }
  return out;
}

Prediction counted_in_elements(const TensorSpec& spec, const Bytes& logical) {
  std::vector<int> out = known(logical);
  for (auto at = static_cast<std::size_t>(spec.element_count()); at < out.size(); ++at)
    out[at] = std::to_integer<int>(unread);
  return out;
}

struct Misreading {
  std::string_view text;
  Prediction (*predict)(const TensorSpec& spec, const Bytes& logical);
  bool of_every_dtype = false;  // several must show it: of one it may be the library's own
};

constexpr std::array misreadings{
    Misreading{"one of them takes the elements in column-major order, but logical bytes are in "
               "row-major order of the indices",
               created_column_major},
    Misreading{"one of them takes the elements in column-major order, but logical bytes are in "
               "row-major order of the indices",
               read_column_major},
    Misreading{"strides, offset and storage_size are taken in bytes, but count elements unless the "
               "spec has DLCERT_SPEC_BYTE_STRIDES",
               both_in_bytes},
    Misreading{
        "the first of them takes strides and offset in bytes, but they count elements unless the "
        "spec has DLCERT_SPEC_BYTE_STRIDES",
        created_in_bytes},
    Misreading{
        "the second of them takes strides and offset in bytes, but they count elements unless the "
        "spec has DLCERT_SPEC_BYTE_STRIDES",
        read_in_bytes},
    Misreading{"one of them swaps the bytes of each element, but logical bytes are in native order",
               swapped, true},
    Misreading{"a bool is taken as 4 bytes, but has 1 byte", bool_of_width<4>},
    Misreading{"a bool is taken as 2 bytes, but has 1 byte", bool_of_width<2>},
    Misreading{"a bool is taken as 8 bytes, but has 1 byte", bool_of_width<8>},
    Misreading{"a bool is taken as 1 bit, but has 1 byte", bool_as_bits},
    Misreading{"the size is taken as a number of elements, but counts bytes", counted_in_elements},
};

bool agrees(const std::vector<int>& predicted, const Bytes& found) {
  for (std::size_t at = 0; at < predicted.size(); ++at)
    if (predicted[at] != unknown && predicted[at] != std::to_integer<int>(found[at])) return false;
  return true;
}

std::string shown(std::string_view how, std::string_view text, const Reading& reading) {
  return fmt::format("{}: {}: {}: expected {} but found {}", how, text, to_text(reading.spec),
                     to_text(reading.logical), to_text(reading.found));
}

// The first tensor that shows the mistake, if it explains every reading.
const Reading* explained_by(const Misreading& mistake, std::span<const Reading> readings) {
  const Reading* first = nullptr;
  std::size_t witnesses = 0;
  std::set<std::string> dtypes;
  for (const Reading& reading : readings) {
    const Prediction predicted = mistake.predict(reading.spec, reading.logical);
    if (!predicted) continue;
    if (!agrees(*predicted, reading.found)) return nullptr;
    if (agrees(*predicted, reading.logical)) continue;
    if (first == nullptr) first = &reading;
    ++witnesses;
    dtypes.insert(to_text(reading.spec.dtype));
  }
  const bool enough =
      witnesses >= enough_witnesses && (!mistake.of_every_dtype || dtypes.size() > 1);
  return enough ? first : nullptr;
}

}  // namespace

bool shares_memory(const TensorSpec& spec) {
  for (std::size_t axis = 0; axis < spec.shape.size(); ++axis)
    if (spec.shape[axis] > 1 && spec.strides[axis] == 0) return true;
  return false;
}

Bytes tried_values(const TensorSpec& spec, bool second) {
  const std::size_t item = logical_item_size(spec.dtype);
  Bytes logical(static_cast<std::size_t>(spec.element_count()) * item);
  const unsigned bits = unsigned{spec.dtype.bits} * spec.dtype.lanes;
  const unsigned mask = is_bool(spec) ? 1 : bits < 8 ? (1u << bits) - 1 : 0x7f;
  for (std::size_t at = 0; at < logical.size(); ++at) {
    const std::size_t element = at / item;
    const std::size_t byte = at % item;
    // Of narrow elements the order shows by a pattern that is no palindrome in any tried shape.
    const auto narrow = static_cast<unsigned>(0b1011000101101001u >> element % 16);
    const auto wide = static_cast<unsigned>((byte % 7 + 1) << 4 | (element + 1) % 16);
    const unsigned value = mask < 4 ? narrow : wide;
    logical[at] = static_cast<std::byte>((second ? ~value & mask & 0x7f : value) & mask);
  }
  return gather(spec, scatter(spec, logical).data());
}

std::string misreading(std::span<const Reading> readings, std::string_view how) {
  for (const Misreading& mistake : misreadings)
    if (const Reading* const witness = explained_by(mistake, readings))
      return shown(how, mistake.text, *witness);
  return {};
}

std::string broken_read(std::span<const Reading> readings) {
  std::set<std::string> dtypes, kept;  // those of which a buffer was not overrun
  const Reading* first_short = nullptr;
  std::size_t short_reads = 0, with_elements = 0;
  for (const Reading& reading : readings) {
    if (reading.found.empty()) continue;
    ++with_elements;
    const bool is_short = std::ranges::find(reading.found, unread) != reading.found.end();
    if (is_short && first_short == nullptr) first_short = &reading;
    short_reads += is_short ? 1 : 0;
    dtypes.insert(to_text(reading.spec.dtype));
    if (reading.overrun == 0) kept.insert(to_text(reading.spec.dtype));
  }
  if (with_elements >= enough_witnesses && short_reads == with_elements)
    return shown("read", "succeeds, but leaves bytes of the buffer as they were, for every tensor",
                 *first_short);
  for (const Reading& reading : readings)
    if (reading.overrun != 0 && !kept.contains(to_text(reading.spec.dtype)))
      return fmt::format(
          "read: writes {} bytes past the end of the buffer: {}: a buffer of {} bytes",
          reading.overrun, to_text(reading.spec), reading.found.size());
  return {};
}

// ---- descriptions ----

namespace {

enum class Says : std::uint8_t { nothing, otherwise, wrong };

std::int64_t item_of(const TensorSpec& spec) {
  return static_cast<std::int64_t>(logical_item_size(spec.dtype));
}

// Each says whether a description shows the mistake, contradicts it, or cannot show it.
Says strides_in_bytes(const Described& one) {
  const TensorSpec& spec = one.spec;
  const auto& strides = one.description.strides;
  if (!strides || strides->size() != spec.shape.size() || sub_byte(spec.dtype) ||
      item_of(spec) == 1 || spec.element_count() == 0)
    return Says::nothing;
  Says says = Says::nothing;
  for (std::size_t axis = 0; axis < spec.shape.size(); ++axis) {
    if (spec.shape[axis] < 2 || spec.strides[axis] == 0) continue;
    if ((*strides)[axis] != spec.strides[axis] * item_of(spec)) return Says::otherwise;
    says = Says::wrong;
  }
  return says;
}

Says offset_in_bytes(const Described& one) {
  const TensorSpec& spec = one.spec;
  const Description& description = one.description;
  const bool told = description.data != nullptr && description.storage_begin != nullptr;
  if (!told || spec.offset == 0 || sub_byte(spec.dtype) || item_of(spec) == 1) return Says::nothing;
  const bool in_bytes = description.data - description.storage_begin == spec.offset;
  return in_bytes ? Says::wrong : Says::otherwise;
}

Says shape_reversed(const Described& one) {
  std::vector<std::int64_t> reversed = one.spec.shape;
  std::ranges::reverse(reversed);
  if (reversed == one.spec.shape) return Says::nothing;
  return one.description.shape == reversed ? Says::wrong : Says::otherwise;
}

Says another_shape(const Described& one) {
  return one.description.shape != one.spec.shape ? Says::wrong : Says::otherwise;
}

Says another_dtype(const Described& one) {
  return one.description.dtype == one.spec.dtype ? Says::otherwise : Says::wrong;
}

struct Misdescription {
  std::string_view text;
  Says (*says)(const Described& one);
};

constexpr std::array misdescriptions{
    Misdescription{"strides are described in bytes, but count elements", strides_in_bytes},
    Misdescription{
        "the first element is described offset bytes after the start of the storage, but "
        "offset counts elements",
        offset_in_bytes},
    Misdescription{"extents are described in reversed order", shape_reversed},
    Misdescription{"no tensor is described with the shape that create was asked for",
                   another_shape},
    Misdescription{"no tensor is described with the dtype that create was asked for",
                   another_dtype},
};

}  // namespace

std::string misdescription(std::span<const Described> described) {
  for (const Misdescription& mistake : misdescriptions) {
    const Described* first = nullptr;
    std::size_t witnesses = 0;
    const bool consistent = std::ranges::all_of(described, [&](const Described& one) {
      const Says says = mistake.says(one);
      if (says == Says::wrong && ++witnesses == 1) first = &one;
      return says != Says::otherwise;
    });
    if (!consistent || witnesses < enough_witnesses) continue;
    const Description& found = first->description;
    return fmt::format("describe: {}: asked for {} but found {} shape={}{}", mistake.text,
                       to_text(first->spec), to_text(found.dtype), to_text(found.shape),
                       found.strides ? fmt::format(" strides={}", to_text(*found.strides)) : "");
  }
  return {};
}

}  // namespace dlcert
