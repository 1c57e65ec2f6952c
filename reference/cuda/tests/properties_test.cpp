// SPDX-License-Identifier: Apache-2.0
//
// Source of the rules: torch 2.4, get_device_properties, get_device_name, get_device_capability,
// can_device_access_peer.

#include "runtime_fixture.hpp"

namespace dlcert::cuda {
namespace {

class PropertiesTest : public RuntimeTest {
 protected:
  PropertiesTest() {
    restart({.devices = 3,
             .models = {{"Tesla V100", 7, 0}, {"A10G", 8, 6}},
             .without_peer_access = {{0, 2}}});
  }
  Properties& properties() { return cuda().properties(); }
};

TEST_F(PropertiesTest, NameAndCapabilityAreThoseOfTheProperties) {
  for (const std::int64_t device : {0, 1, 2}) {
    const driver::DeviceProperties found = properties().of(device);
    EXPECT_EQ(properties().name(device), found.name);
    EXPECT_EQ(properties().capability(device), (Capability{found.major, found.minor}));
  }
  EXPECT_EQ(properties().name(std::string("cuda:1")), "A10G");
  EXPECT_EQ(properties().capability(std::int64_t{0}), (Capability{7, 0}));
}

TEST_F(PropertiesTest, NoneMeansTheCurrentDevice) {
  cuda().devices().set(std::int64_t{1});
  EXPECT_EQ(properties().name({}), "A10G");
  EXPECT_EQ(properties().name(std::string("cuda")), "A10G");
}

TEST_F(PropertiesTest, IndicesOutOfRangeAreRefused) {
  for (const std::int64_t index : {std::int64_t{-1}, std::int64_t{3}, std::int64_t{1} << 40}) {
    const std::string text =
        error_of<AssertionError>([&] { static_cast<void>(properties().of(index)); });
    EXPECT_TRUE(says(text, {"found ", std::to_string(index).c_str()})) << text;
    EXPECT_THROW(static_cast<void>(properties().name(index)), AssertionError);
    EXPECT_THROW(static_cast<void>(properties().capability(index)), AssertionError);
  }
  EXPECT_THROW(static_cast<void>(properties().of(std::string("cpu"))), ValueError);
}

TEST_F(PropertiesTest, TheRangeIsThatOfTheDeviceCountWhateverTheRuntimeHas) {
  init();
  ::setenv("CUDA_VISIBLE_DEVICES", "", 1);
  EXPECT_THROW(static_cast<void>(properties().of(std::int64_t{0})), AssertionError);
  EXPECT_THROW(static_cast<void>(properties().can_access_peer(std::int64_t{0}, std::int64_t{1})),
               AssertionError);
  EXPECT_EQ(cuda().devices().runtime_count(), 3);
  EXPECT_EQ(cuda().streams().current(std::int64_t{2}).device_index, 2);
}

TEST_F(PropertiesTest, PeerAccessIsTheRuntimesAnswer) {
  EXPECT_TRUE(properties().can_access_peer(std::int64_t{0}, std::int64_t{1}));
  EXPECT_FALSE(properties().can_access_peer(std::int64_t{0}, std::int64_t{2}));
  EXPECT_TRUE(properties().can_access_peer(std::int64_t{2}, std::int64_t{0}));
  EXPECT_FALSE(properties().can_access_peer(std::int64_t{1}, std::int64_t{1}));
  cuda().devices().set(std::int64_t{2});
  EXPECT_TRUE(properties().can_access_peer({}, std::int64_t{0}));
}

TEST_F(PropertiesTest, PeerAccessOfAMissingDeviceIsRefused) {
  const auto ask = [&](const DeviceArgument& device, const DeviceArgument& peer) {
    static_cast<void>(properties().can_access_peer(device, peer));
  };
  EXPECT_THROW(ask(std::int64_t{3}, std::int64_t{0}), AssertionError);
  EXPECT_THROW(ask(std::int64_t{-1}, std::int64_t{0}), AssertionError);
  EXPECT_THROW(ask(std::int64_t{0}, std::int64_t{3}), AssertionError);
  EXPECT_THROW(ask(std::int64_t{0}, std::int64_t{-1}), AssertionError);
  EXPECT_THROW(ask(std::int64_t{0}, {}), ValueError);
}

}  // namespace
}  // namespace dlcert::cuda
