// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

#include "program.hpp"

namespace dlcert::driver::programs {
namespace {

constexpr std::string_view blanks = " \t\r";
constexpr std::size_t longest_shown = 40;

std::string quoted(std::string_view found) {
  if (found.empty()) return "the end of the line";
  return "'" + std::string(found.substr(0, longest_shown)) + "'";
}

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = std::min(text.find_first_of(separators), text.size());
    parts.push_back(text.substr(0, end));
    if (end == text.size()) return parts;
    text.remove_prefix(end + 1);
  }
}

std::optional<int> number_in(std::string_view text, int end) {
  int number = 0;
  const auto [last, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || last != text.data() + text.size() || number < 0 || number >= end)
    return std::nullopt;
  return number;
}

std::optional<int> index_of(std::string_view text, std::span<const std::string_view> words) {
  const auto found = std::ranges::find(words, text);
  if (found == words.end()) return std::nullopt;
  return static_cast<int>(found - words.begin());
}

class Parser {
 public:
  Parser(std::string_view file, Unrecorded unrecorded) : file_{file}, unrecorded_{unrecorded} {}

  std::vector<Program> operator()(std::string_view text) {
    for (const std::string_view line : split(text, "\n")) {
      ++line_;
      words_.clear();
      for (const std::string_view word : split(line.substr(0, line.find('#')), blanks))
        if (!word.empty()) words_.push_back(word);
      next_ = 0;
      if (!words_.empty()) parse_line();
    }
    end_program();
    return std::move(programs_);
  }

 private:
  // What has been done to the handles of one program.
  using Handle = std::pair<OperandKind, int>;
  enum class Life : std::uint8_t { live, ended };

  [[noreturn]] void fail(std::string_view expected, std::string_view found) const {
    throw ParseError(file_ + ":" + std::to_string(line_) + ": expected " + std::string(expected) +
                     " but found " + std::string(found));
  }

  std::string_view take() { return next_ < words_.size() ? words_[next_++] : std::string_view{}; }

  void end_line() {
    const std::string_view found = take();
    if (!found.empty()) fail("the end of the line", quoted(found));
  }

  void parse_line() {
    const std::string_view word = take();
    if (word == "program") return begin_program();
    if (programs_.empty()) fail("'program NAME'", quoted(word));
    if (word == "devices") return parse_devices();
    if (word == "buffer") return parse_buffer();
    if (word == "final") return parse_final();
    return parse_step(word);
  }

  Program& program() { return programs_.back(); }

  void begin_program() {
    end_program();
    const std::string_view name = take();
    const bool is_name =
        !name.empty() &&
        name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string_view::npos;
    if (!is_name) fail("a name of a-z, 0-9 and _", quoted(name));
    if (std::ranges::find(programs_, name, &Program::name) != programs_.end())
      fail("a name that no other program of the file has", quoted(name));
    end_line();
    handles_.clear();
    programs_.push_back(
        {.line = line_, .name = std::string(name), .devices = 1, .buffers = {}, .steps = {}});
  }

  void end_program() {
    if (programs_.empty()) return;
    if (program().steps.empty()) fail("a step of program '" + program().name + "'", "none");
    for (std::size_t i = 0; i < program().buffers.size(); ++i)
      if (program().buffers[i].line == 0 && program().buffers[i].device != no_device)
        fail("'final b" + std::to_string(i) + " = ...' of program '" + program().name + "'",
             "none");
  }

  void parse_devices() {
    if (!program().buffers.empty() || !program().steps.empty())
      fail("the devices before the buffers and the steps", "'devices'");
    program().devices = parse_number("a count of devices", max_count);
    if (program().devices == 0) fail("at least 1 device", "'0'");
    end_line();
  }

  void parse_buffer() {
    const std::string name = "b" + std::to_string(program().buffers.size());
    if (!program().steps.empty()) fail("the buffers before the steps", "'buffer'");
    const std::string_view found = take();
    if (found != name || program().buffers.size() >= max_count)
      fail("buffer " + name + ", of at most " + std::to_string(max_count), quoted(found));
    Buffer buffer;
    if (next_ < words_.size() && words_[next_] == "none") {
      take();
      buffer.device = no_device;
    } else {
      buffer.device = parse_number("a device of the program", program().devices);
      if (next_ < words_.size()) buffer.kind = parse_kind();
    }
    program().buffers.push_back(buffer);
    end_line();
  }

  MemoryKind parse_kind() {
    const std::string_view text = take();
    const std::optional<int> kind = index_of(text, memory_kinds);
    if (!kind) fail("pageable, device or pinned", quoted(text));
    return static_cast<MemoryKind>(*kind);
  }

  void parse_final() {
    const std::string_view found = take();
    Buffer& buffer = program().buffers[static_cast<std::size_t>(buffer_number(found))];
    if (buffer.device == no_device)
      fail("the end of a buffer that is there at the start", quoted(found));
    if (buffer.line != 0)
      fail("one end of " + std::string(found),
           "a second one after line " + std::to_string(buffer.line));
    buffer.line = line_;
    parse_recorded([&](std::string_view text) {
      const std::optional<int> byte = number_in(text, 256);
      if (!byte) fail("bytes of 0 to 255, as in '1|2'", quoted(text));
      buffer.recorded.insert(*byte);
    });
  }

