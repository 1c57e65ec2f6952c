// SPDX-License-Identifier: Apache-2.0
//
// Handing a tensor of the producer on a device over to a consumer's stream while work on it is
// pending.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <dlcert/suite/check.hpp>

#include "generators/exports.hpp"
#include "testbench/platforms.hpp"
#include "testbench/stage.hpp"

namespace dlcert::stream {

inline constexpr Needs producing = Can::create | Can::describe | Can::streams;

// The number by which the standard names a stream of this device: 1 and 2 are CUDA's default
// streams, 0 is ROCm's.
std::int64_t number_of(const Stage& stage, const Queue& queue);

// __dlpack__ with a stream, in a drawn form.
dlcert_request request_on(Draw& draw, const dlcert_value& stream);
// Exports in the form that was asked for, or in the other one where the producer refuses or cannot
// form that: which forms a library has is no matter of streams.
Outcome<Exported> export_in_either_form(Case& c, const Tensor& tensor, dlcert_request request);

// A float32 tensor of the producer on `device`, maybe a view and inside a larger storage. Nothing
// is pending on it. Not claimed unless the producer tells its address.
struct Resident {
  Source source;
  Range range;  // from the lowest to the highest element
};
Resident make_resident(Case& c, Stage& stage, dlcert_device device);

// What an export did while work was pending on a producer's stream.
class Handover {
 public:
  // The tensor is on `queue`'s device, which is the producer's current stream during the export.
  Handover(Case& c, Stage& stage, const Queue& queue);
  Handover(Case& c, Stage& stage, const Queue& queue, dlcert_device device);

  // Leaves work pending and exports. More than once is allowed.
  Outcome<Exported>& run(const dlcert_request& request);
  // The same while the queue is captured: what is pending is the harness's own.
  Outcome<Exported>& run_captured(const dlcert_request& request);
  // The same without pending work.
  Outcome<Exported>& run_idle(const dlcert_request& request);

  bool accepted() const { return outcome_->ok(); }
  // Support of a stream other than None is optional: a refusal ends the case as not claimed.
  void require_accepted() const;
  const Error& error() const { return outcome_->error(); }
  Exported& exported() { return outcome_->value(); }
  void release() { outcome_.reset(); }
  // The driver's calls of the export.
  const std::vector<driver::Call>& calls() const { return calls_; }
  const Queue& queue() const { return queue_; }
  const Range& range() const { return resident_.range; }
  const TensorSpec& spec() const { return resident_.source.spec; }
  Tensor& tensor() { return resident_.source.tensor; }
  // What the pending work writes to so many bytes.
  static Bytes marked(std::size_t size) { return Bytes(size, std::byte{mark}); }
  // The bytes of the export's elements, and between them.
  Range exported_range();

  // Leaves work of the library on the tensor pending on another stream of the device.
  void write_on(const Queue& other);
  // The elements of the export that `consumer` reads next.
  Bytes read_on(const Queue& consumer);
  // What `consumer` reads next is what the pending work writes, in every schedule.
  void expect_ordered(const Queue& consumer);
  // The host waited for nothing: by the calls where they are recorded, else by what is pending.
  void expect_host_not_blocked();
  // Besides, no streams were ordered, as far as calls are recorded.
  void expect_nothing_ordered();
  // The export is in host memory and holds what the pending work writes.
  void expect_complete();
  // The same of an export in memory that the host can read, as far as that has happened.
  bool is_complete_for_host();

  static constexpr std::uint8_t mark = 0x3c;

 private:
  enum class Pending : std::uint8_t { nothing, of_library, of_harness };
  void export_on_queue(const dlcert_request& request, Pending pending);
  void write_by_library(const Queue& queue);

  Case& case_;
  Stage& stage_;
  Queue queue_;
  Resident resident_;
  std::optional<Outcome<Exported>> outcome_;
  std::vector<driver::Call> calls_;
  bool was_pending_ = true;  // when the export began
};

// ---- what was called ----

// Whether a native handle names this queue.
bool names(driver::Stream stream, const Queue& queue);
// The first call that makes a stream or the host wait, or empty.
std::string_view ordering_call(const std::vector<driver::Call>& calls);
// The same of all that orders with something else, an event that is only recorded included.
std::string_view event_call(const std::vector<driver::Call>& calls);
bool moves_bytes(const driver::Call& call);

Check producer_check(std::string_view requirement, std::string_view sentence, void (*body)(Case&));
}  // namespace dlcert::stream
