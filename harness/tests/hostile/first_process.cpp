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

// No check exchanges integers, but the preflight does.
bool is_integer(const DLManagedTensor& managed) {
  return managed.dl_tensor.dtype.code == kDLInt;
}

dlcert_status export_other_integers(dlcert_managed& managed) {
  const auto& exported = *static_cast<DLManagedTensor*>(managed.pointer);
  if (is_integer(exported) && exported.dl_tensor.shape[0] != 0)
    *static_cast<std::byte*>(exported.dl_tensor.data) ^= std::byte{1};
  return DLCERT_OK;
}

bool imported_an_integer = false;

dlcert_status note_integer(DLManagedTensor& managed) {
  imported_an_integer = is_integer(managed);
  return DLCERT_OK;
}

dlcert_status read_other_integers(std::span<std::byte> elements) {
  if (imported_an_integer && !elements.empty()) elements[0] ^= std::byte{1};
  return DLCERT_OK;
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
      {"other-integers-exported", {.on_export = export_other_integers}},
      {"other-integers-read", {.on_import = note_integer, .on_read = read_other_integers}},
      {"hang-in-the-first-export", {.on_export = export_but_first<hang>}},
  };
}

}  // namespace hostile
