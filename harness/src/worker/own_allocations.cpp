// SPDX-License-Identifier: Apache-2.0
#include "worker/own_allocations.hpp"

#include <optional>

#include <dlcert/driver/select.hpp>

#include "worker/claimed_specs.hpp"
#include "worker/tried_tensor.hpp"

namespace dlcert {

namespace {

std::optional<TensorSpec> first_on_device(const Party& producer) {
  for (const Platform platform : {Platform::cuda, Platform::rocm})
    for (const TriedDevice& device : tried_devices(platform)) {
      if (device.name == "cpu") continue;
      for (TensorSpec& spec : specs_of("compact", device.device, producer))
        if (producer.can(spec)) return std::move(spec);
    }
  return std::nullopt;
}

}  // namespace

bool driver_sees_allocations(const Party& producer) {
  if ((producer.table().roles & DLCERT_PRODUCER) == 0) return false;
  const std::optional<TensorSpec> spec = first_on_device(producer);
  if (!spec) return false;
  driver::PointerAttributes known;
  const auto lost = lost_in([&] {
    const Tensor tensor = got(producer.create(*spec, tried_values(*spec)), "create");
    const Description described = got(producer.describe(tensor), "describe");
    if (driver::driver().attributes(described.data, known) != driver::Status::success)
      throw Lost{"its memory is not known"};
  });
  return !lost && known.kind != driver::MemoryKind::pageable;
}

}  // namespace dlcert
