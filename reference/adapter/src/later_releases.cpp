// SPDX-License-Identifier: Apache-2.0
//
// The reference as releases after torch 2.4 behave, as far as a policy leaves room for them. It is
// certified under those policies, which shows that their values can be met.
#include <cstdint>
#include <memory>

#include <dlcert/adapter.hpp>

#include "dlcert/cuda/amd_smi.hpp"
#include "dlcert/cuda/nvml.hpp"
#include "dlcert/cuda/visible_device_policies.hpp"
#include "dlcert/reference_adapter.hpp"

namespace dlcert::reference {
namespace {

class LaterParts : public cuda::PartsFactory {
 public:
  std::unique_ptr<cuda::VisibleDeviceRules> rules(const cuda::Build& build) const override {
    return std::make_unique<cuda::RocrComposition>(build.vendor);
  }
  std::unique_ptr<cuda::Management> management(const cuda::Build& build) const override {
    if (build.vendor == driver::Vendor::rocm) return std::make_unique<cuda::CurrentAmdSmi>();
    return std::make_unique<cuda::Nvml>();
  }
};

class LaterReleases : public ReferenceAdapter {
 public:
  LaterReleases() : ReferenceAdapter{std::make_unique<LaterParts>()} {}

  const char* name() override { return "reference-later"; }
  std::int64_t constant(std::int32_t which) override {
    constexpr std::int64_t not_ready_of_the_runtime = 600;
    if (which == DLCERT_CONSTANT_STATUS_NOT_READY) return not_ready_of_the_runtime;
    return ReferenceAdapter::constant(which);
  }
};

}  // namespace
}  // namespace dlcert::reference

DLCERT_ADAPTER(dlcert::reference::LaterReleases)
