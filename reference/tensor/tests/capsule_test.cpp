// SPDX-License-Identifier: Apache-2.0

#include "dlcert/tensor/capsule.hpp"

#include <gtest/gtest.h>

#include <string>

#include "support.hpp"

namespace dlcert::reference {
namespace {

int deaths = 0;
void count_death(Capsule&) noexcept {
  ++deaths;
}

int releases = 0;
DLManagedTensor counted() {
  releases = 0;
  DLManagedTensor managed{};
  managed.deleter = [](DLManagedTensor*) { ++releases; };
  return managed;
}

TEST(Capsule, GivesItsPointerForTheExactNameOnly) {
  int target = 0;
  Capsule capsule(&target, capsule_name::legacy, nullptr);
  EXPECT_EQ(capsule.pointer(std::string("dltensor").c_str()), &target);
  EXPECT_EQ(capsule.pointer("dltensor_versioned"), nullptr);
  EXPECT_EQ(capsule.pointer("DLTENSOR"), nullptr);
  EXPECT_EQ(capsule.pointer(nullptr), nullptr);
  capsule.set_name(nullptr);
  EXPECT_EQ(capsule.pointer(nullptr), &target);
  EXPECT_EQ(capsule.pointer("dltensor"), nullptr);
}

TEST(Capsule, RefusesNull) {
  EXPECT_EQ(kind_of_error([] { return Capsule(nullptr, "name", nullptr); }), ErrorKind::value);
}

TEST(Capsule, KeepsTheNameThatItWasGiven) {
  int target = 0;
  const Capsule capsule(&target, capsule_name::versioned, nullptr);
  EXPECT_EQ(capsule.name(), capsule_name::versioned);
  EXPECT_EQ(capsule.destructor(), nullptr);
}

TEST(Capsule, RunsItsDestructorOnceAlsoAfterMoves) {
  int target = 0;
  deaths = 0;
  {
    Capsule first(&target, "first", &count_death);
    Capsule second(std::move(first));
    Capsule third(&target, "third", &count_death);
    third = std::move(second);
    EXPECT_STREQ(third.name(), "first");
  }
  EXPECT_EQ(deaths, 2);
}

TEST(Capsule, RunsNoDestructorThatWasTakenAway) {
  int target = 0;
  deaths = 0;
  { Capsule(&target, "name", &count_death).set_destructor(nullptr); }
  EXPECT_EQ(deaths, 0);
}

TEST(CapsuleDestructor, ReleasesWhatNobodyConsumed) {
  DLManagedTensor managed = counted();
  { const Capsule capsule(&managed, capsule_name::legacy, &release_unconsumed_legacy); }
  EXPECT_EQ(releases, 1);
}

TEST(CapsuleDestructor, LeavesEveryOtherNameAlone) {
  DLManagedTensor managed = counted();
  for (const char* name : {capsule_name::used_legacy, capsule_name::versioned, "bogus"}) {
    const Capsule capsule(&managed, name, &release_unconsumed_legacy);
  }
  { const Capsule capsule(&managed, nullptr, &release_unconsumed_legacy); }
  { const Capsule capsule(&managed, capsule_name::legacy, &release_unconsumed_versioned); }
  EXPECT_EQ(releases, 0);
}

TEST(CapsuleDestructor, ToleratesTensorsWithoutDeleter) {
  DLManagedTensorVersioned managed{};
  { const Capsule capsule(&managed, capsule_name::versioned, &release_unconsumed_versioned); }
}

}  // namespace
}  // namespace dlcert::reference
