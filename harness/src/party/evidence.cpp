// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <dlcert/suite/evidence.hpp>
#include <dlcert/suite/trace.hpp>

namespace dlcert {
namespace {

std::atomic<ShownInCase*> current{nullptr};

// DLPack's are below: what hostile descriptors say above is no device.
constexpr std::int32_t device_types = 32;

std::uint8_t bit(Shown what) {
  return static_cast<std::uint8_t>(what);
}

void note_type(std::atomic<std::uint32_t>& types, std::int32_t type) {
  if (type < 0 || type >= device_types || TraceAside::any()) return;
  types.fetch_or(1u << type, std::memory_order_relaxed);
}

}  // namespace

ShownInCase::ShownInCase(Role role, const Party& subject) : role_{role}, subject_{subject} {
  current.store(this, std::memory_order_release);
}

ShownInCase::~ShownInCase() {
  current.store(nullptr, std::memory_order_release);
}

bool ShownInCase::has(Shown what) const {
  return (shown_.load(std::memory_order_relaxed) & bit(what)) != 0;
}

std::vector<std::string> ShownInCase::devices() const {
  const std::uint32_t types = device_types_.load(std::memory_order_relaxed);
  std::vector<std::string> names;
  for (std::int32_t type = 0; type < device_types; ++type)
    if ((types >> type & 1u) != 0) names.push_back(device_type_name(type));
  return names;
}

void note_made_on(const Party& maker, std::int32_t device_type) {
  ShownInCase* const shown = current.load(std::memory_order_acquire);
  if (shown == nullptr) return;
  const bool by_subject = &shown->subject_.table() == &maker.table();
  note_type(by_subject ? shown->device_types_ : shown->types_of_others_, device_type);
}

void note_handed_on(std::int32_t device_type) {
  ShownInCase* const shown = current.load(std::memory_order_acquire);
  if (shown != nullptr) note_type(shown->device_types_, device_type);
}

void note_shown(Role role, Shown what) {
  ShownInCase* const shown = current.load(std::memory_order_acquire);
  if (shown == nullptr || shown->role_ != role) return;
  shown->shown_.fetch_or(bit(what), std::memory_order_relaxed);
  if (role == Role::consumer && what == Shown::handed_over)
    shown->device_types_.fetch_or(shown->types_of_others_.load(std::memory_order_relaxed),
                                  std::memory_order_relaxed);
}

std::string ShownInCase::wrong_values() const {
  const std::lock_guard lock{wrong_values_mutex_};
  return wrong_values_;
}

void note_wrong_values(const Party& producer, std::string text) {
  ShownInCase* const shown = current.load(std::memory_order_acquire);
  if (shown == nullptr || shown->role_ != Role::producer ||
      &shown->subject_.table() != &producer.table())
    return;
  const std::lock_guard lock{shown->wrong_values_mutex_};
  if (shown->wrong_values_.empty()) shown->wrong_values_ = std::move(text);
}

void note_found(Role role, const Bytes& elements) {
  const bool tells = std::ranges::any_of(
      elements, [](std::byte byte) { return byte != std::byte{0} && byte != unwritten; });
  if (tells) note_shown(role, Shown::found);
}

}  // namespace dlcert
