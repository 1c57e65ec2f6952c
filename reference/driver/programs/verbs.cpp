// SPDX-License-Identifier: Apache-2.0

#include "verbs.hpp"

#include <array>

namespace dlcert::driver::programs {
namespace {

using enum OperandKind;

constexpr std::array<std::string_view, 2> stream_kinds{"blocking", "non_blocking"};
constexpr std::array<std::string_view, 2> timings{"timed", "untimed"};
constexpr std::array<std::string_view, 3> modes{"global", "thread_local", "relaxed"};
constexpr std::array<std::string_view, 5> directions{
    "host_to_host", "host_to_device", "device_to_host", "device_to_device", "inferred"};
constexpr std::array<std::string_view, 3> capture_states{"none", "active", "invalidated"};
constexpr std::array<std::string_view, 3> fixed_streams{"null", "legacy", "per_thread"};
constexpr std::array<std::string_view, 1> fixed_events{"null"};

template <Operand... operands>
constexpr std::array<Operand, sizeof...(operands)> list{operands...};

template <Operand... operands>
constexpr std::span<const Operand> takes{list<operands...>};

constexpr Operand a_stream{stream}, an_event{event}, a_graph{graph}, an_exec{exec},
    a_buffer{buffer};

// In the order of VerbName.
constexpr std::array verbs{
    Verb{"set_device", "SetDevice", takes<Operand{device}>},
    Verb{"create_stream", "StreamCreateWithPriority",
         takes<Operand{stream, Use::create}, Operand{stream_kind}>},
    Verb{"destroy_stream", "StreamDestroy", takes<Operand{stream, Use::destroy}>},
    Verb{"create_event", "EventCreateWithFlags",
         takes<Operand{event, Use::create}, Operand{timing}>},
    Verb{"destroy_event", "EventDestroy", takes<Operand{event, Use::destroy}>},
    Verb{"fill", "MemsetAsync", takes<a_buffer, Operand{value}, a_stream>},
    Verb{"copy", "MemcpyAsync", takes<a_buffer, a_buffer, a_stream>},
    Verb{"blocking_fill", "Memset", takes<a_buffer, Operand{value}>},
    Verb{"blocking_copy", "Memcpy", takes<a_buffer, a_buffer>},
    Verb{"copy_as", "MemcpyAsync", takes<a_buffer, a_buffer, Operand{direction}, a_stream>},
    Verb{"blocking_copy_as", "Memcpy", takes<a_buffer, a_buffer, Operand{direction}>},
    Verb{"host_fill", "", takes<a_buffer, Operand{value}>},
    Verb{"hold", "LaunchHostFunc", takes<a_stream>},
    Verb{"record", "EventRecord", takes<an_event, a_stream>},
    Verb{"wait", "StreamWaitEvent", takes<a_stream, an_event>},
    Verb{"query_stream", "StreamQuery", takes<a_stream>},
    Verb{"query_event", "EventQuery", takes<an_event>},
    Verb{"synchronize_stream", "StreamSynchronize", takes<a_stream>},
    Verb{"synchronize_event", "EventSynchronize", takes<an_event>},
    Verb{"synchronize_device", "DeviceSynchronize", {}},
    Verb{"elapsed", "EventElapsedTime", takes<an_event, an_event>},
    Verb{"begin_capture", "StreamBeginCapture", takes<a_stream, Operand{mode}>},
    Verb{"end_capture", "StreamEndCapture", takes<a_stream, Operand{graph, Use::create}>},
    Verb{"capture_status", "StreamIsCapturing", takes<a_stream>, capture_states},
    Verb{"exchange_mode", "ThreadExchangeStreamCaptureMode", takes<Operand{mode}>, modes},
    Verb{"instantiate", "GraphInstantiateWithFlags", takes<Operand{exec, Use::create}, a_graph>},
    Verb{"launch_graph", "GraphLaunch", takes<an_exec, a_stream>},
    Verb{"destroy_graph", "GraphDestroy", takes<Operand{graph, Use::destroy}>},
    Verb{"destroy_exec", "GraphExecDestroy", takes<Operand{exec, Use::destroy}>},
    Verb{"allocate", "Malloc", {}},
    Verb{"allocate_async", "MallocAsync", takes<a_buffer, a_stream>},
    Verb{"release_async", "FreeAsync", takes<a_buffer, a_stream>},
    Verb{"release", "Free", takes<a_buffer>},
    Verb{"take_error", "GetLastError", {}},
    Verb{"peek_error", "PeekAtLastError", {}},
};

constexpr auto names = [] {
  std::array<VerbName, verbs.size()> all{};
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = static_cast<VerbName>(i);
  return all;
}();

static_assert(verbs.size() == static_cast<std::size_t>(VerbName::peek_error) + 1);

struct KindText {
  std::string_view description;
  std::string_view prefix = {};
  std::span<const std::string_view> words = {};
  std::span<const std::string_view> fixed = {};
};

// In the order of OperandKind.
constexpr std::array kinds{
    KindText{"a stream", "s", {}, fixed_streams},
    KindText{"an event", "e", {}, fixed_events},
    KindText{"a graph", "g"},
    KindText{"an executable graph", "x"},
    KindText{"a buffer", "b"},
    KindText{"a device"},
    KindText{"a byte"},
    KindText{"blocking or non_blocking", {}, stream_kinds},
    KindText{"timed or untimed", {}, timings},
    KindText{"global, thread_local or relaxed", {}, modes},
    KindText{"a direction such as host_to_device", {}, directions},
};

const KindText& text_of(OperandKind kind) {
  return kinds.at(static_cast<std::size_t>(kind));
}

}  // namespace

const Verb& verb_of(VerbName name) {
  return verbs.at(static_cast<std::size_t>(name));
}

const VerbName* find_verb(std::string_view text) {
  for (const VerbName& name : names)
    if (verb_of(name).text == text) return &name;
  return nullptr;
}

std::string function_of(Vendor vendor, VerbName name) {
  if (verb_of(name).function.empty()) return std::string(verb_of(name).text);
  return (vendor == Vendor::cuda ? "cuda" : "hip") + std::string(verb_of(name).function);
}

std::string_view prefix_of(OperandKind kind) {
  return text_of(kind).prefix;
}

std::span<const std::string_view> words_of(OperandKind kind) {
  return text_of(kind).words;
}

std::span<const std::string_view> fixed_handles_of(OperandKind kind) {
  return text_of(kind).fixed;
}

std::string_view description_of(OperandKind kind) {
  return text_of(kind).description;
}

}  // namespace dlcert::driver::programs
