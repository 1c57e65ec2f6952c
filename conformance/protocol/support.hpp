// SPDX-License-Identifier: Apache-2.0
//
// What the protocol checks share: requests, ways to see whether memory is shared, and a producer
// that serves every request as the standard says.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <dlcert/suite/check.hpp>
#include <dlcert/suite/spy.hpp>

#include "generators/placement.hpp"
#include "testbench/errors.hpp"
#include "testbench/exports.hpp"
#include "testbench/facts.hpp"
#include "testbench/imports.hpp"
#include "testbench/placed.hpp"

namespace dlcert::protocol {

using testbench::device_of;
using testbench::draw_source;
using testbench::expect_describes;
using testbench::expect_device;
using testbench::expect_gathered;
using testbench::expect_holds;
using testbench::expect_kind;
using testbench::export_or_skip;
using testbench::export_tensor;
using testbench::Exported;
using testbench::gather_exported;
using testbench::place_offer;
using testbench::plain;
using testbench::read_imported;
using testbench::require_accepted;
using testbench::says_copied;
using testbench::set_elements;
using testbench::Source;
using testbench::touched_if_takes_plain;

inline constexpr Needs exporting = Needs{} | Can::create;
inline constexpr Needs importing = Can::any_import | Can::describe | Can::reads_back;
inline constexpr Needs importing_objects = Can::import_from | Can::describe | Can::reads_back;

inline constexpr dlcert_device cpu{1, 0};
inline constexpr dlcert_device cuda{2, 0};
// A device that `party` claims no memory of: that there is none at an address says nothing of it.
dlcert_device foreign_device(const Party& party);

// ---- requests ----

dlcert_request with_device(dlcert_request request, dlcert_device device);
dlcert_request with_copy(dlcert_request request, bool copy);
// Without a version or with one that allows every form.
dlcert_request draw_request(Draw& draw);

// ---- producers ----

Source simple_source(Case& c);

// An export that was to be refused, under dl_device: fails the case if it is one. If it is not on
// that device either, it breaks protocol.dldevice.result-device. `how` ends the request's text.
void expect_export_refused(Outcome<Exported>& exported, dlcert_device requested,
                           std::string_view how = "");

// The producer refused what the rule has it refuse, which tells something where a plain export of
// the same tensor works.
void touched_if_exported(Case& c, const Source& source);

// What a producer may do in the place of the copy that copy=True asks for: BufferError, where the
// policy lets it. Declines the case.
[[noreturn]] void refuse_copy(const Case& c, const TensorSpec& spec, const Error& error);

// The same of data that is never exported: a plain tensor is, in some form.
void touched_if_exports_plain(Case& c);

// Device codes of memory that the host can read: pinned memory of both vendors, and CUDA managed
// memory.
bool host_accessible(dlcert_device device);

// Whether an export on `found` satisfies dl_device=(1, 0), by policy host-accessible-as-cpu.
bool satisfies_cpu_request(const Case& c, dlcert_device found);
void expect_cpu_request_satisfied(const Case& c, const Managed& exported);

// Whether the export's elements are the source's own, by address or, where the library tells none,
// by writing the source. Requires at least one element. Throws NotClaimed when the library offers
// neither.
bool shares_memory(Case& c, const Source& source, const Managed& exported);

// ---- a producer for consumers ----

// Serves each request as the standard says: its own memory once, copies on demand beside it, a copy
// in CPU memory when that is asked for, and BufferError for what it cannot do. Neither copied nor
// moved.
class HonestProducer {
 public:
  // A tensor like `spec`; on another device than its own it has an address that faults.
  HonestProducer(Case& c, const TensorSpec& spec, Bytes logical)
      : HonestProducer{c, spec, std::move(logical), spec.device} {}
  HonestProducer(Case& c, TensorSpec spec, Bytes logical, dlcert_device device);

  // From now on copy=True raises BufferError.
  void refuse_copies();

  const dlcert_producer& c() const { return producer_->c(); }
  const std::vector<SpyProducer::Call>& calls() const { return producer_->calls(); }
  Offer& original() { return *original_; }
  Form form() const { return form_; }
  std::size_t copies() const { return copies_.size(); }
  bool asked_to_copy() const;
  // The requirement that a wrong kind of error of an import belongs to, if the producer refused the
  // last request by BufferError; otherwise the error is the consumer's own.
  testbench::Owners owners_of_error() const;
  // Fails the case unless an import from it was refused by BufferError.
  void expect_buffer_error(const Party& consumer, const Error& error) const;
  // Fails the case unless each tensor that was handed out was released once.
  void expect_all_released() const;

 private:
  Offer* answer(const dlcert_request& request);
  Offer* hand_out_original();
  Offer* hand_out_copy(dlcert_device target);

  TensorSpec spec_;
  Bytes logical_;
  dlcert_device device_;
  Form form_;
  bool refuses_copies_ = false;
  bool original_is_out_ = false;
  bool refused_last_ = false;
  std::unique_ptr<Offer> original_;
  std::vector<std::unique_ptr<Offer>> copies_;
  std::unique_ptr<SpyProducer> producer_;
};

}  // namespace dlcert::protocol
