// SPDX-License-Identifier: Apache-2.0
#include <dlpack/dlpack.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <span>

#include <dlcert/suite/recording.hpp>
#include <dlcert/suite/trace.hpp>

#include "party/foreign_memory.hpp"
#include "party/python_source.hpp"

namespace dlcert {
namespace {

using Statements = std::vector<std::string>;

std::string c_list(const std::vector<std::int64_t>& values) {
  std::vector<std::string> texts;
  for (const std::int64_t value : values)  // C has no literal for the least
    texts.push_back(value == INT64_MIN ? "INT64_MIN" : std::to_string(value));
  return fmt::format("{}", fmt::join(texts, ", "));
}

constexpr std::int32_t most_axes = 64;
constexpr std::size_t bytes_in_row = 16;
constexpr std::size_t most_rows = 32;  // of memory and elements together

// A managed tensor as it lay there.
struct Snapshot {
  bool versioned = false;
  DLManagedTensorVersioned head{};  // of a legacy one only its dl_tensor
  std::vector<std::int64_t> shape, strides;

  const DLTensor& tensor() const { return head.dl_tensor; }
};

// What the pointer leads to; nothing where it is NULL, or there is no axis.
bool read_list(const std::int64_t* from, std::int32_t axes, std::vector<std::int64_t>& to) {
  if (from == nullptr || axes <= 0) return true;
  to.resize(static_cast<std::size_t>(axes));
  return read_if_there(from, to.data(), to.size() * sizeof(std::int64_t));
}

std::optional<Snapshot> snapshot_of(dlcert_managed managed) {
  Snapshot found;
  found.versioned = managed.form == DLCERT_VERSIONED;
  if (found.versioned) {
    const auto head = read_struct<DLManagedTensorVersioned>(managed.pointer);
    if (!head) return std::nullopt;
    found.head = *head;
  } else {
    const auto head = read_struct<DLManagedTensor>(managed.pointer);
    if (!head) return std::nullopt;
    found.head.dl_tensor = head->dl_tensor;
  }
  const DLTensor& tensor = found.tensor();
  if (tensor.ndim > most_axes || !read_list(tensor.shape, tensor.ndim, found.shape) ||
      !read_list(tensor.strides, tensor.ndim, found.strides))
    return std::nullopt;
  return found;
}

// The logical bytes that shape and dtype ask for; empty where they are none that memory can hold.
std::optional<std::size_t> logical_size(const Snapshot& found) {
  const DLTensor& tensor = found.tensor();
  if (tensor.ndim < 0 || found.shape.size() != static_cast<std::size_t>(tensor.ndim))
    return std::nullopt;
  std::int64_t size = (std::int64_t{tensor.dtype.bits} * tensor.dtype.lanes + 7) / 8;
  for (const std::int64_t extent : found.shape)
    if (extent < 0 || __builtin_mul_overflow(size, extent, &size)) return std::nullopt;
  return static_cast<std::size_t>(size);
}

// Consecutive bytes of the process.
struct Window {
  std::uintptr_t begin = 0;
  std::vector<unsigned char> bytes;
};

std::size_t rows_of(std::size_t bytes) {
  return (bytes + bytes_in_row - 1) / bytes_in_row;
}

std::int64_t bits_between_elements(const Snapshot& found) {
  const DLDataType& dtype = found.tensor().dtype;
  const std::int64_t bits = std::int64_t{dtype.bits} * dtype.lanes;
  const bool padded = (found.head.flags & DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED) != 0;
  return dtype.bits < 8 && !padded ? bits : (bits + 7) / 8 * 8;
}

// All that the elements take, and the place that `data` leads to. Empty where it is more than
// `most` bytes, or cannot be read. Requires elements.
std::optional<Window> window_of(const Snapshot& found, std::int64_t most) {
  const DLTensor& tensor = found.tensor();
  const std::int64_t step = bits_between_elements(found);
  const std::vector<std::int64_t> strides =
      tensor.strides == nullptr ? row_major_strides(found.shape) : found.strides;
  std::int64_t low = 0;
  std::int64_t high = step;
  for (std::size_t axis = 0; axis < found.shape.size(); ++axis) {
    std::int64_t reach = 0;
    if (__builtin_mul_overflow(found.shape[axis] - 1, strides[axis], &reach) ||
        __builtin_mul_overflow(reach, step, &reach) || reach > 8 * most || reach < -8 * most)
      return std::nullopt;
    (reach < 0 ? low : high) += reach;
  }
  const auto data = reinterpret_cast<std::uintptr_t>(tensor.data);
  const auto first = static_cast<std::uintptr_t>(data + tensor.byte_offset);
  const auto to_data = static_cast<std::int64_t>(data - first);
  const std::int64_t begin = std::min((low - 7) / 8, to_data);
  const std::int64_t end = std::max((high + 7) / 8, to_data);
  if (begin < -most || end > most || end - begin > most) return std::nullopt;
  Window window{first + static_cast<std::uintptr_t>(begin), {}};
  window.bytes.resize(static_cast<std::size_t>(end - begin));
  if (!read_if_there(reinterpret_cast<const void*>(window.begin), window.bytes.data(),
                     window.bytes.size()))
    return std::nullopt;
  return window;
}

void add_bytes(Statements& statements, std::string_view declaration,
               std::span<const unsigned char> bytes) {
  statements.push_back(fmt::format("{} = {{", declaration));
  for (; !bytes.empty(); bytes = bytes.subspan(std::min(bytes.size(), bytes_in_row)))
    statements.push_back(fmt::format(
        "  {:#04x},", fmt::join(bytes.first(std::min(bytes.size(), bytes_in_row)), ", ")));
  statements.push_back("};");
}

void add_list(Statements& statements, std::string_view name,
              const std::vector<std::int64_t>& values) {
  if (!values.empty())
    statements.push_back(fmt::format("static int64_t {}[] = {{{}}};", name, c_list(values)));
}

// Addresses say nothing in another process, but for NULL.
std::string pointer_text(const void* pointer) {
  return pointer == nullptr ? "NULL" : "NOT_RECORDED";
}

std::string list_pointer(std::string_view name, const std::int64_t* pointer,
                         const std::vector<std::int64_t>& values) {
  return values.empty() ? pointer_text(pointer) : std::string{name};
}

void add_struct(Statements& statements, const Snapshot& found, const std::string& data) {
  const DLTensor& tensor = found.tensor();
  statements.push_back(fmt::format(
      "static {} exported = {{", found.versioned ? "DLManagedTensorVersioned" : "DLManagedTensor"));
  if (found.versioned)
    statements.push_back(fmt::format("    .version = {{.major = {}, .minor = {}}}, .flags = {:#x},",
                                     found.head.version.major, found.head.version.minor,
                                     found.head.flags));
  for (std::string line :
       {fmt::format("    .dl_tensor.data = {},", data),
        fmt::format("    .dl_tensor.device = {{.device_type = {}, .device_id = {}}},",
                    static_cast<std::int32_t>(tensor.device.device_type), tensor.device.device_id),
        fmt::format("    .dl_tensor.ndim = {},", tensor.ndim),
        fmt::format("    .dl_tensor.dtype = {{.code = {}, .bits = {}, .lanes = {}}},",
                    tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes),
        fmt::format("    .dl_tensor.shape = {},", list_pointer("shape", tensor.shape, found.shape)),
        fmt::format("    .dl_tensor.strides = {},",
                    list_pointer("strides", tensor.strides, found.strides)),
        fmt::format("    .dl_tensor.byte_offset = {}u,", tensor.byte_offset), std::string{"};"}})
    statements.push_back(std::move(line));
}

Statements lists_of(const Snapshot& found) {
  Statements statements;
  add_list(statements, "shape", found.shape);
  add_list(statements, "strides", found.strides);
  return statements;
}

}  // namespace

std::string c_array(const std::vector<std::int64_t>& values) {
  return values.empty() ? "NULL" : fmt::format("LIST({})", c_list(values));
}

std::string c_extents(const std::vector<std::int64_t>& values) {
  constexpr std::size_t longest = 8;
  const bool is_one_value =
      values.size() > longest &&
      std::ranges::adjacent_find(values, std::not_equal_to<>{}) == values.end();
  return is_one_value ? fmt::format("repeated({}, {})", values.size(), values.front())
                      : c_array(values);
}

std::string c_flags(std::uint64_t flags, std::span<const std::string_view> names) {
  std::string out;
  const auto add = [&](std::string_view text) {
    out += fmt::format("{}{}", out.empty() ? "" : " | ", text);
  };
  for (std::size_t bit = 0; bit < names.size(); ++bit) {
    const std::uint64_t mask = std::uint64_t{1} << bit;
    if ((flags & mask) != 0) add(names[bit]);
    flags &= ~mask;
  }
  if (flags != 0) add(fmt::format("{:#x}u", flags));
  return out;
}

namespace {

// Conditions use what C and Python have in common, but for these.
std::string in_python(std::string_view condition, const std::string& managed) {
  const std::array<std::pair<std::string_view, std::string>, 12> differences{
      {{"(int32_t)", ""},
       {"(uint64_t)", ""},
       {"&exported", managed},
       {"exported.", managed + "."},
       {" && ", " and "},
       {" || ", " or "},
       {"!(", "not ("},
       {"!= NULL", "is not None"},
       {"== NULL", "is None"},
       {"DLPACK_FLAG_BITMASK_READ_ONLY", "1"},
       {"DLPACK_FLAG_BITMASK_IS_COPIED", "2"},
       {"DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED", "4"}}};
  std::string out{condition};
  for (const auto& [in_c, text] : differences)
    for (std::size_t at = 0; (at = out.find(in_c, at)) != out.npos; at += text.size())
      out.replace(at, in_c.size(), text);
  return out;
}

// A comparison in Python. `text` says what is expected, if that is no single value.
struct Comparison {
  std::string found, expected, text;
};

Comparison comparison_of(const std::string& condition) {
  constexpr std::string_view bits = " & ", negation = "not (";
  struct Operator {
    std::string_view code, text;
  };
  constexpr std::array<Operator, 5> operators{{{" == ", ""},
                                               {" is not ", "not "},
                                               {" != ", "not "},
                                               {" <= ", "at most "},
                                               {" >= ", "at least "}}};
  if (condition.ends_with(" is None"))
    return {condition.substr(0, condition.rfind(" is None")), "None", {}};
  for (const auto& [code, text] : operators)
    if (const std::size_t at = condition.find(code); at != condition.npos) {
      std::string right = condition.substr(at + code.size());
      return {condition.substr(0, at), right,
              text.empty() ? std::string{} : fmt::format("{}{}", text, right)};
    }
  if (const std::size_t mask = condition.find(bits); mask != condition.npos) {  // of one flag
    if (!condition.starts_with(negation))
      return {condition, condition.substr(mask + bits.size()), {}};
    return {condition.substr(negation.size(), condition.size() - negation.size() - 1), "0", {}};
  }
  return {condition, "True", {}};
}

// A condition in Python: a program shows the values that it compares.
Judgement judged_condition(const std::string& condition) {
  constexpr std::string_view conjunction = " and ";
  std::vector<Comparison> parts;
  for (std::size_t begin = 0; begin < condition.size() + conjunction.size();) {
    const std::size_t end = std::min(condition.find(conjunction, begin), condition.size());
    parts.push_back(comparison_of(condition.substr(begin, end - begin)));
    begin = end + conjunction.size();
  }
  const auto list = [&](std::string Comparison::*side) {
    std::vector<std::string> values;
    for (const Comparison& part : parts)
      values.push_back(part.*side);
    return values.size() == 1 ? values.front() : fmt::format("({})", fmt::join(values, ", "));
  };
  const bool are_equalities = condition.find(" or ") == condition.npos &&
                              std::ranges::all_of(parts, &std::string::empty, &Comparison::text);
  if (are_equalities)
    return {.by = Judgement::By::value,
            .expected = list(&Comparison::expected),
            .code = list(&Comparison::found)};
  const bool is_one = parts.size() == 1;
  return {.by = Judgement::By::condition,
          .expected = is_one ? python::quoted(parts.front().text) : std::string{},
          .found = is_one ? parts.front().found : std::string{},
          .code = condition};
}

// `exported` is a struct there, and a program in C has a pointer to it.
std::string in_c(std::string_view condition, dlcert_managed managed) {
  constexpr std::string_view member = "exported.";
  const std::string pointer =
      fmt::format("{}({})->", managed.form == DLCERT_VERSIONED ? "versioned" : "legacy",
                  trace_name(managed.pointer));
  std::string out{condition};
  for (std::size_t at = 0; (at = out.find(member, at)) != out.npos; at += pointer.size())
    out.replace(at, member.size(), pointer);
  return out;
}

bool described_in_c() {
  return trace() != nullptr && trace()->language() == Language::c;
}

}  // namespace

Judgement judged_fields(dlcert_managed managed, std::string_view condition) {
  const std::string name = trace_name(managed.pointer);
  if (name != "unknown" && described_in_c())
    return {.by = Judgement::By::condition,
            .code = in_c(condition, managed),
            .type = "judge_condition"};
  const bool has_helper = condition.find("_is(") != condition.npos ||
                          condition.find("_within(") != condition.npos ||
                          condition.find("_are(") != condition.npos;
  if (name == "unknown" || has_helper) return {};
  return judged_condition(in_python(condition, name));
}

Judgement judged_fields(dlcert_managed managed, std::string_view field, std::string expected) {
  Judgement judged = judged_fields(managed, field);
  if (judged.by == Judgement::By::nothing) return judged;
  judged.by = Judgement::By::value;
  judged.expected = std::move(expected);
  if (described_in_c()) judged.type = "judge_number";
  return judged;
}

std::vector<std::string> recorded_fields(dlcert_managed managed, std::string_view condition) {
  const auto found = trace() == nullptr ? std::nullopt : snapshot_of(managed);
  if (!found) return {};
  Statements statements = lists_of(*found);
  add_struct(statements, *found, pointer_text(found->tensor().data));
  statements.push_back(fmt::format("return MUST({});", condition));
  return statements;
}

namespace {

// A program reads the elements where they lie.
void tell_elements(const Snapshot& found, const void* pointer, const Bytes& logical) {
  const std::string name = trace_name(pointer);
  const DLTensor& tensor = found.tensor();
  const bool in_c = described_in_c();
  const bool on_device = tensor.device.device_type != kDLCPU;
  const bool is_readable = in_c ? !on_device : tensor.dtype.bits >= 8;
  if (name == "unknown" || !logical_size(found) || !is_readable) return;
  tell_judged({.by = Judgement::By::value,
               .expected = to_literal(logical),
               .code = fmt::format("{}({})", on_device ? "elements_on_device" : "elements", name),
               .type = "judge_text"});
}

}  // namespace

std::vector<std::string> recorded_elements(dlcert_managed managed, const Bytes& logical) {
  const auto found = trace() == nullptr ? std::nullopt : snapshot_of(managed);
  if (!found) return {};
  tell_elements(*found, managed.pointer, logical);
  const std::string_view flags = found->versioned ? "exported.flags" : "0";
  // Without elements, or as many as there must be, memory makes no difference.
  if (logical.empty() || logical_size(*found) != logical.size())
    return recorded_fields(managed, fmt::format("elements_are(&exported.dl_tensor, {}, NULL, {})",
                                                flags, logical.size()));
  const std::size_t rows = rows_of(logical.size());
  if (rows >= most_rows) return {};
  const auto window =
      window_of(*found, static_cast<std::int64_t>((most_rows - rows) * bytes_in_row));
  if (!window) return {};
  Statements statements = lists_of(*found);
  add_bytes(statements, "static unsigned char memory[]", window->bytes);
  add_struct(statements, *found,
             fmt::format("memory + {}",
                         reinterpret_cast<std::uintptr_t>(found->tensor().data) - window->begin));
  add_bytes(statements, "static const unsigned char wanted[]",
            {reinterpret_cast<const unsigned char*>(logical.data()), logical.size()});
  statements.push_back(fmt::format(
      "return MUST(elements_are(&exported.dl_tensor, {}, wanted, sizeof(wanted)));", flags));
  return statements;
}

}  // namespace dlcert
