// SPDX-License-Identifier: Apache-2.0
//
// Records a struct that a library exported, so that a failure that lies in the struct can be shown
// without the library. The record is a list of C statements: they contain the struct and the
// requirement's condition on it. Implemented in harness/src/party/recording.cpp.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <dlcert/suite/check.hpp>
#include <dlcert/suite/party.hpp>

namespace dlcert {

// Returns the struct and a condition on its fields as statements of the program of
// harness/src/standalone/recorded.hpp. There `exported` is a DLManagedTensor or
// DLManagedTensorVersioned. `managed` may point anywhere. Returns nothing if no case is being
// described, if the struct cannot be read, or if its shape is too long for a page.
std::vector<std::string> recorded_fields(dlcert_managed managed, std::string_view condition);

// Returns the struct, the memory of its elements, and the condition that the elements are
// `logical`. Also returns nothing if that memory cannot be read or is too large for a page.
std::vector<std::string> recorded_elements(dlcert_managed managed, const Bytes& logical);

// The condition or value as a program writes it, where the struct is the variable of that name;
// nothing if it cannot, or if the struct has no name.
Judgement judged_fields(dlcert_managed managed, std::string_view condition);
Judgement judged_fields(dlcert_managed managed, std::string_view field, std::string expected);

// Returns the values as C: "LIST(2, 3)", or "NULL" if there are none.
std::string c_array(const std::vector<std::int64_t>& values);

// The same for a description; a long array of one value names it once.
std::string c_extents(const std::vector<std::int64_t>& values);

// Flags in C by their names, that of bit 0 first; bits without a name are a number.
std::string c_flags(std::uint64_t flags, std::span<const std::string_view> names);

// Runs `assertion`, whose failure must be visible in the fields of `managed` alone. `condition`,
// with its arguments, is C code that is true for `exported` if the requirement is kept.
template <typename Assertion, typename... Args>
void in_fields(const Managed& managed, const Assertion& assertion,
               fmt::format_string<Args...> condition, Args&&... args) {
  try {
    assertion();
  } catch (Failure& failure) {
    if (failure.recording.empty()) {
      const std::string text = fmt::format(condition, std::forward<Args>(args)...);
      failure.recording = recorded_fields(managed.raw(), text);
      tell_judged(judged_fields(managed.raw(), text));
    }
    throw;
  }
}

// Fails with the formatted message unless `holds` is true, and records the fields of `managed`.
// `condition` is the same condition in C.
template <typename... Args>
void expect_field(const Managed& managed, bool holds, std::string_view condition,
                  fmt::format_string<Args...> message, Args&&... args) {
  in_fields(
      managed, [&] { expect(holds, message, std::forward<Args>(args)...); }, "{}", condition);
}

// Fails unless `found` equals `expected`, and records the fields of `managed`. `field` is the C
// expression of the value.
template <std::integral T>
void expect_field_equal(const Managed& managed, std::string_view what, std::string_view field,
                        T expected, T found) {
  seen_by([&] { return judged_fields(managed.raw(), field, to_literal(expected)); },
          [&] {
            in_fields(
                managed, [&] { expect_equal(what, expected, found); }, "{} == {}", field, expected);
          });
}

}  // namespace dlcert
