// SPDX-License-Identifier: Apache-2.0

#include "exchange_api/support.hpp"

#include <array>
#include <limits>
#include <utility>

#include <dlcert/suite/evidence.hpp>

#include "generators/offers.hpp"
#include "testbench/placed.hpp"

namespace dlcert::exchange_api {

using testbench::expect_holds;

Object object_of(const Party& party, const Tensor& tensor) {
  return require(party.object_of(tensor), "the object of a tensor");
}

Described::Described(const DLTensor& tensor)
    : managed_{.version = own_version,
               .manager_ctx = nullptr,
               .deleter = nullptr,
               .flags = 0,
               .dl_tensor = tensor},
      borrowed_{{DLCERT_VERSIONED, 0, &managed_}} {}

// ---- to_py_object -------------------------------------------------------------------------------

OfferedTensor draw_offered(Case& c, const SpecBounds& bounds, Change change) {
  TensorSpec spec = draw_spec(c.draw, c.subject(), bounds);
  Bytes logical = draw_logical(c.draw, spec);
  Descriptor descriptor = describe_spec(spec, Form::versioned);
  if (change != nullptr) change(c.draw, descriptor);
  auto offer = testbench::place_offer(spec, logical, descriptor);
  return {std::move(spec), std::move(logical), std::move(offer)};
}

ObjectImport::ObjectImport(const Table& table, const Party& party, Offer& offer)
    : party_{party}, offer_{offer} {
  void* out = poison();
  code_ = table.to_object(offer.managed(), &out);
  if (code_ != 0) return;
  expect_stored("to_py_object", out);
  object_ = Object{party, out};
}

ObjectImport::~ObjectImport() {
  object_.drop();
}

void ObjectImport::require_accepted(const TensorSpec& spec) {
  if (accepted()) return;
  const std::string error = left_error(party_);
  finish();
  if (!plain(spec)) throw Declined{"to_py_object refuses such a tensor"};
  fail(fmt::format("to_py_object of a claimed tensor: expected 0 but found {} and {}", code_,
                   error));
}

void ObjectImport::finish() {
  if (std::exchange(finished_, true)) return;
  const bool refused = !accepted();
  object_.drop();
  if (refused) party_.take_object_error();
  if (refused && offer_.deleter_calls() == 0) offer_.release_from_harness();
}

void while_taken(const Offer& offer, const std::function<void()>& assertions) {
  const bool was_released = offer.deleter_calls() > 0;
  owned_by(was_released ? testbench::Owners{"exchange.to.steals"} : testbench::Owners{},
           assertions);
}

void expect_released_once(const Offer& offer) {
  constexpr std::array<std::string_view, 3> owners{"exchange.to.steals", "exchange.from.owning",
                                                   "lifetime.deleter.exactly-once"};
  owned_by(owners, [&] {
    expect_equal("deleter calls when the object is gone", 1, offer.deleter_calls());
  });
}

void expect_object_holds(const Party& party, const Object& object, const OfferedTensor& offered) {
  const Tensor tensor = require(party.tensor_of(object), "the tensor of an object");
  while_taken(*offered.offer, [&] { expect_holds(party, tensor, offered.spec, offered.logical); });
}

// ---- the allocator ------------------------------------------------------------------------------

PrototypeOf::PrototypeOf(const TensorSpec& spec) : shape{spec.shape} {
  tensor.device = {static_cast<DLDeviceType>(spec.device.type), spec.device.id};
  tensor.dtype = {spec.dtype.code, spec.dtype.bits, spec.dtype.lanes};
  tensor.ndim = static_cast<std::int32_t>(shape.size());
  tensor.shape = shape.empty() ? nullptr : shape.data();
}

namespace {

constexpr dlcert_dtype strange_dtypes[] = {{200, 8, 1}, {2, 24, 1}, {0, 0, 1}, {2, 32, 0}};
constexpr dlcert_device strange_devices[] = {{99, 0}, {2, 9999}, {0, 0}, {1, 7}};
constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max() / 2;

}  // namespace

void draw_strangeness(Draw& draw, PrototypeOf& prototype) {
  DLTensor& asked = prototype.tensor;
  const dlcert_dtype dtype = draw.one_of(strange_dtypes);
  const dlcert_device device = draw.one_of(strange_devices);
  switch (draw.below(4)) {
    case 1:
      asked.dtype = {dtype.code, dtype.bits, dtype.lanes};
      break;
    case 2:
      asked.device = {static_cast<DLDeviceType>(device.type), device.id};
      break;
    case 3:
      if (!prototype.shape.empty() && asked.dtype.bits >= 8) prototype.shape.front() = huge;
      break;
    default:
      break;
  }
}

namespace {

// The harness's context may come back changed: what is told is kept beside it.
ReportedErrors* hearing = nullptr;

void hear(void* context, const char* kind, const char* message) {
  ++hearing->calls;
  if (context != hearing) ++hearing->with_another_context;
  if (kind == nullptr || message == nullptr)
    ++hearing->without_text;
  else
    hearing->last = fmt::format("{}: {}", kind, message);
}

}  // namespace

Allocation::Allocation(const Table& table, DLTensor& prototype)
    : out_{static_cast<DLManagedTensorVersioned*>(poison())} {
  hearing = &reported_;
  code_ = table.allocate(prototype, &out_, &reported_, hear);
}

Managed Allocation::take() {
  expect(out_ != nullptr && out_ != poison(),
         "the allocator: expected a managed tensor after 0 but found none");
  note_handed_on(out_->dl_tensor.device.device_type);
  return Managed{{DLCERT_VERSIONED, 0, out_}};
}

Managed allocate(const Table& table, PrototypeOf& prototype) {
  Allocation allocation{table, prototype.tensor};
  if (!allocation.ok()) throw Declined{"the allocator has no such tensor"};
  return allocation.take();
}

TensorSpec draw_asked(Case& c, const ShapeBounds& shape) {
  return draw_spec(c.draw, c.producer,
                   {.layouts = Layouts::compact, .shape = shape, .padded = false});
}

}  // namespace dlcert::exchange_api
