// SPDX-License-Identifier: Apache-2.0
//
// Evidence: a value that was made, handed over and found again on the other side, in a case that
// passed. dlcert does not certify a role without evidence, whatever else passed.
//
// Party and the functions that compare elements note the evidence; the worker counts it in cases
// that pass. Implemented in harness/src/party/evidence.cpp.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include <dlcert/suite/check.hpp>

namespace dlcert {

// The steps of evidence.
enum class Shown : std::uint8_t {
  made = 1u << 0,         // a tensor was created
  handed_over = 1u << 1,  // exported or imported; for a runtime: a question was answered
  found = 1u << 2,        // the other side has the elements that were handed over
  by_export = 1u << 3,    // they were found in a further export by the consumer
};

// Collects, during its lifetime and from any thread, the evidence for `role` and the devices of the
// tensors of `subject`. Only one may exist at a time. `subject` must outlive it.
class ShownInCase {
 public:
  ShownInCase(Role role, const Party& subject);
  ~ShownInCase();
  ShownInCase(const ShownInCase&) = delete;
  ShownInCase& operator=(const ShownInCase&) = delete;

  bool has(Shown what) const;
  // Returns the device types on which the library under test had a tensor: it made one there, or
  // got one there. The names are DLPack's ("cpu", "cuda"), in the order of DLPack's numbers.
  std::vector<std::string> devices() const;
  // Returns the first difference of note_wrong_values(); empty: none.
  std::string wrong_values() const;

 private:
  friend void note_wrong_values(const Party& producer, std::string text);
  friend void note_shown(Role role, Shown what);
  friend void note_made_on(const Party& maker, std::int32_t device_type);
  friend void note_handed_on(std::int32_t device_type);

  const Role role_;
  const Party& subject_;
  std::atomic<std::uint8_t> shown_{0};
  std::atomic<std::uint32_t> device_types_{0};
  std::atomic<std::uint32_t> types_of_others_{0};  // device types of the counterpart's tensors
  mutable std::mutex wrong_values_mutex_;
  std::string wrong_values_;
};

// Notes the step if a case of this role is running. In other cases the counterpart has shown it,
// which is no evidence.
void note_shown(Role role, Shown what);

// Notes that `maker` made a tensor on a device of this type. If the counterpart made it, it counts
// once the library under test has imported a tensor. This function and note_handed_on() note
// nothing while a TraceAside exists, because a trial call is not part of the case.
void note_made_on(const Party& maker, std::int32_t device_type);
// Notes that the library under test got a tensor on a device of this type.
void note_handed_on(std::int32_t device_type);

// Notes that an export of `producer` has other values than its source, if that is the library that
// the case tests. The case may be about another rule.
void note_wrong_values(const Party& producer, std::string text);

// Notes Shown::found if the elements prove something: at least one byte is neither 0 nor
// `unwritten`, with which Party::read() fills its buffer.
void note_found(Role role, const Bytes& elements);

// The byte with which dlcert fills a buffer before a library writes to it. Any other byte was
// written by the library.
inline constexpr std::byte unwritten{0xA5};

}  // namespace dlcert
