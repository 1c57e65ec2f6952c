// SPDX-License-Identifier: Apache-2.0
#include "report/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace dlcert {
namespace {

[[noreturn]] void fail(std::string_view what, const std::filesystem::path& path) {
  const int reason = errno;
  throw std::runtime_error{
      fmt::format("cannot {} '{}': {}", what, path.string(), std::strerror(reason))};
}

// A device must not be replaced by a file.
void require_regular(const std::filesystem::path& path) {
  if (std::filesystem::exists(path) && !std::filesystem::is_regular_file(path))
    throw std::runtime_error{
        fmt::format("cannot write '{}': it is not a regular file", path.string())};
}

// A new file beside `path`, removed unless it takes the place of `path`.
class Replacement {
 public:
  explicit Replacement(const std::filesystem::path& path)
      : path_{path}, temporary_{path.string() + ".dlcert-new"} {
    require_regular(path);
    unlink(temporary_.c_str());
    descriptor_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0) fail("write", path);
  }
  Replacement(const Replacement&) = delete;
  Replacement& operator=(const Replacement&) = delete;
  ~Replacement() {
    if (descriptor_ >= 0) close(descriptor_);
    if (!temporary_.empty()) unlink(temporary_.c_str());
  }

  void write(std::string_view text) {
    while (!text.empty()) {
      const ssize_t written = ::write(descriptor_, text.data(), text.size());
      if (written < 0 && errno != EINTR) fail("write", path_);
      if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  void take_place() {
    if (close(std::exchange(descriptor_, -1)) != 0) fail("write", path_);
    if (rename(temporary_.c_str(), path_.c_str()) != 0) fail("write", path_);
    temporary_.clear();
  }

 private:
  const std::filesystem::path& path_;
  std::string temporary_;
  int descriptor_ = -1;
};

}  // namespace

void write_file(const std::filesystem::path& path, std::string_view text) {
  Replacement replacement{path};
  replacement.write(text);
  replacement.take_place();
}

void require_writable(const std::filesystem::path& path) {
  const Replacement probe{path};
}

std::string read_file(const std::filesystem::path& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) fail("read", path);
  std::string text;
  char buffer[64 * 1024];
  ssize_t count = 0;
  while ((count = read(descriptor, buffer, sizeof buffer)) > 0)
    text.append(buffer, static_cast<std::size_t>(count));
  const bool failed = count < 0;
  close(descriptor);
  if (failed) fail("read", path);
  return text;
}

std::filesystem::path behind_links(std::filesystem::path path) {
  require_regular(path);
  constexpr int most_links = 40;  // as the kernel
  for (int links = 0; std::filesystem::is_symlink(path); ++links) {
    if (links == most_links) {
      errno = ELOOP;
      fail("write", path);
    }
    path = path.parent_path() / std::filesystem::read_symlink(path);
  }
  return path;
}

FileLock::FileLock(const std::filesystem::path& path) : lock_{path.string() + ".dlcert-lock"} {
  const auto same_file = [&] {
    struct stat held {};
    struct stat there {};
    return fstat(descriptor_, &held) == 0 && stat(lock_.c_str(), &there) == 0 &&
           held.st_dev == there.st_dev && held.st_ino == there.st_ino;
  };
  // Whoever held it before has removed the file that was opened.
  do {
    if (descriptor_ >= 0) close(descriptor_);
    descriptor_ = open(lock_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (descriptor_ < 0) fail("write", path);
    if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      close(descriptor_);
      throw std::runtime_error{
          fmt::format("cannot write '{}': another run of dlcert is writing it", path.string())};
    }
  } while (!same_file());
}

FileLock::FileLock(FileLock&& other) noexcept
    : lock_{std::move(other.lock_)}, descriptor_{std::exchange(other.descriptor_, -1)} {}

FileLock::~FileLock() {
  if (descriptor_ < 0) return;
  unlink(lock_.c_str());
  close(descriptor_);
}

}  // namespace dlcert
