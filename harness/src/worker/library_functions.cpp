// SPDX-License-Identifier: Apache-2.0
//
// What an adapter's table has, by name.
#include "party/table.hpp"
#include "worker/library.hpp"

namespace dlcert {

namespace {

template <typename Group>
struct Listing {
  const Group* group;
  GroupFunctions& out;

  template <typename Member>
  Listing& add(const char* name, Member Group::*member) {
    if (offered(group, member)) out.functions.emplace_back(name);
    return *this;
  }
};

template <typename Group>
Listing<Group> list(std::vector<GroupFunctions>& groups, const char* name, const Group* group) {
  groups.push_back({name, {}});
  return {group, groups.back()};
}

}  // namespace

std::vector<GroupFunctions> functions_of(const dlcert_adapter& table) {
  std::vector<GroupFunctions> groups;
  groups.reserve(8);
  list(groups, "tensor", group_of(table, &dlcert_adapter::tensor))
      .add("can", &dlcert_tensor_group::can)
      .add("create", &dlcert_tensor_group::create)
      .add("describe", &dlcert_tensor_group::describe)
      .add("read", &dlcert_tensor_group::read)
      .add("write", &dlcert_tensor_group::write)
      .add("release", &dlcert_tensor_group::release)
      .add("alias", &dlcert_tensor_group::alias)
      .add("live_allocations", &dlcert_tensor_group::live_allocations)
      .add("fail_allocation", &dlcert_tensor_group::fail_allocation);
  list(groups, "exchange", group_of(table, &dlcert_adapter::exchange))
      .add("dlpack_device", &dlcert_exchange_group::dlpack_device)
      .add("export_managed", &dlcert_exchange_group::export_managed)
      .add("import_managed", &dlcert_exchange_group::import_managed)
      .add("import_from", &dlcert_exchange_group::import_from);
  list(groups, "capsule", group_of(table, &dlcert_adapter::capsule))
      .add("make", &dlcert_capsule_group::make)
      .add("name", &dlcert_capsule_group::name)
      .add("pointer", &dlcert_capsule_group::pointer)
      .add("set_name", &dlcert_capsule_group::set_name)
      .add("drop", &dlcert_capsule_group::drop)
      .add("export_capsule", &dlcert_capsule_group::export_capsule)
      .add("import_capsule", &dlcert_capsule_group::import_capsule)
      .add("to_dlpack", &dlcert_capsule_group::to_dlpack);
  list(groups, "stream", group_of(table, &dlcert_adapter::stream))
      .add("run_with_stream", &dlcert_stream_group::run_with_stream)
      .add("current_stream", &dlcert_stream_group::current_stream)
      .add("synchronize", &dlcert_stream_group::synchronize)
      .add("current_device", &dlcert_stream_group::current_device);
  list(groups, "exchange_api", group_of(table, &dlcert_adapter::exchange_api))
      .add("table", &dlcert_exchange_api_group::table)
      .add("object_of", &dlcert_exchange_api_group::object_of)
      .add("tensor_of", &dlcert_exchange_api_group::tensor_of)
      .add("drop_object", &dlcert_exchange_api_group::drop_object)
      .add("take_error", &dlcert_exchange_api_group::take_error);
  list(groups, "devices", group_of(table, &dlcert_adapter::devices))
      .add("visible_devices", &dlcert_devices_group::visible_devices)
      .add("raw_device_count", &dlcert_devices_group::raw_device_count)
      .add("raw_device_uuids", &dlcert_devices_group::raw_device_uuids)
      .add("uuids_to_ordinals", &dlcert_devices_group::uuids_to_ordinals)
      .add("management_device_count", &dlcert_devices_group::management_device_count)
      .add("device_count", &dlcert_devices_group::device_count)
      .add("is_available", &dlcert_devices_group::is_available)
      .add("management_index", &dlcert_devices_group::management_index)
      .add("device_index", &dlcert_devices_group::device_index)
      .add("device_name", &dlcert_devices_group::device_name)
      .add("device_capability", &dlcert_devices_group::device_capability)
      .add("device_properties", &dlcert_devices_group::device_properties)
      .add("can_access_peer", &dlcert_devices_group::can_access_peer);
  list(groups, "runtime", group_of(table, &dlcert_adapter::gpu_runtime))
      .add("behave_as", &dlcert_runtime_group::behave_as)
      .add("initialize", &dlcert_runtime_group::initialize)
      .add("is_initialized", &dlcert_runtime_group::is_initialized)
      .add("queue", &dlcert_runtime_group::queue)
      .add("runtime_bindings", &dlcert_runtime_group::runtime_bindings)
      .add("check_error", &dlcert_runtime_group::check_error)
      .add("constant", &dlcert_runtime_group::constant)
      .add("current_device_index", &dlcert_runtime_group::current_device_index)
      .add("set_device", &dlcert_runtime_group::set_device)
      .add("exchange_device", &dlcert_runtime_group::exchange_device)
      .add("maybe_exchange_device", &dlcert_runtime_group::maybe_exchange_device)
      .add("device_guard", &dlcert_runtime_group::device_guard)
      .add("device_of_guard", &dlcert_runtime_group::device_of_guard)
      .add("stream_guard", &dlcert_runtime_group::stream_guard)
      .add("with_guard", &dlcert_runtime_group::with_guard)
      .add("drop_guard", &dlcert_runtime_group::drop_guard)
      .add("new_stream", &dlcert_runtime_group::new_stream)
      .add("external_stream", &dlcert_runtime_group::external_stream)
      .add("current_stream_of", &dlcert_runtime_group::current_stream_of)
      .add("default_stream_of", &dlcert_runtime_group::default_stream_of)
      .add("set_stream", &dlcert_runtime_group::set_stream)
      .add("synchronize_device", &dlcert_runtime_group::synchronize_device)
      .add("sleep", &dlcert_runtime_group::sleep)
      .add("ipc_collect", &dlcert_runtime_group::ipc_collect)
      .add("blas_handle", &dlcert_runtime_group::blas_handle)
      .add("set_sync_debug_mode", &dlcert_runtime_group::set_sync_debug_mode)
      .add("sync_debug_mode", &dlcert_runtime_group::sync_debug_mode)
      .add("architectures", &dlcert_runtime_group::architectures)
      .add("gencode_flags", &dlcert_runtime_group::gencode_flags)
      .add("parse_architecture", &dlcert_runtime_group::parse_architecture)
      .add("supports_bfloat16", &dlcert_runtime_group::supports_bfloat16)
      .add("set_generator_offset", &dlcert_runtime_group::set_generator_offset)
      .add("generator_offset", &dlcert_runtime_group::generator_offset)
      .add("storage_classes", &dlcert_runtime_group::storage_classes)
      .add("storage_dtype", &dlcert_runtime_group::storage_dtype)
      .add("build_storage", &dlcert_runtime_group::build_storage)
      .add("gpu_object", &dlcert_runtime_group::gpu_object)
      .add("describe_gpu_object", &dlcert_runtime_group::describe_gpu_object)
      .add("convert_gpu_object", &dlcert_runtime_group::convert_gpu_object)
      .add("drop_gpu_object", &dlcert_runtime_group::drop_gpu_object);
  list(groups, "telemetry", group_of(table, &dlcert_adapter::telemetry))
      .add("memory_usage", &dlcert_telemetry_group::memory_usage)
      .add("utilization", &dlcert_telemetry_group::utilization)
      .add("temperature", &dlcert_telemetry_group::temperature)
      .add("power_draw", &dlcert_telemetry_group::power_draw)
      .add("clock_rate", &dlcert_telemetry_group::clock_rate);
  return groups;
}

}  // namespace dlcert
