// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <span>

namespace dlcert::reference {

/// The highest rank of a tensor.
inline constexpr std::int32_t max_rank = 64;

/// Copies numbers to other memory. Most tensors have so few axes that calling memmove would cost
/// more than the rest of the work: two to four are the first two and the last two, which may
/// overlap.
inline void copy_dims(const std::int64_t* from, std::size_t count, std::int64_t* to) noexcept {
  constexpr std::size_t two = 2 * sizeof *from;
  if (count - 2 <= 2) [[likely]] {
    std::memmove(to, from, two);
    std::memmove(to + count - 2, from + count - 2, two);
  } else if (count == 1) {
    *to = *from;
  } else if (count != 0) {
    std::memmove(to, from, count * sizeof *from);
  }
}

/// A shape, or the strides that go with it: one number per axis, stored inline.
class Dims {
 public:
  // Not defaulted: Dims{} would fill the room for numbers with zeros.
  Dims() noexcept {}  // NOLINT(modernize-use-equals-default)
  /// Throws a value error when there are more than `max_rank` numbers.
  explicit Dims(std::span<const std::int64_t> values) : size_(checked(values.size())) {
    copy_values(values.data());
  }
  Dims(std::initializer_list<std::int64_t> values)
      : Dims(std::span<const std::int64_t>(values.begin(), values.size())) {}
  /// `count` numbers, all of them `value`.
  static Dims filled(std::size_t count, std::int64_t value) {
    Dims dims;
    dims.size_ = checked(count);
    std::fill_n(dims.values_, count, value);
    return dims;
  }

  // Only the numbers in use are copied, a small part of the array. Assignment to itself copies each
  // number to its own place.
  Dims(const Dims& other) noexcept : size_(other.size_) { copy_values(other.values_); }
  Dims& operator=(const Dims& other) noexcept {  // NOLINT(bugprone-unhandled-self-assignment)
    size_ = other.size_;
    copy_values(other.values_);
    return *this;
  }
  ~Dims() = default;

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::int64_t& operator[](std::size_t axis) noexcept { return values_[axis]; }
  [[nodiscard]] std::int64_t operator[](std::size_t axis) const noexcept { return values_[axis]; }
  [[nodiscard]] const std::int64_t* begin() const noexcept { return values_; }
  [[nodiscard]] const std::int64_t* end() const noexcept { return values_ + size_; }
  [[nodiscard]] std::span<const std::int64_t> span() const noexcept { return {values_, size_}; }

  /// Adds one number before the axis that now stands at `axis`, which may be the end.
  void insert(std::size_t axis, std::int64_t value);

  friend bool operator==(const Dims& a, const Dims& b) noexcept {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  static std::size_t checked(std::size_t count) {
    if (count > static_cast<std::size_t>(max_rank)) refuse(count);
    return count;
  }
  [[noreturn]] static void refuse(std::size_t count);
  void copy_values(const std::int64_t* from) noexcept { copy_dims(from, size_, values_); }

  std::size_t size_ = 0;
  std::int64_t values_[static_cast<std::size_t>(max_rank)];
};

}  // namespace dlcert::reference
