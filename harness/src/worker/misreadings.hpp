// SPDX-License-Identifier: Apache-2.0
//
// Mistakes that adapters are known to make, and what each would make of a tensor. A mistake is an
// adapter's only if it explains all that was found, over several tensors: a library that gets one
// dtype or one layout wrong is at fault itself, and a rule will say so.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <dlcert/suite/party.hpp>

namespace dlcert {

// What a buffer is filled with before a library reads into it. No tried value has such a byte.
inline constexpr std::byte unread{0xd9};

// The logical bytes that the preflight puts into a tensor, `second` ones to write over them:
// neighbours differ, and so do the bytes of an element. Elements that share memory are alike.
Bytes tried_values(const TensorSpec& spec, bool second = false);

// Whether two elements of the tensor lie at one place, so that a library may refuse to write them.
bool shares_memory(const TensorSpec& spec);

// A tensor that was given `logical` bytes and read back.
struct Reading {
  TensorSpec spec;
  Bytes logical;
  Bytes found;  // `unread` where nothing was written
  // Bytes that the library wrote behind the end of the buffer, which has room for `logical`.
  std::size_t overrun = 0;
};

// What one known mistake of an adapter makes of all readings; `how` names the calls: "create and
// read". Empty where none explains them all, and where they are right.
std::string misreading(std::span<const Reading> readings, std::string_view how);

// Whether read() itself, whatever the elements are, breaks its contract: bytes of each buffer are
// left as they were, or each buffer of a dtype is overrun. Empty where not.
std::string broken_read(std::span<const Reading> readings);

// A tensor as it was asked for and as it was described.
struct Described {
  TensorSpec spec;
  Description description;
};

// What one known mistake of an adapter makes of all descriptions, or that none of them has the
// dtype, or the shape, that was asked for. Devices are not looked at: where a tensor lies is the
// library's. Empty where neither is so.
std::string misdescription(std::span<const Described> described);

}  // namespace dlcert
