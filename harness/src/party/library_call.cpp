// SPDX-License-Identifier: Apache-2.0
#include <fmt/ranges.h>

#include <array>

#include <dlcert/suite/evidence.hpp>
#include <dlcert/suite/library_call.hpp>

#include "party/bodies.hpp"
#include "party/calls.hpp"

namespace dlcert {

std::string to_text(const dlcert_runtime_stream& stream) {
  return fmt::format("stream {} of device {} (type {}, handle {:#x})", stream.id,
                     stream.device_index, stream.device_type, stream.handle);
}

std::string to_text(const dlcert_measurement& measurement) {
  constexpr std::array units{
      "without a unit", "percent", "MiB", "degrees Celsius", "mW", "W", "MHz", "Hz"};
  const auto unit = static_cast<std::size_t>(measurement.unit);
  return fmt::format("{} {}", measurement.value,
                     unit < units.size() ? units[unit] : "of an unknown unit");
}

namespace library_call {

std::string shown(const dlcert_value& value) {
  return to_text(value);
}

std::string shown(const Flag& flag) {
  return fmt::format("{}={}", flag.name, flag.set);
}

std::string shown(const Hexadecimal& number) {
  return fmt::format("{:#x}", number.value);
}

std::string shown(const Quoted& quoted) {
  return fmt::format("\"{}\"", quoted.text);
}

std::string shown(const char* text) {
  return text;
}

std::string shown(std::int64_t number) {
  return fmt::format("{}", number);
}

std::string shown(const dlcert_runtime_stream* stream) {
  return stream == nullptr ? "none" : to_text(*stream);
}

void expect_object(const void* object, std::string_view function) {
  expect_made(object, function);
}

std::optional<std::string> Answer<std::vector<std::string>>::text() const {
  return fmt::format("[{}]", fmt::join(out.texts, ", "));
}

std::optional<std::string> Answer<std::optional<std::vector<std::string>>>::text() const {
  return known != 0 ? list.text() : "no list";
}

std::optional<std::vector<std::string>> Answer<std::optional<std::vector<std::string>>>::take(
    const Party&, std::string_view) {
  return known != 0 ? std::optional{std::move(list.out.texts)} : std::nullopt;
}

std::optional<std::string> Answer<std::string>::text() const {
  return fmt::format("{}", fmt::join(out.texts, ", "));
}

std::string Answer<std::string>::take(const Party&, std::string_view function) {
  if (out.texts.size() != 1)
    fail(fmt::format("{}: expected one text but found {}", function, out.texts.size()));
  return std::move(out.texts.front());
}

}  // namespace library_call

std::string FunctionGroup::with_arguments(std::string_view name,
                                          std::initializer_list<std::string> arguments) {
  return fmt::format("{}({})", name, fmt::join(arguments, ", "));
}

std::optional<Error> FunctionGroup::make(const std::string& text, bool there,
                                         library_call::Invoke invoke,
                                         library_call::Tell tell) const {
  Act act{[&] { return comment(fmt::format("{}.{}", party_->label(), text)); }};
  if (!there) {
    act.not_formable();
    throw NotFormable{};
  }
  std::optional<Error> error = refusal(act, invoke);
  rethrow_from_body();
  if (error) return error;
  note_shown(Role::runtime, Shown::made);
  note_shown(Role::runtime, Shown::handed_over);
  note_shown(Role::runtime, Shown::found);
  if (act.described())
    if (const std::optional<std::string> answer = tell()) act.answered([&] { return *answer; });
  return std::nullopt;
}

}  // namespace dlcert
