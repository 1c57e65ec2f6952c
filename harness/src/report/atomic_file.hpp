// SPDX-License-Identifier: Apache-2.0
//
// Files that are there whole or not at all.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace dlcert {

// All throw std::runtime_error, one line that names the path and the reason.

// Replaces `path` by a file with this text, by rename: a reader sees the old file or the new one.
// Whoever is killed meanwhile leaves one file beside it, which the next to write it removes.
void write_file(const std::filesystem::path& path, std::string_view text);

// Makes sure that write_file will find a place, before any work is done for it. Leaves the file
// that is there.
void require_writable(const std::filesystem::path& path);

std::string read_file(const std::filesystem::path& path);

// The path behind the links that `path` is: write_file replaces what it is given, and a link is to
// stay one. Throws when a device, a folder or the like is there.
std::filesystem::path behind_links(std::filesystem::path path);

// Holds `path` for this process, so that a second one does not write it too; a file beside it,
// removed by the destructor, tells of it. Where the file system knows no locks, nothing is held.
class FileLock {
 public:
  // Throws std::runtime_error when another process holds it, or nothing can be written there.
  explicit FileLock(const std::filesystem::path& path);
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&&) = delete;
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock();

 private:
  std::string lock_;
  int descriptor_ = -1;
};

}  // namespace dlcert
