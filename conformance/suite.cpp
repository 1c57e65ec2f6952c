// SPDX-License-Identifier: Apache-2.0
#include "suite.hpp"

#include <string_view>

#include "registration.hpp"

// Every family of checks: FAMILY(area, name) is the file area/name.cpp. A new file gets a line.
#define DLCERT_FAMILIES(FAMILY)         \
  FAMILY(abi, header_facts)             \
  FAMILY(abi, layout)                   \
  FAMILY(abi, versions)                 \
  FAMILY(abi, asked_versions)           \
  FAMILY(abi, device_codes)             \
  FAMILY(abi, numbers)                  \
  FAMILY(abi, complex_and_bool)         \
  FAMILY(abi, small_floats)             \
  FAMILY(abi, sub_byte)                 \
  FAMILY(abi, dtype_codes)              \
  FAMILY(abi, lanes)                    \
  FAMILY(abi, data)                     \
  FAMILY(abi, data_address)             \
  FAMILY(abi, empty_data)               \
  FAMILY(abi, rank)                     \
  FAMILY(abi, shape)                    \
  FAMILY(abi, strides)                  \
  FAMILY(abi, unusual_strides)          \
  FAMILY(abi, large)                    \
  FAMILY(abi, beyond_32_bits)           \
  FAMILY(abi, flags)                    \
  FAMILY(abi, robustness)               \
  FAMILY(abi, device_memory)            \
  FAMILY(abi, memory_kinds)             \
  FAMILY(abi, hidden_devices)           \
  FAMILY(abi, undescribable_layouts)    \
  FAMILY(lifetime, deleter_calls)       \
  FAMILY(lifetime, after_release)       \
  FAMILY(lifetime, failed_import)       \
  FAMILY(lifetime, opaque_fields)       \
  FAMILY(lifetime, exported_memory)     \
  FAMILY(lifetime, independent_exports) \
  FAMILY(lifetime, many)                \
  FAMILY(lifetime, threads)             \
  FAMILY(lifetime, leaks)               \
  FAMILY(lifetime, deleter_function)    \
  FAMILY(lifetime, forms)               \
  FAMILY(lifetime, device_work)         \
  FAMILY(lifetime, device_leaks)        \
  FAMILY(lifetime, interpreter_lock)    \
  FAMILY(lifetime, interpreter_end)     \
  FAMILY(lifetime, unraisable_errors)   \
  FAMILY(capsule, names)                \
  FAMILY(capsule, destructor)           \
  FAMILY(capsule, consumption)          \
  FAMILY(capsule, refusal)              \
  FAMILY(capsule, name_storage)         \
  FAMILY(sharing, zero_copy)            \
  FAMILY(sharing, mutation)             \
  FAMILY(sharing, several_imports)      \
  FAMILY(sharing, source)               \
  FAMILY(sharing, copies)               \
  FAMILY(sharing, read_only)            \
  FAMILY(sharing, descriptor)           \
  FAMILY(sharing, device_memory)        \
  FAMILY(sharing, device_pairs)         \
  FAMILY(sharing, pairs)                \
  FAMILY(protocol, device)              \
  FAMILY(protocol, device_request)      \
  FAMILY(protocol, version_request)     \
  FAMILY(protocol, copy_request)        \
  FAMILY(protocol, export_failure)      \
  FAMILY(protocol, export_values)       \
  FAMILY(protocol, exchange_scope)      \
  FAMILY(protocol, import)              \
  FAMILY(protocol, import_error)        \
  FAMILY(protocol, import_version)      \
  FAMILY(protocol, import_copy)         \
  FAMILY(protocol, import_fallback)     \
  FAMILY(protocol, torch)               \
  FAMILY(protocol, device_memory)       \
  FAMILY(protocol, shared_memory)       \
  FAMILY(protocol, signatures)          \
  FAMILY(protocol, malformed_arguments) \
  FAMILY(protocol, any_exporter)        \
  FAMILY(stream, ordering)              \
  FAMILY(stream, restraint)             \
  FAMILY(stream, values)                \
  FAMILY(stream, capture)               \
  FAMILY(stream, consumer)              \
  FAMILY(stream, current_device)        \
  FAMILY(stream, python_values)         \
  FAMILY(exchange_api, published_table) \
  FAMILY(exchange_api, outcomes)        \
  FAMILY(exchange_api, allocator)       \
  FAMILY(exchange_api, from_object)     \
  FAMILY(exchange_api, view)            \
  FAMILY(exchange_api, to_object)       \
  FAMILY(exchange_api, work_stream)     \
  FAMILY(exchange_api, no_sync)         \
  FAMILY(exchange_api, attribute)       \
  FAMILY(exchange_api, allocator_lock)  \
  FAMILY(exchange_api, consumed_table)  \
  FAMILY(devices, device_arguments)     \
  FAMILY(devices, device_ids)           \
  FAMILY(devices, properties)           \
  FAMILY(devices, visible_devices)      \
  FAMILY(devices, visible_values)       \
  FAMILY(devices, uuids)                \
  FAMILY(devices, counts)               \
  FAMILY(devices, count_failures)       \
  FAMILY(devices, management_index)     \
  FAMILY(runtime, initialization)       \
  FAMILY(runtime, concurrency)          \
  FAMILY(runtime, forks)                \
  FAMILY(runtime, deferred_calls)       \
  FAMILY(runtime, seeding)              \
  FAMILY(runtime, availability)         \
  FAMILY(runtime, errors)               \
  FAMILY(runtime, guards)               \
  FAMILY(runtime, other_devices)        \
  FAMILY(runtime, streams)              \
  FAMILY(runtime, waiting)              \
  FAMILY(runtime, architectures)        \
  FAMILY(runtime, generators)           \
  FAMILY(runtime, storages)             \
  FAMILY(runtime, published_names)      \
  FAMILY(telemetry, measurements)       \
  FAMILY(telemetry, mapping)            \
  FAMILY(telemetry, failures)

#define DLCERT_DECLARE_FAMILY(area, name) \
  namespace area {                        \
  std::string_view family_of_##name();    \
  }
#define DLCERT_FILE_OF_FAMILY(area, name) area::family_of_##name(),

namespace dlcert {

DLCERT_FAMILIES(DLCERT_DECLARE_FAMILY)

Suite all_checks() {
  const std::string_view files[] = {DLCERT_FAMILIES(DLCERT_FILE_OF_FAMILY)};
  return suite_of(files);
}

}  // namespace dlcert
