// SPDX-License-Identifier: Apache-2.0
//
// What the calls of the groups devices, runtime and telemetry have in common.
#pragma once

#include <fmt/ranges.h>

#include <exception>
#include <string>
#include <utility>
#include <vector>

#include <dlcert/suite/gpu_party.hpp>

#include "party/calls.hpp"
#include "party/table.hpp"

namespace dlcert {

// The stand-alone program does not make these calls: it shows them as comments.
inline ActText shown(std::string text) {
  std::string comment = fmt::format("/* {} */", text);
  return {std::move(text), std::move(comment)};
}

// What a function lists.
struct Texts {
  std::vector<std::string> texts;

  dlcert_text_list list() {
    return {this, [](void* context, const char* text, std::uint64_t size) {
              static_cast<Texts*>(context)->texts.emplace_back(text, size);
            }};
  }
  std::string only(const char* call) {
    if (texts.size() != 1)
      fail(fmt::format("{}: expected one text but found {}", call, texts.size()));
    return std::move(texts.front());
  }
};

struct Numbers {
  std::vector<std::int64_t> numbers;

  dlcert_number_list list() {
    return {this, [](void* context, std::int64_t number) {
              static_cast<Numbers*>(context)->numbers.push_back(number);
            }};
  }
};

// What a body that ran inside a library's frame threw, thrown on once that frame is left.
void rethrow_from_body();

// Makes a call of a group; the library's error when it refused.
template <typename Group, typename Function, typename Invoke>
std::optional<Error> call_of(const Group* group, Act& act, Function Group::*member,
                             const Invoke& invoke) {
  if (!offered(group, member)) {
    act.not_formable();
    throw NotFormable{};
  }
  auto error = refusal(act, [&](dlcert_error* failure) { return invoke(group->*member, failure); });
  rethrow_from_body();
  return error;
}

}  // namespace dlcert
