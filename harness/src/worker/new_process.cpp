// SPDX-License-Identifier: Apache-2.0
#include "worker/new_process.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include <dlcert/driver/simulated.hpp>
#include <dlcert/suite/gpu_party.hpp>
#include <dlcert/suite/new_process.hpp>

#include "python/program.hpp"
#include "worker/devices.hpp"
#include "worker/library.hpp"

namespace dlcert {

namespace {

constexpr std::string_view initialized = "dlcert: initialized\n";
constexpr std::chrono::seconds patience{60};

std::string start_and_wait(const std::string& worker, const Party& library) {
  const AdapterSource* const source = Library::source_of(library.table());
  if (source == nullptr) throw Inconclusive{"the file of the library is not known"};
  const bool rocm = driver::simulated_driver().vendor() == driver::Vendor::rocm;
  std::vector<std::string> command{
      worker,       "--initialize", source->path,          source->module,
      source->name, "--platform",   rocm ? "rocm" : "cuda"};
  if (!source->interpreter.empty())
    command.insert(command.end(), {"--python", source->interpreter});
  const std::string answer = ask_program(command, patience);
  if (answer.ends_with(initialized)) return {};
  return answer.empty() ? "it ended, or hung, without an answer" : answer;
}

}  // namespace

void offer_new_processes(const std::string& worker) {
  start_new_processes_by(
      [worker](const Party& library) { return start_and_wait(worker, library); });
}

int initialize_here(const AdapterSource& source, Platform platform) {
  constexpr int failed = 1;
  try {
    start_devices("simulated", platform);
    const Library library{source};
    const auto outcome = GpuRuntime{library.party()}.initialize();
    fmt::print("{}", outcome.ok() ? std::string{initialized} : to_text(outcome.error()));
    return outcome.ok() ? 0 : failed;
  } catch (const std::exception& error) {
    fmt::print("{}", error.what());
    return failed;
  }
}

}  // namespace dlcert
