// SPDX-License-Identifier: Apache-2.0
//
// What programs advise about managed memory, by page. It moves nothing here, and is told when
// asked.

#pragma once

#include <cstddef>
#include <iterator>
#include <map>
#include <set>

#include "shims/common/shim.hpp"

namespace dlcert::shim {

/// Where memory should be: a device, or a place of the host by its type and number.
struct Location {
  int type = 0;  ///< a number of cudaMemLocationType; 0 is none
  int id = 0;

  friend bool operator==(const Location&, const Location&) = default;
};

struct Advice {
  bool read_mostly = false;
  Location preferred = {};
  Location prefetched = {};  ///< to where it was last
  std::set<int> accessed_by = {};

  friend bool operator==(const Advice&, const Advice&) = default;
};

/// Of one memory, by offsets from its begin. Ranges are of whole pages.
class AdvisedMemory {
 public:
  /// `change(Advice&)` of each part of [begin, end).
  template <class Change>
  void change(std::size_t begin, std::size_t end, Change&& change) {
    begin = begin / page * page;
    end = (end + page - 1) / page * page;
    split(begin);
    split(end);
    for (auto part = parts_.find(begin); part != parts_.find(end); ++part)
      change(part->second);
  }

  /// `holds(const Advice&)` of every part of [begin, end).
  template <class Holds>
  [[nodiscard]] bool all(std::size_t begin, std::size_t end, Holds&& holds) const {
    auto part = parts_.upper_bound(begin / page * page);
    bool each = holds(advice_at(begin / page * page));
    for (; part != parts_.end() && part->first < end; ++part)
      each = each && holds(part->second);
    return each;
  }

  [[nodiscard]] const Advice& advice_at(std::size_t offset) const {
    static const Advice none;
    const auto behind = parts_.upper_bound(offset);
    return behind == parts_.begin() ? none : std::prev(behind)->second;
  }

 private:
  static constexpr std::size_t page = 4096;

  // From here on a part of its own, with the advice of before.
  void split(std::size_t begin) {
    const Advice before = advice_at(begin);
    parts_.emplace(begin, before);
  }

  std::map<std::size_t, Advice> parts_;  // by where they begin; none before the first
};

}  // namespace dlcert::shim
