// SPDX-License-Identifier: Apache-2.0
//
// Values of the variables of visible devices (CUDA_VISIBLE_DEVICES and its kin), and UUIDs of
// devices. All functions are pure but for the draw.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <dlcert/suite/draw.hpp>

namespace dlcert {

// A list of visible devices before it is joined: one text for each entry.
using VisibleEntries = std::vector<std::string>;

// The value of the variable: the entries with commas between. No entries give the empty value.
std::string visible_value(const VisibleEntries& entries);

// Ordinals from 0 to devices - 1, in any order, none twice, as plain numbers; `at_least` of them.
// Requires devices >= at_least > 0. Shrinks towards the first ordinals in their order.
VisibleEntries draw_ordinal_list(Draw& draw, int devices, int at_least = 1);

// `entries` in another order, or the same. Shrinks towards the same.
VisibleEntries permuted(Draw& draw, VisibleEntries entries);

// `ordinals`, as from draw_ordinal_list, with one of them once more anywhere behind it, perhaps
// written otherwise: "1", "+1", "01", " 1", "1x". Requires at least one entry.
VisibleEntries with_duplicate(Draw& draw, VisibleEntries ordinals);

// `entries` with one more at `position`, at which both ordinals and identifiers stop: a negative
// number, an empty entry or a word. Requires position <= entries.size().
VisibleEntries with_stop(Draw& draw, VisibleEntries entries, std::size_t position);

// Any text that a variable can hold (no NUL; not always ASCII), rich in digits, signs, blanks,
// commas and pieces of `uuids`, which may be empty. Grows with the draw's size; shrinks towards "".
std::string draw_visible_value(Draw& draw, std::span<const std::string> uuids = {});

// UUIDs as NVML writes them (GPU-, 8-4-4-4-12 hexadecimal digits, lower case), all different, often
// with a long prefix in common.
std::vector<std::string> draw_uuids(Draw& draw, std::size_t count);

// The length of the shortest prefix of uuids[index] with which no other begins; none where the
// whole of it begins another. Requires index < uuids.size().
std::optional<std::size_t> unique_prefix_length(std::span<const std::string> uuids,
                                                std::size_t index);

}  // namespace dlcert
