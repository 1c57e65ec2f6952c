// SPDX-License-Identifier: Apache-2.0
#include "interpreter.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <signal.h>

#include <array>
#include <optional>
#include <string_view>

#include "natives.hpp"

namespace dlcert::python {

namespace {

// The package is loaded from its folder, which is no place where libraries are looked for; nothing
// is written there.
constexpr std::string_view load_package = R"(
import importlib.util
import sys

sys.dont_write_bytecode = True
_spec = importlib.util.spec_from_file_location(
    "dlcert", packages + "/dlcert/__init__.py", submodule_search_locations=[packages + "/dlcert"])
_module = importlib.util.module_from_spec(_spec)
sys.modules["dlcert"] = _module
_spec.loader.exec_module(_module)
import dlcert._host
dlcert._host.start(signal)
)";

std::optional<Interpreter> running;
PyObject* host_module = nullptr;  // for good: what a library does to sys.modules is not ours
thread_local std::optional<Lock> lock_of_fork;
// Each adapter of a process has the hooks; there is one interpreter.
thread_local int begun_forks = 0;

// "3.11.2" of "3.11.2 (main, ...) [GCC ...]".
std::string_view version_of(std::string_view text) {
  return text.substr(0, text.find_first_of(" +"));
}

// CPython is among what the process was started with.
void find_api(const Interpreter& wanted) {
  const auto problem = [&](std::string_view what) {
    return Unusable{fmt::format("python '{}': {}", wanted.program, what)};
  };
  if (const std::string missing = load_api(::dlopen(nullptr, RTLD_NOW)); !missing.empty())
    throw problem(fmt::format("this process has no {}: expected CPython 3.10 to 3.14", missing));
  if (const std::string_view found = version_of(py.Py_GetVersion()); found != wanted.version)
    throw problem(
        fmt::format("expected Python {} but this process has Python {}", wanted.version, found));
}

void set(const Ref& globals, const char* name, const Ref& value) {
  done(py.PyDict_SetItemString(globals.get(), name, value.get()));
}

void run_prelude(const Interpreter& wanted) {
  add_natives();
  const Ref globals = made(py.PyDict_New());
  set(globals, "packages", text(wanted.packages));
  set(globals, "signal", number(stacks_signal()));
  const Ref builtins = made(py.PyImport_ImportModule("builtins"));
  call(attribute(builtins.get(), "exec").get(), tuple(text(load_package), globals.copy()));
  host_module = made(py.PyImport_ImportModule("dlcert._host")).give_up();
}

}  // namespace

void start(const Interpreter& wanted) {
  if (running) {
    if (running->program == wanted.program) return;
    throw Unusable{fmt::format("a process has one interpreter: expected '{}' but found '{}'",
                               running->program, wanted.program)};
  }
  find_api(wanted);
  const bool is_ours = py.Py_IsInitialized() == 0;
  if (is_ours) {
    py.Py_SetProgramName(py.Py_DecodeLocale(wanted.program.c_str(), nullptr));
    py.Py_InitializeEx(0);
  }
  running = wanted;
  std::string problem;
  {
    const Lock lock;
    try {
      run_prelude(wanted);
    } catch (const Raised&) {
      problem = fmt::format("dlcert's package cannot be loaded from '{}': {}", wanted.packages,
                            refused(take_error().get()).what());
    }
  }
  if (is_ours) py.PyEval_SaveThread();
  if (!problem.empty()) throw Unusable{problem};
}

int stacks_signal() {
  return SIGRTMIN + 6;
}

Ref host_function(const char* name) {
  return attribute(host_module, name);
}

struct FatalSignalsKept::Handlers {
  static constexpr std::array signals{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
  std::array<struct sigaction, signals.size()> before{};
};

FatalSignalsKept::FatalSignalsKept() : handlers_{new Handlers} {
  for (std::size_t i = 0; i < Handlers::signals.size(); ++i)
    ::sigaction(Handlers::signals[i], nullptr, &handlers_->before[i]);
}

FatalSignalsKept::~FatalSignalsKept() {
  for (std::size_t i = 0; i < Handlers::signals.size(); ++i)
    ::sigaction(Handlers::signals[i], &handlers_->before[i], nullptr);
  delete handlers_;
}

void before_fork() {
  if (begun_forks++ > 0) return;
  lock_of_fork.emplace();
  py.PyOS_BeforeFork();
}

void after_fork(bool in_child) {
  if (--begun_forks > 0) return;
  if (in_child)
    py.PyOS_AfterFork_Child();
  else
    py.PyOS_AfterFork_Parent();
  lock_of_fork.reset();
}

}  // namespace dlcert::python
