// SPDX-License-Identifier: Apache-2.0
//
// A counterexample as a program in Python that needs the library and ctypes: it repeats the calls
// in the library's own terms, and compares what each gave. It exits with 1 when the library answers
// as it did when the fault was found, with 0 when it does not, and with 2 when the library cannot
// be imported. Where the library ends the process or hangs, the calls are made in a child, whose
// death is exit code 1 and told.
//
// The statements of a trace begin with the lines that import the library and its from_dlpack. The
// others may use these (parts.py):
//
//   library                              the module that the first of them imports
//   saw(found, then)                     what was found is what was found when the fault was; where
//                                        it is the elements at fault, becomes differs(found,
//                                        wanted)
//   found = ...; saw(found, then)        the same of a call that is told before it is made
//   raised("BufferError")                the call before it did
//   ask(<expression>)                    a question whose answer is told apart: it is asked where
//   it
//                                        raised, or where the process ended
//   not_formed()                         the call before it was not made: the library has no such
//   offer(Versioned, bytes, shape, strides, ndim=1, ...)
//                                        a managed tensor of the program's own
//   sealed(offer(...))                   one behind whose flags nothing is accessible
//   calls(m)                             how often the deleter of such a one was called
//   Producer(device, m), raising("BufferError", "message")
//   Memory(device, bytes, shape, strides, ndim=1, ...)
//                                        a tensor of the program's own in either form
//   capsule(m), inside(c), name_of(c), rename(c, b"name"), text(m), elements(m), delete(m)
//   logical(tensor)                      its elements, by its own export
//   cudart, synchronize(device)          CUDA's runtime, and all work of a device
//   mapped(size)                         memory of no offer, as large as no storage is
//
// "pass" says nothing; "/* ... */" stands for what the program cannot do.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dlcert {

struct PythonProgram {
  // Shown in the program's heading: `library` with its version, `message` is what the check said,
  // `source` where the rule is from, may be empty.
  std::string_view requirement, sentence, library, message, source;
  // What the check expected and found, as it told them: "4 bytes 00000000".
  std::string_view expected, found;
  std::vector<std::string> statements;
  bool ends_process = false;  // a crash, or a hang: the fault is not in the answers
};

// The program, of at most 60 lines where the calls leave it that.
std::string to_source(const PythonProgram& program);

}  // namespace dlcert
