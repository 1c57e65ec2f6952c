// SPDX-License-Identifier: Apache-2.0
//
// What the harness itself does on devices in one case: streams, memory, work that stays pending
// until something waits for it, and what can be seen of an implementation's calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <dlcert/driver/select.hpp>
#include <dlcert/driver/simulated.hpp>
#include <dlcert/suite/check.hpp>

#include "testbench/gate.hpp"

namespace dlcert::testbench {

// A stream of a device, by its native handle.
struct StreamHandle {
  // The kinds of streams between which data is handed over.
  enum class Kind : std::uint8_t { non_blocking, blocking, legacy, per_thread };

  int device = 0;
  Kind kind = Kind::legacy;
  driver::Stream native = driver::Stream::null;
};
using dlcert::to_text;
std::string_view to_text(StreamHandle::Kind kind);
// The native handle in a program: the variable that holds it, or its number.
std::string handle_text(const StreamHandle& stream);

// A range of bytes in memory of a device.
struct Range {
  std::byte* begin = nullptr;
  std::size_t size = 0;
};

// One case on devices: whatever is made here ends with it. The schedule of the simulated driver,
// whether its handles and addresses recur, and the current device are drawn. What makes a tensor
// in a session (DeviceSource, StreamExport, StreamImport) makes its device the current one; a check
// that is about another current device uses on(). Ends the case as not
// claimed where the driver has no device of the check's vendor.
class DeviceSession {
 public:
  explicit DeviceSession(Case& c);
  DeviceSession(const DeviceSession&) = delete;
  DeviceSession& operator=(const DeviceSession&) = delete;
  ~DeviceSession();

  bool rocm() const { return driver_.vendor() == driver::Vendor::rocm; }
  int devices() const { return devices_; }
  int draw_device() const;
  // The device as DLPack names it; memory of a kind as DLPack names its device.
  dlcert_device device(int ordinal) const;
  dlcert_device device_of(driver::MemoryKind kind, int ordinal) const;

  StreamHandle stream(int device, StreamHandle::Kind kind);
  // Destroys a stream that stream() made, before the case ends.
  void destroy(const StreamHandle& stream);
  // Whether what is made gets the handles and addresses of what has just ended.
  bool recurs() const { return recurs_; }
  // The stream of this handle, if stream() made it.
  std::optional<StreamHandle> made(driver::Stream native) const;
  // Destroys a stream that stream() made, and makes another one, which gets its handle. Requires
  // recurs().
  void remake(const StreamHandle& stream, StreamHandle::Kind kind);
  StreamHandle draw_stream(int device);
  // The stream of a native handle, which somebody else made.
  StreamHandle stream_of(int device, std::uint64_t native) const;
  // A stream other than `other` that the standard can name, drawn.
  StreamHandle draw_consumer_stream(const StreamHandle& other);

  // `bytes` bytes of a kind on or for a device.
  Range allocate(driver::MemoryKind kind, int device, std::size_t bytes);

  // Enqueues a write of `value` to each byte. On the simulated driver it is pending as the schedule
  // says, on hardware until open() or until the host has waited for it for a while.
  void write_later(const StreamHandle& stream, const Range& range, std::uint8_t value);
  // Opens the gate of hold(): pending writes run. Without effect on the simulated driver.
  void open() { gate_.open(); }

  // Enqueues a copy between two ranges of one size.
  void copy_later(const StreamHandle& stream, const Range& from, const Range& to);
  // Fails the case unless work on the stream still runs.
  void expect_usable(const StreamHandle& stream);

  // What an operation on `stream` reads that is enqueued now. Waits for that stream, and no other.
  Bytes read_on(const StreamHandle& stream, const Range& range);
  // Makes `later` wait for what `earlier` has been given.
  void wait_for(const StreamHandle& earlier, const StreamHandle& later);
  // The host waits for the stream.
  void synchronize(const StreamHandle& stream);
  bool has_pending_work(const StreamHandle& stream);
  // Whether a write of these bytes is not known to be over: a wait for it can be missing. Where
  // accesses are not recorded, whether anything on the stream is pending.
  bool has_unfinished_write(const StreamHandle& stream, const Range& range);

  // Accesses that nothing orders, as far as the driver can see them. Fails with the first one; a
  // program sees it by what `judged` looks at.
  void expect_no_race(const Judgement& judged = {});
  bool has_race();
  // The calls of the driver that `act` makes, where the driver records calls; fails with what `act`
  // throws.
  std::vector<driver::Call> calls_of(const std::function<void()>& act);
  bool records_calls() const { return simulated_ != nullptr; }
  // What the calling thread submits during `act` also counts as a write of these bytes, where
  // accesses are recorded: how a library writes is not seen otherwise.
  void as_write_of(const Range& range, const std::function<void()>& act);
  // Whether the library has launched kernels, where none runs: what they wrote is not known.
  bool has_unknown_bytes() const;
  // Holds back what follows on the stream, on hardware; nothing where accesses are recorded.
  void hold(const StreamHandle& stream);

  // Makes `device` the calling thread's current one for the rest of the case.
  void make_current(int device) const;
  // Runs `act` with `device` as the calling thread's current one.
  template <typename Act>
  auto on(int device, Act&& act) const;

  driver::Driver& driver() const { return driver_; }
  int current_device() const;
  // The same, as a question of the case.
  int asked_current_device() const;
  // How the calling thread takes captures, which a library may change for a while only.
  driver::CaptureMode capture_mode() const;
  void expect_capture_mode(driver::CaptureMode expected, std::string_view behind) const;

 private:
  class DeviceGuard;
  void end_earlier_work();
  void let_race_happen(const StreamHandle& stream);
  bool shows_a_missing_wait();

  Case& case_;
  driver::Driver& driver_;
  driver::SimulatedDriver* simulated_ = nullptr;
  std::uint64_t launches_before_ = 0;
  bool recurs_ = false;
  int devices_ = 0;
  Gate gate_;
  Range scratch_;  // pinned, made while nothing is held back
  std::vector<StreamHandle> streams_;
  struct Block {
    driver::MemoryKind kind;
    void* memory;
  };
  std::vector<Block> blocks_;
};

// The party's current stream while it is told to use `stream`: this one, or where the library does
// not adopt it, which no text demands, the one that it tells.
StreamHandle adopted(const Party& party, const DeviceSession& session, const StreamHandle& stream);
// Whether the library has a current stream of its device: a library has none if its functions take
// a stream (NotFormable of current_stream).
bool has_current_stream(const Party& party, dlcert_device device);
// Runs `body` while `stream` is the party's current stream of its device. Not claimed where the
// library neither adopts it nor works on it by itself.
void run_within(const Party& party, const DeviceSession& session, const StreamHandle& stream,
                const std::function<void()>& body);

// Tells what the harness does, in the trace of a described case.
void tell(const std::string& text, const std::optional<ProgramStep>& in_python = std::nullopt);
// Tells what a program asks, and the answer, a literal.
void tell_answer(const std::string& question, const std::string& answer);
// Fails the case unless a call that the harness made succeeded.
void expect_done(const driver::Driver& driver, driver::Status status, std::string_view call);

// A device as the current one, and the former one again.
class DeviceSession::DeviceGuard {
 public:
  DeviceGuard(driver::Driver& driver, int device);
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;
  ~DeviceGuard();

 private:
  driver::Driver& driver_;
  int device_, former_ = 0;
};

template <typename Act>
auto DeviceSession::on(int device, Act&& act) const {
  const DeviceGuard guard{driver_, device};
  return std::forward<Act>(act)();
}

}  // namespace dlcert::testbench
