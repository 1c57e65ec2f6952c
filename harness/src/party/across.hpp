// SPDX-License-Identifier: Apache-2.0
//
// Calls out of the harness into a library.
#pragma once

#include <cxxabi.h>

#include <exception>

#include <dlcert/suite/check.hpp>
#include <dlcert/suite/input_properties.hpp>

namespace dlcert {

// Makes a call into the library, which must not throw.
template <typename Call>
auto across(const Call& call) {
  const InsideLibrary inside;
  try {
    return call();
  } catch (const abi::__forced_unwind&) {
    throw;
  } catch (const std::exception& error) {
    const char* const what = error.what();  // a library's own, which may have nothing to say
    fail_by_error(
        fmt::format("an exception crossed the adapter ABI: {}", what != nullptr ? what : ""));
  } catch (...) {
    fail_by_error("an exception crossed the adapter ABI");
  }
}

}  // namespace dlcert
