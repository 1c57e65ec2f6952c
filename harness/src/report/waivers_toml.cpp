// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <regex>
#include <sstream>
#include <stdexcept>

#include <toml++/toml.h>

#include "register/ascii.hpp"
#include "register/names.hpp"
#include "register/profile.hpp"
#include "register/text.hpp"
#include "report/toml_depth.hpp"
#include "report/waivers.hpp"

namespace dlcert {
namespace {

constexpr std::chrono::days first_term{90};

[[noreturn]] void fail_at(std::string_view name, const toml::source_position& position,
                          std::string_view what) {
  throw std::runtime_error{
      one_line(fmt::format("{}:{}:{}: {}", name, position.line, position.column, what))};
}

// One [[waiver]] table.
class WaiverReader {
 public:
  WaiverReader(const toml::table& table, std::string_view name, const Register& known)
      : table_{table}, name_{name}, known_{known} {}

  Waiver read() const;

 private:
  void require_known_keys() const;
  const toml::node& at(std::string_view key) const;
  std::string text(std::string_view key) const;
  std::string examined_text(std::string_view key) const;
  std::string optional_text(std::string_view key) const;
  Date date(std::string_view key) const;
  template <typename FromText>
  auto parse(std::string_view key, const FromText& from_text) const;
  std::string requirement() const;
  void read_pair(Waiver& waiver) const;

