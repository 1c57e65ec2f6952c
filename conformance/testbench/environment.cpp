// SPDX-License-Identifier: Apache-2.0
#include "testbench/environment.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <system_error>

#include <dlcert/suite/trace.hpp>

namespace dlcert::testbench {

namespace {

constexpr std::array visibility{"CUDA_VISIBLE_DEVICES",          "HIP_VISIBLE_DEVICES",
                                "ROCR_VISIBLE_DEVICES",          "CUDA_DEVICE_ORDER",
                                "PYTORCH_NVML_BASED_CUDA_CHECK", "CUDA_MODULE_LOADING"};

// How a forked child ends that has no answer.
enum ChildStatus { not_formable = 102, not_judged = 103 };

[[noreturn]] void throw_errno(const char* what) {
  throw std::system_error{errno, std::generic_category(), what};
}

// Values can be long: the line is made where somebody listens.
template <class Line>
void announce(Line make_line) {
  TraceSink* const sink = trace();
  if (sink == nullptr) return;
  const std::string line = make_line();
  sink->event(line, fmt::format("/* {} */", line));
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
  if (management_trace_ < 0) throw_errno("memfd_create");
  set_variable("DLCERT_MANAGEMENT",
               fmt::format("devices={};{}{}trace=/proc/self/fd/{}", wanted.devices,
                           wanted.management_settings,
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
  constexpr std::size_t capacity = 64 * 1024;
  void* const memory =
      ::mmap(nullptr, capacity, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw_errno("the memory of a child's answer");
  auto* const answer = static_cast<char*>(memory);
  announce([] { return "fork: what follows happens in the child"; });
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) throw_errno("fork");
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(EXIT_FAILURE);
    std::string text;
    try {
      text = body();
    } catch (const Failure& failure) {
      text = failure.message;
    } catch (const NotFormable&) {
      ::_exit(not_formable);
    } catch (...) {
      ::_exit(not_judged);
    }
    std::strncpy(answer + 1, text.c_str(), capacity - 2);
    answer[0] = 1;
    ::_exit(0);
  }
  pollfd ended{static_cast<int>(::syscall(SYS_pidfd_open, child, 0)), POLLIN, 0};
  const bool hung = ::poll(&ended, 1, static_cast<int>(seconds * 1000)) == 0;
  if (hung) ::kill(child, SIGKILL);
  ::close(ended.fd);
  int status = 0;
  ::waitpid(child, &status, 0);
  ChildEnd end;
  if (answer[0] != 0) {
    end = {true, answer + 1, {}};
  } else if (hung) {
    end.death = fmt::format("did not end within {} s", seconds);
  } else if (WIFSIGNALED(status)) {
    end.death = fmt::format("was ended by signal {}", WTERMSIG(status));
  } else {
    end.death = fmt::format("ended with status {}", WEXITSTATUS(status));
  }
  ::munmap(memory, capacity);
  const int said = !end.answered && WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  if (said == not_formable) throw NotFormable{};
  if (said == not_judged) throw Inconclusive{"a forked child could not be judged"};
  announce([&] {
    return fmt::format("the child {}", end.answered ? "ended: " + end.answer : end.death);
  });
  return end;
}

}  // namespace dlcert::testbench
