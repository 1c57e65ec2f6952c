// SPDX-License-Identifier: Apache-2.0
//
// Use after free, made visible: memory that a library freed too early gets other contents.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "testbench/exports.hpp"

namespace dlcert::testbench {

// Takes small blocks of the sizes that descriptors and small tensors have from the heap, and
// overwrites them: a library that reads what it freed finds the poison. Frees the blocks on
// destruction.
class HeapPoison {
 public:
  HeapPoison();

 private:
  static constexpr std::size_t sizes = 80;
  static constexpr std::size_t per_size = 2;
  std::array<std::unique_ptr<std::byte[]>, sizes * per_size> blocks_;
};

// Makes the producer reuse memory that it freed: it creates and exports a tensor like `source`, and
// one of the same rank with larger extents. An allocator hands the block that was freed last to the
// next tensor of that size; where more was freed behind it, `times` tensors of each size find it.
// The tensors live as long as this.
class FreedMemoryReuse {
 public:
  FreedMemoryReuse(Case& c, const Source& source, std::size_t times = 1);

 private:
  void add(Case& c, const TensorSpec& spec, const Bytes& logical);

  std::vector<Tensor> tensors_;
  std::vector<Exported> exports_;
  HeapPoison poison_;
};

}  // namespace dlcert::testbench
