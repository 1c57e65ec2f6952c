// SPDX-License-Identifier: Apache-2.0
//
// The attacks of adapters and libraries in Python: variants of python/variants.py.
#include <string>
#include <vector>

#include "attacks.hpp"

namespace dlcert::hostile {
namespace {

using enum Right;

// Where.
constexpr auto provoke = "hostile.provoke";
constexpr auto exports = "protocol.export.values";
constexpr auto imports = "protocol.from.new-array";
constexpr auto unraised = "lifetime.no-unraisable-errors";
// What is told.
constexpr auto called_exit = "ended early with exit status 0: the library called exit";
constexpr auto took_too_long = "took longer than 1 s";
constexpr auto no_description = "describe(): expected a dlcert.Description but found";
constexpr auto no_capsule = "expected a PyCapsule but found";
constexpr auto refused = "create: expected success but found";
// Of what hangs or may be slow.
constexpr double short_case = 0.2;
constexpr double short_load = 1;

struct Method {
  const char* name;
  const char* where;
  bool is_asked_by_the_adapter = false;  // whose own fault it is what that raises
};

constexpr Method methods[] = {
    {"can", provoke, true},     {"can_import", imports, true},
    {"create", provoke},        {"describe", provoke},
    {"read", imports},          {"write", unraised},
    {"dlpack_device", exports}, {"export_capsule", exports},
    {"import_from", imports},   {"__dlpack_device__", exports},
    {"__dlpack__", exports},    {"from_dlpack", imports},
};

// In each method: what is raised is an outcome like any other, and what ends the process is none.
void add_ends_in_methods(std::vector<Attack>& table) {
  static std::vector<std::string> names;
  names.reserve(3 * std::size(methods));
  const auto name = [](const char* kind, const Method& method) {
    return names.emplace_back(std::string{kind} + "-in-" + method.name).c_str();
  };
  for (const Method& method : methods) {
    for (const auto& [kind, told] :
         {std::pair{"system-exit", "SystemExit"}, std::pair{"interrupt", "KeyboardInterrupt"}})
      table.push_back(method.is_asked_by_the_adapter
                          ? Attack{name(kind, method), at_fault, 2, "", told}
                          : Attack{name(kind, method), fail, 1, method.where, told});
    table.push_back({name("exit", method), crash, 1, method.where, called_exit});
  }
}

const Attack others[] = {
    Attack{"plain", pass, 0, "", ""},
    // Ends and hangs.
    Attack{"segfault-in-can", crash, 1, provoke, "ended by SIGSEGV"},
    Attack{"segfault-in-create", crash, 1, provoke, "ended by SIGSEGV"},
    Attack{"segfault-in-read", crash, 1, imports, "ended by SIGSEGV"},
    Attack{"segfault-in-write", crash, 1, unraised, "ended by SIGSEGV"},
    Attack{"segfault-in-import_from", crash, 1, imports, "ended by SIGSEGV"},
    Attack{"segfault-in-__dlpack__", crash, 1, exports, "ended by SIGSEGV"},
    Attack{"abort-in-create", crash, 1, provoke, "ended by SIGABRT"},
    Attack{"exec-in-create", crash, 1, provoke, called_exit},
    Attack{"exit-of-a-thread-in-create", crash, 1, provoke, called_exit},
    Attack{"recursion-in-create", fail, 1, provoke, "RecursionError"},
    Attack{"recursion-in-can", at_fault, 2, "", "RecursionError"},
    Attack{"allocation-in-create", crash, 1, provoke, "allocated more than ", 20},
    Attack{"spin-in-can", timeout, 1, provoke, took_too_long, short_case},
    Attack{"sleep-in-create", timeout, 1, provoke, took_too_long, short_case},
    Attack{"deadlock-in-describe", timeout, 1, provoke, took_too_long, short_case},
    Attack{"sleep-in-read", timeout, 1, imports, took_too_long, short_case},
    Attack{"spin-in-__dlpack__", timeout, 1, exports, took_too_long, short_case},
    Attack{"system-exit-at-import", unusable, 2, "", "SystemExit: 0"},
    Attack{"sys-exit-at-import", unusable, 2, "", "SystemExit: 0"},
    Attack{"interrupt-at-import", unusable, 2, "", "KeyboardInterrupt"},
    Attack{"recursion-at-import", unusable, 2, "", "RecursionError"},
    Attack{"exit-at-import", unusable, 2, "", called_exit},
    Attack{"segfault-at-import", unusable, 2, "", "ended by SIGSEGV"},
    Attack{"exec-at-import", unusable, 2, "", called_exit},
    Attack{"thread-that-exits-at-import", unusable, 2, "", called_exit},
    Attack{"spin-at-import", unusable, 2, "", "took longer", short_case, short_load},
    Attack{"deadlock-at-import", unusable, 2, "", "took longer", short_case, short_load},
    // What is not what was asked for.
    Attack{"capsule-none", fail, 1, exports, no_capsule},
    Attack{"capsule-number", fail, 1, exports, no_capsule},
    Attack{"capsule-text", fail, 1, exports, no_capsule},
    Attack{"capsule-in-name", fail, 1, exports, no_capsule},
    Attack{"capsule-speechless", fail, 1, exports, no_capsule},
    Attack{"capsule-of-another-name", fail, 1, exports, "but found 'numpy.array'"},
    Attack{"capsule-without-name", fail, 1, exports, "capsule: expected the name"},
    Attack{"capsule-given-twice", fail, 1, exports, "expected"},
    Attack{"capsule-that-is-used", fail, 1, exports, "but found 'used_dltensor_versioned'"},
    Attack{"capsule-consumed-twice", fail, 1, imports, "import: expected success"},
    Attack{"capsule-never-consumed", fail, 1, imports, "expected"},
    Attack{"dlpack-as-property", pass, 0, "", ""},
    Attack{"dlpack-as-instance-attribute", pass, 0, "", ""},
    Attack{"dlpack-by-getattr", pass, 0, "", ""},
    Attack{"dlpack-by-metaclass", pass, 0, "", ""},
    Attack{"dlpack-none", fail, 1, exports, "'NoneType' object is not callable"},
    Attack{"can-gives-text", at_fault, 2, "", "can(): expected True or False but found 'no'"},
    Attack{"can-gives-none", at_fault, 2, "", "can(): expected True or False but found None"},
    Attack{"can-raises", at_fault, 2, "", "can(): ZeroDivisionError"},
    Attack{"create-gives-none", at_fault, 2, "", "create(): expected a tensor but found None"},
    Attack{"describe-gives-none", at_fault, 2, "", no_description},
    Attack{"describe-gives-list", at_fault, 2, "", no_description},
    Attack{"describe-gives-text", at_fault, 2, "", no_description},
    Attack{"describe-gives-float-shape", at_fault, 2, "", no_description},
    Attack{"describe-gives-huge-shape", at_fault, 2, "", no_description},
    Attack{"describe-gives-no-storage", at_fault, 2, "", no_description},
    Attack{"describe-gives-negative-address", at_fault, 2, "", no_description},
    Attack{"describe-gives-speechless", at_fault, 2, "", no_description},
    Attack{"describe-gives-unequal", at_fault, 2, "", no_description},
    Attack{"describe-gives-lying-dtype", at_fault, 2, "", no_description},
    Attack{"read-gives-text", at_fault, 2, "", "read(): TypeError: expected bytes, str found"},
    Attack{"read-gives-memoryview", at_fault, 2, "", "read(): TypeError: expected bytes"},
    Attack{"read-gives-none", at_fault, 2, "", "read(): TypeError: expected bytes"},
    Attack{"read-gives-short", at_fault, 2, "", "bytes, as describe() says, but found"},
    Attack{"device-gives-none", fail, 1, exports, "expected a device (type, index) but found None"},
    Attack{"device-gives-text", fail, 1, exports,
           "expected a device (type, index) but found 'cpu'"},
    Attack{"export-gives-none", at_fault, 2, "", "__dlpack__ gives but found None"},
    Attack{"import-gives-none", fail, 1, imports, "read: expected success"},
    Attack{"name-error-in-create", fail, 1, provoke, "(NameError): name 'undefined_name'"},
    // The process.
    Attack{"handles-sigsegv-at-import", crash, 1, provoke, "ended by SIGSEGV"},
    Attack{"ignores-sigsegv-at-import", crash, 1, provoke, "ended by SIGSEGV"},
    Attack{"handles-sigsegv-in-create", timeout, 1, provoke, took_too_long, short_case},
    Attack{"faulthandler-at-import", crash, 1, provoke, "ended by SIGSEGV"},
    Attack{"faulthandler-in-create", crash, 1, provoke, "ended by SIGSEGV"},
    Attack{"faulthandler-that-exits-later", pass, 0, "", ""},
    Attack{"handles-every-signal", pass, 0, "", ""},
    Attack{"ignores-children", pass, 0, "", ""},
    Attack{"ignores-children-in-create", pass, 0, "", ""},
    Attack{"blocks-every-signal", pass, 0, "", ""},
    Attack{"blocks-and-crashes", crash, 1, provoke, "ended by SIGSEGV"},
    Attack{"alarm-in-create", crash, 1, provoke, "ended by SIGALRM"},
    Attack{"interrupted-in-create", fail, 1, provoke, "KeyboardInterrupt"},
    Attack{"terminated-in-create", crash, 1, provoke, "ended by SIGTERM"},
    Attack{"closes-output", pass, 0, "", ""},
    Attack{"closes-output-in-create", pass, 0, "", ""},
    Attack{"redirects-every-descriptor", pass, 0, "", ""},
    Attack{"redirects-in-create", pass, 0, "", ""},
    Attack{"prints-garbage", pass, 0, "", ""},
    Attack{"replaces-output", pass, 0, "", ""},
    Attack{"output-that-raises", pass, 0, "", ""},
    Attack{"output-that-raises-behind-a-fault", at_fault, 2, "", "can(): ZeroDivisionError"},
    Attack{"closes-stdout", pass, 0, "", ""},
    Attack{"fills-pipes", pass, 0, "", "", 20},
    Attack{"forks-at-import", pass, 0, "", ""},
    Attack{"forks-in-create", pass, 0, "", ""},
    Attack{"leaves-a-child-at-import", pass, 0, "", ""},
    Attack{"new-session", pass, 0, "", ""},
    Attack{"changes-directory", pass, 0, "", ""},
    Attack{"clears-the-environment", pass, 0, "", ""},
    Attack{"few-descriptors", pass, 0, "", ""},
    Attack{"no-files", pass, 0, "", ""},
    Attack{"no-processor-time", pass, 0, "", ""},
    Attack{"nice", pass, 0, "", ""},
    // The interpreter.
    Attack{"lock-never-given-back", pass, 0, "", ""},
    Attack{"lock-held-by-a-thread", timeout, 1, provoke, took_too_long, short_case},
    Attack{"lock-held-by-a-thread-at-import", unusable, 2, "", "took longer", short_case,
           short_load},
    Attack{"deleter-on-a-thread", pass, 0, "", ""},
    Attack{"daemon-thread-at-import", pass, 0, "", ""},
    Attack{"thread-at-import", pass, 0, "", ""},
    Attack{"thread-that-raises-at-import", fail, 1, unraised, "ValueError: no rest, in a thread"},
    Attack{"loop-at-import", pass, 0, "", ""},
    Attack{"raises-in-del", fail, 1, unraised, "ValueError: no rest, in <function"},
    Attack{"raises-in-del-without-words", fail, 1, unraised, "_Silent"},
    Attack{"raises-in-a-destructor", fail, 1, unraised, "ValueError: no rest"},
    Attack{"raises-in-del-behind-own-hooks", fail, 1, unraised, "ValueError: no rest"},
    Attack{"exits-in-the-del-of-a-module", pass, 0, "", ""},
    Attack{"aborts-at-exit", pass, 0, "", ""},
    Attack{"sleeps-at-exit", pass, 0, "", ""},
    Attack{"no-garbage-collection", pass, 0, "", ""},
    Attack{"frozen-garbage", pass, 0, "", ""},
    Attack{"collects-always", pass, 0, "", ""},
    Attack{"traces", pass, 0, "", ""},
    Attack{"profile-that-raises", unusable, 2, "", "ValueError: no profile"},
    Attack{"poisons-modules", pass, 0, "", ""},
    Attack{"poisons-modules-with-nothing", pass, 0, "", ""},
    Attack{"poisons-modules-in-create", pass, 0, "", ""},
    Attack{"replaces-builtins", pass, 0, "", ""},
    Attack{"replaces-natives", fail, 1, imports, "not ours"},
    Attack{"warns-often", pass, 0, "", "", 20},
    Attack{"warnings-are-errors", fail, 1, provoke, "(UserWarning): beware"},
    Attack{"small-recursion-limit", pass, 0, "", ""},
    Attack{"no-recursion-limit", pass, 0, "", ""},
    Attack{"short-switch-interval", pass, 0, "", ""},
    // Texts.
    Attack{"error-speechless", fail, 1, provoke, "_Speechless"},
    Attack{"error-speechless-at-import", unusable, 2, "", "_Speechless"},
    Attack{"error-of-number", fail, 1, provoke, "_SaysNumbers"},
    Attack{"error-that-exits-when-shown", fail, 1, provoke, "_ExitsWhenShown"},
    Attack{"error-of-surrogates", fail, 1, provoke, "ValueError"},
    Attack{"error-of-escapes", fail, 1, provoke, "ValueError"},
    Attack{"error-of-megabytes", fail, 1, provoke, "ValueError: xxx"},
    Attack{"error-of-nameless-class", fail, 1, provoke, refused},
    Attack{"error-of-everything", fail, 1, provoke, "ValueError: no subclass"},
    Attack{"error-that-lies", fail, 1, provoke, "_SaysItIsFine"},
    Attack{"error-that-cannot-be-made", fail, 1, provoke, "ValueError: cannot be made"},
    Attack{"error-in-a-group", fail, 1, provoke, "(ExceptionGroup): many"},
    Attack{"error-in-a-circle", fail, 1, provoke, "ValueError: round"},
    Attack{"error-in-a-circle-at-import", unusable, 2, "", "ValueError: round"},
    Attack{"error-of-surrogates-at-import", unusable, 2, "", "ValueError"},
    Attack{"name-empty", unusable, 2, "", "name: expected a text but found none"},
    Attack{"name-none", unusable, 2, "", "name: expected a text but found None"},
    Attack{"name-number", unusable, 2, "", "name: expected a text but found 7"},
    Attack{"name-speechless", unusable, 2, "", "name: expected a text"},
    Attack{"name-raises", unusable, 2, "", "ZeroDivisionError"},
    Attack{"name-of-lines", pass, 0, "", ""},
    Attack{"name-of-surrogates", pass, 0, "", ""},
    Attack{"name-huge", pass, 0, "", ""},
    Attack{"version-none", unusable, 2, "", "version: expected a text but found None"},
    Attack{"version-speechless", unusable, 2, "", "version: expected a text"},
    Attack{"version-of-lines", pass, 0, "", ""},
};

}  // namespace

std::span<const Attack> python_attacks() {
  static const std::vector<Attack> table = [] {
    std::vector<Attack> all(std::begin(others), std::end(others));
    add_ends_in_methods(all);
    return all;
  }();
  return table;
}

}  // namespace dlcert::hostile
