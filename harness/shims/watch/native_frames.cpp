// SPDX-License-Identifier: Apache-2.0

#include "shims/watch/native_frames.hpp"

#include <cxxabi.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string_view>
#include <unordered_map>

namespace dlcert::shim {
namespace {

constexpr int deepest = 64;

// What of the system starts programs and threads is left out.
enum class Owner { drop_in, interpreter, system, program };

// The innermost function that called is one byte before where it goes on.
void* call_at(void* address) {
  return static_cast<char*>(address) - 1;
}

std::string_view folder_of(std::string_view path) {
  return path.substr(0, path.rfind('/') == path.npos ? 0 : path.rfind('/'));
}

// Where this library lies, among the drop-ins.
const std::string& own_folder() {
  static const std::string& folder = *new std::string{[] {
    Dl_info own{};
    return ::dladdr(reinterpret_cast<void*>(&own_folder), &own) == 0 ? "" : own.dli_fname;
  }()};
  return folder;
}

// A program that is an interpreter shows few of its functions' names.
bool is_of_interpreter(const Dl_info& found) {
  Dl_info python{};
  const void* const function = ::dlsym(RTLD_DEFAULT, "Py_IsInitialized");
  return function != nullptr && ::dladdr(function, &python) != 0 &&
         python.dli_fbase == found.dli_fbase;
}

Owner owner_among(const Dl_info& found) {
  const std::string_view module = found.dli_fname == nullptr ? "" : found.dli_fname;
  const std::string_view file = module.substr(module.rfind('/') + 1);
  const std::string_view function = found.dli_sname == nullptr ? "" : found.dli_sname;
  if (folder_of(module) == folder_of(own_folder()) || file.starts_with("libdlcert_driver."))
    return Owner::drop_in;
  if (file.starts_with("libc.so.") || function == "_start") return Owner::system;
  for (const std::string_view one : {"libpython", "_ctypes.", "libffi"})
    if (file.starts_with(one)) return Owner::interpreter;
  return is_of_interpreter(found) ? Owner::interpreter : Owner::program;
}

// A program is in few places, again and again.
Owner owner_of(void* address) {
  std::mutex& mutex = native_frames_mutex();
  static auto& known = *new std::unordered_map<void*, Owner>;
  {
    const std::scoped_lock lock{mutex};
    if (const auto found = known.find(address); found != known.end()) return found->second;
  }
  Dl_info info{};
  const Owner owner = ::dladdr(call_at(address), &info) == 0 ? Owner::program : owner_among(info);
  const std::scoped_lock lock{mutex};
  return known.emplace(address, owner).first->second;
}

std::string readable(const char* name) {
  int error = 0;
  const std::unique_ptr<char, void (*)(void*)> text{
      abi::__cxa_demangle(name, nullptr, nullptr, &error), std::free};
  return error == 0 ? text.get() : name;
}

}  // namespace

std::mutex& native_frames_mutex() {
  static std::mutex& mutex = *new std::mutex;
  return mutex;
}

NativeFrames native_frames(std::size_t most) {
  std::array<void*, deepest> raw{};
  const int count = ::backtrace(raw.data(), deepest);
  NativeFrames frames;
  for (int i = 0; i < count && frames.stack.size() < most; ++i) {
    void* const address = raw[static_cast<std::size_t>(i)];
    const Owner owner = owner_of(address);
    if (owner == Owner::interpreter) break;
    if (owner == Owner::program)
      frames.stack.push_back(address);
    else if (frames.stack.empty())
      frames.entry = address;
  }
  return frames;
}

NativePlace described(void* address) {
  Dl_info found{};
  link_map* module = nullptr;
  if (address == nullptr) return {};
  void* const call = call_at(address);
  if (::dladdr1(call, &found, reinterpret_cast<void**>(&module), RTLD_DL_LINKMAP) == 0) return {};
  NativePlace place;
  if (found.dli_sname != nullptr) place.function = readable(found.dli_sname);
  if (found.dli_fname != nullptr) place.module = found.dli_fname;
  place.offset = reinterpret_cast<std::uint64_t>(call) - (module == nullptr ? 0 : module->l_addr);
  return place;
}

}  // namespace dlcert::shim
