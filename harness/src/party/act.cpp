// SPDX-License-Identifier: Apache-2.0
#include "party/act.hpp"

#include <cctype>
#include <iterator>
#include <optional>

#include <dlcert/suite/check.hpp>
#include <dlcert/suite/recording.hpp>

#include "party/python_source.hpp"

namespace dlcert {

ActText comment(std::string text) {
  std::string inside = text;
  for (std::size_t end = 0; (end = inside.find("*/", end)) != std::string::npos;)
    inside.insert(end + 1, 1, ' ');
  std::string expression = fmt::format("/* {} */", inside);
  return {std::move(text), std::move(expression)};
}

namespace {

// Acts of this thread that have begun and not ended, of a described case.
thread_local int open_acts = 0;

// The step of a program in Python.
std::string python_line(const ActText& act, const std::string& name) {
  ProgramStep step = act.python;
  step.name = name;
  const bool is_missing = step.kind == ProgramStep::Kind::missing;
  if (step.kind == ProgramStep::Kind::nothing) return {};
  if (is_missing || step.code.empty())
    step = {.kind = ProgramStep::Kind::missing, .code = act.text};
  return to_line(step);
}

}  // namespace

void Act::announce(const ActText& act) {
  within_ = open_acts++ != 0;
  if (!act.prefix.empty()) name_ = new_trace_name(act.prefix);
  const std::string text = act.prefix.empty() ? act.text : fmt::format("{} = {}", name_, act.text);
  if (sink_->language() == Language::python) {
    performed_ = !act.python.code.empty() && !within_;
    sink_->event(text, within_ ? std::string{} : python_line(act, name_));
    return;
  }
  performed_ = !act.expression.starts_with("/*");
  sink_->event(text, act.prefix.empty()
                         ? act.expression + ";"
                         : fmt::format("{} {} = {};", act.type, name_, act.expression));
}

Act::~Act() {
  if (sink_ != nullptr) [[unlikely]]
    --open_acts;
}

void Act::named(const void* object) {
  if (sink_ != nullptr) [[unlikely]]
    bind_trace_name(object, name_);
}

void Act::made(const void* object) {
  named(object);
  done();
}

void Act::done() {
  if (sink_ != nullptr && sink_->language() == Language::c) [[unlikely]]
    result({}, "ok");
}

void Act::exported(dlcert_managed managed) {
  if (sink_ != nullptr) [[unlikely]] {
    made(managed.pointer);
    result({}, seen(managed));
  }
}

void Act::refused(const Error& error) {
  if (sink_ == nullptr) [[likely]]
    return;
  const std::string line = fmt::format("refused: {}", to_text(error));
  if (sink_->language() == Language::python)
    python_result(line, {.kind = ProgramStep::Kind::raised, .code = python::exception_name(error)});
  else
    result(line, "refused");
}

void Act::not_formable() {
  if (sink_ == nullptr) [[likely]]
    return;
  constexpr std::string_view line = "the library cannot form this call";
  if (sink_->language() == Language::python)
    python_result(line, {.kind = ProgramStep::Kind::not_made});
  else
    result(line, "not formable");
}

void Act::result(std::string_view line, std::string_view seen) {
  sink_->event(line.empty() ? std::string{} : fmt::format("  {}", line),
               performed_ && !seen.empty() ? c_saw(seen) : std::string{});
}

void Act::python_result(std::string_view line, const ProgramStep& step) {
  const bool is_empty = step.kind == ProgramStep::Kind::answered && step.code.empty();
  sink_->event(line.empty() ? std::string{} : fmt::format("  {}", line),
               performed_ && !is_empty ? to_line(step) : std::string{});
}

std::string c_saw(std::string_view seen) {
  return fmt::format("saw(\"{}\");", seen);
}

std::string c_literal(const char* text) {
  if (text == nullptr) return "NULL";
  std::string out = "\"";
  for (const char c : std::string_view{text}) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\' || c == '?')  // two ? may begin a trigraph
      fmt::format_to(std::back_inserter(out), "\\{}", c);
    else if (std::isprint(code) != 0)
      out += c;
    else
      fmt::format_to(std::back_inserter(out), "\\{:03o}", code);
  }
  return out + '"';
}

