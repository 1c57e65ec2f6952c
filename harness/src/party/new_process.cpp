// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include <dlcert/suite/check.hpp>
#include <dlcert/suite/new_process.hpp>
#include <dlcert/suite/trace.hpp>

namespace dlcert {

namespace {

std::function<std::string(const Party&)>& starter() {
  static std::function<std::string(const Party&)> start;
  return start;
}

}  // namespace

std::string initialize_in_new_process(const Party& library) {
  if (!starter()) throw Inconclusive{"this program starts no processes for checks"};
  if (TraceSink* const sink = trace(); sink != nullptr)
    sink->event("a new process, started and not forked: initialize()",
                "/* a new process, started and not forked: initialize() */");
  return starter()(library);
}

void start_new_processes_by(std::function<std::string(const Party&)> start) {
  starter() = std::move(start);
}

}  // namespace dlcert
