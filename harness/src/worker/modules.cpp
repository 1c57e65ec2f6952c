// SPDX-License-Identifier: Apache-2.0
#include "worker/modules.hpp"

#include <dlfcn.h>
#include <link.h>

namespace dlcert {

namespace {

int add_name(dl_phdr_info* info, std::size_t, void* names) {
  if (info->dlpi_name != nullptr && *info->dlpi_name == '/')
    static_cast<std::vector<std::string>*>(names)->emplace_back(info->dlpi_name);
  return 0;
}

}  // namespace

std::vector<std::string> module_files() {
  std::vector<std::string> names;
  ::dl_iterate_phdr(&add_name, &names);
  return names;
}

std::string file_of_symbol(const char* name, const char* symbol) {
  void* const module = ::dlopen(name, RTLD_NOW | RTLD_NOLOAD);
  if (module == nullptr) return {};
  void* const address = ::dlsym(module, symbol);
  ::dlclose(module);
  Dl_info found{};
  if (address == nullptr || ::dladdr(address, &found) == 0) return {};
  return found.dli_fname;
}

}  // namespace dlcert
