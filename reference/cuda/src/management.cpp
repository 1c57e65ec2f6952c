// SPDX-License-Identifier: Apache-2.0

#include "dlcert/cuda/management.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <utility>

#include "elements.hpp"
#include "management_calls.hpp"

namespace dlcert::cuda {

Management::~Management() = default;

ManagementLibrary::ManagementLibrary(std::string name) : name_{std::move(name)} {}

void ManagementLibrary::load() {
  if (handle_ != nullptr) return;
  void* const handle = dlopen(name_.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr)
    throw ManagementError(ManagementStep::load, 0,
                          fmt::format("cannot load the management library '{}'", name_));
  // Two threads that come here at once get the same handle.
  handle_ = handle;
}

void* ManagementLibrary::address(const char* symbol) {
  void* const handle = handle_;
  void* const found = handle == nullptr ? nullptr : dlsym(handle, symbol);
  if (found == nullptr)
    throw ManagementError(
        ManagementStep::symbol, 0,
        fmt::format("the management library '{}' has no function {}", name_, symbol));
  return found;
}

void refuse_answer(ManagementStep step, const std::string& what) {
  throw ManagementError(step, 0, what);
}

void require_ascii(const char* function, std::string_view text) {
  for (const char character : text)
    if (static_cast<unsigned char>(character) > 0x7f)
      refuse_answer(ManagementStep::uuid, fmt::format("{} gave a text that is not ASCII: '{}'",
                                                      function, printable(text)));
}

}  // namespace dlcert::cuda
