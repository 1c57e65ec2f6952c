// SPDX-License-Identifier: Apache-2.0
#include "gpu_errors.hpp"

#include "dlcert/cuda/management.hpp"

namespace dlcert::reference {

adapter::Refused refusal_of(const cuda::Error& error) {
  const auto refused = [&](dlcert_error_kind kind, const char* type) {
    return adapter::Refused{kind, error.what(), type};
  };
  if (const auto* failed = dynamic_cast<const cuda::CudaError*>(&error)) {
    dlcert_error refusal = refused(DLCERT_ERROR_DEVICE, "CudaError").error();
    refusal.code = failed->code();
    return adapter::Refused{refusal};
  }
  // The exceptions of pynvml and amdsmi are no RuntimeErrors.
  if (dynamic_cast<const cuda::ManagementError*>(&error) != nullptr)
    return refused(DLCERT_ERROR_OTHER, "ManagementError");
  if (dynamic_cast<const cuda::RuntimeError*>(&error) != nullptr)
    return refused(DLCERT_ERROR_RUNTIME, "RuntimeError");
  if (dynamic_cast<const cuda::ValueError*>(&error) != nullptr)
    return refused(DLCERT_ERROR_VALUE, "ValueError");
  if (dynamic_cast<const cuda::TypeError*>(&error) != nullptr)
    return refused(DLCERT_ERROR_TYPE, "TypeError");
  if (dynamic_cast<const cuda::AssertionError*>(&error) != nullptr)
    return refused(DLCERT_ERROR_ASSERTION, "AssertionError");
  if (dynamic_cast<const cuda::IndexError*>(&error) != nullptr)
    return refused(DLCERT_ERROR_INDEX, "IndexError");
  if (dynamic_cast<const cuda::ModuleNotFoundError*>(&error) != nullptr)
    return refused(DLCERT_ERROR_MODULE_NOT_FOUND, "ModuleNotFoundError");
  if (dynamic_cast<const cuda::DeferredCudaCallError*>(&error) != nullptr)
    return refused(DLCERT_ERROR_DEFERRED, "DeferredCudaCallError");
  return refused(DLCERT_ERROR_OTHER, "");
}

}  // namespace dlcert::reference
