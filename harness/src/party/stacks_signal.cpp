// SPDX-License-Identifier: Apache-2.0
#include "party/stacks_signal.hpp"

#include <signal.h>

#include <utility>

#include <dlcert/suite/process_tree.hpp>
#include <dlcert/suite/table.hpp>

namespace dlcert {

namespace {

int noted = 0;

std::function<void(int)>& listener() {
  static std::function<void(int)> told;
  return told;
}

}  // namespace

int stacks_signal_of(const dlcert_adapter& table) {
  return offered(&table, &dlcert_adapter::stacks_signal) ? table.stacks_signal : 0;
}

void note_stacks_signal(const dlcert_adapter& table) {
  const int signal = stacks_signal_of(table);
  if (noted != 0 || signal == 0) return;
  noted = signal;
  if (listener()) listener()(signal);
}

void tell_stacks_signal(std::function<void(int signal)> told) {
  listener() = std::move(told);
}

bool ask_for_stacks(pid_t child) {
  return noted != 0 && catches(child, noted) && ::kill(child, noted) == 0;
}

}  // namespace dlcert
