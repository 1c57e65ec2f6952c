// SPDX-License-Identifier: Apache-2.0
#include "worker/claimed_specs.hpp"

#include <dlpack/dlpack.h>

#include <algorithm>
#include <array>
#include <functional>
#include <span>

#include <dlcert/driver/select.hpp>
#include <dlcert/suite/spy.hpp>

#include "worker/devices.hpp"

namespace dlcert {

namespace {

constexpr dlcert_device cpu{kDLCPU, 0};
constexpr dlcert_dtype float32{kDLFloat, 32, 1};

struct Family {
  std::string_view kind;
  std::vector<dlcert_dtype> dtypes;
};

std::vector<dlcert_dtype> of_codes(std::span<const std::uint8_t> codes,
                                   std::span<const std::uint8_t> widths) {
  std::vector<dlcert_dtype> dtypes;
  for (const std::uint8_t code : codes)
    for (const std::uint8_t bits : widths)
      dtypes.push_back({code, bits, 1});
  return dtypes;
}

std::vector<dlcert_dtype> of_codes(std::initializer_list<std::uint8_t> codes,
                                   std::initializer_list<std::uint8_t> widths) {
  return of_codes(std::span{codes.begin(), codes.size()}, std::span{widths.begin(), widths.size()});
}

const std::vector<Family>& families() {
  static const std::vector<Family> all{
      {"int", of_codes({kDLInt}, {8, 16, 32, 64})},
      {"uint", of_codes({kDLUInt}, {8, 16, 32, 64})},
      {"float", of_codes({kDLFloat}, {16, 32, 64})},
      {"bfloat", of_codes({kDLBfloat}, {16})},
      {"complex", of_codes({kDLComplex}, {64, 128})},
      {"bool", of_codes({kDLBool}, {8})},
      {"fp8", of_codes({kDLFloat8_e3m4, kDLFloat8_e4m3, kDLFloat8_e4m3b11fnuz, kDLFloat8_e4m3fn,
                        kDLFloat8_e4m3fnuz, kDLFloat8_e5m2, kDLFloat8_e5m2fnuz, kDLFloat8_e8m0fnu},
                       {8})},
      {"fp6", of_codes({kDLFloat6_e2m3fn, kDLFloat6_e3m2fn}, {6})},
      {"fp4", of_codes({kDLFloat4_e2m1fn}, {4})},
      {"int4", of_codes({kDLInt, kDLUInt}, {4, 2, 1})},
      {"lanes", {{kDLFloat, 32, 4}}},
  };
  return all;
}

// ---- layouts ----

struct TriedLayout {
  std::string_view name;
  std::vector<TensorSpec> specs;  // of float32 on the CPU
};

TensorSpec view(std::vector<std::int64_t> shape, std::vector<std::int64_t> strides,
                std::int64_t offset, std::int64_t storage_size) {
  TensorSpec spec;
  spec.shape = std::move(shape);
  spec.strides = std::move(strides);
  spec.offset = offset;
  spec.storage_size = storage_size;
  return spec;
}

TensorSpec compact(std::vector<std::int64_t> shape, std::uint32_t flags = 0) {
  TensorSpec spec = compact_spec(float32, std::move(shape));
  spec.flags |= flags;
  return spec;
}

// A packed view starts on a byte, of which 8 elements are always a multiple.
constexpr std::int64_t tried_offset = 8;

const std::vector<TriedLayout>& layouts() {
  static const std::vector<TriedLayout> all{
      {"compact", {compact({2, 3}), compact({3}), compact({}), compact({2, 3, 2})}},
      {"permuted", {view({2, 3}, {1, 2}, 0, 6)}},
      {"stepped", {view({3}, {2}, 0, 5)}},
      {"offset", {view({3}, {1}, tried_offset, tried_offset + 3)}},
      {"broadcast", {view({3}, {0}, 0, 1)}},
      {"unit-axis", {view({1, 3}, {7, 1}, 0, 3)}},
      {"high-rank", {compact({1, 2, 1, 2, 1, 2, 1, 2})}},
      {"empty", {compact({0, 3})}},
      {"read-only", {compact({2, 3}, DLCERT_SPEC_READ_ONLY)}},
      // Last: who mistakes a unit reaches beyond the storage here, and crashes.
      {"reversed", {view({3}, {-1}, 2, 3)}},
  };
  return all;
}

// ---- claims ----

class ClaimsOf {
 public:
  explicit ClaimsOf(const Party& party) : party_{party} {}

