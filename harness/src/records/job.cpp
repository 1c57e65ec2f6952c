// SPDX-License-Identifier: Apache-2.0
#include "records/job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <tuple>

#include "register/embedded.hpp"

namespace dlcert {
namespace {

// The first byte of a line that withdraws events: in no text of an event.
constexpr char withdrawal = '\x18';

std::tuple<std::uint8_t, std::uint8_t, std::uint16_t> parts_of(const dlcert_dtype& dtype) {
  return {dtype.code, dtype.bits, dtype.lanes};
}

}  // namespace

PartyNames names_with_harness(Role role, std::string_view tested) {
  switch (role) {
    case Role::producer:
      return {tested, own_name};
    case Role::consumer:
      return {own_name, tested};
    case Role::runtime:
      break;
  }
  return {tested, {}};
}

std::uint64_t unit_seed(std::uint64_t run_seed, const UnitName& unit) {
  std::uint64_t seed = run_seed;
  for (const std::string_view part :
       {unit.requirement, unit.parties.producer, unit.parties.consumer, unit.check})
    seed = mix_seed(seed, part);
  seed = mix_seed(seed, static_cast<std::uint64_t>(unit.role));
  return mix_seed(seed, static_cast<std::uint64_t>(unit.platform));
}

std::string built_for_another(std::uint32_t properties, Platform platform) {
  if (platform == Platform::rocm && (properties & DLCERT_CUDA_ALONE) != 0)
    return "the library is built for CUDA only";
  if (platform == Platform::cuda && (properties & DLCERT_ROCM_ALONE) != 0)
    return "the library is built for ROCm only";
  return {};
}

std::string interpreter_of(const Job& job) {
  for (const AdapterSource& source : job.adapters)
    if (!source.interpreter.empty()) return source.interpreter;
  return {};
}

bool has_drop_ins(const Job& job) {
  return job.mode != Job::Mode::load && job.settings.driver == "simulated";
}

void add_claimed(std::vector<ClaimedTensors>& all, ClaimedTensors more) {
  const auto are_same = [&](const ClaimedTensors& one) {
    return std::tie(one.flags, one.shape, one.extents, one.layouts) ==
               std::tie(more.flags, more.shape, more.extents, more.layouts) &&
           std::ranges::equal(one.dtypes, more.dtypes, {}, parts_of, parts_of);
  };
  const auto same = std::ranges::find_if(all, are_same);
  if (same == all.end())
    all.push_back(std::move(more));
  else
    std::ranges::copy(more.devices, std::back_inserter(same->devices));
}

void add_trace(Counterexample& example, const std::vector<TraceEvent>& events) {
  for (const auto& [text, statement] : events) {
    if (!text.empty()) example.trace.push_back(text);
    if (!statement.empty()) example.program.push_back(statement);
  }
  if (std::ranges::find(example.program, too_long) != example.program.end())
    example.program.clear();
}

void add_trace(Counterexample& example, std::string_view lines) {
  std::vector<TraceEvent> events;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    const std::string_view line = lines.substr(0, end);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    std::size_t kept = 0;
    if (line.starts_with(withdrawal)) {
      std::from_chars(line.data() + 1, line.data() + line.size(), kept);
      events.resize(std::min(kept, events.size()));
      continue;
    }
    const std::size_t tab = std::min(line.find('\t'), line.size());
    events.emplace_back(line.substr(0, tab), line.substr(std::min(tab + 1, line.size())));
  }
  add_trace(example, events);
}

std::string to_line(const TraceEvent& event) {
  return fmt::format("{}\t{}", event.first, event.second);
}

std::string withdrawal_line(std::size_t kept) {
  return fmt::format("{}{}", withdrawal, kept);
}

std::string own_build() {
  return fmt::format("dlcert {} with requirements {}", DLCERT_VERSION,
                     embedded_text("sha256").substr(0, 16));
}

}  // namespace dlcert
