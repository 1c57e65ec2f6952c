// SPDX-License-Identifier: Apache-2.0
//
// The vendor's management library (NVML, AMD SMI): which devices there are and what they report of
// themselves, without touching the GPU runtime. It is opened by name at the first use and never
// linked or closed. Devices are counted as the library counts them, whatever is visible.

#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "dlcert/cuda/errors.hpp"

namespace dlcert::cuda {

enum class Unit : unsigned char {
  percent,  ///< of the sample period
  mebibytes,
  degrees_celsius,
  milliwatts,
  watts,
  megahertz,
};

/// What a device reports of itself, in the unit that the management library delivers.
struct Measurement {
  std::int64_t value;
  Unit unit;

  friend bool operator==(const Measurement&, const Measurement&) = default;
};

/// At which step a management library failed.
enum class ManagementStep : unsigned char {
  load,    ///< the library was not found
  symbol,  ///< it lacks a function
  initialization,
  count,
  handle,
  uuid,
  measurement,
};

/// The message names the function, the code and what the code means. `code` is the vendor's number
/// (nvmlReturn_t, amdsmi_status_t), 0 where the library succeeded with an answer that cannot be.
class ManagementError : public RuntimeError {
 public:
  ManagementError(ManagementStep step, std::uint32_t code, const std::string& message)
      : RuntimeError(message), step_(step), code_(code) {}

  [[nodiscard]] ManagementStep step() const noexcept { return step_; }
  [[nodiscard]] std::uint32_t code() const noexcept { return code_; }

 private:
  ManagementStep step_;
  std::uint32_t code_;
};

/// Every function throws ManagementError; all but `initialize` want it to have succeeded before.
/// May be called from any thread, as far as the library may.
class Management {
 public:
  Management() = default;
  Management(const Management&) = delete;
  Management& operator=(const Management&) = delete;
  virtual ~Management();

  /// Opens the library where it is not open, and initializes it. PyTorch does so before each
  /// series of queries and never shuts it down; the libraries count how often.
  virtual void initialize() = 0;
  [[nodiscard]] virtual std::int64_t device_count() = 0;
  /// One text for each device, without padding.
  [[nodiscard]] virtual std::vector<std::string> uuids() = 0;

  // What torch.cuda's functions of these names ask for. `index`: the library's, of any size.
  [[nodiscard]] virtual Measurement memory_usage(std::uint64_t index) = 0;
  [[nodiscard]] virtual Measurement utilization(std::uint64_t index) = 0;
  [[nodiscard]] virtual Measurement temperature(std::uint64_t index) = 0;
  [[nodiscard]] virtual Measurement power_draw(std::uint64_t index) = 0;
  [[nodiscard]] virtual Measurement clock_rate(std::uint64_t index) = 0;
};

/// A shared library and its functions by their names.
class ManagementLibrary {
 public:
  /// `name` as dlopen takes it.
  explicit ManagementLibrary(std::string name);

  /// Loads the library unless it is loaded; failing is not remembered.
  void load();
  /// The function `symbol` of the loaded library, which is of type `Function`.
  template <class Function>
  [[nodiscard]] Function* function(const char* symbol) {
    return reinterpret_cast<Function*>(address(symbol));
  }

 private:
  [[nodiscard]] void* address(const char* symbol);

  std::string name_;
  std::atomic<void*> handle_ = nullptr;
};

}  // namespace dlcert::cuda
