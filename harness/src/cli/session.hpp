// SPDX-License-Identifier: Apache-2.0
//
// The worker, the adapters in it, and errors that end a command.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "python/locator.hpp"
#include "records/job.hpp"
#include "report/identity.hpp"
#include "runner/runner.hpp"

namespace dlcert {

// Ends a command: one line for standard error, and the exit code.
struct CommandError : std::runtime_error {
  CommandError(int code, const std::string& what) : std::runtime_error{what}, exit_code{code} {}
  int exit_code;
  std::string below = {};  // whole lines that are shown below the one
};

// --worker, $DLCERT_WORKER, or the worker that was installed or built with this program. Throws
// CommandError.
std::string find_worker(const Options& options);

// The file of this program.
std::filesystem::path program_file();

// The adapters of --adapter, in the interpreter of --python. Asks the interpreter: once a command
// is enough. Throws CommandError as locate_adapters() throws, and when there is none.
LocatedAdapters find_adapters(const Options& options);

// Takes the inventory of a run. Throws CommandError when the worker or an adapter does not work.
Inventory require_inventory(const RunOptions& run);

// Takes the inventory of a worker without adapters.
Inventory require_inventory(const std::string& worker, const Options& options);

// How a command ends for a fault of an adapter: its line, with what was printed below it.
CommandError fault_error(const FaultOfAdapter& fault);

// The process that started this one, told apart from later ones of the same id: "<id>@<start
// time>"; empty where it cannot be seen, as from inside a container.
std::string invoker();

// What a run with these options is made of, without the modules that its adapters will bring.
Identity identity_of(const Options& options, const LocatedAdapters& adapters);

}  // namespace dlcert
