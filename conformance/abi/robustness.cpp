// SPDX-License-Identifier: Apache-2.0
//
// Descriptors that no producer may emit. No text obliges a consumer to refuse them: outcomes are
// recorded, and judged only under the policy malformed-descriptor.

#include <array>

#include "abi/support.hpp"
#include "registration.hpp"

namespace dlcert::abi {

DLCERT_FAMILY(robustness)

namespace {

using Axes = std::vector<std::int64_t>;

// Floats of this shape, whatever the storage holds.
Descriptor floats(const ImportPath& path, Axes shape) {
  Descriptor descriptor = describe_spec(compact_spec(float32, {}), path.form);
  descriptor.ndim = static_cast<std::int32_t>(shape.size());
  descriptor.strides = Axes(shape.size(), 1);
  descriptor.shape = std::move(shape);
  return descriptor;
}

void record(Case& c, const ImportPath& path, const Descriptor& malformed) {
  ImportedOffer imported{c, path.route, malformed, Bytes(64)};
  judge_by_policy(c, imported, "malformed-descriptor");
  c.observe(imported.deleted_once() ? "deleted once" : "not deleted once");
}

DLCERT_CHECK(negative_ranks_are_recorded,
             if_touched(consumer_check("abi.robust.malformed-descriptor",
                                       "what the consumer makes of a negative rank is recorded",
                                       importing))) {
  constexpr std::array<std::int32_t, 3> ranks{-1, INT32_MIN, -65};
  const ImportPath path = draw_import_path(c.draw, c.consumer);
  Descriptor malformed = floats(path, {2, 3});
  malformed.ndim = c.draw.one_of(ranks);
  record(c, path, malformed);
}

DLCERT_CHECK(negative_extents_are_recorded,
             if_touched(consumer_check("abi.robust.malformed-descriptor",
                                       "what the consumer makes of negative extents is recorded",
                                       importing))) {
  const std::array<Axes, 4> shapes{Axes{-1}, Axes{2, -3}, Axes{-2, -3}, Axes{INT64_MIN}};
  const ImportPath path = draw_import_path(c.draw, c.consumer);
  record(c, path, floats(path, c.draw.one_of(shapes)));
}

DLCERT_CHECK(null_shapes_are_recorded,
             if_touched(consumer_check("abi.robust.malformed-descriptor",
                                       "what the consumer makes of a null shape is recorded",
                                       importing))) {
  const ImportPath path = draw_import_path(c.draw, c.consumer);
  Descriptor malformed = floats(path, Axes(static_cast<std::size_t>(c.draw.between(1, 4)), 1));
  malformed.shape.reset();
  record(c, path, malformed);
}

DLCERT_CHECK(null_data_is_recorded,
             if_touched(consumer_check(
                 "abi.data.nonempty-null-rejected",
                 "what the consumer makes of null data with elements is recorded", importing))) {
  const ImportPath path = draw_import_path(c.draw, c.consumer);
  Descriptor malformed = floats(path, {c.draw.between(1, 4)});
  malformed.data = Descriptor::Data::null;
  record(c, path, malformed);
}

// The bytes of these shapes overflow 64 bits, some back to a small number.
DLCERT_CHECK(overflowing_sizes_are_recorded,
             if_touched(consumer_check(
                 "abi.shape.overflow-rejected",
                 "what the consumer makes of a size beyond 64 bits is recorded", importing))) {
  constexpr std::int64_t two = 2;
  const std::array<Axes, 4> shapes{Axes{two << 39, two << 39}, Axes{two << 30, two << 30, 4},
                                   Axes{two << 61}, Axes{two << 61, 2}};
  const ImportPath path = draw_import_path(c.draw, c.consumer);
  Descriptor malformed = floats(path, c.draw.one_of(shapes));
  malformed.dtype = {kDLFloat, 64, 1};
  for (std::size_t axis = malformed.shape->size(); axis-- > 1;)
    (*malformed.strides)[axis - 1] = (*malformed.strides)[axis] * (*malformed.shape)[axis];
  record(c, path, malformed);
}

}  // namespace
}  // namespace dlcert::abi
