// SPDX-License-Identifier: Apache-2.0
//
// The element types of DLPack 1.3 and the widths that libraries use with each code.
#pragma once

#include <span>

#include <dlcert/suite/draw.hpp>
#include <dlcert/suite/party.hpp>

namespace dlcert {

inline constexpr dlcert_dtype float32{kDLFloat, 32, 1};

enum class Dtypes : std::uint8_t {
  any,         // every code, every width in use, sometimes several lanes
  whole_byte,  // scalars of whole bytes
  float32_only,
};

// A type of the given kind. Shrinks towards float32.
dlcert_dtype draw_dtype(Draw& draw, Dtypes kind = Dtypes::any);

}  // namespace dlcert
