// SPDX-License-Identifier: Apache-2.0
#include "worker/inventory.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "worker/devices.hpp"

namespace dlcert {
namespace {

AdapterInfo description_of(const std::string& path) {
  const std::array adapters{AdapterSource{path}};
  return take_inventory(Suite{}, adapters, {}, [](Phase) {}).adapters.at(0);
}

TEST(Inventory, NotesNothingOfOtherAdapters) {
  for (const char* const path : {C_EXAMPLE, MINIMAL, REFERENCE}) {
    const AdapterInfo info = description_of(path);
    EXPECT_EQ(info.error, "") << path;
    EXPECT_EQ(info.note, "") << path;
  }
}

// What something that the library brings has linked in is no matter of the host's tensors.
TEST(Inventory, NotesARuntimeThatCannotBeSeenWhereNoDeviceIsClaimed) {
  const AdapterInfo info = description_of(OWN_RUNTIME_HOST);
  EXPECT_EQ(info.error, "");
  EXPECT_EQ(info.name, "narray");
  EXPECT_NE(info.note.find("links cudart statically"), std::string::npos) << info.note;
  EXPECT_NE(info.note.find(OWN_RUNTIME_HOST), std::string::npos) << info.note;
}

// It has come with a library whose own tensors lie where the driver sees them.
TEST(Inventory, NotesARuntimeThatTheLibrarysTensorsDoNotComeFrom) {
  const AdapterInfo info = description_of(OWN_RUNTIME_DEVICES);
  EXPECT_EQ(info.error, "");
  EXPECT_NE(
      info.note.find("links cudart statically: dlcert cannot see GPU calls through this file"),
      std::string::npos)
      << info.note;
}

TEST(Inventory, RefusesARuntimeThatCannotBeSeenWhereTheLibrarysTensorsComeFromIt) {
  const AdapterInfo info = description_of(OWN_RUNTIME_HIDDEN);
  EXPECT_NE(info.error.find("links cudart statically; use -cudart shared"), std::string::npos)
      << info.error;
}

// With the driver of HIP there is no process that has devices of CUDA.
TEST(Inventory, AsksForClaimsOnTheHostWhateverTheVendorOfTheDevices) {
  start_devices("simulated", Platform::rocm);
  const std::array adapters{AdapterSource{MINIMAL}};
  const auto claimed = [&](bool all) {
    return take_inventory(Suite{}, adapters, {Platform::rocm, all}, [](Phase) {})
        .adapters.at(0)
        .tensors["producer"]
        .size();
  };
  EXPECT_GT(claimed(true), 0u);
  EXPECT_EQ(claimed(false), 0u) << "another process has asked";
  start_devices("simulated", Platform::cuda);
}

}  // namespace
}  // namespace dlcert
