// SPDX-License-Identifier: Apache-2.0

#include "exchange_api/devices.hpp"

#include "generators/specs.hpp"

namespace dlcert::exchange_api {

dlcert_device draw_device(Case& c, const stream::Stage& stage) {
  TensorSpec spec = compact_spec(stream::float32, {1});
  spec.device = stage.device(stage.draw_device());
  if (!c.producer.can(spec)) throw NotClaimed{"tensors on a device"};
  return spec.device;
}

void within(const Case& c, const stream::Stage& stage, const stream::Queue& queue,
            const std::function<void()>& body) {
  // Whether another device may be current has a policy of its own.
  stage.on(queue.device, [&] { stream::run_within(c.producer, stage, queue, body); });
}

}  // namespace dlcert::exchange_api
