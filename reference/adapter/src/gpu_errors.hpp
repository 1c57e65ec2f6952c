// SPDX-License-Identifier: Apache-2.0
//
// The exceptions of reference/cuda as errors of the adapter ABI.
#pragma once

#include <utility>

#include <dlcert/adapter_errors.hpp>

#include "dlcert/cuda/errors.hpp"

namespace dlcert::reference {

// The kind, the class's name in Python, the message and, of a CudaError, the code.
adapter::Refused refusal_of(const cuda::Error& error);

// Runs `action` and throws the exceptions of reference/cuda as adapter::Refused.
template <typename Action>
auto reporting_gpu_errors(Action&& action) {
  try {
    return std::forward<Action>(action)();
  } catch (const cuda::Error& error) {
    throw refusal_of(error);
  }
}

}  // namespace dlcert::reference
