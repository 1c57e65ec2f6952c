// SPDX-License-Identifier: Apache-2.0
//
// A fault that lies in the struct which a library handed over can be shown without the library: by
// C statements that hold the struct as it was, and what the rule asks of it as a condition.
// Implemented in harness/src/party/recording.cpp.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <dlcert/suite/check.hpp>
#include <dlcert/suite/party.hpp>

namespace dlcert {

// The struct and a condition on its fields, as statements of the program of
// harness/src/standalone/recorded.hpp, in which `exported` is a DLManagedTensor or
// DLManagedTensorVersioned. Empty while no case is being described, and where the struct cannot be
// read or its shape is longer than a page. `managed` may lie anywhere.
std::vector<std::string> recorded_fields(dlcert_managed managed, std::string_view condition);

// Likewise the struct, the memory that its elements lie in, and the condition that they are
// `logical`. Empty as well where that memory cannot be read or is larger than a page shows.
std::vector<std::string> recorded_elements(dlcert_managed managed, const Bytes& logical);

// "(const int64_t[]){2, 3}", or "NULL" when empty.
std::string c_array(const std::vector<std::int64_t>& values);

// Runs `assertion`, whose failure can be seen in the fields of `managed` alone: the condition, with
// its arguments, is C and holds of `exported` where the rule is kept.
template <typename Assertion, typename... Args>
void in_fields(const Managed& managed, const Assertion& assertion,
               fmt::format_string<Args...> condition, Args&&... args) {
  try {
    assertion();
  } catch (Failure& failure) {
    if (failure.recording.empty())
      failure.recording =
          recorded_fields(managed.raw(), fmt::format(condition, std::forward<Args>(args)...));
    throw;
  }
}

// Likewise where the condition has no arguments: fails with the formatted message unless it holds.
template <typename... Args>
void expect_field(const Managed& managed, bool holds, std::string_view condition,
                  fmt::format_string<Args...> message, Args&&... args) {
  in_fields(
      managed, [&] { expect(holds, message, std::forward<Args>(args)...); }, "{}", condition);
}

// Likewise where the condition is that `field`, in C, is a number: fails unless `found` is.
template <std::integral T>
void expect_field_equal(const Managed& managed, std::string_view what, std::string_view field,
                        T expected, T found) {
  in_fields(
      managed, [&] { expect_equal(what, expected, found); }, "{} == {}", field, expected);
}

}  // namespace dlcert
