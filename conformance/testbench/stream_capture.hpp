// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlcert/suite/check.hpp>

#include "testbench/device_session.hpp"

namespace dlcert::testbench {

// A capture of one stream into a graph. It ends when this dies.
class StreamCapture {
 public:
  // The capture mode is drawn, or given.
  StreamCapture(Case& c, DeviceSession& session, const StreamHandle& stream);
  StreamCapture(DeviceSession& session, const StreamHandle& stream, driver::CaptureMode mode);
  StreamCapture(const StreamCapture&) = delete;
  StreamCapture& operator=(const StreamCapture&) = delete;
  ~StreamCapture();

  bool intact() const;
  // Ends it and runs what was captured once. Fails unless that works.
  void replay();

 private:
  void start(driver::CaptureMode mode);

  DeviceSession& session_;
  StreamHandle stream_;
  bool under_way_ = true;
};

// A stream of the device that can be captured and can be the tested library's current one, drawn.
StreamHandle draw_capturable_stream(Case& c, DeviceSession& session, int device);

}  // namespace dlcert::testbench
