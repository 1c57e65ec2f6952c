// SPDX-License-Identifier: Apache-2.0
//
// What the checks of the exchange table share: objects and what they say, tensors handed to
// to_py_object, and allocations by a prototype.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <dlcert/suite/check.hpp>
#include <dlcert/suite/spy.hpp>
#include <dlcert/suite/trace.hpp>

#include "exchange_api/table.hpp"
#include "generators/offers.hpp"
#include "testbench/exports.hpp"
#include "testbench/facts.hpp"
#include "testbench/imports.hpp"
#include "testbench/placed.hpp"

namespace dlcert::exchange_api {

using testbench::Borrowed;
using testbench::described_spec;
using testbench::draw_source;
using testbench::expect_describes;
using testbench::make_source;
using testbench::plain;
using testbench::require_accepted;
using testbench::Source;

// A party that publishes a table; one whose tensors the harness makes; one whose objects it reads.
inline constexpr Needs publishing = Needs{} | Can::exchange_table;
inline constexpr Needs making = Can::exchange_table | Can::create;
inline constexpr Needs reading = Can::exchange_table | Can::describe | Can::reads_back;

// ---- objects ------------------------------------------------------------------------------------

Object object_of(const Party& party, const Tensor& tensor);

// What a bare descriptor says, as if it were a managed tensor without flags, which it is not: while
// one lives nothing is recorded (suite/recording.hpp) or told.
class Described {
 public:
  explicit Described(const DLTensor& tensor);
  const Managed& operator*() const { return *borrowed_; }

 private:
  TracePause pause_;
  DLManagedTensorVersioned managed_{};
  Borrowed borrowed_;
};

// ---- to_py_object -------------------------------------------------------------------------------

// A claimed tensor that is offered in the versioned form, with a last change to what its descriptor
// says.
using Change = void (*)(Draw&, Descriptor&);
OfferedTensor draw_offered(Case& c, const SpecBounds& bounds = {.read_only = true},
                           Change change = nullptr);

// An import of an offer through to_py_object, and its outcome. Neither copied nor moved.
class ObjectImport {
 public:
  ObjectImport(const Table& table, const Party& party, Offer& offer);
  ~ObjectImport();
  ObjectImport(const ObjectImport&) = delete;
  ObjectImport& operator=(const ObjectImport&) = delete;

  bool accepted() const { return static_cast<bool>(object_); }
  const Object& object() const { return object_; }
  // A plain tensor must have been accepted; the refusal of another one ends the case.
  void require_accepted(const TensorSpec& spec);
  // Drops the object, or releases what was refused and is still the harness's. Afterwards the offer
  // must have been deleted exactly once.
  void finish();

 private:
  const Party& party_;
  Offer& offer_;
  int code_;
  Object object_;
  bool finished_ = false;
};

// Runs assertions about the elements of a tensor that to_py_object took. If the tensor was
// released, a failure belongs to exchange.to.steals: its memory is gone.
void while_taken(const Offer& offer, const std::function<void()>& assertions);
// Fails unless the tensor was released once, when its object was dropped.
void expect_released_once(const Offer& offer);

// The object holds these elements under this dtype and shape.
void expect_object_holds(const Party& party, const Object& object, const OfferedTensor& offered);

// ---- the allocator ------------------------------------------------------------------------------

// A prototype that asks for a tensor of this dtype, shape and device; its other fields are 0.
class PrototypeOf {
 public:
  explicit PrototypeOf(const TensorSpec& spec);
  PrototypeOf(const PrototypeOf&) = delete;
  PrototypeOf& operator=(const PrototypeOf&) = delete;
  ~PrototypeOf() = default;

  DLTensor tensor{};
  std::vector<std::int64_t> shape;
};

// Makes the prototype ask for what hardly any library has, by its dtype, device or extents, or
// leaves it as it is.
void draw_strangeness(Draw& draw, PrototypeOf& prototype);

// The calls of SetError by an allocator.
struct ReportedErrors {
  int calls = 0;
  int with_another_context = 0;
  int without_text = 0;  // kind or message NULL
  std::string last;
};

// A call of the allocator, and its outcome. One at a time: the errors are kept in one place.
class Allocation {
 public:
  Allocation(const Table& table, DLTensor& prototype);
  Allocation(const Allocation&) = delete;
  Allocation& operator=(const Allocation&) = delete;
  ~Allocation() = default;

  int code() const { return code_; }
  const ReportedErrors& reported() const { return reported_; }
  bool ok() const { return code_ == 0; }
  void* result() const { return out_; }
  Managed take();  // requires ok(); the harness owns it now

 private:
  ReportedErrors reported_;
  DLManagedTensorVersioned* out_;
  int code_;
};

// Allocates a tensor like the prototype; the library may decline the case by a clean failure.
Managed allocate(const Table& table, PrototypeOf& prototype);

// A compact spec that the producer claims, without flags: what a prototype can ask for.
TensorSpec draw_asked(Case& c, const ShapeBounds& shape = {});

}  // namespace dlcert::exchange_api
