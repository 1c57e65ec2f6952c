// SPDX-License-Identifier: Apache-2.0
//
// What CUDA_VISIBLE_DEVICES and HIP_VISIBLE_DEVICES say. The base class follows torch.cuda of
// PyTorch 2.4 (_parse_visible_devices) under CPython 3.11, each of its steps a virtual function;
// visible_device_policies.hpp has what later versions do, driver_rules.hpp what the driver does.
//
// Digits are the ASCII ones, and blanks those of ASCII: Python's str.isdigit and str.strip know
// more of both, which differ between its versions.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "dlcert/driver/status.hpp"

namespace dlcert::cuda {

/// A device by its number, of any size: the digits are kept, without leading zeros.
class Ordinal {
 public:
  explicit Ordinal(std::uint64_t value);
  /// `digits`: at least one ASCII digit and nothing else.
  explicit Ordinal(std::string_view digits);

  /// The largest std::uint64_t where the number is larger.
  [[nodiscard]] std::uint64_t value() const noexcept { return value_; }
  [[nodiscard]] const std::string& digits() const noexcept { return digits_; }

  friend bool operator==(const Ordinal& a, const Ordinal& b) { return a.digits_ == b.digits_; }

 private:
  std::string digits_;
  std::uint64_t value_;
};

/// An ordinal, or an identifier: "GPU-…" or "MIG-…", perhaps abbreviated.
using VisibleDevice = std::variant<Ordinal, std::string>;
using VisibleDevices = std::vector<VisibleDevice>;

/// The list as Python prints it, for messages: "[2, 0]", "['GPU-9e8d35e3']". Long lists are cut.
[[nodiscard]] std::string to_text(const VisibleDevices& devices);

/// Why there is no list: what PyTorch raises instead of giving one.
struct ParseError {
  enum class Kind : unsigned char { value, runtime };  ///< a ValueError or a RuntimeError
  Kind kind;
  std::string message;  ///< one line that names the value at fault
};

using ParseResult = std::variant<VisibleDevices, ParseError>;

/// The list, or the error thrown as ValueError or RuntimeError.
[[nodiscard]] VisibleDevices devices_or_throw(ParseResult result);

/// Gives the value of an environment variable, or nothing where it is unset.
using Environment = std::function<std::optional<std::string>(const char* name)>;
/// The environment of the process. Not to be read while another thread changes it.
[[nodiscard]] std::optional<std::string> process_environment(const char* name);

/// One element of the variable as the rules understand it.
struct Element {
  enum class Kind : unsigned char { ordinal, identifier, end_of_list, error };
  Kind kind;
  /// The digits without leading zeros, the identifier, or what is at fault; part of the value.
  std::string_view text;
};

/// The rules of torch 2.4. Stateless once made: may be used from several threads at once. Takes
/// time linear in the length of the value.
class VisibleDeviceRules {
 public:
  explicit VisibleDeviceRules(driver::Vendor vendor, Environment environment = process_environment);
  VisibleDeviceRules(const VisibleDeviceRules&) = delete;
  VisibleDeviceRules& operator=(const VisibleDeviceRules&) = delete;
  virtual ~VisibleDeviceRules();

  [[nodiscard]] driver::Vendor vendor() const noexcept { return vendor_; }
  /// The value of any variable, as these rules see it.
  [[nodiscard]] std::optional<std::string> variable(const char* name) const;

  /// The list of the environment as it is now.
  [[nodiscard]] virtual ParseResult visible_devices() const;
  /// The list that a value of the variable stands for; no value: unset.
  [[nodiscard]] ParseResult parse(std::optional<std::string_view> value) const;
  /// The variable that governs, for messages: "CUDA_VISIBLE_DEVICES" or "HIP_VISIBLE_DEVICES".
  [[nodiscard]] virtual const char* variable_name() const;

 protected:
  enum class OnDuplicate : unsigned char { empty_the_list, end_the_list, skip };

  /// What an unset variable stands for.
  [[nodiscard]] virtual VisibleDevices unset() const;
  /// "GPU-" or "MIG-" where the value is a list of identifiers, else "". Looks at the raw value.
  [[nodiscard]] virtual std::string_view identifier_prefix(std::string_view value) const;
  /// An element of a list of identifiers, which are taken as they are written.
  [[nodiscard]] virtual Element read_identifier(std::string_view element,
                                                std::string_view prefix) const;
  /// An element of a list of ordinals: the longest leading run of digits, after at most one sign.
  [[nodiscard]] virtual Element read_ordinal(std::string_view element) const;
  [[nodiscard]] virtual bool is_blank(char character) const;
  /// What a sign without digits is; `element` is what stands in the list.
  [[nodiscard]] virtual Element sign_without_digits(std::string_view element) const;
  /// Digits that a number may have, leading zeros counted (CPython's int_max_str_digits).
  [[nodiscard]] virtual std::size_t most_digits() const;
  [[nodiscard]] virtual OnDuplicate on_duplicate() const;

  /// An element of a list of identifiers, or of ordinals where `prefix` is empty.
  [[nodiscard]] Element read(std::string_view element, std::string_view prefix) const;

 private:
  [[nodiscard]] std::string_view trimmed(std::string_view element) const;

  driver::Vendor vendor_;
  Environment environment_;
};

}  // namespace dlcert::cuda
