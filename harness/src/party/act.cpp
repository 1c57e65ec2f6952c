// SPDX-License-Identifier: Apache-2.0
#include "party/act.hpp"

#include <array>
#include <cctype>
#include <iterator>
#include <optional>

#include <dlcert/suite/check.hpp>
#include <dlcert/suite/recording.hpp>

#include "party/python_source.hpp"

namespace dlcert {

ActText comment(std::string text) {
  ActText act{std::move(text), {}};
  act.c = ProgramStep::Kind::missing;
  return act;
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

// The step of a program in C.
std::string c_line(const ActText& act, const std::string& name) {
  if (act.c == ProgramStep::Kind::missing) return to_line({.kind = act.c, .code = act.text});
  return to_line({.kind = act.c,
                  .code = act.expression,
                  .name = name,
                  .type = std::string{act.prefix.empty() ? act.judge : act.type}});
}

}  // namespace

void Act::announce(const ActText& act) {
  within_ = open_acts++ != 0;
  if (!act.prefix.empty()) name_ = new_trace_name(act.prefix);
  const std::string text = act.prefix.empty() ? act.text : fmt::format("{} = {}", name_, act.text);
  const bool in_python = sink_->language() == Language::python;
  performed_ = !within_ && (in_python ? !act.python.code.empty() : !act.expression.empty());
  std::string step;
  if (!within_) step = in_python ? python_line(act, name_) : c_line(act, name_);
  sink_->event(text, step);
}

Act::~Act() {
  if (sink_ != nullptr) [[unlikely]]
    --open_acts;
}

Act::Block::Block(Act& act, const ProgramStep& begins) {
  const bool in_python = act.sink_ != nullptr && act.sink_->language() == Language::python;
  if (!in_python || act.within_) return;
  sink_ = act.sink_;
  --open_acts;
  sink_->event({}, to_line(begins));
}

Act::Block::~Block() {
  if (sink_ == nullptr) return;
  sink_->event({}, to_line({.kind = ProgramStep::Kind::ends}));
  ++open_acts;
}

void Act::named(const void* object) {
  if (sink_ != nullptr) [[unlikely]]
    bind_trace_name(object, name_);
}

void Act::made(const void* object) {
  named(object);
}

void Act::refused(const Error& error) {
  if (sink_ == nullptr) [[likely]]
    return;
  result(fmt::format("refused: {}", to_text(error)),
         {.kind = ProgramStep::Kind::raised, .code = python::exception_name(error)});
}

void Act::not_formable() {
  if (sink_ == nullptr) [[likely]]
    return;
  result("the library cannot form this call", {.kind = ProgramStep::Kind::not_made});
}

// To a program in C, a description is several answers.
void Act::tell_description(const Description& description) {
  if (sink_ == nullptr) [[likely]]
    return;
  result(to_text(description));
  if (sink_->language() != Language::c || !performed_) return;
  const auto answer = [&](const char* function, std::string literal) {
    sink_->event({}, to_line({.kind = ProgramStep::Kind::answered,
                              .code = std::move(literal),
                              .type = function}));
  };
  answer("described_dtype", python::tuple(description.dtype));
  answer("described_device", python::tuple(description.device));
  answer("described_shape", python::list(description.shape));
  answer("described_strides", python::list(description.strides));
}

void Act::result(std::string_view line, const ProgramStep& step) {
  const bool is_empty = step.kind == ProgramStep::Kind::nothing ||
                        (step.kind == ProgramStep::Kind::answered && step.code.empty());
  sink_->event(line.empty() ? std::string{} : fmt::format("  {}", line),
               performed_ && !is_empty ? to_line(step) : std::string{});
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

ActText question(ActText act) {
  act.c = ProgramStep::Kind::question;
  act.judge = "judge_text";
  return act;
}

ActText without_outcome(ActText act) {
  act.c = ProgramStep::Kind::own;
  return act;
}

namespace {

constexpr std::string_view tensor_type = "dlcert_tensor*";

constexpr std::array<std::string_view, 3> spec_flags{
    "DLCERT_SPEC_READ_ONLY", "DLCERT_SPEC_SUBBYTE_PADDED", "DLCERT_SPEC_BYTE_STRIDES"};

constexpr std::array<std::string_view, DLCERT_STATE_COUNT> states{
    "PLAIN",     "BYTE_SWAPPED",      "RECORD",    "EXTENDED_FLOAT", "BFLOAT_COMPLEX",
    "QUANTIZED", "REQUIRES_GRADIENT", "CONJUGATE", "NEGATED",        "SPARSE",
    "STRING",    "MISSING",           "RAGGED",    "NOT_EXPORTED"};

std::string c_state(std::int32_t state) {
  return state > 0 && state < DLCERT_STATE_COUNT
             ? fmt::format("DLCERT_STATE_{}", states[static_cast<std::size_t>(state)])
             : fmt::format("{}", state);
}

std::string c_spec(const TensorSpec& spec) {
  std::string out =
      fmt::format("SPEC(.dtype = {{{}, {}, {}}}, .device = {{{}, {}}}", spec.dtype.code,
                  spec.dtype.bits, spec.dtype.lanes, spec.device.type, spec.device.id);
  if (!spec.shape.empty())
    out += fmt::format(", .ndim = {}, .shape = {}, .strides = {}", spec.shape.size(),
                       c_extents(spec.shape), c_extents(spec.strides));
  if (spec.offset != 0) out += fmt::format(", .offset = {}", spec.offset);
  out += fmt::format(", .storage_size = {}", spec.storage_size);
  if (spec.flags != 0) out += fmt::format(", .flags = {}", c_flags(spec.flags, spec_flags));
  if (spec.state != 0) out += fmt::format(", .state = {}", c_state(spec.state));
  return out + ")";
}

using NamedValue = std::pair<std::string_view, const dlcert_value*>;

// The call of a macro that names the values which are there.
std::string with_arguments(std::string_view macro, std::initializer_list<NamedValue> values) {
  std::vector<std::string> arguments;
  for (const auto& [name, value] : values)
    if (value->tag != DLCERT_ABSENT)
      arguments.push_back(fmt::format(".{} = {}", name, c_value(*value)));
  // C11 wants an argument.
  if (arguments.empty()) arguments.push_back(fmt::format(".{} = ABSENT", values.begin()->first));
  return fmt::format("{}({})", macro, fmt::join(arguments, ", "));
}

std::string c_request(const dlcert_request& request) {
  return with_arguments("REQUEST", {{"stream", &request.stream},
                                    {"max_version", &request.max_version},
                                    {"dl_device", &request.dl_device},
                                    {"copy", &request.copy}});
}

// Where a bare pointer comes from: the pointer of a managed tensor that has a name, or nothing the
// program knows.
std::string c_pointer(const void* pointer) {
  const std::string name = trace_name(pointer);
  return name == "NULL" || name == "unknown" ? name : name + ".pointer";
}

}  // namespace

ActText can(std::string_view library, const TensorSpec& spec) {
  return question({fmt::format("{}.can({})", library, to_text(spec)),
                   fmt::format("can({}, {})", library, c_spec(spec))});
}

ActText can_import(std::string_view library, const TensorSpec& spec) {
  return question({fmt::format("{}.can_import({})", library, to_text(spec)),
                   fmt::format("can_import({}, {})", library, c_spec(spec))});
}

ActText live_allocations(std::string_view library) {
  return question({fmt::format("{}.live_allocations()", library),
                   fmt::format("live_allocations({})", library)});
}

ActText create(std::string_view library, const TensorSpec& spec, const Bytes& logical) {
  return {fmt::format("{}.create({}, {})", library, to_text(spec), to_text(logical)),
          fmt::format("create({}, {}, {})", library, c_spec(spec), c_bytes(logical)), tensor_type,
          "t"};
}

ActText read(std::string_view library, const Tensor& tensor, std::size_t size) {
  const std::string name = trace_name(tensor.handle());
  return question({fmt::format("{}.read({})", library, name),
                   fmt::format("read_bytes({}, {}, {})", library, name, size)});
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
  return without_outcome({fmt::format("{}.fail_allocation({})", library, successes),
                          fmt::format("fail_allocation({}, {})", library, successes)});
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
  return {
      fmt::format("{}.import_from({}{}{})", library, name, arguments.empty() ? "" : ", ",
                  arguments),
      fmt::format("import_from({}, {}, {})", library, name,
                  with_arguments("IMPORT", {{"device", &request.device}, {"copy", &request.copy}})),
      tensor_type, "t"};
}

namespace {

// One as a producer makes it; no other can be made without a name that lives as long.
ProgramStep python_capsule(const void* pointer, const char* name, bool destructor) {
  const std::string managed = trace_name(pointer);
  const bool usual =
      name != nullptr && destructor && managed != "NULL" && managed != "unknown" &&
      (std::string_view{name} == "dltensor" || std::string_view{name} == "dltensor_versioned");
  return usual ? python::own(fmt::format("new_capsule({})", managed)) : python::missing();
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
  return without_outcome({fmt::format("call the deleter of {}", name),
                          fmt::format("call_deleter({})", name),
                          {},
                          {},
                          name == "NULL" || name == "unknown"
                              ? python::missing()
                              : python::call(fmt::format("delete({})", name))});
}

}  // namespace acts

}  // namespace dlcert
