// SPDX-License-Identifier: Apache-2.0
//
// Exports under every version that may be asked for: those that there are, those to come, and
// numbers that do not fit into a byte or two.

#include <array>

#include "abi/support.hpp"
#include "registration.hpp"

namespace dlcert::abi {

DLCERT_FAMILY(asked_versions)

namespace {

constexpr std::array<DLPackVersion, 16> asked_versions{{{1, 0},
                                                        {1, 1},
                                                        {1, 2},
                                                        {1, 3},
                                                        {1, 4},
                                                        {1, 9},
                                                        {1, 10},
                                                        {1, 255},
                                                        {1, 256},
                                                        {1, 65536},
                                                        {1, 1'000'000},
                                                        {2, 0},
                                                        {2, 1},
                                                        {3, 3},
                                                        {256, 0},
                                                        {65537, 2}}};

// A tensor, and its export under the version of this row.
struct Asked {
  TensorSpec spec;
  Bytes logical;
  Tensor tensor;
  Exported exported;
};

Asked export_as_asked(Case& c) {
  TensorSpec spec = draw_claimed(
      c, {.layouts = Layouts::compact, .shape = {.max_rank = 4, .min_rank = 1}, .padded = false});
  Bytes logical = draw_logical(c.draw, spec);
  Tensor tensor = create(c, spec, logical);
  const auto [major, minor] = asked_versions[c.row];
  auto exported = export_tensor(c, tensor, request_version(major, minor));
  if (!exported.ok()) throw Declined{"refused"};
  if (!exported.value().managed().versioned()) throw Declined{"legacy"};
  return {std::move(spec), std::move(logical), std::move(tensor), std::move(exported).value()};
}

DLCERT_CHECK(any_asked_version_gives_this_layout,
             if_touched(producer_check("abi.version.major-is-layout",
                                       "a versioned export has major version 1 and its fields in "
                                       "place, whatever version was asked for",
                                       exporting, asked_versions.size()))) {
  const Asked asked = export_as_asked(c);
  c.touched();
  const Managed& managed = asked.exported.managed();
  testbench::expect_major_1(managed);
  testbench::expect_describes(managed, asked.spec, asked.logical);
}

DLCERT_CHECK(any_asked_version_gives_strides,
             if_touched(producer_check("abi.strides.nonnull",
                                       "an export labelled 1.2 or later has strides, whatever "
                                       "version was asked for",
                                       exporting, asked_versions.size()))) {
  const Asked asked = export_as_asked(c);
  const Managed& managed = asked.exported.managed();
  if (managed.version().minor < 2) throw Declined{"a label below 1.2"};
  c.touched();
  expect_field(managed, managed.tensor().strides != nullptr, "exported.dl_tensor.strides != NULL",
               "strides of a tensor of rank {} labelled 1.{}: found NULL", asked.spec.shape.size(),
               managed.version().minor);
}

}  // namespace
}  // namespace dlcert::abi
