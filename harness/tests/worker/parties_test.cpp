// SPDX-License-Identifier: Apache-2.0
//
// Worker loop, suite and property engine in one program, with two adapters loaded at once.
#include "worker/parties.hpp"

#include <gtest/gtest.h>

#include "records/decide.hpp"
#include "register/register.hpp"
#include "suite.hpp"
#include "worker/unit.hpp"

namespace dlcert {
namespace {

Settings default_settings() {
  Settings settings;
  for (const Policy& policy : Register::embedded().policies())
    settings.policies[policy.name] = policy.default_value;
  return settings;
}

TEST(Parties, TwoAdaptersAreCheckedInOneProcess) {
  const Suite suite = all_checks();
  const Settings settings = default_settings();
  Parties parties{std::vector<AdapterSource>{C_EXAMPLE, MINIMAL}};
  std::vector<int> passed(2);
  for (std::uint32_t index = 0; index < suite.checks().size(); ++index) {
    const Check& check = suite.checks()[index];
    if (!check.requirement.starts_with("abi.")) continue;
    for (const int adapter : {0, 1}) {
      Unit unit{.check = index, .seed = 1, .cases = 20};
      (check.role == Role::producer ? unit.producer : unit.consumer) = adapter;
      const Binding binding = parties.bind(unit, check.role, settings);
      Position position{};
      const UnitRecord record = run_unit(check, binding, unit, {.position = position});
      passed[static_cast<std::size_t>(adapter)] += decide_record(record).verdict == Verdict::pass;
    }
  }
  EXPECT_GT(passed[0], 20);
  EXPECT_GT(passed[1], 20);
}

TEST(Parties, TwoAdaptersExchangeWithEachOther) {
  const Check check{
      .requirement = "matrix.exchange",
      .sentence = "what one library exports the other reads",
      .role = Role::consumer,
      .needs = Can::import_managed | Can::read,
      .body = [](Case& c) {
        const TensorSpec spec = compact_spec({2, 32, 1}, {c.draw.between(0, 9)});
        if (!c.producer.can(spec) || !c.consumer.can(spec)) throw NotClaimed{"float32"};
        Bytes logical(static_cast<std::size_t>(spec.element_count()) * 4);
        c.draw.bytes(logical);
        const Tensor made = require(c.producer.create(spec, logical), "create");
        Managed managed = require(c.producer.export_managed(made, request_version(1, 3)), "export");
        const Tensor taken = require(c.consumer.import_managed(managed.give_up()), "import");
        expect_equal("bytes", logical, require(c.consumer.read(taken, logical.size()), "read"));
      }};
  const Settings settings;
  Parties parties{std::vector<AdapterSource>{C_EXAMPLE, MINIMAL}};
  for (const auto& [producer, consumer] : {std::pair{0, 1}, std::pair{1, 0}, std::pair{0, -1}}) {
    const Unit unit{.producer = producer, .consumer = consumer, .seed = 1, .cases = 50};
    const Binding binding = parties.bind(unit, check.role, settings);
    Position position{};
    const UnitRecord record = run_unit(check, binding, unit, {.position = position});
    EXPECT_EQ(decide_record(record).verdict, Verdict::pass)
        << producer << " " << consumer << ": " << record.message;
    EXPECT_EQ(record.cases, 50u);
  }
}

}  // namespace
}  // namespace dlcert
