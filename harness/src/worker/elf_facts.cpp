// SPDX-License-Identifier: Apache-2.0
#include "worker/elf_facts.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <optional>

namespace dlcert {

namespace {

using File = std::span<const std::byte>;

// The bytes at [offset, offset + size), or none when they are not all there.
File part(File file, std::uint64_t offset, std::uint64_t size) {
  if (offset > file.size() || size > file.size() - offset) return {};
  return file.subspan(offset, size);
}

template <typename T>
std::optional<T> read(File file, std::uint64_t offset) {
  const File bytes = part(file, offset, sizeof(T));
  if (bytes.empty()) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data(), sizeof(value));
  return value;
}

// The text that begins at `offset` of a string table; empty when it does not end there.
std::string text_at(File table, std::uint64_t offset) {
  if (offset >= table.size()) return {};
  const auto* const begin = reinterpret_cast<const char*>(table.data() + offset);
  const std::size_t longest = table.size() - offset;
  const std::size_t length = ::strnlen(begin, longest);
  return length == longest ? std::string{} : std::string{begin, length};
}

File contents(File file, const Elf64_Shdr& section) {
  return part(file, section.sh_offset, section.sh_size);
}

std::vector<Elf64_Shdr> section_headers(File file, const Elf64_Ehdr& header) {
  std::vector<Elf64_Shdr> sections;
  if (header.e_shentsize != sizeof(Elf64_Shdr)) return sections;
  for (std::uint64_t index = 0; index < header.e_shnum; ++index) {
    const auto section = read<Elf64_Shdr>(file, header.e_shoff + index * sizeof(Elf64_Shdr));
    if (!section) break;
    sections.push_back(*section);
  }
  return sections;
}

void add_needed(File file, const std::vector<Elf64_Shdr>& sections, const Elf64_Shdr& dynamic,
                std::vector<std::string>& needed) {
  if (dynamic.sh_link >= sections.size()) return;
  const File names = contents(file, sections[dynamic.sh_link]);
  const File entries = contents(file, dynamic);
  for (std::uint64_t offset = 0; const auto entry = read<Elf64_Dyn>(entries, offset);
       offset += sizeof(Elf64_Dyn)) {
    if (entry->d_tag == DT_NULL) return;
    if (entry->d_tag == DT_NEEDED) needed.push_back(text_at(names, entry->d_un.d_val));
  }
}

void add_wanted(File file, const std::vector<Elf64_Shdr>& sections, const Elf64_Shdr& symbols,
                std::vector<std::string>& wanted) {
  if (symbols.sh_link >= sections.size()) return;
  const File names = contents(file, sections[symbols.sh_link]);
  const File entries = contents(file, symbols);
  for (std::uint64_t offset = 0; const auto entry = read<Elf64_Sym>(entries, offset);
       offset += sizeof(Elf64_Sym))
    if (entry->st_shndx == SHN_UNDEF && entry->st_name != 0)
      wanted.push_back(text_at(names, entry->st_name));
}

}  // namespace

bool ElfFacts::has_section(std::string_view name) const {
  return std::ranges::count(sections, name) != 0;
}

bool ElfFacts::needs(std::string_view prefix) const {
  return std::ranges::any_of(
      needed, [&](const std::string& name) { return std::string_view{name}.starts_with(prefix); });
}

ElfFacts read_elf_facts(std::span<const std::byte> file) {
  ElfFacts facts;
  const auto header = read<Elf64_Ehdr>(file, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB)
    return facts;
  const std::vector<Elf64_Shdr> sections = section_headers(file, *header);
  const File names =
      header->e_shstrndx < sections.size() ? contents(file, sections[header->e_shstrndx]) : File{};
  for (const Elf64_Shdr& section : sections) {
    facts.sections.push_back(text_at(names, section.sh_name));
    if (section.sh_type == SHT_DYNAMIC) add_needed(file, sections, section, facts.needed);
    if (section.sh_type == SHT_DYNSYM) add_wanted(file, sections, section, facts.wanted);
  }
  return facts;
}

ElfFacts read_elf_facts(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  struct stat status {};
  ElfFacts facts;
  if (::fstat(file, &status) == 0 && status.st_size > 0) {
    const auto size = static_cast<std::size_t>(status.st_size);
    void* const memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    if (memory != MAP_FAILED) {
      facts = read_elf_facts(File{static_cast<const std::byte*>(memory), size});
      ::munmap(memory, size);
    }
  }
  ::close(file);
  return facts;
}

}  // namespace dlcert
