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

// A value of a document, which outlives it unchanged. All throw std::runtime_error, "<path>:
// expected ... but found ...", with the path that leads to the value, such as
// "results[3].checks[0].seed".
class JsonReader {
 public:
  // `name`, which is not copied, is the first part of each path.
  explicit JsonReader(const nlohmann::json& document, std::string_view name = {})
      : document_{&document}, value_{&document}, name_{name} {}

  JsonReader at(const char* key) const;                   // a member that must be there
  std::optional<JsonReader> find(const char* key) const;  // one that may be missing
  std::vector<JsonReader> items() const;                  // of an array
  std::map<std::string, JsonReader> members() const;      // of an object

  // The name of the last member on the path, without items behind it; empty: none.
  std::string_view member() const { return member_; }
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
  JsonReader inside(const nlohmann::json& value, std::string_view member) const;
  std::string path() const;  // looked for in the whole document
  [[noreturn]] void fail_type(std::string_view expected) const;
  [[noreturn]] void fail_with(std::string_view what) const;
  const nlohmann::json* document_;
  const nlohmann::json* value_;
  std::string_view name_;
  std::string_view member_;
};

template <std::integral T>
T JsonReader::integer_as() const {
  if (value_->is_number_unsigned() && std::in_range<T>(value_->get<std::uint64_t>()))
    return static_cast<T>(value_->get<std::uint64_t>());
  if (value_->is_number_integer() && !value_->is_number_unsigned() &&
      std::in_range<T>(value_->get<std::int64_t>()))
    return static_cast<T>(value_->get<std::int64_t>());
  fail_type(std::is_signed_v<T> ? "a valid integer" : "a valid integer of at least 0");
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
