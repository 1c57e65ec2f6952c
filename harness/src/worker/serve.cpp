// SPDX-License-Identifier: Apache-2.0
#include "worker/serve.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <dlcert/suite/process_tree.hpp>
#include <dlcert/suite/threads.hpp>
#include <dlcert/suite/work.hpp>

#include "party/formed.hpp"
#include "party/stacks_signal.hpp"
#include "worker/candidate.hpp"
#include "worker/crash_signature.hpp"
#include "worker/devices.hpp"
#include "worker/heap_holes.hpp"
#include "worker/inventory.hpp"
#include "worker/modules.hpp"
#include "worker/parties.hpp"
#include "worker/preflight.hpp"
#include "worker/shrink_mode.hpp"
#include "worker/unit.hpp"

// Asked by LeakSanitizer at the exit. What a library leaks is judged by checks.
extern "C" int __lsan_is_turned_off();  // NOLINT(bugprone-reserved-identifier)

namespace dlcert {

namespace {

enum ExitStatus { done = 0, job_unreadable = 2, adapter_unusable = 3 };

// ThreadSanitizer ends what has raced with a status of its own.
#if defined(__has_feature)
#define DLCERT_HAS_FEATURE(feature) __has_feature(feature)
#else
#define DLCERT_HAS_FEATURE(feature) 0
#endif
#if defined(__SANITIZE_THREAD__) || DLCERT_HAS_FEATURE(thread_sanitizer)
constexpr bool race_reports_at_exit = true;
#else
constexpr bool race_reports_at_exit = false;
#endif

bool leaks_are_told = true;

constexpr std::string_view leaves_processes = "leaves processes behind";

constexpr std::size_t longest_text = 8 * 1024;
constexpr std::size_t shown_trace_lines = 200;

// What is freed stays with the heap: each page that goes back to the machine costs a page fault
// when the next case takes it.
void keep_heap() {
  constexpr int megabyte = 1 << 20;
  ::mallopt(M_MMAP_THRESHOLD, 32 * megabyte);
  ::mallopt(M_TRIM_THRESHOLD, 64 * megabyte);
}

// No core dumps, and no standard input.
void prepare_process() {
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (null > STDIN_FILENO) {
    ::dup2(null, STDIN_FILENO);
    ::close(null);
  }
}

// The processes below the supervisor beside this one. The supervisor inherits what loses its
// parent.
std::set<pid_t> others_below(pid_t supervisor) {
  std::set<pid_t> others = living_below(supervisor);
  others.erase(::getpid());
  return others;
}

// The process, or thread, that was made last among all that this one could see; 0: the kernel does
// not tell.
pid_t newest_process() {
  std::ifstream file{"/proc/sys/kernel/ns_last_pid"};
  pid_t newest = 0;
  file >> newest;
  return newest;
}

void shorten(std::string& text) {
  if (text.size() > longest_text)
    text = fmt::format("{} ... ({} bytes)", std::string_view{text}.substr(0, longest_text),
                       text.size());
}

// The first one of a case; empty between cases. A forked case notes its own as well.
void note_limit(Position& position, const std::string& limit) {
  if (!limit.empty() && position.limit[0] != '\0') return;
  const std::size_t length = limit.copy(position.limit, sizeof(position.limit) - 1);
  position.limit[length] = '\0';
}

// While one lives, each step of a library outside of its cases is told before it is done.
class StepsAreTold {
 public:
  StepsAreTold(Records& records, std::size_t worker) : records_{records}, worker_{worker} {
    records_.clear_trace(worker_);
    set_trace(&steps_);
  }
  ~StepsAreTold() {
    set_trace(nullptr);
    records_.clear_trace(worker_);
  }
  StepsAreTold(const StepsAreTold&) = delete;
  StepsAreTold& operator=(const StepsAreTold&) = delete;

 private:
  Records& records_;
  std::size_t worker_;
  TraceCollector steps_{[this](std::string_view line) { records_.append_trace(worker_, line); }};
};

class Worker {
 public:
  Worker(Records& records, std::size_t number, const Suite& suite)
      : records_{records},
        number_{number},
        suite_{suite},
        position_{records.position(number)},
        pid_{::getpid()} {
    position_.pid = pid_;
    remember_in(records.formed_calls());
    count_work_in(records.work());
    end_for_faults_by([this](const std::string& line) { end_for_fault(line); });
    tell_stacks_signal([&position = position_](int signal) { position.stacks_signal = signal; });
  }

