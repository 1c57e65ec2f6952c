// SPDX-License-Identifier: Apache-2.0

#include "order_enumeration.hpp"

#include <algorithm>
#include <bit>
#include <optional>

#include "order_sampling.hpp"

namespace dlcert::driver::order {
namespace {

constexpr std::size_t most_disagreements = 10;
constexpr std::uint8_t legacy = 0, first_stream = 1, second_stream = 2;

std::uint64_t mixed(std::uint64_t number) {
  number = (number ^ (number >> 30)) * 0xBF58476D1CE4E5B9;
  number = (number ^ (number >> 27)) * 0x94D049BB133111EB;
  return number ^ (number >> 31);
}

bool same_answers(std::span<const Call> a, std::span<const Call> b) {
  return std::ranges::equal(a, b, {}, &Call::answered, &Call::answered);
}

}  // namespace

// ---- comparison ---------------------------------------------------------------------------------

void Comparison::disagree(const std::string& what, std::span<const Call> program) {
  if (disagreements_.size() < most_disagreements)
    disagreements_.push_back(what + "\n" + to_text(setting_, program));
}

bool Comparison::races_under(Schedule schedule, std::vector<Call>& program) {
  const Outcome outcome = simulation_.run(program, schedule, mixed(programs_));
  if (judged_.empty() || !same_answers(judged_, program)) {
    verdict_ = judge(setting_, program);
    judged_ = program;
  }
  const std::string under = " under " + std::string(to_text(schedule));
  // Accesses of two threads of the host are not kept apart in what is remembered of them.
  if (verdict_.unwatched && (setting_.threads_apart || !verdict_.unordered)) {
    ++unwatched_;
    return false;
  }
  if (outcome.refused != verdict_.refused) disagree("other calls are errors" + under, program);
  const bool raced = !outcome.races.empty();
  if (raced && !verdict_.race())
    disagree("only the simulated driver" + under + " finds a race: " + outcome.races[0].text(),
             program);
  else if (!raced && verdict_.race())
    disagree("only the interpreter finds a race" + under +
                 (verdict_.unordered ? ", of calls " + verdict_.pair : ", by its bytes"),
             program);
  else if (!raced)
    for (std::size_t i = 0; i < outcome.values.size(); ++i)
      if (verdict_.values[i] != undefined && outcome.values[i] != verdict_.values[i]) {
        disagree("value " + std::to_string(i) + under + " is " + std::to_string(outcome.values[i]) +
                     " and not " + std::to_string(verdict_.values[i]),
                 program);
        break;
      }
  return verdict_.race();
}

bool Comparison::races(std::vector<Call>& program) {
  ++programs_;
  judged_.clear();
  const bool late = races_under(Schedule::late, program);
  const bool eager = races_under(Schedule::eager, program);
  if (mixed(programs_) % seeded_ == 0) races_under(Schedule::seeded, program);
  with_race_ += late && eager ? 1 : 0;
  return late && eager;
}

// ---- enumeration --------------------------------------------------------------------------------

namespace {

std::vector<Call> alphabet(bool more_calls) {
  std::vector<Call> calls;
  for (std::uint8_t stream = 0; stream < 3; ++stream) {
    for (std::uint8_t i = 0; i < 2; ++i) {
      const auto other = static_cast<std::uint8_t>(1 - i);
      calls.push_back({.verb = Verb::fill, .stream = stream, .cell = i});
      calls.push_back({.verb = Verb::copy, .stream = stream, .cell = i, .to = other});
      calls.push_back({.verb = Verb::read, .stream = stream, .cell = i});
      calls.push_back({.verb = Verb::record, .stream = stream, .event = i});
      calls.push_back({.verb = Verb::wait, .stream = stream, .event = i});
    }
    calls.push_back({.verb = Verb::synchronize_stream, .stream = stream});
    calls.push_back({.verb = Verb::query_stream, .stream = stream});
    if (!more_calls) continue;
    calls.push_back({.verb = Verb::fill_all, .stream = stream});
    if (stream != legacy) calls.push_back({.verb = Verb::renew_stream, .stream = stream});
  }
  calls.push_back({.verb = Verb::synchronize_device});
  for (std::uint8_t i = 0; i < 2; ++i) {
    const auto other = static_cast<std::uint8_t>(1 - i);
    calls.push_back({.verb = Verb::synchronize_event, .event = i});
    calls.push_back({.verb = Verb::query_event, .event = i});
    calls.push_back({.verb = Verb::host_read, .cell = i});
    calls.push_back({.verb = Verb::host_write, .cell = i});
    if (!more_calls) continue;
    calls.push_back({.verb = Verb::blocking_fill, .cell = i});
    calls.push_back({.verb = Verb::blocking_copy, .cell = i, .to = other});
  }
  return calls;
}

// What a call names and touches.
struct Use {
  bool stream = false;
  bool event = false;
  unsigned reads = 0;
  unsigned writes = 0;
};

Use use_of(const Call& call) {
  const unsigned cell = 1U << call.cell, to = 1U << call.to;
  switch (call.verb) {
    case Verb::fill:
      return {true, false, 0, cell};
    case Verb::copy:
      return {true, false, cell, to};
    case Verb::read:
      return {true, false, cell, 0};
    case Verb::record:
    case Verb::wait:
      return {true, true, 0, 0};
    case Verb::synchronize_stream:
    case Verb::query_stream:
    case Verb::renew_stream:
      return {true, false, 0, 0};
    case Verb::synchronize_event:
    case Verb::query_event:
      return {false, true, 0, 0};
    case Verb::fill_all:
      return {true, false, 0, 3};
    case Verb::host_read:
      return {false, false, cell, 0};
    case Verb::host_write:
    case Verb::blocking_fill:
      return {false, false, 0, cell};
    case Verb::blocking_copy:
      return {false, false, cell, to};
    default:
      return {};
  }
}

// What the calls so far have named.
struct Named {
  unsigned streams = 0;
  unsigned events = 0;
  unsigned reads = 0;
  unsigned writes = 0;
};

class Search {
 public:
  Search(const Setting& family, const Enumeration& options, Comparison& comparison)
      : alike_{family.streams[first_stream].role == family.streams[second_stream].role},
        non_blocking_{family.streams[first_stream].role == StreamRole::non_blocking},
        options_{options},
        comparison_{comparison},
        alphabet_{alphabet(options.more_calls)} {}

