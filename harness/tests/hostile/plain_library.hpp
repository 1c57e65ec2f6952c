// SPDX-License-Identifier: Apache-2.0
//
// A small library that keeps the rules, and the points at which a hostile one departs from it.
#pragma once

#include <dlcert/adapter.h>
#include <dlpack/dlpack.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace hostile {

// What a variant does at each point, most of which are those of one check of hostile_worker; the
// defaults do nothing. What has a status may end the call by it, when all else was done.
struct Acts {
  // The module and its table.
  void (*on_dlopen)() = [] {};              // by a constructor of the module
  bool (*on_load)() = [] { return true; };  // whether there is a table
  void (*on_table)(dlcert_adapter& table,
                   dlcert_tensor_group& tensors) = [](dlcert_adapter&, dlcert_tensor_group&) {};
  dlcert_status (*on_open)(const dlcert_host& host, dlcert_error& error) =
      [](const dlcert_host&, dlcert_error&) -> dlcert_status { return DLCERT_OK; };

  // Tensors of its own. Provoking is one of float32 with an extent of three or more.
  bool (*can)(const dlcert_tensor_spec& spec) = [](const dlcert_tensor_spec&) { return true; };
  void (*on_prepare)() = [] {};  // an int8 tensor is made
  // Such a tensor is made, or one of int16 (in the check whose cases have processes of their own);
  // returns the first extent that the library will report.
  std::int64_t (*on_provoke)(std::int64_t extent) = [](std::int64_t extent) { return extent; };
  std::int64_t (*on_isolated)(std::int64_t extent) = [](std::int64_t extent) { return extent; };
  dlcert_status (*on_create)(bool provoking, dlcert_tensor*& made, dlcert_error& error) =
      [](bool, dlcert_tensor*&, dlcert_error&) -> dlcert_status { return DLCERT_OK; };
  dlcert_status (*on_describe)(bool provoking, dlcert_description& description) =
      [](bool, dlcert_description&) -> dlcert_status { return DLCERT_OK; };
  void (*on_release)(bool provoking) = [](bool) {};

  // The exchange.
  dlcert_status (*on_export)(dlcert_managed& managed) = [](dlcert_managed&) -> dlcert_status {
    return DLCERT_OK;
  };
  void (*on_deleter)() = [] {};  // of an export
  dlcert_status (*on_import)(DLManagedTensor& managed) = [](DLManagedTensor&) -> dlcert_status {
    return DLCERT_OK;
  };
  dlcert_status (*on_read)(std::span<std::byte> elements) =
      [](std::span<std::byte>) -> dlcert_status { return DLCERT_OK; };
  // Whether an import that is released is given back.
  bool (*on_return)(DLManagedTensor& managed) = [](DLManagedTensor&) { return true; };

  // The end.
  void (*on_close)() = [] {};
  void (*on_unload)() = [] {};  // by a static destructor of the module
};

// The acts of the variant that the environment names in DLCERT_HOSTILE; those of the plain library
// when it names none.
const Acts& acts();

struct Tensor {
  explicit Tensor(const dlcert_tensor_spec& spec);
  explicit Tensor(DLManagedTensor& managed);
  ~Tensor();
  Tensor(const Tensor&) = delete;
  Tensor& operator=(const Tensor&) = delete;

  dlcert_dtype dtype;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> storage;
  DLManagedTensor* imported = nullptr;
  bool provoking = false;
};

const dlcert_adapter& table();

}  // namespace hostile
