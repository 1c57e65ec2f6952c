// SPDX-License-Identifier: Apache-2.0

#include "visible_devices_fuzz.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "dlcert/cuda/driver_rules.hpp"
#include "dlcert/cuda/visible_device_policies.hpp"

#include "../tests/fakes.hpp"
#include "require.hpp"

namespace dlcert::cuda {
namespace {

// What the model must know of a policy.
struct Habits {
  std::string blanks;
  bool sign_raises;
  std::size_t most_digits;
};

// Words are the canonical texts of the elements; nothing where an error is raised.
using Words = std::optional<std::vector<std::string>>;

std::vector<std::string> split(const std::string& value) {
  std::vector<std::string> elements{""};
  for (const char character : value) {
    if (character == ',')
      elements.emplace_back();
    else
      elements.back() += character;
  }
  return elements;
}

enum class Reading : unsigned char { word, end, error };

// One character after the other, as the rules are told.
Reading read_number(const std::string& element, const Habits& habits, std::string& word) {
  std::size_t begin = 0;
  std::size_t end = element.size();
  while (begin < end && habits.blanks.find(element[begin]) != std::string::npos)
    ++begin;
  while (begin < end && habits.blanks.find(element[end - 1]) != std::string::npos)
    --end;
  if (begin == end) return Reading::end;
  const char sign = element[begin];
  const bool has_sign = sign == '+' || sign == '-';
  if (has_sign) ++begin;
  std::size_t digits = 0;
  for (std::size_t i = begin; i < end && element[i] >= '0' && element[i] <= '9'; ++i, ++digits)
    if (word != "0")
      word += element[i];
    else
      word = element[i];
  if (digits == 0) return has_sign && habits.sign_raises ? Reading::error : Reading::end;
  if (digits > habits.most_digits) return Reading::error;
  return sign == '-' && word != "0" ? Reading::end : Reading::word;
}

Words model(const std::string& value, const Habits& habits) {
  const std::string start = value.substr(0, 4);
  const bool has_identifiers = start == "GPU-" || start == "MIG-";
  std::vector<std::string> words;
  for (const std::string& element : split(value)) {
    std::string word = has_identifiers ? element : "";
    Reading reading = element.substr(0, 4) == start ? Reading::word : Reading::end;
    if (!has_identifiers) reading = read_number(element, habits, word);
    if (reading == Reading::error) return std::nullopt;
    if (reading == Reading::end) break;
    if (std::ranges::find(words, word) != words.end()) return std::vector<std::string>{};
    words.push_back(word);
  }
  return words;
}

Words words_of(const ParseResult& result) {
  if (const auto* error = std::get_if<ParseError>(&result)) {
    require_one_line(error->message);
    return std::nullopt;
  }
  const auto& devices = std::get<VisibleDevices>(result);
  require_one_line(to_text(devices));
  std::vector<std::string> words;
  for (const VisibleDevice& device : devices) {
    const auto* ordinal = std::get_if<Ordinal>(&device);
    words.push_back(ordinal == nullptr ? std::get<std::string>(device) : ordinal->digits());
  }
  return words;
}

void judge(const VisibleDeviceRules& rules, const std::string& value, const Habits& habits) {
  const Words words = words_of(rules.parse(value));
  require(words == model(value, habits), "what the model reads in '" + value + "'");
  if (words)
    require(std::set<std::string>(words->begin(), words->end()).size() == words->size(),
            "no device twice in '" + value + "'");
  // An empty element ends every list, whatever stands behind it.
  for (const char* behind : {",", ",,7", ",,+", ",,GPU-a,GPU-a"})
    require(words_of(rules.parse(value + behind)) == words,
            "the same with '" + value + behind + "'");
}

template <class Kind, class Rules>
void judge_count(driver::Vendor vendor, const std::string& value, std::int64_t raw) {
  World<Kind, Rules> world{vendor};
  std::vector<std::string> uuids;
  for (std::int64_t i = 0; i < raw; ++i)
    uuids.push_back("GPU-" + std::to_string(i * 7));
  world.devices(uuids);
  world.see(value.c_str());
  try {
    const std::int64_t count = world.enumeration.management_device_count();
    require(count >= -1 && count <= raw, "no more devices than there are for '" + value + "'");
    for (std::int64_t i = 0; i < count; ++i)
      require(world.enumeration.management_index(i) < static_cast<std::uint64_t>(raw) ||
                  vendor == driver::Vendor::rocm,
              "an index of a device for '" + value + "'");
  } catch (const Error& error) {
    require_one_line(error.what());
  }
}

}  // namespace

void read_what_bytes_say(std::span<const std::uint8_t> input) {
  constexpr std::size_t most_bytes = 20'000;
  if (input.empty() || input.size() > most_bytes) return;
  const std::int64_t raw = input.front() % 9;
  const std::string value{input.begin() + 1, input.end()};

  const std::string c_blanks = " \t\n\v\f\r";
  const std::string python_blanks = c_blanks + "\x1c\x1d\x1e\x1f";
  constexpr std::size_t python_digits = 4300;
  judge(VisibleDeviceRules{driver::Vendor::cuda}, value, {python_blanks, true, python_digits});
  judge(SignOnlyEnds<VisibleDeviceRules>{driver::Vendor::cuda}, value,
        {python_blanks, false, python_digits});
  judge(RocrComposition{driver::Vendor::rocm}, value, {python_blanks, true, python_digits});
  const DriverRules driver_rules{static_cast<std::uint64_t>(raw)};
  judge(driver_rules, value, {c_blanks, false, SIZE_MAX});
  static_cast<void>(driver_rules.is_documented(value));

  judge_count<Enumeration, VisibleDeviceRules>(driver::Vendor::cuda, value, raw);
  judge_count<Enumeration, VisibleDeviceRules>(driver::Vendor::rocm, value, raw);
  judge_count<RocmUuidEnumeration, HipFallsBackToCuda>(driver::Vendor::rocm, value, raw);
}

}  // namespace dlcert::cuda
