// SPDX-License-Identifier: Apache-2.0
//
// A counterexample as a C11 program that needs nothing of dlcert but a header that is written
// beside it. It loads the adapter's module, makes the calls of the case, looks at what the failed
// assertion looked at, and compares it with the right result. It exits with 1 if the library breaks
// the rule, with 0 if it keeps it, and with 2 if anything else goes wrong. The calls are made in a
// child process, which the library may end.
//
// dlcert's reference implementation keeps all rules: with its module the program must exit with 0.
//
// The steps may use these, which the header defines (standalone/*.c):
//
//   library                              the adapter's table
//   NONE BOOL(b) INT(i) PAIR(i, j) FLOAT(x) TEXT(s), SPEC(.dtype = ..., ...), LIST(2, 3),
//   REQUEST(.copy = ..., ...), IMPORT(.device = ..., ...)                arguments
//
//   create(library, spec, "hex"), describe(library, t), read_bytes(library, t, size),
//   write_bytes(library, t, "hex"), alias(library, t), release(library, t),
//   fail_allocation(library, n), unload(library), can(library, spec),
//   can_import(library, spec), live_allocations(library)
//   dlpack_device(library, t), export_managed(library, t, request), import_managed(library, m),
//   import_from(library, p, import_request), call_deleter(m)
//   make_capsule(library, pointer, "name", destructor), capsule_name(library, c),
//   capsule_pointer(library, c, "name"), set_capsule_name(library, c, "name"), drop(library, c),
//   export_capsule(library, t, request), import_capsule(library, c), to_dlpack(library, t),
//   managed_in(library, c)
//
//   offer(OFFER(.form = ..., ...), "hex")    a managed tensor of the program's own
//   mapped_memory(size), put_bytes(place, "hex"), lie_at(m, place)
//                                        memory of no offer, as large as no storage is
//   producer(device_type, device_id, m)  an object with dlpack() and dlpack_device(), hands out m
//   producer_in_capsules(p, library), producer_without_device(p), producer_without_dlpack(p),
//   producer_raises_from_device(p, kind, "message"), producer_raises_from_dlpack(p, ...),
//   producer_knows_only_stream(p), producer_gives_used_capsules(p)
//
//   versioned(m), legacy(m), extents(m), exported_device(m), elements(m), set_elements(m, "hex"),
//   first_element(m), address_of(library, t), deletions(m), and the conditions of recorded.c
//
// A step with a name, "t1", "m1", "c1" or "p1", defines a variable; `type` is its type. Of a
// question, and of a judgement of a value, `type` names the function that judges: judge_text or
// judge_number; of an answer the function that takes it out of what the question gives.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dlcert {

struct StandaloneProgram {
  // Shown in the program's heading: `library` with its version, `message` is what the check said,
  // `source` where the rule is from, may be empty.
  std::string_view requirement, sentence, library, message, source;
  std::string_view adapter;        // path of the module; the program's first argument overrides it
  std::vector<std::string> steps;  // lines of dlcert/suite/program_step.hpp
  bool ends_process = false;       // a crash, or a hang
};

// Why a program of these steps cannot show the fault; empty: it can.
std::string why_not_in_c(const std::vector<std::string>& steps, bool ends_process);

// The header that every program includes, and its name.
inline constexpr std::string_view standalone_header_name = "dlcert_counterexample.h";
std::string standalone_header();

// The program as C source, of which why_not_in_c() is empty. It prints breaks_line or keeps_line
// (python_program.hpp) before it exits with 1 or with 0.
std::string to_source(const StandaloneProgram& program);

}  // namespace dlcert
