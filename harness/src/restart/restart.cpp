// SPDX-License-Identifier: Apache-2.0
#include "restart/restart.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <span>
#include <string_view>

namespace dlcert {

namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 3> runtimes{"libcudart.so.", "libcuda.so.",
                                                   "libamdhip64.so."};
constexpr std::array<std::string_view, 2> managements{"libnvidia-ml.so.1", "libamd_smi.so"};
constexpr const char* module = "libdlcert_redirect.so";

// Where LD_AUDIT is set, the libraries that a program is linked to get their threads' memory from
// what the dynamic linker keeps for those that are opened later: usually less than two KiB.
constexpr const char* kept_for_threads = "glibc.rtld.optional_static_tls";
constexpr const char* bytes_kept_for_threads = "65536";

std::vector<std::string> those_named(const fs::path& folder,
                                     std::span<const std::string_view> beginnings) {
  std::vector<std::string> found;
  std::error_code absent;
  for (const fs::directory_entry& entry : fs::directory_iterator{folder, absent}) {
    const std::string name = entry.path().filename().string();
    if (std::ranges::any_of(beginnings,
                            [&](std::string_view one) { return name.starts_with(one); }))
      found.push_back(fs::canonical(folder).append(name).string());
  }
  std::ranges::sort(found, std::greater{});
  return found;
}

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts)
    all += (all.empty() ? "" : ":") + text;
  return all;
}

std::string audit_modules(const std::string& own) {
  const char* const before = std::getenv("LD_AUDIT");
  if (before == nullptr || *before == '\0') return own;
  const std::string others{before};
  return others.find(own) == others.npos ? others + ":" + own : others;
}

std::string tunables() {
  const std::string own = std::string{kept_for_threads} + "=" + bytes_kept_for_threads;
  const char* const before = std::getenv("GLIBC_TUNABLES");
  if (before == nullptr || *before == '\0') return own;
  const std::string others{before};
  return others.find(kept_for_threads) == others.npos ? others + ":" + own : others;
}

}  // namespace

std::vector<std::string> runtime_drop_ins(const fs::path& folder) {
  return those_named(folder, runtimes);
}

std::vector<std::string> management_drop_ins(const fs::path& folder) {
  return those_named(folder, managements);
}

std::vector<std::string> redirection(const fs::path& folder,
                                     const std::vector<std::string>& drop_ins) {
  const fs::path own = folder / module;
  if (drop_ins.empty() || !fs::exists(own)) return {};
  return {"DLCERT_DROP_INS=" + joined(drop_ins), "LD_AUDIT=" + audit_modules(own.string()),
          "GLIBC_TUNABLES=" + tunables()};
}

}  // namespace dlcert
