// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include <dlcert/suite/check.hpp>
#include <dlcert/suite/party.hpp>

namespace dlcert::scripted {

// A library of one tensor; what each call does is set by the test.
struct Scripted {
  Scripted() {
    current = this;
    tensor.struct_size = sizeof(tensor);
    tensor.create = [](void*, const dlcert_tensor_spec*, const void*, std::uint64_t,
                       dlcert_tensor** out,
                       dlcert_error* error) { return current->on_create(out, error); };
    tensor.describe = [](void*, dlcert_tensor*, dlcert_description* out, dlcert_error*) {
      out->ndim = current->rank;
      return dlcert_status{DLCERT_OK};
    };
    tensor.release = [](void*, dlcert_tensor*) { ++current->releases; };
    tensor.fail_allocation = [](void*, std::int64_t) {};
    exchange.struct_size = sizeof(exchange);
    exchange.export_managed = [](void*, dlcert_tensor*, const dlcert_request*, dlcert_managed* out,
                                 dlcert_error*) {
      *out = {DLCERT_VERSIONED, 0, &current->managed};
      return dlcert_status{DLCERT_OK};
    };
    managed.deleter = [](DLManagedTensorVersioned*) { ++current->deleter_calls; };
    table.struct_size = sizeof(table);
    table.name = "scripted";
    table.version = "1";
    table.tensor = &tensor;
    table.exchange = &exchange;
  }

  std::function<dlcert_status(dlcert_tensor**, dlcert_error*)> on_create = [](dlcert_tensor** out,
                                                                              dlcert_error*) {
    *out = reinterpret_cast<dlcert_tensor*>(current);
    return DLCERT_OK;
  };
  std::int32_t rank = 0;
  int releases = 0;
  int deleter_calls = 0;
  DLManagedTensorVersioned managed{};
  dlcert_tensor_group tensor{};
  dlcert_exchange_group exchange{};
  dlcert_adapter table{};

 private:
  static inline Scripted* current = nullptr;
};

inline const TensorSpec scalar = compact_spec({2, 32, 1}, {});
inline const Bytes four_bytes(4);

inline std::string message_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Failure& failure) {
    return failure.message;
  }
  return "did not fail";
}

}  // namespace dlcert::scripted
