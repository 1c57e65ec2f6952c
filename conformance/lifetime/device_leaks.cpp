// SPDX-License-Identifier: Apache-2.0
//
// What is left on devices of tensors and exports that are gone: no more after many than after some.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "generators/device_specs.hpp"
#include "lifetime/support.hpp"
#include "registration.hpp"
#include "testbench/device_session.hpp"
#include "testbench/stream_export.hpp"

namespace dlcert::lifetime {

DLCERT_FAMILY(device_leaks)

namespace {

using driver::Living;
using testbench::DeviceSession;
using testbench::producing;
using testbench::StreamHandle;
using testbench::try_export;

constexpr int rounds = 32;
// What a library keeps for later may vary, as a queue of what it is to free does, but does not grow
// with each round, nor each time.
constexpr std::size_t most_growth = rounds / 4;
constexpr int most_times = 4;

dlcert_request request_of_kind(int kind, std::int64_t stream) {
  dlcert_request asked = request_version(own_version.major, own_version.minor);
  if (kind == 1) asked = request();  // the legacy form
  if (kind != 3) asked.stream = integer(stream);
  if (kind == 2) asked.copy = boolean(true);
  if (kind == 3) asked.dl_device = pair(kDLCPU, 0);
  return asked;
}

// Makes a tensor, exports it in every way that the library has and releases all.
class Rounds {
 public:
  Rounds(Case& c, DeviceSession& session)
      : case_{c},
        session_{session},
        stream_{session.stream(session.draw_device(), StreamHandle::Kind::non_blocking)},
        consumer_{session.draw_consumer_stream(stream_)},
        spec_{draw_device_spec(c.draw, c.producer, session.device(stream_.device))},
        logical_{draw_logical(c.draw, spec_)} {
    require_claimed(c.producer, spec_);
  }

  Living run() {
    for (int round = 0; round < rounds; ++round)
      run_within(case_.producer, session_, stream_, [this] { make_and_release(); });
    for (int device = 0; device < session_.devices(); ++device)
      require(case_.producer.synchronize(session_.device(device)), "synchronize");
    return driver::simulated_driver().living();
  }

  bool exported() const { return exported_; }

 private:
  void make_and_release() {
    const Tensor tensor = require(case_.producer.create(spec_, logical_), "create");
    const std::int64_t stream = number_of(session_, consumer_);
    for (const int kind : {0, 1, 2, 3})
      for (const testbench::Wrapping wrapping : testbench::wrappings(case_.producer)) {
        const auto exported =
            try_export(wrapping, case_.producer, tensor, request_of_kind(kind, stream));
        if (exported && exported->ok()) exported_ = true;
      }
  }

  Case& case_;
  DeviceSession& session_;
  StreamHandle stream_;
  StreamHandle consumer_;
  TensorSpec spec_;
  Bytes logical_;
  bool exported_ = false;
};

bool grew(const Living& before, const Living& after) {
  const auto more = [](std::size_t then, std::size_t now) { return now > then + most_growth; };
  return more(before.allocations, after.allocations) || more(before.streams, after.streams) ||
         more(before.events, after.events);
}

void expect_no_growth(std::string_view what, std::size_t before, std::size_t after) {
  expect(after <= before + most_growth,
         "{} that live after {} more rounds of making, exporting and releasing a tensor: expected "
         "{} or hardly more but found {}",
         what, rounds, before, after);
}

DLCERT_CHECK(nothing_lives_on_a_device,
             on_both_vendors(producer_check("lifetime.deleter.frees-self",
                                            "what is left on devices does not grow with the "
                                            "tensors and exports that are released",
                                            producing, 1))) {
  DeviceSession session{c};
  if (!session.records_calls()) throw NotClaimed{"a driver that counts what lives"};
  Rounds more{c, session};
  Living before = more.run();
  Living after = more.run();
  for (int left = most_times - 1; left > 0 && grew(before, after); --left)
    before = std::exchange(after, more.run());
  if (!more.exported()) throw Declined{"no export is accepted"};
  expect_no_growth("allocations", before.allocations, after.allocations);
  expect_no_growth("streams", before.streams, after.streams);
  expect_no_growth("events", before.events, after.events);
}

}  // namespace
}  // namespace dlcert::lifetime
