// SPDX-License-Identifier: Apache-2.0
#include "testbench/environment.hpp"

#include <cxxabi.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <system_error>

#include <dlcert/suite/forked.hpp>
#include <dlcert/suite/trace.hpp>

namespace dlcert::testbench {

namespace {

constexpr std::array visibility{"CUDA_VISIBLE_DEVICES",          "HIP_VISIBLE_DEVICES",
                                "ROCR_VISIBLE_DEVICES",          "CUDA_DEVICE_ORDER",
                                "PYTORCH_NVML_BASED_CUDA_CHECK", "CUDA_MODULE_LOADING"};

// What a forked child says begins with one of these.
constexpr char has_answer = 'a', not_formable = 'f', not_judged = 'j';

[[noreturn]] void throw_errno(const char* what) {
  throw std::system_error{errno, std::generic_category(), what};
}

// Values can be long: the line is made where somebody listens.
template <class Line>
void announce(Line make_line) {
  TraceSink* const sink = trace();
  if (sink == nullptr) return;
  const std::string line = make_line();
  tell_step(*sink, line, fmt::format("/* {} */", line),
            {.kind = ProgramStep::Kind::missing, .code = line});
}

void restart_driver(const Environment& wanted) {
  driver::SimulatedDriver& simulated = driver::simulated_driver();
  driver::SimulatedOptions options = simulated.options();
  options.devices = wanted.devices;
  options.models = wanted.models;
  options.start_error = wanted.start_error;
  options.version = wanted.version;
  options.driver_version = wanted.driver_version;
  options.without_peer_access = wanted.without_peer_access;
  options.ends_at_fork = true;
  // Nobody has called the driver of the process that this one was forked from.
  if (options != simulated.options()) simulated.restart(options);
  simulated.start_trace();
}

}  // namespace

bool is_rocm() {
  return driver::simulated_driver().vendor() == driver::Vendor::rocm;
}

const char* visible_variable() {
  return is_rocm() ? "HIP_VISIBLE_DEVICES" : "CUDA_VISIBLE_DEVICES";
}

void set_variable(const std::string& name, const std::optional<std::string>& value) {
  if (value) {
    announce([&] { return fmt::format("{}={:?}", name, *value); });
    ::setenv(name.c_str(), value->c_str(), 1);
  } else {
    ::unsetenv(name.c_str());
  }
}

ArrangedEnvironment::ArrangedEnvironment(const Case& c, const Environment& wanted) {
  for (const char* const name : visibility)
    if (!wanted.variables.contains(name)) ::unsetenv(name);
  for (const auto& [name, value] : wanted.variables)
    set_variable(name, value);

  use_management_library(wanted.management);
  management_trace_ = ::memfd_create("dlcert management calls", 0);
  if (management_trace_ < 0 || ::fcntl(management_trace_, F_SETFL, O_APPEND) != 0)
    throw_errno("a file for the calls of management libraries");
  set_variable(
      "DLCERT_MANAGEMENT",
      fmt::format("devices={};{}{}trace.descriptor={}", wanted.devices, wanted.management_settings,
                  wanted.management_settings.empty() ? "" : ";", management_trace_));
  restart_driver(wanted);
  static_cast<void>(c.take_warnings());  // of loading
  if (wanted.build) require(GpuRuntime{c.subject()}.behave_as(*wanted.build), "behave_as");
}

ArrangedEnvironment::~ArrangedEnvironment() {
  ::close(management_trace_);
}

std::vector<driver::Call> ArrangedEnvironment::runtime_calls() {
  std::vector<driver::Call> calls = driver::simulated_driver().stop_trace();
  driver::simulated_driver().start_trace();
  return calls;
}

std::vector<std::string> ArrangedEnvironment::management_calls() const {
  std::ifstream file{fmt::format("/proc/self/fd/{}", management_trace_)};
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);)
    lines.push_back(line);
  return lines;
}

ChildEnd in_forked_child(const std::function<std::string()>& body, double seconds) {
  announce([] { return "fork: what follows happens in the child"; });
  const Forked forked = run_forked(
      [&]() -> std::string {
        try {
          return has_answer + body();
        } catch (const Failure& failure) {
          return has_answer + failure.message;
        } catch (const NotFormable&) {
          return {not_formable};
        } catch (const abi::__forced_unwind&) {
          throw;
        } catch (...) {
          return {not_judged};
        }
      },
      seconds);
  if (forked.answer.starts_with(not_formable)) throw NotFormable{};
  if (forked.answer.starts_with(not_judged))
    throw Inconclusive{"a forked child could not be judged"};
  ChildEnd end;
  if (forked.answered) {
    end = {true, forked.answer.substr(1), {}};
  } else if (forked.hung) {
    end.death = fmt::format("did not end within {} s", seconds);
  } else if (!forked.wait_status) {
    throw Inconclusive{"how a forked child ended is not known"};
  } else if (WIFSIGNALED(*forked.wait_status)) {
    end.death = fmt::format("was ended by signal {}", WTERMSIG(*forked.wait_status));
  } else {
    end.death = fmt::format("ended with status {}", WEXITSTATUS(*forked.wait_status));
  }
  announce([&] {
    return fmt::format("the child {}", end.answered ? "ended: " + end.answer : end.death);
  });
  return end;
}

}  // namespace dlcert::testbench
