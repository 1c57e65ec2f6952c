// SPDX-License-Identifier: Apache-2.0

#include "dlcert/cuda/visible_devices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <utility>

#include "dlcert/cuda/errors.hpp"

#include "elements.hpp"

namespace dlcert::cuda {
namespace {

constexpr std::uint64_t devices_when_unset = 64;
constexpr std::size_t most_text_in_messages = 60;

bool is_digit(char character) {
  return character >= '0' && character <= '9';
}

std::uint64_t saturating_value(std::string_view digits) {
  std::uint64_t value = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return result.ec == std::errc{} ? value : std::numeric_limits<std::uint64_t>::max();
}

// The texts of a list so far, hashed into slots of which at least half are free. For a list of
// megabytes a set made of nodes takes much longer, waiting for memory.
class TextSet {
 public:
  /// Whether `text` is new.
  bool insert(std::string_view text) {
    if (2 * (size_ + 1) > slots_.size()) grow();
    std::string_view& slot = slot_of(text);
    if (slot.data() != nullptr) return false;
    slot = text;
    ++size_;
    return true;
  }

 private:
  std::string_view& slot_of(std::string_view text) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = std::hash<std::string_view>{}(text)&mask;
    while (slots_[i].data() != nullptr && slots_[i] != text)
      i = (i + 1) & mask;
    return slots_[i];
  }

  void grow() {
    std::vector<std::string_view> smaller(2 * slots_.size());
    smaller.swap(slots_);
    for (const std::string_view text : smaller)
      if (text.data() != nullptr) slot_of(text) = text;
  }

  std::vector<std::string_view> slots_ = std::vector<std::string_view>(32);
  std::size_t size_ = 0;
};

ParseError error_of(std::string_view text) {
  const auto digits = static_cast<std::size_t>(std::ranges::count_if(text, is_digit));
  if (digits == 0 || digits < text.size() - 1 || !is_digit(text.back()))
    return {ParseError::Kind::value,
            fmt::format("expected digits after the sign but found '{}'", shortened(text))};
  return {ParseError::Kind::value,
          fmt::format("expected a number of no more digits than Python converts but found {} "
                      "digits: '{}'",
                      digits, shortened(text))};
}

VisibleDevice device_of(const Element& element) {
  if (element.kind == Element::Kind::ordinal) return Ordinal{element.text};
  return std::string{element.text};
}

}  // namespace

std::string shortened(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string shown = printable(text.substr(i, 1));
    if (result.size() + shown.size() > most_text_in_messages) return result + "…";
    result += shown;
  }
  return result;
}

std::string printable(std::string_view text) {
  std::string result;
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (byte >= 0x20 && byte < 0x7f)
      result += character;
    else
      result += fmt::format("\\x{:02x}", byte);
  }
  return result;
}

Ordinal::Ordinal(std::uint64_t value) : digits_{std::to_string(value)}, value_{value} {}

Ordinal::Ordinal(std::string_view digits)
    : digits_{without_leading_zeros(digits)}, value_{saturating_value(digits_)} {}

std::string to_text(const VisibleDevices& devices) {
  constexpr std::size_t most = 16;
  std::string text = "[";
  for (std::size_t i = 0; i < std::min(devices.size(), most); ++i) {
    if (i > 0) text += ", ";
    if (const auto* ordinal = std::get_if<Ordinal>(&devices[i]))
      text += shortened(ordinal->digits());
    else
      text += '\'' + shortened(std::get<std::string>(devices[i])) + '\'';
  }
  return text + (devices.size() > most ? ", …]" : "]");
}

VisibleDevices devices_or_throw(ParseResult result) {
  if (const auto* error = std::get_if<ParseError>(&result)) {
    if (error->kind == ParseError::Kind::runtime) throw RuntimeError(error->message);
    throw ValueError(error->message);
  }
  return std::get<VisibleDevices>(std::move(result));
}

std::optional<std::string> process_environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>{value};
}

VisibleDeviceRules::VisibleDeviceRules(driver::Vendor vendor, Environment environment)
    : vendor_{vendor}, environment_{std::move(environment)} {}

VisibleDeviceRules::~VisibleDeviceRules() = default;

std::optional<std::string> VisibleDeviceRules::variable(const char* name) const {
  return environment_(name);
}

ParseResult VisibleDeviceRules::visible_devices() const {
  return parse(variable(variable_name()));
}

const char* VisibleDeviceRules::variable_name() const {
  return vendor_ == driver::Vendor::rocm ? "HIP_VISIBLE_DEVICES" : "CUDA_VISIBLE_DEVICES";
}

ParseResult VisibleDeviceRules::parse(std::optional<std::string_view> value) const {
  if (!value) return unset();
  const std::string_view prefix = identifier_prefix(*value);
  VisibleDevices devices;
  TextSet seen;
  for (Elements elements{*value}; elements.has_next();) {
    const Element element = read(elements.next(), prefix);
    if (element.kind == Element::Kind::error) return error_of(element.text);
    if (element.kind == Element::Kind::end_of_list) break;
    if (!seen.insert(element.text)) {
      if (on_duplicate() == OnDuplicate::skip) continue;
      if (on_duplicate() == OnDuplicate::empty_the_list) devices.clear();
      break;
    }
    devices.push_back(device_of(element));
  }
  return devices;
}

Element VisibleDeviceRules::read(std::string_view element, std::string_view prefix) const {
  return prefix.empty() ? read_ordinal(trimmed(element)) : read_identifier(element, prefix);
}

VisibleDevices VisibleDeviceRules::unset() const {
  return first_ordinals(devices_when_unset);
}

std::string_view VisibleDeviceRules::identifier_prefix(std::string_view value) const {
  for (const std::string_view prefix : {"GPU-", "MIG-"})
    if (value.starts_with(prefix)) return prefix;
  return {};
}

Element VisibleDeviceRules::read_identifier(std::string_view element,
                                            std::string_view prefix) const {
  const bool is_one = element.starts_with(prefix);
  return {is_one ? Element::Kind::identifier : Element::Kind::end_of_list, element};
}

Element VisibleDeviceRules::read_ordinal(std::string_view element) const {
  const bool has_sign = element.starts_with('+') || element.starts_with('-');
  const std::string_view unsigned_part = element.substr(has_sign ? 1 : 0);
  const auto end = std::ranges::find_if_not(unsigned_part, is_digit);
  const std::string_view digits{unsigned_part.begin(), end};
  if (digits.empty())
    return has_sign ? sign_without_digits(element) : Element{Element::Kind::end_of_list, element};
  if (digits.size() > most_digits()) return {Element::Kind::error, digits};
  const std::string_view number = without_leading_zeros(digits);
  const bool is_negative = element.starts_with('-') && number != "0";
  return {is_negative ? Element::Kind::end_of_list : Element::Kind::ordinal, number};
}

bool VisibleDeviceRules::is_blank(char character) const {
  return character == ' ' || (character >= '\t' && character <= '\r') ||
         (character >= '\x1c' && character <= '\x1f');
}

Element VisibleDeviceRules::sign_without_digits(std::string_view element) const {
  return {Element::Kind::error, element};
}

std::size_t VisibleDeviceRules::most_digits() const {
  return 4300;
}

VisibleDeviceRules::OnDuplicate VisibleDeviceRules::on_duplicate() const {
  return OnDuplicate::empty_the_list;
}

std::string_view VisibleDeviceRules::trimmed(std::string_view element) const {
  while (!element.empty() && is_blank(element.front()))
    element.remove_prefix(1);
  while (!element.empty() && is_blank(element.back()))
    element.remove_suffix(1);
  return element;
}

}  // namespace dlcert::cuda
