// SPDX-License-Identifier: Apache-2.0
#include "report/identity.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <memory>
#include <stdexcept>
#include <utility>

namespace dlcert {
namespace {

namespace fs = std::filesystem;

// A file that was written later than this before it was looked at may be written again within one
// tick of its file system's clock, which would not show.
constexpr std::time_t settled_seconds = 2;

class Sha256 {
 public:
  Sha256() : context_{EVP_MD_CTX_new()} {
    require(context_ != nullptr && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1);
  }
  void add(const void* bytes, std::size_t count) {
    require(EVP_DigestUpdate(context_.get(), bytes, count) == 1);
  }
  std::string hex() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned length = 0;
    require(EVP_DigestFinal_ex(context_.get(), digest.data(), &length) == 1);
    return fmt::format("{:02x}", fmt::join(digest.begin(), digest.begin() + length, ""));
  }

 private:
  struct Free {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  };
  static void require(bool worked) {
    if (!worked) throw std::runtime_error{"SHA-256: libcrypto does not provide it"};
  }
  std::unique_ptr<EVP_MD_CTX, Free> context_;
};

// Empty when the file cannot be read.
std::string sha256_of_file(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return {};
  Sha256 digest;
  std::vector<char> chunk(1 << 20);
  ssize_t count = 0;
  while ((count = read(file, chunk.data(), chunk.size())) > 0 || (count < 0 && errno == EINTR))
    if (count > 0) digest.add(chunk.data(), static_cast<std::size_t>(count));
  close(file);
  return count < 0 ? std::string{} : digest.hex();
}

std::string stamp_of(const struct stat& file) {
  return fmt::format("{}:{}:{}:{}.{:09}:{}.{:09}", file.st_dev, file.st_ino, file.st_size,
                     file.st_mtim.tv_sec, file.st_mtim.tv_nsec, file.st_ctim.tv_sec,
                     file.st_ctim.tv_nsec);
}

std::string stamp_of(const std::string& path) {
  struct stat file {};
  return stat(path.c_str(), &file) == 0 ? stamp_of(file) : std::string{};
}

bool is_module(const FileIdentity& file) {
  return file.what == "module";
}

bool same_bytes(const FileIdentity& recorded) {
  const std::string stamp = stamp_of(recorded.path);
  if (recorded.settled_stamp == stamp) return true;
  if (recorded.sha256.empty()) return stamp.empty();
  return sha256_of_file(recorded.path) == recorded.sha256;
}

std::string option_text(const std::map<std::string, std::string>& options,
                        const std::string& name) {
  const auto found = options.find(name);
  return found == options.end() ? "no " + name : name + " " + found->second;
}

std::string other_option(const Identity& recorded, const Identity& wanted) {
  for (const auto* const options : {&recorded.options, &wanted.options})
    for (const auto& [name, value] : *options)
      if (option_text(recorded.options, name) != option_text(wanted.options, name))
        return fmt::format("the results are from a run with {}, but this run has {}",
                           option_text(recorded.options, name), option_text(wanted.options, name));
  return {};
}

}  // namespace

std::string sha256(std::string_view text) {
  Sha256 digest;
  digest.add(text.data(), text.size());
  return digest.hex();
}

FileIdentity identify(std::string what, const fs::path& path) {
  FileIdentity file;
  file.what = std::move(what);
  file.path = path.string();
  file.stamp = stamp_of(file.path);
  return file;
}

void take_digests(Identity& identity) {
  for (FileIdentity& file : identity.files) {
    struct stat status {};
    const std::time_t now = std::time(nullptr);
    if (stat(file.path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    file.sha256 = sha256_of_file(file.path);
    if (std::max(status.st_mtim.tv_sec, status.st_ctim.tv_sec) + settled_seconds < now)
      file.settled_stamp = stamp_of(status);
  }
}

std::string replaced(const Identity& before) {
  for (const FileIdentity& file : before.files) {
    const bool tested = file.what != "dlcert" && file.what != "waivers";
    const std::string stamp = stamp_of(file.path);
    if (!tested || stamp == file.stamp) continue;
    const bool gone_or_new = stamp.empty() || file.sha256.empty();
    if (is_module(file) && (gone_or_new || sha256_of_file(file.path) == file.sha256)) continue;
    return fmt::format("{} '{}' was replaced during the run", file.what, file.path);
  }
  return {};
}

std::string difference(const Identity& recorded, const Identity& wanted) {
  if (std::string other = other_option(recorded, wanted); !other.empty()) return other;
  if (recorded.environment != wanted.environment)
    return "the results are from a run in another environment";
  std::vector<FileIdentity> named = recorded.files;
  std::erase_if(named, is_module);
  const auto same_name = [](const FileIdentity& a, const FileIdentity& b) {
    return a.what == b.what && a.path == b.path;
  };
  const auto [old, now] = std::ranges::mismatch(named, wanted.files, same_name);
  if (old != named.end())
    return fmt::format("the results are for {} '{}', which this run does not use", old->what,
                       old->path);
  if (now != wanted.files.end())
    return fmt::format("the results are not for {} '{}'", now->what, now->path);
  const auto changed = std::ranges::find_if_not(recorded.files, same_bytes);
  if (changed == recorded.files.end()) return {};
  return fmt::format("{} '{}' has changed", changed->what, changed->path);
}

}  // namespace dlcert
