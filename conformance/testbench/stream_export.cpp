// SPDX-License-Identifier: Apache-2.0
#include "testbench/stream_export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <utility>

#include <dlcert/suite/evidence.hpp>

#include "generators/device_specs.hpp"

namespace dlcert::testbench {

namespace {

constexpr std::int64_t most_padding = 3;

// A part of a storage that may be larger.
TensorSpec draw_inside(Draw& draw, TensorSpec spec) {
  spec.offset = draw.between(0, most_padding);
  spec.storage_size += spec.offset + draw.between(0, most_padding);
  return spec;
}

// A view of twice the elements: every other one, the axes in another order, or backwards.
TensorSpec draw_view(Draw& draw, TensorSpec spec) {
  spec.storage_size = 2 * spec.element_count() + spec.offset;
  std::int64_t& last = spec.strides.back();
  switch (draw.below(3)) {
    case 0:
      for (std::int64_t& stride : spec.strides)
        stride *= 2;
      break;
    case 1:
      std::ranges::reverse(spec.strides);
      std::ranges::reverse(spec.shape);
      break;
    default:
      spec.offset += last * (spec.shape.back() - 1);
      last = -last;
  }
  return spec;
}

// Compact where the producer claims nothing else.
TensorSpec draw_layout_of(Draw& draw, const Party& producer, const TensorSpec& compact) {
  TensorSpec spec = draw_inside(draw, compact);
  if (!producer.can(spec)) spec = compact;
  // A view of many elements may be copied one by one.
  constexpr std::int64_t most_elements = 512;
  if (spec.shape.empty() || spec.element_count() > most_elements || !draw.rarely(3)) return spec;
  TensorSpec view = draw_view(draw, spec);
  return producer.can(view) ? view : spec;
}

std::int64_t item_of(const TensorSpec& spec) {
  return static_cast<std::int64_t>(logical_item_size(spec.dtype));
}

// The bytes from the lowest to the highest element, of which the first is at `first`.
Range reach(const std::byte* first, std::span<const std::int64_t> shape,
            std::span<const std::int64_t> strides, std::int64_t item) {
  std::int64_t low = 0;
  std::int64_t high = 0;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const std::int64_t distance = strides[axis] * (shape[axis] - 1);
    (distance < 0 ? low : high) += distance;
  }
  return {const_cast<std::byte*>(first) + low * item,
          static_cast<std::size_t>((high - low + 1) * item)};
}

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

dlcert_request request_on(Draw& draw, const dlcert_value& stream) {
  dlcert_request asked =
      draw.flip() ? request() : request_version(own_version.major, own_version.minor);
  asked.stream = stream;
  return asked;
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

DeviceSource make_device_source(Case& c, DeviceSession& session, dlcert_device device) {
  const TensorSpec spec =
      draw_layout_of(c.draw, c.producer, draw_device_spec(c.draw, c.producer, device));
  require_claimed(c.producer, spec);
  DeviceSource made{make_source(c, spec), {}};
  for (int ordinal = 0; ordinal < session.devices(); ++ordinal)
    require(c.producer.synchronize(session.device(ordinal)), "synchronize");
  const Description said = require(c.producer.describe(made.source.tensor), "describe");
  if (said.data == nullptr) throw NotClaimed{"an address of the elements"};
  made.range = reach(said.data, spec.shape, spec.strides, item_of(spec));
  return made;
}

StreamExport::StreamExport(Case& c, DeviceSession& session, const StreamHandle& stream)
    : StreamExport{c, session, stream, session.device(stream.device)} {}

StreamExport::StreamExport(Case& c, DeviceSession& session, const StreamHandle& stream,
                           dlcert_device device)
    : case_{c},
      session_{session},
      stream_{stream},
      device_source_{make_device_source(c, session, device)} {}

Outcome<Exported>& StreamExport::run(const dlcert_request& request) {
  if (session_.records_calls())
    export_earlier(request);
  else  // What comes first in a process takes longer, and would be taken for a wait.
    export_on_stream(request, Pending::nothing);
  export_on_stream(request, Pending::of_library);
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
// on its stream.
void StreamExport::write_by_library(const StreamHandle& stream) {
  if (!case_.producer.offers(Needs{} | Can::write))
    return session_.write_later(stream, range(), mark);
  session_.hold(stream);
  session_.as_write_of(range(), [&] {
    require(case_.producer.write(tensor(), marked(device_source_.source.logical.size())),
            "write to a tensor");
  });
}

void StreamExport::export_earlier(const dlcert_request& request) {
  Draw& draw = case_.draw;
  constexpr std::uint64_t most = 5;
  const std::uint64_t count = draw.rarely(3) ? draw.below(most) + 1 : 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    dlcert_request one = request;
    if (draw.flip())
      one.stream = integer(number_of(session_, session_.draw_consumer_stream(stream_)));
    try {
      export_on_stream(one, draw.flip() ? Pending::of_library : Pending::nothing);
    } catch (const NotFormable&) {
      continue;  // a stream of another kind of value than the one that is judged
    }
    if (draw.flip()) earlier_.push_back(std::move(*outcome_));
  }
}

void StreamExport::export_on_stream(const dlcert_request& request, Pending pending) {
  const auto body = [&] {
    if (pending == Pending::of_library) write_by_library(stream_);
    if (pending == Pending::of_harness) session_.write_later(stream_, range(), mark);
    was_pending_ = session_.has_unfinished_write(stream_, range());
    outcome_.reset();  // a deleter's calls are not the export's
    calls_ = session_.calls_of(
        [&] { outcome_.emplace(export_in_either_form(case_, tensor(), request)); });
  };
  run_within(case_.producer, session_, stream_, body);
}

void StreamExport::write_on(const StreamHandle& other) {
  run_within(case_.producer, session_, other, [&] { write_by_library(other); });
}

Bytes StreamExport::read_on(const StreamHandle& consumer) {
  TensorSpec spec = described_spec(exported().managed());
  const Range bytes = exported_range();
  const std::int64_t item = item_of(spec);
  spec.offset = (exported().managed().first_element() - bytes.begin) / item;
  spec.storage_size = static_cast<std::int64_t>(bytes.size) / item;
  const Bytes read = session_.read_on(consumer, bytes);
  return gather(spec, read.data());
}

void StreamExport::expect_ordered(const StreamHandle& consumer) {
  const Bytes read = read_on(consumer);
  session_.expect_no_race();
  if (session_.has_unknown_bytes()) {
    // What was made is still there.
    if (read == device_source_.source.logical) note_found(Role::producer, read);
    return case_.observe("a kernel of the library wrote: its order alone is judged");
  }
  expect_equal(
      fmt::format("elements that the consumer reads on the {} stream", to_text(consumer.kind)),
      marked(read.size()), read);
  note_found(Role::producer, read);
}

void StreamExport::require_accepted() const {
  if (!accepted()) throw Declined{"this stream is refused"};
}

bool StreamExport::accepts_own_stream() {
  return run_idle(request_on(case_.draw, integer(number_of(session_, stream_)))).ok();
}

void StreamExport::tell_touched(const StreamHandle& consumer) {
  if (!was_pending_ || !wait_by_themselves(stream_, consumer)) tell_touched();
}

void StreamExport::tell_touched() {
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
  const auto waited = std::ranges::find_if(calls_, &driver::Call::waited);
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
  const Bytes elements = gather_exported(managed);
  session_.expect_no_race();
  expect_equal("bytes that the host reads", marked(elements.size()), elements);
  note_found(Role::producer, elements);
}

bool StreamExport::is_complete_for_host() {
  const Bytes elements = gather_exported(exported().managed());
  return elements == marked(elements.size());
}

Range StreamExport::exported_range() {
  const TensorSpec spec = described_spec(exported().managed());
  return reach(exported().managed().first_element(), spec.shape, spec.strides, item_of(spec));
}

// ---- what was called ----

bool names(driver::Stream native, const StreamHandle& stream) {
  const bool legacy = native == driver::Stream::null || native == driver::Stream::legacy;
  return stream.kind == StreamHandle::Kind::legacy ? legacy : native == stream.native;
}

namespace {

std::string_view first_of(const std::vector<driver::Call>& calls,
                          std::span<const std::string_view> functions) {
  const auto found = std::ranges::find_if(calls, [&](const driver::Call& call) {
    return call.waited || std::ranges::count(functions, call.function) != 0;
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
  return first_of(calls, events);
}

bool moves_bytes(const driver::Call& call) {
  return call.function.starts_with("copy") || call.function == "launch";
}

}  // namespace dlcert::testbench
