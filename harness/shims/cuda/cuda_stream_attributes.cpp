// SPDX-License-Identifier: Apache-2.0

#include "shims/cuda/cuda_stream_attributes.hpp"

#include <cstdint>
#include <map>

#include "shims/common/per_world.hpp"

namespace dlcert::shim {
namespace {

using Values = std::map<int, cudaLaunchAttributeValue>;
using AllValues = std::map<std::uint64_t, Values>;  // by the stream's id, which is unique

bool is_stream_attribute(int attribute) {
  switch (attribute) {
    case cudaLaunchAttributeAccessPolicyWindow:
    case cudaLaunchAttributeSynchronizationPolicy:
    case cudaLaunchAttributePriority:
    case cudaLaunchAttributeMemSyncDomainMap:
    case cudaLaunchAttributeMemSyncDomain:
      return true;
    default:
      return false;
  }
}

cudaLaunchAttributeValue initial(int attribute) {
  cudaLaunchAttributeValue value{};
  if (attribute == cudaLaunchAttributeSynchronizationPolicy) value.syncPolicy = cudaSyncPolicyAuto;
  if (attribute == cudaLaunchAttributeMemSyncDomainMap) value.memSyncDomainMap = {0, 1};
  return value;
}

bool is_valid(int attribute, const cudaLaunchAttributeValue& value) {
  if (attribute != cudaLaunchAttributeSynchronizationPolicy) return true;
  return value.syncPolicy >= cudaSyncPolicyAuto && value.syncPolicy <= cudaSyncPolicyBlockingSync;
}

}  // namespace

Status stream_attribute(SimulatedDriver& driver, Stream stream, int attribute,
                        cudaLaunchAttributeValue& out) {
  driver::StreamDetails details;
  std::uint64_t id = 0;
  Status status = driver.stream_details(stream, details);
  if (status == Status::success) status = driver.stream_id(stream, id);
  if (status != Status::success) return status;
  if (!is_stream_attribute(attribute)) return Status::invalid_value;
  out = remembered<AllValues>().with(driver, [&](AllValues& all) {
    const Values& values = all[id];
    const auto found = values.find(attribute);
    return found == values.end() ? initial(attribute) : found->second;
  });
  if (attribute == cudaLaunchAttributePriority) out.priority = details.priority;
  return Status::success;
}

Status set_stream_attribute(SimulatedDriver& driver, Stream stream, int attribute,
                            const cudaLaunchAttributeValue& value) {
  static std::atomic_flag reported;
  std::uint64_t id = 0;
  if (const Status status = driver.stream_id(stream, id); status != Status::success) return status;
  if (!is_stream_attribute(attribute) || !is_valid(attribute, value)) return Status::invalid_value;
  if (attribute == cudaLaunchAttributePriority)
    return not_modelled("cudaStreamSetAttribute of a priority", reported);
  remembered<AllValues>().with(driver, [&](AllValues& all) { all[id][attribute] = value; });
  return Status::success;
}

Status copy_stream_attributes(SimulatedDriver& driver, Stream to, Stream from) {
  driver::StreamDetails of_to, of_from;
  std::uint64_t to_id = 0, from_id = 0;
  Status status = driver.stream_details(to, of_to);
  if (status == Status::success) status = driver.stream_details(from, of_from);
  if (status == Status::success) status = driver.stream_id(to, to_id);
  if (status == Status::success) status = driver.stream_id(from, from_id);
  if (status != Status::success) return status;
  if (of_to.device != of_from.device) return Status::invalid_value;
  remembered<AllValues>().with(driver, [&](AllValues& all) {
    const Values values = all[from_id];
    all[to_id] = values;
  });
  return Status::success;
}

}  // namespace dlcert::shim
