// SPDX-License-Identifier: Apache-2.0
//
// The random generators of the devices: seeds and offsets, not numbers. Source: torch 2.4,
// default_generators, _set_rng_state_offset, _get_rng_state_offset; torch/cuda/random.py.

#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "dlcert/cuda/device_argument.hpp"
#include "dlcert/cuda/device_selection.hpp"

namespace dlcert::cuda {

struct Generator {
  std::uint64_t seed = 67280421310721;  ///< PyTorch's default
  std::uint64_t offset = 0;             ///< of the numbers drawn so far

  friend bool operator==(const Generator&, const Generator&) = default;
};

/// Of one library instance; any thread. What seeds or sets an offset waits for initialization, and
/// a missing index means the device that is current when it runs. A device without a generator is
/// an IndexError then.
class Generators {
 public:
  /// `devices` outlives it, and is not initialized after its end.
  explicit Generators(DeviceSelection& devices);
  Generators(const Generators&) = delete;
  Generators& operator=(const Generators&) = delete;
  virtual ~Generators();

  /// One for each device; none before initialization.
  [[nodiscard]] virtual std::vector<Generator> defaults() const;

  /// Seeds the current device's generator and rewinds it.
  virtual void manual_seed(std::uint64_t seed, CallPlace place = CallPlace::here());
  /// The same for all devices.
  virtual void manual_seed_all(std::uint64_t seed, CallPlace place = CallPlace::here());
  /// A RuntimeError at once for text that is no device and for a negative index. The type of a
  /// device does not matter, only its index: "cpu" means the current GPU, as in torch 2.4.
  virtual void set_offset(std::uint64_t offset, const DeviceArgument& device,
                          CallPlace place = CallPlace::here());
  /// Both initialize.
  [[nodiscard]] virtual std::uint64_t offset(const DeviceArgument& device);
  [[nodiscard]] virtual std::uint64_t initial_seed();

 protected:
  /// The index that the argument names; none means the current device.
  [[nodiscard]] virtual std::optional<std::int64_t> named_index(
      const DeviceArgument& argument) const;
  virtual void seed_one(std::int64_t device, std::uint64_t seed);
  virtual void seed_all(std::uint64_t seed);
  virtual void write_offset(std::int64_t device, std::uint64_t offset);
  [[nodiscard]] virtual Generator read(std::int64_t device);

 private:
  // The caller holds the lock.
  [[nodiscard]] Generator& at(std::int64_t device);
  [[nodiscard]] std::int64_t index_now(std::optional<std::int64_t> index);

  DeviceSelection& devices_;
  mutable std::mutex mutex_;
  std::vector<Generator> generators_;  // by device
};

}  // namespace dlcert::cuda
