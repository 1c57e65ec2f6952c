// SPDX-License-Identifier: Apache-2.0
#include "testbench/churn.hpp"

namespace dlcert {

Churn::Churn(Case& c, const Source& source) {
  add(c, source.spec, different_logical(source.spec, source.logical));
  std::vector<std::int64_t> extents = source.spec.shape;
  for (std::int64_t& extent : extents)
    ++extent;
  TensorSpec grown = compact_spec(source.spec.dtype, std::move(extents));
  grown.flags = source.spec.flags;
  if (c.producer.can(grown)) add(c, grown, draw_logical(c.draw, grown));
}

void Churn::add(Case& c, const TensorSpec& spec, const Bytes& logical) {
  tensors_.push_back(require(c.producer.create(spec, logical), "creation of a claimed tensor"));
  exports_.push_back(export_either(c, tensors_.back()));
}

}  // namespace dlcert
