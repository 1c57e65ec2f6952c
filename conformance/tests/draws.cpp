// SPDX-License-Identifier: Apache-2.0
//
// What the checks draw from one seed: a line "<digest> <requirement> [<role>] <name>" for each
// that draws anything. A digest is over the choices of some cases, and over the calls that were
// made with what they meant: two draws with equal bounds that change places differ by that alone.
//
//   draws ADAPTER cuda|rocm      checks that need no device are run with cuda's

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string>
#include <string_view>

#include "register/register.hpp"
#include "suite.hpp"
#include "worker/case_run.hpp"
#include "worker/devices.hpp"
#include "worker/parties.hpp"

namespace dlcert {
namespace {

constexpr std::uint64_t seed = 1;
constexpr std::uint64_t cases = 20, cases_in_processes = 5;
constexpr std::uint64_t stride = 5;  // cases grow with their index, up to 100

constexpr std::string_view role_text(Role role) {
  constexpr std::string_view texts[] = {"producer", "consumer", "runtime"};
  return texts[static_cast<std::size_t>(role)];
}

constexpr std::string_view platform_text(Platform platform) {
  constexpr std::string_view texts[] = {"", " on CUDA", " on ROCm"};
  return texts[static_cast<std::size_t>(platform)];
}

Settings default_settings() {
  Settings settings;
  for (const Policy& policy : Register::embedded().policies())
    settings.policies[policy.name] = policy.default_value;
  return settings;
}

// Without numbers that may be addresses or handles, which differ from run to run.
std::string without_addresses(std::string_view statement) {
  constexpr std::size_t longest_number = 8;
  std::string out, digits;
  const auto flush = [&] {
    out += digits.size() > longest_number ? "#" : digits;
    digits.clear();
  };
  for (const char c : statement) {
    if (std::isxdigit(static_cast<unsigned char>(c)) != 0) {
      digits += c;
    } else {
      flush();
      out += c;
    }
  }
  flush();
  return out;
}

class Drawn {
 public:
  // One case, whatever became of it.
  void add(const CasePlan& plan) {
    TraceCollector collector;
    std::optional<Draw> draw;
    set_trace(&collector);
    draw_case(plan, draw, nullptr);
    set_trace(nullptr);
    add(draw->choices().size());
    choices_ += draw->choices().size();
    for (const std::uint64_t choice : draw->choices())
      add(choice);
    std::vector<std::string> statements;
    for (const TraceEvent& event : collector.events())
      if (!event.second.empty()) statements.push_back(event.second);
    std::ranges::sort(statements);  // the calls of threads come in any order
    for (const std::string& statement : statements)
      digest_ = mix_seed(digest_, without_addresses(statement));
  }

  bool nothing() const { return choices_ == 0; }
  std::uint64_t digest() const { return digest_; }

 private:
  void add(std::uint64_t value) { digest_ = mix_seed(digest_, value); }

  std::uint64_t digest_ = 0;
  std::size_t choices_ = 0;
};

Drawn drawn_by(const Check& check, const Binding& binding) {
  const bool forks = check.isolation == Isolation::process_per_case;
  const std::uint64_t rows = check.rows;
  const std::uint64_t count = rows != 0 ? rows : forks ? cases_in_processes : cases;
  Drawn drawn;
  for (std::uint64_t i = 0; i < count; ++i)
    drawn.add({check, binding, seed, rows != 0 ? i : i * stride});
  return drawn;
}

bool belongs_to(Platform platform, const Check& check) {
  return check.platform == platform ||
         (check.platform == Platform::any && platform == Platform::cuda);
}

void print_draws(const std::string& adapter, Platform platform) {
  start_devices("simulated", platform);
  const Suite suite = all_checks();
  const Settings settings = default_settings();
  Parties parties{std::vector<AdapterSource>{adapter}};
  const auto print = [&](const Check& check) {
    if (!belongs_to(platform, check) || check.pair) return;
    Unit unit;
    (check.role == Role::consumer ? unit.consumer : unit.producer) = 0;
    const Binding binding = parties.bind(unit, check.role, settings);
    const Party& subject = check.role == Role::consumer ? binding.consumer : binding.producer;
    if (!subject.offers(check.needs)) return;
    const Drawn drawn = drawn_by(check, binding);
    if (drawn.nothing()) return;
    fmt::print("{:016x} {} [{}] {}{}\n", drawn.digest(), check.requirement, role_text(check.role),
               check.name, platform_text(check.platform));
    // Cases are forked: under ThreadSanitizer their ends write what they find in the buffer.
    std::fflush(stdout);
  };
  // First those whose processes are forked from one that has called nothing.
  for (const Check& check : suite.checks())
    if (check.isolation == Isolation::process_per_case) print(check);
  for (const Check& check : suite.checks())
    if (check.isolation != Isolation::process_per_case) print(check);
}

}  // namespace
}  // namespace dlcert

int main(int argc, char** argv) {
  const std::string_view platform = argc == 3 ? argv[2] : "";
  if (platform != "cuda" && platform != "rocm") {
    fmt::print(stderr, "expected an adapter and cuda or rocm\n");
    return EXIT_FAILURE;
  }
  try {
    dlcert::print_draws(argv[1],
                        platform == "cuda" ? dlcert::Platform::cuda : dlcert::Platform::rocm);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return EXIT_FAILURE;
  }
}
