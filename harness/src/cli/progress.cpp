// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace dlcert {
namespace {

constexpr std::size_t width = 30;
constexpr const char* erase_line = "\r\033[K";

}  // namespace

ProgressBar::ProgressBar() : on_terminal_{isatty(STDERR_FILENO) == 1} {}

ProgressBar::~ProgressBar() {
  if (drawn_ > 0) fmt::print(stderr, "{}", erase_line);
}

void ProgressBar::show(const Progress& progress) {
  if (!on_terminal_ || progress.total == 0) return;
  const std::size_t percent = progress.done * 100 / progress.total;
  if (percent + 1 == drawn_) return;
  drawn_ = percent + 1;
  const std::size_t filled = std::min(width, progress.done * width / progress.total);
  fmt::print(stderr, "{}[{:#<{}}{:.<{}}] {}/{}  {}", erase_line, "", filled, "", width - filled,
             progress.done, progress.total, progress.requirement);
  std::fflush(stderr);
}

}  // namespace dlcert
