// SPDX-License-Identifier: Apache-2.0
//
// Devices and telemetry of the reference as dlcert sees them: translations between the adapter ABI
// and reference/cuda. The parts behind them are made at the first use, by virtual functions, so
// that a derived class changes exactly one thing. Neither construction nor open() calls the driver.
#pragma once

#include <dlcert/adapter.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dlcert/cuda/build.hpp"
#include "dlcert/cuda/device_argument.hpp"
#include "dlcert/cuda/enumeration.hpp"
#include "dlcert/cuda/management.hpp"
#include "dlcert/cuda/telemetry.hpp"
#include "dlcert/cuda/visible_devices.hpp"

namespace dlcert::reference {

// The methods are those of adapter_runtime_signatures.hpp; errors are adapter::Refused with the
// kinds of reference/cuda's exceptions. Warnings go to the host.
class ReferenceDevices {
 public:
  ReferenceDevices();
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
  // What the library counts as built: with everything, for the driver's vendor.
  virtual cuda::Build default_build() const;
  virtual std::unique_ptr<cuda::VisibleDeviceRules> make_rules(driver::Vendor vendor);
  virtual std::unique_ptr<cuda::Management> make_management(driver::Vendor vendor);
  virtual std::unique_ptr<cuda::Enumeration> make_enumeration(const cuda::Build& build,
                                                              const cuda::VisibleDeviceRules& rules,
                                                              cuda::Management& management,
                                                              cuda::InitializationState& state,
                                                              cuda::WarningSink warn);
  virtual std::unique_ptr<cuda::Telemetry> make_telemetry(const cuda::Build& build,
                                                          cuda::Enumeration& enumeration,
                                                          cuda::Management& management,
                                                          cuda::CurrentDevice current);

  // What enumeration asks of initialization; outlives the parts.
  virtual cuda::InitializationState& initialization();
  // The calling thread's current device; may initialize the runtime.
  virtual std::int64_t current_gpu();

  // Behaves as built so from the next call on. Not while another thread uses the object.
  virtual void build_changed(const cuda::Build& build);

  const cuda::Build& build();
  cuda::VisibleDeviceRules& rules();
  cuda::Management& management();
  cuda::Enumeration& enumeration();
  cuda::Telemetry& telemetry();
  // Reports a warning of the library. Any thread.
  void warn(const std::string& message) const;

 private:
  struct Parts;
  Parts& parts();
  std::unique_ptr<Parts> make_parts();

  const dlcert_host* host_ = nullptr;
  std::optional<cuda::Build> chosen_build_;
  // Without a lock, which a fork could leave locked.
  std::atomic<Parts*> parts_ = nullptr;
};

}  // namespace dlcert::reference
