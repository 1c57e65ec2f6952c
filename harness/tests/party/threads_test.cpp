// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <dlcert/suite/threads.hpp>

namespace dlcert {
namespace {

// Notes what await() collects for it.
class Owner {
 public:
  explicit Owner(std::string name) {
    collect_by(this, [this, name = std::move(name)](bool all) {
      collected.push_back(name + (all ? ", all" : ", young"));
    });
  }
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;
  ~Owner() { collect_by(this, {}); }

  std::vector<std::string> collected;
};

using Collected = std::vector<std::string>;

TEST(Await, CollectsNothingForWhatHolds) {
  const Owner owner{"one"};
  await([] { return true; });
  EXPECT_EQ(owner.collected, Collected{});
}

TEST(Await, CollectsTheYoungFirst) {
  const Owner owner{"one"};
  await([&] { return !owner.collected.empty(); });
  EXPECT_EQ(owner.collected, Collected{"one, young"});
}

TEST(Await, CollectsAllWhereTheYoungAreNotEnough) {
  const Owner owner{"one"};
  await([&] { return owner.collected.size() > 1; });
  EXPECT_EQ(owner.collected, (Collected{"one, young", "one, all"}));
}

TEST(Await, CollectsOnceOfEachKindWhateverComesOfIt) {
  const Owner owner{"one"};
  await([] { return false; });
  EXPECT_EQ(owner.collected, (Collected{"one, young", "one, all"}));
}

TEST(Await, CollectsForEachOwner) {
  const Owner one{"one"}, other{"other"};
  await([&] { return one.collected.size() + other.collected.size() == 2; });
  EXPECT_EQ(one.collected, Collected{"one, young"});
  EXPECT_EQ(other.collected, Collected{"other, young"});
}

TEST(Await, CollectsForNobodyWhoHasEnded) {
  const Owner one{"one"}, other{"other"};
  collect_by(&one, {});
  await([] { return false; });
  EXPECT_EQ(one.collected, Collected{});
  EXPECT_EQ(other.collected.size(), 2u);
  collect_nothing();
  await([] { return false; });
  EXPECT_EQ(other.collected.size(), 2u);
}

TEST(Await, WaitsForAnotherThread) {
  std::atomic<bool> released{false};
  std::thread late{[&] {
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
    released = true;
  }};
  await([&] { return released.load(); });
  EXPECT_TRUE(released);
  late.join();
}

}  // namespace
}  // namespace dlcert