  void work(const Job& job) {
    position_.phase = Phase::loading;
    if (job.mode == Job::Mode::describe) return describe(job);
    start(job, job.platform);
    switch (job.mode) {
      case Job::Mode::run:
        return run(job);
      case Job::Mode::shrink:
        return shrink(job);
      case Job::Mode::preflight:
        return preflight(job);
      case Job::Mode::load:
        return load(job);
      case Job::Mode::describe:
        break;
    }
  }

  // Ends the process of a worker that has done its work. One that found nothing left to do ends as
  // programs do, through the exit handlers and static destructors of what it has loaded, unless
  // that asks for an end without them.
  [[noreturn]] void leave() {
    leave_if_copied();
    std::fflush(nullptr);  // the library's streams as well
    position_.phase = spent_ ? Phase::spent : Phase::finished;
    if (!all_claimed_ || race_reports_at_exit || Library::process_ends_without_exit())
      ::_exit(done);
    leaks_are_told = false;
    std::exit(done);
  }

  // Ends the process of a worker that cannot go on.
  [[noreturn]] void leave(ExitStatus status, std::string_view reason) {
    leave_if_copied();
    end(status, reason);
  }

 private:
  // In the worker's process or in that of a case. What the adapter has printed says more.
  [[noreturn]] void end_for_fault(std::string_view line) {
    note_reason(line);
    position_.adapter_fault = 1;
    std::fflush(nullptr);
    ::_exit(adapter_unusable);
  }

  [[noreturn]] void end(ExitStatus status, std::string_view reason) {
    note_reason(reason);
    fmt::print(stderr, "{}\n", reason);
    std::fflush(nullptr);
    ::_exit(status);
  }

  void note_reason(std::string_view reason) {
    const std::size_t length = reason.copy(position_.reason, sizeof(position_.reason) - 1);
    position_.reason[length] = '\0';
  }

  static bool only_forks(const Job& job) {
    return !job.units.empty() && job.units.front().process_per_case;
  }

  void start(const Job& job, Platform platform) const {
    start_devices(job.settings.driver, platform, only_forks(job), has_drop_ins(job));
    tell_limits([&position = position_](const std::string& limit) { note_limit(position, limit); });
  }

  // What a library says of its claims comes behind its loading, as a case does.
  void describe(const Job& job) {
    const std::uint32_t unit = records_.claim();
    if (unit == no_unit) return;
    const Platform platform = job.units.at(unit).platform;
    start(job, platform);
    const StepsAreTold told{records_, number_};
    const auto at = [&](Phase phase) {
      position_.unit = phase == Phase::running ? unit : no_unit;
      position_.phase = phase;
      beat(position_);
    };
    const Inventory inventory =
        take_inventory(suite_, job.adapters, {platform, !job.only_device_claims}, at);
    leave_if_copied();
    records_.write(unit, author(), to_json(inventory));
  }

  void run(const Job& job) {
    std::optional<StepsAreTold> told{std::in_place, records_, number_};
    const CrashTexts crash{position_.signature, position_.frames, &position_.fatal_signal};
    write_crashes_to(crash);
    std::optional<Parties> parties{std::in_place, job.adapters, job.described};
    write_crashes_to(crash);  // whatever handlers came with the libraries
    require_described(job, *parties);
    told.reset();
    loaded();
    if (only_forks(job)) fill_heap_holes();
    each_unit(job, [&](std::uint32_t index, const Unit& unit) {
      const Check& check = suite_.checks()[unit.check];
      const Binding binding = parties->bind(unit, check.role, job.settings);
      const UnitReport report{
          .position = position_,
          .preliminary = [&](const UnitRecord& record) { write(index, record); },
          .trace_line = [&](std::string_view line) { records_.append_trace(number_, line); },
          .explain = job.explain};
      UnitRecord record = run_unit(check, binding, unit, report);
      record.warnings = parties->take_warnings(unit);
      return record;
    });
    told.emplace(records_, number_);
    reached(Phase::closing);
    parties->close();
    reached(Phase::unloading);
    parties.reset();
  }

