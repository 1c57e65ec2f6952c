// SPDX-License-Identifier: Apache-2.0
#include "cli/with_simulated_gpu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "cli/race_records.hpp"
#include "cli/race_report.hpp"
#include "cli/session.hpp"
#include "cli/source_lines.hpp"
#include "cli/started_program.hpp"
#include "python/program.hpp"
#include "restart/redirectable.hpp"
#include "restart/restart.hpp"

namespace dlcert {
namespace {

namespace fs = std::filesystem;

// As built, and as installed; the first where neither is there.
fs::path drop_in_folder() {
  const fs::path folder = program_file().parent_path();
  const fs::path built = folder / "../lib/shims";
  for (const fs::path& place : {built, folder / DLCERT_INSTALLED_SHIMS})
    if (fs::exists(place / "libdlcert_redirect.so")) return fs::canonical(place);
  return built.lexically_normal();
}

bool is_of_vendor(const std::string& file, const std::string& vendor) {
  const std::string name = fs::path{file}.filename().string();
  return (name.starts_with("libamd") ? "rocm" : "cuda") == vendor;
}

// All runtimes, so that none of the machine's own runs beside the simulated devices; of the
// libraries for management that of the vendor alone, since there are no devices of the other one.
std::vector<std::string> drop_ins_for(const SimulatedGpu& options, const fs::path& folder) {
  const std::string& vendor = options.vendor;
  std::vector<std::string> drop_ins = runtime_drop_ins(folder);
  if (std::ranges::none_of(drop_ins, [&](const auto& file) { return is_of_vendor(file, vendor); }))
    throw std::runtime_error{fmt::format(
        "no drop-in runtime of {} in '{}': dlcert was built without the vendor's headers", vendor,
        folder.string())};
  const bool is_first = vendor == "cuda" || options.amd_smi == "24";
  const fs::path managements = is_first ? folder : folder / ("amd_smi_" + options.amd_smi);
  std::ranges::copy_if(management_drop_ins(managements), std::back_inserter(drop_ins),
                       [&](const auto& file) { return is_of_vendor(file, vendor); });
  return drop_ins;
}

// What the libraries for management say of the devices is what the runtimes say.
std::string management_settings(const SimulatedGpu& options) {
  const bool is_cuda = options.vendor == "cuda";
  std::string settings = fmt::format("devices={};device.*.name=Simulated {} device",
                                     options.devices, is_cuda ? "NVIDIA" : "AMD");
  for (std::uint64_t i = 0; i < options.devices; ++i)
    settings += fmt::format(
        ";device.{0}.uuid={1}5d1ce274-0000-4000-8000-{0:012x};device.{0}.pci=0000:{2:02x}:00.0", i,
        is_cuda ? "GPU-" : "", i + 16);
  const char* const of_user = std::getenv("DLCERT_MANAGEMENT");
  return of_user == nullptr ? settings : settings + ";" + of_user;
}

std::vector<std::string> variables_for(const SimulatedGpu& options) {
  const fs::path folder = drop_in_folder();
  std::vector<std::string> variables = redirection(folder, drop_ins_for(options, folder));
  if (variables.empty())
    throw std::runtime_error{fmt::format(
        "no libdlcert_redirect.so in '{}': dlcert needs it to run programs on simulated GPUs",
        folder.string())};
  variables.push_back(fmt::format("DLCERT_SIMULATED_DEVICES={}", options.devices));
  variables.push_back("DLCERT_SIMULATED_VENDOR=" + options.vendor);
  variables.push_back("DLCERT_SIMULATED_SCHEDULE=" + options.schedule);
  variables.push_back(fmt::format("DLCERT_SIMULATED_SEED={}", options.seed));
  variables.push_back("DLCERT_MANAGEMENT=" + management_settings(options));
  return variables;
}

void set_variables(const std::vector<std::string>& variables) {
  for (const std::string& variable : variables) {
    const std::size_t equals = variable.find('=');
    ::setenv(variable.substr(0, equals).c_str(), variable.substr(equals + 1).c_str(), 1);
  }
}

std::vector<std::string> words_of(const SimulatedGpu& options) {
  std::vector<std::string> words = options.program;
  if (!words.empty() && words.front() == "--") words.erase(words.begin());
  if (words.empty() || words.front().empty())
    throw std::runtime_error{"expected a program but found none (see dlcert --help)"};
  return words;
}

void tell_what_is_not_heeded() {
  for (const char* const name :
       {"CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"})
    if (const char* const value = std::getenv(name))
      fmt::print(
          stderr,
          "dlcert: {}='{}' has no effect on simulated devices: use --devices to set their number\n",
          name, value);
}

fs::path program_named(const std::string& name) {
  const std::string found = find_program(name);
  if (found.empty()) throw std::runtime_error{fmt::format("no executable program '{}'", name)};
  return found;
}

// The file is replaced at once or not at all.
void write_json(const std::string& file, const std::string& json) {
  const std::string made = file + ".part";
  std::ofstream out{made, std::ios::binary | std::ios::trunc};
  out << json;
  out.close();
  if (!out || std::rename(made.c_str(), file.c_str()) != 0)
    throw std::system_error{errno, std::generic_category(), fmt::format("cannot write '{}'", file)};
}

int run_watched(const SimulatedGpu& options, const fs::path& program,
                const std::vector<std::string>& words) {
  RaceRecords records;
  EndOfProgram end;
  {
    const RaceFile file;
    set_variables({"DLCERT_RACES=" + file.path()});
    end = run_to_its_end(program, words);
    records = file.read();
  }
  add_source_lines(records.races);
  fmt::print(stderr, "{}", text_of(records));
  if (!options.races_json.empty()) write_json(options.races_json, json_of(records, words, end));
  if (end.signal != 0) end_by(end.signal);
  const bool races_count = end.exit_code == 0 && !records.races.empty();
  return races_count ? static_cast<int>(options.error_exitcode) : end.exit_code;
}

}  // namespace

int with_simulated_gpu(const SimulatedGpu& options) {
  const std::vector<std::string> words = words_of(options);
  const fs::path program = program_named(words.front());
  require_redirectable(program);
  tell_what_is_not_heeded();
  set_variables(variables_for(options));
  if (options.races) return run_watched(options, program, words);
  replace_by(program, words);
}

}  // namespace dlcert
