// SPDX-License-Identifier: Apache-2.0

#include "dlcert/cuda/cuda.hpp"

#include <utility>

#include "dlcert/cuda/amd_smi.hpp"
#include "dlcert/cuda/nvml.hpp"
#include "dlcert/driver/select.hpp"

namespace dlcert::cuda {

// ---- parts --------------------------------------------------------------------------------------

PartsFactory::~PartsFactory() = default;

std::unique_ptr<LazyInitialization> PartsFactory::initialization(const Build& build) const {
  return std::make_unique<LazyInitialization>(build);
}

std::unique_ptr<VisibleDeviceRules> PartsFactory::rules(const Build& build) const {
  return std::make_unique<VisibleDeviceRules>(build.vendor);
}

std::unique_ptr<Management> PartsFactory::management(const Build& build) const {
  if (build.vendor == driver::Vendor::rocm) return std::make_unique<AmdSmi>();
  return std::make_unique<Nvml>();
}

std::unique_ptr<Enumeration> PartsFactory::enumeration(const Build& build,
                                                       const VisibleDeviceRules& rules,
                                                       Management& management,
                                                       InitializationState& state,
                                                       WarningSink warn) const {
  return std::make_unique<Enumeration>(build, rules, management, state, std::move(warn));
}

std::unique_ptr<DeviceSelection> PartsFactory::devices(LazyInitialization& initialization,
                                                       Enumeration& enumeration) const {
  return std::make_unique<DeviceSelection>(initialization, enumeration);
}

std::unique_ptr<Streams> PartsFactory::streams(DeviceSelection& devices) const {
  return std::make_unique<Streams>(devices);
}

std::unique_ptr<DeviceWork> PartsFactory::work(Streams& streams) const {
  return std::make_unique<DeviceWork>(streams);
}

std::unique_ptr<Properties> PartsFactory::properties(DeviceSelection& devices) const {
  return std::make_unique<Properties>(devices);
}

std::unique_ptr<Architectures> PartsFactory::architectures(Properties& properties,
                                                           Architectures::Available available,
                                                           WarningSink warn) const {
  return std::make_unique<Architectures>(properties, std::move(available), std::move(warn));
}

std::unique_ptr<Generators> PartsFactory::generators(DeviceSelection& devices) const {
  return std::make_unique<Generators>(devices);
}

std::unique_ptr<Storages> PartsFactory::storages(WarningSink warn) const {
  return std::make_unique<Storages>(std::move(warn));
}

std::unique_ptr<SparseKernels> PartsFactory::kernels(Streams& streams) const {
  return std::make_unique<SparseKernels>(streams);
}

std::unique_ptr<Telemetry> PartsFactory::telemetry(const Build& build, Enumeration& enumeration,
                                                   Management& management,
                                                   CurrentDevice current) const {
  return std::make_unique<Telemetry>(build, enumeration, management, std::move(current));
}

std::unique_ptr<DeviceContext> PartsFactory::device_context(DeviceSelection& devices,
                                                            const DeviceArgument& device) const {
  return std::make_unique<DeviceContext>(devices, device);
}

std::unique_ptr<StreamContext> PartsFactory::stream_context(Streams& streams,
                                                            std::optional<Stream> stream) const {
  return std::make_unique<StreamContext>(streams, stream);
}

// ---- the library --------------------------------------------------------------------------------

Cuda::Cuda(Build build, const WarningSink& warn, const PartsFactory& factory)
    : build_{std::move(build)},
      factory_{factory},
      initialization_{factory.initialization(build_)},
      rules_{factory.rules(build_)},
      management_{factory.management(build_)},
      enumeration_{factory.enumeration(build_, *rules_, *management_, *initialization_, warn)},
      devices_{factory.devices(*initialization_, *enumeration_)},
      streams_{factory.streams(*devices_)},
      work_{factory.work(*streams_)},
      properties_{factory.properties(*devices_)},
      architectures_{factory.architectures(
          *properties_, [this] { return enumeration_->is_available(); }, warn)},
      generators_{factory.generators(*devices_)},
      storages_{factory.storages(warn)},
      kernels_{factory.kernels(*streams_)},
      telemetry_{factory.telemetry(build_, *enumeration_, *management_,
                                   [this] { return devices_->current(); })} {
  initialization_->queue([this] { architectures_->check_capability(); });
  initialization_->queue([this] { architectures_->check_cubins(); });
  initialization_->queue([this] { kernels_->register_all(); });
}

Cuda::~Cuda() = default;

driver::Driver& Cuda::cudart() {
  initialization_->initialize();
  return driver::driver();
}

std::unique_ptr<DeviceContext> Cuda::device(const DeviceArgument& device) const {
  return factory_.device_context(*devices_, device);
}

std::unique_ptr<DeviceContext> Cuda::device_of(const Placement& object) const {
  return device(object.on_gpu ? object.device : std::int64_t{-1});
}

std::unique_ptr<StreamContext> Cuda::stream(std::optional<Stream> stream) const {
  return factory_.stream_context(*streams_, stream);
}

}  // namespace dlcert::cuda
