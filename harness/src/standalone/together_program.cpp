// SPDX-License-Identifier: Apache-2.0
#include "standalone/together_program.hpp"

#include <fmt/format.h>

#include <string>

#include "standalone/c_text.hpp"

namespace dlcert {

namespace {

constexpr std::string_view both_load = "both load";

constexpr std::string_view python_body = R"text(
def end_of(*statements):  # how a new process ended; empty: it ran all statements
    code = "\n".join(["import ctypes, os", *statements, "os._exit(0)"])
    try:
        status = subprocess.run([sys.executable, "-c", code], timeout=SECONDS).returncode
    except subprocess.TimeoutExpired:
        return f"not loaded within {SECONDS} s"
    return f"ended by {signal.Signals(-status).name}" if status < 0 else \
        f"exit code {status}" if status else ""


for name, load in LIBRARIES.items():
    if how := end_of(load):
        sys.exit(print(f"{name} alone: {how}", flush=True) or 2)
code = 0
for first, second in (list(LIBRARIES), list(LIBRARIES)[::-1]):
    how = end_of(LIBRARIES[first], LIBRARIES[second])
    print(f"{first}, then {second}: {how or 'both load'}", flush=True)
    code = 1 if how else code
sys.exit(code)
)text";

constexpr std::string_view c_body = R"text(
static void load(int library) {
  if (dlopen(files[library], RTLD_NOW | RTLD_LOCAL) == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    _exit(1);
  }
}

/* In a new process; 0: all were loaded. */
static int loads(int first, int second) {
  int status = 0;
  const pid_t child = fork();
  if (child == 0) {
    alarm(SECONDS);
    load(first);
    if (second >= 0) load(second);
    _exit(0);
  }
  waitpid(child, &status, 0);
  return status;
}

static const char* how(int status) {
  static char text[80];
  if (status == 0) return "both load";
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
    snprintf(text, sizeof text, "not loaded within %d s", SECONDS);
  else if (WIFSIGNALED(status))
    snprintf(text, sizeof text, "ended by %s", strsignal(WTERMSIG(status)));
  else
    snprintf(text, sizeof text, "exit code %d", WEXITSTATUS(status));
  return text;
}

int main(void) {
  int code = 0;
  setvbuf(stdout, NULL, _IONBF, 0);
  for (int i = 0; i < 2; ++i)
    if (loads(i, -1) != 0) return printf("%s does not load alone\n", names[i]), 2;
  for (int i = 0; i < 2; ++i) {
    const int status = loads(i, 1 - i);
    printf("%s, then %s: %s\n", names[i], names[1 - i], how(status));
    if (status != 0) code = 1;
  }
  return code;
}
)text";

// In double quotes, as C and Python's bytes have it.
std::string literal(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\' || c == '?' || byte < 0x20 || byte >= 0x7f)
      out += fmt::format("\\{:03o}", byte);
    else
      out += c;
  }
  return out + "\"";
}

std::string heading(const TogetherProgram& program, std::string_view begin) {
  std::string text = fmt::format("{} {} {} and {} {} cannot be loaded together.\n", begin,
                                 commented(program.one.name), commented(program.one.version),
                                 commented(program.other.name), commented(program.other.version));
  for (const LibraryToLoad* const library : {&program.one, &program.other})
    text += fmt::format("{}   {}: {}\n", begin, commented(library->name), commented(library->file));
  return text + fmt::format("{} Found: {}\n", begin, commented(program.found)) +
         fmt::format(
             "{} Exit code: 1 if an order fails, 0 if both load, 2 if a library does not load "
             "alone.\n",
             begin);
}

// A statement that loads it, as text of Python.
std::string loading(const LibraryToLoad& library) {
  const std::string statement = library.imports.empty()
                                    ? fmt::format("ctypes.CDLL(b{})", literal(library.file))
                                    : std::string{library.imports};
  std::string text;
  for (const char c : statement)
    text += c == '"' ? "\\\"" : c == '\\' ? "\\\\" : std::string(1, c);
  return fmt::format("    {}: \"{}\",\n", literal(commented(library.name)), text);
}

std::string python_source(const TogetherProgram& program) {
  return heading(program, "#") + "import signal, subprocess, sys\n\n" +
         fmt::format("SECONDS = {:g}\nLIBRARIES = {{\n{}{}}}\n\n", program.seconds,
                     loading(program.one), loading(program.other)) +
         std::string{python_body};
}

std::string c_source(const TogetherProgram& program) {
  std::string text = "/*\n" + heading(program, " *") + " * Build: cc THIS.c -ldl\n */\n";
  for (const std::string_view header :
       {"dlfcn.h", "signal.h", "stdio.h", "string.h", "sys/wait.h", "unistd.h"})
    text += fmt::format("#include <{}>\n", header);
  text += fmt::format("\n#define SECONDS {}\n", static_cast<int>(program.seconds) + 1);
  text += fmt::format("static const char* const names[] = {{{}, {}}};\n",
                      literal(commented(program.one.name)), literal(commented(program.other.name)));
  text += fmt::format("static const char* const files[] = {{{}, {}}};\n", literal(program.one.file),
                      literal(program.other.file));
  return "#define _POSIX_C_SOURCE 200809L\n" + text + std::string{c_body};
}

}  // namespace

std::string to_source(const TogetherProgram& program) {
  return program.in_python() ? python_source(program) : c_source(program);
}

std::string loads_line(std::string_view first, std::string_view second) {
  return fmt::format("{}, then {}: {}\n", commented(first), commented(second), both_load);
}

}  // namespace dlcert
