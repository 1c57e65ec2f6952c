// SPDX-License-Identifier: Apache-2.0
#include "records/job.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "records/preflight.hpp"

namespace dlcert {
namespace {

TEST(JobJson, KeepsEverything) {
  Job job;
  job.mode = Job::Mode::shrink;
  job.adapters = {"/a.so", "/b.so"};
  job.settings.spec = "1.1";
  job.settings.policies["bool-width"] = "eight";
  job.units.resize(2);
  job.units[0].seed = UINT64_MAX;
  job.units[1] = {.check = 7,
                  .producer = 0,
                  .consumer = 1,
                  .seed = 5,
                  .cases = 9,
                  .spread_over = 30,
                  .only_case = 3,
                  .choices = Choices{1, UINT64_MAX}};
  job.units_per_worker = 4;
  job.explain = false;
  job.case_seconds = 0.25;
  job.load_each_candidate = true;

  const Job read = job_from_json(to_json(job));
  EXPECT_EQ(read.mode, Job::Mode::shrink);
  EXPECT_EQ(read.adapters, job.adapters);
  EXPECT_EQ(read.settings.spec, "1.1");
  EXPECT_EQ(read.settings.policy("bool-width"), "eight");
  ASSERT_EQ(read.units.size(), 2u);
  EXPECT_EQ(read.units[0].seed, UINT64_MAX);
  EXPECT_EQ(read.units[0].producer, spy_index);
  EXPECT_FALSE(read.units[0].only_case);
  EXPECT_EQ(read.units[1].check, 7u);
  EXPECT_EQ(read.units[1].only_case, 3u);
  EXPECT_EQ(read.units[1].choices, (Choices{1, UINT64_MAX}));
  EXPECT_EQ(read.units_per_worker, 4u);
  EXPECT_FALSE(read.explain);
  EXPECT_EQ(read.case_seconds, 0.25);
  EXPECT_TRUE(read.load_each_candidate);
  EXPECT_EQ(read.units[1].spread_over, 30u);
  EXPECT_EQ(to_json(read), to_json(job));
}

TEST(JobJson, RefusesWhatIsNoJob) {
  EXPECT_THROW(job_from_json("{"), std::runtime_error);
  EXPECT_THROW(job_from_json("{}"), std::runtime_error);
  EXPECT_THROW(job_from_json("[1]"), std::runtime_error);
}

TEST(RecordJson, KeepsEverything) {
  UnitRecord record;
  record.inapplicable = "i";
  record.failed = true;
  record.inconclusive = 5;
  record.why_inconclusive = "w";
  record.what_unclaimed = "u";
  record.cases = 10;
  record.met = 9;
  record.devices["cuda"] = 6;
  record.declined = 8;
  record.not_judged = 7;
  record.why_declined = "d";
  record.limits["cudaA is not modelled"] = 7;
  record.evidence = {4, 3, 2, 1};
  record.requested = 12;
  record.unclaimed = 1;
  record.no_tensor = 6;
  record.not_formable = 2;
  record.discarded = 3;
  record.message = "m";
  record.expected = "e";
  record.found = "f";
  record.observations["refused"] = 4;
  record.warnings = {"UserWarning: x"};
  record.counterexample = Counterexample{{1, 2}, 77, 78, 3, {"line"}, {"statement;"}, {"a;"}};
  const UnitRecord read = record_from_json(to_json(record));
  EXPECT_EQ(to_json(read), to_json(record));
  EXPECT_EQ(read.no_tensor, 6u);
  EXPECT_EQ(read.counterexample->case_index, 77u);
  EXPECT_EQ(read.counterexample->recording, std::vector<std::string>{"a;"});
  EXPECT_EQ(read.observations.at("refused"), 4u);
  EXPECT_EQ(read.limits.at("cudaA is not modelled"), 7u);
  EXPECT_EQ(read.evidence.by_export, 1u);
  EXPECT_EQ(read.devices.at("cuda"), 6u);
}

TEST(RecordJson, RefusesWhatItsWriterDoesNotWrite) {
  const std::string text = to_json(UnitRecord{});
  const auto with = [&text](std::string_view from, std::string_view to) {
    std::string other = text;
    return other.replace(other.find(from), from.size(), to);
  };
  EXPECT_NO_THROW(record_from_json(text));
  for (const std::string& other :
       {text.substr(1), with("\"failed\":false", "\"failed\":\"pass\""),
        with("\"cases\":0", "\"cases\":\"0\""), with("\"found\"", "\"foud\""),
        with("\"cases\":0", "\"cases\":-1"), with("\"cases\":0", "\"cases\":1.5"),
        with("\"cases\":0", "\"cases\":true"), with("\"cases\":0", "\"cases\":5e37")})
    EXPECT_THROW(record_from_json(other), std::runtime_error) << other;
}

TEST(InventoryJson, RefusesAnUnknownRole) {
  Inventory inventory;
  inventory.checks.push_back({"abi.x", "holds", "a sentence", Role::producer, 3, 5, true});
  std::string text = to_json(inventory);
  const std::string role = "\"producer\",\"rows\"";
  text.replace(text.find(role), role.size(), "\"producers\",\"rows\"");
  EXPECT_THROW(inventory_from_json(text), std::runtime_error);
}

TEST(Trace, IsTextAndStatementsOfWhichOneMayBeMissing) {
  Counterexample example;
  add_trace(example, "t1 = create()\tcreate();\n  a note\t\n\tdrop();\nlast");
  EXPECT_EQ(example.trace, (std::vector<std::string>{"t1 = create()", "  a note", "last"}));
  EXPECT_EQ(example.program, (std::vector<std::string>{"create();", "drop();"}));
}

TEST(RecordJson, TakesTextThatIsNotUtf8) {
  UnitRecord record;
  record.message = "\xff\xfe";
  EXPECT_NO_THROW(record_from_json(to_json(record)));
}

TEST(RecordJson, CleansWhatALibrarySays) {
  UnitRecord record;
  record.message = "first\nsecond\x1b[2J";
  record.found = "a\nb\u202e";
  record.warnings = {std::string(1'000'000, '\x1b')};
  record.observations["odd\nkey"] = 1;
  record.counterexample.emplace().trace = {"refused\n\tabort();"};
  const UnitRecord read = record_from_json(to_json(record));
  EXPECT_EQ(read.message, "first\nsecond\\x1b[2J");
  EXPECT_EQ(read.found, "a\\nb\\u202e");
  EXPECT_LT(read.warnings.at(0).size(), 2'100u) << "shortened";
  EXPECT_EQ(read.warnings.at(0).substr(read.warnings.at(0).size() - 17), " more characters)");
  EXPECT_TRUE(read.observations.contains("odd\\nkey"));
  EXPECT_EQ(read.counterexample->trace.at(0), "refused\\n\\tabort();");
}

TEST(InventoryJson, CleansWhatAnAdapterSaysOfItself) {
  Inventory inventory;
  AdapterInfo& adapter = inventory.adapters.emplace_back();
  adapter.path = "/a\n.so";
  adapter.name = std::string(10'000, 'n');
  adapter.version = "1.0\ncertified: evil 1.0";
  adapter.error = "refused\r\xff";
  const AdapterInfo read = inventory_from_json(to_json(inventory)).adapters.at(0);
  EXPECT_EQ(read.path, "/a\n.so") << "it is opened again";
  EXPECT_EQ(read.name, std::string(60, 'n') + " ... (9940 more characters)");
  EXPECT_EQ(read.version, "1.0\\ncertified: evil 1.0");
  EXPECT_EQ(read.error, "refused\\x0d\\xff");
}

TEST(InventoryJson, KeepsEverything) {
  Inventory inventory;
  inventory.checks.push_back({"abi.x", "holds", "a sentence", Role::producer, 3, 5, true});
  AdapterInfo adapter;
  adapter.path = "/a.so";
  adapter.groups["tensor"] = {"create"};
  adapter.producer = true;
  adapter.tensors["producer"] = {
      {{{1, 0}, {2, 1}}, {{2, 32, 1}, {1, 8, 1}}, DLCERT_SPEC_READ_ONLY, {2, 3}, {{1, 2}, {3}}, 4}};
  inventory.adapters.push_back(adapter);
  const Inventory read = inventory_from_json(to_json(inventory));
  EXPECT_EQ(to_json(read), to_json(inventory));
  EXPECT_EQ(read.checks.at(0).role, Role::producer);
  EXPECT_TRUE(read.adapters.at(0).producer);
  const ClaimedTensors& tensors = read.adapters.at(0).tensors.at("producer").at(0);
  EXPECT_EQ(tensors.devices.at(1).id, 1);
  EXPECT_EQ(tensors.dtypes.at(1).bits, 8);
  EXPECT_EQ(tensors.extents.at(1).at(0), 3);
}

TEST(Preflight, FindingsTravel) {
  PreflightFindings findings;
  findings.claims = {{"producer", {"cpu-any", "complex"}}};
  findings.tried = {{Role::consumer, "cuda pinned", "offset", 4, 3, 2, 1, "read: \xff"}};
  findings.faults = {"one"};
  findings.hints = {"two", "three"};
  findings.modules = {"/lib/four.so"};
  const PreflightFindings read = findings_from_json(to_json(findings));
  EXPECT_EQ(read.claims, findings.claims);
  ASSERT_EQ(read.tried.size(), 1u);
  const TriedTensors& row = read.tried[0];
  EXPECT_EQ(row.role, Role::consumer);
  EXPECT_EQ(row.device + " " + row.layout, "cuda pinned offset");
  EXPECT_EQ(row.claimed, 4u);
  EXPECT_EQ(row.made, 3u);
  EXPECT_EQ(row.crossed, 2u);
  EXPECT_EQ(row.untried, 1u);
  EXPECT_EQ(row.lost, "read: \xef\xbf\xbd") << "valid UTF-8";
  EXPECT_EQ(read.faults, findings.faults);
  EXPECT_EQ(read.hints, findings.hints);
  EXPECT_EQ(read.modules, findings.modules);
  EXPECT_THROW(findings_from_json("{}"), std::runtime_error);
  EXPECT_THROW(findings_from_json(""), std::runtime_error);
  std::string negative = to_json(findings);
  negative.replace(negative.find("\"made\":3"), 8, "\"made\":-3");
  EXPECT_THROW(findings_from_json(negative), std::runtime_error);
}

}  // namespace
}  // namespace dlcert
