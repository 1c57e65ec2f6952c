// SPDX-License-Identifier: Apache-2.0
//
// The handler runs on a stack of its own, allocates nothing and takes no lock. Built for x86-64
// with glibc, as everything here.
#include "worker/crash_signature.hpp"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace dlcert {
namespace {

struct Watched {
  int signal;
  std::string_view name;
};
constexpr std::array watched{Watched{SIGSEGV, "SIGSEGV"}, Watched{SIGBUS, "SIGBUS"},
                             Watched{SIGFPE, "SIGFPE"}, Watched{SIGILL, "SIGILL"},
                             Watched{SIGABRT, "SIGABRT"}};

CrashTexts crash_texts;
std::array<struct sigaction, watched.size()> replaced{};

// Appends to a text that ends with 0; what does not fit is cut.
class Text {
 public:
  explicit Text(std::span<char> room) : room_{room} {}

  Text& operator<<(std::string_view text) {
    for (const char c : text)
      if (length_ + 1 < room_.size()) room_[length_++] = c;
    room_[length_] = '\0';
    return *this;
  }
  Text& operator<<(std::uintptr_t number) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::array<char, 2 * sizeof number> reversed{};
    std::size_t count = 0;
    do {
      reversed.at(count++) = digits[number % 16];
      number /= 16;
    } while (number != 0);
    *this << "0x";
    while (count > 0)
      *this << std::string_view{&reversed.at(--count), 1};
    return *this;
  }

 private:
  std::span<char> room_;
  std::size_t length_ = 0;
};

struct Place {
  std::string_view module;  // empty: the address is in none
  std::uintptr_t offset = 0;
};

std::string_view file_name(const char* path) {
  const std::string_view whole{path};
  return whole.substr(whole.rfind('/') + 1);  // npos + 1 is 0
}

bool holds(const link_map& module, std::uintptr_t address) {
  if (module.l_addr == 0 || address < module.l_addr) return false;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): where the loader put the file's header
  const auto* const header = reinterpret_cast<const Elf64_Ehdr*>(module.l_addr);
  if (std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return false;
  const auto* const segments =
      reinterpret_cast<const Elf64_Phdr*>(reinterpret_cast<const char*>(header) + header->e_phoff);
  for (const Elf64_Phdr& segment : std::span{segments, header->e_phnum})
    if (segment.p_type == PT_LOAD && address - module.l_addr - segment.p_vaddr < segment.p_memsz)
      return true;
  return false;
}

// The name of this process's program, read once, before a signal arrives.
std::string_view own_program() {
  static const auto name = [] {
    std::array<char, 4096> path{};
    if (::readlink("/proc/self/exe", path.data(), path.size() - 1) < 0) path[0] = '\0';
    return path;
  }();
  return file_name(name.data());
}

Place place_of(std::uintptr_t address) {
  for (const link_map* module = _r_debug.r_map; module != nullptr; module = module->l_next)
    if (holds(*module, address))
      return {*module->l_name == '\0' ? own_program() : file_name(module->l_name),
              address - module->l_addr};
  return {};
}

// Code that only does what its caller asks.
bool serves_others(std::string_view module) {
  for (const std::string_view name : {"libc.so", "libc-", "ld-linux", "libpthread", "libpython",
                                      "python", "libstdc++.so", "libgcc_s.so", "linux-vdso"})
    if (module.starts_with(name)) return true;
  return module.empty();
}

struct Frames {
  std::array<std::uintptr_t, 32> addresses{};
  std::size_t count = 0;

  void add(std::uintptr_t address) {
    if (count < addresses.size()) addresses.at(count++) = address;
  }
};

_Unwind_Reason_Code add_frame(_Unwind_Context* context, void* frames) {
  static_cast<Frames*>(frames)->add(_Unwind_GetIP(context));
  return _URC_NO_REASON;
}

