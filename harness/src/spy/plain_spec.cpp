// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include <dlcert/suite/spy.hpp>

namespace dlcert {

namespace {

constexpr std::array<dlcert_dtype, 29> types{{{kDLFloat, 32, 1},
                                              {kDLFloat, 64, 1},
                                              {kDLInt, 32, 1},
                                              {kDLInt, 64, 1},
                                              {kDLUInt, 8, 1},
                                              {kDLBool, 8, 1},
                                              {kDLInt, 8, 1},
                                              {kDLInt, 16, 1},
                                              {kDLUInt, 16, 1},
                                              {kDLUInt, 32, 1},
                                              {kDLUInt, 64, 1},
                                              {kDLFloat, 16, 1},
                                              {kDLBfloat, 16, 1},
                                              {kDLComplex, 64, 1},
                                              {kDLComplex, 128, 1},
                                              {kDLFloat8_e4m3fn, 8, 1},
                                              {kDLFloat8_e5m2, 8, 1},
                                              {kDLFloat8_e3m4, 8, 1},
                                              {kDLFloat8_e4m3, 8, 1},
                                              {kDLFloat8_e4m3b11fnuz, 8, 1},
                                              {kDLFloat8_e4m3fnuz, 8, 1},
                                              {kDLFloat8_e5m2fnuz, 8, 1},
                                              {kDLFloat8_e8m0fnu, 8, 1},
                                              {kDLOpaqueHandle, 64, 1},
                                              {kDLFloat4_e2m1fn, 4, 1},
                                              {kDLFloat6_e2m3fn, 6, 1},
                                              {kDLFloat6_e3m2fn, 6, 1},
                                              {kDLInt, 4, 1},
                                              {kDLUInt, 4, 1}}};
constexpr std::array<dlcert_device, 13> further_devices{{{kDLCPU, 1},
                                                         {kDLCPU, 2},
                                                         {kDLCPU, 3},
                                                         {kDLOpenCL, 0},
                                                         {kDLVulkan, 0},
                                                         {kDLMetal, 0},
                                                         {kDLVPI, 0},
                                                         {kDLExtDev, 0},
                                                         {kDLOneAPI, 0},
                                                         {kDLWebGPU, 0},
                                                         {kDLHexagon, 0},
                                                         {kDLMAIA, 0},
                                                         {kDLTrn, 0}}};
// On a further device it is one of these, or as on the host.
constexpr std::size_t types_there = 5;
constexpr std::array<std::size_t, 5> ranks{1, 0, 2, 3, 4};
constexpr std::array<std::uint32_t, 2> flags{0, DLCERT_SPEC_READ_ONLY};

}  // namespace

std::optional<TensorSpec> plain_spec(const Party& party) {
  for (const std::uint32_t flag : flags)
    for (const std::size_t rank : ranks)
      for (const dlcert_dtype dtype : types) {
        TensorSpec spec = compact_spec(dtype, std::vector<std::int64_t>(rank, 2));
        spec.flags = flag;
        if (party.can(spec)) return spec;
      }
  for (const ClaimedTensors& claimed : party.claimed_tensors()) {
    TensorSpec spec = compact_spec(claimed.dtypes.front(), claimed.shape);
    spec.flags = claimed.flags;
    if (claimed.are_on({kDLCPU, 0}) && party.can(spec)) return spec;
  }
  return std::nullopt;
}

std::vector<TensorSpec> plain_specs_on_further_devices(const Party& party) {
  std::vector<TensorSpec> likely;
  if (auto on_the_host = plain_spec(party)) likely.push_back(std::move(*on_the_host));
  for (const dlcert_dtype dtype : std::span{types}.first(types_there))
    likely.push_back(compact_spec(dtype, {2}));
  std::vector<TensorSpec> claimed;
  for (const dlcert_device device : further_devices) {
    for (TensorSpec& spec : likely)
      spec.device = device;
    const auto found =
        std::ranges::find_if(likely, [&](const TensorSpec& spec) { return party.can(spec); });
    if (found != likely.end()) claimed.push_back(*found);
  }
  return claimed;
}

}  // namespace dlcert
