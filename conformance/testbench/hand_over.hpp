// SPDX-License-Identifier: Apache-2.0
//
// Two libraries with each other: a tensor of the producer, taken by the consumer in the way in
// which their user hands it over.
#pragma once

#include <atomic>
#include <memory>

#include <dlcert/suite/check.hpp>

#include "testbench/exports.hpp"

namespace dlcert::testbench {

// What became of a tensor's deleter: its calls, counted by a struct of the harness's own around the
// producer's managed tensor. The producer's deleter is called by the first of them.
class CountedDeleter {
 public:
  int calls() const { return calls_; }

  // A managed tensor like `managed`, which it owns from now on. It lives as long as the process.
  static dlcert_managed wrap(const std::shared_ptr<CountedDeleter>& account,
                             dlcert_managed managed);

 private:
  struct Wrapper;
  std::atomic<int> calls_{0};
};

// How a tensor goes from the one to the other.
//   - Between two libraries of one Python interpreter: the producer's own array goes to the
//     consumer's own from_dlpack.
//   - To another library in Python: an object around what the producer exports.
//   - Else: a managed tensor, in the newest form that the producer gives and the consumer takes.
// What the consumer, or the producer that it asks, refuses is the outcome's error.
Outcome<Tensor> hand_over(Case& c, const Tensor& tensor);

// The same by the harness's hands, which count the deleter's calls: never the producer's own array.
Outcome<Tensor> hand_over_counted(Case& c, const Tensor& tensor,
                                  const std::shared_ptr<CountedDeleter>& account);

}  // namespace dlcert::testbench
