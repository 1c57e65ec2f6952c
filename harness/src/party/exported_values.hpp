// SPDX-License-Identifier: Apache-2.0
//
// Compares the values of exports, whatever the case is about: after each first export of a tensor
// that the library made, if dlcert knows its values.
#pragma once

#include <atomic>
#include <memory>

#include <dlcert/suite/party.hpp>

namespace dlcert {

// The elements with which the library made a compact tensor on the host.
struct KnownValues {
  dlcert_dtype dtype;
  std::vector<std::int64_t> shape;
  Bytes logical;
  // A case may write to the memory after the first export.
  std::atomic<bool> may_differ{false};
};

// Returns the elements of a tensor that is made so; NULL if they do not lie in their order in host
// memory, are not of whole bytes, or are many.
std::shared_ptr<KnownValues> known_values(const TensorSpec& spec, const Bytes& logical);

// Must be called before a case may write to the tensor.
void forget_values(const Tensor& tensor);

// Compares the elements of an export with what its source was made with, and notes a difference for
// the case that runs (ShownInCase). Calls nothing of the library. Does nothing if an export is no
// compact tensor on the host, or is another tensor than its source: other rules are about that.
void look_at_export(const Party& producer, const Tensor& source, const dlcert_managed& managed);
// Does the same for a capsule, and leaves it as it is.
void look_at_export(const Party& producer, const Tensor& source, dlcert_capsule* capsule);

}  // namespace dlcert
