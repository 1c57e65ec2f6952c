// SPDX-License-Identifier: Apache-2.0

#include "order_program.hpp"

#include <array>
#include <string_view>

namespace dlcert::driver::order {
namespace {

// Each verb, with its operands: stream, event, cell, the cell to which, graph, device.
struct Word {
  const char* name;
  std::string_view operands;
};
constexpr std::array words{Word{"fill", "cs"},
                           Word{"copy", "cts"},
                           Word{"read", "cs"},
                           Word{"record", "es"},
                           Word{"wait", "se"},
                           Word{"synchronize_stream", "s"},
                           Word{"synchronize_event", "e"},
                           Word{"synchronize_device", "d"},
                           Word{"query_stream", "s"},
                           Word{"query_event", "e"},
                           Word{"host_read", "c"},
                           Word{"host_write", "c"},
                           Word{"fill_all", "s"},
                           Word{"renew_stream", "s"},
                           Word{"blocking_fill", "c"},
                           Word{"blocking_copy", "ct"},
                           Word{"allocate", "cs"},
                           Word{"release_on_stream", "cs"},
                           Word{"release", "c"},
                           Word{"begin_capture", "sg"},
                           Word{"end_capture", "sg"},
                           Word{"launch_graph", "gs"}};
constexpr std::array roles{"legacy", "blocking", "non_blocking", "per_thread"};

std::string operand(const Setting& setting, const Call& call, char code) {
  const StreamRule& rule = setting.streams[call.stream];
  switch (code) {
    case 's':
      return " " + std::to_string(call.stream) + ":" + roles[static_cast<std::size_t>(rule.role)] +
             (rule.device != 0 ? ":device" + std::to_string(rule.device) : "");
    case 'e':
      return " event" + std::to_string(call.event);
    case 'c':
      return " cell" + std::to_string(call.cell);
    case 't':
      return " cell" + std::to_string(call.to);
    case 'g':
      return " graph" + std::to_string(call.graph);
    default:
      return " device" + std::to_string(call.device);
  }
}

}  // namespace

std::string to_text(const Setting& setting, std::span<const Call> program) {
  std::string text;
  for (std::size_t index = 0; index < program.size(); ++index) {
    const Call& call = program[index];
    const Word& word = words[static_cast<std::size_t>(call.verb)];
    text += std::to_string(index) + " t" + std::to_string(call.thread) + " " + word.name;
    for (const char code : word.operands)
      text += operand(setting, call, code);
    text += call.answered ? " = success\n" : "\n";
  }
  return text;
}

}  // namespace dlcert::driver::order
