// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <dlcert/suite/management.hpp>
#include <dlcert/suite/worker.hpp>

#include "python/locator.hpp"
#include "register/register.hpp"
#include "restart/restart.hpp"
#include "worker/library.hpp"
#include "worker/local.hpp"
#include "worker/new_process.hpp"
#include "worker/own_program.hpp"
#include "worker/serve.hpp"
#include "worker/supervisor.hpp"

namespace dlcert {

namespace {

constexpr int usage_error = 2;

struct Options {
  int records = -1;
  std::size_t worker = 0;
  bool drop_ins = false;
  bool local = false;
  std::vector<std::string> adapters;
  std::string python;
  std::vector<std::string> policies;
  std::vector<std::string> initialized;  // of an AdapterSource, whose last member is `python`
  LocalOptions run;
};

// Starts this worker again in the interpreter, if there is one and it does not run there yet, and
// with the drop-in runtimes if `drop_ins` is true.
void start_anew(const std::string& interpreter, bool drop_ins, char** argv) {
  const std::string folder = drop_in_folder();
  OwnProgram wanted{interpreter, {}};
  if (drop_ins) wanted.variables = redirection(folder, runtime_drop_ins(folder));
  become(wanted, argv);
}

int serve_runner(const Options& options, char** argv, const Suite& suite) {
  try {
    start_anew(options.python, options.drop_ins, argv);
    Records records = Records::attach(options.records);
    fork_supervised(records, options.worker);
    serve(records, options.worker, suite);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return usage_error;
  }
}

// The defaults of the register, then what was given.
std::map<std::string, std::string, std::less<>> resolved_policies(
    const std::vector<std::string>& given) {
  std::map<std::string, std::string, std::less<>> policies;
  for (const Policy& policy : Register::embedded().policies())
    policies[policy.name] = policy.default_value;
  for (const std::string& one : given) {
    const std::size_t equals = one.find('=');
    const auto known = policies.find(one.substr(0, equals));
    if (equals == std::string::npos || known == policies.end())
      throw std::invalid_argument{
          fmt::format("--policy: expected NAME=VALUE of a known policy but found '{}'", one)};
    known->second = one.substr(equals + 1);
  }
  return policies;
}

// Ends the process if the library says that it ends without exit handlers.
int ended(int status) {
  if (!Library::process_ends_without_exit()) return status;
  std::fflush(nullptr);
  ::_exit(status);
}

int run_here(Options& options, char** argv, const Suite& suite) {
  int status = usage_error;
  try {
    const LocatedAdapters located =
        locate_adapters(options.adapters, options.python, worker_program(argv[0]));
    start_anew(located.interpreter ? located.interpreter->program : std::string{},
               options.run.settings.driver == "simulated", argv);
    options.run.adapters = located.sources;
    options.run.settings.policies = resolved_policies(options.policies);
    status = run_local(options.run, suite);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
  }
  return ended(status);
}

int initialize(const Options& options, char** argv) {
  start_anew(options.python, false, argv);
  const std::vector<std::string>& members = options.initialized;
  return ended(
      initialize_here({members[0], members[1], members[2], options.python}, options.run.platform));
}

}  // namespace

int worker_main(int argc, char** argv, const Suite& suite) {
  Options options;
  CLI::App app{
      "Runs conformance checks. dlcert starts this program with --records and --worker; you can "
      "run it with --local"};
  auto* const records =
      app.add_option("--records", options.records, "Descriptor of the runner's mapping");
  app.add_option("--worker", options.worker, "Number of this worker")->needs(records);
  app.add_flag("--drop-ins", options.drop_ins, "Load libraries with the drop-in runtimes")
      ->needs(records);
  auto* const local =
      app.add_flag("--local", options.local,
                   "Run checks in this process and print one line for each; the verdicts "
                   "certify nothing")
          ->excludes(records);
  app.add_option("--adapter", options.adapters,
                 "Path of an adapter module, or python:NAME and so on; repeatable")
      ->needs(local);
  app.add_option("--python", options.python, "Interpreter for python:... adapters");
  app.add_option("--check", options.run.check, "Glob over requirement IDs")->needs(local);
  app.add_option("--initialize", options.initialized,
                 "Initialize the runtime of a library and end; checks start this program so")
      ->expected(3)
      ->excludes(records)
      ->excludes(local);
  app.add_option("--platform", options.run.platform, "Vendor of the devices: cuda or rocm")
      ->excludes(records)
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, Platform>{{"cuda", Platform::cuda}, {"rocm", Platform::rocm}}));
  app.add_option("--driver", options.run.settings.driver, "Driver of the devices, with --local")
      ->envname("DLCERT_DRIVER");
  app.add_option("--cases", options.run.cases, "Cases for each property")
      ->needs(local)
      ->check(CLI::PositiveNumber);
  app.add_option("--seed", options.run.seed, "Seed of the run")->needs(local);
  app.add_option("--case", options.run.only_case, "Run this case only, and show its calls")
      ->needs(local);
  app.add_option("--choices", options.run.choices, "Repeat these recorded random choices")
      ->needs(local)
      ->delimiter(',');
  app.add_option("--policy", options.policies, "NAME=VALUE; repeatable")->needs(local);
  app.add_flag("--program", options.run.program, "Print each counterexample as a C program")
      ->needs(local);
  CLI11_PARSE(app, argc, argv);
  if (!options.initialized.empty()) return initialize(options, argv);
  offer_new_processes(worker_program(argv[0]));
  if (options.local) return run_here(options, argv, suite);
  if (options.records < 0) {
    fmt::print(stderr, "expected --records or --local\n");
    return usage_error;
  }
  return serve_runner(options, argv, suite);
}

}  // namespace dlcert
