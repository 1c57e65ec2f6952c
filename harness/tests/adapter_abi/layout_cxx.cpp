// SPDX-License-Identifier: Apache-2.0
#include <initializer_list>
#include <string_view>

#include <dlcert/adapter_functions.hpp>

#include "layout.h"

// The first functions of each group, in their order. That the lists of adapter_functions.hpp agree
// with the C groups, member by member, is asserted there. New functions come after these; they are
// frozen, here and by the size in layout.h, when the version that brings them is released.
namespace {

template <typename Group>
constexpr bool starts_with(std::initializer_list<std::string_view> frozen) {
  const std::string_view* expected = frozen.begin();
  bool same = true;
  dlcert::adapter::Functions<Group>::each([&](std::string_view name, auto) {
    if (expected != frozen.end()) same = same && name == *expected++;
  });
  return same && expected == frozen.end();
}

FROZEN((starts_with<dlcert_tensor_group>({"can", "create", "describe", "read", "write", "release",
                                          "alias", "live_allocations", "fail_allocation"})),
       "the functions of dlcert_tensor_group");
FROZEN((starts_with<dlcert_exchange_group>({"dlpack_device", "export_managed", "import_managed",
                                            "import_from"})),
       "the functions of dlcert_exchange_group");
FROZEN((starts_with<dlcert_capsule_group>({"make", "name", "pointer", "set_name", "drop",
                                           "export_capsule", "import_capsule", "to_dlpack"})),
       "the functions of dlcert_capsule_group");
FROZEN((starts_with<dlcert_stream_group>({"run_with_stream", "current_stream", "synchronize",
                                          "current_device"})),
       "the functions of dlcert_stream_group");
FROZEN((starts_with<dlcert_exchange_api_group>({"table", "object_of", "tensor_of", "drop_object",
                                                "take_error"})),
       "the functions of dlcert_exchange_api_group");
FROZEN((starts_with<dlcert_devices_group>(
           {"visible_devices", "raw_device_count", "raw_device_uuids", "uuids_to_ordinals",
            "management_device_count", "device_count", "is_available", "management_index",
            "device_index", "device_name", "device_capability", "device_properties",
            "can_access_peer"})),
       "the functions of dlcert_devices_group");
FROZEN((starts_with<dlcert_runtime_group>({"behave_as",
                                           "initialize",
                                           "is_initialized",
                                           "queue",
                                           "runtime_bindings",
                                           "check_error",
                                           "constant",
                                           "current_device_index",
                                           "set_device",
                                           "exchange_device",
                                           "maybe_exchange_device",
                                           "device_guard",
                                           "device_of_guard",
                                           "stream_guard",
                                           "with_guard",
                                           "drop_guard",
                                           "new_stream",
                                           "external_stream",
                                           "current_stream_of",
                                           "default_stream_of",
                                           "set_stream",
                                           "synchronize_device",
                                           "sleep",
                                           "ipc_collect",
                                           "blas_handle",
                                           "set_sync_debug_mode",
                                           "sync_debug_mode",
                                           "architectures",
                                           "gencode_flags",
                                           "parse_architecture",
                                           "supports_bfloat16",
                                           "set_generator_offset",
                                           "generator_offset",
                                           "storage_classes",
                                           "storage_dtype",
                                           "build_storage",
                                           "gpu_object",
                                           "describe_gpu_object",
                                           "convert_gpu_object",
                                           "drop_gpu_object",
                                           "registered_kernels"})),
       "the functions of dlcert_runtime_group");
FROZEN((starts_with<dlcert_telemetry_group>({"memory_usage", "utilization", "temperature",
                                             "power_draw", "clock_rate"})),
       "the functions of dlcert_telemetry_group");
FROZEN((starts_with<dlcert_python_group>({"evaluate", "evaluate_capsule", "import_object",
                                          "producer_of", "run", "unraisable", "finalize",
                                          "source"})),
       "the functions of dlcert_python_group");

}  // namespace
