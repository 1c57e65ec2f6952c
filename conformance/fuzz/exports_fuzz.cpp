// SPDX-License-Identifier: Apache-2.0
#include "fuzz/exports_fuzz.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <vector>

#include "testbench/exports.hpp"
#include "testbench/placed.hpp"

namespace dlcert::testbench {
namespace {

__extension__ using Wide = __int128;

constexpr std::size_t block_bytes = 4096;

void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

class Numbers {
 public:
  explicit Numbers(std::span<const std::uint8_t> input) : input_{input} {}

  std::uint8_t byte() {
    if (input_.empty()) return 0;
    const std::uint8_t byte = input_.front();
    input_ = input_.subspan(1);
    return byte;
  }
  // Mostly small, and sometimes where arithmetic ends.
  std::int64_t number() {
    constexpr std::array ends{INT64_MIN,      INT64_MAX, -1l,         1l << 62,
                              (1l << 62) + 1, 1l << 33,  -(1l << 61), (1l << 31) - 1,
                              INT64_MAX / 3,  -2l,       1l << 57,    1l << 30};
    const std::uint8_t choice = byte();
    return choice < ends.size() ? ends[choice] : choice % 7;
  }
  std::int32_t rank() {
    constexpr std::array<std::int32_t, 5> ends{INT32_MIN, INT32_MAX, -1, 1025, 1024};
    const std::uint8_t choice = byte();
    return choice < ends.size() ? ends[choice] : choice % 5;
  }

 private:
  std::span<const std::uint8_t> input_;
};

// A managed tensor that says anything, over arrays as long as a reader may expect.
class HandedOver {
 public:
  explicit HandedOver(Numbers& source) {
    legacy_ = source.byte() % 4 == 0;
    managed_.version = {1, 3};
    managed_.flags = source.byte();
    DLTensor& tensor = managed_.dl_tensor;
    tensor.dtype = {source.byte(), source.byte(), source.byte()};
    if (source.byte() % 4 != 0) tensor.dtype = {0, 8, 1};
    tensor.device = {static_cast<DLDeviceType>(source.byte() % 20), source.byte()};
    tensor.ndim = source.rank();
    tensor.byte_offset = source.byte() % 64;
    tensor.data = block_.data() + block_bytes / 2;
    const std::size_t length =
        tensor.ndim <= 1024 ? static_cast<std::size_t>(std::max(tensor.ndim, 0)) : 0;
    const std::uint8_t given = source.byte();
    shape_.resize(length);
    for (std::int64_t& extent : shape_)
      extent = source.number();
    strides_.resize(length);
    for (std::int64_t& stride : strides_)
      stride = source.number();
    tensor.shape = given % 8 == 0 ? nullptr : shape_.data();
    tensor.strides = given % 2 == 0 ? nullptr : strides_.data();
    for (std::size_t i = 0; i < block_.size(); ++i)
      block_[i] = static_cast<std::byte>(i * 37 + i / 256);
    bare_.dl_tensor = tensor;
  }

  dlcert_managed managed() {
    if (legacy_) return {DLCERT_LEGACY, 0, &bare_};
    return {DLCERT_VERSIONED, 0, &managed_};
  }
  const std::array<std::byte, block_bytes>& block() const { return block_; }
  Wide first_bit() const { return Wide{8} * (block_bytes / 2 + managed_.dl_tensor.byte_offset); }