  const toml::table& table_;
  std::string_view name_;
  const Register& known_;
};

void WaiverReader::require_known_keys() const {
  const std::array<std::string, 11> keys{"requirement", "implementation", "versions", "role",
                                         "message",     "reason",         "link",     "owner",
                                         "expires",     "producer",       "consumer"};
  for (const auto& [key, value] : table_)
    if (std::ranges::find(keys, key.str()) == keys.end())
      fail_at(name_, key.source().begin,
              fmt::format("unknown key '{}'{}", key.str(),
                          did_you_mean(nearest_name(key.str(), keys))));
}

const toml::node& WaiverReader::at(std::string_view key) const {
  const toml::node* const node = table_.get(key);
  if (node == nullptr)
    fail_at(name_, table_.source().begin, fmt::format("expected a key '{}' but found none", key));
  return *node;
}

std::string WaiverReader::text(std::string_view key) const {
  const toml::node& node = at(key);
  const auto text = node.value_exact<std::string>();
  if (!text || text->empty())
    fail_at(name_, node.source().begin, fmt::format("{}: expected a text that is not empty", key));
  return one_line(*text);
}

// Whether somebody filled it in.
bool is_placeholder(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  constexpr std::array<std::string_view, 14> placeholders{
      "todo", "tbd",     "fixme",  "xxx",   "nobody",  unowned, "none",
      "n/a",  "unknown", "reason", "owner", "fill in", "later", "placeholder"};
  constexpr auto means_something = [](char c) {
    return is_letter(c) || is_digit(c) || static_cast<unsigned char>(c) >= 0x80;
  };
  return std::ranges::count_if(text, means_something) < 2 || text.ends_with(unexamined) ||
         std::ranges::find(placeholders, text) != placeholders.end();
}

// A text that only a person can give, who thereby answers for the waiver.
std::string WaiverReader::examined_text(std::string_view key) const {
  std::string given = text(key);
  if (is_placeholder(given))
    fail_at(name_, at(key).source().begin,
            fmt::format("{}: '{}' is a placeholder: fill in {}", key, given,
                        key == "owner" ? "who is responsible for the waiver"
                                       : "why the failure is accepted"));
  return given;
}

std::string WaiverReader::optional_text(std::string_view key) const {
  return table_.contains(key) ? text(key) : std::string{};
}

Date WaiverReader::date(std::string_view key) const {
  const toml::node& node = at(key);
  const auto value = node.value_exact<toml::date>();
  if (!value)
    fail_at(name_, node.source().begin,
            fmt::format("{}: expected a date such as 2027-01-31, without quotes", key));
  return Date{std::chrono::year{value->year}, std::chrono::month{value->month},
              std::chrono::day{value->day}};
}

template <typename FromText>
auto WaiverReader::parse(std::string_view key, const FromText& from_text) const {
  const std::string content = text(key);
  try {
    return from_text(content);
  } catch (const std::runtime_error& error) {
    fail_at(name_, at(key).source().begin, fmt::format("{}: {}", key, error.what()));
  }
}

std::string WaiverReader::requirement() const {
  std::string id = text("requirement");
  if (id == cannot_be_loaded_together) {
    if (!table_.contains("producer"))
      fail_at(name_, at("requirement").source().begin,
              "requirement: expected the keys 'producer' and 'consumer' but found no 'producer'");
    return id;
  }
  if (known_.find(id) == nullptr)
    fail_at(name_, at("requirement").source().begin,
            fmt::format("unknown requirement '{}'{}", id, did_you_mean(known_.nearest(id))));
  return id;
}

// The two libraries of a waiver for a pair.
void WaiverReader::read_pair(Waiver& waiver) const {
  if (!table_.contains("producer") && !table_.contains("consumer")) return;
  waiver.producer = text("producer");
  waiver.consumer = text("consumer");
  if (waiver.role)
    fail_at(name_, at("role").source().begin,
            "role: expected none in a waiver for a pair but found one");
  if (waiver.implementation != waiver.producer && waiver.implementation != waiver.consumer)
    fail_at(name_, at("implementation").source().begin,
            fmt::format("implementation: expected '{}' or '{}' but found '{}'", waiver.producer,
                        waiver.consumer, waiver.implementation));
}

Waiver WaiverReader::read() const {
  require_known_keys();
  Waiver waiver;
  waiver.place = one_line(fmt::format("{}:{}", name_, table_.source().begin.line));
  waiver.requirement = requirement();
  waiver.implementation = text("implementation");
  waiver.versions = parse("versions", VersionRange::parse);
  if (table_.contains("role")) waiver.role = parse("role", role_from_text);
  waiver.message = text("message");
  waiver.reason = examined_text("reason");
  waiver.link = optional_text("link");
  waiver.owner = examined_text("owner");
  waiver.expires = date("expires");
  read_pair(waiver);
  return waiver;
}

toml::table parse_toml(std::string_view text, std::string_view name) {
  constexpr std::size_t most_parts = 64;
  if (const DeepKey key = deepest_key(text); key.parts > most_parts)
    throw std::runtime_error{
        one_line(fmt::format("{}:{}:{}: expected a key of at most {} parts but found one of {}",
                             name, key.line, key.column, most_parts, key.parts))};
  try {
    return toml::parse(text, name);
  } catch (const toml::parse_error& error) {
    fail_at(name, error.source().begin, error.description());
  }
}

// ---- writing ------------------------------------------------------------------------------------

std::string quoted(const std::string& text) {
  std::ostringstream out;
  out << toml::value<std::string>{text};
  return out.str();
}

std::string entry(const Waiver& waiver) {
  std::string out = "[[waiver]]\n";
  const auto add = [&out](std::string_view key, const std::string& value) {
    out += fmt::format("{} = {}\n", key, value);
  };
  add("requirement", quoted(waiver.requirement));
  add("implementation", quoted(waiver.implementation));
  add("versions", quoted(waiver.versions.text()));
  if (!waiver.producer.empty()) add("producer", quoted(waiver.producer));
  if (!waiver.consumer.empty()) add("consumer", quoted(waiver.consumer));
  if (waiver.role) add("role", quoted(std::string{to_text(*waiver.role)}));
  add("message", quoted(waiver.message));
  add("reason", quoted(waiver.reason));
  if (!waiver.link.empty()) add("link", quoted(waiver.link));
  add("owner", quoted(waiver.owner));
  add("expires", date_text(waiver.expires));
  return out;
}

// The message with addresses, which no two runs share, as a glob.
std::string repeatable_message(const CheckResult& check) {
  static const std::regex address{"0x[0-9a-f]+"};
  const std::string message = std::regex_replace(failure_text(check), address, "*");
  return message.empty() ? "*" : message;
}

Waiver new_waiver(const RequirementResult& result, const CheckResult& check,
                  const std::string& version, Date today) {
  Waiver waiver;
  waiver.requirement = result.requirement;
  waiver.implementation = tested_party(result);
  waiver.versions = VersionRange::exactly(version);
  if (is_pair(result)) {
    waiver.producer = result.producer;
    waiver.consumer = result.consumer;
  } else {
    waiver.role = tested_role(result);
  }
  waiver.message = repeatable_message(check);
  waiver.reason = fmt::format("found on {}, {}", date_text(today), unexamined);
  waiver.owner = unowned;
  waiver.expires = Date{std::chrono::sys_days{today} + first_term};
  return waiver;
}

const std::string& version_of(const Results& results, const std::string& adapter) {
  return std::ranges::find(results.adapters, adapter, &AdapterInfo::name)->version;
}

}  // namespace

std::vector<Waiver> parse_waivers(std::string_view text, std::string_view name,
                                  const Register& known) {
  const toml::table document = parse_toml(text, name);
  std::vector<Waiver> waivers;
  for (const auto& [key, value] : document) {
    if (key.str() != "waiver")
      fail_at(name, key.source().begin,
              fmt::format("expected only [[waiver]] but found '{}'", key.str()));
    const toml::array* const entries = value.as_array();
    if (entries == nullptr) fail_at(name, value.source().begin, "expected [[waiver]]");
    for (const toml::node& entry : *entries) {
      const toml::table* const table = entry.as_table();
      if (table == nullptr) fail_at(name, entry.source().begin, "expected [[waiver]]");
      waivers.push_back(WaiverReader{*table, name, known}.read());
    }
  }
  return waivers;
}

std::string write_waivers(const Results& results, std::span<const Waiver> waivers, Date today) {
  std::vector<std::string> entries;
  for (const Waiver& waiver : waivers) {
    const bool holds = std::ranges::any_of(results.results, [&](const RequirementResult& result) {
      return result.verdict == Verdict::waived && result.requirement == waiver.requirement &&
             (is_pair(result)
                  ? result.producer == waiver.producer && result.consumer == waiver.consumer
                  : tested_party(result) == waiver.implementation) &&
             std::ranges::any_of(result.checks, [&](const CheckResult& check) {
               return can_be_waived(check) && covers(waiver, check);
             });
    });
    if (holds) entries.push_back(entry(waiver));
  }
  for (const RequirementResult& result : results.results) {
    if (!can_be_waived(result.verdict)) continue;
    for (const CheckResult& check : result.checks)
      if (can_be_waived(check))
        entries.push_back(
            entry(new_waiver(result, check, version_of(results, tested_party(result)), today)));
  }
  return fmt::format("{}", fmt::join(entries, "\n"));
}

}  // namespace dlcert