  void shrink(const Job& job) {
    ShrinkMode mode{job, suite_, records_, number_};
    loaded();
    each_unit(job, [&](std::uint32_t, const Unit& unit) { return mode.shrink(unit); });
    reached(Phase::closing);
  }

  static void require_described(const Job& job, const Parties& parties) {
    for (std::size_t adapter = 0; adapter < job.described.size(); ++adapter) {
      const AdapterInfo& before = job.described[adapter];
      if (!before.error.empty()) continue;
      const std::string otherwise = difference(before, cleaned(parties.description(adapter)));
      if (!otherwise.empty())
        throw AdapterError{
            fmt::format("the library describes itself differently in a worker: {}: {}", before.name,
                        otherwise)};
    }
  }

  // Ends without closing anything: what comes behind loading is no question here.
  void load(const Job& job) {
    position_.unit = records_.claim();
    const StepsAreTold told{records_, number_};
    position_.phase = Phase::running;
    std::vector<std::unique_ptr<Library>> libraries;
    LoadedTogether loaded;
    for (const AdapterSource& source : job.adapters) {
      position_.case_index = libraries.size();
      records_.clear_trace(number_);
      loaded.push_back(loaded_adapter(*libraries.emplace_back(std::make_unique<Library>(source))));
    }
    leave_if_copied();
    records_.write(position_.unit, author(), to_json(loaded));
    position_.unit = no_unit;
    position_.phase = Phase::finished;
    std::fflush(nullptr);
    ::_exit(done);
  }

  // What was found so far and the present call stand in the trace, in that order, until the stage's
  // record is written.
  void preflight(const Job& job) {
    std::vector<std::unique_ptr<Library>> libraries;
    for (const AdapterSource& source : job.adapters)
      libraries.push_back(std::make_unique<Library>(source));
    for (std::size_t i = 0; i < libraries.size() && i < job.described.size(); ++i)
      libraries[i]->set_claimed_tensors(job.described[i].tensors);
    loaded();
    const PreflightProgress progress{
        .row =
            [&](const PreflightFindings& so_far) {
              beat(position_);
              records_.clear_trace(number_);
              records_.append_trace(number_, to_json(so_far));
            },
        .call = [&](std::string_view call) { records_.append_trace(number_, call); }};
    for (std::uint32_t index = records_.claim(); index != no_unit; index = records_.claim()) {
      const Unit& unit = job.units.at(index);
      const Library& library = *libraries.at(static_cast<std::size_t>(unit.producer));
      position_.unit = index;
      position_.phase = Phase::running;
      PreflightFindings found = unit.check == static_cast<std::uint32_t>(PreflightStage::own)
                                    ? try_own_tensors(library, job.platform, progress)
                                    : try_crossings(library, job.platform, progress);
      found.modules = module_files();
      leave_if_copied();
      records_.write(index, author(), to_json(found));
      ++recorded_;
      position_.unit = no_unit;
      position_.phase = Phase::idle;
    }
  }

  void loaded() {
    leave_if_copied();
    position_.loaded_bytes =
        proportional_bytes(::getppid());  // as the runner counts: the supervisor's
    newest_seen_ = newest_process();
    kept_ = others_below(::getppid());
    reached(Phase::idle);
  }

  void reached(Phase phase) {
    leave_if_copied();
    position_.phase = phase;
  }

  template <typename Act>
  void each_unit(const Job& job, const Act& act) {
    while (job.units_per_worker == 0 || recorded_ < job.units_per_worker) {
      leave_if_copied();
      if (spent_) return;
      const std::uint32_t index = records_.claim();
      all_claimed_ = index == no_unit;
      if (all_claimed_) return;
      records_.clear_trace(number_);
      position_.case_index = 0;
      position_.forks_among_threads =
          forks_each_case(job.units.at(index)) && began_alone_ && !single_threaded() ? 1 : 0;
      position_.unit = index;
      position_.phase = Phase::running;
      count_work(Work::units_started);
      UnitRecord record = act(index, job.units.at(index));
      const bool left_processes = leaves_others();
      if (left_processes) record.observations[std::string{leaves_processes}] = 1;
      write(index, std::move(record));
      records_.clear_trace(number_);
      ++recorded_;
      spent_ = (used_devices(job.units.at(index)) && !devices_work()) ||
               (left_processes && records_.may_end_for_processes());
      position_.unit = no_unit;
      position_.phase = Phase::idle;
    }
  }

