// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/command_options.hpp"
#include "cli/commands.hpp"
#include "cli/session.hpp"
#include "cli/with_simulated_gpu.hpp"
#include "register/names.hpp"
#include "register/text.hpp"
#include "report/run_verdict.hpp"

namespace dlcert {
namespace {

constexpr const char* description =
    "Tests whether a tensor library follows DLPack and its device and stream rules.";

constexpr const char* exit_codes =
    R"(Exit codes of certify, run and matrix. The first line that applies decides:
  2  the command line or an adapter is wrong
  1  a binding requirement (by default: a MUST) failed, crashed or timed out, or the library's
     process died outside of a check
  3  too little was tested (or less than --require or --baseline asks for), or a worker process
     could not go on
  4  a waiver is expired or obsolete, or a requirement passed although a waiver expects a
     failure
  5  a failure did not repeat (flaky)
  0  nothing of the above; the report counts the requirements that dlcert could not judge
Reasons for 3 of certify and run: nothing was tested; a check had no case; a binding requirement
is inconclusive or was not run; a role has no evidence or too few tests; a feature of --require
is not full; something of --baseline is lost; a worker process could not go on.
--strict makes a SHOULD count like a MUST. A policy that you choose makes its requirements count
too.)";

constexpr const char* verdict_exit_codes =
    R"(Give it the options of the certification whose --results it reads. It writes nothing.
Exit codes:
  0   the requirement passed, is waived, or failed with a warning, which is printed as
      "warning: ..."
  77  the requirement is not applicable or not judged, or it is not binding and is inconclusive
      or was not run
  1   otherwise. If there are several requirements: 0 if one of them is 0 and none is 1)";

constexpr const char* with_gpu = "with-simulated-gpu";

// An option that is given nothing would silently be as if it were not there.
void require_values(const CLI::App& command) {
  for (const CLI::Option* const option : command.get_options())
    for (const std::string& value : option->results())
      if (value.empty())
        throw CommandError{exit_usage,
                           fmt::format("{}: expected a value but found ''", option->get_name())};
}

// The outputs of a certification in a command line that cannot be understood.
Options outputs_named(int argc, char** argv) {
  Options options;
  const std::map<std::string_view, std::string*> outputs{{"--results", &options.results},
                                                         {"--junit", &options.junit},
                                                         {"--markdown", &options.markdown}};
  const std::string_view command = argc > 1 ? argv[1] : "";
  for (int i = 2; i < argc && (command == "certify" || command == "run" || command == "matrix");
       ++i) {
    const std::string_view word = argv[i];
    const std::size_t equals = std::min(word.find('='), word.size());
    const auto found = outputs.find(word.substr(0, equals));
    if (found == outputs.end()) continue;
    if (equals < word.size())
      *found->second = word.substr(equals + 1);
    else if (i + 1 < argc)
      *found->second = argv[++i];
  }
  return options;
}

// Refuses a first word that names no subcommand, which CLI11 would call an argument that it did not
// expect.
void require_subcommand(const CLI::App& app, std::string_view word) {
  std::vector<std::string> known;
  for (const CLI::App* const command : app.get_subcommands({}))
    known.push_back(command->get_name());
  if (word.starts_with('-') || std::ranges::count(known, word) != 0) return;
  const std::string nearest = nearest_name(word, known);
  throw CommandError{exit_usage, fmt::format("unknown subcommand '{}'{}", word,
                                             nearest.empty() ? ", expected " + join(known)
                                                             : did_you_mean(nearest))};
}

// The commands with their options, and the one that the command line names.
class CommandLine {
 public:
  CommandLine();
  int run(int argc, char** argv);

 private:
  CLI::App& add(const std::string& name, const std::string& what, std::function<int()> action);
  void add_certify();
  void add_run();
  void add_matrix();
  void add_verdict();
  void add_list();
  void add_explain();
  void add_init();
  void add_smoke();
  void add_doctor();
  void add_with_simulated_gpu();
  int begin_of_program(int argc, char** argv) const;
  void add_worker_option(CLI::App& command);

  CLI::App app_{description, "dlcert"};
  Options options_;
  bool only_tested_ = false;
  std::string init_what_, init_output_;
  SimulatedGpu gpu_;
  std::function<int()> action_;
};

CommandLine::CommandLine() {
  app_.set_version_flag("--version", std::string{"dlcert "} + DLCERT_VERSION);
  app_.footer(exit_codes);
  app_.require_subcommand(1);
  add_certify();
  add_run();
  add_matrix();
  add_verdict();
  add_list();
  add_explain();
  add_init();
  add_smoke();
  add_doctor();
  add_with_simulated_gpu();
}

