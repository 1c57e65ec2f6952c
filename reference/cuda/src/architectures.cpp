// SPDX-License-Identifier: Apache-2.0

#include "dlcert/cuda/architectures.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include "dlcert/cuda/device_guard.hpp"
#include "dlcert/cuda/errors.hpp"
#include "dlcert/driver/select.hpp"

namespace dlcert::cuda {
namespace {

constexpr int oldest_without_list = 35;

struct Architecture {
  std::string_view kind;
  std::string_view number;  // as written: "90a"
};

Architecture split(std::string_view text) {
  const std::size_t underscore = text.find('_');
  if (underscore == std::string_view::npos || text.find('_', underscore + 1) != text.npos)
    throw ValueError(fmt::format("expected an architecture like sm_90 but found '{}'", text));
  return {text.substr(0, underscore), text.substr(underscore + 1)};
}

bool is_binary(const std::string& architecture) {
  return architecture.find("sm_") != std::string::npos;
}

}  // namespace

int parse_architecture(std::string_view architecture) {
  std::string_view digits = split(architecture).number;
  if (digits.ends_with('a')) digits.remove_suffix(1);
  int number = 0;
  const auto [end, error] = std::from_chars(digits.begin(), digits.end(), number);
  if (error != std::errc() || end != digits.end() || number < 0)
    throw ValueError(
        fmt::format("expected an architecture like sm_90 but found '{}'", architecture));
  return number;
}

Architectures::Architectures(Properties& properties, Available available, WarningSink warn)
    : properties_{properties}, available_{std::move(available)}, warn_{std::move(warn)} {}

Architectures::~Architectures() = default;

bool Architectures::rocm() const noexcept {
  return properties_.devices().initialization().build().vendor == driver::Vendor::rocm;
}

std::vector<std::string> Architectures::list() const {
  if (!available_()) return {};
  std::istringstream flags(properties_.devices().initialization().build().architecture_flags);
  std::vector<std::string> found;
  for (std::string each; flags >> each;)
    found.push_back(each);
  return found;
}

std::string Architectures::gencode_flags() const {
  std::vector<std::string> flags;
  for (const std::string& each : list()) {
    const auto [kind, number] = split(each);
    flags.push_back(fmt::format("-gencode compute=compute_{0},code={1}_{0}", number, kind));
  }
  return fmt::format("{}", fmt::join(flags, " "));
}

// ---- checks of the devices ----------------------------------------------------------------------

int Architectures::number_of(std::string_view architecture) const {
  return parse_architecture(architecture);
}

int Architectures::oldest() const {
  const std::vector<std::string> architectures = list();
  if (architectures.empty()) return oldest_without_list;
  const auto number = [this](const std::string& each) { return number_of(each); };
  return number(std::ranges::min(architectures, {}, number));
}

bool Architectures::is_too_old(int architecture) const {
  return architecture < oldest();
}

void Architectures::check_capability() {
  if (rocm()) return;
  const std::int64_t devices = properties_.devices().count();
  for (std::int64_t device = 0; device < devices; ++device) {
    const auto found = properties_.of(device);
    if (!is_too_old(found.major * 10 + found.minor)) continue;
    warn_(
        fmt::format("Found GPU{} {} which is of CUDA capability {}.{}, but the library supports "
                    "{}.{} or newer",
                    device, found.name, found.major, found.minor, oldest() / 10, oldest() % 10));
  }
}

bool Architectures::has_cubin_for(Capability capability) const {
  return std::ranges::any_of(list(), [&](const std::string& each) {
    return is_binary(each) && number_of(each) / 10 == capability.major;
  });
}

void Architectures::check_cubins() {
  if (rocm()) return;
  const std::vector<std::string> architectures = list();
  if (architectures.empty()) return;
  const std::int64_t devices = properties_.devices().count();
  for (std::int64_t device = 0; device < devices; ++device) {
    const auto found = properties_.of(device);
    if (has_cubin_for({found.major, found.minor})) continue;
    warn_(
        fmt::format("GPU{} {} with CUDA capability sm_{}{} is not compatible with the library, "
                    "which supports {}",
                    device, found.name, found.major, found.minor, fmt::join(architectures, " ")));
  }
}

// ---- bfloat16 -----------------------------------------------------------------------------------

bool Architectures::supports_bf16(bool including_emulation) {
  if (rocm()) return true;
  const std::int64_t device = properties_.devices().current();
  if (driver::driver().version() >= 11000 && properties_.of(device).major >= 8) return true;
  if (!including_emulation) return false;
  if (const auto kept = kept_trial(device)) return *kept;
  const bool supported = try_bf16(device);
  const std::scoped_lock lock(mutex_);
  trials_.emplace_front(device, supported);
  if (trials_.size() > trials_kept) trials_.pop_back();
  return supported;
}

std::optional<bool> Architectures::kept_trial(std::int64_t device) {
  const std::scoped_lock lock(mutex_);
  const auto found = std::ranges::find(trials_, device, &std::pair<std::int64_t, bool>::first);
  if (found == trials_.end()) return std::nullopt;
  trials_.splice(trials_.begin(), trials_, found);
  return trials_.front().second;
}

bool Architectures::try_bf16(std::int64_t device) {
  const DeviceGuard guard(properties_.devices(), device);
  constexpr std::size_t one_element = 2;
  void* memory = nullptr;
  driver::Driver& driver = driver::driver();
  return driver.allocate(driver::MemoryKind::device, one_element, memory) ==
             driver::Status::success &&
         driver.release(driver::MemoryKind::device, memory) == driver::Status::success;
}

}  // namespace dlcert::cuda
