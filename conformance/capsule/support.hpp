// SPDX-License-Identifier: Apache-2.0
//
// What the capsule checks share: exported capsules, and capsules made by hand whose death is
// recorded.
#pragma once

#include <optional>
#include <string>

#include <dlcert/suite/check.hpp>
#include <dlcert/suite/spy.hpp>

#include "generators/offers.hpp"
#include "testbench/exports.hpp"
#include "testbench/imports.hpp"

namespace dlcert::capsule {

using testbench::call_deleter;
using testbench::Source;

inline constexpr Needs exporting = Can::create | Can::any_capsule;
inline constexpr Needs importing =
    Can::capsules | Can::import_capsule | Can::describe | Can::reads_back;

// ---- producers ----

// A request with a drawn max_version, or with none: always with none where the producer cannot be
// asked for a version.
dlcert_request draw_version_request(Case& c);
bool allows_versioned(const dlcert_request& request);

// __dlpack__(). A plain tensor must be exported where a versioned answer is allowed; any other
// refusal ends the case.
Capsule export_capsule(Case& c, const Source& source, const dlcert_request& request);

std::string name_of(const Capsule& capsule);  // "(none)" for a nameless one
Form form_of(dlcert_managed managed);
// The managed tensor inside; fails unless the capsule has a live name.
dlcert_managed require_live(const Capsule& capsule);

// ---- consumers ----

// A claimed tensor that is offered in `form`.
OfferedTensor draw_offered(Case& c, Form form);
// In a form that the consumer takes from capsules.
OfferedTensor draw_offered(Case& c);

// How often the destructor of the last hand-made capsule ran, and under which name.
struct DestructorCalls {
  int count = 0;
  std::optional<std::string> name;  // when it last ran
};

// A capsule around `offer` under its live name. Its destructor records the death and calls the
// deleter if the name is still live, as a producer's does. Forgets earlier deaths. One at a time.
Capsule make_recording_capsule(const Party& consumer, const Offer& offer);
const DestructorCalls& destructor_calls();

// An object whose dlpack() hands out one recording capsule. Neither copied nor moved.
class CapsuleProducer {
 public:
  CapsuleProducer(const Party& consumer, const Offer& offer);
  CapsuleProducer(const CapsuleProducer&) = delete;
  CapsuleProducer& operator=(const CapsuleProducer&) = delete;
  ~CapsuleProducer() = default;

  const dlcert_producer& c() const { return producer_; }
  int exports() const { return exports_; }

 private:
  void tell() const;
  static dlcert_status answer_device(void* self, dlcert_device* out, dlcert_error* error);
  static dlcert_status answer_dlpack(void* self, const dlcert_request* request,
                                     dlcert_exported* out, dlcert_error* error);

  const Party& consumer_;
  const Offer& offer_;
  dlcert_producer producer_{};
  int exports_ = 0;
};

}  // namespace dlcert::capsule