CLI::App& CommandLine::add(const std::string& name, const std::string& what,
                           std::function<int()> action) {
  CLI::App& command = *app_.add_subcommand(name, what);
  command.callback([this, action = std::move(action)] { action_ = action; });
  return command;
}

void CommandLine::add_certify() {
  CLI::App& command = add("certify", "test libraries against all requirements",
                          [this] { return certify(options_); });
  add_adapter_options(command, options_);
  add_selection_options(command, options_);
  add_profile_options(command, options_);
  add_run_options(command, options_);
  add_preflight_option(command, options_);
  add_output_options(command, options_);
  command
      .add_flag("--fixture", options_.fixture,
                "fail only for what dlcert verdict does not report of any requirement")
      ->group(option_group::hidden);
  command
      .add_option(
          "--registered", options_.registered,
          "file with a line \"ID LEVEL\" for each requirement that has a CTest test; must list all")
      ->group(option_group::hidden);
  command.footer(exit_codes);
}

void CommandLine::add_run() {
  CLI::App& command = add("run", "test libraries against some requirements", [this] {
    if (options_.ids.empty() && options_.replay.empty()) {
      forget_results(options_);
      throw CommandError{exit_usage, "expected a requirement ID, a glob, or --replay"};
    }
    return certify(options_);
  });
  command.add_option("ID", options_.ids,
                     "IDs, beginnings of IDs (abi.dtype) or globs ('*.code-*')");
  command.add_option("--replay", options_.replay, "repeat this saved counterexample");
  add_adapter_options(command, options_);
  add_selection_options(command, options_);
  add_profile_options(command, options_);
  add_run_options(command, options_);
  add_preflight_option(command, options_);
  add_output_options(command, options_);
  command.footer(exit_codes);
}

void CommandLine::add_matrix() {
  CLI::App& command =
      add("matrix", "test libraries with each other: each as producer, each as consumer", [this] {
        options_.matrix = true;
        return certify(options_);
      });
  command.add_option("ID", options_.ids,
                     "only these requirements: IDs, beginnings of IDs or globs");
  add_adapter_options(command, options_);
  add_selection_options(command, options_);
  add_profile_options(command, options_);
  add_run_options(command, options_);
  command
      .add_option("--require-pair", options_.required_pairs,
                  "PRODUCER:CONSUMER, names of two libraries: this pair must be full; repeatable")
      ->group(option_group::execution);
  add_preflight_option(command, options_);
  add_output_options(command, options_);
  command.footer(exit_codes);
}

void CommandLine::add_verdict() {
  CLI::App& command =
      add("verdict", "print the verdict on a requirement or a feature from results; for CTest",
          [this] { return verdict(options_); });
  command.add_option("ID", options_.ids,
                     "a requirement; if there is none, the features of --feature");
  add_adapter_options(command, options_);
  add_selection_options(command, options_);
  add_profile_options(command, options_);
  add_run_options(command, options_);
  add_preflight_option(command, options_);
  add_output_options(command, options_);
  command.footer(verdict_exit_codes);
}

void CommandLine::add_list() {
  CLI::App& command =
      add("list", "list requirements", [this] { return list(options_, only_tested_); });
  command.add_option("ID", options_.ids, "IDs, beginnings of IDs or globs");
  command.add_flag("--tested", only_tested_, "only those that have a check");
  add_selection_options(command, options_);
  add_worker_option(command);
}

void CommandLine::add_explain() {
  CLI::App& command =
      add("explain", "explain a requirement (source, checks, known bugs), a policy or a feature",
          [this] { return explain(options_); });
  command
      .add_option("NAME", options_.ids,
                  "requirements (IDs, beginnings of IDs or globs), policies or features; write "
                  "policy:NAME or feature:NAME if a name has two meanings")
      ->required();
  add_worker_option(command);
}

void CommandLine::add_init() {
  CLI::App& command = add("init", "write a first adapter for a library",
                          [this] { return init(options_, init_what_, init_output_); });
  command
      .add_option("WHAT", init_what_,
                  "python:MODULE, an adapter for a Python module; or cpp, an adapter in C++")
      ->required();
  command.add_option(
      "--output", init_output_,
      "file to write (default: MODULE_adapter.py); for cpp a folder (default: acme_adapter)");
  add_python_option(command, options_);
}

void CommandLine::add_smoke() {
  CLI::App& command = add("smoke", "print what an adapter offers, and call it once",
                          [this] { return smoke(options_); });
  add_adapter_options(command, options_);
}

void CommandLine::add_doctor() {
  CLI::App& command = add("doctor", "print what dlcert can use on this machine",
                          [this] { return doctor(options_); });
  add_python_option(command, options_);
  add_worker_option(command);
}

