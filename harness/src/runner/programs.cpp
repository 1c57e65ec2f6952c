// SPDX-License-Identifier: Apache-2.0
#include "runner/programs.hpp"

#include <fmt/format.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <fstream>
#include <sstream>
#include <system_error>
#include <thread>

#include "register/text.hpp"
#include "report/counterexample.hpp"
#include "runner/command.hpp"
#include "runner/environment.hpp"
#include "runner/process.hpp"
#include "runner/watch.hpp"
#include "standalone/python_program.hpp"
#include "standalone/standalone.hpp"
#include "standalone/together_program.hpp"

namespace dlcert {
namespace {

namespace fs = std::filesystem;

constexpr double compile_seconds = 60;
constexpr unsigned most_at_once = 2;

ProgramRun not_run(std::string reason) {
  return {ProgramRun::State::not_run, std::move(reason)};
}

ProgramRun not_confirmed(std::string reason) {
  return {ProgramRun::State::not_confirmed, std::move(reason)};
}

// The program of that name on PATH; empty: there is none.
fs::path on_path(std::string_view name) {
  const char* const path = ::getenv("PATH");
  std::istringstream folders{path == nullptr ? "" : path};
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path file = fs::path{folder} / name;
    if (!folder.empty() && fs::is_regular_file(file) && ::access(file.c_str(), X_OK) == 0)
      return file;
  }
  return {};
}

// What is built lies here, and is gone with this.
class BuildFolder {
 public:
  BuildFolder() {
    std::string folder = (fs::temp_directory_path() / "dlcert-programs-XXXXXX").string();
    if (::mkdtemp(folder.data()) == nullptr)
      throw std::system_error{errno, std::generic_category(), "cannot make " + folder};
    path_ = folder;
  }
  ~BuildFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  BuildFolder(const BuildFolder&) = delete;
  BuildFolder& operator=(const BuildFolder&) = delete;

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// While one lives, what crashes leaves no core file.
class NoCoreFiles {
 public:
  NoCoreFiles() {
    ::getrlimit(RLIMIT_CORE, &former_);
    const rlimit none{0, former_.rlim_max};
    ::setrlimit(RLIMIT_CORE, &none);
  }
  ~NoCoreFiles() { ::setrlimit(RLIMIT_CORE, &former_); }
  NoCoreFiles(const NoCoreFiles&) = delete;
  NoCoreFiles& operator=(const NoCoreFiles&) = delete;

 private:
  rlimit former_{};
};

std::string first_line(const std::string& text) {
  return one_line(text.substr(0, text.find('\n')), 200);
}

std::string ending_line(std::string text) {
  while (text.ends_with('\n'))
    text.pop_back();
  return one_line(text.substr(text.rfind('\n') + 1), 200);
}

// The last line before that one.
std::string line_before(std::string_view line, std::string text) {
  text.erase(std::min(text.rfind(line), text.size()));
  return ending_line(std::move(text));
}

// Of what a compiler said, the first line that says what is wrong.
std::string first_error(const std::string& output) {
  std::istringstream lines{output};
  for (std::string line; std::getline(lines, line);)
    if (line.find("error") != std::string::npos) return one_line(line, 200);
  return first_line(output);
}

// Why the program cannot show the fault, whatever it does; empty: it may.
std::string why_not_run(const Results& results, const CheckResult& check, bool in_python,
                        bool has_devices) {
  if (check.platform != Platform::any && results.settings.driver == "simulated" &&
      !(in_python && has_devices))
    return "needs the simulated driver";
  if (check.verdict == Verdict::crash && check.record.message.starts_with("allocated more than"))
    return "the program has no memory limit";
  return {};
}

bool says(const CommandEnd& end, std::string_view line) {
  return end.output.find(line) != std::string::npos;
}

std::string what_it_did(const CommandEnd& end, double limit) {
  if (!end.wait_status) return fmt::format("the program did not end within {:g} s", limit);
  if (WIFSIGNALED(*end.wait_status)) return describe_end(*end.wait_status);
  const int code = WEXITSTATUS(*end.wait_status);
  const bool by_itself = code == 0 || says(end, breaks_line) || says(end, keeps_line);
  return by_itself || end.output.empty()
             ? fmt::format("exit code {}", code)
             : fmt::format("exit code {}: {}", code, first_line(end.output));
}

ProgramRun judged_recording(const CommandEnd& end, double limit) {
  if (end.wait_status && WIFEXITED(*end.wait_status) && WEXITSTATUS(*end.wait_status) == 1)
    return {ProgramRun::State::confirmed, "by the recorded struct"};
  return not_confirmed(what_it_did(end, limit));
}

// Of the script that loads two libraries: it must find what we found, of each order.
ProgramRun judged_clash(const Clash& clash, const CommandEnd& end, double limit) {
  const bool same = std::ranges::all_of(clash.orders, [&](const LoadOrder& order) {
    return says(end, loads_line(order.first, order.second)) == order.loads;
  });
  const bool failed =
      end.wait_status && WIFEXITED(*end.wait_status) && WEXITSTATUS(*end.wait_status) == 1;
  if (failed && same) return {ProgramRun::State::confirmed, {}};
  return not_confirmed(end.output.empty() ? what_it_did(end, limit) : ending_line(end.output));
}

struct Saved {
  CheckResult* check;
  fs::path source;
  bool recorded;             // the program judges a struct, and calls no library
  std::string interpreter;   // of a program in Python
  std::string of_reference;  // the same program for the reference; empty: it has no such calls
};

bool exits_with(int code, std::string_view line, const CommandEnd& end) {
  return end.wait_status && WIFEXITED(*end.wait_status) && WEXITSTATUS(*end.wait_status) == code &&
         says(end, line);
}

// Of a program, whose child died, exited or hung in its place.
ProgramRun judged(const CheckResult& check, const CommandEnd& end, double limit) {
  const std::string how = check.record.message.substr(0, check.record.message.find(" in case "));
  const std::string_view told = std::string_view{how}.substr(0, how.find(':'));
  const bool broken = exits_with(1, breaks_line, end);
  if (check.verdict == Verdict::timeout && !end.wait_status)
    return {ProgramRun::State::confirmed, {}};
  if (broken && (check.verdict != Verdict::crash || says(end, told)))
    return {ProgramRun::State::confirmed, {}};
  return not_confirmed(broken ? line_before(breaks_line, end.output) : what_it_did(end, limit));
}

// Builds and runs programs; any number of threads.
class Programs {
 public:
  Programs(const Results& results, const RunOptions& options)
      : environment_{worker_environment(results.settings.driver)},
        limit_{options.case_seconds * Limits{}.patience},
        load_seconds_{options.load_seconds},
        reference_{options.reference},
        reference_adapter_{options.reference_adapter},
        over_devices_{results.settings.driver == "simulated" ? options.over_simulated_devices
                                                             : std::vector<std::string>{}} {}

