// SPDX-License-Identifier: Apache-2.0
//
// A module that the dynamic linker asks, by LD_AUDIT (rtld-audit(7)), before it looks for a
// library: whoever asks for a library that there is a drop-in for gets the drop-in. So neither
// DT_RPATH, nor an absolute path, nor a copy that a package brings leads to the vendor's.
//
// DLCERT_DROP_INS has the files, separated by colons. A library is asked for by the name of a file:
// of a drop-in libcudart.so.13 that is libcudart.so, libcudart.so.13, libcudart.so.13.2.51, and
// with the hash that tools for wheels put in, libcudart-d0da41ae.so.13.
#include <link.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace {

constexpr std::string_view suffix = ".so";

// Like substr(), but substr() can throw, and this module links no C++ library: the dynamic linker
// loads it apart from all others.
constexpr std::string_view from(std::string_view text, std::size_t begin) {
  return {text.data() + begin, text.size() - begin};
}
constexpr std::string_view until(std::string_view text, std::size_t end) {
  return {text.data(), end < text.size() ? end : text.size()};
}

// "libcudart" and "13" of "libcudart.so.13"; the version of "libamd_smi.so" is empty.
struct LibraryName {
  std::string_view stem;
  std::string_view version;
  bool is_library = false;
};

LibraryName parsed(std::string_view path) {
  const std::string_view file = from(path, path.rfind('/') + 1);
  for (std::size_t at = file.find(suffix); at != file.npos; at = file.find(suffix, at + 1)) {
    const std::string_view rest = from(file, at + suffix.size());
    if (!rest.empty() && rest.front() != '.') continue;
    return {until(file, at), rest.empty() ? rest : from(rest, 1), true};
  }
  return {};
}

std::string_view major(std::string_view version) {
  return until(version, version.find('.'));
}

bool stands_for(const LibraryName& drop_in, const LibraryName& asked) {
  if (!asked.is_library || !asked.stem.starts_with(drop_in.stem)) return false;
  const std::string_view behind = from(asked.stem, drop_in.stem.size());
  if (!behind.empty() && behind.front() != '-') return false;
  return asked.version.empty() || drop_in.version.empty() ||
         major(asked.version) == drop_in.version;
}

}  // namespace

extern "C" unsigned la_version(unsigned version) {
  return version;
}

// The answer must outlive the call; what is given up here is a few names in the life of a process.
extern "C" char* la_objsearch(const char* name, std::uintptr_t*, unsigned flag) {
  char* const asked = const_cast<char*>(name);
  const char* const files = std::getenv("DLCERT_DROP_INS");
  if (flag != LA_SER_ORIG || files == nullptr) return asked;
  const LibraryName library = parsed(name);
  for (std::string_view rest{files}; !rest.empty();) {
    const std::string_view file = until(rest, rest.find(':'));
    if (stands_for(parsed(file), library)) return ::strndup(file.data(), file.size());
    rest.remove_prefix(file.size() == rest.size() ? rest.size() : file.size() + 1);
  }
  return asked;
}
