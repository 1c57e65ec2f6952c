// SPDX-License-Identifier: Apache-2.0
//
// The commands of the real program, on an adapter that keeps the rules and on one that never calls
// a deleter.
#include <gtest/gtest.h>

#include <algorithm>

#include "program.hpp"
#include "report/atomic_file.hpp"
#include "report/results.hpp"

namespace dlcert {
namespace {

// Fails unless the document given second is as the schema given first says.
constexpr const char* validate =
    "import json, jsonschema, sys\n"
    "schema, document = (json.load(open(path)) for path in sys.argv[1:])\n"
    "jsonschema.validate(document, schema)";

constexpr const char* deleter_rule = "lifetime.deleter.exactly-once";

class Commands : public testing::Test {
 protected:
  Results results() const { return results_from_json(read_file(folder_.path("results.json"))); }

  Output run_rule(const std::string& adapter, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments{
        "run",     deleter_rule, "--adapter", adapter,
        "--cases", "50",         "--results", folder_.path("results.json")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return dlcert_program(arguments);
  }

  std::string waiver(const std::string& message, const std::string& requirement = deleter_rule,
                     const std::string& expires = "2999-01-01") {
    return folder_.write("w.toml", "[[waiver]]\nrequirement = \"" + requirement +
                                       "\"\nimplementation = \"deletes_twice\"\nversions = \"*\"\n"
                                       "message = \"" +
                                       message +
                                       "\"\nreason = \"known\"\nowner = \"acme\"\n"
                                       "expires = " +
                                       expires + "\n");
  }

  TemporaryFolder folder_;
};

// ---- certify and run
// ------------------------------------------------------------------------------

TEST_F(Commands, CertifyEndsWithTheVerdictAndWritesEveryFormat) {
  const Output output =
      dlcert_program({"certify", "--adapter", GOOD_ADAPTER, "--cases", "20", "--results",
                      folder_.path("results.json"), "--junit", folder_.path("junit.xml"),
                      "--markdown", folder_.path("report.md")});
  EXPECT_EQ(output.exit_code, 0) << output.out << output.err;
  EXPECT_EQ(output.err, "") << "no progress bar beside a terminal";
  EXPECT_TRUE(contains(output.out, "\ncertified: narray 0.3"));
  EXPECT_TRUE(contains(output.out, "wrote " + folder_.path("junit.xml")));
  const Results written = results();
  EXPECT_TRUE(written.complete);
  EXPECT_FALSE(written.filtered);
  EXPECT_GT(written.results.size(), 100u);
  EXPECT_TRUE(contains(read_file(folder_.path("report.md")), "# Certified"));

  const Output junit = run_program(
      XMLLINT, {"--noout", "--schema", SCHEMA_FOLDER "/junit.xsd", folder_.path("junit.xml")});
  EXPECT_EQ(junit.exit_code, 0) << junit.err;
  const Output schema = run_program(
      PYTHON, {"-c", validate, SCHEMA_FOLDER "/results.schema.json", folder_.path("results.json")});
  EXPECT_EQ(schema.exit_code, 0) << schema.err;
}

TEST_F(Commands, ALibraryCannotWriteItsOwnVerdict) {
  const std::string shown =
      "acme\\x1b[2J\\u202e|<b>\\ufffe 1.0\\ncertified: evil 1.0\\n# Certified\\x0d";
  const Output output =
      dlcert_program({"certify", "--adapter", FORGING_ADAPTER, "--cases", "20", "--junit",
                      folder_.path("junit.xml"), "--markdown", folder_.path("report.md")});
  EXPECT_EQ(output.exit_code, 0) << output.out << output.err;
  const std::size_t verdict = output.out.find("\ncertified");
  EXPECT_EQ(output.out.find("\ncertified", verdict + 1), output.out.npos) << output.out;
  EXPECT_EQ(output.out.substr(verdict, 12 + shown.size()), "\ncertified: " + shown);
  EXPECT_TRUE(
      std::ranges::none_of(output.out, [](char c) { return c < ' ' && c != '\n' && c >= 0; }));
  EXPECT_FALSE(contains(read_file(folder_.path("report.md")), "\n# Certified\n"));
  const Output junit = run_program(
      XMLLINT, {"--noout", "--schema", SCHEMA_FOLDER "/junit.xsd", folder_.path("junit.xml")});
  EXPECT_EQ(junit.exit_code, 0) << junit.err;

  const Output smoke = dlcert_program({"smoke", "--adapter", FORGING_ADAPTER});
  EXPECT_TRUE(contains(smoke.out, "version       1.0\\ncertified: evil 1.0")) << smoke.out;
}

TEST_F(Commands, ABrokenMustIsToldInFullAndExitsWithOne) {
  const Output output = run_rule(DELETES_TWICE_ADAPTER);
  EXPECT_EQ(output.exit_code, 1) << output.err;
  EXPECT_TRUE(
      contains(output.out, "lifetime.deleter.exactly-once  fail  deletes_twice 0.3 as consumer"));
  EXPECT_TRUE(contains(output.out, "expected 1 but found 2")) << output.out;
  EXPECT_TRUE(
      contains(output.out, "reproduce       dlcert run lifetime.deleter.exactly-once --adapter "));
  EXPECT_TRUE(contains(output.out, "source          dlpack.h"));
  EXPECT_EQ(results().exit_code, 1);
  EXPECT_TRUE(results().filtered);
}

TEST_F(Commands, ASavedCounterexampleIsRepeatedByReplay) {
  run_rule(DELETES_TWICE_ADAPTER);
  const std::string saved = folder_.path(
      "results.json.counterexamples/lifetime.deleter.exactly-once-dlcert-deletes_twice.json");
  const Output output = dlcert_program({"run", "--replay", saved});
  EXPECT_EQ(output.exit_code, 1) << output.out << output.err;
  EXPECT_TRUE(contains(output.out, "expected 1 but found 2"));
  const Output with_good = dlcert_program({"run", "--replay", saved, "--adapter", GOOD_ADAPTER});
  EXPECT_EQ(with_good.exit_code, 0) << with_good.out << with_good.err;
}

TEST_F(Commands, ASavedProgramShowsTheFailureWithoutDlcert) {
  run_rule(DELETES_TWICE_ADAPTER);
  const std::string source = folder_.path(
      "results.json.counterexamples/lifetime.deleter.exactly-once-dlcert-deletes_twice.c");
  const Output compiled = run_program(
      "/bin/sh",
      {"-c", C_COMPILER " -std=c11 -o \"$0\" \"$1\" -ldl", folder_.path("program"), source});
  ASSERT_EQ(compiled.exit_code, 0) << compiled.err;
  const Output shown = run_program(folder_.path("program"), {DELETES_TWICE_ADAPTER});
  const Output kept = run_program(folder_.path("program"), {GOOD_ADAPTER});
  EXPECT_EQ(shown.exit_code, 1) << shown.err;
  EXPECT_EQ(kept.exit_code, 0) << kept.err;
  EXPECT_NE(shown.out, kept.out) << "the fault is to be seen";
}

TEST_F(Commands, ASeedIsDecimal) {
  const auto seed = [&](const char* text) {
    run_rule(DELETES_TWICE_ADAPTER, {"--seed", text});
    return results().seed;
  };
  EXPECT_EQ(seed("010"), 10u);
  EXPECT_EQ(seed("18446744073709551615"), UINT64_MAX);
}

TEST_F(Commands, TheSameSeedGivesTheSameResults) {
  const auto example = [&](const char* seed) {
    run_rule(DELETES_TWICE_ADAPTER, {"--seed", seed});
    return results().results.at(0).checks.at(0).seed;
  };
  EXPECT_EQ(example("7"), example("7"));
  EXPECT_NE(example("7"), example("8"));
}

// ---- policies
// -------------------------------------------------------------------------------------

// The example takes CPU tensors of a device index that is not 0, which no text forbids.
constexpr const char* may_rule = "abi.device.id-nonzero-cpu-import";

TEST_F(Commands, AMayCountsOnlyWhereItsPolicyWasChosen) {
  const auto exit_code = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments{"run", may_rule, "--adapter", GOOD_ADAPTER, "--cases", "20"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return dlcert_program(arguments).exit_code;
  };
  EXPECT_EQ(exit_code({}), 0);
  EXPECT_EQ(exit_code({"--policy", "cpu-nonzero-device-id=record"}), 0);
  EXPECT_EQ(exit_code({"--policy", "cpu-nonzero-device-id=refuse"}), 1);
  EXPECT_EQ(exit_code({"--policy-set", "strict"}), 1);
  EXPECT_EQ(exit_code({"--policy-set", "strict", "--policy", "cpu-nonzero-device-id=record"}), 0);
}

TEST_F(Commands, AReplayIsJudgedByWhatWasChosen) {
  const Output failed =
      dlcert_program({"run", may_rule, "--adapter", GOOD_ADAPTER, "--cases", "20", "--policy",
                      "cpu-nonzero-device-id=refuse", "--results", folder_.path("results.json")});
  EXPECT_EQ(failed.exit_code, 1) << failed.out;
  EXPECT_TRUE(contains(failed.out, ", policies standard, cpu-nonzero-device-id=refuse, 20 cases"));
  EXPECT_TRUE(
      contains(failed.out, "cpu-nonzero-device-id=refuse, chosen: the requirement is binding\n"));
  const Output replayed = dlcert_program(
      {"run", "--replay",
       folder_.path(
           "results.json.counterexamples/abi.device.id-nonzero-cpu-import-dlcert-narray.json")});
  EXPECT_EQ(replayed.exit_code, 1) << replayed.out << replayed.err;
  EXPECT_TRUE(contains(replayed.out, ", policies standard, cpu-nonzero-device-id=refuse, "));
}

TEST_F(Commands, AnUnknownPolicySetIsRefused) {
  const Output output =
      dlcert_program({"certify", "--adapter", GOOD_ADAPTER, "--policy-set", "lax"});
  EXPECT_EQ(output.exit_code, 2);
  EXPECT_TRUE(contains(output.err, "lax"));
}

TEST_F(Commands, RulesThatWereChosenAreTold) {
  const Output output = run_rule(DELETES_TWICE_ADAPTER, {"--rules", "0.1"});
  EXPECT_EQ(output.exit_code, 1) << output.err;
  EXPECT_TRUE(contains(output.out, ", rules of dlcert 0.1, 50 cases")) << output.out;
  EXPECT_TRUE(contains(output.out, "--cases 50 --rules 0.1\n")) << output.out;
  EXPECT_EQ(results().rules, "0.1");
  const Output replayed =
      dlcert_program({"run", "--replay",
                      folder_.path("results.json.counterexamples/"
                                   "lifetime.deleter.exactly-once-dlcert-deletes_twice.json")});
  EXPECT_TRUE(contains(replayed.out, ", rules of dlcert 0.1, 50 cases")) << replayed.out;
}

TEST_F(Commands, UnknownRulesAreRefused) {
  const Output output = dlcert_program({"certify", "--adapter", GOOD_ADAPTER, "--rules", "90.7"});
  EXPECT_EQ(output.exit_code, 2);
  EXPECT_EQ(output.err, "dlcert: --rules: expected 0.1 but found '90.7' (see dlcert --help)\n");
}

// ---- waivers
// --------------------------------------------------------------------------------------

TEST_F(Commands, AWaiverAcceptsAKnownFailure) {
  const Output output = run_rule(DELETES_TWICE_ADAPTER, {"--waivers", waiver("but found 2")});
  EXPECT_EQ(output.exit_code, 0) << output.out;
  EXPECT_EQ(results().results.at(0).verdict, Verdict::waived);
}

TEST_F(Commands, AWaiverThatIsNoLongerTrueExitsWithFour) {
  EXPECT_EQ(run_rule(DELETES_TWICE_ADAPTER, {"--waivers", waiver("leaked")}).exit_code, 4);
  const Output expired = run_rule(DELETES_TWICE_ADAPTER,
                                  {"--waivers", waiver("expected", deleter_rule, "2020-01-01")});
  EXPECT_EQ(expired.exit_code, 4);
  EXPECT_TRUE(contains(expired.out, "expired on 2020-01-01: fix the failure or edit 'expires'"));

  // The same name and fault, elsewhere: a rule that it keeps.
  const std::string kept = "lifetime.memory-valid-until-deleter";
  const Output pass = dlcert_program({"run", kept, "--adapter", DELETES_TWICE_ADAPTER, "--cases",
                                      "20", "--waivers", waiver("anything", kept)});
  EXPECT_EQ(pass.exit_code, 4);
  EXPECT_TRUE(contains(pass.out, "unexpected pass"));
  EXPECT_TRUE(contains(pass.out, "remove this waiver"));
}

TEST_F(Commands, WrittenWaiversAreRefusedUntilSomebodyOwnsThem) {
  const std::string file = folder_.path("w.toml");
  const auto certify = [&](const char* adapter, const char* option) {
    return dlcert_program({"certify", "--adapter", adapter, "--cases", "20", option, file});
  };
  EXPECT_EQ(certify(DELETES_TWICE_ADAPTER, "--write-waivers").exit_code, 1);
  const Output unowned = certify(DELETES_TWICE_ADAPTER, "--waivers");
  EXPECT_EQ(unowned.exit_code, 2) << unowned.out;
  EXPECT_TRUE(contains(unowned.err, "w.toml:7:10: reason: 'found on ")) << unowned.err;
  EXPECT_TRUE(contains(unowned.err, "is a placeholder")) << unowned.err;

  std::string text = read_file(file);
  for (const std::string part : {"nobody yet", "not yet examined"})
    for (std::size_t at = text.find(part); at != text.npos; at = text.find(part))
      text.replace(at, part.size(), "known to acme");
  folder_.write("w.toml", text);
  const Output waived = certify(DELETES_TWICE_ADAPTER, "--waivers");
  EXPECT_EQ(waived.exit_code, 0) << waived.out;
  EXPECT_TRUE(contains(waived.out, "\ncertified with reservations: deletes_twice 0.3 ("))
      << waived.out;
  EXPECT_TRUE(contains(waived.out, " MUSTs waived")) << waived.out;
  // A certification that cannot match one of its waivers says so.
  EXPECT_EQ(certify(GOOD_ADAPTER, "--waivers").exit_code, 4);
}

// ---- verdict
// --------------------------------------------------------------------------------------

TEST_F(Commands, VerdictReadsTheResultsOfItsOwnInvocation) {
  const auto verdict = [&](const std::string& id) {
    return dlcert_program({"verdict", id, "--adapter", DELETES_TWICE_ADAPTER, "--results",
                           folder_.path("results.json"), "--cases", "20"});
  };
  ASSERT_EQ(dlcert_program({"certify", "--fixture", "--adapter", DELETES_TWICE_ADAPTER, "--results",
                            folder_.path("results.json"), "--cases", "20"})
                .exit_code,
            0)
      << "a fixture succeeds when its results are complete";
  EXPECT_EQ(verdict(deleter_rule).exit_code, 1);
  EXPECT_TRUE(contains(verdict(deleter_rule).out, "counterexample"));
  EXPECT_EQ(verdict("lifetime.memory-valid-until-deleter").exit_code, 0);
  EXPECT_EQ(verdict("capsule.name.legacy").exit_code, 77);
  EXPECT_EQ(verdict("exchange.attr.legacy-int").exit_code, 77);
  EXPECT_TRUE(contains(verdict("exchange.attr.legacy-int").out, "until DLPack 1.3"));
  EXPECT_EQ(verdict("capsule.name.legazy").exit_code, 2);

  // What those results say counts: a verdict that is turned in the file is turned.
  Results turned = results();
  for (RequirementResult& result : turned.results)
    if (result.requirement == deleter_rule) result.verdict = Verdict::pass;
  folder_.write("results.json", to_json(turned));
  EXPECT_EQ(verdict(deleter_rule).exit_code, 0);
  // What a library should do and does not is a warning, and what says nothing is no pass.
  for (RequirementResult& result : turned.results)
    if (result.requirement == deleter_rule) {
      result.verdict = Verdict::fail;
      result.level = Level::should;
      result.binding = false;
    }
  folder_.write("results.json", to_json(turned));
  EXPECT_EQ(verdict(deleter_rule).exit_code, 0);
  EXPECT_TRUE(verdict(deleter_rule)
                  .out.starts_with("warning: " + std::string{deleter_rule} + " is a SHOULD"));
  for (RequirementResult& result : turned.results)
    if (result.requirement == deleter_rule) result.verdict = Verdict::inconclusive;
  folder_.write("results.json", to_json(turned));
  EXPECT_EQ(verdict(deleter_rule).exit_code, 77);
  for (RequirementResult& result : turned.results)
    if (result.requirement == deleter_rule) result.verdict = Verdict::not_judged;
  folder_.write("results.json", to_json(turned));
  EXPECT_EQ(verdict(deleter_rule).exit_code, 77);
  EXPECT_FALSE(verdict(deleter_rule).out.starts_with("warning: "));
  // Those of another invocation do not: the requirement is run.
  turned.invoker = "1@1";
  folder_.write("results.json", to_json(turned));
  EXPECT_EQ(verdict(deleter_rule).exit_code, 1);
  turned.invoker = results().invoker;
  turned.complete = false;
  folder_.write("results.json", to_json(turned));
  EXPECT_EQ(verdict(deleter_rule).exit_code, 1);
}

TEST_F(Commands, VerdictsOnSeveralFailIfOneFailsAndNameIt) {
  ASSERT_EQ(dlcert_program({"certify", "--fixture", "--adapter", DELETES_TWICE_ADAPTER, "--results",
                            folder_.path("results.json"), "--cases", "20"})
                .exit_code,
            0);
  const auto verdicts = [&](const std::vector<std::string>& ids) {
    std::vector<std::string> words{
        "verdict", "--adapter", DELETES_TWICE_ADAPTER, "--results", folder_.path("results.json"),
        "--cases", "20"};
    words.insert(words.begin() + 1, ids.begin(), ids.end());
    return dlcert_program(words);
  };
  const std::string kept = "lifetime.memory-valid-until-deleter", alien = "capsule.name.legacy";
  const Output failed = verdicts({kept, deleter_rule, alien});
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_TRUE(contains(failed.out, kept + "  pass")) << failed.out;
  EXPECT_TRUE(contains(failed.out, std::string{deleter_rule} + "  fail")) << failed.out;
  EXPECT_TRUE(contains(failed.out, alien + "  not applicable")) << failed.out;
  EXPECT_EQ(failed.err, "");
  EXPECT_EQ(verdicts({alien, kept}).exit_code, 0);
  EXPECT_EQ(verdicts({alien, "capsule.name.versioned"}).exit_code, 77);
  EXPECT_EQ(verdicts({kept, "capsule.name.legazy"}).exit_code, 2);
}

// ---- the others
// -----------------------------------------------------------------------------------

TEST_F(Commands, ListShowsWhatIsSelected) {
  const Output all = dlcert_program({"list"});
  EXPECT_EQ(all.exit_code, 0);
  EXPECT_GE(std::ranges::count(all.out, '\n'), 353);
  const Output some = dlcert_program({"list", "lifetime", "--level", "must", "--tested"});
  EXPECT_TRUE(contains(some.out, deleter_rule));
  EXPECT_FALSE(contains(some.out, "SHOULD"));
  EXPECT_EQ(dlcert_program({"list", "nothing.*"}).exit_code, 3);
}

TEST_F(Commands, ListShowsTheRulesOfAFeature) {
  const Output capsules = dlcert_program({"list", "--feature", "capsules"});
  EXPECT_EQ(capsules.exit_code, 0) << capsules.err;
  EXPECT_TRUE(contains(capsules.out, "capsule.consume.once"));
  EXPECT_TRUE(contains(capsules.out, "protocol.dlpack.returns-capsule"));
  EXPECT_FALSE(contains(capsules.out, "cpu-exchange"));
  const Output rocm = dlcert_program({"list", "--feature", "rocm-streams"});
  EXPECT_TRUE(contains(rocm.out, "stream.rocm.one-two-rejected"));
  EXPECT_TRUE(contains(rocm.out, "stream.producer-orders")) << "what both vendors share";
  EXPECT_FALSE(contains(rocm.out, "stream.cuda"));
  const Output unknown = dlcert_program({"list", "--feature", "capsule"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_EQ(unknown.err, "dlcert: unknown feature 'capsule', did you mean 'capsules'?\n");
}

TEST_F(Commands, AFeatureIsASelection) {
  const Output output =
      dlcert_program({"certify", "--adapter", GOOD_ADAPTER, "--cases", "5", "--feature", "layouts",
                      "--results", folder_.path("results.json")});
  EXPECT_EQ(output.exit_code, 0) << output.out << output.err;
  EXPECT_TRUE(contains(output.out, "a selection is not a certificate"));
  EXPECT_TRUE(results().filtered);
  for (const RequirementResult& result : results().results)
    EXPECT_EQ(Register::embedded().find(result.requirement)->feature, "layouts");
}

TEST_F(Commands, ExplainShowsFeatures) {
  const Output output = dlcert_program({"explain", "cuda-streams", "feature:runtime", "python"});
  EXPECT_EQ(output.exit_code, 0) << output.err;
  for (const char* const part :
       {"feature cuda-streams: CUDA memory and streams",
        "producer     create, describe, streams, and one of export_managed, export_capsule",
        "cuda-pinned  float32", "stream.cuda.one-legacy (MUST)", "stream.producer-orders (MUST)",
        "devices.id.document-order (SHOULD, optional)", "feature runtime: Runtime like torch.cuda",
        "feature python: Python level", "runtime.public-names (MUST, optional)"})
    EXPECT_TRUE(contains(output.out, part)) << part << "\n" << output.out;
}

TEST_F(Commands, ExplainShowsPolicies) {
  const Output output = dlcert_program({"explain", "null-strides"});
  EXPECT_EQ(output.exit_code, 0) << output.err;
  EXPECT_TRUE(contains(dlcert_program({"explain", "struct-mutation"}).out,
                       "interop      forbid (because of the bug mutates-producer-strides)"));
  for (const char* const part : {"policy null-strides: May strides be NULL", "(the default)",
                                 "decides\n  abi.strides.nonnull-unlabelled (MAY)"})
    EXPECT_TRUE(contains(output.out, part)) << part << "\n" << output.out;
}

TEST_F(Commands, ExplainTellsWhatElseIsCalledSo) {
  const Output output = dlcert_program({"explain", "telemetry"});
  EXPECT_TRUE(contains(output.out, "telemetry.power-draw\n"));
  EXPECT_TRUE(contains(output.out, "also a feature: dlcert explain feature:telemetry\n"));
}

TEST_F(Commands, ExplainNamesWhatWasProbablyMeant) {
  const auto error = [](const std::string& name) {
    const Output output = dlcert_program({"explain", name});
    EXPECT_EQ(output.exit_code, 2);
    return output.err;
  };
  const std::string all = "dlcert: unknown requirement, policy or feature ";
  EXPECT_EQ(error("capsules.name"), all + "'capsules.name', did you mean 'capsule.name'?\n");
  EXPECT_EQ(error("null-stride"), all + "'null-stride', did you mean 'null-strides'?\n");
  EXPECT_EQ(error("cuda-stream"), all + "'cuda-stream', did you mean 'cuda-streams'?\n");
  EXPECT_EQ(error("policy:null-stride"),
            "dlcert: unknown policy 'null-stride', did you mean 'null-strides'?\n");
  EXPECT_EQ(error("feature:null-strides"), "dlcert: unknown feature 'null-strides'\n");
}

TEST_F(Commands, ExplainShowsRulePolicyChecksBugsAndMutants) {
  const Output output = dlcert_program({"explain", deleter_rule, "abi.version.major-zero"});
  EXPECT_EQ(output.exit_code, 0) << output.err;
  for (const char* const part :
       {"level        MUST", "source       dlpack.h", "rules        added in dlcert 0.1",
        "checks\n", "policy major-zero", "(the default)", "bugs of real libraries",
        "planted faults that make this requirement fail"})
    EXPECT_TRUE(contains(output.out, part)) << part;
}

TEST_F(Commands, SmokeShowsWhatTheAdapterOffersAndTriesIt) {
  const Output output = dlcert_program({"smoke", "--adapter", GOOD_ADAPTER});
  EXPECT_EQ(output.exit_code, 0) << output.out << output.err;
  for (const char* const part :
       {"name          narray", "version       0.3", "roles         producer, consumer",
        "export_managed", "one tensor as producer: pass", "one tensor as consumer: pass"})
    EXPECT_TRUE(contains(output.out, part)) << part << "\n" << output.out;
  EXPECT_EQ(dlcert_program({"smoke", "--adapter", DELETES_TWICE_ADAPTER}).exit_code, 1);
  EXPECT_EQ(dlcert_program({"smoke", "--adapter", BROKEN_NO_FUNCTIONS}).exit_code, 2);
}

TEST_F(Commands, ALibraryWithoutTensorsIsARuntime) {
  const Output smoke = dlcert_program({"smoke", "--adapter", ENUMERATING_ADAPTER});
  EXPECT_EQ(smoke.exit_code, 0) << smoke.out << smoke.err;
  EXPECT_TRUE(contains(smoke.out, "roles         runtime"));
  EXPECT_TRUE(contains(smoke.out, "devices       visible_devices"));
  EXPECT_TRUE(contains(smoke.out, "the role runtime is not tried"));
}

TEST_F(Commands, RulesOfPyTorchBindWhoeverDeclaresItsRuntime) {
  const std::vector<std::string> rule{"run", "devices.visible.empty-string", "--adapter",
                                      ENUMERATING_ADAPTER};
  const Output unasked = dlcert_program(rule);
  EXPECT_EQ(unasked.exit_code, 3) << unasked.out;
  EXPECT_TRUE(contains(unasked.out, "nothing was tested"));
  std::vector<std::string> asked = rule;
  asked.insert(asked.end(), {"--runtime", "torch-2.4"});
  const Output failed = dlcert_program(asked);
  EXPECT_EQ(failed.exit_code, 1) << failed.out;
  EXPECT_TRUE(contains(failed.out, "enumerating 1 as runtime"));
  EXPECT_TRUE(contains(failed.out, "expected [] but found ["));
}

TEST_F(Commands, DoctorShowsTheMachine) {
  const Output output = dlcert_program({"doctor"});
  EXPECT_EQ(output.exit_code, 0) << output.err;
  for (const char* const part : {"kernel ", "cores ", "memory ", "pidfd          yes", "worker ",
                                 "drop-ins       ", "libnvidia-ml.so.1"})
    EXPECT_TRUE(contains(output.out, part)) << part;
}

TEST_F(Commands, HelpTellsTheExitCodes) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"--help"}, {"certify", "--help"}, {"run", "--help"}}) {
    const Output output = dlcert_program(arguments);
    EXPECT_EQ(output.exit_code, 0);
    EXPECT_TRUE(contains(output.out, "4  a waiver is expired or obsolete"));
  }
  EXPECT_EQ(dlcert_program({}).exit_code, 2);
  EXPECT_TRUE(dlcert_program({"--version"}).out.starts_with("dlcert "));
}

}  // namespace
}  // namespace dlcert
