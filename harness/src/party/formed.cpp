// SPDX-License-Identifier: Apache-2.0
#include "party/formed.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace dlcert {

namespace {

FormedCalls known;
std::atomic<bool> comparing{false};
std::atomic<bool> short_of_memory{false};
bool forked = false;

std::atomic<std::uint64_t>* place_of(const CallKey& key) {
  if (known.empty() || key.value() == 0 || !comparing.load(std::memory_order_relaxed))
    return nullptr;
  return &known[key.value() % known.size()];
}

}  // namespace

CallKey::CallKey(const Party& party, std::string_view function) {
  with(party.name()).with(function);
}

// Four words at once, none of which waits for another: tensors may be large.
CallKey& CallKey::with(std::span<const std::byte> bytes) {
  with(bytes.size());
  std::array<std::uint64_t, 4> hashes{};
  const bool is_large = bytes.size() >= sizeof hashes;
  for (; bytes.size() >= sizeof hashes; bytes = bytes.subspan(sizeof hashes)) {
    std::array<std::uint64_t, 4> words{};
    std::memcpy(words.data(), bytes.data(), sizeof words);
    for (std::size_t i = 0; i < words.size(); ++i)
      hashes[i] = mixed(hashes[i], words[i]);
  }
  if (is_large)
    for (const std::uint64_t hash : hashes)
      with(hash);
  while (!bytes.empty()) {
    std::uint64_t word = 0;
    const std::size_t size = std::min(bytes.size(), sizeof word);
    std::memcpy(&word, bytes.data(), size);
    with(word);
    bytes = bytes.subspan(size);
  }
  return *this;
}

CallKey& CallKey::with(std::string_view text) {
  return with(std::as_bytes(std::span{text}));
}

CallKey& CallKey::with(const std::vector<std::int64_t>& values) {
  with(values.size());
  for (const std::int64_t value : values)
    with(static_cast<std::uint64_t>(value));
  return *this;
}

CallKey& CallKey::with(const TensorSpec& spec) {
  with(std::bit_cast<std::uint32_t>(spec.dtype)).with(std::bit_cast<std::uint64_t>(spec.device));
  with(spec.shape).with(spec.strides);
  with(static_cast<std::uint64_t>(spec.offset));
  with(static_cast<std::uint64_t>(spec.storage_size));
  return with(spec.flags).with(static_cast<std::uint64_t>(spec.state));
}

CallKey& CallKey::with(const Tensor& tensor) {
  known_ = known_ && tensor.origin() != 0;
  return with(tensor.origin());
}

CallKey& CallKey::with(const dlcert_value& value) {
  const auto with_first = [&]() -> CallKey& {
    return with(static_cast<std::uint64_t>(value.first));
  };
  with(static_cast<std::uint64_t>(value.tag));
  switch (value.tag) {
    case DLCERT_BOOL:
    case DLCERT_INT:
    case DLCERT_GUARD:
      return with_first();
    case DLCERT_PAIR:
      return with_first().with(static_cast<std::uint64_t>(value.second));
    case DLCERT_FLOAT:
      return with(std::bit_cast<std::uint64_t>(value.number));
    case DLCERT_TEXT:
      return with(value.text == nullptr ? std::string_view{} : std::string_view{value.text});
    default:
      return *this;
  }
}

CallKey& CallKey::with(const dlcert_request& request) {
  return with(request.stream).with(request.max_version).with(request.dl_device).with(request.copy);
}

CallKey& CallKey::with(const dlcert_import_request& request) {
  return with(request.device).with(request.copy);
}

std::uint64_t CallKey::value() const {
  return known_ ? hash_ : 0;
}

void remember_in(FormedCalls calls) {
  known = calls;
}

FormsAreCompared::FormsAreCompared() {
  comparing.store(!forked, std::memory_order_relaxed);
}

FormsAreCompared::~FormsAreCompared() {
  comparing.store(false, std::memory_order_relaxed);
}

void note_forked() {
  forked = true;
  comparing.store(false, std::memory_order_relaxed);
}

void note_formed(const CallKey& key) {
  if (auto* const place = place_of(key)) place->store(key.value(), std::memory_order_relaxed);
}

bool was_formed(const CallKey& key) {
  const auto* const place = place_of(key);
  return place != nullptr && place->load(std::memory_order_relaxed) == key.value() &&
         !is_short_of_memory();
}

bool is_short_of_memory() {
  return short_of_memory.load(std::memory_order_relaxed);
}

void note_short_of_memory(bool is_short) {
  short_of_memory.store(is_short, std::memory_order_relaxed);
}

}  // namespace dlcert
