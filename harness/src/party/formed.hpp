// SPDX-License-Identifier: Apache-2.0
//
// What a library was seen to form and to claim. Neither may change while a run lasts: that a call
// is not formable says that the interface lacks something. A library that could form a call, and
// says later of the same call that it cannot, keeps it from being judged.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <dlcert/suite/party.hpp>

namespace dlcert {

// Identifies a call by all that may decide whether it can be formed: the library, the function, and
// what the function is given. Equal for equal calls, in every process. Where it is not known how a
// tensor was made the key stands for no call, and is never found again.
class CallKey {
 public:
  CallKey(const Party& party, std::string_view function);

  CallKey& with(std::uint64_t word) {
    hash_ = mixed(hash_, word);
    return *this;
  }
  CallKey& with(std::span<const std::byte> bytes);
  CallKey& with(std::string_view text);
  CallKey& with(const std::vector<std::int64_t>& values);
  CallKey& with(const TensorSpec& spec);
  CallKey& with(const Tensor& tensor);
  CallKey& with(const dlcert_value& value);
  CallKey& with(const dlcert_request& request);
  CallKey& with(const dlcert_import_request& request);

  // 0: no call.
  std::uint64_t value() const;

 private:
  static constexpr std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
    constexpr std::uint64_t factor = 0x9E3779B97F4A7C15u;
    hash = (hash ^ word) * factor;
    return hash ^ hash >> 32u;
  }

  std::uint64_t hash_ = 0;
  bool known_ = true;
};

// Calls that were formed, by their keys: as many as there is room for, the newest in the place of
// older ones. Any thread.
using FormedCalls = std::span<std::atomic<std::uint64_t>>;

// From now on these are remembered, and compared with; they outlive the process's calls. Without
// them nothing is.
void remember_in(FormedCalls calls);

// While one lives, the calls of this process are those of a case. Outside of cases, and in a forked
// process, whose state the check has arranged, nothing is remembered or compared.
class FormsAreCompared {
 public:
  FormsAreCompared();
  ~FormsAreCompared();
  FormsAreCompared(const FormsAreCompared&) = delete;
  FormsAreCompared& operator=(const FormsAreCompared&) = delete;
};

// What a failure says of a call that was_formed().
inline constexpr std::string_view formed_before =
    "the library reports that it cannot form the call, but it formed the same call before";
inline constexpr std::string_view claimed_before =
    "the library does not claim the tensor, but it claimed the same tensor before";

// The call was made, and succeeded.
void note_formed(const CallKey& key);
// Whether it was before, while nothing kept memory from the library (Party::fail_allocation).
bool was_formed(const CallKey& key);
// From now on the library's memory is, or is not, made to run out.
void note_short_of_memory(bool is_short);
bool is_short_of_memory();
// This process is a forked one.
void note_forked();

}  // namespace dlcert
