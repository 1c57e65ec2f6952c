// SPDX-License-Identifier: Apache-2.0
//
// Initialization, versions, errors and contexts.

#include <map>

#include "shims/common/per_world.hpp"
#include "shims/cuda_driver/driver_older_forms.hpp"
#include "shims/cuda_driver/driver_shim.hpp"

namespace {

constexpr unsigned int context_flags = CU_CTX_FLAGS_MASK;
constexpr unsigned int context_api_version = 3020;

const char* name_of(const CUresult& error) {
  switch (number_of(error)) {
#define DLCERT_ERROR(name) \
  case name:               \
    return #name;
#include "shims/cuda_driver/driver_errors.inc"
#undef DLCERT_ERROR
    default:
      return nullptr;
  }
}

Status tell(const char* text, const char** out) {
  if (out == nullptr) return Status::invalid_value;
  *out = text;
  return text == nullptr ? Status::invalid_value : Status::success;
}

bool is_scheduling(unsigned int flags) {
  const unsigned int scheduling = flags & CU_CTX_SCHED_MASK;
  return (flags & ~context_flags) == 0 && (scheduling & (scheduling - 1)) == 0;
}

}  // namespace

// ---- initialization, versions and errors --------------------------------------------------------

extern "C" CUresult cuInit(unsigned int flags) {
  return run_uninitialized([&](SimulatedDriver& driver) {
    int unused = 0;
    return flags == 0 ? driver.device_count(unused) : Status::invalid_value;
  });
}

extern "C" CUresult cuDriverGetVersion(int* out) {
  return run_uninitialized([&](SimulatedDriver& driver) {
    if (out == nullptr) return Status::invalid_value;
    *out = driver.driver_version();
    return Status::success;
  });
}

// What the runtime says of the same number; a number without a name has no text either.
extern "C" CUresult cuGetErrorString(CUresult error, const char** out) {
  const char* const text = name_of(error) == nullptr
                               ? nullptr
                               : dlcert::driver::status_text(dlcert::driver::Vendor::cuda,
                                                             static_cast<Status>(number_of(error)));
  return result_of(tell(text, out));
}

extern "C" CUresult cuGetErrorName(CUresult error, const char** out) {
  return result_of(tell(name_of(error), out));
}

// ---- primary contexts ---------------------------------------------------------------------------

extern "C" CUresult cuDevicePrimaryCtxRetain(CUcontext* out, CUdevice device) {
  return run_for<Context>(out, [&](SimulatedDriver& driver, Context& context) {
    return driver.retain_primary(device, context);
  });
}

extern "C" CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  return run([&](SimulatedDriver& driver) { return driver.release_primary(device); });
}

extern "C" CUresult cuDevicePrimaryCtxReset(CUdevice device) {
  return run([&](SimulatedDriver& driver) { return driver.reset_primary(device); });
}

extern "C" CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned int flags) {
  return run([&](SimulatedDriver& driver) {
    return is_scheduling(flags) ? driver.set_primary_flags(device, flags) : Status::invalid_value;
  });
}

extern "C" CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned int* flags, int* active) {
  return run([&](SimulatedDriver& driver) {
    unsigned int found_flags = 0;
    bool is_active = false;
    if (flags == nullptr || active == nullptr) return Status::invalid_value;
    const Status status = driver.primary_state(device, found_flags, is_active);
    if (status != Status::success) return status;
    *flags = found_flags;
    *active = is_active ? 1 : 0;
    return Status::success;
  });
}

// ---- contexts -----------------------------------------------------------------------------------

extern "C" CUresult cuCtxCreate_v4(CUcontext* out, CUctxCreateParams* parameters,
                                   unsigned int flags, CUdevice device) {
  return run_for<Context>(out, [&](SimulatedDriver& driver, Context& context) {
    static std::atomic_flag reported;
    if (!is_scheduling(flags)) return Status::invalid_value;
    if (parameters != nullptr)
      return dlcert::shim::note_limit("a context with parameters", reported);
    return driver.create_context(device, flags, context);
  });
}