 private:
  bool legacy_ = false;
  DLManagedTensorVersioned managed_{};
  DLManagedTensor bare_{};
  std::vector<std::int64_t> shape_, strides_;
  std::array<std::byte, block_bytes> block_{};
};

// The tensor as it was described, in numbers that do not overflow.
struct Extent {
  Wide elements = 1, least = 0, most = 0;  // of bits, from the first element
  bool negative = false;
};

Wide bits_of_value(const TensorSpec& spec) {
  return Wide{spec.dtype.bits} * spec.dtype.lanes;
}

Wide bits_of_place(const TensorSpec& spec) {
  const bool packed = spec.dtype.bits < 8 && !spec.padded();
  return packed ? bits_of_value(spec) : (bits_of_value(spec) + 7) / 8 * 8;
}

// Behind many axes even these numbers end.
Wide bounded(Wide number) {
  constexpr Wide most = Wide{1} << 100;
  return std::clamp(number, -most, most);
}

Extent extent_of(const TensorSpec& spec) {
  Extent extent;
  for (std::size_t axis = 0; axis < spec.shape.size(); ++axis) {
    const Wide length = spec.shape[axis];
    if (length < 0) extent.negative = true;
    extent.elements = std::min(extent.elements * std::max(length, Wide{0}), Wide{1} << 60);
    if (length <= 1) continue;
    const Wide step = bounded((length - 1) * spec.strides[axis]);
    Wide& end = step < 0 ? extent.least : extent.most;
    end = bounded(end + bounded(step) / 64 * bits_of_place(spec) * 64 +
                  bounded(step) % 64 * bits_of_place(spec));
  }
  return extent;
}

bool bit_at(const HandedOver& exported, Wide bit) {
  const auto byte = static_cast<std::size_t>(bit / 8);
  return (std::to_integer<unsigned>(exported.block()[byte]) >> static_cast<int>(bit % 8) & 1u) != 0;
}

// Element by element, bit by bit.
Bytes naive_gather(const HandedOver& exported, const TensorSpec& spec, Wide elements) {
  const std::size_t item = logical_item_size(spec.dtype);
  Bytes logical(item * static_cast<std::size_t>(elements));
  for (Wide element = 0; element < elements; ++element) {
    Wide place = exported.first_bit(), rest = element;
    for (std::size_t axis = spec.shape.size(); axis-- > 0; rest /= spec.shape[axis])
      place += rest % spec.shape[axis] * spec.strides[axis] * bits_of_place(spec);
    for (Wide bit = 0; bit < bits_of_value(spec); ++bit)
      if (bit_at(exported, place + bit))
        logical[static_cast<std::size_t>(element) * item + static_cast<std::size_t>(bit / 8)] |=
            static_cast<std::byte>(1u << static_cast<int>(bit % 8));
  }
  return logical;
}

template <typename Read>
auto read_or_refuse(const Read& read) -> std::optional<decltype(read())> {
  try {
    return read();
  } catch (const Failure& failure) {
    require(!failure.message.empty() && failure.message.find('\n') == std::string::npos,
            "a failure that is not one line");
    return std::nullopt;
  }
}

}  // namespace

void read_export_that_bytes_say(std::span<const std::uint8_t> input) {
  Numbers source{input};
  HandedOver exported{source};
  const Borrowed managed{exported.managed()};
  const std::optional<TensorSpec> spec = read_or_refuse([&] { return described_spec(*managed); });
  if (!spec) return;
  if (bits_of_value(*spec) == 0) {  // a dtype of no bits: nothing to be read, whatever its places
    const auto nothing = read_or_refuse([&] { return gather_exported(*managed); });
    return require(!nothing || nothing->empty(), "elements of no bits");
  }
  const Extent extent = extent_of(*spec);
  const Wide first = exported.first_bit();
  const bool empty = extent.elements == 0 && !extent.negative;
  const bool inside = extent.elements <= Wide{block_bytes} * 8 && first + extent.least >= 0 &&
                      first + extent.most + bits_of_place(*spec) <= Wide{block_bytes} * 8;
  constexpr Wide most_bits = Wide{8} << 30;
  const bool impossible =
      extent.negative || (!empty && (extent.elements * bits_of_value(*spec) > most_bits ||
                                     extent.most - extent.least > INT64_MAX));
  if (!inside && !empty && !impossible) return;
  const auto logical = read_or_refuse([&] { return gather_exported(*managed); });
  if (impossible) return require(!logical, "a tensor that no memory holds and that was read");
  if (!logical && needs_driver(spec->device)) return;  // a device that is not there
  require(logical.has_value(), "a tensor in memory that was refused");
  require(*logical == naive_gather(exported, *spec, extent.elements), "elements that are others");
}

}  // namespace dlcert::testbench
