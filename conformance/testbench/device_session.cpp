// SPDX-License-Identifier: Apache-2.0
#include "testbench/device_session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>

#include <dlcert/suite/trace.hpp>

#include "testbench/device_steps.hpp"

namespace dlcert::testbench {

namespace {

using driver::CopyDirection;
using driver::MemoryKind;
using driver::Schedule;
using driver::Status;

constexpr std::size_t scratch_bytes = 4096;
constexpr std::array<Schedule, 3> schedules{Schedule::late, Schedule::seeded, Schedule::eager};

bool is_captured(driver::Driver& driver, driver::Stream stream) {
  driver::CaptureStatus status{};
  return driver.capture_status(stream, status) != Status::success ||
         status != driver::CaptureStatus::none;
}

}  // namespace

std::string_view to_text(StreamHandle::Kind kind) {
  constexpr std::array<std::string_view, 4> names{"non-blocking", "blocking", "legacy default",
                                                  "per-thread default"};
  return names[static_cast<std::size_t>(kind)];
}

namespace {

// Whether the library made `stream` its current one, and ran `body`.
bool adopts(const Party& party, const DeviceSession& session, const StreamHandle& stream,
            const std::function<void()>& body) {
  bool began = false;
  try {
    return party
        .run_with_stream(session.device(stream.device), static_cast<std::uint64_t>(stream.native),
                         [&] {
                           began = true;
                           body();
                         })
        .ok();
  } catch (const NotFormable&) {
    if (began) throw;
    return false;
  }
}

StreamHandle told_stream(const Party& party, const DeviceSession& session, int device) {
  auto told = party.current_stream(session.device(device));
  if (!told.ok()) throw NotClaimed{"a stream of the device"};
  return session.stream_of(device, told.value());
}

}  // namespace

StreamHandle adopted(const Party& party, const DeviceSession& session, const StreamHandle& stream) {
  const TraceAside aside;  // a question of the harness
  return adopts(party, session, stream, [] {}) ? stream
                                               : told_stream(party, session, stream.device);
}

bool has_current_stream(const Party& party, dlcert_device device) {
  const TraceAside aside;  // a question of the harness is no part of the case
  try {
    party.current_stream(device);
    return true;
  } catch (const NotFormable&) {
    return false;
  }
}

void run_within(const Party& party, const DeviceSession& session, const StreamHandle& stream,
                const std::function<void()>& body) {
  if (adopts(party, session, stream, body)) return;
  if (told_stream(party, session, stream.device).native != stream.native)
    throw NotClaimed{"such a stream as its current one"};
  body();
}

// Whoever runs a program over simulated devices says how they behave.
const ProgramStep of_the_machine{};

void expect_done(const driver::Driver& driver, Status status, std::string_view call) {
  // Most often it was a copy of elements that a descriptor puts outside of the memory.
  constexpr std::array<std::string_view, 3> owners{
      "abi.strides.in-bounds", "abi.strides.element-units", "abi.data.device-address"};
  owned_by(owners, [&] {
    expect_acceptance(
        status == Status::success,
        "{} of the harness: expected success but found {} ({}), which an earlier call left behind",
        call, driver::status_name(driver.vendor(), status), static_cast<int>(status));
  });
}

DeviceSession::DeviceGuard::DeviceGuard(driver::Driver& driver, int device)
    : driver_{driver}, device_{device} {
  expect_done(driver, driver.current_device(former_), "current_device");
  if (device_ != former_) tell_device(device_);
  expect_done(driver, driver.set_device(device), "set_device");
}

DeviceSession::DeviceGuard::~DeviceGuard() {
  if (device_ != former_) tell_device(former_);
  static_cast<void>(driver_.set_device(former_));
}

DeviceSession::DeviceSession(Case& c) : case_{c}, driver_{driver::driver()} {
  if (driver_.device_count(devices_) != Status::success || devices_ == 0)
    throw NotClaimed{"a device"};
  end_earlier_work();
  if (driver_.name() == "simulated") {
    simulated_ = &driver::simulated_driver();
    static_cast<void>(simulated_->take_races());
    launches_before_ = simulated_->opaque_launches();
    const Schedule schedule = c.draw.one_of(schedules);
    simulated_->set_schedule(schedule, schedule == Schedule::seeded ? c.draw.below(1u << 16) : 1);
    tell(fmt::format("work runs {}", driver::to_text(schedule)), of_the_machine);
    recurs_ = c.draw.flip();
    simulated_->set_recurring(recurs_);
    if (recurs_) tell("handles and addresses recur", of_the_machine);
  }
  if (simulated_ == nullptr) {
    const TraceAside aside;  // no part of the case
    scratch_ = allocate(MemoryKind::pinned, 0, scratch_bytes);
    static const bool can_judge = shows_a_missing_wait();
    if (!can_judge)
      throw Inconclusive{"the devices run everything in order: a missing wait would not be seen"};
  }
  driver::CaptureMode mode = driver::CaptureMode::global;  // whatever another case has left
  expect_done(driver_, driver_.exchange_capture_mode(mode), "exchange_capture_mode");
  const int current = draw_device();
  tell_device(current);
  expect_done(driver_, driver_.set_device(current), "set_device");
}

void DeviceSession::end_earlier_work() {
  const TraceAside aside;
  for (int device = devices_; device-- > 0;)
    on(device, [&] { expect_done(driver_, driver_.synchronize_device(), "synchronize_device"); });
}

// The negative control of real devices: two streams that nothing orders, one behind the gate.
bool DeviceSession::shows_a_missing_wait() {
  constexpr std::uint8_t before = 1;
  constexpr std::uint8_t after = 2;
  const StreamHandle held = stream(0, StreamHandle::Kind::non_blocking);
  const StreamHandle free = stream(0, StreamHandle::Kind::non_blocking);
  const Range data = allocate(MemoryKind::device, 0, 1);
  const Range seen = allocate(MemoryKind::pinned, 0, 1);
  const DeviceGuard guard{driver_, 0};
  expect_done(driver_, driver_.fill_async(data.begin, before, 1, held.native), "fill_async");
  expect_done(driver_, driver_.synchronize_stream(held.native), "synchronize_stream");
  write_later(held, data, after);
  copy_later(free, data, seen);
  expect_done(driver_, driver_.synchronize_stream(free.native), "synchronize_stream");
  const bool ran_ahead = *seen.begin == std::byte{before};
  open();
  return ran_ahead && gate_.opened_in_time();
}

DeviceSession::~DeviceSession() {
  gate_.open();
  for (const StreamHandle& stream : streams_)
    static_cast<void>(driver_.destroy_stream(stream.native));
  for (int device = devices_; device-- > 0;) {
    static_cast<void>(driver_.set_device(device));
    static_cast<void>(driver_.synchronize_device());
  }
  for (const Block& block : blocks_)
    static_cast<void>(driver_.release(block.kind, block.memory));
  if (simulated_ != nullptr) simulated_->set_recurring(false);
}

int DeviceSession::draw_device() const {
  return static_cast<int>(case_.draw.below(static_cast<std::uint64_t>(devices_)));
}

dlcert_device DeviceSession::device(int ordinal) const {
  return {rocm() ? kDLROCM : kDLCUDA, ordinal};
}

dlcert_device DeviceSession::device_of(MemoryKind kind, int ordinal) const {
  switch (kind) {
    case MemoryKind::pinned:
      return {rocm() ? kDLROCMHost : kDLCUDAHost, 0};
    case MemoryKind::managed:
      return {kDLCUDAManaged, 0};
    case MemoryKind::pageable:
    case MemoryKind::device:
      break;
  }
  return device(ordinal);
}

StreamHandle DeviceSession::stream(int device, StreamHandle::Kind kind) {
  StreamHandle made{device, kind, driver::Stream::null};
  if (kind == StreamHandle::Kind::legacy) return made;
  if (kind == StreamHandle::Kind::per_thread) {
    made.native = driver::Stream::per_thread;
    return made;
  }
  const auto flag = kind == StreamHandle::Kind::blocking ? driver::StreamKind::blocking
                                                         : driver::StreamKind::non_blocking;
  on(device, [&] {
    expect_done(driver_, driver_.create_stream(flag, 0, made.native), "create_stream");
    const bool blocks = kind == StreamHandle::Kind::blocking;
    tell(fmt::format("{} is made", name_of(made)),
         by_part("new_stream", blocks ? "non_blocking=False" : "non_blocking=True",
                 name_anew(made)));
  });
  streams_.push_back(made);
  return made;
}

StreamHandle DeviceSession::stream_of(int device, std::uint64_t native) const {
  StreamHandle known{device, StreamHandle::Kind::legacy, driver::Stream{native}};
  switch (known.native) {
    case driver::Stream::null:
    case driver::Stream::legacy:
      known.native = driver::Stream::null;
      return known;
    case driver::Stream::per_thread:
      known.kind = StreamHandle::Kind::per_thread;
      return known;
    default:
      driver::StreamKind kind{};
      on(device,
         [&] { expect_done(driver_, driver_.stream_kind(known.native, kind), "stream_kind"); });
      known.kind = kind == driver::StreamKind::blocking ? StreamHandle::Kind::blocking
                                                        : StreamHandle::Kind::non_blocking;
      return known;
  }
}

void DeviceSession::destroy(const StreamHandle& stream) {
  tell(fmt::format("{} is destroyed", name_of(stream)),
       by_part("destroy_stream", handle_text(stream)));
  expect_done(driver_, driver_.destroy_stream(stream.native), "destroy_stream");
  std::erase_if(streams_, [&](const StreamHandle& one) { return one.native == stream.native; });
}

std::optional<StreamHandle> DeviceSession::made(driver::Stream native) const {
  const auto found = std::ranges::find(streams_, native, &StreamHandle::native);
  return found == streams_.end() ? std::nullopt : std::optional{*found};
}

void DeviceSession::remake(const StreamHandle& former, StreamHandle::Kind kind) {
  destroy(former);
  const StreamHandle again = stream(former.device, kind);
  expect_equal("handle of the stream that was made next", static_cast<std::uint64_t>(former.native),
               static_cast<std::uint64_t>(again.native));
}

StreamHandle DeviceSession::draw_stream(int device) {
  constexpr std::array kinds{StreamHandle::Kind::non_blocking, StreamHandle::Kind::blocking,
                             StreamHandle::Kind::legacy, StreamHandle::Kind::per_thread};
  return stream(device, case_.draw.one_of(kinds));
}

StreamHandle DeviceSession::draw_consumer_stream(const StreamHandle& other) {
  std::vector<StreamHandle::Kind> kinds{StreamHandle::Kind::non_blocking,
                                        StreamHandle::Kind::blocking};
  if (other.kind != StreamHandle::Kind::legacy) kinds.push_back(StreamHandle::Kind::legacy);
  if (other.kind != StreamHandle::Kind::per_thread && !rocm())
    kinds.push_back(StreamHandle::Kind::per_thread);
  return stream(other.device, case_.draw.one_of(kinds));
}

Range DeviceSession::allocate(MemoryKind kind, int device, std::size_t bytes) {
  void* memory = nullptr;
  on(device, [&] {
    expect_done(driver_, driver_.allocate(kind, bytes, memory), "allocate");
    if (kind == MemoryKind::device)
      tell({}, by_part("device_memory", std::to_string(bytes), name_anew(memory, "memory")));
  });
  blocks_.push_back({kind, memory});
  return {static_cast<std::byte*>(memory), bytes};
}

void DeviceSession::hold(const StreamHandle& stream) {
  if (simulated_ != nullptr) return;
  on(stream.device, [&] {
    if (!is_captured(driver_, stream.native))
      expect_done(driver_, gate_.close(driver_, stream.native), "launch_host_function");
  });
}

void DeviceSession::as_write_of(const Range& range, const std::function<void()>& act) {
  if (simulated_ == nullptr) return act();
  simulated_->begin_scope(
      "the library's write",
      {driver::AccessKind::write, {reinterpret_cast<std::uintptr_t>(range.begin), range.size, {}}});
  try {
    act();
  } catch (...) {
    simulated_->end_scope(false);
    throw;
  }
  simulated_->end_scope(false);
}

void DeviceSession::write_later(const StreamHandle& stream, const Range& range,
                                std::uint8_t value) {
  const std::string memory = variable_of(range.begin);
  hold(stream);
  on(stream.device, [&] {
    tell(fmt::format("{:#04x} is written to {} on {}, not waited for", value, name_of(range),
                     name_of(stream)),
         memory.empty() ? std::nullopt
                        : std::optional{by_part("write_later",
                                                fmt::format("{}, {}, {}, {}", handle_text(stream),
                                                            memory, range.size, value))});
    expect_done(driver_, driver_.fill_async(range.begin, value, range.size, stream.native),
                "fill_async");
  });
}

void DeviceSession::copy_later(const StreamHandle& stream, const Range& from, const Range& to) {
  tell(
      fmt::format("{} are copied to {} on {}", name_of(from), fmt::ptr(to.begin), name_of(stream)));
  on(stream.device, [&] {
    expect_done(
        driver_,
        driver_.copy_async(to.begin, from.begin, from.size, CopyDirection::inferred, stream.native),
        "copy_async");
  });
}

void DeviceSession::expect_usable(const StreamHandle& stream) {
  const Range own = allocate(MemoryKind::device, stream.device, 1);
  write_later(stream, own, 1);
  expect_equal("bytes read on the stream", Bytes(1, std::byte{1}), read_on(stream, own));
}

Bytes DeviceSession::read_on(const StreamHandle& stream, const Range& range) {
  // The assertion on the bytes says how a program reads them.
  tell(fmt::format("{} are read on {}, which is waited for", name_of(range), name_of(stream)),
       ProgramStep{});
  const bool fits = range.size <= scratch_.size;
  const Range seen = fits ? Range{scratch_.begin, range.size}
                          : allocate(MemoryKind::pinned, stream.device, range.size);
  on(stream.device, [&] {
    expect_done(driver_,
                driver_.copy_async(seen.begin, range.begin, range.size, CopyDirection::inferred,
                                   stream.native),
                "copy_async");
    let_race_happen(stream);
    open();
    expect_done(driver_, driver_.synchronize_stream(stream.native), "synchronize_stream");
  });
  return {seen.begin, seen.begin + seen.size};
}

// On hardware: a stream that does not wait for the gate is idle before the gate opens.
void DeviceSession::let_race_happen(const StreamHandle& stream) {
  if (simulated_ != nullptr) return;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds{20};
  while (std::chrono::steady_clock::now() < deadline && has_pending_work(stream))
    std::this_thread::yield();
}

void DeviceSession::wait_for(const StreamHandle& earlier, const StreamHandle& later) {
  // The producer of a program does this by itself.
  tell(fmt::format("{} waits for {}", name_of(later), name_of(earlier)), ProgramStep{});
  driver::Event event{};
  on(earlier.device, [&] {
    expect_done(driver_, driver_.create_event(driver::EventTiming::disabled, event),
                "create_event");
    expect_done(driver_, driver_.record_event(event, earlier.native), "record_event");
  });
  on(later.device,
     [&] { expect_done(driver_, driver_.wait_event(later.native, event), "wait_event"); });
  expect_done(driver_, driver_.destroy_event(event), "destroy_event");
}

void DeviceSession::synchronize(const StreamHandle& stream) {
  tell(fmt::format("{} is waited for", name_of(stream)),
       by_part("synchronize_stream", handle_text(stream)));
  expect_done(driver_, driver_.synchronize_stream(stream.native), "synchronize_stream");
}

// Captured work is not pending, and neither its capture nor one elsewhere survives the question.
bool DeviceSession::has_pending_work(const StreamHandle& stream) {
  return on(stream.device, [&] {
    auto mode = driver::CaptureMode::relaxed;
    expect_done(driver_, driver_.exchange_capture_mode(mode), "exchange_capture_mode");
    const bool pending = !is_captured(driver_, stream.native) &&
                         driver_.query_stream(stream.native) == Status::not_ready;
    expect_done(driver_, driver_.exchange_capture_mode(mode), "exchange_capture_mode");
    static_cast<void>(driver_.take_error());  // not an error that a library should find
    return pending;
  });
}

bool DeviceSession::has_unfinished_write(const StreamHandle& stream, const Range& range) {
  return simulated_ != nullptr ? simulated_->has_unfinished_write(range.begin, range.size)
                               : has_pending_work(stream);
}

void DeviceSession::expect_no_race(const Judgement& judged) {
  if (simulated_ == nullptr) return;
  const std::vector<driver::Race> races = simulated_->take_races();
  if (!races.empty()) fail(races.front().text(), judged);
}

bool DeviceSession::has_unknown_bytes() const {
  return simulated_ != nullptr && simulated_->opaque_launches() != launches_before_;
}

bool DeviceSession::has_race() {
  return simulated_ != nullptr && !simulated_->take_races().empty();
}

std::vector<driver::Call> DeviceSession::calls_of(const std::function<void()>& act) {
  if (simulated_ == nullptr) {
    act();
    return {};
  }
  simulated_->start_trace();
  try {
    act();
  } catch (...) {
    static_cast<void>(simulated_->stop_trace());
    throw;
  }
  return simulated_->stop_trace();
}

driver::CaptureMode DeviceSession::capture_mode() const {
  driver::CaptureMode mode = driver::CaptureMode::relaxed;
  expect_done(driver_, driver_.exchange_capture_mode(mode), "exchange_capture_mode");
  driver::CaptureMode other = mode;
  expect_done(driver_, driver_.exchange_capture_mode(other), "exchange_capture_mode");
  return mode;
}

void DeviceSession::expect_capture_mode(driver::CaptureMode expected,
                                        std::string_view behind) const {
  owned_by("stream.graph-capture.no-sync", [&] {
    expect_equal(fmt::format("mode in which the thread takes captures after {}", behind),
                 static_cast<int>(expected), static_cast<int>(capture_mode()));
  });
}

void DeviceSession::make_current(int device) const {
  if (current_device() == device) return;
  tell_device(device);
  expect_done(driver_, driver_.set_device(device), "set_device");
}

int DeviceSession::current_device() const {
  int device = -1;
  expect_done(driver_, driver_.current_device(device), "current_device");
  return device;
}

int DeviceSession::asked_current_device() const {
  const int device = current_device();
  tell_answer("current_device()", std::to_string(device));
  return device;
}

}  // namespace dlcert::testbench
