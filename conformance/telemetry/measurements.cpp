// SPDX-License-Identifier: Apache-2.0
//
// What is measured, of which device, and in which unit.
#include "generators/surroundings.hpp"
#include "telemetry/families.hpp"

namespace dlcert::telemetry {

namespace {

void utilization_is_that_of_kernels(Case& c) {
  const std::int64_t percent = c.draw.between(0, 100);
  const Arranged arranged{
      c, {.management_settings = fmt::format("device.*.utilization.gpu={}", percent)}};
  const dlcert_measurement found =
      require(GpuTelemetry{c.subject()}.utilization(integer(0)), "utilization");
  expect_equal("utilization", percent, found.value);
}

}  // namespace

void register_measurement_checks(Suite& suite) {
  suite.add({.requirement = "telemetry.utilization",
             .sentence = "utilization is the percentage of time in which a kernel ran",
             .role = Role::runtime,
             .needs = static_cast<Needs>(Can::telemetry),
             .isolation = Isolation::process_per_case,
             .platform = Platform::cuda,
             .body = utilization_is_that_of_kernels});
}

}  // namespace dlcert::telemetry