  void write(std::uint32_t index, UnitRecord record) {
    leave_if_copied();
    records_.write(index, author(), fitting_json(std::move(record)));
  }

  Author author() const { return {static_cast<std::uint32_t>(number_), recorded_}; }

  // Returns whether the check has left processes behind. Those that are about to end are given a
  // moment. One that loses its parent while we look is seen nowhere: that all are gone must be seen
  // twice. Where none was made since, none is looked for: that would take longer than many a unit.
  bool leaves_others() {
    constexpr int moments = 50;
    const pid_t before = std::exchange(newest_seen_, newest_process());
    if (before != 0 && before == newest_seen_) return false;
    bool were_gone = false;
    for (int waited = 0;;) {
      std::set<pid_t> others = others_below(::getppid());
      const bool are_gone = std::ranges::includes(kept_, others);
      if (are_gone && were_gone) return false;
      were_gone = are_gone;
      if (are_gone) continue;
      if (waited++ == moments) {
        kept_.merge(others);
        return true;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
  }

  bool forks_each_case(const Unit& unit) const {
    return suite_.checks()[unit.check].isolation == Isolation::process_per_case;
  }

  // Returns whether the unit used the devices of this process: cases in processes of their own do
  // not.
  bool used_devices(const Unit& unit) const {
    return suite_.checks()[unit.check].platform != Platform::any && !forks_each_case(unit);
  }

  // An implementation may fork and return in the child: that copy must not say anything.
  void leave_if_copied() const {
    if (::getpid() != pid_) ::_exit(done);
  }

  Records& records_;
  std::size_t number_;
  const Suite& suite_;
  Position& position_;
  pid_t pid_;
  const bool began_alone_ = single_threaded();  // sanitizers may have a thread of their own
  std::set<pid_t> kept_;        // processes that loading, or a check before, left behind
  pid_t newest_seen_ = 0;       // before we last looked for others
  std::uint32_t recorded_ = 0;  // units
  bool spent_ = false;          // what a check left behind would be held against the next
  bool all_claimed_ = false;
};

}  // namespace

std::string fitting_json(UnitRecord record) {
  for (std::string* text : {&record.inapplicable, &record.why_inconclusive, &record.what_unclaimed,
                            &record.message, &record.expected, &record.found, &record.wrong_values})
    shorten(*text);
  for (std::string& warning : record.warnings)
    shorten(warning);
  std::string text = to_json(record);
  if (text.size() <= Records::slot_capacity || !record.counterexample) return text;
  Counterexample& example = *record.counterexample;
  example.program.clear();
  example.recording.clear();
  text = to_json(record);
  if (text.size() <= Records::slot_capacity) return text;
  if (example.trace.size() > shown_trace_lines) example.trace.resize(shown_trace_lines);
  for (std::string& line : example.trace)
    if (line.size() > Records::slot_capacity / (2 * shown_trace_lines))
      line.resize(Records::slot_capacity / (2 * shown_trace_lines));
  text = to_json(record);
  if (text.size() <= Records::slot_capacity) return text;
  record.counterexample.reset();
  return to_json(record);
}

void serve(Records& records, std::size_t worker_number, const Suite& suite) {
  prepare_process();
  keep_heap();
  Worker worker{records, worker_number, suite};
  try {
    worker.work(job_from_json(records.job()));
  } catch (const AdapterError& error) {
    worker.leave(adapter_unusable, error.what());
  } catch (const std::exception& error) {
    worker.leave(job_unreadable, error.what());
  }
  worker.leave();
}

}  // namespace dlcert

int __lsan_is_turned_off() {  // NOLINT(bugprone-reserved-identifier)
  return dlcert::leaks_are_told ? 0 : 1;
}
