// SPDX-License-Identifier: Apache-2.0
//
// A worker of another build that runs nothing: the seed of a unit says which record it seals
// (scripted_worker.hpp).
#include "scripted_worker.hpp"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "records/job.hpp"
#include "records/records.hpp"

namespace dlcert::scripted {
namespace {

// As a case fails whose input has other properties.
std::string record_without_properties(const Unit& unit) {
  UnitRecord record{.requested = unit.cases, .cases = unit.cases, .met = unit.cases};
  if (unit.cases == passes_without_properties) return to_json(record);
  record.failed = true;
  record.message = "sum: expected 2 but found 5";
  record.counterexample.emplace().choices = {1, 2};
  return to_json(record);
}

std::string record_of(const Unit& unit, bool alone) {
  if (unit.without != 0) return record_without_properties(unit);
  const std::string passed = to_json(UnitRecord{.requested = 5, .cases = 5, .met = 5});
  switch (static_cast<Script>(unit.seed)) {
    case Script::passes:
    case Script::passes_and_dies_at_the_end:
    case Script::passes_and_is_killed_at_the_end:
    case Script::passes_and_cannot_go_on:
    case Script::dies_behind_a_limit:
    case Script::finds_a_fault_of_the_adapter:
    case Script::is_slow:
      return passed;
    case Script::damages:
      return passed.substr(0, passed.size() / 2);
    case Script::fails_then_damages:
      if (alone) return passed.substr(0, passed.size() / 2);
      return to_json(UnitRecord{.requested = 5, .cases = 2, .failed = true, .message = "broken"});
  }
  return {};
}

void work(Records& records, std::uint32_t number) {
  const Job job = job_from_json(records.job());
  Position& position = records.position(number);
  position.phase = Phase::idle;
  if (job.mode == Job::Mode::describe) {
    Inventory inventory;
    inventory.build = "dlcert 0.0";
    records.write(records.claim(), {.worker = number, .order = 0}, to_json(inventory));
    position.phase = Phase::finished;
    return;
  }
  std::uint32_t recorded = 0;
  bool dies = false;
  bool is_killed = false;
  while (job.units_per_worker == 0 || recorded < job.units_per_worker) {
    const std::uint32_t unit = records.claim();
    if (unit == no_unit) break;
    const auto script = static_cast<Script>(job.units.at(unit).seed);
    if (script == Script::dies_behind_a_limit) {
      std::strcpy(position.limit, "cudaMemGetInfo is not modelled");
      position.unit = unit;
      position.phase = Phase::running;
      std::abort();
    }
    if (script == Script::finds_a_fault_of_the_adapter) {
      std::strcpy(position.reason, "adapter 'acme': a fault of the adapter: a typo");
      position.adapter_fault = 1;
      position.unit = unit;
      position.phase = Phase::running;
      std::puts("Traceback");
      std::exit(3);
    }
    if (script == Script::is_slow) ::sleep(60);
    dies = dies || script == Script::passes_and_dies_at_the_end;
    is_killed = is_killed || script == Script::passes_and_is_killed_at_the_end;
    records.write(unit, {.worker = number, .order = recorded++},
                  record_of(job.units.at(unit), job.units_per_worker == 1));
    if (script == Script::passes_and_cannot_go_on) {
      std::strcpy(position.reason, "the machine lacks memory");
      std::exit(2);
    }
  }
  position.phase = Phase::finished;
  if (dies) std::abort();
  if (is_killed) std::raise(SIGKILL);
}

}  // namespace
}  // namespace dlcert::scripted

// As the pool starts it: --records DESCRIPTOR --worker NUMBER.
int main(int, char** argv) {
  dlcert::Records records = dlcert::Records::attach(std::atoi(argv[2]));
  dlcert::scripted::work(records, static_cast<std::uint32_t>(std::atoi(argv[4])));
}
