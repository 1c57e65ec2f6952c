// SPDX-License-Identifier: Apache-2.0
#include <array>

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
    if (claimed.device.type == kDLCPU && party.can(spec)) return spec;
  }
  return std::nullopt;
}

}  // namespace dlcert
