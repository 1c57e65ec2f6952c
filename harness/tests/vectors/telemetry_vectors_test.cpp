// SPDX-License-Identifier: Apache-2.0
//
// What the reference's telemetry gives of the stand-ins, by each row of telemetry.json, of AMD SMI
// by those for both layouts. A row is a process of its own, since a stand-in reads its settings
// once.

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

/// With another class for AMD SMI.
template <class Smi>
class PartsWith : public PartsFactory {
 public:
  std::unique_ptr<Management> management(const Build& build) const override {
    if (build.vendor == driver::Vendor::cuda) return PartsFactory::management(build);
    return std::make_unique<Smi>();
  }
};

/// The policy telemetry-rocm-units=current.
using CurrentParts = PartsWith<CurrentAmdSmi>;

/// Takes each library for one of ROCm 6.1 to 6.3.
class CurrentBy24 : public CurrentAmdSmi {
 protected:
  Release release() override { return Release::rocm_6_1; }
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

/// `GetParam`: the release of AMD SMI whose layout the stand-in has.
class TelemetryVectors : public testing::TestWithParam<int> {
 protected:
  TelemetryVectors() {
    const std::string folder = GetParam() == 24 ? "" : fmt::format("/amd_smi_{}", GetParam());
    // Whoever opens these names from now on finds the stand-ins.
    for (const std::string& name : {std::string{"/libnvidia-ml.so.1"}, folder + "/libamd_smi.so"}) {
      opened_.push_back(::dlopen((DLCERT_SHIM_FOLDER + name).c_str(), RTLD_NOW));
      EXPECT_NE(opened_.back(), nullptr) << name;
    }
    std::ifstream file{std::string{DLCERT_VECTORS} + "/telemetry.json"};
    vectors_ = json::parse(file);
  }
  ~TelemetryVectors() override {
    for (void* const library : opened_)
      if (library != nullptr) ::dlclose(library);
  }

  [[nodiscard]] const json& cases() const { return vectors_["cases"]; }

  [[nodiscard]] bool agrees_with_reference(const json& row, const json& wanted,
                                           const PartsFactory& parts) {
    const std::vector<std::string> settings = vectors_["settings"][row["vendor"]];
    return child_agrees([&] { return row_holds(row, wanted, settings, parts); });
  }

  /// Runs the rows for which `wanted_of` has an answer.
  template <class WantedOf>
  std::size_t run(const PartsFactory& parts, WantedOf wanted_of) {
    std::size_t rows = 0;
    for (const json& row : cases()) {
      const json wanted = wanted_of(row);
      if (wanted.is_null()) continue;
      ++rows;
      EXPECT_TRUE(agrees_with_reference(row, wanted, parts)) << row.dump();
    }
    return rows;
  }

  /// Device 0 by the reference, with settings added to those of the vectors.
  void expect_answer(const char* function, const json& settings, const json& wanted,
                     const PartsFactory& parts) {
    const json row{{"id", function},   {"vendor", "rocm"}, {"extra_settings", settings},
                   {"value", nullptr}, {"device", 0},      {"function", function}};
    EXPECT_TRUE(agrees_with_reference(row, wanted, parts)) << row.dump();
  }

 private:
  json vectors_;
  std::vector<void*> opened_;
};

json of_policy_of_later_pytorch(const json& row) {
  const json policies = row.value("policies", json::object());
  return policies.value("telemetry-rocm-units=current", json{});
}

TEST_P(TelemetryVectors, AreWhatTheReferenceGives) {
  EXPECT_GE(run(PartsFactory{}, [](const json& row) { return row; }), 87U);
}

TEST_P(TelemetryVectors, AreWhatTheReferenceGivesUnderThePolicyOfLaterPyTorch) {
  EXPECT_GE(run(CurrentParts{}, of_policy_of_later_pytorch), 8U);
}

// 65535 is what the kernel says for a sensor that reports nothing.
TEST_P(TelemetryVectors, AreErrorsWhereTheDeviceReportsNothing) {
  const json error{{"error", "any"}};
  const CurrentParts later;
  const PartsFactory parts;
  expect_answer("utilization", {"device.0.utilization.gpu=65535"}, error, parts);
  expect_answer("memory_usage", {"device.0.utilization.memory=65535"}, error, later);
  expect_answer("clock_rate", {"device.0.clock.graphics=65535"}, error, parts);
  expect_answer("power_draw", {"device.0.power=65535"}, error, parts);
  expect_answer("power_draw", {"device.0.power.average=65535"},
                {{"result", 312}, {"unit", "watts"}}, later);
  expect_answer("power_draw", {"device.0.power=65535", "device.0.power.average=65535"},
                {{"result", 0}, {"unit", "watts"}}, later);
}

INSTANTIATE_TEST_SUITE_P(AmdSmi, TelemetryVectors, testing::Values(24, 26));

class TelemetryVectorsOf26 : public TelemetryVectors {};

// Otherwise the tests above would not tell the layouts apart.
TEST_P(TelemetryVectorsOf26, FindAReaderOfTheLayoutOf24) {
  std::size_t found = 0;
  for (const json& row : cases()) {
    const json wanted = of_policy_of_later_pytorch(row);
    if (wanted.is_null() || row["function"] != "power_draw" || wanted.contains("error")) continue;
    found += agrees_with_reference(row, wanted, PartsWith<CurrentBy24>{}) ? 0U : 1U;
  }
  EXPECT_GE(found, 4U);
}

INSTANTIATE_TEST_SUITE_P(AmdSmi, TelemetryVectorsOf26, testing::Values(26));

}  // namespace
}  // namespace dlcert::cuda
