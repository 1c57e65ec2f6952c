// SPDX-License-Identifier: Apache-2.0
//
// A published exchange table, read and called as plain bytes at the offsets that the standard fixes
// for 64-bit pointers.
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include <dlcert/suite/party.hpp>

#include "testbench/raw_struct.hpp"

namespace dlcert::exchange_api {

namespace table_at {
inline constexpr std::size_t major = 0, minor = 4, previous = 8, allocator = 16, from_object = 24,
                             to_object = 32, view = 40, work_stream = 48, end = 56;
}

// The function by which an allocator reports an error to its caller.
using SetError = void (*)(void* context, const char* kind, const char* message);

// The functions give the code that the library returned. They are called with the interpreter's
// lock, where the library has one. An exception that leaves one of them fails the case.
class Table {
 public:
  using Bytes = std::array<std::byte, table_at::end>;

  // The table that the party publishes, which must be there.
  explicit Table(const Party& party);
  // Another table of the party's, at this address.
  Table(const Party& party, const void* address) : party_{&party}, address_{address} {}

  // The same table, whose functions are called without that lock.
  Table without_lock() const;

  const void* address() const { return address_; }
  Bytes bytes() const;
  DLPackVersion version() const;
  const void* previous() const;
  bool has(std::size_t function) const;  // one of table_at

  int allocate(DLTensor& prototype, DLManagedTensorVersioned** out, void* context,
               SetError set_error) const;
  int from_object(const Object& object, DLManagedTensorVersioned** out) const;
  int to_object(dlcert_managed managed, void** out) const;
  int view(const Object& object, DLTensor* out) const;  // not claimed where the table has none
  int work_stream(dlcert_device device, void** out) const;

 private:
  testbench::RawBytes raw() const { return testbench::RawBytes{const_cast<void*>(address_)}; }
  template <typename Function, typename... Args>
  int call(std::string_view name, std::size_t offset, std::string_view what, Args... args) const;

  const Party* party_;
  const void* address_;
  bool locks_ = true;
};

inline constexpr void* no_stream = nullptr;

// A pointer that no library stores: what outputs hold before a call.
void* poison();

// The error that a failed call left, for a message; it is forgotten.
std::string left_error(const Party& party);

// A call that had to succeed gave this code; fails the case unless it is 0.
void expect_zero(const Party& party, int code, std::string_view call);
// The view of a claimed tensor gave this code; fails the case unless it is 0.
void expect_view_given(const Party& party, const Object& object, int code);
// A call that gave 0 stored a result.
void expect_stored(std::string_view call, const void* out);

// Calls that must succeed, and give what they say.
Managed export_of(const Table& table, const Party& party, const Object& object);
DLTensor view_of(const Table& table, const Party& party, const Object& object);

}  // namespace dlcert::exchange_api
