// SPDX-License-Identifier: Apache-2.0

#include "order_program.hpp"

#include <array>

namespace dlcert::driver::order {
namespace {

constexpr std::array names{"fill",
                           "copy",
                           "read",
                           "record",
                           "wait",
                           "synchronize_stream",
                           "synchronize_event",
                           "synchronize_device",
                           "query_stream",
                           "query_event",
                           "host_read",
                           "host_write",
                           "fill_all",
                           "renew_stream",
                           "blocking_fill",
                           "blocking_copy",
                           "allocate",
                           "release_on_stream",
                           "release",
                           "begin_capture",
                           "end_capture",
                           "launch_graph"};
constexpr std::array roles{"legacy", "blocking", "non_blocking", "per_thread"};

}  // namespace

std::string to_text(const Setting& setting, std::span<const Call> program) {
  std::string text = "streams";
  for (const StreamRule& rule : setting.streams)
    text += std::string(" ") + roles[static_cast<std::size_t>(rule.role)] + "(device " +
            std::to_string(rule.device) + ")";
  text += "\n";
  for (std::size_t index = 0; index < program.size(); ++index) {
    const Call& call = program[index];
    text += std::to_string(index) + ": thread " + std::to_string(call.thread) + " " +
            names[static_cast<std::size_t>(call.verb)] + " stream " + std::to_string(call.stream) +
            " event " + std::to_string(call.event) + " cell " + std::to_string(call.cell) + " to " +
            std::to_string(call.to) + " graph " + std::to_string(call.graph) + " device " +
            std::to_string(call.device) + (call.answered ? " = success\n" : "\n");
  }
  return text;
}

}  // namespace dlcert::driver::order
