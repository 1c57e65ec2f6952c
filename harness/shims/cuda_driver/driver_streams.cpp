// SPDX-License-Identifier: Apache-2.0
//
// Streams and events, as far as handle 0 is none of them.

#include "shims/cuda_driver/driver_older_forms.hpp"
#include "shims/cuda_driver/driver_shim.hpp"

namespace {

using dlcert::driver::EventTiming;
using dlcert::driver::StreamKind;

constexpr unsigned int event_flags =
    CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;

CUresult create_stream(CUstream* out, unsigned int flags, int priority) {
  return run_in_context_for<Stream>(out, [&](SimulatedDriver& driver, Stream& stream) {
    if (flags > CU_STREAM_NON_BLOCKING) return Status::invalid_value;
    return driver.create_stream(static_cast<StreamKind>(flags), priority, stream);
  });
}

}  // namespace

// ---- streams ------------------------------------------------------------------------------------

extern "C" CUresult cuStreamCreate(CUstream* out, unsigned int flags) {
  return create_stream(out, flags, 0);
}

extern "C" CUresult cuStreamCreateWithPriority(CUstream* out, unsigned int flags, int priority) {
  return create_stream(out, flags, priority);
}

extern "C" CUresult cuStreamDestroy(CUstream stream) {
  return run([&](SimulatedDriver& driver) { return driver.destroy_stream(stream_of(stream)); });
}

// ---- events -------------------------------------------------------------------------------------

extern "C" CUresult cuEventCreate(CUevent* out, unsigned int flags) {
  return run_in_context_for<Event>(out, [&](SimulatedDriver& driver, Event& event) {
    const bool untimed = (flags & CU_EVENT_DISABLE_TIMING) != 0;
    const bool shared = (flags & CU_EVENT_INTERPROCESS) != 0;
    if ((flags & ~event_flags) != 0 || (shared && !untimed)) return Status::invalid_value;
    return driver.create_event(untimed ? EventTiming::disabled : EventTiming::enabled, event);
  });
}

extern "C" CUresult cuEventDestroy(CUevent event) {
  return run([&](SimulatedDriver& driver) { return driver.destroy_event(event_of(event)); });
}

extern "C" CUresult cuEventQuery(CUevent event) {
  return run([&](SimulatedDriver& driver) { return driver.query_event(event_of(event)); });
}

extern "C" CUresult cuEventSynchronize(CUevent event) {
  return run([&](SimulatedDriver& driver) { return driver.synchronize_event(event_of(event)); });
}

extern "C" CUresult cuEventElapsedTime_v2(float* out, CUevent start, CUevent end) {
  return run_for<float>(out, [&](SimulatedDriver& driver, float& milliseconds) {
    return driver.elapsed_milliseconds(event_of(start), event_of(end), milliseconds);
  });
}

// The same, but for what the newer one tells of events of other devices.
extern "C" CUresult cuEventElapsedTime(float* out, CUevent start, CUevent end) {
  return cuEventElapsedTime_v2(out, start, end);
}

// ---- capture ------------------------------------------------------------------------------------

extern "C" CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  return run([&](SimulatedDriver& driver) {
    if (mode == nullptr) return Status::invalid_value;
    const int number = number_of(*mode);
    if (number < 0 || number > CU_STREAM_CAPTURE_MODE_RELAXED) return Status::invalid_value;
    auto exchanged = static_cast<dlcert::driver::CaptureMode>(number);
    const Status status = driver.exchange_capture_mode(exchanged);
    if (status == Status::success) *mode = static_cast<CUstreamCaptureMode>(exchanged);
    return status;
  });
}