  void extend(Named named) {
    const auto depth = static_cast<int>(program_.size()) + 1;
    for (const Call& call : alphabet_) {
      const std::optional<Named> next = after(named, call);
      if (!next || !follows(depth)) continue;
      const Use use = use_of(call);
      const bool conflicts =
          (use.writes & (named.reads | named.writes)) != 0 || (use.reads & named.writes) != 0;
      if (depth == options_.length && (!conflicts || !is_of_family(*next))) continue;
      program_.push_back(call);
      if (!(conflicts && comparison_.races(program_)) && depth < options_.length) extend(*next);
      program_.pop_back();
    }
  }

 private:
  // Streams of one kind, events and cells are named in the order of their first use. An event is
  // named first where it is recorded. Before that it holds up nothing, and means nothing but to the
  // legacy stream, where waiting for it is an action.
  std::optional<Named> after(Named named, const Call& call) const {
    const Use use = use_of(call);
    if (use.stream) {
      if (alike_ && call.stream == second_stream && (named.streams & 1U << first_stream) == 0)
        return std::nullopt;
      if (call.verb == Verb::renew_stream && (named.streams & 1U << call.stream) == 0)
        return std::nullopt;
      named.streams |= 1U << call.stream;
    }
    if (use.event) {
      const bool known = (named.events & 1U << call.event) != 0;
      const bool in_turn = call.event == std::popcount(named.events);
      const bool acts = call.verb == Verb::wait && call.stream == legacy;
      if (!known && !(in_turn && (acts || call.verb == Verb::record))) return std::nullopt;
      if (call.verb == Verb::record) named.events |= 1U << call.event;
    }
    if ((use.reads | use.writes) != 0 && (named.reads | named.writes) == 0 && call.cell != 0)
      return std::nullopt;
    named.reads |= use.reads;
    named.writes |= use.writes;
    return named;
  }

  // Programs with one created stream alone belong to the families of two alike, those without any
  // to that of two blocking ones.
  bool is_of_family(const Named& named) const {
    const bool first = (named.streams & 1U << first_stream) != 0;
    const bool second = (named.streams & 1U << second_stream) != 0;
    return alike_ ? first || !non_blocking_ : first && second;
  }

  bool follows(int depth) {
    if (depth == 3 && ++prefixes_ % static_cast<std::uint64_t>(options_.shards) !=
                          static_cast<std::uint64_t>(options_.shard))
      return false;
    if (depth <= options_.whole || options_.sampled == 1) return true;
    random_ = mixed(random_ + options_.seed);
    return random_ % static_cast<std::uint64_t>(options_.sampled) == 0;
  }

  bool alike_;
  bool non_blocking_;
  Enumeration options_;
  Comparison& comparison_;
  std::vector<Call> alphabet_;
  std::vector<Call> program_;
  std::uint64_t prefixes_ = 0;
  std::uint64_t random_ = 0;
};

}  // namespace

std::vector<Setting> families(CellKind kind) {
  std::vector<Setting> made;
  constexpr StreamRole blocking = StreamRole::blocking, non_blocking = StreamRole::non_blocking;
  for (const auto& [first, second] :
       {std::pair{blocking, blocking}, {blocking, non_blocking}, {non_blocking, non_blocking}})
    made.push_back({.streams = {{StreamRole::legacy}, {first}, {second}},
                    .cells = {kind, kind},
                    .event_devices = {0, 0}});
  return made;
}

void sample(const Setting& family, std::uint64_t first, std::uint64_t programs,
            Comparison& comparison) {
  if (family.threads_apart && !Simulation::knows_threads_apart()) return;
  for (std::uint64_t seed = first; seed < first + programs; ++seed) {
    std::vector<Call> program = draw(family, seed);
    comparison.races(program);
  }
}

void enumerate(const Setting& family, const Enumeration& options, Comparison& comparison) {
  Search{family, options, comparison}.extend({});
}

}  // namespace dlcert::driver::order
