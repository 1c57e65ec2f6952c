// SPDX-License-Identifier: Apache-2.0

#include "dlcert/tensor/stream_uses.hpp"

#include <algorithm>
#include <utility>

#include "dlcert/tensor/streams.hpp"

#include "driver_calls.hpp"

namespace dlcert::reference {

void StreamUses::record(int ordinal, driver::Stream stream, std::vector<std::byte>&& read) {
  const DeviceGuard guard(ordinal);
  if (is_being_captured(stream)) return;
  std::uint64_t id = 0;
  require(driver::driver().stream_id(stream, id), "stream_id");
  const std::lock_guard lock(mutex_);
  forget_what_has_run();
  auto use = std::ranges::find(uses_, id, &Use::stream);
  if (use != uses_.end()) {
    require(driver::driver().record_event(use->event, stream), "record_event");
  } else {
    OwnEvent event;
    require(driver::driver().record_event(event.get(), stream), "record_event");
    use = uses_.insert(uses_.end(), {id, event.get()});
    static_cast<void>(event.give_up());
  }
  if (!read.empty()) use->read.push_back(std::move(read));
}

void StreamUses::wait() noexcept {
  const std::lock_guard lock(mutex_);
  if (uses_.empty()) return;
  const RelaxedCaptureGuard relaxed;
  for (const Use& use : uses_) {
    static_cast<void>(driver::driver().synchronize_event(use.event));
    static_cast<void>(driver::driver().destroy_event(use.event));
  }
  uses_.clear();
}

StreamUses::~StreamUses() {
  wait();
}

void StreamUses::forget_what_has_run() noexcept {
  const auto keeps_many = [](const Use& use) { return use.read.size() >= many; };
  if (uses_.size() < many && std::ranges::none_of(uses_, keeps_many)) return;
  const RelaxedCaptureGuard relaxed;
  std::erase_if(uses_, [](const Use& use) {
    const driver::Status status = driver::driver().query_event(use.event);
    if (status == driver::Status::not_ready) static_cast<void>(driver::driver().take_error());
    if (status != driver::Status::success) return false;
    static_cast<void>(driver::driver().destroy_event(use.event));
    return true;
  });
}

}  // namespace dlcert::reference
