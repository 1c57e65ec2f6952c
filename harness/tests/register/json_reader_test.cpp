// SPDX-License-Identifier: Apache-2.0
#include "register/json_reader.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>

namespace dlcert {
namespace {

std::string error_of(const std::function<void()>& read) {
  try {
    read();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "no error";
}

TEST(JsonReader, NamesThePlaceOfWhatItCannotRead) {
  const nlohmann::json document = parse_json(
      R"({"name": 3, "results": [{"checks": []}, {"checks": [{"seed": 1}, {"seed": "x"}]}]})");
  const JsonReader reader{document};
  EXPECT_EQ(error_of([&] { (void)reader.at("name").text(); }), "name: expected a text but found 3");
  EXPECT_EQ(error_of([&] {
              for (const JsonReader& result : reader.at("results").items())
                for (const JsonReader& check : result.at("checks").items())
                  (void)check.at("seed").integer_as<std::uint64_t>();
            }),
            "results[1].checks[1].seed: expected a valid integer of at least 0 but found string");
  EXPECT_EQ(error_of([&] { (void)reader.at("results").items().at(0).at("seed"); }),
            "results[0]: expected a member \"seed\" but found none");
}

TEST(JsonReader, NamesTheDocumentFirst) {
  const nlohmann::json document = parse_json(R"({"bugs": [true]})");
  const JsonReader reader{document, "bugs.json"};
  EXPECT_EQ(error_of([&] { (void)reader.at("bugs").items().at(0).text(); }),
            "bugs.json.bugs[0]: expected a text but found boolean");
  EXPECT_EQ(error_of([&] { (void)reader.items(); }),
            "bugs.json: expected an array but found object");
}

TEST(JsonReader, TellsTheMemberThatAnItemIsOf) {
  const nlohmann::json document = parse_json(R"({"a": {"b.c": [["text"]]}})");
  const JsonReader reader{document};
  EXPECT_EQ(reader.member(), "");
  const JsonReader items = reader.at("a").members().at("b.c");
  EXPECT_EQ(items.member(), "b.c");
  EXPECT_EQ(items.items().at(0).items().at(0).member(), "b.c");
}

}  // namespace
}  // namespace dlcert
