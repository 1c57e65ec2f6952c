// SPDX-License-Identifier: Apache-2.0

#include "exchange_api/devices.hpp"

#include "generators/specs.hpp"

namespace dlcert::exchange_api {

dlcert_device draw_device(Case& c, const testbench::DeviceSession& session) {
  TensorSpec spec = compact_spec(float32, {1});
  spec.device = session.device(session.draw_device());
  if (!c.producer.can(spec)) throw NotClaimed{"tensors on a device"};
  return spec.device;
}

TensorSpec draw_spec_on(Case& c, dlcert_device device) {
  TensorSpec spec = compact_spec(
      float32, draw_shape(c.draw, {.max_rank = 3, .empty = false, .max_elements = 64}));
  spec.device = device;
  require_claimed(c.producer, spec);
  return spec;
}

void within(const Case& c, const testbench::DeviceSession& session,
            const testbench::StreamHandle& stream, const std::function<void()>& body) {
  // Whether another device may be current has a policy of its own.
  session.on(stream.device, [&] { testbench::run_within(c.producer, session, stream, body); });
}

}  // namespace dlcert::exchange_api
