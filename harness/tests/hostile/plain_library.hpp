// SPDX-License-Identifier: Apache-2.0
//
// A small library that keeps the rules, and the points at which a hostile one departs from it.
#pragma once

#include <dlcert/adapter.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace hostile {

// What a variant does at each point; the defaults do nothing.
struct Acts {
  void (*on_load)() = [] {};
  void (*on_prepare)() = [] {};  // an int8 tensor is made
  // A float32 tensor with an extent of three or more is made; returns the first extent that the
  // library will report.
  std::int64_t (*on_provoke)(std::int64_t extent) = [](std::int64_t extent) { return extent; };
  void (*on_release)(bool provoking) = [](bool) {};
  void (*on_close)() = [] {};
  void (*on_unload)() = [] {};  // by a static destructor of the module
  void (*on_table)(dlcert_adapter& table, dlcert_tensor_group& tensors) =
      [](dlcert_adapter&, dlcert_tensor_group&) {};  // is asked for
};

// The acts of the variant that the environment names in DLCERT_HOSTILE; those of the plain library
// when it names none.
const Acts& acts();

struct Tensor {
  explicit Tensor(const dlcert_tensor_spec& spec);
  ~Tensor() { acts().on_release(provoking); }
  Tensor(const Tensor&) = delete;
  Tensor& operator=(const Tensor&) = delete;

  dlcert_dtype dtype;
  std::vector<std::int64_t> shape, strides;
  std::vector<std::byte> storage;
  bool provoking = false;
};

const dlcert_adapter& table();

}  // namespace hostile
