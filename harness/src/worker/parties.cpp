// SPDX-License-Identifier: Apache-2.0
#include "worker/parties.hpp"

#include <algorithm>

#include <dlcert/suite/spy.hpp>

#include "party/fork_hooks.hpp"
#include "worker/inventory.hpp"

namespace dlcert {

Parties::Parties(std::span<const AdapterSource> adapters, std::span<const AdapterInfo> described)
    : spy_{spy_library(), "dlcert"} {
  for (const AdapterSource& source : adapters)
    libraries_.push_back(std::make_unique<Library>(source));
  for (std::size_t i = 0; i < std::min(libraries_.size(), described.size()); ++i)
    libraries_[i]->set_claimed_tensors(described[i].tensors);
}

void Parties::ask_claims(Platform platform) {
  for (const auto& library : libraries_) {
    AdapterInfo asked;
    dlcert::ask_claims(*library, {platform}, asked, [] {});
    library->set_claimed_tensors(asked.tensors);
  }
}

void Parties::close() {
  for (const auto& library : libraries_)
    library->close();
}

bool Parties::take_part_in_forks() const {
  return std::ranges::all_of(
      libraries_, [](const auto& library) { return has_fork_hooks(library->party().table()); });
}

AdapterInfo Parties::description(std::size_t adapter) const {
  return description_of(*libraries_.at(adapter));
}

const Party& Parties::producer(int index) const {
  return index == spy_index ? spy_ : libraries_.at(static_cast<std::size_t>(index))->party();
}

const Party& Parties::consumer(int index) const {
  return index == spy_index ? spy_ : libraries_.at(static_cast<std::size_t>(index))->consumer();
}

Library* Parties::library(int index) {
  return index == spy_index ? nullptr : libraries_.at(static_cast<std::size_t>(index)).get();
}

const Party& Parties::labelled(int index, Role role) {
  const auto found = labelled_.find({index, role});
  if (found != labelled_.end()) return found->second;
  const Library& library = *libraries_.at(static_cast<std::size_t>(index));
  const Party& known = role == Role::producer ? library.party() : library.consumer();
  Party party = role == Role::producer ? Party{known.table(), "producer"}
                                       : Party{known.table(), "consumer"}.consuming();
  party.set_claimed_tensors({known.claimed_tensors().begin(), known.claimed_tensors().end()});
  return labelled_.emplace(std::pair{index, role}, party).first->second;
}

Binding Parties::bind(const Unit& unit, Role role, const Settings& settings) {
  const bool pair = unit.producer != spy_index && unit.consumer != spy_index &&
                    producer(unit.producer).offers(Needs{} | Can::create);
  Binding binding{pair ? labelled(unit.producer, Role::producer) : producer(unit.producer),
                  pair ? labelled(unit.consumer, Role::consumer) : consumer(unit.consumer),
                  role,
                  settings,
                  {},
                  {},
                  {},
                  {}};
  Library* const subject = library(role == Role::consumer ? unit.consumer : unit.producer);
  if (subject != nullptr) {
    binding.unload_subject = [subject] { subject->unload(); };
    binding.reload_subject = [subject] { subject->reload(); };
    binding.take_warnings = [subject] { return subject->take_warnings(); };
    binding.keep_warnings = [subject](std::vector<std::string> warnings) {
      subject->keep_warnings(std::move(warnings));
    };
  }
  return binding;
}

std::vector<std::string> Parties::take_warnings(const Unit& unit) {
  std::vector<std::string> warnings;
  for (const int index : {unit.producer, unit.consumer}) {
    Library* const one = library(index);
    if (one == nullptr) continue;
    for (std::string& warning : one->take_warnings())
      warnings.push_back(std::move(warning));
  }
  return warnings;
}

}  // namespace dlcert
