// SPDX-License-Identifier: Apache-2.0
//
// What happens before the first check: while the library is asked what it claims, and in the
// preflight.
#include <unistd.h>

#include "hostile.hpp"

namespace hostile {
namespace {

template <auto act>
bool claim_but_first(const dlcert_tensor_spec&) {
  if (first_time()) act();
  return true;
}

template <auto act>
dlcert_status export_but_first(dlcert_managed&) {
  if (first_time()) act();
  return DLCERT_OK;
}

// No check asks for a tensor of so many axes.
bool crash_at_four_axes(const dlcert_tensor_spec& spec) {
  if (spec.ndim == 4) crash();
  return true;
}

template <int nth>
bool crash_at_load() {
  if (earlier_calls() == nth) crash();
  return true;
}

void crash_once() {
  if (first_time()) crash();
}

}  // namespace

Variants first_process() {
  return {
      {"crash-in-the-first-process", {.can = claim_but_first<crash>}},
      {"exit-in-the-first-process", {.can = claim_but_first<exit_quietly>}},
      {"hang-in-the-first-process", {.can = claim_but_first<hang>}},
      {"crash-while-closing-once", {.on_close = crash_once}},
      {"crash-where-claims-are-asked", {.can = crash_at_four_axes}},
      {"crash-at-the-second-load", {.on_load = crash_at_load<1>}},
      {"crash-at-the-load-of-the-preflight", {.on_load = crash_at_load<2>}},
      {"crash-in-the-first-export", {.on_export = export_but_first<crash>}},
      {"exit-in-the-first-export", {.on_export = export_but_first<exit_quietly>}},
      {"hang-in-the-first-export", {.on_export = export_but_first<hang>}},
  };
}

}  // namespace hostile
