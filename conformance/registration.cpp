// SPDX-License-Identifier: Apache-2.0
#include "registration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <stdexcept>
#include <string>

namespace dlcert {

namespace {

// Constant-initialized: registrations are made before main, in any order of the files.
constinit const Registration* first = nullptr;
constinit const Registration* last = nullptr;

// Sentences live as long as the process.
std::string_view on_vendor(std::string_view sentence, std::string_view vendor) {
  static std::deque<std::string> sentences;
  return sentences.emplace_back(fmt::format("{} on {}", sentence, vendor));
}

Check check_of(Role role, std::string_view requirement, std::string_view sentence, Needs needs,
               std::size_t rows) {
  return {
      .requirement = requirement, .sentence = sentence, .role = role, .needs = needs, .rows = rows};
}

}  // namespace

Check producer_check(std::string_view requirement, std::string_view sentence, Needs needs,
                     std::size_t rows) {
  return check_of(Role::producer, requirement, sentence, needs, rows);
}

Check consumer_check(std::string_view requirement, std::string_view sentence, Needs needs,
                     std::size_t rows) {
  return check_of(Role::consumer, requirement, sentence, needs, rows);
}

Check also_needing(Check check, Can more) {
  check.needs = check.needs | more;
  return check;
}

std::vector<Check> in_both_roles(const Check& check) {
  std::vector<Check> both(2, check);
  both[0].role = Role::producer;
  both[1].role = Role::consumer;
  return both;
}

Check on_cuda(Check check) {
  check.platform = Platform::cuda;
  return check;
}

Check on_rocm(Check check) {
  check.platform = Platform::rocm;
  return check;
}

std::vector<Check> on_both_vendors(const Check& check) {
  std::vector<Check> both{on_cuda(check), on_rocm(check)};
  both[0].sentence = on_vendor(check.sentence, "CUDA");
  both[1].sentence = on_vendor(check.sentence, "ROCm");
  return both;
}

Check with_device_tensors(Check check) {
  check.device_tensors = true;
  return check;
}

Check also_without_tensors(Check check) {
  check.without_tensors = true;
  return check;
}

std::vector<Check> twins_on_devices(const Check& check) {
  return on_both_vendors(check.without_tensors ? check : with_device_tensors(check));
}

std::vector<Check> twins_on_devices(std::span<const Check> checks) {
  std::vector<Check> twins;
  for (const Check& check : checks)
    for (const Check& twin : twins_on_devices(check))
      twins.push_back(twin);
  return twins;
}

Check fact_check(Check check) {
  check.fact = true;
  return check;
}

std::vector<Check> fact_checks(std::vector<Check> checks) {
  for (Check& check : checks)
    check = fact_check(check);
  return checks;
}

Check if_touched(Check check, std::uint16_t one_in) {
  check.says_touched = true;
  check.one_in = one_in;
  return check;
}

std::vector<Check> if_touched(std::vector<Check> checks, std::uint16_t one_in) {
  for (Check& check : checks)
    check = if_touched(check, one_in);
  return checks;
}

Registration::Registration(std::string_view file, Add add) noexcept : file_{file}, add_{add} {
  (last == nullptr ? first : last->next_) = this;
  last = this;
}

Suite suite_of(std::span<const std::string_view> files) {
  for (const Registration* one = first; one != nullptr; one = one->next_)
    if (std::ranges::find(files, one->file_) == files.end())
      throw std::logic_error{fmt::format("suite.cpp names no family of {}", one->file_)};
  Suite suite;
  for (const std::string_view file : files) {
    bool has_checks = false;
    for (const Registration* one = first; one != nullptr; one = one->next_) {
      if (one->file_ != file) continue;
      const std::size_t before = suite.checks().size();
      one->add_(suite);
      has_checks = suite.checks().size() != before;
      if (!has_checks) break;
    }
    if (!has_checks)
      throw std::logic_error{fmt::format("{} has a check without a head, or none", file)};
  }
  return suite;
}

void add_checks(Suite& suite, Body body, Check head) {
  head.name = body.name;
  head.body = body.run;
  suite.add(head);
}

void add_checks(Suite& suite, Body body, std::span<const Check> heads) {
  for (const Check& head : heads)
    add_checks(suite, body, head);
}

}  // namespace dlcert
