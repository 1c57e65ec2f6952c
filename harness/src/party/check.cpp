// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstring>
#include <iterator>

#include <dlcert/suite/check.hpp>
#include <dlcert/suite/trace.hpp>

#include "party/python_source.hpp"

namespace dlcert {

namespace {

constexpr std::size_t shown_bytes = 32;

void append_hex(std::string& out, std::span<const std::byte> bytes) {
  for (const std::byte byte : bytes)
    fmt::format_to(std::back_inserter(out), "{:02x}", std::to_integer<unsigned>(byte));
}

Failure unequal(std::string_view what, std::string expected, std::string found) {
  std::string message = fmt::format("{}: expected {} but found {}", what, expected, found);
  return {std::move(message), std::move(expected), std::move(found)};
}

}  // namespace

std::string_view Settings::policy(std::string_view name) const {
  const auto found = policies.find(name);
  if (found == policies.end()) throw DefectOfCheck{fmt::format("no policy is named '{}'", name)};
  return found->second;
}

void Case::minor(const std::function<void()>& assertions) {
  try {
    assertions();
  } catch (const AdapterFault&) {
    throw;
  } catch (const WrongBytes&) {
    throw;
  } catch (const Failure&) {
    if (!minor_failure_) minor_failure_ = std::current_exception();
  }
}

void Case::unload_subject() {
  if (!binding_.unload_subject) throw NotFormable{};
  if (TraceSink* const sink = trace())
    tell_step(*sink, fmt::format("unload {}", subject().label()),
              fmt::format("unload({});", subject().label()),
              {.kind = ProgramStep::Kind::missing, .code = "unload the library"});
  unloaded_ = true;
  binding_.unload_subject();
}

void tell_judged(const Judgement& judged) {
  TraceSink* const sink = trace();
  if (sink == nullptr) return;
  const bool is_in_python_alone =
      sink->language() == Language::c && !judged.code.empty() && judged.type.empty();
  sink->event({}, to_line(to_step(is_in_python_alone ? Judgement{} : judged)));
}

void tell_required() {
  TraceSink* const sink = trace();
  if (sink != nullptr) [[unlikely]]
    sink->event({}, to_line({.kind = ProgramStep::Kind::required}));
}

void fail(std::string message, const Judgement& judged) {
  tell_judged(judged);
  throw Failure{std::move(message), {}, {}};
}

void fail_by_error(std::string message) {
  Failure failure{std::move(message), {}, {}};
  failure.is_error = true;
  tell_judged({.by = Judgement::By::success});
  throw Failure{std::move(failure)};
}

void fail_equal(std::string_view what, std::string expected, std::string found,
                const Judgement& judged) {
  tell_judged(judged);
  throw unequal(what, std::move(expected), std::move(found));
}

void expect_equal(std::string_view what, const Bytes& expected, const Bytes& found) {
  // std::equal compares std::byte one by one.
  if (expected.size() == found.size() &&
      (expected.empty() || std::memcmp(expected.data(), found.data(), expected.size()) == 0))
      [[likely]]
    return;
  tell_judged(judged_answer(expected, found));
  throw WrongBytes{unequal(what, to_text(expected), to_text(found))};
}

std::string to_text(const Bytes& bytes) {
  const std::span<const std::byte> all{bytes};
  if (all.empty()) return "0 bytes";
  std::string out;
  if (all.size() <= shown_bytes) {
    append_hex(out, all);
    return fmt::format("{} bytes {}", all.size(), out);
  }
  append_hex(out, all.first(shown_bytes / 2));
  out += "...";
  append_hex(out, all.last(shown_bytes / 2));
  return fmt::format("{} bytes {}", all.size(), out);
}

std::string to_literal(std::string_view value) {
  return python::quoted(value);
}

std::string to_literal(dlcert_device device) {
  return python::tuple(device);
}

std::string to_literal(dlcert_dtype dtype) {
  return python::tuple(dtype);
}

std::string to_literal(const std::vector<std::int64_t>& values) {
  return python::list(values);
}

std::string to_literal(const Bytes& bytes) {
  std::string text;
  append_hex(text, bytes);
  return python::quoted(text);
}

std::string to_text(std::span<const std::int64_t> values) {
  return fmt::format("[{}]", fmt::join(values, ", "));
}

}  // namespace dlcert
