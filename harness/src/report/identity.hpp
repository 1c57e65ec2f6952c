// SPDX-License-Identifier: Apache-2.0
//
// What a run was made of, so that its results are believed for nothing else: `dlcert verdict` reads
// those of the certification in the same CTest invocation, between which anything can be rebuilt.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dlcert {

// A file at the time when it was looked at.
struct FileIdentity {
  std::string what;         // "dlcert", "worker", "adapter", "interpreter", "waivers", "module"
  std::string path;         // absolute
  std::string sha256 = {};  // of its bytes, in hex; empty when they were not read
  // Its device, inode, size and times; empty when there is no file.
  std::string stamp = {};
  // The stamp where the file stayed as it is while the stamp does: not of one that was written so
  // lately that its next change might not move the times.
  std::optional<std::string> settled_stamp = {};
};

struct Identity {
  std::vector<FileIdentity> files;
  std::map<std::string, std::string> options;  // as they were given, "--seed" -> "7"
  std::string environment;                     // SHA-256 of what the workers inherit, in hex
};

std::string sha256(std::string_view text);  // in hex

// The file at `path` without its digest, which take_digests() adds.
FileIdentity identify(std::string what, const std::filesystem::path& path);

// Reads the files that are there; about 1.5 GB/s where the processor knows SHA-256.
void take_digests(Identity& identity);

// What must not be replaced while it is tested and was since `before` was taken, in one line; empty
// when nothing was. A module that each of its users writes anew, with the same bytes, is the same.
std::string replaced(const Identity& before);

// How `recorded` differs from what is to be judged now, in one line; empty when it does not. The
// modules of `recorded` are those that its adapters brought, of `wanted` none are known.
std::string difference(const Identity& recorded, const Identity& wanted);

}  // namespace dlcert
