// SPDX-License-Identifier: Apache-2.0
//
// Handing a tensor of the producer on a device over to a consumer's stream while work on it is
// pending.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <dlcert/suite/check.hpp>

#include "testbench/device_session.hpp"
#include "testbench/device_source.hpp"
#include "testbench/exports.hpp"

namespace dlcert::testbench {

inline constexpr Needs producing = Can::create | Can::describe | Can::streams;

// The number by which the standard names a stream of this device: 1 and 2 are CUDA's default
// streams, 0 is ROCm's.
std::int64_t number_of(const DeviceSession& session, const StreamHandle& stream);
// Ends the case as not claimed where a library works on a stream that no number names: 2 is refused
// on ROCm.
void require_number(const DeviceSession& session, const StreamHandle& stream);

// __dlpack__ with a stream, in a drawn form.
dlcert_request request_on(Draw& draw, const dlcert_value& stream);
// The same, of the data in host memory.
dlcert_request to_host(dlcert_request request);
// Exports in the form that was asked for, or in the other one where the producer refuses or cannot
// form that: which forms a library has is no matter of streams.
Outcome<Exported> export_in_either_form(Case& c, const Tensor& tensor, dlcert_request request);

// What an export did while work was pending on a producer's stream.
class StreamExport {
 public:
  // The tensor is on the device of `stream`, which is the producer's current stream during the
  // export, or in its place stream(), if the producer does not adopt it. The producer made the
  // tensor or, now and then, has imported it. Its device is the current one, unless the check makes
  // another one current (DeviceSession::on).
  StreamExport(Case& c, DeviceSession& session, const StreamHandle& stream);
  StreamExport(Case& c, DeviceSession& session, const StreamHandle& stream, dlcert_device device);

  // Leaves work pending and exports, maybe on a thread that the library has never seen. More than
  // once is allowed. Up to five exports may come before, for the same or other streams, whatever
  // becomes of them, and streams with the same handles may have been used and be gone. The order of
  // the pending work is judged, unless the library has no current stream and the policy
  // producer-other-streams asks for the current one alone.
  Outcome<Exported>& run(const dlcert_request& request);
  // Exports while the stream is captured: the pending work is the harness's own.
  Outcome<Exported>& run_captured(const dlcert_request& request);
  // Exports without pending work.
  Outcome<Exported>& run_idle(const dlcert_request& request);

  bool accepted() const { return outcome_->ok(); }
  // Support of a stream other than None is optional: the library may decline the case by refusing.
  void require_accepted() const;
  // Whether it takes any stream by number: it has just refused one, without pending work.
  bool accepts_own_stream();
  const Error& error() const { return outcome_->error(); }
  Exported& exported() { return outcome_->value(); }
  void release() { outcome_.reset(); }
  // The driver's calls of the export.
  const std::vector<driver::Call>& calls() const { return calls_; }
  const StreamHandle& stream() const { return stream_; }
  const Range& range() const { return device_source_.range; }
  const TensorSpec& spec() const { return device_source_.source.spec; }
  // What the tensor held when it was made.
  const Bytes& logical() const { return device_source_.source.logical; }
  Tensor& tensor() { return device_source_.source.tensor; }
  // What the pending work writes to so many bytes.
  static Bytes marked(std::size_t size) { return Bytes(size, std::byte{mark}); }
  // The bytes of the export's elements, and between them.
  Range exported_range();

  // Tells the case whether a library that orders nothing would show it: a write is unfinished when
  // the export begins, and `consumer` is no stream that waits for the producer's by itself.
  void tell_touched(const StreamHandle& consumer);
  // The same where no stream waits: for the host, or on one stream.
  void tell_touched();

  // Leaves work of the library on the tensor pending on another stream of the device.
  void write_on(const StreamHandle& other);
  // The elements of the export that `consumer` reads next.
  Bytes read_on(const StreamHandle& consumer);
  // What `consumer` reads next is what the pending work writes, in every schedule.
  void expect_ordered(const StreamHandle& consumer);
  // Counts whether that is so in this schedule.
  void observe_order(const StreamHandle& consumer);
  // The host waited for nothing: by the calls where they are recorded, else by what was pending.
  void expect_host_not_blocked();
  // Besides, no streams were ordered, as far as calls are recorded.
  void expect_nothing_ordered();
  // The export is in host memory and holds what the pending work writes.
  void expect_complete();
  // The same of an export in memory that the host can read, as far as that has happened.
  bool is_complete_for_host();

  static constexpr std::uint8_t mark = 0x3c;

 private:
  StreamExport(Case& c, DeviceSession& session, const StreamHandle& stream, DeviceSource source);
  enum class Pending : std::uint8_t { nothing, of_library, of_harness };
  bool names_thread(const dlcert_value& stream) const;
  bool asks_for_another_device(const dlcert_request& request) const;
  bool export_earlier(const dlcert_request& request);
  // Whatever becomes of it. Whether that was known.
  bool export_before(const dlcert_request& request, Pending pending);
  // The tensor dies while work on it is pending, and another one is made in what it leaves.
  void make_anew(const dlcert_request& request);
  void create_on(const StreamHandle& stream);
  // Streams with the handles of the judged ones are used and end. Whether what the library has
  // written last is behind its stream of now.
  bool renew_streams(const dlcert_request& request, bool has_written);
  void use_another_kind(const StreamHandle& stream, const dlcert_request& request);
  void export_on_stream(const dlcert_request& request, Pending pending);
  void write_by_library(const StreamHandle& stream);

  Case& case_;
  DeviceSession& session_;
  StreamHandle stream_;
  DeviceSource device_source_;
  std::vector<Outcome<Exported>> earlier_;
  std::optional<Outcome<Exported>> outcome_;
  std::vector<driver::Call> calls_;
  bool owes_order_;           // of pending work
  bool was_pending_ = false;  // a write of the tensor, when the export began or ended
};

// ---- what was called ----

// Whether a native handle names this stream.
bool names(driver::Stream native, const StreamHandle& stream);
// Whether the host waited in this one of them: blocked, or asking again until the answer was yes.
bool waits(const std::vector<driver::Call>& calls, const driver::Call& call);
// The first call that makes a stream or the host wait, or empty.
std::string_view ordering_call(const std::vector<driver::Call>& calls);
// The first call that orders anything with anything, events that are only recorded included, and
// host functions where the library submits no work of its own; or empty.
std::string_view event_call(const std::vector<driver::Call>& calls);
// The copies that write to these bytes; without one, the kernels, of which it is not known.
std::vector<driver::Call> copies_to(const Range& range, const std::vector<driver::Call>& calls);

}  // namespace dlcert::testbench