  // Writable or read-only.
  bool any(TensorSpec spec) const {
    if (party_.can(spec)) return true;
    spec.flags |= DLCERT_SPEC_READ_ONLY;
    return party_.can(spec);
  }
  bool any_element(dlcert_dtype dtype, std::uint32_t flags = 0) const {
    return is_known(dtype, flags) ||
           std::ranges::any_of(std::array<std::vector<std::int64_t>, 2>{{{2}, {}}},
                               [&](const std::vector<std::int64_t>& shape) {
                                 TensorSpec spec = compact_spec(dtype, shape);
                                 spec.flags |= flags;
                                 return any(spec);
                               });
  }
  // In a shape that it is known to claim.
  bool is_known(dlcert_dtype dtype, std::uint32_t flags) const {
    constexpr std::uint32_t read_only = DLCERT_SPEC_READ_ONLY;
    return std::ranges::any_of(party_.claimed_tensors(), [&](const ClaimedTensors& tensors) {
      return tensors.are_on(cpu) && (tensors.flags & ~read_only) == (flags & ~read_only) &&
             std::ranges::any_of(tensors.dtypes,
                                 [&](const dlcert_dtype& known) { return known == dtype; });
    });
  }
  // The same of a layout, by its name in the preflight's table.
  bool is_known(std::string_view layout) const {
    using enum ClaimedLayout;
    constexpr std::array<std::pair<std::string_view, ClaimedLayout>, 5> bits{
        {{"permuted", permuted},
         {"stepped", stepped},
         {"offset", offset},
         {"broadcast", broadcast},
         {"reversed", reversed}}};
    const auto bit = std::ranges::find(bits, layout, &decltype(bits)::value_type::first);
    return std::ranges::any_of(party_.claimed_tensors(), [&](const ClaimedTensors& tensors) {
      if (!tensors.are_on(cpu)) return false;
      if (layout == "read-only") return (tensors.flags & DLCERT_SPEC_READ_ONLY) != 0;
      return bit != bits.end() && (tensors.layouts & static_cast<std::uint32_t>(bit->second)) != 0;
    });
  }
  // float32, or another type of a library that has no float32.
  dlcert_dtype plain_dtype() const {
    if (any_element(float32)) return float32;
    for (const Family& family : families())
      for (const dlcert_dtype dtype : family.dtypes)
        if (dtype.bits % 8 == 0 && any_element(dtype)) return dtype;
    return float32;
  }

