// SPDX-License-Identifier: Apache-2.0
//
// Machines whose devices all measure something else, and what telemetry must make of it.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "testbench/environment.hpp"

namespace dlcert::telemetry {

using testbench::ArrangedEnvironment;
using testbench::Environment;
using testbench::is_rocm;

enum class Quantity : std::uint8_t {
  memory_usage,
  utilization,
  temperature,
  power_draw,
  clock_rate
};
inline constexpr std::array quantities{Quantity::memory_usage, Quantity::utilization,
                                       Quantity::temperature, Quantity::power_draw,
                                       Quantity::clock_rate};
std::string_view to_text(Quantity quantity);

// Asks the subject for the quantity of a device.
Outcome<dlcert_measurement> ask(const Case& c, Quantity quantity, const dlcert_value& device);

// What a function must give. Where documentation and truth differ the unit that the library tells
// is not judged.
struct Answer {
  std::int64_t value = 0;
  std::int32_t unit = DLCERT_UNIT_NOT_TOLD;
  bool unit_is_contested = false;
};

// The visible list as it stands in the environment, and the physical device of each logical one.
struct VisibleList {
  std::optional<std::string> value;
  std::vector<int> physical;
};

// So many physical devices, whose sensors say drawn things, each another one.
class Machine {
 public:
  Machine(Draw& draw, int devices);

  int devices() const { return static_cast<int>(sensors_.size()); }
  // For the stand-ins of the management libraries.
  std::string settings() const;
  // `at_least` devices in some order, named as the vendor's variable allows.
  VisibleList draw_visible(Draw& draw, int at_least) const;
  // What telemetry gives of a physical device under the policies of the run.
  Answer answer(const Case& c, Quantity quantity, int physical) const;
  // The environment in which this list is what is visible.
  Environment with(const VisibleList& visible) const;
  Environment with_all_visible() const;

 private:
  struct Sensors {
    std::int64_t kernels = 0;         // percent
    std::int64_t memory = 0;          // percent
    std::int64_t temperature = 0;     // degrees Celsius
    std::int64_t power = 0;           // NVIDIA: milliwatts, AMD: watts
    std::int64_t average_power = 0;   // AMD: watts
    std::int64_t graphics_clock = 0;  // megahertz
    std::int64_t multiprocessor_clock = 0;
    std::int64_t memory_clock = 0;
    std::int64_t video_clock = 0;
    std::int64_t memory_used = 0;  // mebibytes
  };
  static Sensors draw_sensors(Draw& draw, int device);

  std::string identifier_of(int device) const;

  std::vector<std::string> uuids_;
  std::vector<Sensors> sensors_;
};

void expect_answer(Case& c, Quantity quantity, const Answer& expected,
                   const dlcert_measurement& found);
// The error that the subject gives; fails where it gives a number. `why`: "without a driver".
Error expect_error(const Case& c, Quantity quantity, const dlcert_value& device,
                   std::string_view why);

// The rule is met by an error where a device of a machine without faults is measured, as a child
// shows that has such a machine; otherwise the case is declined. Before anything is arranged.
void touched_if_measured(Case& c, Quantity quantity);

// A check of a runtime that has telemetry, each case in a process of its own.
Check telemetry_check(std::string_view requirement, std::string_view sentence,
                      std::size_t rows = 0);

}  // namespace dlcert::telemetry
