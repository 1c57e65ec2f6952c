// SPDX-License-Identifier: Apache-2.0
//
// An adapter class of which one method per group has the right name and a wrong signature. Compiled
// once with WRONG unset, which must work, and once for each group, which must not: a dropped method
// would be an untested library.
#include <dlcert/adapter.hpp>

namespace {

struct Value {};
struct Carrier {};

#ifndef WRONG
#define WRONG 0
#endif
enum {
  nothing,
  identity,
  tensor_group,
  exchange_group,
  capsule_group,
  overloaded,
  devices_group,
  runtime_group,
  telemetry_group,
  consumer_claims
};

template <int Group, typename Wrong, typename Right>
using pick = std::conditional_t<WRONG == Group, Wrong, Right>;

struct Adapter {
  using Tensor = Value;
  using Capsule = Carrier;

  const char* name() { return "toy"; }
  pick<identity, int, const char*> version() { return {}; }

  // A non-const reference cannot take the spec that dlcert passes.
  bool can(pick<tensor_group, dlcert_tensor_spec&, const dlcert_tensor_spec&>) { return true; }
  pick<consumer_claims, int, bool> can_import(const dlcert_tensor_spec&) { return true; }
  Tensor create(const dlcert_tensor_spec&, std::span<const std::byte>) { return {}; }
  dlcert_description describe(Tensor&) { return {}; }

  dlcert_managed export_managed(Tensor&,
                                pick<exchange_group, dlcert_request&, const dlcert_request&>) {
    return {};
  }
  // Overloads are found by name as well.
  pick<overloaded, void, Tensor> import_managed(dlcert_managed) {
    return pick<overloaded, void, Tensor>();
  }
  void import_managed(int, int) {}

  pick<devices_group, int, std::int64_t> device_count() { return {}; }
  void set_device(pick<runtime_group, int, const dlcert_value&>) {}
  dlcert_measurement temperature(pick<telemetry_group, dlcert_value&, const dlcert_value&>) {
    return {};
  }

  Capsule* make_capsule(void*, pick<capsule_group, char*, const char*>, dlcert_capsule_destructor) {
    return nullptr;
  }
};

}  // namespace

DLCERT_ADAPTER(Adapter)
