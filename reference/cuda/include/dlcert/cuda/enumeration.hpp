// SPDX-License-Identifier: Apache-2.0
//
// How many devices there are, and which, as torch.cuda of PyTorch 2.4 finds out: from the
// management library and the visible list, so that asking leaves the GPU runtime as it is.

#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dlcert/cuda/build.hpp"
#include "dlcert/cuda/management.hpp"
#include "dlcert/cuda/visible_devices.hpp"
#include "dlcert/driver/status.hpp"

namespace dlcert::cuda {

/// Takes a warning of one line; what Python's warnings.warn is given.
using WarningSink = std::function<void(const std::string&)>;

/// What enumeration wants to know of initialization.
class InitializationState {
 public:
  InitializationState() = default;
  InitializationState(const InitializationState&) = delete;
  InitializationState& operator=(const InitializationState&) = delete;
  virtual ~InitializationState();

  /// Initialization has ended, in this process.
  [[nodiscard]] virtual bool initialized() const = 0;
  /// Called before the GPU runtime is asked for its count, after which a forked child cannot use
  /// it.
  virtual void before_runtime_call() = 0;
};

/// Each virtual function is a step. May be used from several threads at once as far as its parts
/// may; holds no lock, which a fork could leave locked.
class Enumeration {
 public:
  /// The parts outlive it.
  Enumeration(const Build& build, const VisibleDeviceRules& rules, Management& management,
              InitializationState& state, WarningSink warn);
  Enumeration(const Enumeration&) = delete;
  Enumeration& operator=(const Enumeration&) = delete;
  virtual ~Enumeration();

  /// Devices that can be used: the cached count, else what the management library and the visible
  /// list say, else the runtime's count; 0 in a build without GPUs. Cached by the first call after
  /// initialization. Throws ValueError where the rules do.
  [[nodiscard]] std::int64_t device_count();
  /// Whether there is a device. Asks the runtime, unless PYTORCH_NVML_BASED_CUDA_CHECK is "1".
  [[nodiscard]] bool is_available();

  /// The management library's count; -1 where it fails, with a warning unless it or a function of
  /// it was not found.
  [[nodiscard]] virtual std::int64_t raw_device_count();
  /// Its UUIDs in its order; nothing where it fails, with warnings likewise.
  [[nodiscard]] virtual std::optional<std::vector<std::string>> raw_device_uuids();
  /// The visible devices by the management library; -1: ask the runtime.
  [[nodiscard]] virtual std::int64_t management_device_count();
  /// The runtime's count, 0 for every error; the first time with a warning unless there is no
  /// device or no driver.
  [[nodiscard]] virtual std::int64_t runtime_device_count();

  /// Positions in `uuids` of those that the candidates abbreviate. Ends at the first candidate that
  /// is the beginning of none or of several; empty where one is named twice.
  [[nodiscard]] virtual std::vector<Ordinal> uuids_to_ordinals(
      std::span<const VisibleDevice> candidates, std::span<const std::string> uuids) const;

  /// The management library's index of the logical device `index`. Throws RuntimeError, which names
  /// the list, for devices outside it, for UUIDs that cannot be had, and for identifiers on ROCm;
  /// IndexError for an empty list. Does not look at how many devices there are.
  [[nodiscard]] virtual std::uint64_t management_index(std::int64_t index);

 protected:
  /// Whether identifiers like `first` are resolved by the management library's UUIDs.
  [[nodiscard]] virtual bool resolves_identifier(std::string_view first) const;
  /// What of a candidate the UUIDs are compared with.
  [[nodiscard]] virtual std::string matched_part(std::string_view candidate) const;
  /// Whether a UUID is meant by the part of a candidate.
  [[nodiscard]] virtual bool matches(std::string_view uuid, std::string_view part) const;
  /// Leading devices that exist, where `raw` do.
  [[nodiscard]] virtual std::int64_t existing(const VisibleDevices& ordinals,
                                              std::int64_t raw) const;
  /// The runtime's own answer; leaves no error behind.
  virtual driver::Status ask_runtime(int& count);
  /// The version of a driver that the runtime refuses; 0: there is none.
  virtual int driver_version();
  /// Whether a count found now may be kept.
  [[nodiscard]] virtual bool may_cache() const;
  /// The warning about a failing management library, if there is to be one.
  [[nodiscard]] virtual std::optional<std::string> warning_of(const ManagementError& error) const;

  [[nodiscard]] driver::Vendor vendor() const noexcept { return build_.vendor; }

 private:
  [[nodiscard]] std::int64_t count_of_identifiers(const VisibleDevices& identifiers);
  [[nodiscard]] VisibleDevices resolved(const VisibleDevices& visible);
  void report(const ManagementError& error) const;
  /// The warning about a runtime that cannot start, if there is to be one.
  [[nodiscard]] std::optional<std::string> warning_of_runtime(driver::Status status);

  const Build& build_;
  const VisibleDeviceRules& rules_;
  Management& management_;
  InitializationState& state_;
  WarningSink warn_;
  std::atomic<std::int64_t> cached_count_ = -1;
  std::atomic<bool> has_warned_of_runtime_ = false;
};

/// PyTorch 2.6 (PR 129741): UUIDs select devices on ROCm too, without their "GPU-".
class RocmUuidEnumeration : public Enumeration {
 public:
  using Enumeration::Enumeration;

 protected:
  [[nodiscard]] bool resolves_identifier(std::string_view first) const override;
  [[nodiscard]] std::string matched_part(std::string_view candidate) const override;
};

}  // namespace dlcert::cuda
