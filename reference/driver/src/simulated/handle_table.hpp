// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace dlcert::driver::simulated {

/// Objects that callers name by a number that looks like a pointer. A number is never given twice,
/// so that one of an object that has ended is known to be stale.
template <class Object>
class HandleTable {
 public:
  explicit HandleTable(std::uintptr_t first) noexcept : first_{first} {}

  std::uintptr_t add(std::unique_ptr<Object> object) {
    objects_.push_back(std::move(object));
    return first_ + (objects_.size() - 1) * step;
  }
  /// NULL when there is no such object (any more).
  [[nodiscard]] Object* find(std::uintptr_t handle) const noexcept {
    const std::size_t index = (handle - first_) / step;
    const bool given = handle >= first_ && handle % step == 0 && index < objects_.size();
    return given ? objects_[index].get() : nullptr;
  }
  /// The object leaves the table; NULL as for find().
  std::unique_ptr<Object> remove(std::uintptr_t handle) noexcept {
    if (find(handle) == nullptr) return nullptr;
    return std::move(objects_[(handle - first_) / step]);
  }
  /// Of those that have not ended.
  [[nodiscard]] std::size_t count() const noexcept {
    const auto ended = std::count(objects_.begin(), objects_.end(), nullptr);
    return objects_.size() - static_cast<std::size_t>(ended);
  }
  /// All objects end; their numbers stay used.
  void clear() noexcept {
    for (std::unique_ptr<Object>& object : objects_)
      object.reset();
  }

 private:
  static constexpr std::uintptr_t step = 16;

  std::uintptr_t first_;
  std::vector<std::unique_ptr<Object>> objects_;
};

}  // namespace dlcert::driver::simulated
