// SPDX-License-Identifier: Apache-2.0
#include "register/json_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "register/names.hpp"
#include "register/text.hpp"

namespace dlcert {
namespace {

std::runtime_error not_json(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte > 0 ? byte - 1 : 0, text.size()));
  const auto line = std::ranges::count(before, '\n') + 1;
  const std::size_t line_begin = before.rfind('\n') + 1;  // 0 where there is none
  return std::runtime_error{
      fmt::format("line {}, column {}: not JSON", line, before.size() - line_begin + 1)};
}

// Puts the path from `value` to `wanted`, a part of it, before the end of `path`.
bool lengthen(std::string& path, const nlohmann::json& value, const nlohmann::json& wanted) {
  if (&value == &wanted) return true;
  if (!value.is_structured()) return false;
  const std::size_t before = path.size();
  for (const auto& [key, part] : value.items()) {
    path += value.is_array() ? fmt::format("[{}]", key)
                             : fmt::format("{}{}", path.empty() ? "" : ".", key);
    if (lengthen(path, part, wanted)) return true;
    path.resize(before);
  }
  return false;
}

}  // namespace

nlohmann::json parse_json(std::string_view text) {
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    throw not_json(text, error.byte);
  } catch (const nlohmann::json::exception& error) {
    throw std::runtime_error{fmt::format("not JSON: {}", error.what())};
  }
}

void JsonReader::fail(std::string_view expected, std::string_view found) const {
  fail_with(fmt::format("expected {} but found {}", expected, found));
}

void JsonReader::fail_with(std::string_view what) const {
  const std::string path = this->path();
  throw std::runtime_error{
      one_line(path.empty() ? std::string{what} : fmt::format("{}: {}", path, what))};
}

void JsonReader::fail_type(std::string_view expected) const {
  fail(expected, value_->is_number() ? value_->dump() : std::string{value_->type_name()});
}

std::string JsonReader::path() const {
  std::string path{name_};
  lengthen(path, *document_, *value_);
  return path;
}

JsonReader JsonReader::inside(const nlohmann::json& value, std::string_view member) const {
  JsonReader reader = *this;
  reader.value_ = &value;
  reader.member_ = member;
  return reader;
}

std::optional<JsonReader> JsonReader::find(const char* key) const {
  if (!value_->is_object()) fail_type("an object");
  const auto member = value_->find(key);
  if (member == value_->end()) return std::nullopt;
  return inside(*member, member.key());
}

JsonReader JsonReader::at(const char* key) const {
  std::optional<JsonReader> member = find(key);
  if (!member) fail(fmt::format("a member \"{}\"", key), "none");
  return *member;
}

std::vector<JsonReader> JsonReader::items() const {
  if (!value_->is_array()) fail_type("an array");
  std::vector<JsonReader> items;
  items.reserve(value_->size());
  for (const nlohmann::json& item : *value_)
    items.push_back(inside(item, member_));
  return items;
}

std::map<std::string, JsonReader> JsonReader::members() const {
  if (!value_->is_object()) fail_type("an object");
  std::map<std::string, JsonReader> members;
  for (auto member = value_->begin(); member != value_->end(); ++member)
    members.emplace(member.key(), inside(*member, member.key()));
  return members;
}

std::string JsonReader::text() const {
  if (!value_->is_string()) fail_type("a text");
  return value_->get<std::string>();
}

bool JsonReader::boolean() const {
  if (!value_->is_boolean()) fail_type("true or false");
  return value_->get<bool>();
}

double JsonReader::number() const {
  if (!value_->is_number()) fail_type("a number");
  return value_->get<double>();
}

std::string JsonReader::text_or(const char* key, std::string_view otherwise) const {
  const std::optional<JsonReader> member = find(key);
  return member ? member->text() : std::string{otherwise};
}

std::vector<std::string> JsonReader::texts() const {
  std::vector<std::string> texts;
  for (const JsonReader& item : items())
    texts.push_back(item.text());
  return texts;
}

}  // namespace dlcert
