// SPDX-License-Identifier: Apache-2.0
#include "party/formed.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <set>

#include "party/act.hpp"
#include "scripted.hpp"

namespace dlcert {
namespace {

using scripted::four_bytes;
using scripted::message_of;
using scripted::scalar;
using scripted::Scripted;

// Calls of a case, which are remembered.
struct Remembered {
  Remembered() { remember_in(calls); }
  ~Remembered() { remember_in({}); }
  Remembered(const Remembered&) = delete;
  Remembered& operator=(const Remembered&) = delete;

  std::array<std::atomic<std::uint64_t>, 64> calls{};
  FormsAreCompared compared;
};

TEST(Party, WhatWasFormedOnceStaysSo) {
  const Remembered remembered;
  Scripted library;
  const Party party{library.table};
  const TensorSpec vector = compact_spec({2, 32, 1}, {2});
  EXPECT_TRUE(party.create(scalar, four_bytes).ok());
  library.on_create = [](dlcert_tensor**, dlcert_error*) { return DLCERT_NOT_FORMABLE; };
  EXPECT_EQ(message_of([&] { static_cast<void>(party.create(scalar, four_bytes)); }),
            "create: " + std::string{formed_before});
  EXPECT_THROW(party.create(vector, Bytes(8)), NotFormable) << "it never was";
}

TEST(Party, RemembersAnswersAboutTheHostByTensorAndRole) {
  static int asked;
  asked = 0;
  Scripted library;
  library.tensor.can = [](void*, const dlcert_tensor_spec* spec) {
    ++asked;
    return spec->ndim == 0 ? 1 : 0;
  };
  const Party party{library.table};
  const TensorSpec vector = compact_spec({2, 32, 1}, {2});
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(party.can_remembered(scalar));
    EXPECT_FALSE(party.can_remembered(vector));
  }
  EXPECT_EQ(asked, 2);
  EXPECT_TRUE(party.consuming().can_remembered(scalar));
  EXPECT_EQ(asked, 3);

  TensorSpec on_a_device = scalar;
  on_a_device.device = {kDLCUDA, 0};
  party.can_remembered(on_a_device);
  party.can_remembered(on_a_device);
  EXPECT_EQ(asked, 5) << "devices may come and go";
}

TEST(Party, RemembersNoAnswerOfALibraryShortOfMemory) {
  static bool has_memory;
  has_memory = false;
  Scripted library;
  library.tensor.can = [](void*, const dlcert_tensor_spec*) { return has_memory ? 1 : 0; };
  const Party party{library.table};
  party.fail_allocation(0);
  EXPECT_FALSE(party.can_remembered(scalar));
  party.fail_allocation(-1);
  has_memory = true;
  EXPECT_TRUE(party.can_remembered(scalar));
}

TEST(Party, WhoFormsOneValueNeedNotFormAnother) {
  const Remembered remembered;
  Scripted library;
  const Party party{library.table};
  const TensorSpec truth = compact_spec({kDLBool, 8, 1}, {1});
  const TensorSpec number = compact_spec({kDLUInt, 8, 1}, {1});
  const Bytes one{std::byte{1}}, two{std::byte{2}};
  EXPECT_TRUE(party.create(truth, one).ok());
  EXPECT_TRUE(party.create(number, one).ok());
  library.on_create = [](dlcert_tensor**, dlcert_error*) { return DLCERT_NOT_FORMABLE; };
  EXPECT_THROW(party.create(truth, two), NotFormable) << "two is no boolean";
  EXPECT_THROW(party.create(number, two), Failure) << "every byte is a number";
}

TEST(Party, ARefusalFormsNothing) {
  const Remembered remembered;
  Scripted library;
  const Party party{library.table};
  library.on_create = [](dlcert_tensor**, dlcert_error*) { return DLCERT_REFUSED; };
  EXPECT_FALSE(party.create(scalar, four_bytes).ok());
  library.on_create = [](dlcert_tensor**, dlcert_error*) { return DLCERT_NOT_FORMABLE; };
  EXPECT_THROW(party.create(scalar, four_bytes), NotFormable);
}

TEST(Party, ALibraryShortOfMemoryIsNotCompared) {
  const Remembered remembered;
  Scripted library;
  const Party party{library.table};
  EXPECT_TRUE(party.create(scalar, four_bytes).ok());
  library.on_create = [](dlcert_tensor**, dlcert_error*) { return DLCERT_NOT_FORMABLE; };
  party.fail_allocation(0);
  EXPECT_THROW(party.create(scalar, four_bytes), NotFormable);
  party.fail_allocation(-1);
  EXPECT_THROW(party.create(scalar, four_bytes), Failure);
}

TEST(Party, AnotherRequestIsAnotherCall) {
  const Scripted library;
  const Party party{library.table};
  const auto key = [&](const dlcert_request& asked) {
    return CallKey{party, "export_managed"}.with(asked).value();
  };
  dlcert_request on_stream = request();
  on_stream.stream = integer(1);
  EXPECT_EQ(key(request()), key(request()));
  EXPECT_NE(key(request()), key(request_version(1, 0)));
  EXPECT_NE(key(request()), key(on_stream));
  EXPECT_EQ((CallKey{party, "alias"}.with(Tensor{})).value(), 0u) << "nobody knows how it was made";
}

TEST(Party, EveryByteOfATensorIsPartOfTheCall) {
  const Scripted library;
  const Party party{library.table};
  const auto key = [&](const Bytes& bytes) { return CallKey{party, "create"}.with(bytes).value(); };
  std::set<std::uint64_t> keys;
  for (const std::size_t size : {31u, 32u, 64u, 77u}) {
    Bytes bytes(size);
    keys.insert(key(bytes));
    for (std::byte& byte : bytes) {
      byte = std::byte{1};
      keys.insert(key(bytes));
      byte = std::byte{0};
    }
  }
  EXPECT_EQ(keys.size(), 4 + 31u + 32u + 64u + 77u);
  Bytes swapped(64);
  swapped[0] = std::byte{1};
  const std::uint64_t first = key(swapped);
  std::swap(swapped[0], swapped[8]);
  EXPECT_NE(key(swapped), first);
}

TEST(Party, ADescriptionCanAlwaysBeFormed) {
  Scripted library;
  library.tensor.describe = [](void*, dlcert_tensor*, dlcert_description*, dlcert_error*) {
    return dlcert_status{DLCERT_NOT_FORMABLE};
  };
  const Party party{library.table};
  const Tensor tensor = require(party.create(scalar, four_bytes), "create");
  EXPECT_THROW(party.describe(tensor), AdapterFault);
}

}  // namespace
}  // namespace dlcert
