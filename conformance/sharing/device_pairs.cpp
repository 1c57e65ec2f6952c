// SPDX-License-Identifier: Apache-2.0
//
// Two libraries of one interpreter with each other on a device: what the one has left pending is
// done before the other reads it, each on a stream of its own.
#include <optional>

#include "registration.hpp"
#include "sharing/pair_support.hpp"
#include "testbench/device_session.hpp"
#include "testbench/hand_over.hpp"

namespace dlcert::sharing {

DLCERT_FAMILY(device_pairs)

namespace {

using testbench::DeviceSession;
using testbench::make_source;
using testbench::run_within;
using testbench::StreamHandle;

constexpr Needs of_streams = Can::streams | Can::python_objects;

// A row of all dtypes.
TensorSpec row_on(Case& c, dlcert_device device) {
  TensorSpec spec = compact_spec(scalar_dtypes()[c.row], {2, 3});
  spec.device = device;
  c.concerns(to_text(spec.dtype), "on a device");
  if (!c.producer.offers(of_streams)) throw NotClaimed{"as producer streams"};
  if (!c.producer.can(spec)) throw NotClaimed{"as producer a tensor of this dtype on a device"};
  if (!claims_to_take(c.consumer, spec))
    throw NotClaimed{"as consumer a tensor of this dtype on a device"};
  return spec;
}

// An export orders what is on the producer's current stream. Where the consumer's is that as well,
// as with a library and itself, nothing is left to be ordered.
void require_current(Case& c, const StreamHandle& stream, dlcert_device device) {
  const auto now = require(c.producer.current_stream(device), "current_stream");
  if (now != static_cast<std::uint64_t>(stream.native))
    throw NotClaimed{"as producer a current stream that is not the consumer's"};
}

DLCERT_CHECK(pending_work_is_ordered_before_the_other_library,
             on_both_vendors(pair_check(
                 "stream.producer-orders",
                 "what one library has left pending on a device is done before the other reads it",
                 dtype_count, taking | of_streams))) {
  DeviceSession session{c};
  const int ordinal = session.draw_device();
  session.make_current(ordinal);
  const TensorSpec spec = row_on(c, session.device(ordinal));
  const StreamHandle producers = session.stream(ordinal, StreamHandle::Kind::non_blocking);
  const StreamHandle consumers = session.stream(ordinal, StreamHandle::Kind::non_blocking);
  run_within(c.producer, session, producers, [&] {
    const Source source = make_source(c, spec);
    run_within(c.consumer, session, consumers, [&] {
      require_current(c, producers, spec.device);
      const Tensor result = taken(c, spec, testbench::hand_over(c, source.tensor));
      expect_holds(c.consumer, result, source.spec, source.logical);
    });
  });
  session.expect_no_race();
  c.touched();
}

DLCERT_CHECK(what_is_made_on_a_device_arrives,
             on_both_vendors(pair_check(
                 "protocol.from.new-array",
                 "what one library made on a device arrives in the other, in each dtype of both",
                 dtype_count, taking | of_streams))) {
  DeviceSession session{c};
  const int ordinal = session.draw_device();
  const TensorSpec spec = row_on(c, session.device(ordinal));
  // Whether another device may be current has a policy of its own.
  session.on(ordinal, [&] {
    const Source source = make_source(c, spec);
    const Tensor result = taken(c, spec, testbench::hand_over(c, source.tensor));
    expect_holds(c.consumer, result, source.spec, source.logical);
  });
  c.touched();
}

}  // namespace
}  // namespace dlcert::sharing
