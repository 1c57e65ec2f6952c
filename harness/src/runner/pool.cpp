// SPDX-License-Identifier: Apache-2.0
#include "runner/pool.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <exception>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include <dlcert/suite/process_tree.hpp>

#include "records/share.hpp"
#include "register/text.hpp"
#include "runner/environment.hpp"
#include "runner/loads.hpp"
#include "runner/position.hpp"
#include "runner/process.hpp"
#include "runner/sanitizer_report.hpp"
#include "runner/stacks.hpp"
#include "runner/work_done.hpp"

namespace dlcert {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds watch_interval{20};
constexpr int rerun_rounds = 2;
constexpr std::string_view among_threads =
    "each case runs in a fork of a process in which the library has threads, and a thread may have "
    "held a lock";

// Whether others may have ended the process: a machine that is short of memory, an operator.
// Outside of a case nothing is run again that could show whose doing it was.
bool others_may_have(int wait_status) {
  constexpr std::array signals{SIGKILL, SIGTERM, SIGINT, SIGHUP};
  return WIFSIGNALED(wait_status) &&
         std::ranges::find(signals, WTERMSIG(wait_status)) != signals.end();
}

struct Worker {
  Worker(std::size_t in_slot, const std::vector<std::string>& arguments, int records,
         const std::vector<std::string>& environment, const Limits& limits)
      : slot{in_slot}, process{arguments, records, environment}, watch{limits, Clock::now()} {}

  std::size_t slot;
  Process process;
  Watch watch;
  std::optional<LimitExceeded> exceeded;  // why it is being stopped
  // The case that has hung, though it may go on when it is asked for its stacks.
  std::optional<PositionSnapshot> hung_at;
  Stacks stacks;
  bool ended = false;
  std::vector<std::uint32_t> history;  // units that it has recorded, in order
  // The unit that was slow when the worker was last watched, and how.
  std::uint32_t slow_unit = no_unit;
  std::string slowness;
};

class Pool {
 public:
  Pool(const std::string& program, const Job& job, const Limits& limits, unsigned workers,
       const PoolObserver& observer, SeenCalls* seen)
      : program_{program},
        job_{job},
        limits_{limits},
        observer_{observer},
        seen_{seen},
        records_{Records::create(to_json(job), static_cast<std::uint32_t>(job.units.size()))},
        slots_(std::min<std::size_t>(workers, max_workers)),
        open_{job.units.size()} {
    outcome_.units.resize(job.units.size());
    if (seen_ != nullptr) std::ranges::copy(*seen_, records_.formed_calls().begin());
  }

  JobOutcome run() &&;

 private:
  void start_workers();
  void wait() const;
  void collect();
  bool is_at_work_on(std::uint32_t unit);
  void watch(Worker& worker);
  bool has_told_stacks(Worker& worker);
  bool reap(Worker& worker);
  void end_for_fault(Worker& worker);

  void accept(Worker& worker, std::uint32_t unit, std::string text);
  void ended_in_unit(const Worker& worker, std::uint32_t unit, const PositionSnapshot& at);
  void ended_outside(const Worker& worker, const PositionSnapshot& at);
  void failed_to_load(const Worker& worker, const PositionSnapshot& at);
  void blame_for_memory(const Worker& worker);
  void add_death(const Worker& worker, const PositionSnapshot& at);
  std::vector<std::string> steps_of(const Worker& worker);
  void add_problem(std::string problem);
  void set_crash(std::uint32_t unit, UnitOutcome outcome, const Worker& worker,
                 std::string message);
  void set_outcome(std::uint32_t unit, UnitOutcome outcome);
  int wait_status(const Worker& worker);
  std::string how_ended(const Worker& worker);
  std::set<pid_t> supervisors() const;

  std::uint64_t requested_of(std::uint32_t unit) const {
    return job_.units[unit].only_case ? 1 : job_.units[unit].cases;
  }
  bool is_open(std::uint32_t unit) const {
    return unit < outcome_.units.size() && outcome_.units[unit].end == UnitEnd::missing;
  }

