// SPDX-License-Identifier: Apache-2.0
//
// What every call of a party has in common: the party offers it, the call is made, and a status
// comes back.
#pragma once

#include <cstring>
#include <optional>
#include <string_view>

#include <dlcert/suite/check.hpp>

#include "party/across.hpp"
#include "party/act.hpp"
#include "party/formed.hpp"

namespace dlcert {

// Throws DefectOfCheck unless `can` is among `offers`, those of the party that `call` is to be
// made on. What the check said that it needs is not known here: a call of what the library offers
// passes whether it said so or not. The worker runs a check only where the tested party offers what
// it needs, so this throws where the check needs the call without having said so, or makes it on
// the counterpart without having asked.
inline void demand(Needs offers, Can can, const char* call) {
  if ((offers & static_cast<Needs>(can)) == 0) [[unlikely]]
    throw DefectOfCheck{fmt::format("a check calls {} but does not list it in needs", call)};
}

inline Error to_error(const dlcert_error& raw) {
  const auto text = [](const auto& characters) {
    return std::string{characters, ::strnlen(characters, sizeof(characters))};
  };
  Error error{raw.kind, raw.code, text(raw.type), text(raw.message)};
  if (raw.cause == DLCERT_CAUSE_NOT_TOLD) [[likely]]
    return error;
  error.cause = raw.cause;
  if (raw.cause != DLCERT_CAUSE_TOLD) return error;
  error.cause_kind = raw.cause_kind;
  error.cause_message = text(raw.cause_message);
  return error;
}

// Makes a call that gives a status; the library's error when it refused. Where the call cannot be
// formed, `unformable` may throw something else than NotFormable.
template <typename Call, typename Unformable>
std::optional<Error> refusal(Act& act, const Call& call, const Unformable& unformable) {
  dlcert_error raw;
  raw.struct_size = sizeof(raw);
  raw.kind = DLCERT_ERROR_OTHER;
  raw.code = 0;
  raw.type[0] = '\0';
  raw.message[0] = '\0';
  raw.cause = DLCERT_CAUSE_NOT_TOLD;
  const dlcert_status status = across([&] { return call(&raw); });
  if (status == DLCERT_OK) [[likely]]
    return std::nullopt;
  if (status == DLCERT_NOT_FORMABLE) {
    act.not_formable();
    unformable();
    throw NotFormable{};
  }
  if (status != DLCERT_REFUSED)
    fail(fmt::format("adapter status: expected 0, 1 or 2 but found {}", status));
  Error error = to_error(raw);
  act.refused(error);
  if (error.kind == DLCERT_ERROR_UNASSIGNED)
    throw NotJudged{fmt::format("the adapter's {}", error.message)};
  return error;
}

template <typename Call>
std::optional<Error> refusal(Act& act, const Call& call) {
  return refusal(act, call, [] {});
}

// The same of a call that is remembered: what was formed once stays so.
template <typename Call>
std::optional<Error> refusal(Act& act, std::string_view name, const CallKey& key,
                             const Call& call) {
  std::optional<Error> error =
      refusal(act, call, [&] { expect(!was_formed(key), "{}: {}", name, formed_before); });
  if (!error) note_formed(key);
  return error;
}

// The same of a call that takes a tensor and nothing else: whoever has the function can form it.
template <typename Call>
std::optional<Error> refusal_at_most(Act& act, std::string_view name, const Call& call) {
  return refusal(act, call, [&] {
    throw AdapterFault{{fmt::format("{}: the adapter reports that this call cannot be formed, but "
                                    "every adapter must form it",
                                    name),
                        {},
                        {}}};
  });
}

// Fails the case where a call that succeeded gave NULL.
inline void expect_made(const void* object, std::string_view name) {
  if (object == nullptr) [[unlikely]]
    fail(fmt::format("{}: expected an object on success but found NULL", name));
}

// The outcome of a call that gives an object which the harness then owns: `refused(call)` makes it.
template <typename Owner, typename Handle, typename Refused, typename Call, typename... Rest>
Outcome<Owner> owned(const Party& party, Act& act, std::string_view name, const Refused& refused,
                     const Call& call, Rest... rest) {
  Handle* handle = nullptr;
  auto error = refused([&](dlcert_error* out) { return call(&handle, out); });
  if (error) return *std::move(error);
  expect_made(handle, name);
  act.made(handle);
  return Owner{party, handle, rest...};
}

// Makes such a call.
template <typename Owner, typename Handle, typename Call>
Outcome<Owner> made(const Party& party, Act& act, std::string_view name, const Call& call) {
  return owned<Owner, Handle>(
      party, act, name, [&](const auto& one) { return refusal(act, one); }, call);
}

// Makes one that is remembered; `rest` are the further arguments of the owner.
template <typename Owner, typename Handle, typename Call, typename... Rest>
Outcome<Owner> made(const Party& party, Act& act, std::string_view name, const CallKey& key,
                    const Call& call, Rest... rest) {
  return owned<Owner, Handle>(
      party, act, name, [&](const auto& one) { return refusal(act, name, key, one); }, call,
      rest...);
}

}  // namespace dlcert