extern "C" CUresult cuCtxCreate_v2(CUcontext* out, unsigned int flags, CUdevice device) {
  return cuCtxCreate_v4(out, nullptr, flags, device);
}

extern "C" CUresult cuCtxDestroy(CUcontext context) {
  return run([&](SimulatedDriver& driver) { return driver.destroy_context(context_of(context)); });
}

extern "C" CUresult cuCtxPushCurrent(CUcontext context) {
  return run([&](SimulatedDriver& driver) { return driver.push_context(context_of(context)); });
}

extern "C" CUresult cuCtxPopCurrent(CUcontext* out) {
  return run([&](SimulatedDriver& driver) {
    Context popped{};
    const Status status = driver.pop_context(popped);
    if (status == Status::success && out != nullptr) *out = native<CUcontext>(popped);
    return status;
  });
}

extern "C" CUresult cuCtxSetCurrent(CUcontext context) {
  return run(
      [&](SimulatedDriver& driver) { return driver.set_current_context(context_of(context)); });
}

extern "C" CUresult cuCtxGetCurrent(CUcontext* out) {
  return run_for<Context>(out, [](SimulatedDriver& driver, Context& context) {
    return driver.current_context(context);
  });
}

// ---- what a context says of itself --------------------------------------------------------------

namespace {

// Of `context`, or of the current one for NULL.
template <class Body>
CUresult run_on(CUcontext context, Body&& body) {
  if (context == nullptr) return run_in_context(std::forward<Body>(body));
  return run([&](SimulatedDriver& driver) {
    ContextDetails details;
    const Status status = driver.context_details(context_of(context), details);
    return status == Status::success ? body(driver, details) : status;
  });
}

template <class Value, class Member>
CUresult tell_of(CUcontext context, Value* out, Member member) {
  return run_on(context, [&](SimulatedDriver&, const ContextDetails& details) {
    if (out == nullptr) return Status::invalid_value;
    *out = static_cast<Value>(details.*member);
    return Status::success;
  });
}

}  // namespace

extern "C" CUresult cuCtxGetDevice(CUdevice* out) {
  return tell_of(nullptr, out, &ContextDetails::device);
}

#undef cuCtxGetDevice
extern "C" CUresult cuCtxGetDevice_v2(CUdevice* out, CUcontext context) {
  return tell_of(context, out, &ContextDetails::device);
}

extern "C" CUresult cuCtxGetFlags(unsigned int* out) {
  return tell_of(nullptr, out, &ContextDetails::flags);
}

extern "C" CUresult cuCtxGetId(CUcontext context, unsigned long long* out) {
  return tell_of(context, out, &ContextDetails::id);
}

extern "C" CUresult cuCtxGetApiVersion(CUcontext context, unsigned int* out) {
  return run_on(context, [&](SimulatedDriver&, const ContextDetails&) {
    if (out == nullptr) return Status::invalid_value;
    *out = context_api_version;
    return Status::success;
  });
}

extern "C" CUresult cuCtxSetFlags(unsigned int flags) {
  return run_in_context([&](SimulatedDriver& driver) {
    Context current{};
    if (!is_scheduling(flags)) return Status::invalid_value;
    const Status status = driver.current_context(current);
    return status == Status::success ? driver.set_context_flags(current, flags) : status;
  });
}

extern "C" CUresult cuCtxSynchronize() {
  return run_in_context([](SimulatedDriver& driver) { return driver.synchronize_device(); });
}

#undef cuCtxSynchronize
extern "C" CUresult cuCtxSynchronize_v2(CUcontext context) {
  return run_on(context, [&](SimulatedDriver& driver, const ContextDetails& details) {
    int current = 0;
    Status status = driver.current_device(current);
    if (status != Status::success || current == details.device)
      return status == Status::success ? driver.synchronize_device() : status;
    Context popped{};
    status = driver.push_context(context_of(context));
    if (status == Status::success) status = driver.synchronize_device();
    static_cast<void>(driver.pop_context(popped));
    return status;
  });
}

