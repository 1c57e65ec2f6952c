// SPDX-License-Identifier: Apache-2.0
#include "testbench/freed_memory.hpp"

#include <algorithm>
#include <cstring>
#include <span>

namespace dlcert::testbench {

HeapPoison::HeapPoison() {
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const std::size_t bytes = 16 * (1 + i % sizes);
    blocks_[i] = std::make_unique_for_overwrite<std::byte[]>(bytes);
    std::memset(blocks_[i].get(), 0xEE, bytes);
  }
}

FreedMemoryReuse::FreedMemoryReuse(Case& c, const Source& source, std::size_t times) {
  for (std::size_t i = 0; i < times; ++i)
    add(c, source.spec, different_logical(source.spec, source.logical));
  std::vector<std::int64_t> extents = source.spec.shape;
  constexpr std::size_t most_axes = 8;  // each may double the elements
  for (std::int64_t& extent : std::span{extents}.first(std::min(extents.size(), most_axes)))
    ++extent;
  TensorSpec grown = compact_spec(source.spec.dtype, std::move(extents));
  grown.device = source.spec.device;
  grown.flags = source.spec.flags;
  if (!c.producer.can(grown)) return;
  for (std::size_t i = 0; i < times; ++i)
    add(c, grown, draw_logical(c.draw, grown));
}

void FreedMemoryReuse::add(Case& c, const TensorSpec& spec, const Bytes& logical) {
  tensors_.push_back(require(c.producer.create(spec, logical), "creation of a claimed tensor"));
  exports_.push_back(export_either(c, tensors_.back()));
}

}  // namespace dlcert::testbench
