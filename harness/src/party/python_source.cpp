// SPDX-License-Identifier: Apache-2.0
#include "party/python_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <span>

#include <dlcert/suite/library_call.hpp>
#include <dlcert/suite/table.hpp>
#include <dlcert/suite/trace.hpp>

#include "party/across.hpp"

namespace dlcert::python {

namespace {

bool is_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Python's text for a value; empty: the argument is left out.
std::string literal(const dlcert_value& value) {
  switch (value.tag) {
    case DLCERT_NONE:
      return "None";
    case DLCERT_BOOL:
      return value.first != 0 ? "True" : "False";
    case DLCERT_INT:
      return fmt::format("{}", value.first);
    case DLCERT_PAIR:
      return fmt::format("({}, {})", value.first, value.second);
    case DLCERT_FLOAT:
      return fmt::format("{:#}", value.number);
    case DLCERT_TEXT:
      return quoted(value.text);
    case DLCERT_OBJECT:
      return value.text;
    default:
      return {};
  }
}

struct Argument {
  const char* name;
  const dlcert_value& value;
};

std::string joined(std::span<const Argument> arguments) {
  std::vector<std::string> texts;
  for (const auto& [name, value] : arguments)
    if (std::string text = literal(value); !text.empty())
      texts.push_back(fmt::format("{}={}", name, text));
  return fmt::format("{}", fmt::join(texts, ", "));
}

// The storage of a spec with its elements where they belong; empty: they are no whole bytes.
std::optional<Bytes> storage_of(const TensorSpec& spec, const Bytes& logical) {
  if (spec.flags != 0 || spec.state != DLCERT_STATE_PLAIN || spec.dtype.bits < 8) return {};
  const auto item = static_cast<std::int64_t>(logical_item_size(spec.dtype));
  Bytes storage(static_cast<std::size_t>(spec.storage_size * item));
  const std::int64_t count = spec.element_count();
  for (std::int64_t element = 0; element < count; ++element) {
    std::int64_t place = spec.offset;
    std::int64_t rest = element;
    for (std::size_t axis = spec.shape.size(); axis-- > 0; rest /= spec.shape[axis])
      place += rest % spec.shape[axis] * spec.strides[axis];
    std::copy_n(logical.begin() + element * item, item, storage.begin() + place * item);
  }
  return storage;
}

std::string imported(const TensorSpec& spec, const Bytes& logical) {
  const std::optional<Bytes> storage = storage_of(spec, logical);
  if (!storage) return {};
  const auto item = static_cast<std::int64_t>(logical_item_size(spec.dtype));
  return fmt::format(
      "from_dlpack(Memory(({0}, {1}), {2}, {3}, {4}, ndim={5}, code={6}, bits={7}, lanes={8}, "
      "device_type={0}, device_id={1}, byte_offset={9}))",
      spec.device.type, spec.device.id, bytes(*storage), list(spec.shape), list(spec.strides),
      spec.shape.size(), spec.dtype.code, spec.dtype.bits, spec.dtype.lanes, spec.offset * item);
}

}  // namespace

bool described() {
  const TraceSink* const sink = trace();
  return sink != nullptr && sink->language() == Language::python;
}

std::string source(const dlcert_adapter& table, std::int32_t what, const TensorSpec* spec,
                   const Bytes* logical) {
  const auto* const group = group_of(table, &dlcert_adapter::python);
  if (group == nullptr) return {};
  const dlcert_tensor_spec c = spec == nullptr ? dlcert_tensor_spec{} : spec->c();
  library_call::TextList out;
  dlcert_error error{};
  error.struct_size = sizeof(error);
  const dlcert_status status = across([&] {
    return group->source(table.self, what, spec == nullptr ? nullptr : &c,
                         logical == nullptr ? nullptr : logical->data(),
                         logical == nullptr ? 0 : logical->size(), &out.list, &error);
  });
  return status == DLCERT_OK && out.texts.size() == 1 ? out.texts.front() : std::string{};
}

std::string create(const dlcert_adapter& table, const TensorSpec& spec, const Bytes& logical) {
  std::string expression = source(table, DLCERT_PYTHON_CREATE, &spec, &logical);
  return expression.empty() ? imported(spec, logical) : expression;
}

std::string read(const dlcert_adapter& table, std::string_view name) {
  const std::string expression = source(table, DLCERT_PYTHON_READ);
  return expression.empty() ? fmt::format("logical({})", name)
                            : fmt::format("{}.hex()", with_x(expression, name));
}

constexpr std::string_view description = "(str(x.dtype), tuple(x.shape))";

std::string ask(std::string_view name) {
  return name.empty() ? "pass" : fmt::format("ask({})", with_x(description, name));
}

std::string described(const dlcert_adapter& table, dlcert_tensor* tensor, std::string_view name) {
  if (name.empty()) return {};
  library_call::TextList out;
  dlcert_error error{};
  error.struct_size = sizeof(error);
  const dlcert_status status = across([&] {
    return table.python->evaluate(table.self, tensor, description.data(), &out.list, &error);
  });
  if (status != DLCERT_OK || out.texts.size() != 1) return {};
  return fmt::format("saw({}, {})", with_x(description, name), out.texts.front());
}

std::string with_x(std::string_view expression, std::string_view name) {
  std::string out;
  char quote = 0;
  for (std::size_t i = 0; i < expression.size(); ++i) {
    const char c = expression[i];
    const char before = i == 0 ? ' ' : expression[i - 1];
    const char after = i + 1 == expression.size() ? ' ' : expression[i + 1];
    const bool is_keyword = after == '=' && expression.substr(i + 1, 2) != "==";
    if (quote == 0 && (c == '"' || c == '\''))
      quote = c;
    else if (c == quote && before != '\\')
      quote = 0;
    if (quote == 0 && c == 'x' && !is_of_name(before) && before != '.' && !is_of_name(after) &&
        !is_keyword)
      out += name;
    else
      out += c;
  }
  return out;
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      fmt::format_to(std::back_inserter(out), "\\{}", c);
    else if (byte < 0x20 || byte >= 0x7f)
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", byte);
    else
      out += c;
  }
  return out + '"';
}