std::string c_bytes(const Bytes& bytes) {
  std::string out = "\"";
  for (const std::byte byte : bytes)
    fmt::format_to(std::back_inserter(out), "{:02x}", std::to_integer<unsigned>(byte));
  return out + '"';
}

std::string c_value(const dlcert_value& value) {
  switch (value.tag) {
    case DLCERT_NONE:
      return "NONE";
    case DLCERT_BOOL:
      return fmt::format("BOOL({})", value.first);
    case DLCERT_INT:
      return fmt::format("INT({})", value.first);
    case DLCERT_PAIR:
      return fmt::format("PAIR({}, {})", value.first, value.second);
    case DLCERT_FLOAT:
      return fmt::format("FLOAT({:#})", value.number);
    case DLCERT_TEXT:
      return fmt::format("TEXT({})", c_literal(value.text));
    default:
      return "ABSENT";
  }
}

std::string to_text(const Description& description) {
  std::string out = fmt::format("{} {} shape={}", to_text(description.dtype),
                                to_text(description.device), to_text(description.shape));
  if (description.strides) out += fmt::format(" strides={}", to_text(*description.strides));
  if (description.data != nullptr) out += fmt::format(" data={}", fmt::ptr(description.data));
  if (description.read_only) out += " read-only";
  return out;
}

