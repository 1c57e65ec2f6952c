// SPDX-License-Identifier: Apache-2.0
//
// A counterexample as a C11 program that needs nothing of dlcert but a header that is written
// beside it: it loads the adapter's module, repeats the calls, prints what each gave, and how often
// each deleter was called. It exits with 1 when the library answers as it did when the fault was
// found, with 0 when it does not, and ends by a signal where the library ends its process or hangs.
//
// The statements of a trace may use these, which the header defines (standalone/*.c):
//
//   library                              the adapter's table
//   ABSENT NONE BOOL(b) INT(i) PAIR(i, j) FLOAT(x) TEXT(s), REQUEST(stream, max_version, dl_device,
//   copy), IMPORT(device, copy)          arguments
//
//   create(library, spec, "hex"), describe(library, t), read_bytes(library, t, size),
//   write_bytes(library, t, "hex"), alias(library, t), release(library, t),
//   fail_allocation(library, n), unload(library), can(library, spec),
//   can_import(library, spec), live_allocations(library)
//   saw("...")                           the next answer was this when the fault was found
//   dlpack_device(library, t), export_managed(library, t, request), import_managed(library, m),
//   import_from(library, p, import_request), call_deleter(m)
//   make_capsule(library, pointer, "name", destructor), capsule_name(library, c),
//   capsule_pointer(library, c, "name"), set_capsule_name(library, c, "name"), drop(library, c),
//   export_capsule(library, t, request), import_capsule(library, c), to_dlpack(library, t)
//
//   offer((offer_spec){...}, "hex")      a managed tensor of the program's own
//   mapped_memory(size), put_bytes(place, "hex"), lie_at(m, place)
//                                        memory of no offer, as large as no storage is
//   producer(device_type, device_id, m)  an object with dlpack() and dlpack_device(), hands out m
//   producer_in_capsules(p, library), producer_without_device(p), producer_without_dlpack(p),
//   producer_raises_from_device(p, kind, "message"), producer_raises_from_dlpack(p, ...),
//   producer_knows_only_stream(p), producer_gives_used_capsules(p)
//
// A statement that declares a variable gives it its name in the trace: "t1", "m1", "c1", "p1".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dlcert {

struct StandaloneProgram {
  // Shown in the program's heading; `message` is what the check said.
  std::string_view requirement, sentence, library, message;
  std::string_view adapter;  // path of the module; the program's first argument overrides it
  std::vector<std::string> statements;
  bool ends_process = false;  // a crash, or a hang: the fault is not in the answers
};

// A line that a program prints: the answers are as when the fault was found; they are not; the
// library was to end the process, and did not.
inline constexpr std::string_view shown_line = "the library answers as when the fault was found";
inline constexpr std::string_view not_shown_line =
    "the library answers otherwise than when the fault was found";
inline constexpr std::string_view survived_line = "the library did not end the process";

// Whether the program makes all of the calls: one that it cannot make stands in it as a comment.
bool makes_all_calls(const std::vector<std::string>& statements);

// The header that every program includes, and its name.
inline constexpr std::string_view standalone_header_name = "dlcert_counterexample.h";
std::string standalone_header();

// The program as C source, of at most 80 lines.
std::string to_source(const StandaloneProgram& program);

}  // namespace dlcert
