// SPDX-License-Identifier: Apache-2.0
#include <dlcert/suite/work.hpp>

namespace dlcert {

namespace {

WorkCounters* counters = nullptr;

}  // namespace

void count_work_in(WorkCounters& in) {
  counters = &in;
}

void count_work(Work what, std::uint64_t more) {
  if (counters == nullptr) return;
  (*counters)[static_cast<std::size_t>(what)].fetch_add(more, std::memory_order_relaxed);
}

}  // namespace dlcert
