// SPDX-License-Identifier: Apache-2.0

#include "dlcert/cuda/generators.hpp"

#include <fmt/format.h>

#include <utility>

#include "dlcert/cuda/errors.hpp"

namespace dlcert::cuda {

Generators::Generators(DeviceSelection& devices) : devices_{devices} {
  devices.initialization().at_start([this](int count) {
    const std::scoped_lock lock(mutex_);
    generators_.assign(static_cast<std::size_t>(count), Generator{});
  });
}

Generators::~Generators() = default;

std::vector<Generator> Generators::defaults() const {
  if (!devices_.initialization().initialized() && !devices_.initialization().initializing())
    return {};
  const std::scoped_lock lock(mutex_);
  return generators_;
}

Generator& Generators::at(std::int64_t device) {
  if (device < 0 || std::cmp_greater_equal(device, generators_.size()))
    throw IndexError(fmt::format("expected one of {} generators but found device {}",
                                 generators_.size(), device));
  return generators_[static_cast<std::size_t>(device)];
}

std::int64_t Generators::index_now(std::optional<std::int64_t> index) {
  return index ? *index : devices_.current();
}

std::optional<std::int64_t> Generators::named_index(const DeviceArgument& argument) const {
  if (const auto* const index = std::get_if<std::int64_t>(&argument)) {
    if (*index < 0)
      throw RuntimeError(fmt::format("expected an index of 0 or more but found {}", *index));
    return *index;
  }
  const auto index_of = [](const Device& device) -> std::optional<std::int64_t> {
    return device.index;
  };
  if (const auto* const text = std::get_if<std::string>(&argument))
    return index_of(parse_device(*text));
  if (const auto* const device = std::get_if<Device>(&argument)) return index_of(*device);
  return std::nullopt;
}

// ---- public calls -------------------------------------------------------------------------------

void Generators::manual_seed(std::uint64_t seed, CallPlace place) {
  devices_.initialization().queue([this, seed] { seed_one(devices_.current(), seed); },
                                  std::move(place), CallKind::seed);
}

void Generators::manual_seed_all(std::uint64_t seed, CallPlace place) {
  devices_.initialization().queue([this, seed] { seed_all(seed); }, std::move(place),
                                  CallKind::seed_all);
}

void Generators::set_offset(std::uint64_t offset, const DeviceArgument& device, CallPlace place) {
  const std::optional<std::int64_t> index = named_index(device);
  devices_.initialization().queue([this, offset, index] { write_offset(index_now(index), offset); },
                                  std::move(place));
}

std::uint64_t Generators::offset(const DeviceArgument& device) {
  devices_.initialization().initialize();
  return read(index_now(named_index(device))).offset;
}

std::uint64_t Generators::initial_seed() {
  devices_.initialization().initialize();
  return read(devices_.current()).seed;
}

// ---- steps --------------------------------------------------------------------------------------

void Generators::seed_one(std::int64_t device, std::uint64_t seed) {
  const std::scoped_lock lock(mutex_);
  at(device) = {.seed = seed};
}

void Generators::seed_all(std::uint64_t seed) {
  const std::scoped_lock lock(mutex_);
  for (Generator& each : generators_)
    each = {.seed = seed};
}

void Generators::write_offset(std::int64_t device, std::uint64_t offset) {
  const std::scoped_lock lock(mutex_);
  at(device).offset = offset;
}

Generator Generators::read(std::int64_t device) {
  const std::scoped_lock lock(mutex_);
  return at(device);
}

}  // namespace dlcert::cuda
