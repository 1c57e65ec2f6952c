// SPDX-License-Identifier: Apache-2.0

#include "shims/cuda/cuda_managed.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "shims/common/per_world.hpp"
#include "shims/cuda/cuda_shim.hpp"
#include "shims/common/entry_points.inc"

namespace dlcert::shim {
namespace {

// By the number of the memory, which no other memory ever has.
using AllAdvice = std::map<std::uint64_t, AdvisedMemory>;

std::uintptr_t begin_of(const NamedRange& range) {
  return reinterpret_cast<std::uintptr_t>(range.begin);
}

template <class Change>
void change_advice(SimulatedDriver& driver, const NamedRange& range,
                   const driver::MemoryRange& memory, Change&& change) {
  remembered<AllAdvice>().with(driver, [&](AllAdvice& all) {
    const std::uintptr_t begin = begin_of(range) - memory.begin;
    all[memory.id].change(begin, begin + range.bytes, change);
  });
}

}  // namespace

Status check_managed(SimulatedDriver& driver, const NamedRange& range, driver::MemoryRange& out) {
  driver::PointerAttributes found;
  const Status status = driver.attributes(range.begin, found);
  if (status != Status::success) return status;
  if (found.kind != MemoryKind::managed || range.bytes == 0) return Status::invalid_value;
  if (!driver.memory_range(range.begin, out)) return Status::invalid_value;
  const std::size_t behind = out.bytes - (begin_of(range) - out.begin);
  return range.bytes <= behind ? Status::success : Status::invalid_value;
}

Status check_location(SimulatedDriver& driver, const cudaMemLocation& location, Location& out) {
  driver::DeviceProperties unused;
  out = {number_of(location.type), 0};
  switch (out.type) {
    case cudaMemLocationTypeDevice:
      out.id = location.id;
      return driver.properties(location.id, unused);
    case cudaMemLocationTypeHost:
      return Status::success;
    case cudaMemLocationTypeHostNuma:
      return location.id == 0 ? Status::success : Status::invalid_value;
    case cudaMemLocationTypeHostNumaCurrent:
      out.type = cudaMemLocationTypeHostNuma;
      return Status::success;
    default:
      return Status::invalid_value;
  }
}

cudaMemLocation location_of(int device) {
  if (device == cudaCpuDeviceId) return {cudaMemLocationTypeHost, 0};
  return {cudaMemLocationTypeDevice, device};
}

Status prefetch(SimulatedDriver& driver, const NamedRange& range, const cudaMemLocation& location,
                Stream stream) {
  driver::MemoryRange memory;
  Location to;
  Status status = check_managed(driver, range, memory);
  if (status == Status::success) status = check_location(driver, location, to);
  if (status == Status::success) status = driver.submit_nothing("cudaMemPrefetchAsync", stream);
  if (status != Status::success) return status;
  change_advice(driver, range, memory, [&](Advice& advice) { advice.prefetched = to; });
  return Status::success;
}

Status attach(SimulatedDriver& driver, const NamedRange& range, unsigned int flags, Stream stream) {
  driver::MemoryRange memory;
  const NamedRange whole{range.begin, range.bytes == 0 ? 1 : range.bytes};
  const Status status = check_managed(driver, whole, memory);
  if (status != Status::success) return status;
  const bool begins = memory.begin == begin_of(range);
  const bool is_all = range.bytes == 0 || (begins && range.bytes == memory.bytes);
  const bool known =
      flags == cudaMemAttachGlobal || flags == cudaMemAttachHost || flags == cudaMemAttachSingle;
  const bool singly_to_all =
      flags == cudaMemAttachSingle && (stream == Stream::null || stream == Stream::legacy);
  if (!is_all || !known || singly_to_all) return Status::invalid_value;
  return driver.submit_nothing("cudaStreamAttachMemAsync", stream);
}

namespace {

// ---- advice -------------------------------------------------------------------------------------

Status apply(SimulatedDriver& driver, int advice, const cudaMemLocation& location, Advice& out) {
  Location to;
  const bool needs_location = advice == cudaMemAdviseSetPreferredLocation ||
                              advice == cudaMemAdviseSetAccessedBy ||
                              advice == cudaMemAdviseUnsetAccessedBy;
  if (needs_location)
    if (const Status status = check_location(driver, location, to); status != Status::success)
      return status;
  const bool on_node = to.type == cudaMemLocationTypeHostNuma;
  const int processor = to.type == cudaMemLocationTypeDevice ? to.id : cudaCpuDeviceId;
  switch (advice) {
    case cudaMemAdviseSetReadMostly:
    case cudaMemAdviseUnsetReadMostly:
      out.read_mostly = advice == cudaMemAdviseSetReadMostly;
      return Status::success;
    case cudaMemAdviseSetPreferredLocation:
    case cudaMemAdviseUnsetPreferredLocation:
      out.preferred = to;
      return Status::success;
    case cudaMemAdviseSetAccessedBy:
      out.accessed_by.insert(processor);
      return on_node ? Status::invalid_value : Status::success;
    case cudaMemAdviseUnsetAccessedBy:
      out.accessed_by.erase(processor);
      return on_node ? Status::invalid_value : Status::success;
    default:
      return Status::invalid_value;
  }
}

cudaError_t advise(const NamedRange& range, int advice, const cudaMemLocation& location) {
  return run([&](SimulatedDriver& driver) {
    driver::MemoryRange memory;
    Status status = check_managed(driver, range, memory);
    Advice tried;
    if (status == Status::success) status = apply(driver, advice, location, tried);
    if (status != Status::success) return status;
    change_advice(driver, range, memory,
                  [&](Advice& each) { static_cast<void>(apply(driver, advice, location, each)); });
    return Status::success;
  });
}

// ---- what is told of a range --------------------------------------------------------------------

struct Question {
  void* data;
  std::size_t bytes;
  int attribute;  // a number of cudaMemRangeAttribute
};

// What all of the range has in common.
struct Common {
  bool read_mostly = false;
  Location preferred = {};
  Location prefetched = {};
  std::vector<int> accessed_by = {};
};

Common common_of(const AdvisedMemory& memory, std::uintptr_t begin, std::uintptr_t end) {
  const Advice& first = memory.advice_at(begin);
  Common found;
  found.read_mostly = memory.all(begin, end, [](const Advice& each) { return each.read_mostly; });
  if (memory.all(begin, end, [&](const auto& each) { return each.preferred == first.preferred; }))
    found.preferred = first.preferred;
  if (memory.all(begin, end, [&](const auto& each) { return each.prefetched == first.prefetched; }))
    found.prefetched = first.prefetched;
  for (const int processor : first.accessed_by)
    if (memory.all(begin, end,
                   [&](const Advice& each) { return each.accessed_by.contains(processor); }))
      found.accessed_by.push_back(processor);
  return found;
}

// As a number of a device. A node of the host has none.
int device_of(const Location& location) {
  if (location.type == cudaMemLocationTypeDevice) return location.id;
  return location.type == cudaMemLocationTypeHost ? cudaCpuDeviceId : cudaInvalidDeviceId;
}

Status answer_list(const Common& common, const Question& question) {
  const std::size_t count = question.bytes / sizeof(int);
  if (count == 0 || question.bytes % sizeof(int) != 0) return Status::invalid_value;
  std::vector<int> processors(count, cudaInvalidDeviceId);
  std::copy_n(common.accessed_by.begin(), std::min(count, common.accessed_by.size()),
              processors.begin());
  std::memcpy(question.data, processors.data(), question.bytes);
  return Status::success;
}

Status answer_question(const Common& common, const Question& question) {
  if (question.data == nullptr) return Status::invalid_value;
  if (question.attribute == cudaMemRangeAttributeAccessedBy) return answer_list(common, question);
  int value = 0;
  switch (question.attribute) {
    case cudaMemRangeAttributeReadMostly:
      value = common.read_mostly ? 1 : 0;
      break;
    case cudaMemRangeAttributePreferredLocation:
      value = device_of(common.preferred);
      break;
    case cudaMemRangeAttributeLastPrefetchLocation:
      value = device_of(common.prefetched);
      break;
    case cudaMemRangeAttributePreferredLocationType:
      value = common.preferred.type;
      break;
    case cudaMemRangeAttributePreferredLocationId:
      value = common.preferred.id;
      break;
    case cudaMemRangeAttributeLastPrefetchLocationType:
      value = common.prefetched.type;
      break;
    case cudaMemRangeAttributeLastPrefetchLocationId:
      value = common.prefetched.id;
      break;
    default:
      return Status::invalid_value;
  }
  if (question.bytes != sizeof value) return Status::invalid_value;
  std::memcpy(question.data, &value, sizeof value);
  return Status::success;
}

// The range has to be of memory; the rest is asked one by one.
Status find_common(SimulatedDriver& driver, const NamedRange& range, Common& out) {
  driver::MemoryRange memory;
  const Status status = check_managed(driver, range, memory);
  if (status != Status::success) return status;
  out = remembered<AllAdvice>().with(driver, [&](AllAdvice& all) {
    const std::uintptr_t begin = begin_of(range) - memory.begin;
    return common_of(all[memory.id], begin, begin + range.bytes);
  });
  return Status::success;
}

}  // namespace
}  // namespace dlcert::shim

