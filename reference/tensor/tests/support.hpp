// SPDX-License-Identifier: Apache-2.0
//
// What the tests of this folder share.

#pragma once

#include <dlpack/dlpack.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "dlcert/driver/failing_host_memory.hpp"
#include "dlcert/tensor/errors.hpp"
#include "dlcert/tensor/managed.hpp"
#include "dlcert/tensor/tensor.hpp"

namespace dlcert::reference {

using driver::FailingHostMemory;
using driver::LiveAllocations;
using driver::set_host_memory;

inline Dtype float32() {
  return Dtype::described(kDLFloat, 32);
}
inline Dtype int16() {
  return Dtype::described(kDLInt, 16);
}

/// The bytes 0, 1, 2, ... .
inline std::vector<std::byte> counting_bytes(std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::size_t i = 0; i < count; ++i)
    bytes[i] = static_cast<std::byte>(i);
  return bytes;
}

template <class Value>
std::vector<Value> values_of(const Tensor& tensor) {
  std::vector<Value> values(static_cast<std::size_t>(tensor.element_count()));
  tensor.read(std::as_writable_bytes(std::span(values)));
  return values;
}

/// A row-major tensor of 0, 1, 2, ... .
template <class Value>
Tensor counting_tensor(Dtype dtype, const Dims& shape, HostMemory& memory = host_memory()) {
  Tensor tensor = Tensor::zeros(dtype, shape, memory);
  std::vector<Value> values(static_cast<std::size_t>(tensor.element_count()));
  std::iota(values.begin(), values.end(), Value{});
  tensor.write(std::as_bytes(std::span(values)));
  return tensor;
}

/// The kind of the Error that `call` throws; nothing when it throws none.
template <class Call>
std::optional<ErrorKind> kind_of_error(Call call) {
  try {
    static_cast<void>(call());
  } catch (const Error& error) {
    EXPECT_EQ(std::string_view(error.what()).find('\n'), std::string_view::npos);
    return error.kind();
  }
  return std::nullopt;
}

/// Calls the deleter of an export.
inline void release(ManagedTensor tensor) {
  std::visit([](auto* managed) { managed->deleter(managed); }, tensor);
}

/// A test whose tensors use a memory of their own, of which nothing may be left at the end.
class LeakTest : public testing::Test {
 protected:
  void TearDown() override {
    set_host_memory(before_);
    EXPECT_EQ(memory_.live(), LiveAllocations{});
  }

  FailingHostMemory memory_{host_memory()};

 private:
  HostMemory& before_ = set_host_memory(memory_);
};

}  // namespace dlcert::reference
