// SPDX-License-Identifier: Apache-2.0
//
// Whose numbering the device index of a descriptor is in.
#include <memory>

#include "registration.hpp"
#include "testbench/device_session.hpp"
#include "testbench/exports.hpp"
#include "testbench/stream_export.hpp"
#include "testbench/stream_import.hpp"

namespace dlcert::devices {

DLCERT_FAMILY(device_ids)

namespace {

using testbench::consuming;
using testbench::device_of;
using testbench::DeviceSession;
using testbench::DeviceSource;
using testbench::export_or_skip;
using testbench::Exported;
using testbench::producing;
using testbench::Range;

DLCERT_CHECK(producer_uses_its_own_numbering,
             on_both_vendors(producer_check("devices.id.numbering-producer",
                                            "a descriptor numbers devices as its producer does",
                                            producing))) {
  DeviceSession session{c};
  const DeviceSource device_source =
      testbench::make_device_source(c, session, session.device(session.draw_device()));
  const Description said = require(c.producer.describe(device_source.source.tensor), "describe");
  const Exported exported = export_or_skip(c, device_source.source.tensor,
                                           testbench::request_on(c.draw, none()), "export");
  expect_equal("device of the descriptor", said.device, device_of(exported.managed()));
  driver::PointerAttributes owner;
  testbench::expect_done(session.driver(),
                         session.driver().attributes(device_source.range.begin, owner),
                         "attributes");
  c.observe(owner.device == said.device.id ? "numbers devices as the driver does"
                                           : "numbers devices in an order of its own");
}

// Memory of one device under the index of another.
class Contradiction {
 public:
  Contradiction(Case& c, DeviceSession& session)
      : case_{c},
        owner_{session.draw_device()},
        named_{(owner_ + 1 +
                static_cast<int>(c.draw.below(static_cast<std::uint64_t>(session.devices()) - 1))) %
               session.devices()} {
    TensorSpec spec = compact_spec(float32, {c.draw.between(1, 8)});
    spec.device = session.device(named_);
    require_claimed(c.consumer, spec);
    const auto bytes = static_cast<std::size_t>(spec.storage_size) * sizeof(float);
    const Range range = session.allocate(driver::MemoryKind::device, owner_, bytes);
    Descriptor descriptor = describe_spec(spec, draw_form(c.draw, c.consumer, Route::producer));
    descriptor.data = Descriptor::Data::device;
    descriptor.device_memory = range.begin;
    offer_ = std::make_unique<Offer>(descriptor, Bytes{});
    producer_ = std::make_unique<SpyProducer>(spec.device, offer_.get(), c.consumer, false);
  }

  Outcome<Tensor> import() { return case_.consumer.import_from(producer_->c(), import_request()); }
  int owner() const { return owner_; }
  int named() const { return named_; }

 private:
  Case& case_;
  int owner_;
  int named_;
  std::unique_ptr<Offer> offer_;
  std::unique_ptr<SpyProducer> producer_;
};

// Who was believed, as the policy calls it.
std::string_view believed(Case& c, Contradiction& contradiction) {
  Outcome<Tensor> imported = contradiction.import();
  if (!imported.ok()) return "refuse";
  const Description said = require(c.consumer.describe(imported.value()), "describe");
  if (said.device.id == contradiction.owner()) return "pointer";
  if (said.device.id == contradiction.named()) return "index";
  fail(fmt::format("device index of the result: expected {} or {} but found {}",
                   contradiction.named(), contradiction.owner(), said.device.id));
}

DLCERT_CHECK(contradiction_follows_the_policy,
             on_both_vendors(consumer_check(
                 "devices.id.numbering-producer",
                 "an index that contradicts the pointer follows the policy", consuming))) {
  DeviceSession session{c};
  if (session.devices() < 2) throw NotClaimed{"a second device"};
  Contradiction contradiction{c, session};
  const std::string_view found = believed(c, contradiction);
  c.observe(found == "refuse" ? "refused" : found);
  const std::string_view policy = c.settings.policy("device-id-numbering");
  expect(policy == "record" || policy == found, "policy device-id-numbering={}: found {}", policy,
         found);
}

DLCERT_CHECK(order_is_documented,
             fact_check(consumer_check("devices.id.document-order",
                                       "the order of the devices of imported arrays is documented",
                                       static_cast<Needs>(Can::device_order), 1))) {
  const std::string_view order = c.subject().table().device_order;
  expect(!order.empty(),
         "where the order of devices is documented: expected a place but found none");
  c.observe(order);
}

}  // namespace
}  // namespace dlcert::devices
