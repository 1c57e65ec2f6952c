// SPDX-License-Identifier: Apache-2.0

#include "dlcert/cuda/device_guard.hpp"

#include "dlcert/cuda/errors.hpp"

namespace dlcert::cuda {

DeviceContext::DeviceContext(DeviceSelection& selection, const DeviceArgument& device)
    : selection_{selection}, index_{selection.index_of(device)} {}

DeviceContext::~DeviceContext() = default;

void DeviceContext::enter() {
  former_.reserve(former_.size() + 1);
  former_.push_back(selection_.exchange(index_));
}

void DeviceContext::exit() {
  if (former_.empty()) throw RuntimeError("cannot exit a device context that was not entered");
  const std::int64_t former = former_.back();
  former_.pop_back();
  selection_.maybe_exchange(former);
}

DeviceGuard::~DeviceGuard() {
  try {
    context_.exit();
  } catch (const Error&) {  // a destructor reports nothing
  }
}

}  // namespace dlcert::cuda