  bool can_build() const { return !compiler_.empty(); }

  // The script of a clash, which loads four times.
  ProgramRun run(const Clash& clash, const fs::path& source, const std::string& python) const try {
    const double limit = 4 * (load_seconds_ + limit_);
    if (source.extension() == ".py" && python.empty()) return not_run("no interpreter");
    if (source.extension() == ".py")
      return judged_clash(clash, run_command({python, "-B", source}, environment_, limit), limit);
    if (!can_build()) return not_run("no C compiler");
    const fs::path program = folder_.path() / source.stem();
    const CommandEnd built = build(program, source);
    if (!built.wait_status || *built.wait_status != 0)
      return not_confirmed(first_error(built.output));
    return judged_clash(clash, run_command({program}, environment_, limit), limit);
  } catch (const std::system_error& error) {
    return not_run(fmt::format("the program cannot be started: {}", error.code().message()));
  }

  ProgramRun run(const Saved& saved) const try {
    if (!saved.interpreter.empty()) return run_in_python(saved);
    const fs::path program = folder_.path() / saved.source.stem();
    const CommandEnd built = build(program, saved.source);
    if (!built.wait_status)
      return not_confirmed(fmt::format("not compiled within {:g} s", compile_seconds));
    if (*built.wait_status != 0) return not_confirmed(first_error(built.output));
    const CommandEnd end = run_command({program}, environment_, limit_);
    if (saved.recorded) return judged_recording(end, limit_);
    const ProgramRun run = judged(*saved.check, end, limit_);
    return run.state == ProgramRun::State::confirmed ? with_reference(program, run) : run;
  } catch (const std::system_error& error) {
    return not_run(fmt::format("the program cannot be started: {}", error.code().message()));
  }

 private:
  // As it is, and where that does not show the fault, or cannot, with the devices that the case
  // had.
  ProgramRun run_in_python(const Saved& saved) const {
    const double limit = limit_ + load_seconds_;
    std::vector<std::string> words{saved.interpreter, "-B", saved.source};
    ProgramRun alone;
    if (saved.check->platform == Platform::any) {
      alone = judged(*saved.check, run_command(words, environment_, limit), limit);
      if (alone.state == ProgramRun::State::confirmed) return with_reference(saved, words, alone);
      if (over_devices_.empty()) return alone;
    }
    std::vector<std::string> over = over_devices_;
    if (saved.check->platform == Platform::rocm) over.insert(over.end(), {"--vendor", "rocm"});
    words.insert(words.begin(), over.begin(), over.end());
    ProgramRun run = judged(*saved.check, run_command(words, environment_, limit), limit);
    if (run.state != ProgramRun::State::confirmed) return alone.reason.empty() ? run : alone;
    run.reason = over_devices_reason;
    return with_reference(saved, words, run);
  }

