// SPDX-License-Identifier: Apache-2.0
#include "party/fork_hooks.hpp"

#include <unistd.h>

#include <cerrno>
#include <vector>

#include <dlcert/suite/table.hpp>
#include <dlcert/suite/work.hpp>

namespace dlcert {

namespace {

std::vector<const dlcert_adapter*>& hooked() {
  static std::vector<const dlcert_adapter*> tables;
  return tables;
}

}  // namespace

bool has_fork_hooks(const dlcert_adapter& table) {
  return offered(&table, &dlcert_adapter::before_fork) &&
         offered(&table, &dlcert_adapter::after_fork);
}

void add_fork_hooks(const dlcert_adapter& table) {
  if (has_fork_hooks(table)) hooked().push_back(&table);
}

void remove_fork_hooks(const dlcert_adapter& table) {
  std::erase(hooked(), &table);
}

pid_t fork_with_hooks() {
  for (auto table = hooked().rbegin(); table != hooked().rend(); ++table)
    (*table)->before_fork((*table)->self);
  count_work(Work::forks);
  const pid_t child = ::fork();
  const int error = errno;
  for (const dlcert_adapter* const table : hooked())
    table->after_fork(table->self, child == 0 ? 1 : 0);
  errno = error;
  return child;
}

}  // namespace dlcert
