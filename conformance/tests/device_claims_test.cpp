// SPDX-License-Identifier: Apache-2.0
//
// A check with Check::device_tensors is not run for a library that claims no tensor on the vendor's
// devices: each of its cases would be unclaimed.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include <dlcert/suite/dlpack.hpp>
#include <dlcert/suite/spy.hpp>

#include "register/register.hpp"
#include "suite.hpp"
#include "worker/case_run.hpp"
#include "worker/claimed_specs.hpp"
#include "worker/devices.hpp"
#include "worker/library.hpp"

namespace dlcert {
namespace {

using Claim = bool (*)(const dlcert_tensor_spec&);

// The reference, which claims no more than `claim` allows.
class Narrowed {
 public:
  Narrowed(const Library& whole, Claim claim) : table_{whole.party().table()} {
    whole_ = &whole.party();
    claim_ = claim;
    tensor_ = *table_.tensor;
    tensor_.can = [](void* self, const dlcert_tensor_spec* spec) {
      return claim_(*spec) ? whole_->table().tensor->can(self, spec) : 0;
    };
    table_.tensor = &tensor_;
  }
  Narrowed(const Narrowed&) = delete;
  Narrowed& operator=(const Narrowed&) = delete;
  ~Narrowed() = default;

  Party party(Role role) const {
    const Party library{table_};
    return role == Role::consumer ? library.consuming() : library;
  }

 private:
  inline static const Party* whole_ = nullptr;
  inline static Claim claim_ = nullptr;
  dlcert_adapter table_;
  dlcert_tensor_group tensor_{};
};

bool on_host(const dlcert_tensor_spec& spec) {
  return spec.device.type == kDLCPU;
}

Settings default_settings() {
  Settings settings;
  for (const Policy& policy : Register::embedded().policies())
    settings.policies[policy.name] = policy.default_value;
  return settings;
}

// Cases grow with their index, up to 100.
std::vector<std::uint64_t> sample(const Check& check) {
  std::vector<std::uint64_t> cases;
  const std::uint64_t rows = check.rows;
  const std::uint64_t count = rows != 0 ? rows : 100;
  for (std::uint64_t i = 0; i < count; i += rows != 0 ? 1 : 4)
    cases.push_back(i);
  return cases;
}

bool all_unclaimed(const Check& check, const Binding& binding) {
  for (const std::uint64_t index : sample(check)) {
    std::optional<Draw> draw;
    const CasePlan plan{check, binding, 1, index};
    const CaseEnd end = draw_case(plan, draw, nullptr).end;
    if (end != CaseEnd::unclaimed && end != CaseEnd::no_tensor) return false;
  }
  return true;
}

class DeviceClaims : public testing::TestWithParam<Platform> {
 protected:
  DeviceClaims() { start_devices("simulated", GetParam()); }

  // The checks that are skipped for a library that claims so much, and those of them of which a
  // case is not unclaimed.
  struct Found {
    std::vector<std::string> skipped, wrongly;
  };
  Found found(Claim claim) {
    const Library whole{AdapterSource{REFERENCE}};
    const Narrowed narrowed{whole, claim};
    const Party spy{spy_library(), "dlcert"};
    Found found;
    for (const Check& check : suite_.checks()) {
      if (check.platform != GetParam() || !check.device_tensors) continue;
      const Party subject = narrowed.party(check.role);
      if (!subject.offers(check.needs) || claims_tensors_on(subject, GetParam())) continue;
      const bool consumes = check.role == Role::consumer;
      const Binding binding{consumes ? spy : subject, consumes ? subject : spy, check.role,
                            settings_};
      const std::string name{std::string{check.requirement}.append(": ").append(check.sentence)};
      found.skipped.push_back(name);
      if (!all_unclaimed(check, binding)) found.wrongly.push_back(name);
    }
    return found;
  }

 private:
  const Suite suite_ = all_checks();
  const Settings settings_ = default_settings();
};

TEST_P(DeviceClaims, WhatIsSkippedWithoutTensorsWouldBeUnclaimed) {
  const Found host = found(on_host);
  EXPECT_FALSE(host.skipped.empty());
  EXPECT_EQ(host.wrongly, std::vector<std::string>{});
}

// Each of these is enough for some check that needs a tensor there.
TEST_P(DeviceClaims, ALibraryOfFewTensorsIsNotSkipped) {
  static const std::vector<Claim> few{
      [](const dlcert_tensor_spec& spec) { return spec.device.id == 1; },
      [](const dlcert_tensor_spec& spec) {
        return spec.device.type == kDLCUDAHost || spec.device.type == kDLROCMHost;
      },
      [](const dlcert_tensor_spec& spec) { return spec.dtype.code == kDLOpaqueHandle; },
      [](const dlcert_tensor_spec& spec) { return spec.ndim == 0; },
      [](const dlcert_tensor_spec& spec) { return spec.ndim == 3; },
      [](const dlcert_tensor_spec& spec) { return spec.ndim == 6; },
      [](const dlcert_tensor_spec& spec) { return (spec.flags & DLCERT_SPEC_READ_ONLY) != 0; },
  };
  const Library whole{AdapterSource{REFERENCE}};
  for (const Claim& claim : few) {
    const Narrowed narrowed{whole, claim};
    EXPECT_TRUE(claims_tensors_on(narrowed.party(Role::producer), GetParam()))
        << "claim " << &claim - few.data();
  }
}

INSTANTIATE_TEST_SUITE_P(Vendors, DeviceClaims, testing::Values(Platform::cuda, Platform::rocm),
                         [](const auto& vendor) {
                           return vendor.param == Platform::cuda ? "cuda" : "rocm";
                         });

}  // namespace
}  // namespace dlcert
