// SPDX-License-Identifier: Apache-2.0
//
// Reading and writing the elements of a tensor.

#include <algorithm>
#include <cstring>
#include <string>

#include "dlcert/tensor/layout.hpp"
#include "dlcert/tensor/tensor.hpp"

#include "device_elements.hpp"
#include "refuse.hpp"

namespace dlcert::reference {
namespace {

/// A position in memory, counted in bits from a byte; lower bits of a byte come first.
template <class Byte>
struct BitPosition {
  Byte* byte;
  std::int64_t bit;

  bool is_aligned() const { return bit % 8 == 0; }
  Byte* address() const { return byte + bit / 8; }
};

/// At most 8 bits.
unsigned bits_at(BitPosition<const std::byte> from, int count) {
  const int shift = static_cast<int>(from.bit % 8);
  unsigned bits = std::to_integer<unsigned>(*from.address()) >> shift;
  if (shift + count > 8) bits |= std::to_integer<unsigned>(from.address()[1]) << (8 - shift);
  return bits & ((1u << count) - 1);
}

/// All in one byte.
void set_bits(BitPosition<std::byte> to, unsigned bits, int count) {
  const int shift = static_cast<int>(to.bit % 8);
  const std::byte mask = static_cast<std::byte>(((1u << count) - 1) << shift);
  *to.address() = (*to.address() & ~mask) | static_cast<std::byte>(bits << shift);
}

/// Of a size that the compiler knows where it is a usual one.
void copy_bytes(const std::byte* from, std::byte* to, std::size_t size) {
  switch (size) {
    case 1:
      *to = *from;
      return;
    case 2:
      std::memcpy(to, from, 2);
      return;
    case 4:
      std::memcpy(to, from, 4);
      return;
    case 8:
      std::memcpy(to, from, 8);
      return;
    default:
      std::memcpy(to, from, size);
  }
}

void copy_bits(BitPosition<const std::byte> from, BitPosition<std::byte> to, std::int64_t count) {
  if (from.is_aligned() && to.is_aligned() && count % 8 == 0)
    return copy_bytes(from.address(), to.address(), static_cast<std::size_t>(count / 8));
  while (count > 0) {
    const std::int64_t some = std::min(count, 8 - to.bit % 8);
    set_bits(to, bits_at(from, static_cast<int>(some)), static_cast<int>(some));
    from.bit += some;
    to.bit += some;
    count -= some;
  }
}

/// Calls `visit` with the position of every element in row-major order, in bits from the storage's
/// start.
template <class Visit>
void for_each_element(const Tensor& tensor, Visit visit) {
  const Layout& layout = tensor.layout();
  if (tensor.rank() == 0) return visit(layout.offset);
  const std::size_t last = tensor.rank() - 1;
  const std::int64_t row_extent = layout.shape[last];
  const std::int64_t row_step = tensor.stride_bits(last);
  Dims index = Dims::filled(tensor.rank(), 0);
  std::int64_t row = layout.offset;
  std::size_t axis = 0;
  do {
    for (std::int64_t i = 0; i < row_extent; ++i)
      visit(row + i * row_step);
    for (axis = last; axis-- > 0;) {
      const std::int64_t step = tensor.stride_bits(axis);
      if (++index[axis] < layout.shape[axis]) {
        row += step;
        break;
      }
      row -= step * (layout.shape[axis] - 1);
      index[axis] = 0;
    }
  } while (axis != static_cast<std::size_t>(-1));
}

void check_size(const Tensor& tensor, std::size_t size) {
  const std::int64_t wanted = tensor.logical_bytes();
  if (size != static_cast<std::size_t>(wanted))
    refuse_as(ErrorKind::value, "expected a buffer of {} bytes but found {}", wanted, size);
}

}  // namespace

void Tensor::read(std::span<std::byte> out) const {
  check_size(*this, out.size());
  if (is_empty()) return;
  if (!is_on_host()) return read_from_device(*this, out);
  storage_->wait_for_uses();
  if (is_logical_in_memory()) {
    std::memcpy(out.data(), first_element(), out.size());
    return;
  }
  if (dtype_.value_bits() % 8 != 0) std::memset(out.data(), 0, out.size());
  BitPosition<std::byte> to{out.data(), 0};
  for_each_element(*this, [&](std::int64_t position) {
    copy_bits({storage_->data(), position}, to, dtype_.value_bits());
    to.bit += 8 * dtype_.logical_bytes();
  });
}

void Tensor::write(std::span<const std::byte> in) const {
  if (is_read_only())
    refuse_as(ErrorKind::value, "expected a writable tensor but found a read-only one");
  check_size(*this, in.size());
  if (is_empty()) return;
  if (!is_on_host()) return write_to_device(*this, in);
  storage_->wait_for_uses();
  if (is_logical_in_memory()) {
    std::memcpy(first_element(), in.data(), in.size());
    return;
  }
  BitPosition<const std::byte> from{in.data(), 0};
  for_each_element(*this, [&](std::int64_t position) {
    copy_bits(from, {storage_->data(), position}, dtype_.value_bits());
    from.bit += 8 * dtype_.logical_bytes();
  });
}

namespace {

void copy_on_host(const Tensor& tensor, const Tensor& result) {
  tensor.storage().wait_for_uses();
  if (tensor.is_row_major() && tensor.layout().offset % 8 == 0) {
    std::memcpy(result.first_element(), tensor.first_element(),
                static_cast<std::size_t>(result.storage().size()));
    return;
  }
  BitPosition<std::byte> to{result.storage().data(), 0};
  for_each_element(tensor, [&](std::int64_t position) {
    copy_bits({tensor.storage().data(), position}, to, tensor.dtype().value_bits());
    to.bit += tensor.dtype().stored_bits();
  });
}

}  // namespace

Tensor Tensor::copy() const {
  Tensor result = zeros(dtype_, shape(), device(), storage_->memory());
  if (is_empty()) return result;
  if (is_on_host())
    copy_on_host(*this, result);
  else
    copy_on_device(*this, result);
  return result;
}

Tensor Tensor::copy_to_host() const {
  Tensor result = zeros(dtype_, shape(), storage_->memory());
  if (is_empty()) return result;
  if (is_on_host())
    copy_on_host(*this, result);
  else
    copy_on_host(staged(*this), result);
  return result;
}

}  // namespace dlcert::reference
