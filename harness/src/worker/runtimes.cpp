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

bool is_drop_in(const fs::path& file, const std::string& folder) {
  std::error_code ignored;
  return !folder.empty() && fs::canonical(file, ignored).parent_path() == folder;
}

std::string first_foreign_runtime() {
  const std::string folder = drop_in_folder();
  for (const std::string& module : module_files())
    if (is_runtime(module) && !is_drop_in(module, folder)) return module;
  return {};
}

bool are_the_libraries_own = false;

}  // namespace

void open_drop_in_runtimes() {
  if (const std::string foreign = first_foreign_runtime(); !foreign.empty())
    throw std::runtime_error{
        fmt::format("expected no GPU runtime beside the simulated driver but found '{}' in the "
                    "process already",
                    foreign)};
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
  if (const std::string foreign = first_foreign_runtime(); !foreign.empty())
    return fmt::format(
        "brings '{}', which the simulated driver cannot see: a drop-in runtime of "
        "that name was not built",
        foreign);
  return {};
}

std::string runtime_in_place_of_drop_in() {
  if (!are_the_libraries_own) return {};
  const std::string foreign = first_foreign_runtime();
  return foreign.empty() ? std::string{} : fmt::format("'{}' is no drop-in", foreign);
}

std::string module_with_own_runtime() {
  for (const std::string& module : module_files()) {
    const ElfFacts facts = read_elf_facts(module);
    if (facts.has_section(fat_binary) && !facts.needs("libcudart.so")) return module;
  }
  return {};
}

}  // namespace dlcert