// ---- entry points -------------------------------------------------------------------------------

#if CUDART_VERSION >= 13000

extern "C" cudaError_t cudaMemAdvise(const void* memory, size_t bytes, cudaMemoryAdvise advice,
                                     cudaMemLocation location) {
  return dlcert::shim::advise({memory, bytes}, number_of(advice), location);
}

#else

extern "C" cudaError_t cudaMemAdvise(const void* memory, size_t bytes, cudaMemoryAdvise advice,
                                     int device) {
  return dlcert::shim::advise({memory, bytes}, number_of(advice),
                              dlcert::shim::location_of(device));
}

extern "C" cudaError_t cudaMemAdvise_v2(const void* memory, size_t bytes, cudaMemoryAdvise advice,
                                        cudaMemLocation location) {
  return dlcert::shim::advise({memory, bytes}, number_of(advice), location);
}

#endif

extern "C" cudaError_t cudaMemRangeGetAttribute(void* data, size_t data_bytes,
                                                cudaMemRangeAttribute attribute, const void* memory,
                                                size_t bytes) {
  return run([&](SimulatedDriver& driver) {
    dlcert::shim::Common common;
    const Status status = dlcert::shim::find_common(driver, {memory, bytes}, common);
    if (status != Status::success) return status;
    return dlcert::shim::answer_question(common, {data, data_bytes, number_of(attribute)});
  });
}

extern "C" cudaError_t cudaMemRangeGetAttributes(void** data, size_t* data_bytes,
                                                 cudaMemRangeAttribute* attributes, size_t count,
                                                 const void* memory, size_t bytes) {
  return run([&](SimulatedDriver& driver) {
    const bool asked = data != nullptr && data_bytes != nullptr && attributes != nullptr;
    if (!asked || count == 0) return Status::invalid_value;
    dlcert::shim::Common common;
    Status status = dlcert::shim::find_common(driver, {memory, bytes}, common);
    for (size_t index = 0; index < count && status == Status::success; ++index)
      status = dlcert::shim::answer_question(
          common, {data[index], data_bytes[index], number_of(attributes[index])});
    return status;
  });
}