 private:
  const Party& party_;
};

void add_layouts(const ClaimsOf& claims, const Party& party, std::vector<std::string>& kinds) {
  const dlcert_dtype dtype = claims.plain_dtype();
  if (claims.any_element(dtype)) kinds.emplace_back("cpu-any");
  for (const TriedLayout& layout : layouts()) {
    if (layout.name == "compact" || layout.name == "empty") continue;
    const bool claimed =
        claims.is_known(layout.name) || std::ranges::any_of(layout.specs, [&](TensorSpec spec) {
          spec.dtype = dtype;
          return layout.name == "read-only" ? party.can(spec) : claims.any(spec);
        });
    if (claimed) kinds.push_back(std::string{"cpu-"}.append(layout.name));
  }
}

// Families, and their members, of which a library may lose one.
void add_dtypes(const ClaimsOf& claims, std::vector<std::string>& kinds) {
  bool packed = false, padded = false;
  for (const Family& family : families()) {
    std::vector<std::string> claimed;
    for (const dlcert_dtype dtype : family.dtypes) {
      const bool plain = claims.any_element(dtype);
      const bool apart = sub_byte(dtype) && claims.any_element(dtype, DLCERT_SPEC_SUBBYTE_PADDED);
      packed = packed || (plain && sub_byte(dtype));
      padded = padded || apart;
      if (plain || apart) claimed.push_back(to_text(dtype));
    }
    if (claimed.empty()) continue;
    kinds.emplace_back(family.kind);
    if (family.dtypes.size() > 1) kinds.insert(kinds.end(), claimed.begin(), claimed.end());
  }
  if (packed) kinds.emplace_back("sub-byte-packed");
  if (padded) kinds.emplace_back("sub-byte-padded");
}

void add_states(const Party& party, std::vector<std::string>& kinds) {
  static constexpr std::array<std::string_view, DLCERT_STATE_COUNT> names{
      "",          "byte-swapped",      "record",    "extended-float", "bfloat-complex",
      "quantized", "requires-gradient", "conjugate", "negated",        "sparse",
      "string",    "missing",           "ragged",    "not-exported"};
  // Only complex numbers are conjugated, small integers quantised, and a few types not exported.
  static constexpr std::array<dlcert_dtype, 6> dtypes{
      {{2, 32, 1}, {5, 64, 1}, {0, 8, 1}, {0, 4, 1}, {6, 8, 1}, {4, 16, 1}}};
  for (std::int32_t state = 1; state < DLCERT_STATE_COUNT; ++state) {
    TensorSpec spec = compact({3});
    spec.state = state;
    const bool claimed = std::ranges::any_of(dtypes, [&](dlcert_dtype dtype) {
      spec.dtype = dtype;
      return party.can(spec);
    });
    if (claimed)
      kinds.push_back(std::string{"state-"}.append(names.at(static_cast<std::size_t>(state))));
  }
}

void add_devices(const ClaimsOf& claims, Platform platform, std::vector<std::string>& kinds) {
  const auto on = [&](std::int32_t type) {
    TensorSpec spec = compact({3});
    spec.device = {type, 0};
    return claims.any(spec);
  };
  const auto note = [&](std::string_view kind, bool claimed) {
    if (claimed) kinds.emplace_back(kind);
  };
  if (platform == Platform::rocm) {
    note("rocm-memory", on(kDLROCM));
    note("rocm-pinned", on(kDLROCMHost));
    note("pinned", on(kDLROCMHost));
    return;
  }
  note("cuda-memory", on(kDLCUDA));
  note("cuda-pinned", on(kDLCUDAHost));
  note("cuda-managed", on(kDLCUDAManaged));
  note("pinned", on(kDLCUDAHost));
  note("managed", on(kDLCUDAManaged));
}

// ---- tensors on devices ----

// All shapes of this rank with extents from 1 to `most`.
void add_shapes(int rank, std::int64_t most, std::vector<TensorSpec>& specs) {
  std::vector<std::int64_t> shape(static_cast<std::size_t>(rank), 1);
  for (bool more = true; more;) {
    specs.push_back(compact(shape));
    const auto next =
        std::ranges::find_if(shape, [&](std::int64_t extent) { return extent < most; });
    more = next != shape.end();
    std::fill(shape.begin(), next, 1);
    if (more) ++*next;
  }
}

// A tensor of each kind that checks draw on devices (conformance/generators: specs.cpp,
// device_specs.cpp): a library that claims none of these claims nothing that is drawn there. Of the
// long ones of float32, which are drawn of each length, here are a few.
const std::vector<TensorSpec>& drawn_on_devices() {
  static const std::vector<TensorSpec> all = [] {
    constexpr std::uint8_t last_code = kDLFloat4_e2m1fn;
    constexpr std::array<std::uint8_t, 5> widths{8, 16, 32, 64, 128};
    std::vector<TensorSpec> specs;
    for (std::uint8_t code = 0; code <= last_code; ++code)
      for (const std::uint8_t bits : widths)
        for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{2}, {}})
          specs.push_back(compact_spec({code, bits, 1}, shape));
    for (const int rank : {1, 2, 3})
      add_shapes(rank, 4, specs);
    for (const int rank : {4, 5, 6})
      add_shapes(rank, 2, specs);
    for (const std::int64_t extent : {5, 64, 300, 2048, 4096, 1 << 16, 1 << 20})
      specs.push_back(compact({extent}));
    for (const std::int64_t rows : {1, 2, 3})
      for (const std::int64_t columns : {300, 1024, 4096})
        specs.push_back(compact({rows, columns}));
    return specs;
  }();
  return all;
}

