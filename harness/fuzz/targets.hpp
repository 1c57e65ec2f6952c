// SPDX-License-Identifier: Apache-2.0
//
// What the fuzzers feed: each takes any bytes, and aborts the process when the reader does anything
// but accept them or refuse them with one line, or when what it accepted does not survive further
// use. Its inputs have the name of its function, without "read_".
#pragma once

#include <string_view>

namespace dlcert::fuzz {

// What people write (documents.cpp).
void read_waivers(std::string_view text);
void read_toml_keys(std::string_view text);
void read_register(std::string_view text);
void read_results(std::string_view text);  // also of --baseline and --replay

// Texts and numbers (texts.cpp).
void read_text(std::string_view text);      // of a library
void read_versions(std::string_view text);  // lines: a range, then versions
void read_options(std::string_view text);   // values on a command line
void read_output(std::string_view text);    // of a worker, in which a sanitizer may speak
void read_elf_facts(std::string_view file);
void read_program_file(std::string_view file);   // how a program is started
void read_race_records(std::string_view lines);  // of a program's processes

// What a runner and its workers exchange (messages.cpp, shared_memory.cpp).
void read_job(std::string_view text);
void read_record(std::string_view text);
void read_inventory(std::string_view text);
void read_findings(std::string_view text);
void read_trace(std::string_view lines);
void read_case_message(std::string_view text);
void read_shared_memory(std::string_view writes);  // stray writes of a worker into the records

// What a library hands over (exports.cpp).
void read_exported(std::string_view bytes);  // a DLManagedTensor or DLManagedTensorVersioned

}  // namespace dlcert::fuzz
