// SPDX-License-Identifier: Apache-2.0
//
// The generated list of a runtime's symbols: each is a weak function, which the real one of a
// source file replaces.

#pragma once

#include "shims/common/shim.hpp"

#define DLCERT_SYMBOL(name)                                               \
  extern "C" __attribute__((weak)) int name();                            \
  extern "C" int name() {                                                 \
    static std::atomic_flag reported;                                     \
    return static_cast<int>(dlcert::shim::not_modelled(#name, reported)); \
  }
