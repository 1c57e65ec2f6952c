// SPDX-License-Identifier: Apache-2.0
#include "testbench/stream_export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <utility>

#include <dlcert/suite/evidence.hpp>

#include "testbench/device_steps.hpp"
#include "testbench/threads.hpp"

namespace dlcert::testbench {

namespace {

// CUDA orders a legacy default stream with the blocking streams of its device, the per-thread
// default ones among them.
bool wait_by_themselves(const StreamHandle& one, const StreamHandle& other) {
  const auto waits = [](const StreamHandle& stream) {
    return stream.kind == StreamHandle::Kind::blocking ||
           stream.kind == StreamHandle::Kind::per_thread;
  };
  const auto legacy = StreamHandle::Kind::legacy;
  return one.device == other.device &&
         ((one.kind == legacy && waits(other)) || (other.kind == legacy && waits(one)));
}

}  // namespace

std::int64_t number_of(const DeviceSession& session, const StreamHandle& stream) {
  if (stream.kind == StreamHandle::Kind::legacy) return session.rocm() ? 0 : 1;
  return static_cast<std::int64_t>(stream.native);
}

void require_number(const DeviceSession& session, const StreamHandle& stream) {
  if (session.rocm() && stream.kind == StreamHandle::Kind::per_thread)
    throw NotClaimed{"a stream that has a number"};
}

dlcert_request request_on(Draw& draw, const dlcert_value& stream) {
  dlcert_request asked =
      draw.flip() ? request() : request_version(own_version.major, own_version.minor);
  asked.stream = stream;
  return asked;
}

dlcert_request to_host(dlcert_request request) {
  request.dl_device = pair(kDLCPU, 0);
  return request;
}

Outcome<Exported> export_in_either_form(Case& c, const Tensor& tensor, dlcert_request request) {
  const Wrapping wrapping = c.draw.one_of(wrappings(c.producer));
  auto first = try_export(wrapping, c.producer, tensor, request);
  if (first && first->ok()) return std::move(*first);
  const bool versioned = request.max_version.tag == DLCERT_PAIR;
  request.max_version = versioned ? absent() : pair(own_version.major, own_version.minor);
  auto second = try_export(wrapping, c.producer, tensor, request);
  if (second && (second->ok() || !first)) return std::move(*second);
  if (!first) throw NotFormable{};
  return std::move(*first);
}

namespace {

DeviceSource make_or_import(Case& c, DeviceSession& session, int device) {
  if (c.draw.rarely(4) && c.producer.offers(Needs{} | Can::write))
    if (auto imported = import_device_source(c, session, device)) return std::move(*imported);
  if (c.draw.rarely(8))
    if (auto made = make_read_only_source(c, session, session.device(device)))
      return std::move(*made);
  return make_device_source(c, session, session.device(device));
}

}  // namespace

StreamExport::StreamExport(Case& c, DeviceSession& session, const StreamHandle& stream)
    : StreamExport{c, session, stream, make_or_import(c, session, stream.device)} {}

StreamExport::StreamExport(Case& c, DeviceSession& session, const StreamHandle& stream,
                           dlcert_device device)
    : StreamExport{c, session, stream, make_device_source(c, session, device)} {}

StreamExport::StreamExport(Case& c, DeviceSession& session, const StreamHandle& stream,
                           DeviceSource source)
    : case_{c},
      session_{session},
      stream_{adopted(c.producer, session, stream)},
      device_source_{std::move(source)},
      owes_order_{c.settings.policy("producer-other-streams") == "all" ||
                  has_current_stream(c.producer, session.device(stream.device))} {
  session.make_current(stream.device);
}

Outcome<Exported>& StreamExport::run(const dlcert_request& request) {
  bool has_written = false;
  if (session_.records_calls()) {
    if (!device_source_.foreign && case_.draw.rarely(8)) make_anew(request);
    has_written = export_earlier(request);
    if (session_.recurs() && case_.draw.rarely(3))
      has_written = renew_streams(request, has_written);
  } else {  // What comes first in a process takes longer, and would be taken for a wait.
    export_on_stream(request, Pending::nothing);
  }
  // The same work may be pending at more than one export.
  const bool is_second = has_written && case_.draw.flip();
  const auto act = [&] {
    export_on_stream(request, is_second ? Pending::nothing : Pending::of_library);
  };
  if (session_.records_calls() && !names_thread(request.stream) && case_.draw.rarely(4)) {
    const int device = session_.current_device();
    on_new_thread([&] { session_.on(device, act); });
  } else {
    act();
  }
  return *outcome_;
}

Outcome<Exported>& StreamExport::run_captured(const dlcert_request& request) {
  export_on_stream(request, Pending::of_harness);
  return *outcome_;
}

Outcome<Exported>& StreamExport::run_idle(const dlcert_request& request) {
  export_on_stream(request, Pending::nothing);
  return *outcome_;
}

// The library's own write is work that it knows of; not every library looks at what others have put
// on its stream. Where its tensors never change, it makes another one.
void StreamExport::write_by_library(const StreamHandle& stream) {
  session_.hold(stream);
  const bool is_read_only = (spec().flags & DLCERT_SPEC_READ_ONLY) != 0;
  if (is_read_only || !case_.producer.offers(Needs{} | Can::write)) {
    Source& source = device_source_.source;
    source.tensor = require(case_.producer.create(source.spec, marked(source.logical.size())),
                            "creation of a claimed tensor");
    device_source_.range = range_of(case_.producer, source);
    return;
  }
  session_.as_write_of(range(), [&] {
    owned_by("sharing.read-only-propagated", [&] {
      require(case_.producer.write(tensor(), marked(device_source_.source.logical.size())),
              "write to a tensor");
    });
  });
}

// Whether the streams of an export mean others on another thread.
bool StreamExport::names_thread(const dlcert_value& stream) const {
  return stream_.kind == StreamHandle::Kind::per_thread ||
         (stream.tag == DLCERT_INT && stream.first == 2);
}

// Whether its stream is one of another device than the tensor's.
bool StreamExport::asks_for_another_device(const dlcert_request& request) const {
  const dlcert_device own = session_.device(stream_.device);
  return request.dl_device.tag == DLCERT_PAIR && request.dl_device.first == own.type &&
         request.dl_device.second != own.id;
}

// Whether any of them was behind a write of the library.
bool StreamExport::export_earlier(const dlcert_request& request) {
  Draw& draw = case_.draw;
  constexpr std::uint64_t most = 5;
  const std::uint64_t count = draw.rarely(3) ? draw.below(most) + 1 : 0;
  bool has_written = false;
  for (std::uint64_t i = 0; i < count; ++i) {
    dlcert_request one = request;
    if (draw.flip() && !asks_for_another_device(request))
      one.stream = integer(number_of(session_, session_.draw_consumer_stream(stream_)));
    const bool writes = draw.flip();
    if (!export_before(one, writes ? Pending::of_library : Pending::nothing)) continue;
    has_written = has_written || writes;
    if (draw.flip()) earlier_.push_back(std::move(*outcome_));
  }
  return has_written;
}

bool StreamExport::export_before(const dlcert_request& request, Pending pending) {
  try {
    export_on_stream(request, pending);
    return true;
  } catch (const NotFormable&) {
    return false;  // a stream of another kind of value than the one that is judged
  }
}

bool StreamExport::renew_streams(const dlcert_request& request, bool has_written) {
  Draw& draw = case_.draw;
  if (const auto own = session_.made(stream_.native); own && draw.flip()) {
    // What is pending on a stream that ends is not on the one that is current next.
    const auto settle = [&] { session_.synchronize(*own); };
    if (draw.flip()) export_before(request, Pending::of_library);
    settle();
    if (draw.flip()) {
      use_another_kind(*own, request);
      settle();
    }
    session_.remake(*own, own->kind);
    has_written = false;
  }
  if (request.stream.tag != DLCERT_INT) return has_written;
  const auto native = static_cast<driver::Stream>(request.stream.first);
  const auto consumer = session_.made(native);
  if (!consumer || native == stream_.native) return has_written;
  if (draw.flip())
    use_another_kind(*consumer, request);
  else if (export_before(request, Pending::of_library))
    has_written = true;
  session_.remake(*consumer, consumer->kind);
  return has_written;
}

void StreamExport::use_another_kind(const StreamHandle& stream, const dlcert_request& request) {
  using Kind = StreamHandle::Kind;
  const bool blocks = stream.kind == Kind::blocking;
  session_.remake(stream, blocks ? Kind::non_blocking : Kind::blocking);
  export_before(request, Pending::nothing);
}

void StreamExport::make_anew(const dlcert_request& request) {
  Draw& draw = case_.draw;
  const Tensor first = std::move(tensor());  // its memory is not to be had
  // Memory is of the stream on which it was made: that of other streams' work is its user's matter.
  if (draw.flip()) {
    create_on(stream_);
    export_before(request, Pending::of_library);
  } else {
    const StreamHandle other =
        adopted(case_.producer, session_,
                session_.stream(stream_.device, StreamHandle::Kind::non_blocking));
    create_on(other);
    write_on(other);
  }
  const bool tensor_first = draw.flip();
  if (tensor_first) tensor().release();
  earlier_.clear();
  outcome_.reset();
  if (!tensor_first) tensor().release();
  create_on(stream_);
}

void StreamExport::create_on(const StreamHandle& stream) {
  Source& source = device_source_.source;
  run_within(case_.producer, session_, stream, [&] {
    source.tensor =
        require(case_.producer.create(source.spec, source.logical), "creation of a claimed tensor");
  });
  device_source_.range = range_of(case_.producer, source);
}

void StreamExport::export_on_stream(const dlcert_request& request, Pending pending) {
  outcome_.reset();  // a deleter's calls are not the export's
  const auto body = [&] {
    if (pending == Pending::of_library) write_by_library(stream_);
    if (pending == Pending::of_harness) session_.write_later(stream_, range(), mark);
    was_pending_ = session_.has_unfinished_write(stream_, range());
    calls_ = session_.calls_of(
        [&] { outcome_.emplace(export_in_either_form(case_, tensor(), request)); });
    // A library may submit at the export what it has put off until then.
    was_pending_ = was_pending_ || session_.has_unfinished_write(stream_, range());
  };
  run_within(case_.producer, session_, stream_, body);
}

void StreamExport::write_on(const StreamHandle& other) {
  run_within(case_.producer, session_, other, [&] { write_by_library(other); });
}

Bytes StreamExport::read_on(const StreamHandle& consumer) {
  TensorSpec spec = described_spec(exported().managed());
  const Range bytes = exported_range();
  const auto item = static_cast<std::int64_t>(logical_item_size(spec.dtype));
  spec.offset = (exported().managed().first_element() - bytes.begin) / item;
  spec.storage_size = static_cast<std::int64_t>(bytes.size) / item;
  const Bytes read = session_.read_on(consumer, bytes);
  Bytes elements = gather(spec, read.data());
  tell_read_on(consumer, exported().managed(), elements);
  return elements;
}

void StreamExport::observe_order(const StreamHandle& consumer) {
  const Bytes seen = read_on(consumer);
  case_.observe(seen == marked(seen.size()) ? "ordered in this schedule" : "not ordered");
}

void StreamExport::expect_ordered(const StreamHandle& consumer) {
  owned_by("stream.producer-orders", [&] {
    if (!owes_order_) return observe_order(consumer);
    const Bytes read = read_on(consumer);
    session_.expect_no_race(judged_answer(marked(read.size()), read));
    if (session_.has_unknown_bytes()) {
      // What was made is still there.
      if (read == device_source_.source.logical) note_found(Role::producer, read);
      return case_.observe("a kernel of the library wrote: its order alone is judged");
    }
    expect_equal(
        fmt::format("elements that the consumer reads on the {} stream", to_text(consumer.kind)),
        marked(read.size()), read);
    note_found(Role::producer, read);
  });
}

void StreamExport::require_accepted() const {
  if (!accepted()) throw Declined{"this stream is refused"};
}

bool StreamExport::accepts_own_stream() {
  return run_idle(request_on(case_.draw, integer(number_of(session_, stream_)))).ok();
}

void StreamExport::tell_touched(const StreamHandle& consumer) {
  if (owes_order_ && was_pending_ && wait_by_themselves(stream_, consumer))
    return case_.declined("the consumer's stream waits for the producer's by itself");
  tell_touched();
}

void StreamExport::tell_touched() {
  if (!owes_order_) return case_.declined("the library has no current stream");
  if (was_pending_) return case_.touched();
  case_.declined("nothing of the library's writes is pending at the export");
}

void StreamExport::expect_host_not_blocked() {
  case_.observe(was_pending_ ? "with a write pending" : "with nothing pending");
  if (!was_pending_ && !session_.records_calls())
    throw Declined{"nothing of the library's writes is pending at the export"};
  if (!session_.records_calls())
    return expect(session_.has_pending_work(stream_),
                  "work on the producer's stream: expected it to be pending but it was waited for");
  const auto waited =
      std::ranges::find_if(calls_, [&](const driver::Call& call) { return waits(calls_, call); });
  expect(waited == calls_.end(), "export: expected no call that waits but found {}",
         waited == calls_.end() ? "" : waited->function);
}

void StreamExport::expect_nothing_ordered() {
  expect_host_not_blocked();
  const std::string_view call = ordering_call(calls_);
  expect(call.empty(), "export: expected no call that orders streams but found {}", call);
}

void StreamExport::expect_complete() {
  const Managed& managed = exported().managed();
  expect_field_equal(managed, "device type of the export", "exported.dl_tensor.device.device_type",
                     std::int32_t{kDLCPU}, device_of(managed).type);
  if (!owes_order_)
    return case_.observe(is_complete_for_host() ? "complete for the host" : "not complete");
  const Bytes elements = gather_exported(managed);
  session_.expect_no_race(judged_answer(marked(elements.size()), elements));
  expect_equal("bytes that the host reads", marked(elements.size()), elements);
  note_found(Role::producer, elements);
}

bool StreamExport::is_complete_for_host() {
  const Bytes elements = gather_exported(exported().managed());
  return elements == marked(elements.size());
}

Range StreamExport::exported_range() {
  const TensorSpec spec = described_spec(exported().managed());
  return reach(spec, exported().managed().first_element());
}

// ---- what was called ----

bool names(driver::Stream native, const StreamHandle& stream) {
  const bool legacy = native == driver::Stream::null || native == driver::Stream::legacy;
  return stream.kind == StreamHandle::Kind::legacy ? legacy : native == stream.native;
}

bool waits(const std::vector<driver::Call>& calls, const driver::Call& call) {
  const auto was_refused = [&](const driver::Call& earlier) {
    return earlier.function == call.function && earlier.stream == call.stream &&
           earlier.event == call.event && earlier.status == driver::Status::not_ready;
  };
  return call.waited ||
         (call.function.starts_with("query_") && call.status == driver::Status::success &&
          std::ranges::any_of(calls, was_refused));
}

namespace {

std::string_view first_of(const std::vector<driver::Call>& calls,
                          std::span<const std::string_view> functions) {
  const auto found = std::ranges::find_if(calls, [&](const driver::Call& call) {
    return waits(calls, call) || std::ranges::count(functions, call.function) != 0;
  });
  return found == calls.end() ? std::string_view{} : found->function;
}

}  // namespace

std::string_view ordering_call(const std::vector<driver::Call>& calls) {
  constexpr std::array<std::string_view, 4> ordering{"wait_event", "synchronize_event",
                                                     "synchronize_stream", "synchronize_device"};
  return first_of(calls, ordering);
}

std::string_view event_call(const std::vector<driver::Call>& calls) {
  constexpr std::array<std::string_view, 3> events{"record_event", "wait_event",
                                                   "launch_host_function"};
  const bool submits = std::ranges::any_of(calls, [](const driver::Call& call) {
    return call.written != 0 || call.function == "launch";
  });
  // Work that was put off until the export may bring a host function along.
  return first_of(calls, std::span{events}.first(submits ? 2 : 3));
}

std::vector<driver::Call> copies_to(const Range& range, const std::vector<driver::Call>& calls) {
  const auto begin = reinterpret_cast<std::uintptr_t>(range.begin);
  std::vector<driver::Call> copies, launches;
  for (const driver::Call& call : calls) {
    if (call.function == "launch") launches.push_back(call);
    if (call.function.starts_with("copy") && call.written >= begin &&
        call.written < begin + range.size)
      copies.push_back(call);
  }
  return copies.empty() ? launches : copies;
}

}  // namespace dlcert::testbench
