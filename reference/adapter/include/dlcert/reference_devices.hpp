// SPDX-License-Identifier: Apache-2.0
//
// Devices and telemetry of the reference as dlcert sees them: translations between the adapter ABI
// and reference/cuda. The parts behind them come from a cuda::PartsFactory, so that a derived part
// changes exactly one thing. Neither construction nor open() calls the driver.
#pragma once

#include <dlcert/adapter.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dlcert/cuda/cuda.hpp"

namespace dlcert::reference {

// The parts of torch 2.4, but that a sign without digits ends the list of visible devices (policy
// visible-devices-sign-only).
class ReferenceParts : public cuda::PartsFactory {
 public:
  std::unique_ptr<cuda::VisibleDeviceRules> rules(const cuda::Build& build) const override;
};

// The methods are those of adapter_functions.hpp; errors are adapter::Refused with the
// kinds of reference/cuda's exceptions. Warnings go to the host.
class ReferenceDevices {
 public:
  ReferenceDevices(const ReferenceDevices&) = delete;
  ReferenceDevices& operator=(const ReferenceDevices&) = delete;
  virtual ~ReferenceDevices();

  virtual void open(const dlcert_host& host);

  virtual std::vector<std::string> visible_devices();
  virtual std::int64_t raw_device_count();
  virtual std::optional<std::vector<std::string>> raw_device_uuids();
  virtual std::vector<std::int64_t> uuids_to_ordinals(std::span<const char* const> identifiers,
                                                      std::span<const char* const> uuids);
  virtual std::int64_t management_device_count();
  virtual std::int64_t device_count();
  virtual bool is_available();
  virtual std::int64_t management_index(const dlcert_value& device);
  virtual std::int64_t device_index(const dlcert_value& device, bool optional);

  virtual dlcert_measurement memory_usage(const dlcert_value& device);
  virtual dlcert_measurement utilization(const dlcert_value& device);
  virtual dlcert_measurement temperature(const dlcert_value& device);
  virtual dlcert_measurement power_draw(const dlcert_value& device);
  virtual dlcert_measurement clock_rate(const dlcert_value& device);

 protected:
  explicit ReferenceDevices(std::unique_ptr<cuda::PartsFactory> parts);

  // The library, with the build of the last rebuild(), else built with everything for the driver's
  // vendor. Made at the first use. Any thread.
  cuda::Cuda& library();
  // Makes all parts anew. Not while another thread uses the object.
  void rebuild(const cuda::Build& build);

  // Reports a warning of the library. Any thread.
  void warn(const std::string& message) const;

 private:
  std::unique_ptr<cuda::Cuda> make(const cuda::Build& build) const;

  const std::unique_ptr<cuda::PartsFactory> parts_;
  const dlcert_host* host_ = nullptr;
  // Without a lock, which a fork could leave locked.
  std::atomic<cuda::Cuda*> library_ = nullptr;
};

}  // namespace dlcert::reference
