// SPDX-License-Identifier: Apache-2.0
//
// A library that has no tensors and tells of devices only, by a rule of its own: it takes every
// element of the variable for a device.
#include <cstdlib>

#include <dlcert/adapter.hpp>

namespace {

struct Enumerating {
  const char* name() { return "enumerating"; }
  const char* version() { return "1"; }

  std::vector<std::string> visible_devices() {
    const char* const value = std::getenv("CUDA_VISIBLE_DEVICES");
    std::vector<std::string> devices;
    std::string_view rest = value == nullptr ? "" : value;
    for (bool more = !rest.empty(); more;) {
      const std::size_t comma = rest.find(',');
      devices.emplace_back(rest.substr(0, comma));
      more = comma != std::string_view::npos;
      rest.remove_prefix(more ? comma + 1 : rest.size());
    }
    return devices;
  }
};

}  // namespace

DLCERT_ADAPTER(Enumerating)
