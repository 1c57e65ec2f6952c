// SPDX-License-Identifier: Apache-2.0
//
// Stand-ins for what enumeration and telemetry are made of.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dlcert/cuda/enumeration.hpp"

namespace dlcert::cuda {

/// A management library of `texts.size()` devices, or one that fails at a step.
class FakeManagement : public Management {
 public:
  void initialize() override {
    ++calls;
    fail_at(ManagementStep::load);
    fail_at(ManagementStep::symbol);
    fail_at(ManagementStep::initialization);
  }
  std::int64_t device_count() override {
    ++calls;
    fail_at(ManagementStep::count);
    return count;
  }
  std::vector<std::string> uuids() override {
    ++calls;
    fail_at(ManagementStep::handle);
    fail_at(ManagementStep::uuid);
    return texts;
  }
  // Numbers that tell the question and the device.
  Measurement memory_usage(std::uint64_t index) override { return told(100, index, Unit::percent); }
  Measurement utilization(std::uint64_t index) override { return told(200, index, Unit::percent); }
  Measurement temperature(std::uint64_t index) override {
    return told(300, index, Unit::degrees_celsius);
  }
  Measurement power_draw(std::uint64_t index) override {
    return told(400, index, Unit::milliwatts);
  }
  Measurement clock_rate(std::uint64_t index) override { return told(500, index, Unit::megahertz); }

  std::int64_t count = 0;
  std::vector<std::string> texts{};
  std::optional<ManagementStep> failing{};
  std::uint32_t code = 999;
  int calls = 0;

 private:
  void fail_at(ManagementStep step) const {
    if (failing == step) throw ManagementError(step, code, "the fake fails");
  }
  Measurement told(std::int64_t question, std::uint64_t index, Unit unit) {
    ++calls;
    fail_at(ManagementStep::measurement);
    return {question + static_cast<std::int64_t>(index), unit};
  }
};

class FakeState : public InitializationState {
 public:
  [[nodiscard]] bool initialized() const override { return is_initialized; }
  void before_runtime_call() override { ++runtime_calls; }

  bool is_initialized = false;
  int runtime_calls = 0;
};

using Variables = std::map<std::string, std::string>;

/// An environment of `variables` alone, which outlive it.
inline Environment environment_of(const Variables& variables) {
  return [&variables](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional{found->second};
  };
}

/// An enumeration, `Kind`, over `Rules`, with everything that it is made of.
template <class Kind = Enumeration, class Rules = VisibleDeviceRules>
struct World {
  explicit World(driver::Vendor vendor = driver::Vendor::cuda)
      : build{.vendor = vendor}, rules{vendor, environment_of(variables)} {}

  void devices(std::vector<std::string> uuids) {
    management.count = static_cast<std::int64_t>(uuids.size());
    management.texts = std::move(uuids);
  }
  void see(const char* value) { variables[rules.variable_name()] = value; }

  Build build;
  Variables variables{};
  FakeManagement management;
  Rules rules;
  FakeState state{};
  std::vector<std::string> warnings{};
  Kind enumeration{build, rules, management, state,
                   [this](const std::string& text) { warnings.push_back(text); }};
};

}  // namespace dlcert::cuda
