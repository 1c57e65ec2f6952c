// SPDX-License-Identifier: Apache-2.0
//
// Each public function as the first one that a process calls.

#include <array>
#include <functional>

#include "dlcert/cuda/gpu_object.hpp"

#include "runtime_fixture.hpp"

namespace dlcert::cuda {
namespace {

struct FirstCall {
  const char* name;
  std::function<void(Cuda&)> call;
};

void PrintTo(const FirstCall& first, std::ostream* out) {
  *out << first.name;
}

class FirstCallTest : public RuntimeTest, public testing::WithParamInterface<FirstCall> {
 protected:
  FirstCallTest() { restart({.devices = 2, .models = {{"Card", 7, 0}}, .ends_at_fork = true}); }

  bool initializes() {
    return child_agrees([&] {
      if (lazy().initialized()) return false;
      GetParam().call(cuda());
      return lazy().initialized();
    });
  }
};

constexpr std::int64_t zero = 0;

// What needs no GPU stays without one: see InitializesNothing.
const std::array initializing{
    FirstCall{"init", [](Cuda& c) { c.initialization().initialize(); }},
    FirstCall{"cudart", [](Cuda& c) { static_cast<void>(c.cudart()); }},
    FirstCall{"current_device", [](Cuda& c) { static_cast<void>(c.devices().current()); }},
    FirstCall{"set_device", [](Cuda& c) { c.devices().set(zero); }},
    FirstCall{"exchange_device", [](Cuda& c) { c.devices().exchange(1); }},
    FirstCall{"maybe_exchange_device", [](Cuda& c) { c.devices().maybe_exchange(1); }},
    FirstCall{"device", [](Cuda& c) { c.device(zero)->enter(); }},
    FirstCall{"device_of",
              [](Cuda& c) {
                c.device_of({true, 1})->enter();
              }},
    FirstCall{"current_stream", [](Cuda& c) { static_cast<void>(c.streams().current({})); }},
    FirstCall{"default_stream", [](Cuda& c) { static_cast<void>(c.streams().default_stream({})); }},
    FirstCall{"set_stream", [](Cuda& c) { c.streams().set(Stream{}); }},
    FirstCall{"new_stream", [](Cuda& c) { static_cast<void>(c.streams().take({})); }},
    FirstCall{"external_stream", [](Cuda& c) { static_cast<void>(c.streams().external(0, {})); }},
    FirstCall{"query_stream", [](Cuda& c) { static_cast<void>(c.streams().query({})); }},
    FirstCall{"synchronize_stream", [](Cuda& c) { c.streams().synchronize({}); }},
    FirstCall{"stream", [](Cuda& c) { c.stream(Stream{})->enter(); }},
    FirstCall{"synchronize", [](Cuda& c) { c.work().synchronize({}); }},
    FirstCall{"ipc_collect", [](Cuda& c) { c.work().ipc_collect(); }},
    FirstCall{"sleep", [](Cuda& c) { c.work().sleep(1); }},
    FirstCall{"current_blas_handle", [](Cuda& c) { static_cast<void>(c.work().blas_handle()); }},
    FirstCall{"set_sync_debug_mode", [](Cuda& c) { c.work().set_sync_debug_mode(zero); }},
    FirstCall{"get_sync_debug_mode",
              [](Cuda& c) { static_cast<void>(c.work().sync_debug_mode()); }},
    FirstCall{"get_device_properties", [](Cuda& c) { static_cast<void>(c.properties().of(zero)); }},
    FirstCall{"get_device_name", [](Cuda& c) { static_cast<void>(c.properties().name({})); }},
    FirstCall{"get_device_capability",
              [](Cuda& c) { static_cast<void>(c.properties().capability({})); }},
    FirstCall{"can_device_access_peer",
              [](Cuda& c) { static_cast<void>(c.properties().can_access_peer(zero, zero)); }},
    FirstCall{"is_bf16_supported",
              [](Cuda& c) { static_cast<void>(c.architectures().supports_bf16(true)); }},
    FirstCall{"get_rng_state_offset",
              [](Cuda& c) { static_cast<void>(c.generators().offset({})); }},
    FirstCall{"initial_seed", [](Cuda& c) { static_cast<void>(c.generators().initial_seed()); }},
    FirstCall{"gpu_object", [](Cuda& c) { const GpuObject object(c.devices(), "int8", 1); }},
};

std::string name_of(const testing::TestParamInfo<FirstCall>& info) {
  return info.param.name;
}

TEST_P(FirstCallTest, Initializes) {
  EXPECT_TRUE(initializes());
}

INSTANTIATE_TEST_SUITE_P(Of, FirstCallTest, testing::ValuesIn(initializing), name_of);

using NoGpuNeededTest = FirstCallTest;

const std::array not_initializing{
    FirstCall{"is_available", [](Cuda& c) { static_cast<void>(c.enumeration().is_available()); }},
    FirstCall{"device_count", [](Cuda& c) { static_cast<void>(c.enumeration().device_count()); }},
    FirstCall{"set_device_negative", [](Cuda& c) { c.devices().set(std::int64_t{-1}); }},
    FirstCall{"exchange_device_negative", [](Cuda& c) { c.devices().exchange(-1); }},
    FirstCall{"set_stream_none", [](Cuda& c) { c.streams().set(std::nullopt); }},
    FirstCall{"manual_seed", [](Cuda& c) { c.generators().manual_seed(1); }},
    FirstCall{"manual_seed_all", [](Cuda& c) { c.generators().manual_seed_all(1); }},
    FirstCall{"set_rng_state_offset", [](Cuda& c) { c.generators().set_offset(4, {}); }},
    FirstCall{"default_generators", [](Cuda& c) { static_cast<void>(c.generators().defaults()); }},
    FirstCall{"get_arch_list", [](Cuda& c) { static_cast<void>(c.architectures().list()); }},
    FirstCall{"get_gencode_flags",
              [](Cuda& c) { static_cast<void>(c.architectures().gencode_flags()); }},
    FirstCall{"storage_dtype",
              [](Cuda& c) { static_cast<void>(c.storages().dtype("ByteStorage")); }},
};

TEST_P(NoGpuNeededTest, InitializesNothing) {
  EXPECT_TRUE(child_agrees([&] {
    GetParam().call(cuda());
    return !lazy().initialized();
  }));
}

INSTANTIATE_TEST_SUITE_P(Of, NoGpuNeededTest, testing::ValuesIn(not_initializing), name_of);

}  // namespace
}  // namespace dlcert::cuda
