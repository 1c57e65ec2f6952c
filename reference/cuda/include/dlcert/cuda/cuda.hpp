// SPDX-License-Identifier: Apache-2.0
//
// What torch.cuda is to PyTorch, as one object: a library instance with its build, its state of
// initialization and all that hangs on it. The driver is the process's (driver::driver()).

#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "dlcert/cuda/architectures.hpp"
#include "dlcert/cuda/build.hpp"
#include "dlcert/cuda/device_guard.hpp"
#include "dlcert/cuda/device_selection.hpp"
#include "dlcert/cuda/device_work.hpp"
#include "dlcert/cuda/enumeration.hpp"
#include "dlcert/cuda/generators.hpp"
#include "dlcert/cuda/lazy_initialization.hpp"
#include "dlcert/cuda/management.hpp"
#include "dlcert/cuda/properties.hpp"
#include "dlcert/cuda/sparse_kernels.hpp"
#include "dlcert/cuda/storages.hpp"
#include "dlcert/cuda/streams.hpp"
#include "dlcert/cuda/telemetry.hpp"
#include "dlcert/cuda/visible_devices.hpp"

namespace dlcert::cuda {

/// Makes the parts of a library instance: those of torch 2.4 with the vendor's management library.
/// A library that differs in one step overrides the function for its part. What is passed by
/// reference outlives the part.
class PartsFactory {
 public:
  PartsFactory() = default;
  PartsFactory(const PartsFactory&) = delete;
  PartsFactory& operator=(const PartsFactory&) = delete;
  virtual ~PartsFactory();

  virtual std::unique_ptr<LazyInitialization> initialization(const Build& build) const;
  virtual std::unique_ptr<VisibleDeviceRules> rules(const Build& build) const;
  virtual std::unique_ptr<Management> management(const Build& build) const;
  virtual std::unique_ptr<Enumeration> enumeration(const Build& build,
                                                   const VisibleDeviceRules& rules,
                                                   Management& management,
                                                   InitializationState& state,
                                                   WarningSink warn) const;
  virtual std::unique_ptr<DeviceSelection> devices(LazyInitialization& initialization,
                                                   Enumeration& enumeration) const;
  virtual std::unique_ptr<Streams> streams(DeviceSelection& devices) const;
  virtual std::unique_ptr<DeviceWork> work(Streams& streams) const;
  virtual std::unique_ptr<Properties> properties(DeviceSelection& devices) const;
  virtual std::unique_ptr<Architectures> architectures(Properties& properties,
                                                       Architectures::Available available,
                                                       WarningSink warn) const;
  virtual std::unique_ptr<Generators> generators(DeviceSelection& devices) const;
  virtual std::unique_ptr<Storages> storages(WarningSink warn) const;
  virtual std::unique_ptr<SparseKernels> kernels(Streams& streams) const;
  virtual std::unique_ptr<Telemetry> telemetry(const Build& build, Enumeration& enumeration,
                                               Management& management, CurrentDevice current) const;
  virtual std::unique_ptr<DeviceContext> device_context(DeviceSelection& devices,
                                                        const DeviceArgument& device) const;
  virtual std::unique_ptr<StreamContext> stream_context(Streams& streams,
                                                        std::optional<Stream> stream) const;
};

class Cuda {
 public:
  /// Touches no runtime. The capability check, the cubin check and the registration of the sparse
  /// kernels are queued, in this order. Warnings of all parts go to `warn`, from any thread.
  /// `factory` outlives the object.
  Cuda(Build build, const WarningSink& warn, const PartsFactory& factory);
  Cuda(const Cuda&) = delete;
  Cuda& operator=(const Cuda&) = delete;
  ~Cuda();

  [[nodiscard]] const Build& build() const noexcept { return build_; }
  [[nodiscard]] LazyInitialization& initialization() noexcept { return *initialization_; }
  [[nodiscard]] VisibleDeviceRules& rules() noexcept { return *rules_; }
  [[nodiscard]] Enumeration& enumeration() noexcept { return *enumeration_; }
  [[nodiscard]] DeviceSelection& devices() noexcept { return *devices_; }
  [[nodiscard]] Streams& streams() noexcept { return *streams_; }
  [[nodiscard]] DeviceWork& work() noexcept { return *work_; }
  [[nodiscard]] Properties& properties() noexcept { return *properties_; }
  [[nodiscard]] Architectures& architectures() noexcept { return *architectures_; }
  [[nodiscard]] Generators& generators() noexcept { return *generators_; }
  [[nodiscard]] Storages& storages() noexcept { return *storages_; }
  [[nodiscard]] SparseKernels& kernels() noexcept { return *kernels_; }
  [[nodiscard]] Telemetry& telemetry() noexcept { return *telemetry_; }

  /// The runtime itself. Initializes.
  [[nodiscard]] driver::Driver& cudart();

  /// A block on a device; on a stream; on the device of an object. Not entered yet.
  [[nodiscard]] std::unique_ptr<DeviceContext> device(const DeviceArgument& device) const;
  [[nodiscard]] std::unique_ptr<DeviceContext> device_of(const Placement& object) const;
  [[nodiscard]] std::unique_ptr<StreamContext> stream(std::optional<Stream> stream) const;

  static constexpr bool has_half = true;
  [[nodiscard]] bool has_magma() const noexcept { return build_.magma; }

 private:
  const Build build_;
  const PartsFactory& factory_;
  // Each refers to some of those before it.
  std::unique_ptr<LazyInitialization> initialization_;
  std::unique_ptr<VisibleDeviceRules> rules_;
  std::unique_ptr<Management> management_;
  std::unique_ptr<Enumeration> enumeration_;
  std::unique_ptr<DeviceSelection> devices_;
  std::unique_ptr<Streams> streams_;
  std::unique_ptr<DeviceWork> work_;
  std::unique_ptr<Properties> properties_;
  std::unique_ptr<Architectures> architectures_;
  std::unique_ptr<Generators> generators_;
  std::unique_ptr<Storages> storages_;
  std::unique_ptr<SparseKernels> kernels_;
  std::unique_ptr<Telemetry> telemetry_;
};

}  // namespace dlcert::cuda
