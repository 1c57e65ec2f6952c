// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <gtest/gtest.h>

#include <stdexcept>
#include <utility>

#include "dlcert/tensor/errors.hpp"
#include "dlcert/tensor/import_steps.hpp"

namespace dlcert::reference {

/// A foreign object that returns what it is told to, and remembers what it was asked.
class Spy final : public DlpackObject {
 public:
  explicit Spy(Exported answer) : answer_(std::move(answer)) {}

  DLDevice dlpack_device() override {
    if (fails_at == 1) throw std::out_of_range("device");
    asked_device = true;
    return device;
  }
  Exported dlpack(const ExportRequest& asked) override {
    EXPECT_TRUE(asked_device);
    if (fails_at == 2) throw std::out_of_range("dlpack");
    if (knows_only_stream &&
        (asked.max_version.index() != 0 || asked.dl_device.index() != 0 || asked.copy.index() != 0))
      throw Error(ErrorKind::type, "unexpected argument");
    request = asked;
    ++exports;
    return std::move(answer_);
  }

  DLDevice device = cpu_device;
  int fails_at = 0;
  bool knows_only_stream = false;
  bool asked_device = false;
  int exports = 0;
  ExportRequest request;

 private:
  Exported answer_;
};

}  // namespace dlcert::reference
