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
/// so that one of an object that has ended is known to be stale, unless numbers recur.
template <class Object>
class HandleTable {
 public:
  explicit HandleTable(std::uintptr_t first) noexcept : first_{first} {}

  /// From now on the number of the object that ended last is the next to be given; of those that
  /// end from now on.
  void set_recurring(bool recurring) noexcept {
    recurring_ = recurring;
    ended_.clear();
  }
  std::uintptr_t add(std::unique_ptr<Object> object) {
    if (!ended_.empty()) {
      const std::size_t index = ended_.back();
      ended_.pop_back();
      objects_[index] = std::move(object);
      return first_ + index * step;
    }
    objects_.push_back(std::move(object));
    return first_ + (objects_.size() - 1) * step;
  }
  /// NULL when there is no such object (any more).
  [[nodiscard]] Object* find(std::uintptr_t handle) const noexcept {
    const std::size_t index = (handle - first_) / step;
    const bool given = handle >= first_ && handle % step == 0 && index < objects_.size();
    return given ? objects_[index].get() : nullptr;
  }
  /// Of a handle that was given, and whose object has not ended.
  [[nodiscard]] Object& at(std::uintptr_t handle) const noexcept {
    return *objects_[(handle - first_) / step];
  }
  /// The object leaves the table; NULL as for find().
  std::unique_ptr<Object> remove(std::uintptr_t handle) {
    if (find(handle) == nullptr) return nullptr;
    const std::size_t index = (handle - first_) / step;
    if (recurring_) ended_.push_back(index);
    return std::move(objects_[index]);
  }
  /// The numbers of the objects that `wanted(const Object&)`.
  template <class Wanted>
  [[nodiscard]] std::vector<std::uintptr_t> handles(Wanted&& wanted) const {
    std::vector<std::uintptr_t> found;
    for (std::size_t index = 0; index < objects_.size(); ++index)
      if (objects_[index] != nullptr && wanted(*objects_[index]))
        found.push_back(first_ + index * step);
    return found;
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
    ended_.clear();
  }

 private:
  static constexpr std::uintptr_t step = 16;

  std::uintptr_t first_;
  std::vector<std::unique_ptr<Object>> objects_;
  bool recurring_ = false;
  std::vector<std::size_t> ended_;  // whose numbers may be given again
};

}  // namespace dlcert::driver::simulated