extern "C" CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  return run_in_context([&](SimulatedDriver&) {
    const auto range = dlcert::driver::stream_priorities(dlcert::driver::Vendor::cuda);
    if (least != nullptr) *least = range.least;
    if (greatest != nullptr) *greatest = range.greatest;
    return Status::success;
  });
}

// ---- settings that are kept and change nothing --------------------------------------------------

namespace {

using Limits = std::map<std::pair<int, int>, std::size_t>;  // by device and limit

// As the vendor's driver has them at first; 0 for the others.
std::size_t first_limit(int limit) {
  switch (limit) {
    case CU_LIMIT_STACK_SIZE:
      return 1024;
    case CU_LIMIT_PRINTF_FIFO_SIZE:
      return std::size_t{1} << 20;
    case CU_LIMIT_MALLOC_HEAP_SIZE:
      return std::size_t{8} << 20;
    case CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH:
      return 2;
    case CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT:
      return 2048;
    case CU_LIMIT_MAX_L2_FETCH_GRANULARITY:
      return 64;
    default:
      return 0;
  }
}

}  // namespace

extern "C" CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
  return run_in_context([&](SimulatedDriver& driver, const ContextDetails& details) {
    const int number = number_of(limit);
    if (number < 0 || number >= CU_LIMIT_MAX) return Status::invalid_value;
    return dlcert::shim::remembered<Limits>().with(driver, [&](Limits& limits) {
      limits[{details.device, number}] = value;
      return Status::success;
    });
  });
}

extern "C" CUresult cuCtxGetLimit(size_t* out, CUlimit limit) {
  return run_in_context([&](SimulatedDriver& driver, const ContextDetails& details) {
    const int number = number_of(limit);
    if (out == nullptr || number < 0 || number >= CU_LIMIT_MAX) return Status::invalid_value;
    return dlcert::shim::remembered<Limits>().with(driver, [&](Limits& limits) {
      *out = limits.try_emplace({details.device, number}, first_limit(number)).first->second;
      return Status::success;
    });
  });
}

extern "C" CUresult cuCtxSetCacheConfig(CUfunc_cache /*config*/) {
  return run_in_context([](SimulatedDriver&) { return Status::success; });
}

extern "C" CUresult cuCtxGetCacheConfig(CUfunc_cache* out) {
  return run_in_context([&](SimulatedDriver&) {
    if (out == nullptr) return Status::invalid_value;
    *out = CU_FUNC_CACHE_PREFER_NONE;
    return Status::success;
  });
}

extern "C" CUresult cuCtxResetPersistingL2Cache() {
  return run_in_context([](SimulatedDriver&) { return Status::success; });
}

// ---- logs ---------------------------------------------------------------------------------------

// Nothing is logged.
extern "C" CUresult cuLogsRegisterCallback(CUlogsCallback callback, void* /*data*/,
                                           CUlogsCallbackHandle* out) {
  return run([&](SimulatedDriver&) {
    static char only_handle = 0;
    if (callback == nullptr) return Status::invalid_value;
    if (out != nullptr) *out = reinterpret_cast<CUlogsCallbackHandle>(&only_handle);
    return Status::success;
  });
}

extern "C" CUresult cuLogsUnregisterCallback(CUlogsCallbackHandle handle) {
  return run([&](SimulatedDriver&) {
    return handle != nullptr ? Status::success : Status::invalid_value;
  });
}

// ---- peers --------------------------------------------------------------------------------------

extern "C" CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags) {
  return run_in_context([&](SimulatedDriver& driver) {
    ContextDetails details;
    if (flags != 0) return Status::invalid_value;
    const Status status = driver.context_details(context_of(peer), details);
    return status == Status::success ? driver.enable_peer_access(details.device) : status;
  });
}

extern "C" CUresult cuCtxDisablePeerAccess(CUcontext peer) {
  return run_in_context([&](SimulatedDriver& driver) {
    ContextDetails details;
    const Status status = driver.context_details(context_of(peer), details);
    return status == Status::success ? driver.disable_peer_access(details.device) : status;
  });
}
