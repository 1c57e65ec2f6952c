// SPDX-License-Identifier: Apache-2.0
//
// cuGetProcAddress, and the tables that only libraries of the vendor know of.

#include <dlfcn.h>

#include <cstdio>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "shims/cuda_driver/driver_names.hpp"
#include "shims/cuda_driver/driver_older_forms.hpp"
#include "shims/cuda_driver/driver_shim.hpp"

namespace {

using dlcert::shim::DriverForm;

// NULL when there is no such form. Its status is of a question that may be asked.
Status find_form(SimulatedDriver& driver, const char* name, int version, cuuint64_t flags,
                 const DriverForm*& out) {
  using dlcert::shim::DefaultStream;
  if (name == nullptr || flags > CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM ||
      version > driver.driver_version())
    return Status::invalid_value;
  const bool per_thread = flags == CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
  out = dlcert::shim::find_driver_form(
      name, version, per_thread ? DefaultStream::per_thread : DefaultStream::legacy);
  return Status::success;
}

void* address_of(const DriverForm* form) {
  return form == nullptr ? nullptr : reinterpret_cast<void*>(form->function);
}

}  // namespace

extern "C" CUresult cuGetProcAddress_v2(const char* name, void** out, int version, cuuint64_t flags,
                                        CUdriverProcAddressQueryResult* result) {
  return run_uninitialized([&](SimulatedDriver& driver) {
    const DriverForm* found = nullptr;
    if (out == nullptr) return Status::invalid_value;
    const Status status = find_form(driver, name, version, flags, found);
    if (status != Status::success) return status;
    *out = address_of(found);
    if (result == nullptr) return Status::success;
    *result = CU_GET_PROC_ADDRESS_SUCCESS;
    if (found == nullptr)
      *result = dlcert::shim::has_driver_name(name, driver.driver_version())
                    ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                    : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return Status::success;
  });
}

// Before CUDA 12 there was no result apart from the answer.
extern "C" CUresult cuGetProcAddress(const char* name, void** out, int version, cuuint64_t flags) {
  return run_uninitialized([&](SimulatedDriver& driver) {
    const DriverForm* found = nullptr;
    if (out == nullptr) return Status::invalid_value;
    const Status status = find_form(driver, name, version, flags, found);
    if (status != Status::success) return status;
    *out = address_of(found);
    return found != nullptr ? Status::success : static_cast<Status>(CUDA_ERROR_NOT_FOUND);
  });
}

// ---- private tables -----------------------------------------------------------------------------

namespace {

// The file of the code at `address`, without its folder.
std::string library_of(const void* address) {
  Dl_info found{};
  if (::dladdr(address, &found) == 0 || found.dli_fname == nullptr)
    return "code outside of all libraries";
  const std::string_view path{found.dli_fname};
  return "'" + std::string{path.substr(path.rfind('/') + 1)} + "'";
}

// A runtime that was linked into the caller goes past the simulated one: what is judged while it
// does may be wrong.
void note_tables(SimulatedDriver& driver, const void* caller) {
  static std::mutex& mutex = *new std::mutex;
  static auto& reported = *new std::set<std::string>;
  const std::string limit =
      library_of(caller) +
      " asks the driver for private tables: it contains its own cudart, and dlcert cannot see the "
      "calls of that cudart";
  {
    const std::scoped_lock lock{mutex};
    if (reported.insert(limit).second)
      static_cast<void>(std::fprintf(stderr, "dlcert: %s\n", limit.c_str()));
  }
  driver.note_limit(limit);
}

}  // namespace

// The vendor's libraries ask each other for tables that no document describes: they are not there.
extern "C" CUresult cuGetExportTable(const void** out, const CUuuid* id) {
  const void* const caller = __builtin_return_address(0);
  return run_uninitialized([&](SimulatedDriver& driver) {
    if (out == nullptr || id == nullptr) return Status::invalid_value;
    *out = nullptr;
    note_tables(driver, caller);
    return static_cast<Status>(CUDA_ERROR_NOT_FOUND);
  });
}