// Of each type that is claimed in none of `specs` one in a shape that is known to be claimed.
void add_known_shapes(const Party& party, dlcert_device device, std::uint32_t flags,
                      std::vector<TensorSpec>& specs) {
  for (const ClaimedTensors& tensors : party.claimed_tensors()) {
    if (!tensors.are_on(device) || tensors.flags != flags) continue;
    for (const dlcert_dtype dtype : tensors.dtypes) {
      const auto is_claimed = [&](const TensorSpec& spec) {
        return spec.dtype == dtype && party.can(spec);
      };
      if (std::ranges::any_of(specs, is_claimed)) continue;
      TensorSpec& spec = specs.emplace_back(compact_spec(dtype, tensors.shape));
      spec.device = device;
      spec.flags = flags;
    }
  }
}

}  // namespace

std::vector<TriedDevice> tried_devices(Platform platform) {
  const bool there = has_devices_of(platform);
  if (platform == Platform::rocm && !there) return {};
  if (!there) return {{"cpu", cpu}};
  if (platform == Platform::rocm)
    return {{"rocm", {kDLROCM, 0}}, {"rocm pinned", {kDLROCMHost, 0}}};
  return {{"cpu", cpu},
          {"cuda", {kDLCUDA, 0}},
          {"cuda pinned", {kDLCUDAHost, 0}},
          {"cuda managed", {kDLCUDAManaged, 0}}};
}

std::vector<std::string_view> tried_layouts() {
  std::vector<std::string_view> names;
  for (const TriedLayout& layout : layouts())
    names.push_back(layout.name);
  return names;
}

std::vector<TensorSpec> specs_of(std::string_view layout, dlcert_device device,
                                 const Party& party) {
  std::vector<TensorSpec> specs;
  const auto found = std::ranges::find(layouts(), layout, &TriedLayout::name);
  const auto add = [&](dlcert_dtype dtype, std::uint32_t flags) {
    for (TensorSpec spec : found->specs) {
      spec.dtype = dtype;
      spec.device = device;
      spec.flags |= flags;
      specs.push_back(std::move(spec));
    }
  };
  for (const Family& family : families())
    for (const dlcert_dtype dtype : family.dtypes) {
      // The first element of a packed tensor lies at the start of a byte.
      if (!sub_byte(dtype) || layout != "reversed") add(dtype, 0);
      if (sub_byte(dtype)) add(dtype, DLCERT_SPEC_SUBBYTE_PADDED);
    }
  if (layout == "compact") add_known_shapes(party, device, 0, specs);
  if (layout == "read-only") add_known_shapes(party, device, DLCERT_SPEC_READ_ONLY, specs);
  return specs;
}

std::vector<std::string> claimed_kinds(const Party& party, Platform platform) {
  std::vector<std::string> kinds;
  const ClaimsOf claims{party};
  if (platform != Platform::rocm) {
    add_layouts(claims, party, kinds);
    add_dtypes(claims, kinds);
    add_states(party, kinds);
  }
  add_devices(claims, platform, kinds);
  return kinds;
}

// Of pinned and managed memory the index is 0.
std::vector<dlcert_device> memories_of(Platform platform) {
  const bool rocm = platform == Platform::rocm;
  std::vector<dlcert_device> memories;
  int count = 0;
  if (driver::driver().device_count(count) != driver::Status::success) count = 0;
  for (int index = 0; index < count; ++index)
    memories.push_back({rocm ? kDLROCM : kDLCUDA, index});
  memories.push_back({rocm ? kDLROCMHost : kDLCUDAHost, 0});
  memories.push_back({kDLCUDAManaged, 0});
  return memories;
}

bool claims_tensors_on(const Party& party, Platform platform) {
  if (platform == Platform::any) return !plain_specs_on_further_devices(party).empty();
  const ClaimsOf claims{party};
  return std::ranges::any_of(memories_of(platform), [&](dlcert_device device) {
    return std::ranges::any_of(drawn_on_devices(), [&](TensorSpec spec) {
      spec.device = device;
      return claims.any(std::move(spec));
    });
  });
}

bool claims_devices(const Party& party) {
  constexpr Needs of_devices = Can::devices | Can::runtime | Can::telemetry;
  if ((party.offers() & of_devices) != 0) return true;
  std::vector<std::string> kinds;
  for (const Platform platform : {Platform::cuda, Platform::rocm})
    add_devices(ClaimsOf{party}, platform, kinds);
  return !kinds.empty();
}

}  // namespace dlcert
