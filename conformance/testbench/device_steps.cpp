// SPDX-License-Identifier: Apache-2.0
#include "testbench/device_steps.hpp"

#include <fmt/format.h>

#include <dlcert/suite/trace.hpp>

namespace dlcert::testbench {

namespace {

const void* address_of(const StreamHandle& stream) {
  return reinterpret_cast<const void*>(stream.native);
}

}  // namespace

std::string name_of(const StreamHandle& stream) {
  return fmt::format("the {} stream {:#x} of device {}", to_text(stream.kind),
                     static_cast<std::uintptr_t>(stream.native), stream.device);
}

std::string name_of(const Range& range) {
  return fmt::format("{} bytes at {}", range.size, fmt::ptr(range.begin));
}

std::string handle_text(const StreamHandle& stream) {
  return trace() == nullptr ? std::string{}
                            : trace_stream(static_cast<std::uint64_t>(stream.native));
}

void tell(const std::string& text, const std::optional<ProgramStep>& in_python) {
  const bool is_of_machine = in_python && in_python->kind == ProgramStep::Kind::nothing;
  if (TraceSink* const sink = trace())
    tell_step(*sink, text, is_of_machine ? std::string{} : fmt::format("/* {} */", text),
              in_python.value_or(ProgramStep{.kind = ProgramStep::Kind::missing, .code = text}));
}

void tell_answer(const std::string& question, const std::string& answer) {
  TraceSink* const sink = trace();
  if (sink == nullptr || sink->language() == Language::c) return;
  sink->event({}, to_line({.kind = ProgramStep::Kind::question, .code = question}));
  sink->event({}, to_line({.kind = ProgramStep::Kind::answered, .code = answer}));
}

ProgramStep by_part(std::string_view part, const std::string& arguments, std::string name) {
  return {.kind = ProgramStep::Kind::own,
          .code = fmt::format("{}({})", part, arguments),
          .name = std::move(name)};
}

std::string variable_of(const void* address) {
  const std::string name = trace_name(address);
  return name == "NULL" || name == "unknown" ? std::string{} : name;
}

std::string name_anew(const void* made, std::string_view prefix) {
  if (trace() == nullptr) return {};
  std::string name = new_trace_name(prefix);
  bind_trace_name(made, name);
  return name;
}

std::string name_anew(const StreamHandle& stream) {
  return name_anew(address_of(stream), "stream");
}

void tell_read_on(const StreamHandle& stream, const Managed& managed, const Bytes& elements) {
  const std::string name = variable_of(managed.raw().pointer);
  if (name.empty() || managed.tensor().dtype.bits < 8) return;
  tell_answer(fmt::format("read_on({}, {})", handle_text(stream), name), to_literal(elements));
}

void tell_device(int device) {
  tell(fmt::format("set_device({})", device), by_part("set_device", std::to_string(device)));
}

}  // namespace dlcert::testbench
