// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlcert/suite/check.hpp>

#include "testbench/stage.hpp"

namespace dlcert::stream {

// A capture of one stream, which ends with this.
class Capture {
 public:
  // In a drawn mode.
  Capture(Case& c, Stage& stage, const Queue& queue);
  Capture(Stage& stage, const Queue& queue, driver::CaptureMode mode);
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;
  ~Capture();

  bool intact() const;
  // Ends it and runs what was captured once. Fails unless that works.
  void replay();

 private:
  void start(driver::CaptureMode mode);

  Stage& stage_;
  Queue queue_;
  bool under_way_ = true;
};

// A stream of the device that can be captured, drawn.
Queue draw_captured_queue(Case& c, Stage& stage, int device);

}  // namespace dlcert::stream
