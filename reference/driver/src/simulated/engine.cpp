// SPDX-License-Identifier: Apache-2.0

#include "simulated/engine.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

namespace dlcert::driver::simulated {
namespace {

constexpr std::size_t not_busy = static_cast<std::size_t>(-1);
// How often a program may ask for something before it comes true under the late schedule.
constexpr int patience = 4;

// Never given to two threads, unlike std::thread::id.
std::uint64_t number_of_thread() {
  static std::atomic<std::uint64_t> threads{0};
  thread_local const std::uint64_t number = ++threads;
  return number;
}

}  // namespace

Engine::Engine(std::mutex& mutex, const SimulatedOptions& options)
    : mutex_{mutex},
      schedule_{options.schedule},
      random_{options.seed},
      devices_(static_cast<std::size_t>(options.devices)) {
  add_timeline(-1, false, false);  // the host
  for (int device = 0; device < options.devices; ++device)
    devices_[static_cast<std::size_t>(device)].legacy = &add_timeline(device, true, false);
}

Engine::~Engine() {
  stop();
  timelines_.clear();  // what they hold may still want to call later
}

void Engine::stop() {
  {
    const Lock lock{mutex_};
    ending_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

// One whose operations have all run and are known to the host: sharing a timeline with them orders
// nothing that is not ordered.
Timeline* Engine::retired_timeline(int device) {
  if (device < 0) return nullptr;
  Device& owner = devices_[static_cast<std::size_t>(device)];
  if (owner.retired.empty()) return nullptr;
  Timeline& found = *owner.retired.front();
  owner.retired.pop_front();
  if (!is_past(found)) {
    owner.retired.push_back(&found);  // another one may be past the next time
    return nullptr;
  }
  if (found.active) std::erase(owner.active, &found);
  found.active = false;
  found.clock = {};
  return &found;
}

bool Engine::is_past(const Timeline& timeline) const noexcept {
  return timeline.waiting.empty() && known_by_host(timeline.last());
}

void Engine::retire(Timeline& timeline) {
  devices_[static_cast<std::size_t>(timeline.device)].retired.push_back(&timeline);
}

Timeline& Engine::add_timeline(int device, bool legacy, bool blocking) {
  if (Timeline* const again = retired_timeline(device)) {
    again->blocking = blocking;
    return *again;
  }
  auto made = std::make_unique<Timeline>();
  made->index = static_cast<std::uint32_t>(timelines_.size());
  made->device = device;
  made->legacy = legacy;
  made->blocking = blocking;
  host_knows_.push_back(0);
  busy_place_.push_back(not_busy);
  return *timelines_.emplace_back(std::move(made));
}

// ---- order --------------------------------------------------------------------------------------

// That the host knows of an operation does not mean that it has run: a host function tells the host
// from when it starts.
void Engine::wait(Timeline& timeline, const Moment& moment) {
  const Position position = moment.position;
  if (position.number == 0 || position.timeline == timeline.index) return;
  if (timeline.clock.get().knows(position)) return;
  if (!is_done(position)) timeline.next_after.push_back(position);
  if (!known_by_host(position)) timeline.clock.learn(position, moment.clock.get(), host_knows_);
}

void Engine::order_with_legacy(Timeline& timeline) {
  if (timeline.device < 0) return;
  Device& device = devices_[static_cast<std::size_t>(timeline.device)];
  if (timeline.fence < device.fence.position.number) {
    wait(timeline, device.fence);
    timeline.fence = device.fence.position.number;
  }
  if (timeline.legacy) {
    for (Timeline* other : device.active) {
      wait(timeline, now(*other));
      other->active = false;
    }
    device.active.clear();
  } else if (timeline.blocking) {
    if (timeline.barrier < device.legacy->submitted) {
      wait(timeline, now(*device.legacy));
      timeline.barrier = device.legacy->submitted;
    }
    if (!timeline.active) device.active.push_back(&timeline);
    timeline.active = true;
  }
}

void Engine::touch(Timeline& timeline) {
  if (timeline.waiting.empty()) {
    busy_place_[timeline.index] = busy_.size();
    busy_.push_back(&timeline);
  }
  if (timeline.touched || timeline.device < 0) return;
  devices_[static_cast<std::size_t>(timeline.device)].touched.push_back(&timeline);
  timeline.touched = true;
}

void Engine::submit(Timeline& timeline, bool is_work, Work work) {
  if (apart_) wait(timeline, now(own_timeline()));
  order_with_legacy(timeline);
  touch(timeline);
  Operation& operation = timeline.waiting.emplace_back();
  operation.is_work = is_work;
  if (work.effect || work.function != nullptr || !timeline.next_after.empty()) {
    operation.details = std::make_unique<Operation::Details>();
    operation.details->after = std::exchange(timeline.next_after, {});
    if (work.function != nullptr) operation.details->known = timeline.clock;
    operation.details->work = std::move(work);
  }
  ++timeline.submitted;
  ++pending_;
  if (operation.details == nullptr || operation.details->work.function == nullptr) return;
  late_functions_.push_back(timeline.last());
  wake_thread();
}

void Engine::fence(int device) {
  Device& fenced = devices_[static_cast<std::size_t>(device)];
  for (const Timeline* each : fenced.touched)
    wait(*fenced.legacy, now(*each));
  submit(*fenced.legacy, false, {});
  fenced.fence = now(*fenced.legacy);
}

// ---- what the host knows ------------------------------------------------------------------------

void Engine::set_threads_apart(bool apart) {
  apart_ = apart;
  for (const auto& [number, timeline] : threads_)
    all_learn(now(*timeline));
  threads_.clear();
}

Timeline& Engine::own_timeline() {
  Timeline*& own = threads_[number_of_thread()];
  if (own == nullptr) own = &add_timeline(-1, false, false);
  return *own;
}

Position Engine::host_step() {
  if (!apart_) return {0, ++host_knows_[0]};
  Timeline& own = own_timeline();
  own.done = ++own.submitted;
  return own.last();
}

// A step, so that who has waited for the thread's last one has learned all that the thread knows.
void Engine::host_learns(const Moment& moment) {
  if (!apart_) return all_learn(moment);
  Timeline& own = own_timeline();
  if (is_before(moment.position, own)) return;
  own.clock.learn(moment.position, moment.clock.get(), host_knows_);
  static_cast<void>(host_step());
}

void Engine::all_learn(const Moment& moment) {
  const auto learn = [&](Position position) {
    std::uint64_t& known = host_knows_[position.timeline];
    known = std::max(known, position.number);
  };
  learn(moment.position);
  for (const Position position : moment.clock.get().entries())
    learn(position);
}

void Engine::synchronize(const Moment& moment, Lock& lock) {
  run_until(moment.position, lock);
  host_learns(moment);
}

bool Engine::query(const std::vector<Moment>& moments, Lock& lock) {
  if (schedule_ == Schedule::seeded) run_some(lock);
  for (const Moment& moment : moments) {
    Timeline& asked = timeline(moment.position.timeline);
    if (!is_done(moment.position) && ++asked.polls > patience)
      run_until(moment.position, lock, false);
    if (!is_done(moment.position)) return false;
  }
  for (const Moment& moment : moments)
    host_learns(moment);
  return true;
}

// ---- execution ----------------------------------------------------------------------------------

const Position* Engine::missing(const Timeline& timeline) noexcept {
  const auto& details = timeline.waiting.front().details;
  if (details == nullptr) return nullptr;
  const auto& after = details->after;
  const auto found = std::ranges::find_if(after, [&](Position p) { return !is_done(p); });
  return found == after.end() ? nullptr : &*found;
}

bool Engine::is_ready(const Timeline& timeline) noexcept {
  return !timeline.waiting.empty() && !timeline.running && missing(timeline) == nullptr;
}

// A host function may tell the host what has run, so that the moment when it runs decides what is
// known. Whatever the schedule, that is when something waits for it or when the host rests.
bool Engine::runs_by_itself(const Timeline& timeline) noexcept {
  if (!is_ready(timeline)) return false;
  const auto& details = timeline.waiting.front().details;
  return details == nullptr || details->work.function == nullptr;
}

void Engine::run_until(Position goal, Lock& lock, bool may_wait) {
  std::vector<Position> goals{goal};
  while (!goals.empty() && !(ending_ && on_own_thread())) {
    const Position wanted = goals.back();
    Timeline& next = timeline(wanted.timeline);
    if (next.done >= wanted.number)
      goals.pop_back();
    else if (next.running && !may_wait)
      return give_way(lock);
    else if (next.running)
      await_function(next, lock);
    else if (const Position* first = missing(next))
      goals.push_back(*first);
    else
      run_first(next, lock);
  }
}

// Who asks again and again would keep the lock from the function that has to end first.
void Engine::give_way(Lock& lock) {
  constexpr std::chrono::milliseconds moment{1};
  changed_.wait_for(lock, moment);
}

bool Engine::may_run(Device& device) {
  if (device.error != Status::success) return false;
  device.error = std::exchange(device.next_error, Status::success);
  return device.error == Status::success;
}

void Engine::run_first(Timeline& timeline, Lock& lock) {
  const Operation& operation = timeline.waiting.front();
  const bool works =
      operation.is_work && may_run(devices_[static_cast<std::size_t>(timeline.device)]);
  if (works && operation.details != nullptr) {
    const Work& work = operation.details->work;
    if (work.function != nullptr)
      return on_own_thread() ? call_function(timeline, lock) : start_function(timeline);
    if (work.effect) work.effect();
  }
  finish_first(timeline);
}

void Engine::finish_first(Timeline& timeline) {
  timeline.waiting.pop_front();
  ++timeline.done;
  --pending_;
  ++operations_run_;
  timeline.polls = 0;
  if (!timeline.waiting.empty()) return;
  const std::size_t place = std::exchange(busy_place_[timeline.index], not_busy);
  Timeline* const moved = busy_.back();
  busy_.pop_back();
  if (moved == &timeline) return;
  busy_[place] = moved;
  busy_place_[moved->index] = place;
}

void Engine::progress(Timeline& timeline, Lock& lock) {
  if (schedule_ == Schedule::eager)
    while (runs_by_itself(timeline))
      run_first(timeline, lock);
  if (schedule_ == Schedule::seeded) run_some(lock);
}

void Engine::progress_all(Lock& lock) {
  if (schedule_ == Schedule::eager) run_ready(lock);
  if (schedule_ == Schedule::seeded) run_some(lock);
}

void Engine::run_ready(Lock& lock) {
  for (bool any = true; any;) {
    any = false;
    for (std::size_t i = 0; i < busy_.size(); ++i) {
      Timeline& candidate = *busy_[i];
      if (!runs_by_itself(candidate)) continue;
      run_first(candidate, lock);
      any = true;
      if (i < busy_.size() && busy_[i] != &candidate) --i;
    }
  }
}

void Engine::run_some(Lock& lock) {
  for (std::uint64_t steps = random_() % 4; steps > 0 && !busy_.empty(); --steps) {
    Timeline& candidate = *busy_[random_() % busy_.size()];
    if (runs_by_itself(candidate)) run_first(candidate, lock);
  }
}

void Engine::run_device(int device, Lock& lock) {
  const std::vector<Timeline*> touched = devices_[static_cast<std::size_t>(device)].touched;
  for (const Timeline* each : touched)
    run_until(each->last(), lock);
}

void Engine::synchronize_device(int device, Lock& lock) {
  std::vector<Timeline*>& touched = devices_[static_cast<std::size_t>(device)].touched;
  std::vector<Moment> moments;
  moments.reserve(touched.size());
  for (const Timeline* each : touched)
    moments.push_back(now(*each));
  for (const Moment& moment : moments)
    synchronize(moment, lock);
  // Others may have submitted more meanwhile.
  std::erase_if(touched, [&](Timeline* each) {
    each->touched = !is_past(*each);
    return !each->touched;
  });
}

void Engine::run(const Moment& moment, Lock& lock) {
  run_until(moment.position, lock);
}

// ---- host functions -----------------------------------------------------------------------------

bool Engine::on_own_thread() const noexcept {
  return thread_.get_id() == std::this_thread::get_id();
}

void Engine::wake_thread() {
  if (!thread_.joinable()) thread_ = std::thread{[this] { serve_functions(); }};
  changed_.notify_all();
}

void Engine::call_later(HostFunction function, void* data) {
  if (ending_) return;
  last_calls_.emplace_back(function, data);
  wake_thread();
}

void Engine::start_function(Timeline& timeline) {
  timeline.running = true;
  functions_.push_back(&timeline);
  wake_thread();
}

// The thread itself never waits here: what runs is then the next in its own queue.
void Engine::await_function(Timeline& timeline, Lock& lock) {
  if (!on_own_thread()) return changed_.wait(lock);
  std::erase(functions_, &timeline);
  call_function(timeline, lock);
}

void Engine::call_function(Timeline& timeline, Lock& lock) {
  const Operation::Details& details = *timeline.waiting.front().details;
  timeline.running = true;
  // What came before has run, and the function may tell any thread so by means of its own.
  all_learn({{timeline.index, timeline.done + 1}, details.known});
  const HostFunction function = details.work.function;
  void* const data = details.work.data;
  lock.unlock();
  function(data);
  lock.lock();
  timeline.running = false;
  finish_first(timeline);
  changed_.notify_all();
}

void Engine::serve_functions() {
  Lock lock{mutex_};
  while (!ending_) {
    if (!last_calls_.empty()) {
      const auto [function, data] = last_calls_.front();
      last_calls_.pop_front();
      lock.unlock();
      function(data);
      lock.lock();
    } else if (!functions_.empty()) {
      Timeline& next = *functions_.front();
      functions_.pop_front();
      call_function(next, lock);
      if (schedule_ == Schedule::eager && !ending_) run_ready(lock);
    } else if (late_functions_.empty()) {
      changed_.wait(lock);
    } else if (is_done(late_functions_.front())) {
      late_functions_.pop_front();
    } else if (host_rests(lock)) {
      if (!late_functions_.empty()) run_until(late_functions_.front(), lock);
      if (schedule_ == Schedule::eager && !ending_) run_ready(lock);
    } else {
      changed_.wait_for(lock, HostRest::interval);
    }
  }
}

bool Engine::host_rests(Lock& lock) {
  const std::uint64_t calls = calls_;
  lock.unlock();
  const bool rests = rest_.rests(calls);
  lock.lock();
  return rests && calls == calls_ && !ending_;
}

}  // namespace dlcert::driver::simulated
