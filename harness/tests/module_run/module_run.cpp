// SPDX-License-Identifier: Apache-2.0
#include "module_run.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "report/scope.hpp"
#include "runner/runner.hpp"

namespace dlcert {

Results run_module(const ModuleRun& run, const std::vector<std::string>& requirements) {
  setenv(run.variable.c_str(), run.library.c_str(), 1);
  RunOptions options;
  options.worker = run.worker;
  options.adapters = {std::filesystem::absolute(run.module).string()};
  options.settings = run.settings;
  // A planted fault may break a rule of any version.
  if (options.settings.array_api == as_declared) options.settings.array_api = "2025.12";
  options.cases = run.cases;
  options.seed = run.seed;
  options.case_seconds = 2;
  options.shrink_crashes = false;
  options.explain = run.explain;
  options.jobs = run.jobs;
  const Inventory inventory = take_inventory(options);
  if (!inventory.adapters.at(0).error.empty())
    throw std::runtime_error{inventory.adapters[0].error};
  Selection selection;
  selection.ids = requirements;
  const Plan plan = make_plan(Register::embedded(), inventory, selection, options.settings);
  Results results = execute(plan, inventory, options, {});
  results.scope = scope_of(results, Register::embedded());
  return results;
}

void* function_of(const std::string& module, const char* symbol) {
  void* const library = dlopen(module.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error{dlerror()};
  void* const function = dlsym(library, symbol);
  if (function == nullptr) throw std::runtime_error{dlerror()};
  return function;
}

}  // namespace dlcert
