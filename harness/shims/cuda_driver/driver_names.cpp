// SPDX-License-Identifier: Apache-2.0

#include "shims/cuda_driver/driver_names.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "shims/common/shim.hpp"

// Every symbol is a weak function, which the real one of another source file replaces. The driver
// API keeps no last error.
#define DLCERT_DRIVER_NAME(name, version, stream, symbol)                 \
  extern "C" __attribute__((weak)) int symbol();                          \
  extern "C" int symbol() {                                               \
    static std::atomic_flag reported;                                     \
    return static_cast<int>(dlcert::shim::note_limit(#symbol, reported)); \
  }
#include "shims/cuda_driver/driver_names.inc"
#undef DLCERT_DRIVER_NAME

namespace dlcert::shim {
namespace {

#define DLCERT_DRIVER_NAME(name, version, stream, symbol) \
  {#name, version, DefaultStream::stream, #symbol, &::symbol},
constexpr auto forms = std::to_array<DriverForm>({
#include "shims/cuda_driver/driver_names.inc"
});
#undef DLCERT_DRIVER_NAME

static_assert(std::ranges::is_sorted(forms, {}, &DriverForm::name));

std::span<const DriverForm> forms_of(std::string_view name) {
  const auto* const begin = std::ranges::lower_bound(forms, name, {}, &DriverForm::name);
  return {begin, std::ranges::upper_bound(forms, name, {}, &DriverForm::name)};
}

}  // namespace

const DriverForm* find_driver_form(std::string_view name, int version, DefaultStream stream) {
  const DriverForm* newest = nullptr;
  const auto is_better = [&](const DriverForm& form) {
    if (newest == nullptr) return true;
    return form.stream == newest->stream ? form.version > newest->version
                                         : form.stream == DefaultStream::per_thread;
  };
  for (const DriverForm& form : forms_of(name)) {
    const bool asked = form.stream == DefaultStream::legacy || form.stream == stream;
    if (asked && form.version <= version && is_better(form)) newest = &form;
  }
  return newest;
}

bool has_driver_name(std::string_view name, int version) {
  return std::ranges::any_of(forms_of(name),
                             [&](const DriverForm& form) { return form.version <= version; });
}

}  // namespace dlcert::shim
