// SPDX-License-Identifier: Apache-2.0
//
// A producer of the harness on a device, whose work is pending when the consumer imports.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include <dlcert/suite/check.hpp>
#include <dlcert/suite/spy.hpp>

#include "testbench/device_session.hpp"

namespace dlcert::testbench {

inline constexpr Needs consuming = Can::import_from | Can::describe | Can::read | Can::streams;

// A compact tensor on a device (draw_device_spec) that the consumer claims. Its producer has just
// enqueued a write of it on a stream of its own, and orders it against the stream that the consumer
// names, to the letter of the standard. Its device is the current one, unless the check makes
// another one current (DeviceSession::on).
class StreamImport {
 public:
  StreamImport(Case& c, DeviceSession& session, int device);
  // In memory of another kind, for which no stream is ordered: nothing is pending.
  StreamImport(Case& c, DeviceSession& session, driver::MemoryKind kind);
  StreamImport(const StreamImport&) = delete;
  StreamImport& operator=(const StreamImport&) = delete;
  ~StreamImport() = default;

  // The producer orders nothing, and has nothing pending.
  void order_nothing() { orders_ = false; }
  // When the deleter runs the producer writes to the memory, on a stream of its own.
  void reuse_when_released();
  bool was_released() const { return offer_->deleter_calls() != 0; }
  const Range& range() const { return range_; }
  Bytes some_logical() const { return Bytes(range_.size, std::byte{0x11}); }
  // Asks for the data in host memory, where the producer makes a copy.
  void want_host_copy();

  // Imports while `stream` is the consumer's current stream, or in its place stream(), if the
  // consumer does not adopt it; then runs `then`.
  void import_on(const StreamHandle& stream, const std::function<void()>& then);
  const StreamHandle& stream() const { return stream_; }
  // Imports on whatever stream is current, for cases in which nothing is ordered.
  void import_here();

  // The consumer claims such tensors: a refusal fails the case.
  void expect_accepted() const;
  bool accepted() const { return outcome_ && outcome_->ok(); }
  const Error& error() const { return outcome_->error(); }
  Tensor& tensor() { return outcome_->value(); }
  void release() { outcome_.reset(); }

  // The stream that the consumer named; it may decline the case by asking for no export.
  const dlcert_value& named() const;

  // Whether it asked for the data in host memory; it may copy by itself.
  bool asked_for_host() const {
    return asked_device_ && asked_device_->tag == DLCERT_PAIR && asked_device_->first == kDLCPU;
  }

  // What the consumer reads now is what the pending work writes.
  void expect_readable();

 private:
  StreamImport(Case& c, DeviceSession& session, driver::MemoryKind kind, int device);
  Offer* hand_out(const dlcert_request& request);
  void tell_noted() const;
  void tell_ordered() const;
  std::optional<StreamHandle> stream_named(const dlcert_value& stream) const;

  Case& case_;
  DeviceSession& session_;
  StreamHandle own_;     // the producer's
  StreamHandle stream_;  // the consumer's
  TensorSpec spec_;
  Range range_;
  dlcert_import_request request_;
  bool orders_ = true;
  std::unique_ptr<Offer> offer_;
  std::unique_ptr<Offer> host_copy_;
  std::unique_ptr<SpyProducer> producer_;
  std::optional<dlcert_value> named_;
  std::optional<dlcert_value> asked_device_;
  std::optional<Outcome<Tensor>> outcome_;  // dies before the offers
};

// What a program looks at if the consumer names a wrong stream: the last one that it has named, or
// a condition of `named`, the list of all.
Judgement judged_stream(std::string expected);
Judgement judged_stream_condition(std::string condition, std::string_view expected);

// Imports a tensor on `device` on which nothing is pending; what the consumer then says of it.
Description described_import(Case& c, DeviceSession& session, dlcert_device device);

}  // namespace dlcert::testbench
