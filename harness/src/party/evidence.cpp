// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <dlcert/suite/evidence.hpp>

namespace dlcert {
namespace {

std::atomic<ShownInCase*> current{nullptr};

std::uint8_t bit(Shown what) {
  return static_cast<std::uint8_t>(what);
}

}  // namespace

ShownInCase::ShownInCase(Role role) : role_{role} {
  current.store(this, std::memory_order_release);
}

ShownInCase::~ShownInCase() {
  current.store(nullptr, std::memory_order_release);
}

bool ShownInCase::has(Shown what) const {
  return (shown_.load(std::memory_order_relaxed) & bit(what)) != 0;
}

void note_shown(Role role, Shown what) {
  ShownInCase* const shown = current.load(std::memory_order_acquire);
  if (shown == nullptr || shown->role_ != role) return;
  shown->shown_.fetch_or(bit(what), std::memory_order_relaxed);
}

void note_found(Role role, const Bytes& elements) {
  const bool tells = std::ranges::any_of(
      elements, [](std::byte byte) { return byte != std::byte{0} && byte != unwritten; });
  if (tells) note_shown(role, Shown::found);
}

}  // namespace dlcert
