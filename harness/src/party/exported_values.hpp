// SPDX-License-Identifier: Apache-2.0
//
// The values of exports, whatever the case is about: compared behind each first export of a tensor
// that the library made, where dlcert knows them.
#pragma once

#include <atomic>
#include <memory>

#include <dlcert/suite/party.hpp>

namespace dlcert {

// What a compact tensor on the host was made with.
struct KnownValues {
  dlcert_dtype dtype;
  std::vector<std::int64_t> shape;
  Bytes logical;
  // Behind the first export, a case may write to the memory.
  std::atomic<bool> may_differ{false};
};

// What is known of a tensor that was made so; NULL where its elements do not lie in their order in
// host memory, are not of whole bytes, or are many.
std::shared_ptr<KnownValues> known_values(const TensorSpec& spec, const Bytes& logical);

// To be called before a case may write to the tensor.
void forget_values(const Tensor& tensor);

// Compares the elements of an export with what its source was made with, and notes a difference for
// the case that runs (ShownInCase). Calls nothing of the library. Does nothing where an export is
// no compact tensor on the host, or another tensor than its source: other rules are about that.
void look_at_export(const Party& producer, const Tensor& source, const dlcert_managed& managed);
// The same of a capsule, which stays as it is.
void look_at_export(const Party& producer, const Tensor& source, dlcert_capsule* capsule);

}  // namespace dlcert