  // `confirmed`, if the same program does not accuse the reference.
  ProgramRun with_reference(const Saved& saved, std::vector<std::string> words,
                            const ProgramRun& confirmed) const {
    if (saved.of_reference.empty())
      return not_confirmed("it shows the fault, but dlcert's reference has no such calls");
    const fs::path source = folder_.path() / saved.source.filename();
    std::ofstream{source} << saved.of_reference;
    words.back() = source;
    std::vector<std::string> environment = environment_;
    std::erase_if(environment,
                  [](const std::string& variable) { return variable.starts_with("PYTHONPATH="); });
    environment.push_back("PYTHONPATH=" + reference_);
    const double limit = limit_ + load_seconds_;
    return unless_accused(run_command(words, environment, limit), confirmed);
  }

  // The same of a program in C, which takes the module of the reference as its argument.
  ProgramRun with_reference(const fs::path& program, const ProgramRun& confirmed) const {
    if (std::error_code error; !fs::exists(reference_adapter_, error))
      return not_confirmed("it shows the fault, but dlcert's reference is not there");
    return unless_accused(run_command({program, reference_adapter_}, environment_, limit_),
                          confirmed);
  }

  static ProgramRun unless_accused(const CommandEnd& end, const ProgramRun& confirmed) {
    if (exits_with(0, keeps_line, end)) return confirmed;
    const bool accused = exits_with(1, breaks_line, end);
    return not_confirmed(
        fmt::format("it shows the fault, but with dlcert's reference: {}",
                    accused ? line_before(breaks_line, end.output) : ending_line(end.output)));
  }

  CommandEnd build(const fs::path& program, const fs::path& source) const {
    return run_command({compiler_, "-std=c11", "-o", program, source, "-ldl"}, environment_,
                       compile_seconds);
  }

  const fs::path compiler_ = on_path("cc");
  const BuildFolder folder_;
  const std::vector<std::string> environment_;
  const double limit_, load_seconds_;
  const std::string reference_, reference_adapter_;
  const std::vector<std::string> over_devices_;
};

}  // namespace

void run_programs(Results& results, const fs::path& saved, const RunOptions& options) {
  const Subreaper subreaper;
  const NoCoreFiles no_core_files;
  const Programs programs{results, options};
  std::vector<Saved> chosen;
  for (RequirementResult& result : results.results) {
    for (CheckResult& check : result.checks) {
      const std::string program = program_file(results, result, check);
      const std::string recorded = recorded_file(result, check);
      const std::string why_not = program.empty()
                                      ? ""
                                      : why_not_run(results, check, program.ends_with(".py"),
                                                    !options.over_simulated_devices.empty());
      const bool judges_struct = program.empty() || !why_not.empty();
      const std::string& file = judges_struct ? recorded : program;
      const std::string interpreter =
          file.ends_with(".py") && results.python ? results.python->path : std::string{};
      const std::string no_program = why_no_program(results, result, check);
      // A recorded struct shows the fault of a library in C, if no program calls it.
      if (!no_program.empty() && (recorded.empty() || results.python))
        check.program_run = not_run(fmt::format("no program: {}", no_program));
      else if (!why_not.empty() && recorded.empty())
        check.program_run = not_run(why_not);
      else if (file.empty())
        continue;
      else if (interpreter.empty() && file.ends_with(".py"))
        check.program_run = not_run("no interpreter");
      else if (interpreter.empty() && !programs.can_build())
        check.program_run = not_run("no C compiler");
      else if (chosen.size() == options.most_programs)
        check.program_run =
            not_run(fmt::format("only the first {} programs are run", options.most_programs));
      else
        chosen.push_back(
            {&check, saved / file, judges_struct, interpreter,
             interpreter.empty() ? std::string{} : program_of_reference(results, result, check)});
    }
  }

  if (results.matrix)
    for (Clash& clash : results.matrix->clashes)
      clash.program_run = programs.run(clash, saved / clash_file(clash),
                                       results.python ? results.python->path : std::string{});

  std::atomic<std::size_t> next = 0;
  const auto run_some = [&] {
    for (std::size_t i = next++; i < chosen.size(); i = next++)
      chosen[i].check->program_run = programs.run(chosen[i]);
  };
  const unsigned jobs =
      options.jobs != 0 ? options.jobs : std::max(1u, std::thread::hardware_concurrency());
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < std::min(jobs, most_at_once); ++i)
      threads.emplace_back(run_some);
  }
  subreaper.reap_orphans({});
}

}  // namespace dlcert
