// SPDX-License-Identifier: Apache-2.0
//
// The list of visible devices, as it stands in the environment.
#include <fmt/ranges.h>

#include "devices/families.hpp"
#include "generators/platforms.hpp"
#include "generators/surroundings.hpp"

namespace dlcert::devices {

namespace {

struct Listing {
  std::optional<std::string> value;
  std::vector<std::string> devices;
};

std::string to_text(const std::vector<std::string>& texts) {
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

void expect_listing(Case& c, const Listing& row) {
  const Arranged arranged{c, {.variables = {{visible_variable(), row.value}}}};
  const std::vector<std::string> found =
      require(GpuDevices{c.subject()}.visible_devices(), "visible_devices");
  if (found != row.devices)
    fail_equal(fmt::format("visible devices of {:?}", row.value.value_or("(unset)")),
               to_text(row.devices), to_text(found));
}

const std::vector<Listing> empty_lists{
    {"", {}}, {"-1", {}}, {"x", {}}, {"NoDevFiles", {}}, {" GPU-a", {}}};

void empty_value_lists_nothing(Case& c) {
  expect_listing(c, empty_lists[c.row]);
}

}  // namespace

void register_visible_device_checks(Suite& suite) {
  add_for_both(suite, {.requirement = "devices.visible.empty-string",
                       .sentence = "a value without a valid first element lists no device",
                       .role = Role::runtime,
                       .needs = static_cast<Needs>(Can::devices),
                       .rows = empty_lists.size(),
                       .isolation = Isolation::process_per_case,
                       .body = empty_value_lists_nothing});
}

}  // namespace dlcert::devices
