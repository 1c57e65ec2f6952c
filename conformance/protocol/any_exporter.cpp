// SPDX-License-Identifier: Apache-2.0
//
// Whatever has the two methods can be imported, and is called as the standard says.

#include <algorithm>
#include <array>

#include "protocol/support.hpp"
#include "registration.hpp"
#include "testbench/python.hpp"

namespace dlcert::protocol {

DLCERT_FAMILY(any_exporter)

namespace {

using testbench::importing_in_python;
using testbench::PythonImport;
using testbench::two_methods;

constexpr std::string_view raises = R"(    raise AssertionError('asked for more than the methods')
)";

// What else a class may say, none of which an import has to ask.
constexpr std::string_view further_methods[] = {"",
                                                "def __bool__(self):\n",
                                                "def __len__(self):\n",
                                                "def __iter__(self):\n",
                                                "def __getitem__(self, key):\n",
                                                "def __eq__(self, other):\n",
                                                "def __array__(self, *arguments, **keywords):\n",
                                                "def __buffer__(self, flags):\n",
                                                "def __repr__(self):\n"};

DLCERT_CHECK_ALSO_ON_DEVICES(
    object_with_the_two_methods_is_imported,
    consumer_check("protocol.from.accepts-any-exporter",
                   "an object of any class with the two methods is imported by them alone",
                   importing_in_python, std::size(further_methods))) {
  const std::string_view more = further_methods[c.row];
  PythonImport import{
      c, {.class_body = fmt::format("{}{}{}", two_methods, more, more.empty() ? "" : raises)}};
  import.require_accepted();
  expect_equal("exports of the object", 1, import.exports());
  import.finish();
}

// An object that takes the named arguments of the standard, and raises TypeError for others as any
// method does that declares no more. A consumer may then call it again.
constexpr std::string_view knows_the_standard =
    R"(def __dlpack__(self, *positions, method=dlpack, **keywords):
    if positions:
        raise TypeError(f'no call of the standard: {positions!r} by position')
    unknown = set(keywords) - {'stream', 'max_version', 'dl_device', 'copy'}
    if unknown:
        raise TypeError(f'no call of the standard: keywords {sorted(unknown)}')
    return method(self, **keywords)
def __dlpack_device__(self, *positions, method=dlpack_device, **keywords):
    if positions or keywords:
        raise TypeError(f'no call of the standard: {positions!r} {keywords!r}')
    return method(self)
)";

constexpr std::string_view ways_to_ask[] = {"from_dlpack(x)", "from_dlpack(x, copy=None)",
                                            "from_dlpack(x, device=None)"};

DLCERT_CHECK_ALSO_ON_DEVICES(
    methods_are_called_by_the_standards_keywords,
    consumer_check("protocol.from.keywords",
                   "the methods are called with the standard's keywords, and nothing by "
                   "position",
                   importing_in_python, std::size(ways_to_ask))) {
  PythonImport import{c,
                      {.expression = std::string{ways_to_ask[c.row]},
                       .class_body = std::string{knows_the_standard}}};
  expect(import.accepted() ||
             import.error().message.find("no call of the standard") == std::string::npos,
         "{}: expected a call by the standard's keywords but found {}", ways_to_ask[c.row],
         import.accepted() ? "" : to_text(import.error()));
  if (c.row == 0) import.require_accepted();
  import.finish();
}

// ---- methods that are no functions of the class -------------------------------------------------

constexpr std::string_view properties = R"(@property
def __dlpack__(self, method=dlpack):
    return lambda **keywords: method(self, **keywords)
@property
def __dlpack_device__(self, method=dlpack_device):
    return lambda: method(self)
)";

constexpr std::string_view answers_by_getattr =
    R"(def __getattr__(self, name, methods={'__dlpack__': dlpack, '__dlpack_device__': dlpack_device}):
    if name not in methods:
        raise AttributeError(name)
    return lambda **keywords: methods[name](self, **keywords)
)";

constexpr std::string_view under_other_names = R"(def give(self, method=dlpack, **keywords):
    return method(self, **keywords)
def tell(self, method=dlpack_device):
    return method(self)
)";

constexpr std::string_view set_on_the_instance =
    "from_dlpack((x.__dict__.update({'__dlpack__': x.give, '__dlpack_device__': x.tell}), x)[1])";

struct Delegation {
  std::string_view how;
  std::string_view class_body;
  std::string_view expression = "from_dlpack(x)";
};

constexpr Delegation delegations[] = {
    {"properties", properties},
    {"__getattr__", answers_by_getattr},
    {"attributes of the instance", under_other_names, set_on_the_instance}};

DLCERT_CHECK(delegated_methods_follow_the_policy,
             consumer_check("protocol.from.delegated-methods",
                            "what becomes of methods that are found by property, by __getattr__ or "
                            "on the instance is recorded",
                            importing_in_python, std::size(delegations))) {
  const Delegation& delegation = delegations[c.row];
  PythonImport import{c,
                      {.expression = std::string{delegation.expression},
                       .class_body = std::string{delegation.class_body}}};
  c.observe(import.accepted() ? "imported" : "refused");
  expect(import.accepted() || c.settings.policy("delegated-methods") == "record",
         "an object with its methods as {}: expected it to be imported but it was refused",
         delegation.how);
  import.finish();
}

// ---- which way first ----------------------------------------------------------------------------

constexpr std::string_view convertible = R"(def __array__(self, *arguments, **keywords):
    raise AssertionError('converted')
)";

DLCERT_CHECK(method_comes_before_the_capsule,
             consumer_check("protocol.torch.protocol-first",
                            "an object with __dlpack__ is exported by it, whatever else it is",
                            importing_in_python, 1)) {
  PythonImport import{c, {.class_body = fmt::format("{}{}", two_methods, convertible)}};
  import.require_accepted();
  expect_equal("exports of the object", 1, import.exports());
  import.finish();
}

DLCERT_CHECK_ALSO_ON_DEVICES(
    object_without_a_table_is_imported,
    consumer_check("protocol.recommend-python-first",
                   "an object of a class without the C exchange table is imported",
                   importing_in_python, 1)) {
  PythonImport import{c};
  import.require_accepted();
  import.finish();
}

}  // namespace
}  // namespace dlcert::protocol
