// SPDX-License-Identifier: Apache-2.0
#include "gpu_errors.hpp"

#include "dlcert/cuda/management.hpp"

namespace dlcert::reference {

namespace {

adapter::Refused without_cause(const cuda::Error& error) {
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

void tell_cause(adapter::Refused& refusal, const std::exception_ptr& cause) {
  try {
    std::rethrow_exception(cause);
  } catch (const adapter::Refused& raised) {  // by a call of the harness
    refusal.set_cause(raised.error().kind, raised.what());
  } catch (const cuda::Error& raised) {
    refusal.set_cause(without_cause(raised).error().kind, raised.what());
  } catch (const std::exception& raised) {
    refusal.set_cause(DLCERT_ERROR_OTHER, raised.what());
  } catch (...) {
    refusal.set_cause(DLCERT_ERROR_OTHER, "an exception of unknown type");
  }
}

}  // namespace

adapter::Refused refusal_of(const cuda::Error& error) {
  adapter::Refused refusal = without_cause(error);
  if (error.cause() != nullptr)
    tell_cause(refusal, error.cause());
  else
    refusal.set_no_cause();
  return refusal;
}

}  // namespace dlcert::reference
