// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "runner/runner.hpp"

namespace dlcert {

// A progress bar on standard error, if that is a terminal; removed by the destructor.
class ProgressBar {
 public:
  ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  ~ProgressBar();

  void show(const Progress& progress);

 private:
  bool on_terminal_;
  std::size_t drawn_ = 0;  // percent, plus one
};

}  // namespace dlcert
