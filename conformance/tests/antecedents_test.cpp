// SPDX-License-Identifier: Apache-2.0
//
// Libraries that keep the rules from being touched: nothing that they are asked may pass.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include <dlcert/suite/spy.hpp>

#include "records/decide.hpp"
#include "register/register.hpp"
#include "suite.hpp"
#include "worker/unit.hpp"

namespace dlcert {
namespace {

// The spy without facts of its dlpack.h, which are there whatever it claims.
struct SpyTable {
  dlcert_tensor_group tensor = *spy_library().tensor;
  dlcert_exchange_group exchange = *spy_library().exchange;
  dlcert_capsule_group capsule = *spy_library().capsule;
  dlcert_adapter table = spy_library();

  SpyTable() {
    table.tensor = &tensor;
    table.exchange = &exchange;
    table.capsule = &capsule;
    table.cxx_facts = nullptr;
    table.c_facts = nullptr;
  }
  SpyTable(const SpyTable&) = delete;
  SpyTable& operator=(const SpyTable&) = delete;
  ~SpyTable() = default;
};

dlcert_status refuse(dlcert_error* error) {
  if (error != nullptr) {
    error->kind = DLCERT_ERROR_BUFFER;
    std::strcpy(error->message, "refused");
  }
  return DLCERT_REFUSED;
}

// Tables are known by their address for as long as a process runs.
const dlcert_adapter& claims_nothing() {
  static SpyTable spy;
  spy.tensor.can = [](void*, const dlcert_tensor_spec*) { return 0; };
  return spy.table;
}

const dlcert_adapter& refuses_imports() {
  static SpyTable spy;
  spy.exchange.import_managed = [](void*, dlcert_managed, dlcert_tensor**, dlcert_error* error) {
    return refuse(error);
  };
  spy.exchange.import_from = [](void*, const dlcert_producer*, const dlcert_import_request*,
                                dlcert_tensor**, dlcert_error* error) { return refuse(error); };
  spy.capsule.import_capsule = [](void*, dlcert_capsule*, dlcert_tensor**, dlcert_error* error) {
    return refuse(error);
  };
  return spy.table;
}

Settings default_settings() {
  Settings settings;
  for (const Policy& policy : Register::embedded().policies())
    settings.policies[policy.name] = policy.default_value;
  return settings;
}

bool is_examined(const Check& check, Role role) {
  constexpr std::string_view areas[] = {"abi.", "capsule.", "lifetime.", "sharing."};
  if (check.role != role || check.platform != Platform::any) return false;
  for (const std::string_view area : areas)
    if (check.requirement.starts_with(area)) return true;
  return false;
}

// The checks of a role that such a library passes.
std::vector<std::string> passed(const dlcert_adapter& table, Role role) {
  const Settings settings = default_settings();
  const Party subject{table, "subject"};
  const Party spy{spy_library(), "spy"};
  const Binding binding{role == Role::consumer ? spy : subject,
                        role == Role::consumer ? subject : spy, role, settings};
  std::vector<std::string> found;
  const Suite suite = all_checks();
  for (const Check& check : suite.checks()) {
    if (check.pair || !is_examined(check, role) || !subject.offers(check.needs)) continue;
    Unit unit;
    unit.seed = 1;
    unit.cases = 20;
    Position position{};
    const UnitRecord record = run_unit(check, binding, unit, {.position = position});
    if (decide_record(record, check.one_in).verdict == Verdict::pass)
      found.emplace_back(check.sentence);
  }
  return found;
}

using Sentences = std::vector<std::string>;

TEST(ALibraryThatClaimsNothing, PassesNothing) {
  EXPECT_EQ(passed(claims_nothing(), Role::producer), Sentences{});
  EXPECT_EQ(passed(claims_nothing(), Role::consumer), Sentences{});
}

TEST(AConsumerThatRefusesEverything, PassesOnlyWhatItDoesWithRefusedTensors) {
  EXPECT_EQ(passed(refuses_imports(), Role::consumer),
            (Sentences{"a refused tensor is released once in total",
                       "a tensor without deleter is refused without calling it",
                       "the tensor of a refused capsule is released once in total",
                       "a refused capsule that keeps its live name can be offered elsewhere"}));
}

}  // namespace
}  // namespace dlcert
