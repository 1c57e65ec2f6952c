// SPDX-License-Identifier: Apache-2.0
//
// The libraries that a worker has loaded, and the harness's own side.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "records/job.hpp"
#include "worker/library.hpp"

namespace dlcert {

class Parties {
 public:
  // Loads all of them, in order. Throws AdapterError. What they claim is in `described`, in the
  // same order; empty: nobody has asked.
  explicit Parties(std::span<const AdapterSource> adapters,
                   std::span<const AdapterInfo> described = {});

  // The parties of a unit. `settings` and this outlive the result.
  Binding bind(const Unit& unit, Role role, const Settings& settings);

  // Asks each library in this process what it claims, on the host and on devices of `platform`.
  void ask_claims(Platform platform);

  // Closes the libraries, in order, before they are unloaded.
  void close();

  // Whether each library takes part in forks: then their threads are no reason not to fork.
  bool take_part_in_forks() const;

  // How the library of an adapter describes itself in this process.
  AdapterInfo description(std::size_t adapter) const;

  // Distinct warnings of the unit's libraries since they were last taken.
  std::vector<std::string> take_warnings(const Unit& unit);

 private:
  const Party& producer(int index) const;
  const Party& consumer(int index) const;
  Library* library(int index);  // NULL for the harness's own side

  const Party& labelled(int index, Role role);

  std::vector<std::unique_ptr<Library>> libraries_;
  // Of pairs, as their traces call them; at addresses of their own.
  std::map<std::pair<int, Role>, Party> labelled_;
  Party spy_;
};

}  // namespace dlcert
