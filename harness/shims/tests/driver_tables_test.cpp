// SPDX-License-Identifier: Apache-2.0
//
// The tables that the vendor's libraries ask the driver for: they are not there, and who asks is
// told.

#include <dlfcn.h>

#include <string>
#include <vector>

#include "driver_fixture.hpp"

namespace dlcert::shim {
namespace {

using Limits = std::vector<std::string>;

std::string limit_of(const std::string& library) {
  return "'" + library +
         "' asks the driver for private tables: it contains its own cudart, and dlcert "
         "cannot see the calls of that cudart";
}

class DriverTables : public DriverApi {
 protected:
  DriverTables() { static_cast<void>(driver_.take_limits()); }

  static int ask_from_library() {
    void* const library = ::dlopen(DLCERT_PRIVATE_TABLES, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return -2;
    using Ask = int (*)(decltype(&cuGetExportTable));
    const auto ask = reinterpret_cast<Ask>(::dlsym(library, "ask_for_tables"));
    return ask(&cuGetExportTable);
  }
};

TEST_F(DriverTables, AreNotFoundAndTheLibraryThatAsksIsNamedOnce) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(ask_from_library(), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(ask_from_library(), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "dlcert: " + limit_of("libprivate_tables.so") + "\n");
}

TEST_F(DriverTables, EachQuestionIsALimitAgainOnceTheLimitsWereTaken) {
  EXPECT_EQ(ask_from_library(), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(driver_.take_limits(), Limits{limit_of("libprivate_tables.so")});
  EXPECT_TRUE(driver_.take_limits().empty());
  EXPECT_EQ(ask_from_library(), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(driver_.take_limits(), Limits{limit_of("libprivate_tables.so")});
}

TEST_F(DriverTables, AQuestionOfTheProgramItselfIsIts) {
  const CUuuid id{};
  const void* table = &id;
  EXPECT_EQ(cuGetExportTable(&table, &id), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(table, nullptr);
  EXPECT_EQ(driver_.take_limits(), Limits{limit_of("shim_cuda_test")});
}

TEST_F(DriverTables, AQuestionThatCannotBeAnsweredIsNone) {
  const CUuuid id{};
  const void* table = nullptr;
  EXPECT_EQ(cuGetExportTable(nullptr, &id), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGetExportTable(&table, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_TRUE(driver_.take_limits().empty());
}

}  // namespace
}  // namespace dlcert::shim
