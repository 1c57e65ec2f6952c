// SPDX-License-Identifier: Apache-2.0

#include "shims/cuda/driver_functions.hpp"

#include <algorithm>
#include <array>

#include "shims/common/shim.hpp"

namespace dlcert::shim {
namespace {

// The driver API keeps no last error.
#define DLCERT_DRIVER_FUNCTION(name, version)             \
  int refuse_##name() {                                   \
    static std::atomic_flag reported;                     \
    return static_cast<int>(note_limit(#name, reported)); \
  }
#include "shims/cuda/driver_functions.inc"
#undef DLCERT_DRIVER_FUNCTION

#define DLCERT_DRIVER_FUNCTION(name, version) {#name, version, refuse_##name},
constexpr auto driver_functions = std::to_array<DriverFunction>({
#include "shims/cuda/driver_functions.inc"
});
#undef DLCERT_DRIVER_FUNCTION

static_assert(std::ranges::is_sorted(driver_functions, {}, &DriverFunction::name));

}  // namespace

const DriverFunction* find_driver_function(std::string_view name) {
  const auto* const found =
      std::ranges::lower_bound(driver_functions, name, {}, &DriverFunction::name);
  return found != driver_functions.end() && found->name == name ? found : nullptr;
}

}  // namespace dlcert::shim
