// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "dlcert/driver/status.hpp"

namespace dlcert::driver::programs {

enum class VerbName : std::uint8_t {
  set_device,
  create_stream,
  destroy_stream,
  create_event,
  destroy_event,
  fill,
  copy,
  blocking_fill,
  blocking_copy,
  copy_as,
  blocking_copy_as,
  host_fill,
  hold,
  record,
  wait,
  query_stream,
  query_event,
  synchronize_stream,
  synchronize_event,
  synchronize_device,
  elapsed,
  begin_capture,
  end_capture,
  capture_status,
  exchange_mode,
  instantiate,
  launch_graph,
  destroy_graph,
  destroy_exec,
  allocate,
  allocate_async,
  release_async,
  release,
  take_error,
  peek_error,
};

/// Handles are numbers from 0, in the order in which the program's author likes; those of every
/// program are negative.
enum class OperandKind : std::uint8_t {
  stream,
  event,
  graph,
  exec,
  buffer,
  device,
  value,
  stream_kind,
  timing,
  mode,
  direction,
};
inline constexpr int null_handle = -1;
inline constexpr int legacy_stream = -2;
inline constexpr int per_thread_stream = -3;

/// What a step does to the handle that it names.
enum class Use : std::uint8_t { use, create, destroy };

struct Operand {
  OperandKind kind;
  Use use = Use::use;
};

struct Verb {
  std::string_view text;
  std::string_view function;  // of the vendors' runtimes, without the prefix; empty: the host's own
  std::span<const Operand> operands;
  std::span<const std::string_view> found_words = {};  // that the call gives on success
};

[[nodiscard]] const Verb& verb_of(VerbName name);
/// NULL when there is none of that name.
[[nodiscard]] const VerbName* find_verb(std::string_view text);

/// "cudaStreamEndCapture", or the verb where the driver is not called.
[[nodiscard]] std::string function_of(Vendor vendor, VerbName name);

/// "s" for streams, and so on; empty for those that are no handles.
[[nodiscard]] std::string_view prefix_of(OperandKind kind);
/// The words that an operand of this kind can be, in the order of their numbers; else empty.
[[nodiscard]] std::span<const std::string_view> words_of(OperandKind kind);
/// The names of the handles -1, -2 ... of this kind.
[[nodiscard]] std::span<const std::string_view> fixed_handles_of(OperandKind kind);
/// "a stream", for messages.
[[nodiscard]] std::string_view description_of(OperandKind kind);

}  // namespace dlcert::driver::programs
