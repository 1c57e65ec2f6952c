// SPDX-License-Identifier: Apache-2.0
//
// What the reference's telemetry gives of the stand-ins, by each row of telemetry.json. A row is a
// process of its own, since a stand-in reads its settings once.

#include <dlfcn.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <fstream>
#include <map>

#include <nlohmann/json.hpp>

#include "dlcert/cuda/amd_smi.hpp"

#include "cuda/tests/runtime_fixture.hpp"

namespace dlcert::cuda {
namespace {

using nlohmann::json;

const char* unit_name(Unit unit) {
  constexpr std::array names{"percent",    "mebibytes", "degrees_celsius",
                             "milliwatts", "watts",     "megahertz"};
  return names.at(static_cast<std::size_t>(unit));
}

/// The policy telemetry-rocm-units=current.
class CurrentParts : public PartsFactory {
 public:
  std::unique_ptr<Management> management(const Build& build) const override {
    if (build.vendor == driver::Vendor::cuda) return PartsFactory::management(build);
    return std::make_unique<CurrentAmdSmi>();
  }
};

/// {"result": …, "unit": …}, or {"error": "runtime"} or {"error": "any"}.
json answer_of(Telemetry& telemetry, const std::string& function, std::int64_t device) {
  using Query = Measurement (Telemetry::*)(const DeviceArgument&);
  static const std::map<std::string, Query> queries{{"memory_usage", &Telemetry::memory_usage},
                                                    {"utilization", &Telemetry::utilization},
                                                    {"temperature", &Telemetry::temperature},
                                                    {"power_draw", &Telemetry::power_draw},
                                                    {"clock_rate", &Telemetry::clock_rate}};
  try {
    const Measurement found = (telemetry.*queries.at(function))(device);
    return {{"result", found.value}, {"unit", unit_name(found.unit)}};
  } catch (const RuntimeError&) {
    return {{"error", "runtime"}};
  } catch (const Error&) {
    return {{"error", "any"}};
  }
}

bool agrees(const json& found, const json& wanted) {
  if (wanted.contains("error"))
    return found.contains("error") &&
           (wanted["error"] == "any" || found["error"] == wanted["error"]);
  return found == json{{"result", wanted["result"]}, {"unit", wanted["unit"]}};
}

void set_variable(const char* name, const json& value) {
  if (value.is_null())
    ::unsetenv(name);
  else
    ::setenv(name, value.get<std::string>().c_str(), 1);
}

/// Whether the reference made of these parts agrees. Once in a process.
bool row_holds(const json& row, const json& wanted, std::vector<std::string> settings,
               const PartsFactory& parts) {
  const bool rocm = row["vendor"] == "rocm";
  const auto vendor = rocm ? driver::Vendor::rocm : driver::Vendor::cuda;
  for (const json& setting : row["extra_settings"])
    settings.push_back(setting);
  ::setenv("DLCERT_MANAGEMENT", fmt::format("{}", fmt::join(settings, ";")).c_str(), 1);
  set_variable(rocm ? "HIP_VISIBLE_DEVICES" : "CUDA_VISIBLE_DEVICES", row["value"]);
  driver::simulated_driver().restart({.vendor = vendor, .devices = 2});
  Cuda cuda(
      {.vendor = vendor}, [](const std::string&) {}, parts);
  const json found = answer_of(cuda.telemetry(), row["function"], row["device"]);
  if (agrees(found, wanted)) return true;
  std::fprintf(stderr, "%s: expected %s but found %s\n", row["id"].get<std::string>().c_str(),
               wanted.dump().c_str(), found.dump().c_str());
  return false;
}

class TelemetryVectors : public testing::Test {
 protected:
  TelemetryVectors() {
    // Whoever opens these names from now on finds the stand-ins.
    for (const char* const name : {"/libnvidia-ml.so.1", "/libamd_smi.so"})
      EXPECT_NE(::dlopen((std::string{DLCERT_SHIM_FOLDER} + name).c_str(), RTLD_NOW), nullptr);
    std::ifstream file{std::string{DLCERT_VECTORS} + "/telemetry.json"};
    vectors_ = json::parse(file);
  }

  /// Runs the rows for which `wanted_of` has an answer.
  template <class WantedOf>
  std::size_t run(const PartsFactory& parts, WantedOf wanted_of) {
    std::size_t rows = 0;
    for (const json& row : vectors_["cases"]) {
      const json wanted = wanted_of(row);
      if (wanted.is_null()) continue;
      ++rows;
      const std::vector<std::string> settings = vectors_["settings"][row["vendor"]];
      EXPECT_TRUE(child_agrees([&] { return row_holds(row, wanted, settings, parts); }))
          << row.dump();
    }
    return rows;
  }

 private:
  json vectors_;
};

TEST_F(TelemetryVectors, AreWhatTheReferenceGives) {
  EXPECT_GE(run(PartsFactory{}, [](const json& row) { return row; }), 87U);
}

TEST_F(TelemetryVectors, AreWhatTheReferenceGivesUnderThePolicyOfLaterPyTorch) {
  const auto wanted = [](const json& row) {
    const json policies = row.value("policies", json::object());
    return policies.value("telemetry-rocm-units=current", json{});
  };
  EXPECT_GE(run(CurrentParts{}, wanted), 8U);
}

}  // namespace
}  // namespace dlcert::cuda
