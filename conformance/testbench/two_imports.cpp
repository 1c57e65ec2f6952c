// SPDX-License-Identifier: Apache-2.0
#include "testbench/two_imports.hpp"

#include <dlpack/dlpack.h>

#include <cstdint>
#include <vector>

#include "generators/offers.hpp"
#include "generators/specs.hpp"
#include "testbench/imports.hpp"

namespace dlcert::testbench {

namespace {

constexpr SpecBounds whole_bytes{.dtypes = Dtypes::whole_byte,
                                 .layouts = Layouts::no_overlap,
                                 .shape = {.empty = false, .max_elements = 256},
                                 .writable = true};

// Another type of the same size that the library has, if there is one.
dlcert_dtype draw_other_dtype(Draw& draw, const Party& party, dlcert_dtype dtype) {
  std::vector<dlcert_dtype> others;
  for (const dlcert_dtype other : scalar_dtypes())
    if (other.bits == dtype.bits && dtype.lanes == 1 && other.code != kDLBool &&
        party.can(compact_spec(other, {2})))
      others.push_back(other);
  return others.empty() ? dtype : draw.one_of(others);
}

// A view of the same storage: the same one, one that lacks the first elements along an axis, or the
// last ones, all of the storage in a row, or the first element; or bytes taken for another type.
TensorSpec draw_other_view(Draw& draw, const Party& party, const TensorSpec& view) {
  TensorSpec other = view;
  switch (draw.below(6)) {
    case 0:
      break;
    case 1:
    case 2: {
      if (view.shape.empty()) break;
      const std::size_t axis = draw.below(view.shape.size());
      const std::int64_t cut = draw.between(0, view.shape[axis] - 1);
      other.shape[axis] -= cut;
      if (draw.flip() && view.shape[axis] > 1) other.offset += cut * view.strides[axis];
      break;
    }
    case 3:
      other = compact_spec(view.dtype, {view.storage_size});
      break;
    case 4:
      other.shape.clear();
      other.strides.clear();
      break;
    default:
      if (view.dtype.code != kDLBool) other.dtype = draw_other_dtype(draw, party, view.dtype);
      break;
  }
  return party.can(other) ? other : view;
}

}  // namespace

TwoImports::TwoImports(Case& c)
    : case_{c},
      views_{draw_spec(c.draw, c.consumer, whole_bytes), {}},
      memory_{static_cast<std::uint64_t>(views_[0].storage_size) * item()} {
  views_[1] = draw_other_view(c.draw, c.consumer, views_[0]);
  memory_.put(0, scatter(views_[0], draw_logical(c.draw, views_[0])));
  if (views_[0].dtype.code == kDLBool)
    for (std::uint64_t at = 0; at < memory_.size(); ++at)
      memory_.begin()[at] &= std::byte{1};
  for (const std::size_t i : {0u, 1u})
    import_view(i);
}

bool TwoImports::shares(std::size_t i) {
  return require(case_.consumer.describe(tensor(i)), "description of an imported tensor").data ==
         offers_[i]->first_element();
}

void TwoImports::expect_right(std::size_t i) {
  expect_holds(case_.consumer, tensor(i), views_[i], logical(i));
}

void TwoImports::import_view(std::size_t i) {
  const ImportPath path = draw_import_path(case_.draw, case_.consumer);
  const auto at = static_cast<std::uint64_t>(views_[i].offset) * item();
  offers_[i] = memory_.offer(describe_spec(views_[i], path.form), at);
  imports_[i] = std::make_unique<Import>(case_.consumer, *offers_[i], path.route);
  require_accepted(*imports_[i], case_.consumer, path.form);
}

}  // namespace dlcert::testbench
