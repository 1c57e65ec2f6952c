// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <utility>

#include <dlcert/suite/trace.hpp>

namespace dlcert {

namespace {

std::atomic<TraceSink*> current_sink{nullptr};

std::atomic<int> asides{0};

// Only touched while a case is described; bodies may use threads.
std::mutex names_mutex;
std::map<std::string, int, std::less<>> last_number;
std::map<const void*, std::string> names;

}  // namespace

struct TraceAside::Names {
  std::map<std::string, int, std::less<>> last_number;
  std::map<const void*, std::string> names;
};

TraceSink* trace() {
  return current_sink.load(std::memory_order_acquire);
}

void set_trace(TraceSink* sink) {
  const std::lock_guard lock{names_mutex};
  last_number.clear();
  names.clear();
  current_sink.store(sink, std::memory_order_release);
}

TracePause::TracePause() : sink_{current_sink.exchange(nullptr)} {}

TracePause::~TracePause() {
  current_sink.store(sink_);
}

TraceAside::TraceAside() : sink_{trace()} {
  ++asides;
  if (sink_ == nullptr) return;
  told_ = sink_->told();
  const std::lock_guard lock{names_mutex};
  names_ = std::make_unique<Names>(Names{last_number, names});
}

TraceAside::~TraceAside() {
  --asides;
  if (sink_ == nullptr) return;
  sink_->withdraw_behind(told_);
  const std::lock_guard lock{names_mutex};
  last_number = std::move(names_->last_number);
  names = std::move(names_->names);
}

bool TraceAside::any() {
  return asides != 0;
}

namespace {

// A variable of a program in Python has a whole word.
std::string_view long_prefix(std::string_view prefix) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> words{
      {{"t", "tensor"}, {"m", "managed"}, {"c", "capsule"}, {"p", "producer"}}};
  for (const auto& [letter, word] : words)
    if (prefix == letter) return word;
  return prefix;
}

}  // namespace

std::string new_trace_name(std::string_view prefix) {
  const TraceSink* const sink = trace();
  if (sink != nullptr && sink->language() == Language::python) prefix = long_prefix(prefix);
  const std::lock_guard lock{names_mutex};
  const auto place = last_number.try_emplace(std::string{prefix}, 0).first;
  return fmt::format("{}{}", prefix, ++place->second);
}

void bind_trace_name(const void* object, std::string name) {
  const std::lock_guard lock{names_mutex};
  names[object] = std::move(name);
}

std::string trace_name(const void* object) {
  if (object == nullptr) return "NULL";
  const std::lock_guard lock{names_mutex};
  const auto found = names.find(object);
  return found == names.end() ? "unknown" : found->second;
}

std::string trace_stream(std::uint64_t native) {
  constexpr std::uint64_t least_handle = 4096;  // smaller numbers are none
  const std::string name = trace_name(reinterpret_cast<const void*>(native));
  if (name != "NULL" && name != "unknown") return name;
  TraceSink* const sink = trace();
  if (native >= least_handle && sink != nullptr && sink->language() == Language::python)
    sink->event(
        {}, to_line({.kind = ProgramStep::Kind::missing, .code = "use a stream of the library"}));
  return std::to_string(native);
}

}  // namespace dlcert
