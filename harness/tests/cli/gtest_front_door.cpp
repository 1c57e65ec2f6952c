// SPDX-License-Identifier: Apache-2.0
//
// A GoogleTest program as a user would write it.
#include <string>

#include <dlcert/gtest.hpp>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  dlcert::register_certification(argv[1], {.arguments = {"--cases", "20"}});
  return RUN_ALL_TESTS();
}
