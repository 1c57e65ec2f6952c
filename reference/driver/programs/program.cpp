// SPDX-License-Identifier: Apache-2.0

#include "program.hpp"

#include <algorithm>

namespace dlcert::driver::programs {
namespace {

std::string operand_text(OperandKind kind, int operand) {
  const auto words = words_of(kind);
  if (!words.empty()) return std::string(words[static_cast<std::size_t>(operand)]);
  if (operand < 0)
    return std::string(fixed_handles_of(kind)[static_cast<std::size_t>(-1 - operand)]);
  return std::string(prefix_of(kind)) + std::to_string(operand);
}

std::string outcome_text(const Verb& verb, const Outcome& outcome) {
  std::string text = std::to_string(outcome.status);
  if (outcome.word != Outcome::no_word)
    text += ":" + std::string(verb.found_words[static_cast<std::size_t>(outcome.word)]);
  return text;
}

template <class Values, class ToText>
std::string joined(const Values& values, ToText&& to_text_of) {
  std::string text;
  for (const auto& value : values)
    text += (text.empty() ? "" : "|") + to_text_of(value);
  return text.empty() ? "?" : text;
}

std::string to_text(const Step& step) {
  const Verb& verb = verb_of(step.verb);
  std::string text = "t" + std::to_string(step.thread) + " " + std::string(verb.text);
  for (std::size_t i = 0; i < verb.operands.size(); ++i)
    text += " " + operand_text(verb.operands[i].kind, step.operands[i]);
  return text + " = " + to_text(step.verb, step.recorded);
}

std::string to_text(const Buffer& buffer, std::size_t number) {
  const bool none = buffer.device == no_device;
  std::string text = "buffer b" + std::to_string(number) + " " +
                     (none ? "none" : std::to_string(buffer.device));
  if (buffer.kind != MemoryKind::device)
    text.append(" ").append(memory_kinds.at(static_cast<std::size_t>(buffer.kind)));
  return text + "\n";
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

void replace_value(std::string& line, const std::string& value) {
  line.resize(line.rfind('=') + 1);
  line += " " + value;
}

}  // namespace

std::string to_text(VerbName verb, const std::set<Outcome>& outcomes) {
  return joined(outcomes, [&](const Outcome& each) { return outcome_text(verb_of(verb), each); });
}

std::string to_text(const std::set<int>& bytes) {
  return joined(bytes, [](int byte) { return std::to_string(byte); });
}

std::string to_text(const Program& program) {
  std::string text = "program " + program.name + "\n";
  if (program.devices != 1) text += "devices " + std::to_string(program.devices) + "\n";
  for (std::size_t i = 0; i < program.buffers.size(); ++i)
    text += to_text(program.buffers[i], i);
  for (const Step& step : program.steps)
    text += to_text(step) + "\n";
  for (std::size_t i = 0; i < program.buffers.size(); ++i)
    if (program.buffers[i].device != no_device)
      text += "final b" + std::to_string(i) + " = " + to_text(program.buffers[i].recorded) + "\n";
  return text;
}

std::string with_recorded(std::string_view text, const std::vector<Program>& programs) {
  std::vector<std::string> lines = lines_of(text);
  const auto line = [&](int number) -> std::string& {
    return lines.at(static_cast<std::size_t>(number) - 1);
  };
  for (const Program& program : programs) {
    for (const Step& step : program.steps)
      replace_value(line(step.line), to_text(step.verb, step.recorded));
    for (const Buffer& buffer : program.buffers)
      if (buffer.device != no_device) replace_value(line(buffer.line), to_text(buffer.recorded));
  }
  std::string changed;
  for (const std::string& each : lines)
    changed += each + "\n";
  return changed;
}

}  // namespace dlcert::driver::programs
