// SPDX-License-Identifier: Apache-2.0
#include "sample/sample.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace dlcert::sample {
namespace {

std::string entry(std::string_view id, std::string_view level, std::string_view role,
                  std::string_view since, std::string_view until = "",
                  std::string_view more = R"("c_level": "yes")") {
  const std::string_view area = id.substr(0, id.find('.'));
  return fmt::format(
      R"({{"id": "{}", "area": "{}", "feature": "{}", "level": "{}", "role": "{}", "since": "{}", "until": "{}", "added": "{}",
           "statement": "The {} rule.", "source": "a page", "how_to_test": "try it", "ambiguity": "", {}}})",
      id, area, id == "kept.hardware" ? "python" : area, level, role, since, until,
      id == "kept.late" ? "90.1" : "0.1", id, more);
}

CheckInfo info(std::string requirement, Role role, Needs needs = 0) {
  return {std::move(requirement), "is_kept", "the rule is kept", role, 0, needs, false};
}

}  // namespace

Register sample_register() {
  const std::string kept =
      fmt::format(R"({{"area": "kept", "requirements": [{}]}})",
                  fmt::join(
                      std::array{
                          entry("kept.alpha", "MUST", "both", "DLPack 0.2"),
                          entry("kept.beta", "SHOULD", "consumer", "array API 2021.12", "",
                                R"("c_level": "yes", "policy": "taste")"),
                          entry("kept.gamma", "MUST", "producer", "DLPack 1.2"),
                          entry("kept.delta", "MAY", "consumer", "DLPack 0.7", "DLPack 1.0"),
                          entry("kept.hardware", "MUST", "consumer", "DLPack 0.2", "",
                                R"("c_level": "hardware-only")"),
                          entry("kept.excused", "MUST", "consumer", "DLPack 0.2", "",
                                R"("c_level": "yes", "excused": "cannot be seen")"),
                          entry("kept.torch", "MUST", "consumer", "torch 2.4", "",
                                R"("c_level": "yes", "about": "values")"),
                          entry("kept.late", "MUST", "consumer", "DLPack 0.2"),
                      },
                      ","));
  const std::string bare = fmt::format(R"({{"area": "bare", "requirements": [{}]}})",
                                       entry("bare.one", "MUST", "producer", "DLPack 0.2"));
  constexpr std::string_view policies = R"({"policies": [{"name": "taste", "question": "Which?",
    "default": "sweet", "values": {"sweet": "one", "sour": "other", "record": "any"},
    "sets": {"interop": {"value": "sour", "bug": "sugar-lost"}}}]})";
  constexpr std::string_view features = R"({"spec_kinds": {"plain": "float32 {2}"}, "features": [
    {"id": "kept", "title": "Keeping", "meaning": "What is given is kept.", "core": true, "roles": ["producer", "consumer"],
     "claims": {"producer": {"all": ["create"]}, "consumer": {"any": ["any_import"]}},
     "specs": ["plain"], "shows": ["kept.alpha"], "optional": ["kept.beta", "kept.gamma@consumer"]},
    {"id": "bare", "title": "Bareness", "meaning": "Nothing is covered.", "roles": ["producer"]},
    {"id": "python", "title": "Python level", "meaning": "What only Python can form.", "kind": "elsewhere",
     "roles": ["consumer"]}]})";
  const std::array areas{Register::Source{"kept.json", kept}, Register::Source{"bare.json", bare}};
  return Register::parse(areas, {"policies.json", policies}, {"features.json", features});
}

Inventory inventory() {
  Inventory inventory;
  inventory.checks = {info("kept.alpha", Role::producer),
                      info("kept.alpha", Role::consumer),
                      info("kept.beta", Role::consumer, static_cast<Needs>(Can::read)),
                      info("kept.gamma", Role::producer, static_cast<Needs>(Can::export_capsule)),
                      info("kept.delta", Role::consumer),
                      info("kept.torch", Role::consumer),
                      info("kept.late", Role::consumer)};
  AdapterInfo acme;
  acme.path = "/lib/acme.so";
  acme.name = "acme";
  acme.version = "2.1";
  acme.producer = acme.consumer = true;
  acme.properties = DLCERT_FAITHFUL_ERRORS | DLCERT_KNOWS_READ_ONLY;
  acme.offers = static_cast<Needs>(Can::read);
  acme.groups = {{"tensor", {"create", "read"}}};
  acme.claims = {{"producer", {"cpu-any", "float"}}};
  AdapterInfo sink;
  sink.path = "/lib/sink.so";
  sink.name = "sink";
  sink.version = "1.0";
  sink.declared.runtime = "torch-2.4";
  sink.consumer = true;
  inventory.adapters = {acme, sink};
  return inventory;
}

CheckResult check(Verdict verdict, std::string message) {
  CheckResult check;
  check.name = "is_kept";
  check.sentence = "the rule is kept";
  check.verdict = verdict;
  check.seed = 18'000'000'000'000'000'000u;
  check.record.cases = check.record.met = check.record.requested = 100;
  if (verdict == Verdict::pass) check.record.evidence = {100, 100, 100, 0};
  (verdict == Verdict::inconclusive ? check.reason : check.record.message) = std::move(message);
  return check;
}

RequirementResult result(std::string requirement, Level level, Verdict verdict,
                         std::string message) {
  RequirementResult result;
  result.requirement = std::move(requirement);
  result.producer = own_name;
  result.consumer = "acme";
  result.level = level;
  result.binding = level == Level::must;
  result.verdict = verdict;
  if (verdict == Verdict::not_applicable || verdict == Verdict::not_run)
    result.reason = std::move(message);
  else
    result.checks.push_back(check(verdict, std::move(message)));
  return result;
}

Results passing() {
  Results results;
  results.complete = true;
  results.dlcert_version = "0.1.0";
  results.started = "2026-11-21T00:00:00Z";
  results.seconds = 1.5;
  results.seed = 42;
  results.cases = 100;
  results.settings.policies = {{"taste", "sweet"}};
  results.adapters = {inventory().adapters.front()};
  results.adapters.front().producer = false;
  results.results = {result("kept.alpha", Level::must, Verdict::pass, "")};
  return results;
}

Results with(RequirementResult result) {
  Results results = passing();
  results.results.push_back(std::move(result));
  return results;
}

}  // namespace dlcert::sample