namespace acts {

namespace {

constexpr std::string_view tensor_type = "dlcert_tensor*";

std::string c_spec(const TensorSpec& spec) {
  return fmt::format(
      "(dlcert_tensor_spec){{.struct_size = sizeof(dlcert_tensor_spec), .flags = {}, .state = {}, "
      ".ndim = {}, .dtype = {{{}, {}, {}}}, .device = {{{}, {}}}, .shape = {}, .strides = {}, "
      ".offset = {}, .storage_size = {}}}",
      spec.flags, spec.state, spec.shape.size(), spec.dtype.code, spec.dtype.bits, spec.dtype.lanes,
      spec.device.type, spec.device.id, c_array(spec.shape), c_array(spec.strides), spec.offset,
      spec.storage_size);
}

std::string c_request(const dlcert_request& request) {
  return fmt::format("REQUEST({}, {}, {}, {})", c_value(request.stream),
                     c_value(request.max_version), c_value(request.dl_device),
                     c_value(request.copy));
}

// Where a bare pointer comes from: the pointer of a managed tensor that has a name, or nothing the
// program knows.
std::string c_pointer(const void* pointer) {
  const std::string name = trace_name(pointer);
  return name == "NULL" || name == "unknown" ? name : name + ".pointer";
}

}  // namespace

ActText can(std::string_view library, const TensorSpec& spec) {
  return {fmt::format("{}.can({})", library, to_text(spec)),
          fmt::format("can({}, {})", library, c_spec(spec))};
}

ActText can_import(std::string_view library, const TensorSpec& spec) {
  return {fmt::format("{}.can_import({})", library, to_text(spec)),
          fmt::format("can_import({}, {})", library, c_spec(spec))};
}

ActText live_allocations(std::string_view library) {
  return {fmt::format("{}.live_allocations()", library),
          fmt::format("live_allocations({})", library)};
}

ActText create(std::string_view library, const TensorSpec& spec, const Bytes& logical) {
  return {fmt::format("{}.create({}, {})", library, to_text(spec), to_text(logical)),
          fmt::format("create({}, {}, {})", library, c_spec(spec), c_bytes(logical)), tensor_type,
          "t"};
}

ActText read(std::string_view library, const Tensor& tensor, std::size_t size) {
  const std::string name = trace_name(tensor.handle());
  return {fmt::format("{}.read({})", library, name),
          fmt::format("read_bytes({}, {}, {})", library, name, size)};
}

ActText write(std::string_view library, const Tensor& tensor, const Bytes& logical) {
  const std::string name = trace_name(tensor.handle());
  return {fmt::format("{}.write({}, {})", library, name, to_text(logical)),
          fmt::format("write_bytes({}, {}, {})", library, name, c_bytes(logical))};
}

ActText plain(std::string_view library, std::string_view call, const void* object,
              std::string_view type, std::string_view prefix) {
  const std::string name = trace_name(object);
  return {fmt::format("{}.{}({})", library, call, name),
          fmt::format("{}({}, {})", call, library, name), type, prefix};
}

ActText fail_allocation(std::string_view library, std::int64_t successes) {
  return {fmt::format("{}.fail_allocation({})", library, successes),
          fmt::format("fail_allocation({}, {})", library, successes)};
}

ActText exported(std::string_view library, std::string_view call, const Tensor& tensor,
                 const dlcert_request& request, std::string_view type, std::string_view prefix) {
  const std::string name = trace_name(tensor.handle());
  const std::string arguments = to_text(request);
  return {
      fmt::format("{}.{}({}{}{})", library, call, name, arguments.empty() ? "" : ", ", arguments),
      fmt::format("{}({}, {}, {})", call, library, name, c_request(request)), type, prefix,
      call == "export_capsule"
          ? python::call(fmt::format("{}.__dlpack__({})", name, python::arguments(request)))
          : python::missing()};
}

ActText import_managed(std::string_view library, dlcert_managed managed) {
  const std::string name = trace_name(managed.pointer);
  const bool named = name != "NULL" && name != "unknown";
  const std::string argument =
      named ? name : fmt::format("(dlcert_managed){{.form = {}}}", managed.form);
  return {fmt::format("{}.import_managed({})", library, name),
          fmt::format("import_managed({}, {})", library, argument), tensor_type, "t"};
}

ActText import_from(std::string_view library, const dlcert_producer& producer,
                    const dlcert_import_request& request) {
  const std::string name = trace_name(&producer);
  const std::string arguments = to_text(request);
  return {fmt::format("{}.import_from({}{}{})", library, name, arguments.empty() ? "" : ", ",
                      arguments),
          fmt::format("import_from({}, {}, IMPORT({}, {}))", library, name, c_value(request.device),
                      c_value(request.copy)),
          tensor_type, "t"};
}

namespace {

// One as a producer makes it; no other can be made without a name that lives as long.
ProgramStep python_capsule(const void* pointer, const char* name, bool destructor) {
  const std::string managed = trace_name(pointer);
  const bool usual =
      name != nullptr && destructor && managed != "NULL" && managed != "unknown" &&
      (std::string_view{name} == "dltensor" || std::string_view{name} == "dltensor_versioned");
  return usual ? python::own(fmt::format("capsule({})", managed), "capsule") : python::missing();
}

}  // namespace

ActText make_capsule(std::string_view library, const void* pointer, const char* name,
                     bool destructor) {
  return {fmt::format("{}.make_capsule({}, {}{})", library, trace_name(pointer), c_literal(name),
                      destructor ? ", destructor" : ""),
          fmt::format("make_capsule({}, {}, {}, {})", library, c_pointer(pointer), c_literal(name),
                      destructor ? "release_unless_used" : "NULL"),
          "dlcert_capsule*", "c", python_capsule(pointer, name, destructor)};
}

ActText capsule_text(std::string_view library, std::string_view call, const Capsule& capsule,
                     const char* name) {
  const std::string object = trace_name(capsule.handle());
  return {fmt::format("{}.{}({}, {})", library, call, object, c_literal(name)),
          fmt::format("{}({}, {}, {})", call, library, object, c_literal(name))};
}

ActText call_deleter(const void* managed) {
  const std::string name = trace_name(managed);
  return {fmt::format("call the deleter of {}", name),
          fmt::format("call_deleter({})", name),
          {},
          {},
          name == "NULL" || name == "unknown"
              ? python::missing()
              : python::call(fmt::format("delete({})", name), {}, "delete")};
}

}  // namespace acts

}  // namespace dlcert
