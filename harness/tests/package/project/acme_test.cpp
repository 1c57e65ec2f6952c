// SPDX-License-Identifier: Apache-2.0
#include <dlcert/gtest.hpp>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  dlcert::register_certification(argv[1]);
  return RUN_ALL_TESTS();
}
