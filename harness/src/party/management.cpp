// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <vector>

#include <dlcert/suite/check.hpp>
#include <dlcert/suite/management.hpp>
#include <dlcert/suite/party.hpp>

namespace dlcert {

namespace {

namespace fs = std::filesystem;

constexpr std::array management_libraries{"libnvidia-ml.so.1", "libamd_smi.so"};

// Whether the process has such a library that is not dlcert's: an interpreter's package may bring
// one of its own, which is opened by its path.
bool has_foreign_library() {
  static const std::string folder = drop_in_folder();  // found once, before processes are forked
  bool found = false;
  ::dl_iterate_phdr(
      [](dl_phdr_info* module, std::size_t, void* context) {
        const std::string_view path{module->dlpi_name};
        if (path.starts_with(folder)) return 0;
        const std::string_view name = path.substr(path.rfind('/') + 1);
        const bool manages =
            name.starts_with("libamd_smi.so") || name.starts_with("libnvidia-ml.so");
        std::error_code ignored;
        if (manages && !fs::canonical(path, ignored).string().starts_with(folder))
          *static_cast<bool*>(context) = true;
        return 0;
      },
      &found);
  return found;
}

// Opens `name` in `folder`, and sees that it is what its name now stands for.
void* open(const fs::path& folder, const char* name) {
  void* const handle = ::dlopen((folder / name).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr)
    throw Inconclusive{fmt::format("dlcert's drop-in cannot be loaded: {}", ::dlerror())};
  void* const named = ::dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
  if (named != nullptr) ::dlclose(named);
  if (named != handle) throw NotFormable{};
  return handle;
}

void require_absent() {
  for (const char* const name : management_libraries)
    if (void* const found = ::dlopen(name, RTLD_LAZY | RTLD_LOCAL); found != nullptr) {
      ::dlclose(found);
      throw NotFormable{};
    }
}

}  // namespace

std::string drop_in_folder() {
  // The driver is in every process that has a world; its file says where the build or the
  // installation is.
  Dl_info driver{};
  void* const world = ::dlsym(RTLD_DEFAULT, "dlcert_driver_world");
  if (world == nullptr || ::dladdr(world, &driver) == 0) return {};
  for (const char* const place : {"shims", "dlcert/shims"})
    if (const fs::path folder = fs::path{driver.dli_fname}.parent_path() / place;
        fs::is_directory(folder))
      return fs::canonical(folder).string();
  return {};
}

bool management_stand_ins_exist() {
  const fs::path folder = drop_in_folder();
  return std::ranges::all_of(management_libraries, [&](const char* name) {
    return !folder.empty() && fs::exists(folder / name);
  });
}

void use_management_library(ManagementLibrary library) {
  static std::vector<void*> opened;
  static ManagementLibrary now = ManagementLibrary::absent;
  if (has_foreign_library()) throw NotFormable{};
  if (library == ManagementLibrary::stand_in && now == library) return;
  now = ManagementLibrary::absent;
  while (!opened.empty()) {
    ::dlclose(opened.back());
    opened.pop_back();
  }
  if (library == ManagementLibrary::absent) return require_absent();
  fs::path folder = drop_in_folder();
  if (folder.empty())
    throw Inconclusive{
        "expected dlcert's drop-ins for NVML and AMD SMI next to its driver but found none"};
  if (library == ManagementLibrary::lacking) folder /= "lacking";
  for (const char* const name : management_libraries)
    opened.push_back(open(folder, name));
  now = library;
}

}  // namespace dlcert
