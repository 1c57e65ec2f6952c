// SPDX-License-Identifier: Apache-2.0
#include "runner/stacks.hpp"

#include <signal.h>

#include <algorithm>
#include <iterator>
#include <set>

#include <dlcert/suite/process_tree.hpp>

namespace dlcert {

bool Stacks::told(pid_t supervisor, int signal, std::size_t printed, Time now) {
  if (signal < 1 || signal > SIGRTMAX) return true;
  if (!began_) {
    begin(supervisor, signal, now);
    return !ask_next(signal, printed, now);
  }
  if (now - *began_ >= longest) return true;
  if (printed != printed_) {
    printed_ = printed;
    grew_ = now;
    printing_ = true;
  }
  if (now - grew_ < (printing_ ? quiet : silence)) return false;
  return !ask_next(signal, printed, now);
}

// A process that was forked for a case is younger than its worker: its stacks are the last.
void Stacks::begin(pid_t supervisor, int signal, Time now) {
  began_ = now;
  const std::set<pid_t> below = living_below(supervisor);
  std::copy_if(below.rbegin(), below.rend(), std::back_inserter(left_),
               [&](pid_t process) { return catches(process, signal); });
}

// Whether there was one.
bool Stacks::ask_next(int signal, std::size_t printed, Time now) {
  if (left_.empty()) return false;
  ::kill(left_.back(), signal);
  left_.pop_back();
  printed_ = printed;
  printing_ = false;
  grew_ = now;
  return true;
}

}  // namespace dlcert
