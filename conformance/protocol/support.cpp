// SPDX-License-Identifier: Apache-2.0

#include "protocol/support.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace dlcert::protocol {

using testbench::make_source;
using testbench::touched_if;

dlcert_request with_device(dlcert_request request, dlcert_device device) {
  request.dl_device = pair(device.type, device.id);
  return request;
}

dlcert_request with_copy(dlcert_request request, bool copy) {
  request.copy = boolean(copy);
  return request;
}

dlcert_request draw_request(Draw& draw) {
  return draw.flip() ? request_version(own_version.major, own_version.minor) : request();
}

Source simple_source(Case& c) {
  return make_source(c, draw_simple_spec(c.draw, c.producer));
}

void expect_export_refused(Outcome<Exported>& exported, dlcert_device requested,
                           std::string_view how) {
  if (!exported.ok()) return;
  const bool elsewhere = !(device_of(exported.value().managed()) == requested);
  owned_by(elsewhere ? testbench::Owners{"protocol.dldevice.result-device"} : testbench::Owners{},
           [&] {
             fail(fmt::format("export to {}{}: expected a refusal but found success",
                              to_text(requested), how),
                  {.by = Judgement::By::refusal});
           });
}

void refuse_copy(const Case& c, const TensorSpec& spec, const Error& error) {
  expect(c.settings.policy("copy-true-unsupported") == "optional" || !plain(spec),
         "export with copy=True: expected success but found {}", to_text(error));
  throw Declined{"copy=True is refused"};
}

void touched_if_exported(Case& c, const Source& source) {
  touched_if(c, export_tensor(c, source.tensor, draw_request(c.draw)).ok(),
             "a plain export is refused too");
}

void touched_if_exports_plain(Case& c) {
  const auto exports = [&](testbench::Wrapping wrapping) {
    return testbench::exports_plain(c.producer, wrapping, Form::versioned) ||
           testbench::exports_plain(c.producer, wrapping, Form::legacy);
  };
  touched_if(c, std::ranges::any_of(testbench::wrappings(c.producer), exports),
             "plain tensors are refused too");
}

bool host_accessible(dlcert_device device) {
  return device.type == 3 || device.type == 11 || device.type == 13;
}

bool satisfies_cpu_request(const Case& c, dlcert_device found) {
  return found == cpu ||
         (host_accessible(found) && c.settings.policy("host-accessible-as-cpu") == "accept");
}

void expect_cpu_request_satisfied(const Case& c, const Managed& exported) {
  const dlcert_device found = device_of(exported);
  owned_by(testbench::owners_of_device(cpu, found), [&] {
    expect_field(exported, satisfies_cpu_request(c, found),
                 "exported.dl_tensor.device.device_type == 1 && "
                 "exported.dl_tensor.device.device_id == 0",
                 "device of the export: expected {} but found {}", to_text(cpu), to_text(found));
  });
}

bool shares_memory(Case& c, const Source& source, const Managed& exported) {
  if (c.producer.offers(Needs{} | Can::describe)) {
    auto said = c.producer.describe(source.tensor);
    if (said.ok() && said.value().data != nullptr)
      return said.value().data == exported.first_element();
  }
  if (source.spec.read_only() || !c.producer.offers(Needs{} | Can::write))
    throw NotClaimed{"a way to see shared memory"};
  const Bytes changed = different_logical(source.spec, source.logical);
  require(c.producer.write(source.tensor, changed), "write to a tensor");
  return gather_exported(exported) == changed;
}

// ---- a producer for consumers ----

dlcert_device foreign_device(const Party& party) {
  constexpr dlcert_device rocm{10, 0}, metal{8, 0};
  for (const dlcert_device device : {cuda, rocm}) {
    TensorSpec spec = compact_spec({2, 32, 1}, {2});
    spec.device = device;
    if (!party.can(spec)) return device;
  }
  return metal;
}

HonestProducer::HonestProducer(Case& c, TensorSpec spec, Bytes logical, dlcert_device device)
    : spec_{std::move(spec)},
      logical_{std::move(logical)},
      device_{device},
      form_{draw_form(c.draw, c.consumer, Route::producer)} {
  Descriptor descriptor = describe_spec(spec_, form_);
  descriptor.device = device;
  if (!(device == spec_.device)) descriptor.data = Descriptor::Data::unmapped;
  original_ = place_offer(spec_, logical_, descriptor);
  const bool as_capsule = c.consumer.offers(Needs{} | Can::capsules) && c.draw.flip();
  producer_ = std::make_unique<SpyProducer>(device, original_.get(), c.consumer, as_capsule);
  using Answers = SpyProducer::Answers;
  producer_->answer(
      [this](const dlcert_request& request) {
        Offer* const offer = answer(request);
        refused_last_ = offer == nullptr;
        return offer;
      },
      device == spec_.device && device == cpu ? Answers::with_copies : Answers::by_request);
}

void HonestProducer::refuse_copies() {
  refuses_copies_ = true;
  producer_->refuses_copies();
}

Offer* HonestProducer::answer(const dlcert_request& request) {
  const bool must_copy = request.copy.tag == DLCERT_BOOL && request.copy.first != 0;
  const bool must_share = request.copy.tag == DLCERT_BOOL && request.copy.first == 0;
  const bool any_device = request.dl_device.tag != DLCERT_PAIR;
  const dlcert_device wanted{static_cast<std::int32_t>(request.dl_device.first),
                             static_cast<std::int32_t>(request.dl_device.second)};
  const bool here = any_device || wanted == device_;
  if (must_copy && refuses_copies_) return nullptr;
  if (here && !must_copy) return hand_out_original();
  const dlcert_device target = any_device ? device_ : wanted;
  const bool can_copy = target == cpu || target == spec_.device;
  return !must_share && can_copy ? hand_out_copy(target) : nullptr;
}

Offer* HonestProducer::hand_out_original() {
  return std::exchange(original_is_out_, true) ? nullptr : original_.get();
}

Offer* HonestProducer::hand_out_copy(dlcert_device target) {
  TensorSpec spec = spec_;
  spec.device = target;
  Descriptor descriptor = describe_spec(spec, form_);
  if (form_ == Form::versioned) descriptor.flags |= DLPACK_FLAG_BITMASK_IS_COPIED;
  copies_.push_back(place_offer(spec, logical_, descriptor));
  return copies_.back().get();
}

bool HonestProducer::asked_to_copy() const {
  return std::any_of(calls().begin(), calls().end(), [](const SpyProducer::Call& call) {
    return !call.device && call.request.copy.tag == DLCERT_BOOL && call.request.copy.first != 0;
  });
}

testbench::Owners HonestProducer::owners_of_error() const {
  if (!refused_last_) return {};
  return {"protocol.from.propagates-errors"};
}

void HonestProducer::expect_buffer_error(const Party& consumer, const Error& error) const {
  owned_by(owners_of_error(), [&] { expect_kind(consumer, error, DLCERT_ERROR_BUFFER, "error"); });
}

void HonestProducer::expect_all_released() const {
  expect_deletions(original_is_out_ ? 1 : 0, *original_);
  for (const auto& copy : copies_)
    expect_deleted_once(*copy);
}

}  // namespace dlcert::protocol