std::string bytes(const Bytes& logical) {
  std::string out = "bytes.fromhex(\"";
  for (const std::byte byte : logical)
    fmt::format_to(std::back_inserter(out), "{:02x}", std::to_integer<unsigned>(byte));
  return out + "\")";
}

std::string arguments(const dlcert_request& request) {
  const Argument all[] = {{"stream", request.stream},
                          {"max_version", request.max_version},
                          {"dl_device", request.dl_device},
                          {"copy", request.copy}};
  return joined(all);
}

std::string import_from(const dlcert_adapter& table, const dlcert_producer& producer,
                        const dlcert_import_request& request) {
  dlcert_value device = request.device;
  std::string own;  // the library's object
  if (device.tag == DLCERT_PAIR) {
    TensorSpec spec;
    spec.device = {static_cast<std::int32_t>(device.first),
                   static_cast<std::int32_t>(device.second)};
    own = source(table, DLCERT_PYTHON_DEVICE, &spec);
    if (own.empty()) return {};
    device = {DLCERT_OBJECT, 0, 0, 0, 0, own.c_str()};
  }
  const Argument all[] = {{"device", device}, {"copy", request.copy}};
  const std::string given = joined(all);
  return fmt::format("from_dlpack({}{}{})", trace_name(&producer), given.empty() ? "" : ", ",
                     given);
}

std::string list(const std::optional<std::vector<std::int64_t>>& values) {
  return values ? fmt::format("[{}]", fmt::join(*values, ", ")) : "None";
}

std::string exception_name(const Error& error) {
  const std::string type = error.type.empty() ? error_kind_name(error.kind) : error.type;
  const bool is_name =
      type != error_kind_name(DLCERT_ERROR_OTHER) && std::ranges::all_of(type, is_of_name);
  return is_name ? type : std::string{"Exception"};
}

}  // namespace dlcert::python
