// SPDX-License-Identifier: Apache-2.0
#include "records/loaded.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "register/json_reader.hpp"

namespace dlcert {

std::string to_json(const LoadedTogether& loaded) {
  nlohmann::json json = nlohmann::json::array();
  for (const LoadedAdapter& one : loaded)
    json.push_back({{"file", one.file}, {"imports", one.imports}});
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

LoadedTogether loaded_from_json(std::string_view text) {
  const nlohmann::json json = parse_json(text);
  LoadedTogether loaded;
  for (const JsonReader& one : JsonReader{json}.items())
    loaded.push_back({one.text_at("file"), one.text_at("imports")});
  return loaded;
}

}  // namespace dlcert
