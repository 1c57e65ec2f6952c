// SPDX-License-Identifier: Apache-2.0
//
// The results document, as reports/schema/results.schema.json describes it. Reading and writing go
// through one list of members for each struct.
#include <fmt/format.h>

#include <algorithm>

#include "register/basis.hpp"
#include "register/json_reader.hpp"
#include "register/names.hpp"
#include "register/rules.hpp"
#include "register/text.hpp"
#include "report/faults.hpp"
#include "report/json_members.hpp"
#include "report/json_texts.hpp"
#include "report/matrix_members.hpp"
#include "report/results.hpp"
#include "report/standards.hpp"

namespace dlcert {
namespace {

using nlohmann::ordered_json;
constexpr int schema_version = 3;

// The bits of AdapterInfo::properties, written as their names.
template <typename Bits>
struct PropertySet {
  Bits& bits;
};
template <typename Bits>
PropertySet(Bits&) -> PropertySet<Bits>;

// ---- members ------------------------------------------------------------------------------------

template <typename Visit>
void members(Visit&& visit, OneOf<Settings> auto& settings) {
  visit("spec", settings.spec);
  visit("array_api", settings.array_api);
  visit("runtime", settings.runtime);
  visit("driver", settings.driver);
  visit("policies", settings.policies);
}

template <typename Visit>
void members(Visit&& visit, OneOf<AdapterInfo> auto& adapter) {
  visit("name", adapter.name);
  visit("version", adapter.version);
  visit("path", adapter.path);
  visit("dlpack", Added{adapter.declared.dlpack});
  visit("array_api", Added{adapter.declared.array_api});
  visit("runtime", adapter.declared.runtime);
  visit("producer", adapter.producer);
  visit("consumer", adapter.consumer);
  visit("enumerates", adapter.enumerates);
  visit("properties", PropertySet{adapter.properties});
  visit("groups", adapter.groups);
  visit("claims", adapter.claims);
}

template <typename Visit>
void members(Visit&& visit, OneOf<Counterexample> auto& counterexample) {
  visit("case", counterexample.case_index);
  visit("size", counterexample.size);
  visit("steps", counterexample.steps);
  visit("choices", counterexample.choices);
  visit("trace", counterexample.trace);
  visit("program", counterexample.program);
  visit("recording", Added{counterexample.recording});
}

template <typename Visit>
void members(Visit&& visit, OneOf<EvidenceCounts> auto& evidence) {
  visit("made", evidence.made);
  visit("handed_over", evidence.handed_over);
  visit("found", evidence.found);
  visit("by_export", evidence.by_export);
}

template <typename Visit>
void members(Visit&& visit, OneOf<ProgramRun> auto& run) {
  visit("state", run.state);
  visit("reason", run.reason);
}

template <typename Visit>
void members(Visit&& visit, OneOf<Consequence> auto& consequence) {
  visit("of", consequence.of);
  visit("without", consequence.without);
  visit("cases", consequence.cases);
}

template <typename Visit>
void members(Visit&& visit, OneOf<CheckResult> auto& check) {
  auto& record = check.record;
  visit("name", Added{check.name});
  visit("sentence", check.sentence);
  visit("role", check.role);
  visit("verdict", check.verdict);
  visit("message", record.message);
  visit("expected", record.expected);
  visit("found", record.found);
  visit("reason", check.reason);
  visit("after", check.after);
  visit("seed", check.seed);
  visit("platform", Added{check.platform});
  visit("fact", Added{check.fact});
  visit("one_in", Added{check.one_in});
  visit("cases", record.cases);
  visit("requested", record.requested);
  visit("whole", Added{check.whole});
  visit("met", Added{record.met});
  visit("devices", Added{record.devices});
  visit("declined", Added{record.declined});
  visit("not_judged", Added{record.not_judged});
  visit("limits", Added{record.limits});
  visit("unclaimed", record.unclaimed);
  visit("not_formable", record.not_formable);
  visit("discarded", record.discarded);
  visit("evidence", Added{record.evidence});
  visit("nanoseconds", record.nanoseconds);
  visit("observations", record.observations);
  visit("warnings", record.warnings);
  visit("parts", Sparse{record.parts});
  visit("part_texts", Sparse{record.part_texts});
  visit("output", check.output);
  visit("counterexample", record.counterexample);
  visit("program_run", check.program_run);
  visit("signature", Sparse{record.signature});
  visit("frames", Sparse{record.frames});
  visit("consequence", check.consequence);
  visit("refuted", Sparse{check.refuted});
}

template <typename Visit>
void members(Visit&& visit, OneOf<RequirementResult> auto& result) {
  visit("requirement", result.requirement);
  visit("producer", result.producer);
  visit("consumer", result.consumer);
  visit("level", result.level);
  visit("binding", Added{result.binding});
  visit("grace", Sparse{result.grace});
  visit("verdict", result.verdict);
  visit("reason", result.reason);
  visit("waiver", result.waiver);
  visit("consequence_of", Sparse{result.consequence_of});
  visit("checks", result.checks);
}

template <typename Visit>
void members(Visit&& visit, OneOf<WaiverNote> auto& note) {
  visit("requirement", note.requirement);
  visit("text", note.text);
}

template <typename Visit>
void members(Visit&& visit, OneOf<CoreScope> auto& core) {
  visit("tested", core.tested);
  visit("of", core.of);
}

template <typename Visit>
void members(Visit&& visit, OneOf<RoleScope> auto& role) {
  visit("adapter", role.adapter);
  visit("role", role.role);
  visit("evidence", role.evidence);
  visit("core", role.core);
}

template <typename Visit>
void members(Visit&& visit, OneOf<Untested> auto& untested) {
  visit("requirement", untested.requirement);
  visit("reason", untested.reason);
}

template <typename Visit>
void members(Visit&& visit, OneOf<FeatureScope> auto& feature) {
  visit("adapter", feature.adapter);
  visit("role", feature.role);
  visit("feature", feature.feature);
  visit("coverage", feature.coverage);
  visit("tested", feature.tested);
  visit("failed", feature.failed);
  visit("of", feature.of);
  visit("missing", feature.missing);
}

template <typename Visit>
void members(Visit&& visit, OneOf<Scope> auto& scope) {
  visit("roles", scope.roles);
  visit("features", scope.features);
}

template <typename Visit>
void members(Visit&& visit, OneOf<Baseline> auto& baseline) {
  visit("file", baseline.file);
  visit("differs", baseline.differs);
  visit("lost", baseline.lost);
}

template <typename Visit>
void members(Visit&& visit, OneOf<FileIdentity> auto& file) {
  visit("what", file.what);
  visit("path", file.path);
  visit("sha256", file.sha256);
  visit("stamp", file.settled_stamp);
}

template <typename Visit>
void members(Visit&& visit, OneOf<Identity> auto& identity) {
  visit("files", identity.files);
  visit("options", identity.options);
  visit("environment", identity.environment);
}

template <typename Visit>
void members(Visit&& visit, OneOf<PythonFacts> auto& python) {
  visit("path", python.path);
  visit("version", python.version);
}

template <typename Visit>
void members(Visit&& visit, OneOf<Death> auto& death) {
  visit("when", death.when);
  visit("how", death.how);
  visit("times", death.times);
  visit("after", death.after);
  visit("output", death.output);
  visit("steps", Added{death.steps});
  visit("repeated", Added{death.repeated});
}

template <typename Visit>
void members(Visit&& visit, OneOf<FaultOfAdapter> auto& fault) {
  visit("what", fault.what);
  visit("output", fault.output);
}

template <typename Visit>
void members(Visit&& visit, OneOf<Results> auto& results) {
  visit("complete", results.complete);
  if (results.complete) visit("exit_code", results.exit_code);
  if (results.complete) visit("reasons", Added{results.reasons});
  visit("dlcert_version", results.dlcert_version);
  visit("started", results.started);
  visit("seconds", results.seconds);
  visit("seed", results.seed);
  visit("cases", results.cases);
  visit("repeat", results.repeat);
  visit("policy_set", Added{results.policy_set});
  visit("chosen", Added{results.chosen});
  visit("strict", results.strict);
  visit("rules", Sparse{results.rules});
  visit("filtered", results.filtered);
  visit("settings", results.settings);
  visit("adapters", results.adapters);
  visit("python", results.python);
  visit("waiver_problems", results.waiver_problems);
  visit("waiver_warnings", results.waiver_warnings);
  visit("scope", Added{results.scope});
  visit("required", Added{results.required});
  visit("baseline", results.baseline);
  visit("matrix", results.matrix);
  visit("invoker", results.invoker);
  visit("identity", results.identity);
  visit("deaths", Added{results.deaths});
  visit("problems", Added{results.problems});
  visit("adapter_fault", results.adapter_fault);
  visit("conditions", Added{results.conditions});
  visit("work", Added{results.work});
  visit("results", results.results);
}

// ---- writing ------------------------------------------------------------------------------------

template <typename T>
concept Described = OneOf<T, Settings> || OneOf<T, AdapterInfo> || OneOf<T, Counterexample> ||
    OneOf<T, EvidenceCounts> || OneOf<T, ProgramRun> || OneOf<T, Consequence> ||
    OneOf<T, CoreScope> || OneOf<T, RoleScope> || OneOf<T, Untested> || OneOf<T, FeatureScope> ||
    OneOf<T, Scope> || OneOf<T, Baseline> || OneOf<T, CheckResult> || OneOf<T, RequirementResult> ||
    OneOf<T, WaiverNote> || OneOf<T, FileIdentity> || OneOf<T, Loss> || OneOf<T, Cell> ||
    OneOf<T, Imports> || OneOf<T, Matrix> || OneOf<T, LoadOrder> || OneOf<T, Clash> ||
    OneOf<T, PythonFacts> || OneOf<T, Death> || OneOf<T, FaultOfAdapter> || OneOf<T, Identity> ||
    OneOf<T, Results>;

template <typename T>
concept Named = OneOf<T, Verdict> || OneOf<T, Level> || OneOf<T, Role> || OneOf<T, Platform> ||
    OneOf<T, Coverage> || OneOf<T, CellState> || OneOf<T, AtFault> || OneOf<T, ProgramRun::State>;

template <typename T>
concept Plain = std::constructible_from<ordered_json, const T&> && !Described<T> && !Named<T>;

ordered_json to_value(const Plain auto& plain) {
  return plain;
}
ordered_json to_value(const Named auto& named) {
  return to_text(named);
}
ordered_json to_value(PropertySet<const std::uint32_t> set) {
  return property_names(set.bits);
}

ordered_json to_value(const Described auto& described);

template <Described T>
ordered_json to_value(const std::vector<T>& items) {
  ordered_json array = ordered_json::array();
  for (const T& item : items)
    array.push_back(to_value(item));
  return array;
}

template <typename Member>
ordered_json to_value(const Added<Member>& added) {
  return to_value(added.member);
}

ordered_json to_value(const Described auto& described) {
  ordered_json object = ordered_json::object();
  members(
      [&object](const char* name, const auto& member) {
        if constexpr (requires { member.has_value(); }) {
          if (member) object[name] = to_value(*member);
        } else {
          object[name] = to_value(member);
        }
      },
      described);
  return object;
}

// ---- reading ------------------------------------------------------------------------------------

void read(const JsonReader& reader, std::string& text) {
  text = fit(reader.member(), reader.text());
}
void read(const JsonReader& reader, bool& value) {
  value = reader.boolean();
}
void read(const JsonReader& reader, double& value) {
  value = reader.number();
}
void read(const JsonReader& reader, int& value) {
  value = reader.integer_as<int>();
}
void read(const JsonReader& reader, unsigned& value) {
  value = reader.integer_as<unsigned>();
}
void read(const JsonReader& reader, std::uint64_t& value) {
  value = reader.integer_as<std::uint64_t>();
}
void read(const JsonReader& reader, Verdict& value) {
  value = reader.parse(verdict_from_text);
}
void read(const JsonReader& reader, Level& value) {
  value = reader.parse(level_from_text);
}
void read(const JsonReader& reader, Role& value) {
  value = reader.parse(role_from_text);
}
void read(const JsonReader& reader, Platform& value) {
  value = reader.parse(platform_from_text);
}
void read(const JsonReader& reader, Coverage& value) {
  value = reader.parse(coverage_from_text);
}
void read(const JsonReader& reader, CellState& value) {
  value = reader.parse(cell_state_from_text);
}
void read(const JsonReader& reader, AtFault& value) {
  value = reader.parse(at_fault_from_text);
}
void read(const JsonReader& reader, ProgramRun::State& value) {
  value = reader.parse(program_state_from_text);
}
void read(const JsonReader& reader, PropertySet<std::uint32_t> set) {
  for (const JsonReader& name : reader.items())
    set.bits |= name.parse(property_from_name);
}

void read(const JsonReader& reader, PolicyNames& names) {
  for (const JsonReader& name : reader.items())
    names.insert(name.text());
}

void read(const JsonReader& reader, Described auto& described);

template <typename T>
void read(const JsonReader& reader, std::vector<T>& items) {
  for (const JsonReader& item : reader.items())
    read(item, items.emplace_back());
}

template <typename T, typename Compare>
void read(const JsonReader& reader, std::map<std::string, T, Compare>& map) {
  for (const auto& [key, value] : reader.members())
    read(value, map[one_line(key)]);
}

void read(const JsonReader& reader, Described auto& described) {
  members(
      [&reader]<typename Member>(const char* name, Member&& member) {
        if constexpr (requires { member.has_value(); }) {
          if (const auto found = reader.find(name)) read(*found, member.emplace());
        } else if constexpr (requires { member.member; }) {
          if (const auto found = reader.find(name)) read(*found, member.member);
        } else {
          read(reader.at(name), std::forward<Member>(member));
        }
      },
      described);
}

// In documents of version 1 each case that ran had exercised its requirement.
void complete_version_1(Results& results) {
  for (RequirementResult& result : results.results)
    for (CheckResult& check : result.checks)
      check.record.met = check.record.cases;
}

// What the results amount to, for readers: it is found again from the results.
ordered_json faults_json(const Results& results) {
  ordered_json array = ordered_json::array();
  for (const Fault& fault : faults_of(results)) {
    ordered_json& object =
        array.emplace_back(ordered_json{{"id", fault.id()},
                                        {"requirement", fault.broken->requirement},
                                        {"producer", fault.broken->producer},
                                        {"consumer", fault.broken->consumer},
                                        {"counts", fault.counts()}});
    object["basis"] = ordered_json::array();
    if (const Requirement* const rule = Register::embedded().find(fault.broken->requirement))
      object["basis"] = basis_lines(rule->basis);
    object["consequences"] = ordered_json::array();
    for (const RequirementResult* const result : fault.consequences)
      object["consequences"].push_back(result->requirement);
  }
  return array;
}

// By what each library was judged, as the faults.
ordered_json standards_json(const Results& results) {
  ordered_json array = ordered_json::array();
  for (const AdapterInfo& adapter : results.adapters) {
    const Standards standards = standards_of(results.settings, adapter.declared);
    array.push_back({{"adapter", adapter.name},
                     {"dlpack", standards.dlpack},
                     {"array_api", standards.array_api},
                     {"runtime", standards.runtime},
                     {"newer", newer_requirements(results, adapter, Register::embedded())}});
  }
  return array;
}

}  // namespace

std::string to_json(const Results& results) {
  ordered_json document{{"schema_version", schema_version}};
  document.update(to_value(results));
  document["faults"] = faults_json(results);
  document["standards"] = standards_json(results);
  clean(document, "");
  // ASCII, as a terminal may be given the document; a path may be no UTF-8.
  return document.dump(1, ' ', true, ordered_json::error_handler_t::replace) + "\n";
}

// "2026-11-21T09:30:00Z", or nothing before the first check ran.
static bool is_time(std::string_view text) {
  constexpr std::string_view form = "dddd-dd-ddTdd:dd:ddZ";
  return text.empty() || std::ranges::equal(text, form, [](char c, char expected) {
           return expected == 'd' ? c >= '0' && c <= '9' : c == expected;
         });
}

Results results_from_json(std::string_view text) {
  const nlohmann::json document = parse_json(text);
  const JsonReader reader{document};
  const int version = reader.at("schema_version").integer_as<int>();
  if (version < 1 || version > schema_version)
    reader.at("schema_version").fail(fmt::format("1 to {}", schema_version), "another version");
  Results results;
  read(reader, results);
  if (!is_time(results.started))
    reader.at("started").fail("a time such as 2026-11-21T09:30:00Z", results.started);
  if (const auto rules = reader.find("rules")) rules->parse(rules_from_text);
  if (version == 1) complete_version_1(results);
  if (!reader.find("chosen"))  // before a policy could bind
    for (RequirementResult& result : results.results)
      result.binding =
          result.level == Level::must || (results.strict && result.level == Level::should);
  const std::vector<std::string> sets = known_policy_sets();
  if (std::ranges::find(sets, results.policy_set) == sets.end())
    reader.at("policy_set").fail(join(sets), fmt::format("'{}'", results.policy_set));
  for (const std::string& name : results.chosen)
    if (!results.settings.policies.contains(name))
      reader.at("chosen").fail("policies of the settings", fmt::format("'{}'", name));
  return results;
}

}  // namespace dlcert
