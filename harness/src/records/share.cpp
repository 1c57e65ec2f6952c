// SPDX-License-Identifier: Apache-2.0
#include "records/share.hpp"

#include <algorithm>

namespace dlcert {

std::uint64_t set_share(Unit& unit, const CheckInfo& check, std::uint64_t cases, bool dear) {
  constexpr std::uint64_t one_in = 10;  // a process takes a hundred times as long as other cases
  const std::uint64_t all = check.rows > 0 ? check.rows : cases;
  unit.cases = all;
  unit.spread_over = 0;
  if (!check.process_per_case) return all;
  if (check.rows == 0) unit.cases = (all + one_in - 1) / one_in;
  if (dear) unit.cases = std::min<std::uint64_t>(unit.cases, check.processes);
  if (check.rows > unit.cases) unit.spread_over = check.rows;
  return all;
}

std::uint64_t case_at(const Unit& unit, std::uint64_t nth) {
  if (unit.spread_over == 0) return nth;
  return (nth * unit.spread_over / unit.cases + unit.seed % unit.spread_over) % unit.spread_over;
}

std::uint64_t cases_before(const Unit& unit, std::uint64_t index) {
  if (unit.spread_over == 0) return index;
  std::uint64_t before = 0;
  while (before < unit.cases && case_at(unit, before) != index)
    ++before;
  return before;
}

}  // namespace dlcert