// From where the signal came, outwards, without the handler's own frames.
Frames frames_at(const ucontext_t& context) {
  const auto pc = static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RIP]);
  Frames frames;
  frames.add(pc);
  if (place_of(pc).module.empty()) {
    // A call of no function: no unwinder passes it, but the caller's address is on the stack.
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    frames.add(*reinterpret_cast<const std::uintptr_t*>(context.uc_mcontext.gregs[REG_RSP]));
    return frames;
  }
  Frames all;
  ::_Unwind_Backtrace(add_frame, &all);
  bool reached = false;
  for (const std::uintptr_t address : std::span{all.addresses}.first(all.count)) {
    if (reached) frames.add(address);
    reached = reached || address == pc;
  }
  return frames;
}

void describe(std::string_view signal, const siginfo_t& info, const ucontext_t& context) {
  constexpr std::size_t shown_frames = 6;
  Text signature{crash_texts.signature};
  Text told{crash_texts.frames};
  signature << signal;
  if (info.si_code > 0)
    told << "address " << reinterpret_cast<std::uintptr_t>(info.si_addr) << ": ";
  const Frames frames = frames_at(context);
  bool is_signed = false;
  std::size_t shown = 0;
  for (const std::uintptr_t address : std::span{frames.addresses}.first(frames.count)) {
    const Place place = place_of(address);
    if (!is_signed && !serves_others(place.module)) {
      is_signed = true;
      signature << " in " << place.module << "+" << place.offset;
    }
    if (place.module.empty() || shown++ >= shown_frames) continue;
    told << (shown == 1 ? "" : ", ") << place.module << "+" << place.offset;
  }
}

// Returns true if another process traces this one; see proc(5).
bool is_traced() {
  const int file = ::open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  static std::array<char, 4096> room;
  const ssize_t length = ::read(file, room.data(), room.size());
  ::close(file);
  if (length <= 0) return false;
  const std::string_view status{room.data(), static_cast<std::size_t>(length)};
  constexpr std::string_view name = "TracerPid:\t";
  const std::size_t at = status.find(name);
  return at != status.npos && at + name.size() < status.size() && status[at + name.size()] != '0';
}

void on_crash(int signal, siginfo_t* info, void* context) {
  for (std::size_t i = 0; i < watched.size(); ++i) {
    if (watched.at(i).signal != signal) continue;
    ::sigaction(signal, &replaced.at(i), nullptr);
    if (crash_texts.signature.front() == '\0')
      describe(watched.at(i).name, *info, *static_cast<const ucontext_t*>(context));
  }
  if (crash_texts.signal != nullptr && is_traced()) {
    crash_texts.signal->store(signal);
    ::kill(::getpid(), SIGKILL);
  }
  // A fault comes again when the handler returns; what was sent does not.
  if (info->si_code <= 0) ::raise(signal);
}

#if defined(__has_feature)
#define DLCERT_HAS_FEATURE(feature) __has_feature(feature)
#else
#define DLCERT_HAS_FEATURE(feature) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
    DLCERT_HAS_FEATURE(address_sanitizer) || DLCERT_HAS_FEATURE(thread_sanitizer)
constexpr bool sanitizers_tell = true;
#else
constexpr bool sanitizers_tell = false;
#endif

void use_own_stack() {
  static std::array<char, 64 * 1024> room;
  stack_t stack{};
  stack.ss_sp = room.data();
  stack.ss_size = room.size();
  ::sigaltstack(&stack, nullptr);
}

}  // namespace

bool can_write_crashes() {
  return !sanitizers_tell;
}

void write_crashes_to(CrashTexts texts) {
  if (!can_write_crashes()) return;
  crash_texts = texts;
  use_own_stack();
  own_program();
  Frames unused;
  ::_Unwind_Backtrace(add_frame, &unused);  // loads what it needs, once, outside of the handler
  for (std::size_t i = 0; i < watched.size(); ++i) {
    struct sigaction now {};
    ::sigaction(watched.at(i).signal, nullptr, &now);
    if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == on_crash) continue;
    replaced.at(i) = now;
    struct sigaction action {};
    action.sa_sigaction = on_crash;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    ::sigaction(watched.at(i).signal, &action, nullptr);
  }
}

}  // namespace dlcert
