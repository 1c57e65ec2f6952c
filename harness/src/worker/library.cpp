// SPDX-License-Identifier: Apache-2.0
#include "worker/library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <utility>

#include <dlcert/suite/python_party.hpp>
#include <dlcert/suite/table.hpp>
#include <dlcert/suite/threads.hpp>
#include <dlcert/suite/trace.hpp>

#include "party/fork_hooks.hpp"
#include "party/stacks_signal.hpp"
#include "register/text.hpp"
#include "worker/devices.hpp"

namespace dlcert {

namespace {

constexpr std::size_t mandatory_table_size =
    offsetof(dlcert_adapter, exchange) + sizeof(dlcert_adapter::exchange);
constexpr std::uint32_t known_roles = DLCERT_PRODUCER | DLCERT_CONSUMER | DLCERT_RUNTIME;

std::string missing_functions(const Party& party, const char* role, Needs all, Needs any,
                              std::string_view any_text) {
  std::string missing;
  for (const std::string_view name : names_of(all & ~party.offers()))
    missing += fmt::format("{}{}", missing.empty() ? "" : ", ", name);
  if ((party.offers() & any) == 0)
    missing += fmt::format("{}{}", missing.empty() ? "" : ", ", any_text);
  if (missing.empty()) return {};
  return fmt::format("a {} must have {}", role, missing);
}

std::string role_problem(const dlcert_adapter& table) {
  if (table.roles == 0 || (table.roles & ~known_roles) != 0)
    return fmt::format(
        "roles: expected producer (1), consumer (2), runtime (4) or a sum of them but found {}",
        table.roles);
  const Party party{table};
  if ((table.roles & DLCERT_RUNTIME) != 0) {
    std::string problem =
        missing_functions(party, "runtime", 0, Can::devices | Can::runtime | Can::telemetry,
                          "one of the groups devices, runtime and telemetry");
    if (!problem.empty() || table.roles == DLCERT_RUNTIME) return problem;
  }
  if (!offered(group_of(table, &dlcert_adapter::tensor), &dlcert_tensor_group::release))
    return "every adapter must have tensor.release";
  if ((table.roles & DLCERT_PRODUCER) != 0) {
    std::string problem = missing_functions(party, "producer", Can::create | Can::describe,
                                            Can::export_managed | Can::any_capsule,
                                            "export_managed, export_capsule or to_dlpack");
    if (!problem.empty()) return problem;
  }
  if ((table.roles & DLCERT_CONSUMER) != 0) {
    std::string problem = missing_functions(party, "consumer", Needs{} | Can::describe,
                                            static_cast<Needs>(Can::any_import),
                                            "import_managed, import_from or import_capsule");
    if (!problem.empty()) return problem;
    return missing_functions(party, "consumer", 0, static_cast<Needs>(Can::reads_back),
                             "read, export_managed, export_capsule or to_dlpack");
  }
  return {};
}

void print_and_end(const std::string& line) {
  fmt::print(stderr, "{}\n", line);
  std::fflush(nullptr);
  ::_exit(2);
}

std::function<void(const std::string&)>& end_for_fault() {
  static std::function<void(const std::string&)> end{print_and_end};
  return end;
}

// A process without a handler dies of the signal, and no handler is called for SIGKILL and SIGSTOP.
std::string hooks_problem(const dlcert_adapter& table) {
  if (offered(&table, &dlcert_adapter::before_fork) != offered(&table, &dlcert_adapter::after_fork))
    return "before_fork and after_fork: expected both or none but found one";
  const int signal = stacks_signal_of(table);
  if (signal < 0 || signal > SIGRTMAX || signal == SIGKILL || signal == SIGSTOP)
    return fmt::format("stacks_signal: expected a signal that can be handled, or 0, but found {}",
                       signal);
  return {};
}

bool exit_is_skipped = false;

std::map<const dlcert_adapter*, const AdapterSource*>& loaded_tables() {
  static std::map<const dlcert_adapter*, const AdapterSource*> tables;
  return tables;
}

// Told before it is done, so that an end of the process shows where it was.
void tell_step(std::string_view step) {
  if (TraceSink* const sink = trace()) sink->event(step, "");
}

}  // namespace

void end_for_faults_by(std::function<void(const std::string& line)> end) {
  end_for_fault() = std::move(end);
}

std::string table_problem(const dlcert_adapter& table) {
  if (table.struct_size < mandatory_table_size)
    return fmt::format("struct_size: expected at least {} but found {}", mandatory_table_size,
                       table.struct_size);
  if (table.abi_major != DLCERT_ABI_MAJOR)
    return fmt::format("abi_major: expected {} but found {}", DLCERT_ABI_MAJOR, table.abi_major);
  if (table.name == nullptr || *table.name == '\0') return "name: expected a text but found none";
  if (table.version == nullptr) return "version: expected a text but found NULL";
  std::string problem = role_problem(table);
  return problem.empty() ? hooks_problem(table) : problem;
}

void Library::ModuleCloser::operator()(void* module) const {
  ::dlclose(module);
}

Library::Library(AdapterSource source) : source_{std::move(source)} {
  host_.struct_size = sizeof(host_);
  host_.context = this;
  host_.warn = &Library::warn;
  host_.fault = &Library::fault;
  load();
  open();
}

Library::~Library() {
  if (module_ != nullptr) unload();
}

AdapterError Library::problem(std::string_view what) const {
  return AdapterError{one_line(fmt::format("adapter '{}': {}", path(), what))};
}

void Library::load() {
  if (!std::filesystem::exists(source_.module))
    throw problem(source_.named() ? fmt::format("no file '{}'", source_.module) : "no such file");
  tell_step("dlopen()");
  module_.reset(::dlopen(source_.module.c_str(), RTLD_NOW | RTLD_LOCAL));
  if (module_ == nullptr) throw problem(fmt::format("cannot be loaded: {}", ::dlerror()));
  if (const std::string second = second_driver(); !second.empty()) throw problem(second);
  const dlcert_adapter* const table = source_.named() ? table_of_name() : own_table();
  const std::string wrong = table_problem(*table);
  if (!wrong.empty()) throw problem(wrong);
  party_ = Party{*table};
  consumer_ = party_->consuming();
  set_claimed_tensors(claimed_by_role_);
  if ((table->properties & DLCERT_ENDS_WITHOUT_EXIT) != 0) keep_loaded();
  note_stacks_signal(*table);
  loaded_tables()[table] = &source_;
}

// The reference to the module that dlopen() adds is never given back.
void Library::keep_loaded() const {
  exit_is_skipped = true;
  ::dlopen(source_.module.c_str(), RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
}

const dlcert_adapter* Library::own_table() const {
  const auto get =
      reinterpret_cast<dlcert_adapter_get_function>(::dlsym(module_.get(), "dlcert_adapter_get"));
  if (get == nullptr) throw problem("expected the symbol dlcert_adapter_get but found none");
  tell_step("dlcert_adapter_get()");
  const dlcert_adapter* const table = get(DLCERT_ABI_MAJOR);
  if (table == nullptr)
    throw problem(
        fmt::format("does not support major version {} of the adapter ABI", DLCERT_ABI_MAJOR));
  return table;
}

const dlcert_adapter* Library::table_of_name() const {
  const auto get = reinterpret_cast<dlcert_adapter_named_function>(
      ::dlsym(module_.get(), "dlcert_adapter_named"));
  if (get == nullptr)
    throw problem(fmt::format("expected the symbol dlcert_adapter_named in '{}' but found none",
                              source_.module));
  tell_step("dlcert_adapter_named()");
  dlcert_error error{};
  error.struct_size = sizeof(error);
  const dlcert_adapter* const table = get(DLCERT_ABI_MAJOR, source_.name.c_str(), &error);
  if (table == nullptr) throw problem(error.message);
  return table;
}

void Library::open() {
  const dlcert_adapter& table = party_->table();
  if (offered(&table, &dlcert_adapter::open)) {
    dlcert_error error{};
    error.struct_size = sizeof(error);
    tell_step("open()");
    const dlcert_status status = table.open(table.self, &host_, &error);
    if (status != DLCERT_OK)
      throw problem(fmt::format("open: expected status 0 but found {}: {}", status, error.message));
  }
  open_ = true;
  add_fork_hooks(table);
  if (party_->offers(Needs{} | Can::python))
    collect_by(this, [this](bool all) { Python{*party_}.collect(all); });
}

void Library::set_claimed_tensors(
    const std::map<std::string, std::vector<ClaimedTensors>>& by_role) {
  claimed_by_role_ = by_role;
  party_->set_claimed_tensors(claimed_by_role_[std::string{to_text(Role::producer)}]);
  consumer_->set_claimed_tensors(claimed_by_role_[std::string{to_text(Role::consumer)}]);
}

void Library::close() noexcept {
  if (!std::exchange(open_, false)) return;
  const dlcert_adapter& table = party_->table();
  remove_fork_hooks(table);
  collect_by(this, {});
  if (!offered(&table, &dlcert_adapter::close)) return;
  tell_step("close()");
  table.close(table.self);
}

bool Library::process_ends_without_exit() {
  return exit_is_skipped;
}

const AdapterSource* Library::source_of(const dlcert_adapter& table) {
  const auto found = loaded_tables().find(&table);
  return found == loaded_tables().end() ? nullptr : found->second;
}

void Library::unload() {
  close();
  std::erase_if(loaded_tables(), [&](const auto& one) { return one.second == &source_; });
  tell_step("dlclose()");
  module_.reset();
}

void Library::reload() {
  if (module_ != nullptr) return;
  load();
  open();
}

void Library::keep_warning(std::string warning) {
  if (warnings_.size() < max_warnings && std::ranges::find(warnings_, warning) == warnings_.end())
    warnings_.push_back(std::move(warning));
}

void Library::warn(void* context, const char* category, const char* message) {
  auto& self = *static_cast<Library*>(context);
  const std::lock_guard lock{self.warnings_mutex_};
  self.keep_warning(fmt::format("{}: {}", category == nullptr ? "warning" : category,
                                message == nullptr ? "" : message));
}

void Library::fault(void* context, const char* message) {
  const auto& self = *static_cast<const Library*>(context);
  end_for_fault()(self.problem(fmt::format("a fault of the adapter: {}", message)).what());
}

void Library::keep_warnings(std::vector<std::string> warnings) {
  const std::lock_guard lock{warnings_mutex_};
  for (std::string& warning : warnings)
    keep_warning(std::move(warning));
}

std::vector<std::string> Library::take_warnings() {
  if (module_ != nullptr && party_->offers(static_cast<Needs>(Can::python)))
    for (const std::string& error : Python{*party_}.take_unraisable())
      keep_warnings({fmt::format("{}{}", unraisable_prefix, error)});
  const std::lock_guard lock{warnings_mutex_};
  return std::exchange(warnings_, {});
}

}  // namespace dlcert
