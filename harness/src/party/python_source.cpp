// SPDX-License-Identifier: Apache-2.0
#include "party/python_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <span>

#include <dlcert/suite/dlpack.hpp>
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

ProgramStep imported(const TensorSpec& spec, const Bytes& logical) {
  if (spec.device.type != kDLCPU) return missing();  // Data lies in the host's memory
  const std::optional<Bytes> storage = storage_of(spec, logical);
  if (!storage) return missing();
  const auto item = static_cast<std::int64_t>(logical_item_size(spec.dtype));
  return call(
      fmt::format("from_dlpack(Data({}, dtype={}, device={}, shape={}, strides={}, "
                  "ndim={}, byte_offset={}))",
                  bytes(*storage), tuple(spec.dtype), tuple(spec.device), list(spec.shape),
                  list(spec.strides), spec.shape.size(), spec.offset * item));
}

// What the reference's adapter in Python does (harness/adapters/python/dlcert_reference.py); empty:
// it makes no such tensor.
std::string created_by_reference(const TensorSpec& spec, const Bytes& logical) {
  if (spec.state != DLCERT_STATE_PLAIN) return {};
  std::string code = fmt::format(
      "dlcert_reference.Array({}, {}, {}, {}, {}, storage_size={}, "
      "device={}",
      bytes(logical), tuple(spec.dtype), list(spec.shape), list(spec.strides), spec.offset,
      spec.storage_size, tuple(spec.device));
  const auto add = [&](std::uint32_t flag, std::string_view name) {
    if ((spec.flags & flag) != 0) code += fmt::format(", {}=True", name);
  };
  add(DLCERT_SPEC_READ_ONLY, "readonly");
  add(DLCERT_SPEC_SUBBYTE_PADDED, "padded");
  add(DLCERT_SPEC_BYTE_STRIDES, "byte_strides");
  return code + ")";
}

// For the reference, where it has no such call.
std::string or_none(std::string code) {
  return code.empty() ? std::string{"-"} : code;
}

}  // namespace

bool described() {
  const TraceSink* const sink = trace();
  return sink != nullptr && sink->language() == Language::python;
}

std::string source(const dlcert_adapter& table, std::int32_t what, const TensorSpec* spec,
                   const Bytes* bytes) {
  const auto* const group = group_of(table, &dlcert_adapter::python);
  if (group == nullptr) return {};
  const dlcert_tensor_spec c = spec == nullptr ? dlcert_tensor_spec{} : spec->c();
  library_call::TextList out;
  dlcert_error error{};
  error.struct_size = sizeof(error);
  const dlcert_status status = across([&] {
    return group->source(table.self, what, spec == nullptr ? nullptr : &c,
                         bytes == nullptr ? nullptr : bytes->data(),
                         bytes == nullptr ? 0 : bytes->size(), &out.list, &error);
  });
  return status == DLCERT_OK && out.texts.size() == 1 ? out.texts.front() : std::string{};
}

ProgramStep call(std::string code, std::string reference) {
  return {
      .kind = ProgramStep::Kind::call, .code = std::move(code), .reference = std::move(reference)};
}

ProgramStep question(std::string code, std::string reference) {
  ProgramStep step = call(std::move(code), std::move(reference));
  step.kind = ProgramStep::Kind::question;
  return step;
}

ProgramStep own(std::string code) {
  return {.kind = ProgramStep::Kind::own, .code = std::move(code)};
}

ProgramStep nothing() {
  return {};
}

ProgramStep missing() {
  return {.kind = ProgramStep::Kind::missing};
}

ProgramStep create(const dlcert_adapter& table, const TensorSpec& spec, const Bytes& logical) {
  std::string expression = source(table, DLCERT_PYTHON_CREATE, &spec, &logical);
  if (expression.empty()) return imported(spec, logical);
  return call(std::move(expression), or_none(created_by_reference(spec, logical)));
}

