// SPDX-License-Identifier: Apache-2.0
//
// Reading JSON that others wrote: each error is one line that names the place.
#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace dlcert {

// Throws std::runtime_error "line 3, column 7: ..." for text that is not JSON.
nlohmann::json parse_json(std::string_view text);

// A value with the path that leads to it, such as "results[3].checks[0].seed". Does not own the
// value. All throw std::runtime_error, "<path>: expected ... but found ...".
class JsonReader {
 public:
  explicit JsonReader(const nlohmann::json& value, std::string path = {})
      : value_{&value}, path_{std::move(path)} {}

  JsonReader at(const char* key) const;                   // a member that must be there
  std::optional<JsonReader> find(const char* key) const;  // one that may be missing
  std::vector<JsonReader> items() const;                  // of an array
  std::map<std::string, JsonReader> members() const;      // of an object

  const std::string& path() const { return path_; }
  const nlohmann::json& value() const { return *value_; }
  std::string text() const;
  bool boolean() const;
  double number() const;
  // A number without a fraction that T can hold.
  template <std::integral T>
  T integer_as() const;
  // What `from_text` makes of a text; its errors get the place.
  template <typename FromText>
  auto parse(const FromText& from_text) const;

  std::string text_at(const char* key) const { return at(key).text(); }
  std::string text_or(const char* key, std::string_view otherwise) const;
  std::vector<std::string> texts() const;  // an array of texts

  [[noreturn]] void fail(std::string_view expected, std::string_view found) const;

 private:
  [[noreturn]] void fail_type(std::string_view expected) const;
  [[noreturn]] void fail_with(std::string_view what) const;
  const nlohmann::json* value_;
  std::string path_;
};

template <std::integral T>
T JsonReader::integer_as() const {
  if (value_->is_number_unsigned() && std::in_range<T>(value_->get<std::uint64_t>()))
    return static_cast<T>(value_->get<std::uint64_t>());
  if (value_->is_number_integer() && !value_->is_number_unsigned() &&
      std::in_range<T>(value_->get<std::int64_t>()))
    return static_cast<T>(value_->get<std::int64_t>());
  fail_type(std::is_signed_v<T> ? "a fitting integer" : "a fitting integer of at least 0");
}

template <typename FromText>
auto JsonReader::parse(const FromText& from_text) const {
  const std::string content = text();
  try {
    return from_text(content);
  } catch (const std::runtime_error& error) {
    fail_with(error.what());
  }
}

}  // namespace dlcert
