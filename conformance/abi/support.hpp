// SPDX-License-Identifier: Apache-2.0
//
// What the abi checks share: exports of claimed tensors, offers to the consumer under test, and the
// ways to judge what came of them.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <dlcert/suite/check.hpp>
#include <dlcert/suite/spy.hpp>

#include "generators/offers.hpp"
#include "generators/specs.hpp"
#include "testbench/exports.hpp"
#include "testbench/imports.hpp"

namespace dlcert::abi {

using testbench::described_spec;
using testbench::expect_dtype;
using testbench::expect_gathered;
using testbench::expect_holds;
using testbench::expect_shape;
using testbench::export_or_skip;
using testbench::export_tensor;
using testbench::Exported;
using testbench::gather_exported;
using testbench::in_elements;
using testbench::request_for;

inline constexpr Needs exporting = Needs{} | Can::create;  // and a function to export with
inline constexpr Needs importing = Can::any_import | Can::describe | Can::reads_back;

// ---- inputs -------------------------------------------------------------------------------------

// What a legacy tensor can say as well as a versioned one.
inline constexpr SpecBounds any_form{.padded = false, .read_only = false};
inline constexpr SpecBounds ranked{.shape = {.min_rank = 1}, .padded = false};
inline constexpr std::array<Form, 2> both_forms{Form::versioned, Form::legacy};
inline constexpr std::uint8_t bfloat_complex = 18;  // a code merged after 1.3
// A spec that the party under test claims, within the bounds.
TensorSpec draw_claimed(Case& c, const SpecBounds& bounds = any_form);
// 1-d and compact, as many elements as `logical` holds.
TensorSpec vector_spec(dlcert_dtype dtype, const Bytes& logical);

template <typename T>
Bytes bytes_of(const std::vector<T>& values) {
  Bytes bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// The form to ask a producer for: legacy or versioned.
Form draw_form(Draw& draw);

// ---- producers ----------------------------------------------------------------------------------

// A tensor of the producer and its export. Both are given back when this dies.
struct ExportedSource {
  TensorSpec spec;
  Bytes logical;
  Tensor tensor;
  Exported handed_out;

  const Managed& managed() const { return handed_out.managed(); }
};

// A tensor of the producer. Not claimed: ends the case. Claimed and refused: fails.
Tensor create(const Case& c, const TensorSpec& spec, const Bytes& logical);

// Creates and exports a claimed tensor in a form that the library exports. It must succeed.
ExportedSource export_made(Case& c, TensorSpec spec, Bytes logical);
ExportedSource export_spec(Case& c, TensorSpec spec);  // with drawn contents
ExportedSource export_drawn(Case& c, const SpecBounds& bounds = any_form);
// Exports the tensor in this form. Not claimed when the library does not answer in it.
ExportedSource export_in(Case& c, Form form, TensorSpec spec);

// What a refusal tells, where the library may refuse.
enum class Refusal : std::uint8_t {
  meets_the_rule,  // which asks for a refusal, or for something of what is handed over
  declines,        // the rule is about what is handed over
};

// The export of a tensor in this form; empty when the library refuses, as it may. Says what was
// touched (Check::says_touched).
std::optional<Exported> export_or_refusal(Case& c, const Tensor& tensor, Form form,
                                          Refusal refusal);

// The same of a claimed tensor in a state that DLPack cannot describe, in a drawn form: a refusal
// meets the rule.
std::optional<Exported> try_export_state(Case& c, TensorSpec spec, std::int32_t state,
                                         const Bytes& logical);

// Returns whether the export is a view of the tensor's own memory. False where the library does not
// tell its address.
bool shares_memory(const Case& c, const ExportedSource& exported);

dlcert_dtype exported_dtype(const Managed& managed);

// The copy must have bit 1. Without the bit, the case ends as declined if the producer does not
// have the Python protocol, which alone demands it.
void expect_copied_bit(const Case& c, const Managed& copy, std::string_view what);

// ---- consumers ----------------------------------------------------------------------------------

// An import of an offer by the consumer under test, and its outcome.
class ImportedOffer {
 public:
  ImportedOffer(const Case& c, Route route, std::unique_ptr<Offer> offer);
  ImportedOffer(const Case& c, Route route, const Descriptor& descriptor, const Bytes& storage);

  bool accepted() const { return import_.accepted(); }
  const Error& error() const { return import_.error(); }  // requires !accepted()
  Offer& offer() { return *offer_; }
  ImportPath path() const { return {route_, offer_->descriptor().form}; }
  // Returns whether the consumer got the offer, and not only its device.
  bool handed_out() const { return import_.handed_out(); }

  // What the consumer says of the imported tensor. Requires accepted().
  Description description();
  Outcome<Description> try_description();
  // The logical bytes of the imported tensor by the consumer's own description. Requires
  // accepted().
  Bytes read();

  void expect_accepted() const;
  void expect_refused(std::string_view what) const;
  // Requires accepted(): the imported tensor has the spec's dtype and shape, and these elements.
  void expect_holds(const TensorSpec& spec, const Bytes& logical);
  // Requires accepted(): wherever the consumer tells others the device of the imported tensor, by
  // dlpack_device or in an export, it is this one. What an adapter of host memory describes is no
  // sign of it.
  void expect_on(dlcert_device device);
  // Releases the imported tensor, or what was refused. The deleter must have run exactly once, or
  // not at all if the tensor was bare (expect_deleted_once).
  void expect_one_deletion();
  // Releases likewise. The deleter must have run exactly once, even if the tensor was bare.
  void expect_deletion();
  // Releases likewise; whether the deleter ran exactly once.
  bool deleted_once();

 private:
  const Party& consumer_;
  Route route_;
  std::unique_ptr<Offer> offer_;
  Import import_;
};

// Offers a claimed tensor on a drawn path. The consumer must accept it, find these elements in it,
// and delete it once.
void expect_imports(Case& c, const TensorSpec& spec, const Bytes& logical);

// The rule asks for a refusal, or for something of what is taken: it is met where the tensor was
// taken, or refused by a consumer that takes plain ones. For checks with Check::says_touched, as
// all that follow.
void touched_by_outcome(Case& c, const ImportedOffer& imported);

// Likewise of a tensor that differs from a plain one by its version: the consumer must have got it.
void touched_by_version(Case& c, const ImportedOffer& imported);

// The consumer must find these elements in what it takes; a refusal, as it may, declines. Deleted
// once either way.
void expect_right_if_accepted(Case& c, ImportedOffer& imported, const TensorSpec& spec,
                              const Bytes& logical);

// The rule for a dtype or device that a consumer need not know (policy passthrough-consumer): it
// refuses the tensor, or hands dtype and device on as they came. Deleted once either way.
void expect_refused_or_unchanged(Case& c, ImportedOffer& imported);

// The rule for what the standard leaves open: the outcome is counted and judged by the policy's
// value, where "record" asks for nothing, "refuse" for a refusal and anything else for acceptance.
void judge_by_policy(Case& c, const ImportedOffer& imported, std::string_view policy);

// ---- both ---------------------------------------------------------------------------------------

// Hands these elements, compact, from the producer under test to the harness or from the harness to
// the consumer under test: as a vector or, where it claims none, in a shape that it claims. They
// must arrive unchanged and under this dtype.
void expect_crosses(Case& c, dlcert_dtype dtype, const Bytes& values);

}  // namespace dlcert::abi
