// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include <dlcert/suite/draw.hpp>

namespace dlcert {

namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t golden_gamma = 0x9E3779B97F4A7C15u;
constexpr std::size_t usual_choices = 64;
constexpr std::uint64_t byte_patterns = 1024;

// The finaliser of SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number
// generators", 2014).
std::uint64_t scramble(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
  return value ^ (value >> 31);
}

std::uint64_t next_random(std::uint64_t& state) {
  state += golden_gamma;
  return scramble(state);
}

}  // namespace

Draw::Draw(std::uint64_t seed, int size) : state_{seed}, size_{size} {
  choices_.reserve(usual_choices);
}

Draw Draw::replay(Choices choices, int size) {
  Draw draw{0, size};
  draw.recorded_ = std::move(choices);
  draw.replaying_ = true;
  return draw;
}

std::uint64_t Draw::below(std::uint64_t bound) {
  std::uint64_t choice = 0;
  if (!replaying_) [[likely]] {
    // The high word of the product: biased by less than bound / 2^64 (Lemire, 2019).
    choice = static_cast<std::uint64_t>((Wide{next_random(state_)} * bound) >> 64);
  } else if (choices_.size() < recorded_.size()) {
    choice = recorded_[choices_.size()] % bound;
  }
  choices_.push_back(choice);
  if (log_ != nullptr) [[unlikely]]
    log_->append(choice);
  return choice;
}

void Draw::bytes(std::span<std::byte> out) {
  const std::uint64_t key = below(byte_patterns);
  if (key == 0) {
    std::ranges::fill(out, std::byte{0});
    return;
  }
  std::uint64_t state = key;
  for (; out.size() >= sizeof(state); out = out.subspan(sizeof(state))) {
    const std::uint64_t word = next_random(state);
    std::memcpy(out.data(), &word, sizeof(word));
  }
  if (out.empty()) return;
  const std::uint64_t word = next_random(state);
  std::memcpy(out.data(), &word, out.size());
}

std::uint64_t mix_seed(std::uint64_t seed, std::uint64_t value) {
  return scramble(scramble(seed + golden_gamma) ^ (value + golden_gamma));
}

std::uint64_t mix_seed(std::uint64_t seed, std::string_view text) {
  std::uint64_t hash = 0xCBF29CE484222325u;  // FNV-1a
  for (const char c : text)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  return mix_seed(seed, hash);
}

}  // namespace dlcert
