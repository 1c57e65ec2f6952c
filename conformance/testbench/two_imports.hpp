// SPDX-License-Identifier: Apache-2.0
//
// Two imports of one memory.
#pragma once

#include <array>
#include <cstddef>
#include <memory>

#include <dlcert/suite/check.hpp>
#include <dlcert/suite/spy.hpp>

#include "testbench/mapped_memory.hpp"

namespace dlcert::testbench {

// Two views of a memory of the harness, which the consumer imports one after the other: a drawn one
// of whole bytes, and the same, a part of it, all of the storage, or the same bytes as another
// type.
class TwoImports {
 public:
  explicit TwoImports(Case& c);

  const TensorSpec& view(std::size_t i) const { return views_[i]; }
  const Tensor& tensor(std::size_t i) { return imports_[i]->tensor(); }
  const Offer& offer(std::size_t i) const { return *offers_[i]; }
  // What the memory holds there.
  Bytes logical(std::size_t i) const { return gather(views_[i], memory_.begin()); }
  void set_logical(std::size_t i, const Bytes& logical) {
    scatter_into(views_[i], memory_.begin(), logical);
  }

  // Whether the import is known to lie on that memory.
  bool shares(std::size_t i);
  // It is described as its view, and holds what the memory does.
  void expect_right(std::size_t i);
  // Releases it.
  void finish(std::size_t i) { imports_[i]->finish(); }

 private:
  std::size_t item() const { return logical_item_size(views_[0].dtype); }
  void import_view(std::size_t i);

  Case& case_;
  std::array<TensorSpec, 2> views_;
  MappedMemory memory_;
  std::array<std::unique_ptr<Offer>, 2> offers_;
  std::array<std::unique_ptr<Import>, 2> imports_;
};

}  // namespace dlcert::testbench
