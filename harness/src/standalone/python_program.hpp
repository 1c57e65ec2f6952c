// SPDX-License-Identifier: Apache-2.0
//
// A counterexample as a program in Python that needs the library and ctypes. It makes the calls of
// the case, looks at what the failed assertion looked at, and compares it with the right result. It
// exits with 1 if the library breaks the rule, with 0 if it keeps it, and with 2 if anything else
// goes wrong. If the library ends the process or hangs, the calls are made in a child process.
//
// The same program can be written for dlcert's reference implementation in Python, which keeps all
// rules: it must exit with 0.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dlcert {

struct PythonProgram {
  // Shown in the program's heading: `library` with its version, `message` is what the check said,
  // `source` where the rule is from, may be empty.
  std::string_view requirement, sentence, library, message, source;
  std::vector<std::string> steps;  // lines of dlcert/suite/program_step.hpp
  bool ends_process = false;       // a crash, or a hang
  bool on_devices = false;         // needs devices, real or simulated
  bool on_rocm = false;            // and those are ROCm's, not CUDA's
};

// Why a program of these steps cannot show the fault; empty: it can.
std::string why_not_in_python(const std::vector<std::string>& steps, bool ends_process);

// Why the run of a program needs to be told: it showed the fault by the next command alone.
inline constexpr std::string_view over_devices_reason = "with simulated devices";
// The command that runs a program in Python on simulated devices, as many as its case had.
std::string simulated_command(std::string_view file, bool on_rocm);
// Says that the command shows the fault of the program without a GPU, and that a real GPU may not
// if the fault is one of order.
std::string where_it_shows(std::string_view command, std::string_view code);

enum class CalledLibrary : unsigned char { tested, reference };

// The program, of which why_not_in_python() is empty. Empty: the reference cannot make the calls.
std::string to_source(const PythonProgram& program, CalledLibrary library = CalledLibrary::tested);

// Lines that a program prints before it exits with 1 and with 0.
inline constexpr std::string_view breaks_line = "the library breaks the rule";
inline constexpr std::string_view keeps_line = "the library keeps the rule";

}  // namespace dlcert