  const std::string& program_;
  const Job& job_;
  const Limits& limits_;
  const PoolObserver& observer_;
  SeenCalls* const seen_;
  const std::vector<std::string> environment_ = worker_environment(job_.settings.driver);
  Subreaper subreaper_;
  Records records_;
  std::vector<std::unique_ptr<Worker>> slots_;
  std::size_t open_;  // units without an outcome
  bool all_claimed_ = false;
  int failed_loads_ = 0;  // in a row
  JobOutcome outcome_;
};

JobOutcome Pool::run() && {
  const auto alive = [&] {
    return std::ranges::any_of(slots_, [](auto& w) { return w != nullptr; });
  };
  Clock::time_point watched{};
  for (start_workers(); alive(); start_workers()) {
    wait();
    for (auto& worker : slots_)
      if (worker) worker->process.drain();
    collect();
    const bool due = Clock::now() - watched >= watch_interval;
    for (auto& worker : slots_) {
      if (worker && due) watch(*worker);
      if (worker && reap(*worker)) worker.reset();
    }
    if (!due) continue;
    watched = Clock::now();
    if (observer_.tick) observer_.tick();
  }
  if (const auto formed = records_.formed_calls(); seen_ != nullptr)
    seen_->assign(formed.begin(), formed.end());
  add_work(records_.work());
  return std::move(outcome_);
}

void Pool::start_workers() {
  auto living = static_cast<std::size_t>(
      std::ranges::count_if(slots_, [](auto& worker) { return worker != nullptr; }));
  for (std::size_t slot = 0; slot < slots_.size() && living < open_; ++slot) {
    if (all_claimed_ || failed_loads_ >= limits_.load_attempts || outcome_.adapter_fault) return;
    if (slots_[slot]) continue;
    reset(records_.position(slot));
    records_.clear_trace(slot);
    std::vector<std::string> command{program_, "--records", "3", "--worker", std::to_string(slot)};
    if (has_drop_ins(job_)) command.emplace_back("--drop-ins");
    if (const std::string python = interpreter_of(job_); !python.empty())
      command.insert(command.end(), {"--python", python});
    slots_[slot] =
        std::make_unique<Worker>(slot, command, records_.descriptor(), environment_, limits_);
    ++records_.work()[static_cast<std::size_t>(Work::worker_processes)];
    for (const AdapterSource& source : job_.adapters)
      note_load(source.path);
    ++living;
  }
}

// Waits until a process ends or prints, or the watch is due.
void Pool::wait() const {
  std::vector<pollfd> events;
  for (const auto& worker : slots_) {
    if (!worker) continue;
    events.push_back({worker->process.end_event(), POLLIN, 0});
    if (worker->process.output_event() >= 0)
      events.push_back({worker->process.output_event(), POLLIN, 0});
  }
  poll(events.data(), events.size(), static_cast<int>(watch_interval.count()));
}

// Accepts the records that were sealed since the last call: those of one worker in the order in
// which it wrote them.
void Pool::collect() {
  struct Fresh {
    std::uint32_t unit;
    SealedRecord record;
  };
  std::vector<Fresh> fresh;
  for (std::uint32_t unit = 0; unit < outcome_.units.size(); ++unit) {
    if (!is_open(unit) || is_at_work_on(unit)) continue;
    if (std::optional<SealedRecord> record = records_.read(unit))
      fresh.push_back({unit, std::move(*record)});
  }
  std::ranges::stable_sort(fresh, {}, [](const Fresh& one) { return one.record.author.order; });
  for (auto& [unit, record] : fresh) {
    const std::size_t slot = record.author.worker;
    if (slot < slots_.size() && slots_[slot]) accept(*slots_[slot], unit, std::move(record.text));
  }
}

// A record may be sealed before its unit is done: of a failure that is still being shrunk. What has
// hung has no record, whatever comes behind the hang.
bool Pool::is_at_work_on(std::uint32_t unit) {
  return std::ranges::any_of(slots_, [&](const std::unique_ptr<Worker>& worker) {
    if (!worker) return false;
    if (worker->hung_at && worker->hung_at->unit == unit) return true;
    return !worker->ended && records_.position(worker->slot).unit.load() == unit;
  });
}

void Pool::accept(Worker& worker, std::uint32_t unit, std::string text) {
  UnitOutcome outcome;
  outcome.end = UnitEnd::recorded;
  outcome.before = worker.history;
  if (records_are_texts(job_.mode)) {
    outcome.text = std::move(text);
    worker.process.drain();
    outcome.output = worker.process.printed().text();
  } else {
    try {
      outcome.record = record_from_json(text);
    } catch (const std::runtime_error& error) {
      outcome.end = UnitEnd::damaged;
      outcome.record.requested = requested_of(unit);
      outcome.problem = error.what();
    }
  }
  if (worker.slow_unit == unit) outcome.slowness = worker.slowness;
  if (went_wrong(outcome)) outcome.output = worker.process.printed().text();
  worker.history.push_back(unit);
  failed_loads_ = 0;
  set_outcome(unit, std::move(outcome));
}

void Pool::set_outcome(std::uint32_t unit, UnitOutcome outcome) {
  if (is_open(unit)) --open_;
  outcome_.units[unit] = std::move(outcome);
  if (observer_.unit_ended) observer_.unit_ended(unit, outcome_.units[unit]);
}

void Pool::watch(Worker& worker) {
  if (!worker.exceeded) {
    const PositionSnapshot at = snapshot_of(records_.position(worker.slot), job_.units.size());
    std::uint64_t bytes = resident_bytes(worker.process.pid());
    if (bytes > worker.watch.most_bytes(at)) bytes = proportional_bytes(worker.process.pid());
    worker.exceeded = worker.watch.check(at, bytes, Clock::now());
    if (std::string slowness = worker.watch.slowness(); !slowness.empty()) {
      worker.slow_unit = at.unit;
      worker.slowness = std::move(slowness);
    }
    const bool hangs = worker.exceeded && worker.exceeded->limit == Limit::time;
    if (hangs && is_open(at.unit) && !records_.read(at.unit)) worker.hung_at = at;
  }
  if (worker.exceeded && has_told_stacks(worker)) worker.process.stop();
}

// Or has none to tell.
bool Pool::has_told_stacks(Worker& worker) {
  if (worker.exceeded->limit != Limit::time) return true;
  const int signal = records_.position(worker.slot).stacks_signal.load();
  return worker.stacks.told(worker.process.pid(), signal, worker.process.printed().total(),
                            Clock::now());
}

// Whether the worker has ended. If so, its unit has an outcome now, or is left to be run again.
bool Pool::reap(Worker& worker) {
  if (!worker.process.reap()) return false;
  worker.ended = true;
  worker.process.drain();
  collect();
  const Position& position = records_.position(worker.slot);
  const PositionSnapshot at = worker.hung_at.value_or(snapshot_of(position, job_.units.size()));
  if (position.ended.load() == 0) subreaper_.reap_orphans(supervisors());
  if (position.adapter_fault.load() != 0) end_for_fault(worker);
  if (outcome_.adapter_fault) return true;

  const bool spent = at.phase == Phase::spent;
  const bool finished =
      (at.phase == Phase::finished || spent) && !worker.exceeded && wait_status(worker) == 0;
  if (finished) {
    const bool ran_its_share =
        job_.units_per_worker > 0 && worker.history.size() >= job_.units_per_worker;
    all_claimed_ = all_claimed_ || !(spent || ran_its_share);
  } else if (at.unit != no_unit && is_open(at.unit)) {
    ended_in_unit(worker, at.unit, at);
  } else {
    ended_outside(worker, at);
  }
  return true;
}

// Nothing that a wrong adapter shows is the library's: the others are stopped too.
void Pool::end_for_fault(Worker& worker) {
  if (std::exchange(outcome_.adapter_fault, true)) return;
  outcome_.loading = reason_of(records_.position(worker.slot));
  outcome_.loading_output = worker.process.printed().text();
  for (auto& other : slots_)
    if (other && other.get() != &worker) other->process.stop();
}

void Pool::ended_in_unit(const Worker& worker, std::uint32_t unit, const PositionSnapshot& at) {
  // The worker was being stopped for what an earlier unit did: this one is run again.
  if (worker.exceeded && worker.exceeded->unit != unit) return blame_for_memory(worker);

  UnitOutcome outcome;
  outcome.in_case = true;
  outcome.case_index = at.case_index;
  outcome.case_seed = records_.position(worker.slot).case_seed.load();
  outcome.before = worker.history;
  outcome.trace = records_.read_trace(worker.slot);
  outcome.record.cases = cases_before(job_.units[unit], at.case_index);
  outcome.record.inputs = records_.position(worker.slot).inputs.load();
  outcome.record.signature = text_in(records_.position(worker.slot).signature);
  outcome.record.frames = text_in(records_.position(worker.slot).frames);
  outcome.record.requested = requested_of(unit);
  outcome.problem = reason_of(records_.position(worker.slot));
  outcome.limit = limit_of(records_.position(worker.slot));
  const bool hung = worker.exceeded && worker.exceeded->limit == Limit::time;
  if (hung && at.forks_among_threads) outcome.limit = among_threads;
  failed_loads_ = 0;
  const std::string where = worker.exceeded ? "" : fmt::format(" in case {}", at.case_index);
  set_crash(unit, std::move(outcome), worker, how_ended(worker) + where);
}

// The worker ended before it ran anything, between its units, or when it had run all.
void Pool::ended_outside(const Worker& worker, const PositionSnapshot& at) {
  const bool loading = at.phase == Phase::starting || at.phase == Phase::loading ||
                       (job_.mode == Job::Mode::describe && worker.history.empty());
  if (loading) return failed_to_load(worker, at);
  // It ended while the failure of that unit was being shrunk or described.
  if (at.unit != no_unit && outcome_.units[at.unit].record.failed) return;
  // It was being stopped for a case that has ended by now.
  if (worker.exceeded && worker.exceeded->unit != no_unit && at.unit == no_unit)
    return blame_for_memory(worker);
  if (const std::string reason = reason_of(records_.position(worker.slot)); !reason.empty())
    return add_problem(reason);
  add_death(worker, at);
}

void Pool::failed_to_load(const Worker& worker, const PositionSnapshot& at) {
  const std::string how = how_ended(worker);
  const std::string reason = reason_of(records_.position(worker.slot));
  if (!reason.empty())
    add_problem(reason);
  else if (at.phase == Phase::starting)
    add_problem("a worker process did not start: " + how);
  else
    add_death(worker, at);
  if (++failed_loads_ < limits_.load_attempts) return;
  outcome_.loading = worker.exceeded ? how : fmt::format("{} while {}", how, to_text(at.phase));
  if (const std::vector<std::string> steps = steps_of(worker); !steps.empty())
    outcome_.loading += fmt::format(", in {}", steps.back());
  outcome_.loading_output = worker.process.printed().text();
  const std::string line{last_line(outcome_.loading_output)};
  if (!reason.empty() || !line.empty()) outcome_.loading += ": " + (reason.empty() ? line : reason);
}

// The unit took too much memory, and was done before its worker was stopped.
void Pool::blame_for_memory(const Worker& worker) {
  if (!worker.exceeded || worker.exceeded->limit != Limit::memory) return;
  const std::uint32_t unit = worker.exceeded->unit;
  if (outcome_.units.at(unit).end == UnitEnd::recorded && !outcome_.units[unit].record.failed)
    set_crash(unit, outcome_.units[unit], worker, worker.exceeded->message);
}

void Pool::add_death(const Worker& worker, const PositionSnapshot& at) {
  if (!worker.exceeded && others_may_have(wait_status(worker)))
    return add_problem(
        fmt::format("a worker process {} outside of checks ({}), maybe because of another program",
                    how_ended(worker), to_text(at.phase)));
  if (leaks_were_not_looked_for(worker.process.printed().text()))
    return add_problem("LeakSanitizer could not look for leaks in a worker process");
  WorkerDeath& death = outcome_.deaths.emplace_back();
  death.when = to_text(at.phase);
  death.how = how_ended(worker);
  for (const std::uint32_t unit : worker.history)
    death.after.push_back(job_.units[unit].check);
  death.output = worker.process.printed().text();
  death.steps = steps_of(worker);
}

// Outside of cases: what the worker told of loading and closing.
std::vector<std::string> Pool::steps_of(const Worker& worker) {
  if (job_.mode == Job::Mode::preflight) return {};  // which tells something else there
  Counterexample told;
  add_trace(told, records_.read_trace(worker.slot));
  return std::move(told.trace);
}

void Pool::add_problem(std::string problem) {
  if (std::ranges::find(outcome_.problems, problem) == outcome_.problems.end())
    outcome_.problems.push_back(std::move(problem));
}

void Pool::set_crash(std::uint32_t unit, UnitOutcome outcome, const Worker& worker,
                     std::string message) {
  outcome.end = !worker.exceeded                          ? UnitEnd::crashed
                : worker.exceeded->limit == Limit::memory ? UnitEnd::exhausted
                                                          : UnitEnd::hung;
  outcome.output = worker.process.printed().text();
  outcome.record.message = std::move(message);
  set_outcome(unit, std::move(outcome));
}

// The worker's, or its supervisor's where that did not live to tell it.
int Pool::wait_status(const Worker& worker) {
  const Position& position = records_.position(worker.slot);
  return position.ended.load() != 0 ? position.wait_status.load() : worker.process.wait_status();
}

std::string Pool::how_ended(const Worker& worker) {
  if (worker.exceeded) return worker.exceeded->message;
  const bool told = records_.position(worker.slot).ended.load() != 0;
  return describe_end(wait_status(worker)) + (told ? "" : ", together with its supervisor process");
}

std::set<pid_t> Pool::supervisors() const {
  std::set<pid_t> pids;
  for (const auto& worker : slots_)
    if (worker) pids.insert(worker->process.pid());
  return pids;
}

std::vector<std::uint32_t> missing_units(const JobOutcome& outcome) {
  std::vector<std::uint32_t> missing;
  for (std::uint32_t unit = 0; unit < outcome.units.size(); ++unit)
    if (outcome.units[unit].end == UnitEnd::missing) missing.push_back(unit);
  return missing;
}

// Units that were claimed by a worker that was stopped for what another unit did have no outcome,
// and no other worker can claim them: they are run in a job of their own.
void rerun(const std::vector<std::uint32_t>& lost, const std::string& program, const Job& job,
           const Limits& limits, unsigned workers, const PoolObserver& observer, SeenCalls* seen,
           JobOutcome& outcome) {
  Job rest = job;
  rest.units.clear();
  for (const std::uint32_t unit : lost)
    rest.units.push_back(job.units[unit]);
  PoolObserver translating = observer;
  if (observer.unit_ended)
    translating.unit_ended = [&](std::uint32_t unit, const UnitOutcome& ended) {
      observer.unit_ended(lost[unit], ended);
    };
  JobOutcome again = Pool{program, rest, limits, workers, translating, seen}.run();
  for (std::size_t i = 0; i < lost.size(); ++i) {
    for (std::uint32_t& unit : again.units[i].before)
      unit = lost[unit];
    outcome.units[lost[i]] = std::move(again.units[i]);
  }
  outcome.loading = std::move(again.loading);
  outcome.loading_output = std::move(again.loading_output);
  outcome.adapter_fault = again.adapter_fault;
  std::ranges::move(again.deaths, std::back_inserter(outcome.deaths));
  for (std::string& problem : again.problems)
    if (std::ranges::find(outcome.problems, problem) == outcome.problems.end())
      outcome.problems.push_back(std::move(problem));
}

}  // namespace

bool went_wrong(const UnitOutcome& outcome) {
  switch (outcome.end) {
    case UnitEnd::missing:
    case UnitEnd::damaged:
      return false;
    case UnitEnd::recorded:
      return outcome.record.failed;
    case UnitEnd::crashed:
    case UnitEnd::hung:
    case UnitEnd::exhausted:
      break;
  }
  return true;
}

JobOutcome run_job(const std::string& program, const Job& job, const Limits& limits,
                   unsigned workers, const PoolObserver& observer, SeenCalls* seen) {
  JobOutcome outcome = Pool{program, job, limits, workers, observer, seen}.run();
  for (int round = 0; round < rerun_rounds && outcome.loading.empty(); ++round) {
    const std::vector<std::uint32_t> lost = missing_units(outcome);
    if (lost.empty()) break;
    rerun(lost, program, job, limits, workers, observer, seen, outcome);
  }
  return outcome;
}

}  // namespace dlcert
