// SPDX-License-Identifier: Apache-2.0
//
// A loaded adapter: its module, its validated table, and its warnings.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <dlcert/suite/party.hpp>

#include "records/adapter_source.hpp"

namespace dlcert {

// A module that is no usable adapter. The message is one line and names the file.
class AdapterError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What follows when an adapter says of itself that it is wrong (dlcert_host::fault): `end` gets one
// line, in whatever process and thread that is, and ends the process. Until it is set, the line is
// printed and the process ends with status 2.
void end_for_faults_by(std::function<void(const std::string& line)> end);

// What is wrong with a table, in one line; empty when it is valid.
std::string table_problem(const dlcert_adapter& table);

// The functions that an adapter has, by group: {"tensor", {"can", "create", ...}}.
struct GroupFunctions {
  std::string group;
  std::vector<std::string> functions;
};
std::vector<GroupFunctions> functions_of(const dlcert_adapter& table);

class Library {
 public:
  // Loads its module, validates its table and opens it. Throws AdapterError.
  explicit Library(AdapterSource source);
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  const std::string& path() const { return source_.path; }
  const std::string& file() const { return source_.module; }
  const Party& party() const { return *party_; }
  const Party& consumer() const { return *consumer_; }  // the same as a consumer

  // What the library claims (Party::claimed_tensors), by the texts of roles.
  void set_claimed_tensors(const std::map<std::string, std::vector<ClaimedTensors>>& by_role);

  // The distinct warnings since the last call, at most max_warnings of them.
  std::vector<std::string> take_warnings();

  // As if the library had given them now.
  void keep_warnings(std::vector<std::string> warnings);

  // Closes the adapter, unless that is done: of its parties only what they are called may be asked.
  // What the library throws ends the process: close() of the adapter never fails.
  void close() noexcept;
  // Closes the adapter and unloads its module; where the library declares DLCERT_ENDS_WITHOUT_EXIT
  // that stays in the process, as in an interpreter. The parties must not be called until reload().
  void unload();
  // Loads the module again where it was unloaded; the parties are then new ones at their old
  // addresses.
  void reload();

  // Where the loaded library with this table comes from; NULL: none has it.
  static const AdapterSource* source_of(const dlcert_adapter& table);

  // Whether this process has loaded a library that declares DLCERT_ENDS_WITHOUT_EXIT.
  static bool process_ends_without_exit();

  static constexpr std::size_t max_warnings = 20;

 private:
  struct ModuleCloser {
    void operator()(void* module) const;
  };
  void load();
  void keep_loaded() const;
  const dlcert_adapter* own_table() const;
  const dlcert_adapter* table_of_name() const;
  AdapterError problem(std::string_view what) const;
  void open();
  void keep_warning(std::string warning);  // under the lock
  static void warn(void* context, const char* category, const char* message);
  static void fault(void* context, const char* message);

  AdapterSource source_;
  bool open_ = false;
  std::unique_ptr<void, ModuleCloser> module_;
  std::optional<Party> party_, consumer_;
  std::map<std::string, std::vector<ClaimedTensors>> claimed_by_role_;
  dlcert_host host_{};
  std::mutex warnings_mutex_;
  std::vector<std::string> warnings_;  // in the order of their first time
};

}  // namespace dlcert
