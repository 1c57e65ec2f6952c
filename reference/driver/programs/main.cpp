// SPDX-License-Identifier: Apache-2.0
//
// Runs recorded programs and lists where a driver disagrees, or records new ones.

#include <charconv>
#include <cstdio>
#include <exception>
#include <fstream>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "dlcert/driver/select.hpp"

#include "recorder.hpp"
#include "runner.hpp"

namespace dlcert::driver::programs {
namespace {

constexpr const char* usage =
    "usage: driver_programs [--driver simulated|cuda|hip] FILE...\n"
    "       driver_programs --record COUNT --seed SEED\n"
    "       driver_programs --update FILE...\n";

using Arguments = std::span<const std::string_view>;

std::string read_file(const std::string& path) {
  std::ifstream stream{path, std::ios::binary};
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream) throw std::runtime_error("expected a file but found none at '" + path + "'");
  return text.str();
}

void write_file(const std::string& path, std::string_view text) {
  std::ofstream stream{path, std::ios::binary};
  stream << text;
  if (!stream.flush()) throw std::runtime_error("cannot write '" + path + "'");
}

int devices_of(Driver& driver) {
  int count = 0;
  const Status status = driver.device_count(count);
  if (status == Status::success && count > 0) return count;
  throw std::runtime_error("driver '" + std::string(driver.name()) + "': no device");
}

class Check {
 public:
  explicit Check(Driver& driver) : driver_{driver}, devices_{devices_of(driver)} {}

  void operator()(const std::string& file) {
    for (const Program& program : parse(file, read_file(file))) {
      if (program.devices > devices_) {
        ++not_run_;
        continue;
      }
      for (const std::string& line : check(file, program, driver_)) {
        std::puts(line.c_str());
        ++disagreements_;
      }
      ++programs_;
      steps_ += program.steps.size();
    }
  }

  int end() const {
    std::printf("%zu programs, %zu steps, %zu disagreements", programs_, steps_, disagreements_);
    if (not_run_ > 0) std::printf("; %zu programs not run: they need more devices", not_run_);
    std::puts("");
    if (programs_ == 0) throw std::runtime_error("expected a program to run but found none");
    return disagreements_ > 0 ? 1 : 0;
  }

 private:
  Driver& driver_;
  int devices_;
  std::size_t programs_ = 0;
  std::size_t steps_ = 0;
  std::size_t disagreements_ = 0;
  std::size_t not_run_ = 0;
};

int check_files(Arguments arguments) {
  const bool named = arguments.size() > 2 && arguments[0] == "--driver";
  Check each{named ? select_driver(arguments[1]) : driver()};
  for (const std::string_view file : arguments.subspan(named ? 2 : 0))
    each(std::string(file));
  return each.end();
}

std::uint64_t number_in(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number == 0)
    throw std::invalid_argument("expected a number above 0 but found '" + std::string(text) + "'");
  return number;
}

int record_new(Arguments arguments) {
  const std::uint64_t count = number_in(arguments[1]), seed = number_in(arguments[3]);
  std::puts("# SPDX-License-Identifier: Apache-2.0\n#");
  std::puts("# Random programs without a race: every schedule ends with the same bytes.");
  std::printf("# By driver_programs --record %s --seed %s\n", std::string(arguments[1]).c_str(),
              std::string(arguments[3]).c_str());
  std::uint64_t recorded = 0;
  for (int number = 0; recorded < count; ++number) {
    Program program = generate(seed, number);
    if (!depends_on_order(program) || !record(program)) continue;
    std::printf("\n%s", to_text(program).c_str());
    ++recorded;
  }
  return 0;
}

int update(Arguments files) {
  for (const std::string_view each : files) {
    const std::string file{each};
    const std::string text = read_file(file);
    std::vector<Program> programs = parse(file, text, Unrecorded::allowed);
    for (Program& program : programs)
      record(program);
    write_file(file, with_recorded(text, programs));
  }
  return 0;
}

int act(Arguments arguments) {
  if (arguments.size() == 4 && arguments[0] == "--record" && arguments[2] == "--seed")
    return record_new(arguments);
  if (arguments.size() > 1 && arguments[0] == "--update") return update(arguments.subspan(1));
  const bool named = arguments.size() > 2 && arguments[0] == "--driver";
  if (named || (!arguments.empty() && !arguments[0].starts_with("--")))
    return check_files(arguments);
  std::fputs(usage, stderr);
  return 2;
}

}  // namespace
}  // namespace dlcert::driver::programs

int main(int argc, char** argv) {
  const std::vector<std::string_view> arguments{argv + 1, argv + argc};
  try {
    return dlcert::driver::programs::act(arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
