// SPDX-License-Identifier: Apache-2.0
//
// Device work that is pending when a tensor is released.
#include "generators/exports.hpp"
#include "lifetime/families.hpp"
#include "testbench/delivery.hpp"
#include "testbench/handover.hpp"

namespace dlcert::lifetime {
namespace {

using stream::Delivery;
using stream::Kind;
using stream::Stage;

// The producer uses the memory again as soon as the deleter runs, as an allocator does.
void deleter_follows_the_consumers_work(Case& c) {
  Stage stage{c};
  if (!stage.records_calls()) throw NotClaimed{"a driver that records accesses"};
  const int device = stage.draw_device();
  Delivery delivery{c, stage, device};
  delivery.order_nothing();
  delivery.reuse_when_released();
  delivery.import_on(stage.queue(device, Kind::non_blocking), [&] {
    if (!delivery.accepted()) return;
    require(c.consumer.write(delivery.tensor(), delivery.some_logical()),
            "write to an imported tensor");
    delivery.release();
  });
  if (!delivery.was_released()) throw NotClaimed{"import of device memory that it then releases"};
  if (c.settings.policy("release-ordering") == "ordered") return stage.expect_no_race();
  c.observe(stage.has_race() ? "reuse not ordered" : "reuse ordered");
}

}  // namespace

void register_device_work_checks(Suite& suite) {
  Check check = stream::consumer_check("lifetime.device-work-before-delete",
                                       "the deleter follows the work that the consumer enqueued",
                                       deleter_follows_the_consumers_work);
  check.needs = check.needs | Can::write;
  add_for_both(suite, check);
}

}  // namespace dlcert::lifetime
