// SPDX-License-Identifier: Apache-2.0
//
// Every name of the driver API, in every version of CUDA and for both default streams, against the
// table of facts. Source: cuda.h, cuGetProcAddress.

#include <dlfcn.h>

#include <map>
#include <set>
#include <string>

#include "driver_fixture.hpp"

namespace dlcert::shim {
namespace {

struct Fact {
  int version;
  bool per_thread;
  std::string symbol;
};

const std::multimap<std::string, Fact>& facts() {
  constexpr bool legacy = false, per_thread = true;
  static const std::multimap<std::string, Fact> all{
#define DLCERT_DRIVER_NAME(name, version, stream, symbol) {#name, {version, stream, #symbol}},
#include "shims/cuda_driver/driver_names.inc"
#undef DLCERT_DRIVER_NAME
  };
  return all;
}

// What is to be found, by the table.
std::string expected(const std::string& name, int version, bool per_thread) {
  std::array<const Fact*, 2> newest{};
  const auto [begin, end] = facts().equal_range(name);
  for (auto form = begin; form != end; ++form) {
    const Fact*& of_stream = newest.at(form->second.per_thread ? 1 : 0);
    const bool is_newer = of_stream == nullptr || form->second.version > of_stream->version;
    if (form->second.version <= version && is_newer) of_stream = &form->second;
  }
  const Fact* const found = per_thread && newest[1] != nullptr ? newest[1] : newest[0];
  return found == nullptr ? std::string{} : found->symbol;
}

using DriverNames = DriverApi;

TEST_F(DriverNames, EachNameIsFoundInEachVersionForEachDefaultStream) {
  std::set<int> versions;
  std::set<std::string> names;
  for (const auto& [name, fact] : facts()) {
    names.insert(name);
    for (const int version : {fact.version - 10, fact.version})
      if (version <= 13000) versions.insert(version);
  }
  ASSERT_GT(names.size(), 400u);
  for (const std::string& name : names)
    for (const int version : versions)
      for (const cuuint64_t flags : {CU_GET_PROC_ADDRESS_DEFAULT, CU_GET_PROC_ADDRESS_LEGACY_STREAM,
                                     CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM}) {
        void* found = &found;
        CUdriverProcAddressQueryResult result{};
        ASSERT_EQ(cuGetProcAddress(name.c_str(), &found, version, flags, &result), CUDA_SUCCESS);
        const std::string symbol =
            expected(name, version, flags == CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);
        ASSERT_EQ(found, symbol.empty() ? nullptr : ::dlsym(RTLD_DEFAULT, symbol.c_str()))
            << name << " in " << version;
        ASSERT_EQ(result, symbol.empty() ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                                         : CU_GET_PROC_ADDRESS_SUCCESS)
            << name << " in " << version;
      }
}

TEST_F(DriverNames, WhatIsNoNameIsNotFound) {
  for (const char* const name : {"", "cuMemAllocate", "cuMemAlloc_v2", "cudaMalloc"}) {
    void* found = &found;
    CUdriverProcAddressQueryResult result{};
    EXPECT_EQ(cuGetProcAddress(name, &found, 13000, 0, &result), CUDA_SUCCESS);
    EXPECT_EQ(found, nullptr);
    EXPECT_EQ(result, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND) << name;
  }
}

TEST_F(DriverNames, AQuestionMayBeWrong) {
  void* found = nullptr;
  EXPECT_EQ(cuGetProcAddress(nullptr, &found, 12000, 0, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGetProcAddress("cuInit", nullptr, 12000, 0, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGetProcAddress("cuInit", &found, 13010, 0, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGetProcAddress("cuInit", &found, 12000, 3, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(DriverNames, ThereAreNoPrivateTables) {
  const void* table = &table;
  const CUuuid id{};
  EXPECT_EQ(cuGetExportTable(&table, &id), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(table, nullptr);
}

}  // namespace
}  // namespace dlcert::shim
