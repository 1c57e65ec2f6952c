// SPDX-License-Identifier: Apache-2.0
#include "report/json_texts.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "register/text.hpp"

namespace dlcert {

using nlohmann::ordered_json;

std::string fit(std::string_view member, std::string_view text) {
  constexpr std::size_t longest_output = 300'000;  // what is kept of it, escaped
  if (member == "path") return std::string{text};  // it is opened again
  if (member == "message") return clean_lines(text);
  if (member == "output") return clean_lines(text, longest_output);
  if (member == "program" || member == "recording") return one_line(text, longest_text);
  constexpr std::array<std::string_view, 4> names{"name", "version", "producer", "consumer"};
  const bool is_name = std::ranges::find(names, member) != names.end();
  return one_line(text, is_name ? longest_name : longest_line);
}

void clean(ordered_json& value, std::string_view member) {
  if (value.is_string()) {
    value = fit(member, value.get_ref<const std::string&>());
  } else if (value.is_array()) {
    for (ordered_json& item : value)
      clean(item, member);
  } else if (value.is_object()) {
    ordered_json object = ordered_json::object();
    for (auto& [key, item] : value.items()) {
      clean(item, key);
      object[one_line(key)] = std::move(item);
    }
    value = std::move(object);
  }
}

}  // namespace dlcert
