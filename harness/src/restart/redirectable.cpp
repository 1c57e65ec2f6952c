// SPDX-License-Identifier: Apache-2.0
#include "restart/redirectable.hpp"

#include <elf.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace dlcert {
namespace {

namespace fs = std::filesystem;

// Interpreters may be scripts too; the kernel follows as many.
constexpr int most_interpreters = 5;

[[noreturn]] void refuse(const fs::path& program, std::string_view why) {
  throw std::runtime_error{fmt::format("'{}' {}", program.string(), why)};
}

bool may_be_executed(const fs::path& file) {
  std::error_code error;
  return fs::is_regular_file(file, error) && ::access(file.c_str(), X_OK) == 0;
}

// Of the file from `offset` on; nothing where it is shorter.
template <class Value>
std::optional<Value> read_at(std::ifstream& file, std::uint64_t offset) {
  Value value;
  file.clear();
  file.seekg(static_cast<std::streamoff>(offset));
  file.read(reinterpret_cast<char*>(&value), sizeof value);
  return file ? std::optional{value} : std::nullopt;
}

bool is_elf(const Elf64_Ehdr& header) {
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0;
}

bool is_of_same_machine(const Elf64_Ehdr& header) {
  std::ifstream own{"/proc/self/exe", std::ios::binary};
  const auto expected = read_at<Elf64_Ehdr>(own, 0);
  return expected && header.e_ident[EI_CLASS] == expected->e_ident[EI_CLASS] &&
         header.e_ident[EI_DATA] == expected->e_ident[EI_DATA] &&
         header.e_machine == expected->e_machine;
}

// The dynamic linker that a program asks for; empty: none.
std::string linker_of(std::ifstream& file, const Elf64_Ehdr& header) {
  for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
    const auto part = read_at<Elf64_Phdr>(file, header.e_phoff + i * header.e_phentsize);
    if (!part || part->p_type != PT_INTERP) continue;
    std::string path(part->p_filesz < 4096 ? part->p_filesz : 0, '\0');
    file.seekg(static_cast<std::streamoff>(part->p_offset));
    file.read(path.data(), static_cast<std::streamsize>(path.size()));
    return path.c_str();
  }
  return {};
}

// The word behind "#!"; nothing where the file is no script.
std::optional<std::string> interpreter_of(std::ifstream& file) {
  file.clear();
  file.seekg(0);
  std::string line;
  std::getline(file, line);
  if (!line.starts_with("#!")) return std::nullopt;
  const std::size_t begin = std::min(line.find_first_not_of(" \t", 2), line.size());
  return line.substr(begin, line.find_first_of(" \t\r", begin) - begin);
}

// Who is root gains nothing by a file's capabilities.
bool gets_rights(const fs::path& program) {
  struct stat found {};
  struct statvfs mounted {};
  if (::stat(program.c_str(), &found) != 0) return false;
  if (::statvfs(program.c_str(), &mounted) == 0 && (mounted.f_flag & ST_NOSUID) != 0) return false;
  const bool of_user = (found.st_mode & S_ISUID) != 0 && found.st_uid != ::getuid();
  const bool of_group = (found.st_mode & S_ISGID) != 0 && (found.st_mode & S_IXGRP) != 0 &&
                        found.st_gid != ::getgid();
  const bool capable =
      ::getuid() != 0 && ::getxattr(program.c_str(), "security.capability", nullptr, 0) > 0;
  return of_user || of_group || capable;
}

void require_dynamic(const fs::path& program, std::ifstream& file, const Elf64_Ehdr& header) {
  if (!is_of_same_machine(header)) refuse(program, "is a program for another kind of processor");
  const std::string linker = linker_of(file, header);
  if (linker.empty()) refuse(program, "is statically linked: dlcert cannot load anything into it");
  if (!fs::path{linker}.filename().string().starts_with("ld-linux"))
    refuse(program, fmt::format("is started by '{}': expected glibc's dynamic linker", linker));
  if (gets_rights(program))
    refuse(program,
           "gets rights from its file (setuid, setgid or capabilities): the dynamic "
           "linker loads nothing else into such a program");
}

}  // namespace

void require_redirectable(const fs::path& program) {
  fs::path file = program;
  for (int i = 0; i < most_interpreters; ++i) {
    std::ifstream bytes{file, std::ios::binary};
    if (!bytes) refuse(file, "cannot be read, so dlcert does not know how it is linked");
    const auto header = read_at<Elf64_Ehdr>(bytes, 0);
    if (header && is_elf(*header)) return require_dynamic(file, bytes, *header);
    const auto interpreter = interpreter_of(bytes);
    if (!interpreter)
      refuse(file, "is not a program: neither ELF nor a script that begins with #!");
    if (!may_be_executed(*interpreter))
      refuse(file,
             fmt::format("asks for the interpreter '{}', which is not a program", *interpreter));
    file = *interpreter;
  }
  refuse(program, "is a script with too many nested interpreters");
}

}  // namespace dlcert