  void parse_step(std::string_view thread) {
    Step step;
    step.line = line_;
    const std::optional<int> number =
        thread.starts_with('t') ? number_in(thread.substr(1), max_count) : std::nullopt;
    if (!number) fail("'program', 'buffer', 'final' or a thread such as t0", quoted(thread));
    if (std::ranges::any_of(program().buffers, [](const Buffer& each) { return each.line != 0; }))
      fail("the steps before 'final'", quoted(thread));
    step.thread = *number;
    const std::string_view name = take();
    const VerbName* const verb = find_verb(name);
    if (verb == nullptr) fail("a step such as fill or wait", quoted(name));
    step.verb = *verb;
    for (const Operand& operand : verb_of(*verb).operands)
      step.operands.push_back(parse_operand(operand));
    check_buffers(step);
    parse_recorded([&](std::string_view text) {
      step.recorded.insert(parse_outcome(verb_of(step.verb), text));
    });
    program().steps.push_back(std::move(step));
  }

  void check_buffers(const Step& step) const {
    const auto operands = verb_of(step.verb).operands;
    const bool is_copy = operands.size() > 1 && operands[0].kind == OperandKind::buffer &&
                         operands[1].kind == OperandKind::buffer;
    if (is_copy && step.operands[0] == step.operands[1]) fail("two buffers", "one twice");
    if (step.verb != VerbName::host_fill) return;
    const auto number = static_cast<std::size_t>(step.operands[0]);
    if (program().buffers[number].kind == MemoryKind::device)
      fail("a buffer of the host's", "'b" + std::to_string(number) + "'");
  }

  template <class Add>
  void parse_recorded(Add&& add) {
    const std::string_view equals = take();
    if (equals != "=") fail("'='", quoted(equals));
    const std::string_view text = take();
    end_line();
    if (text == "?" && unrecorded_ == Unrecorded::allowed) return;
    for (const std::string_view each : split(text, "|"))
      add(each);
  }

  Outcome parse_outcome(const Verb& verb, std::string_view text) const {
    const std::size_t colon = std::min(text.find(':'), text.size());
    const std::optional<int> status = number_in(text.substr(0, colon), 1000);
    if (!status) fail("status numbers below 1000, as in '0|600'", quoted(text));
    Outcome outcome{.status = *status};
    const bool has_word = !verb.found_words.empty() && *status == 0;
    if (has_word != (colon != text.size()))
      fail(has_word ? "'0:' and what was found" : "a status alone", quoted(text));
    if (!has_word) return outcome;
    const std::optional<int> word = index_of(text.substr(colon + 1), verb.found_words);
    if (!word) fail("what " + std::string(verb.text) + " can find", quoted(text));
    outcome.word = *word;
    return outcome;
  }

  int parse_number(std::string_view what, int end) {
    const std::string_view text = take();
    const std::optional<int> number = number_in(text, end);
    if (!number) fail(std::string(what) + " below " + std::to_string(end), quoted(text));
    return *number;
  }

  int parse_operand(const Operand& operand) {
    if (operand.kind == OperandKind::device) return parse_number("a device", max_count);
    if (operand.kind == OperandKind::value) return parse_number("a byte", 256);
    const std::string_view text = take();
    if (operand.kind == OperandKind::buffer) return buffer_number(text);
    if (const auto words = words_of(operand.kind); !words.empty()) {
      const std::optional<int> word = index_of(text, words);
      if (!word) fail(description_of(operand.kind), quoted(text));
      return *word;
    }
    return parse_handle(operand, text);
  }

  int buffer_number(std::string_view text) const {
    const auto end = static_cast<int>(program().buffers.size());
    const std::optional<int> number =
        text.starts_with('b') ? number_in(text.substr(1), end) : std::nullopt;
    if (!number) fail("a buffer of the program", quoted(text));
    return *number;
  }
  const Program& program() const { return programs_.back(); }

  int parse_handle(const Operand& operand, std::string_view text) {
    const std::string_view prefix = prefix_of(operand.kind);
    const std::string what{description_of(operand.kind)};
    if (operand.use == Use::use)
      if (const auto fixed = index_of(text, fixed_handles_of(operand.kind))) return -1 - *fixed;
    const std::optional<int> number =
        text.starts_with(prefix) ? number_in(text.substr(prefix.size()), max_count) : std::nullopt;
    if (!number) fail(what + " such as " + std::string(prefix) + "0", quoted(text));
    const Handle handle{operand.kind, *number};
    const auto known = handles_.find(handle);
    if (operand.use == Use::create) {
      if (known != handles_.end()) fail(what + " that is new", quoted(text));
      handles_[handle] = Life::live;
    } else if (known == handles_.end()) {
      fail(what + " that an earlier step creates", quoted(text));
    } else if (known->second == Life::ended) {
      fail(what + " that no earlier step destroys", quoted(text));
    } else if (operand.use == Use::destroy) {
      known->second = Life::ended;
    }
    return *number;
  }

  std::string file_;
  Unrecorded unrecorded_;
  int line_ = 0;
  std::vector<std::string_view> words_;
  std::size_t next_ = 0;
  std::map<Handle, Life> handles_;
  std::vector<Program> programs_;
};

}  // namespace

std::vector<Program> parse(std::string_view file, std::string_view text, Unrecorded unrecorded) {
  return Parser{file, unrecorded}(text);
}

}  // namespace dlcert::driver::programs
