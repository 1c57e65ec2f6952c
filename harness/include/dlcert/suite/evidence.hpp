// SPDX-License-Identifier: Apache-2.0
//
// What a case shows of the library under test: that it made a value, handed it over, and that the
// value was found on the other side. Without one such case a role is not certified, whatever else
// passed. Noted by the parties and by what compares elements; counted by the worker, in cases that
// pass. Implemented in harness/src/party/evidence.cpp.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include <dlcert/suite/check.hpp>

namespace dlcert {

enum class Shown : std::uint8_t {
  made = 1u << 0,         // a tensor was created
  handed_over = 1u << 1,  // it was exported, or one was imported; of a runtime: a question answered
  found = 1u << 2,        // the elements on the other side are those that were handed over
  by_export = 1u << 3,    // they were found in what a consumer exports again
};

// While one lives, what is shown of its role is noted in it, and on which devices the tensors of
// `subject` lay, by any thread. One at a time. The subject outlives it.
class ShownInCase {
 public:
  ShownInCase(Role role, const Party& subject);
  ~ShownInCase();
  ShownInCase(const ShownInCase&) = delete;
  ShownInCase& operator=(const ShownInCase&) = delete;

  bool has(Shown what) const;
  // The types of device on which the library under test had a tensor, by DLPack's names ("cpu",
  // "cuda"), in the order of their numbers: it made one there, or one there was handed to it.
  std::vector<std::string> devices() const;

 private:
  friend void note_shown(Role role, Shown what);
  friend void note_made_on(const Party& maker, std::int32_t device_type);
  friend void note_handed_on(std::int32_t device_type);

  const Role role_;
  const Party& subject_;
  std::atomic<std::uint8_t> shown_{0};
  std::atomic<std::uint32_t> device_types_{0};
  std::atomic<std::uint32_t> types_of_others_{0};  // of tensors that the counterpart made
};

// Notes it where a case of this role runs; elsewhere it is the counterpart that showed it.
void note_shown(Role role, Shown what);

// Notes that `maker` made a tensor on a device of this type; what the counterpart made counts once
// the library under test has imported. Both note nothing while a TraceAside lives: a trial is no
// part of the case.
void note_made_on(const Party& maker, std::int32_t device_type);
// Notes that the library under test was handed a tensor on such a device.
void note_handed_on(std::int32_t device_type);

// Notes `found` where these elements tell anything: there is one, and not all bytes are 0 or the
// byte that Party::read() fills its buffer with.
void note_found(Role role, const Bytes& elements);

// What a buffer holds before a library is to fill it: a value that is there was put there.
inline constexpr std::byte unwritten{0xA5};

}  // namespace dlcert