ProgramStep read(const dlcert_adapter& table, std::string_view name) {
  const std::string expression = source(table, DLCERT_PYTHON_READ);
  if (expression.empty()) return question(fmt::format("logical({})", name));
  return question(fmt::format("{}.hex()", with_x(expression, name)),
                  fmt::format("{}.tobytes().hex()", name));
}

ProgramStep write(const dlcert_adapter& table, std::string_view name, const Bytes& logical) {
  const std::string expression = source(table, DLCERT_PYTHON_WRITE, nullptr, &logical);
  if (expression.empty()) return missing();
  return call(with_x(expression, name), fmt::format("{}.write({})", name, bytes(logical)));
}

ProgramStep with_stream(const dlcert_adapter& table, dlcert_device device, std::uint64_t stream) {
  TensorSpec spec;
  spec.device = device;
  const std::string handle = trace_stream(stream);
  const auto* const text = reinterpret_cast<const std::byte*>(handle.data());
  const Bytes given(text, text + handle.size());
  const std::string expression = source(table, DLCERT_PYTHON_STREAM, &spec, &given);
  if (expression.empty())
    return {.kind = ProgramStep::Kind::missing, .code = "make a stream the library's current one"};
  return {.kind = ProgramStep::Kind::begins,
          .code = expression,
          .reference = fmt::format("dlcert_reference.stream({}, {})", tuple(device), handle)};
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
  dlcert_value stream = request.stream;
  const bool is_handle = stream.tag == DLCERT_INT && stream.first > 2;
  const std::string handle =
      is_handle ? trace_stream(static_cast<std::uint64_t>(stream.first)) : std::string{};
  if (is_handle) stream = {DLCERT_OBJECT, 0, 0, 0, 0, handle.c_str()};
  const Argument all[] = {{"stream", stream},
                          {"max_version", request.max_version},
                          {"dl_device", request.dl_device},
                          {"copy", request.copy}};
  return joined(all);
}

ProgramStep import_from(const dlcert_adapter& table, const dlcert_producer& producer,
                        const dlcert_import_request& request) {
  const auto code = [&](const dlcert_value& device) {
    const Argument all[] = {{"device", device}, {"copy", request.copy}};
    const std::string given = joined(all);
    return fmt::format("from_dlpack({}{}{})", trace_name(&producer), given.empty() ? "" : ", ",
                       given);
  };
  if (request.device.tag != DLCERT_PAIR) return call(code(request.device));
  TensorSpec spec;
  spec.device = {static_cast<std::int32_t>(request.device.first),
                 static_cast<std::int32_t>(request.device.second)};
  const std::string own_device = source(table, DLCERT_PYTHON_DEVICE, &spec);
  if (own_device.empty()) return missing();
  return call(code({DLCERT_OBJECT, 0, 0, 0, 0, own_device.c_str()}), code(request.device));
}

std::string tuple(dlcert_device device) {
  return fmt::format("({}, {})", device.type, device.id);
}

std::string tuple(dlcert_dtype dtype) {
  return fmt::format("({}, {}, {})", dtype.code, dtype.bits, dtype.lanes);
}

std::string list(const std::optional<std::vector<std::int64_t>>& values) {
  constexpr std::size_t most_alike = 8;  // that are written one by one
  if (!values) return "None";
  const bool are_alike =
      values->size() > most_alike &&
      std::ranges::all_of(*values, [&](std::int64_t value) { return value == values->front(); });
  if (are_alike) return fmt::format("[{}] * {}", values->front(), values->size());
  return fmt::format("[{}]", fmt::join(*values, ", "));
}

std::string exception_name(const Error& error) {
  const std::string type = error.type.empty() ? error_kind_name(error.kind) : error.type;
  const bool is_name =
      type != error_kind_name(DLCERT_ERROR_OTHER) && std::ranges::all_of(type, is_of_name);
  return is_name ? type : std::string{"Exception"};
}

}  // namespace dlcert::python