// Where the program to be started begins among the words, which CLI11 must not read; `argc` without
// one.
int CommandLine::begin_of_program(int argc, char** argv) const {
  if (argc < 2 || std::string_view{argv[1]} != with_gpu) return argc;
  const CLI::App& command = *app_.get_subcommand(with_gpu);
  for (int i = 2; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--" || !word.starts_with('-')) return i;
    const CLI::Option* const option = command.get_option_no_throw(word);
    if (option != nullptr && option->get_items_expected_min() > 0) ++i;
  }
  return argc;
}

void CommandLine::add_with_simulated_gpu() {
  CLI::App& command =
      *app_.add_subcommand(with_gpu, "run a program on simulated GPUs: PROGRAM ARGUMENTS...");
  command.add_option("--devices", gpu_.devices, "number of GPUs")
      ->transform(whole_number(0, 64))
      ->capture_default_str();
  command.add_option("--vendor", gpu_.vendor, "vendor of the GPUs: cuda or rocm")
      ->check(CLI::IsMember({"cuda", "rocm"}))
      ->capture_default_str();
  command
      .add_option("--amd-smi", gpu_.amd_smi,
                  "release of AMD SMI for rocm: 24 (of ROCm 6.1 to 6.3) or 26 (of ROCm 7)")
      ->check(CLI::IsMember({"24", "26"}))
      ->capture_default_str();
  command
      .add_option("--schedule", gpu_.schedule,
                  "when queued work runs: eager, late (when something waits for it) or seeded")
      ->check(CLI::IsMember({"eager", "late", "seeded"}))
      ->capture_default_str();
  command.add_option("--seed", gpu_.seed, "seed of the schedule 'seeded'")
      ->transform(whole_number(0, UINT64_MAX))
      ->capture_default_str();
  CLI::Option* const races = command.add_flag(
      "--races", gpu_.races,
      "report the data races of copies, fills and releases when the program has ended");
  command
      .add_option("--error-exitcode", gpu_.error_exitcode,
                  "exit code if there are races and the program ended with 0")
      ->transform(whole_number(0, 255))
      ->capture_default_str()
      ->needs(races);
  command.add_option("--races-json", gpu_.races_json, "also write the races to this file")
      ->needs(races);
  command.footer(
      "Exit code: that of the program; 2 if dlcert cannot run the program on simulated GPUs.");
  command.callback([this] { action_ = [this] { return with_simulated_gpu(gpu_); }; });
}

void CommandLine::add_worker_option(CLI::App& command) {
  command.add_option("--worker", options_.worker, "path of dlcert-worker");
}

int CommandLine::run(int argc, char** argv) {
  if (argc > 1) require_subcommand(app_, argv[1]);
  const int program = begin_of_program(argc, argv);
  gpu_.program.assign(argv + program, argv + argc);
  try {
    app_.parse(program, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) return app_.exit(error);
    try {
      forget_results(outputs_named(argc, argv));
    } catch (const std::exception&) {  // of two errors, the first is told
    }
    throw CommandError{exit_usage,
                       fmt::format("{} (see dlcert --help)", one_line(error.what(), 300))};
  }
  for (const CLI::App* const command : app_.get_subcommands())
    require_values(*command);
  options_.given = given_options(*app_.get_subcommands().front());
  return action_();
}

// A number below 3 that is closed would go to the next file that is opened, which would then get
// what is printed. A file that must not grow is an error, with a line, and no signal.
void prepare_files() {
  signal(SIGXFSZ, SIG_IGN);
  int descriptor = 0;
  do {
    descriptor = open("/dev/null", O_RDWR);
  } while (descriptor >= 0 && descriptor <= STDERR_FILENO);
  if (descriptor > STDERR_FILENO) close(descriptor);
}

// What was printed may be only in a buffer.
void require_printed() {
  errno = 0;
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
    throw std::system_error{errno == 0 ? EIO : errno, std::generic_category(),
                            "cannot write to standard output"};
}

int run(int argc, char** argv) {
  prepare_files();
  try {
    const int exit_code = CommandLine{}.run(argc, argv);
    require_printed();
    return exit_code;
  } catch (const CommandError& error) {
    fmt::print(stderr, "dlcert: {}\n{}", one_line(error.what()), error.below);
    return error.exit_code;
  } catch (const std::exception& error) {
    fmt::print(stderr, "dlcert: {}\n", one_line(error.what()));
    return exit_usage;
  }
}

}  // namespace
}  // namespace dlcert

int main(int argc, char** argv) {
  return dlcert::run(argc, argv);
}
