// SPDX-License-Identifier: Apache-2.0
#include "worker/runtimes.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <stdexcept>

#include <dlcert/suite/management.hpp>

#include "worker/elf_facts.hpp"
#include "worker/modules.hpp"

namespace dlcert {

namespace {

namespace fs = std::filesystem;

// Wheels put a hash behind the name.
constexpr std::array<std::string_view, 3> runtime_names{"libcudart", "libcuda.so", "libamdhip64"};
constexpr std::string_view fat_binary = ".nvFatBinSegment";  // code that nvcc compiled

bool is_runtime(const fs::path& file) {
  const std::string name = file.filename().string();
  for (const std::string_view runtime : runtime_names)
    if (name.starts_with(runtime)) return true;
  return false;
}

// cudaMalloc, cuMemAlloc, hipMalloc and their kin.
bool is_of_runtime(std::string_view name) {
  return name.starts_with("cu") || name.starts_with("hip") || name.starts_with("__cuda") ||
         name.starts_with("__hip");
}

bool is_drop_in(const fs::path& file, const std::string& folder) {
  std::error_code ignored;
  return !folder.empty() && fs::canonical(file, ignored).parent_path() == folder;
}

std::vector<std::string> foreign_runtimes() {
  const std::string folder = drop_in_folder();
  std::vector<std::string> found = module_files();
  std::erase_if(found, [&](const std::string& module) {
    return !is_runtime(module) || is_drop_in(module, folder);
  });
  return found;
}

// The file that a name of this module leads to: what all modules share comes before what the module
// brings.
std::string file_called(const std::string& module, const std::string& name) {
  Dl_info found{};
  void* address = ::dlsym(RTLD_DEFAULT, name.c_str());
  if (address == nullptr) return file_of_symbol(module.c_str(), name.c_str());
  return ::dladdr(address, &found) == 0 ? std::string{} : found.dli_fname;
}

// A module with a name that leads to this runtime; empty: none.
std::string caller_of(const std::string& runtime) {
  for (const std::string& module : module_files()) {
    if (is_runtime(module)) continue;
    for (const std::string& name : read_elf_facts(module).wanted)
      if (is_of_runtime(name) && file_called(module, name) == runtime) return module;
  }
  return {};
}

std::string module_with_own_runtime() {
  for (const std::string& module : module_files()) {
    const ElfFacts facts = read_elf_facts(module);
    if (facts.has_section(fat_binary) && !facts.needs("libcudart.so")) return module;
  }
  return {};
}

bool are_the_libraries_own = false;

}  // namespace

void open_drop_in_runtimes() {
  if (const std::vector<std::string> foreign = foreign_runtimes(); !foreign.empty())
    throw std::runtime_error{
        fmt::format("expected no GPU runtime except the drop-ins but found '{}' in the process",
                    foreign.front())};
  const std::string folder = drop_in_folder();
  if (folder.empty()) return;
  for (const fs::directory_entry& entry : fs::directory_iterator{folder})
    if (is_runtime(entry.path()))
      if (::dlopen(entry.path().c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr)
        throw std::runtime_error{fmt::format("drop-in runtime '{}' cannot be loaded: {}",
                                             entry.path().string(), ::dlerror())};
  if (management_stand_ins_exist()) use_management_library(ManagementLibrary::stand_in);
}

void leave_runtimes_to_libraries() {
  are_the_libraries_own = true;
}

std::string foreign_runtime() {
  if (are_the_libraries_own) return {};
  for (const std::string& runtime : foreign_runtimes())
    if (const std::string caller = caller_of(runtime); !caller.empty())
      return fmt::format(
          "loads '{}', which '{}' calls: the simulated driver cannot see these calls, because "
          "there is no drop-in of that name",
          runtime, caller);
  return {};
}

std::string unseen_runtime_in_process() {
  const std::vector<std::string> foreign = foreign_runtimes();
  if (are_the_libraries_own)
    return foreign.empty() ? std::string{} : fmt::format("'{}' is not a drop-in", foreign.front());
  if (const std::string module = module_with_own_runtime(); !module.empty())
    return fmt::format("'{}' links cudart statically", module);
  return foreign.empty() ? std::string{} : fmt::format("'{}' was loaded", foreign.front());
}

}  // namespace dlcert
