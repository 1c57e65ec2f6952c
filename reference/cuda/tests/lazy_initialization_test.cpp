// SPDX-License-Identifier: Apache-2.0
//
// Source of the rules: torch 2.4, torch/cuda/__init__.py, _lazy_init and _lazy_call.

#include <algorithm>
#include <stdexcept>

#include "runtime_fixture.hpp"

namespace dlcert::cuda {
namespace {

using LazyInitializationTest = RuntimeTest;
using driver::Status;

std::size_t driver_starts(const std::vector<driver::Call>& calls) {
  return static_cast<std::size_t>(std::count_if(calls.begin(), calls.end(), [](const auto& call) {
    return call.function == "device_count";
  }));
}

TEST_F(LazyInitializationTest, LoadingCallsNoDriver) {
  driver_.start_trace();
  make({});
  EXPECT_TRUE(driver_.stop_trace().empty());
  EXPECT_FALSE(lazy().initialized());
}

TEST_F(LazyInitializationTest, TheFirstNeedInitializesAndMakesNoContext) {
  EXPECT_EQ(cuda().devices().current(), 0);
  EXPECT_TRUE(lazy().initialized());
  EXPECT_TRUE(driver_.devices_in_use().empty());
}

TEST_F(LazyInitializationTest, RunsQueuedCallsOnceInOrderAndLaterOnesAtOnce) {
  std::string order;
  for (const char mark : {'a', 'b', 'c'})
    lazy().queue([&order, mark] { order += mark; });
  EXPECT_EQ(order, "");
  init();
  EXPECT_EQ(order, "abc");
  lazy().queue([&] { order += 'd'; });
  EXPECT_EQ(order, "abcd");
  init();
  EXPECT_EQ(order, "abcd");
}

TEST_F(LazyInitializationTest, KeepsTheLatestSeedOfEachKindBehindAllOtherCalls) {
  std::string order;
  const auto queue = [&](const char* mark, CallKind kind) {
    lazy().queue([&order, mark] { order += mark; }, std::string("here"), kind);
  };
  queue("1 ", CallKind::seed);
  queue("all2 ", CallKind::seed_all);
  queue("3 ", CallKind::seed);
  queue("call ", CallKind::plain);
  init();
  EXPECT_EQ(order, "call all2 3 ");
}

TEST_F(LazyInitializationTest, IsNotInitializedInsideAQueuedCall) {
  bool inside = true, at_it = false;
  lazy().queue([&] {
    init();  // returns
    inside = lazy().initialized();
    at_it = lazy().initializing();
  });
  init();
  EXPECT_FALSE(inside);
  EXPECT_TRUE(at_it);
  EXPECT_TRUE(lazy().initialized());
  EXPECT_FALSE(lazy().initializing());
}

TEST_F(LazyInitializationTest, ReturnsAtOnceInsideTheStartOfTheDriver) {
  lazy().at_start([this](int) { init(); });
  init();
  EXPECT_TRUE(lazy().initialized());
}

TEST_F(LazyInitializationTest, ACallThatIsQueuedByAQueuedCallRunsBehindTheOthers) {
  std::string order;
  lazy().queue([&] {
    order += 'a';
    lazy().queue([&] { order += 'c'; });
  });
  lazy().queue([&] { order += 'b'; });
  init();
  EXPECT_EQ(order, "abc");
}

TEST_F(LazyInitializationTest, AFailingCallIsToldWithItsMessageItsPlaceAndItsCause) {
  lazy().queue([] { throw std::runtime_error("no such thing"); }, std::string("line 7 of mine"));
  try {
    init();
    FAIL() << "no exception";
  } catch (const DeferredCudaCallError& error) {
    EXPECT_TRUE(says(error.what(), {"no such thing", "line 7 of mine"})) << error.what();
    EXPECT_THROW(std::rethrow_exception(error.cause()), std::runtime_error);
  }
}

TEST_F(LazyInitializationTest, NamesTheCallerOfQueueUnlessToldOtherwise) {
  lazy().queue([] { throw std::runtime_error("broken"); });
  const std::string text = error_of<DeferredCudaCallError>([&] { init(); });
  EXPECT_TRUE(says(text, {"lazy_initialization_test.cpp:"})) << text;
}

TEST_F(LazyInitializationTest, AfterAFailureTheNextAttemptRunsTheWholeQueueAgain) {
  int before = 0, after = 0, seeds = 0;
  bool fails = true;
  lazy().queue([&] { ++before; });
  lazy().queue([&] {
    if (fails) throw std::runtime_error("not yet");
  });
  lazy().queue([&] { ++after; });
  lazy().queue([&] { ++seeds; }, std::string("here"), CallKind::seed);
  EXPECT_THROW(init(), DeferredCudaCallError);
  EXPECT_FALSE(lazy().initialized());
  EXPECT_FALSE(lazy().initializing());
  EXPECT_THROW(init(), DeferredCudaCallError);
  fails = false;
  init();
  EXPECT_TRUE(lazy().initialized());
  EXPECT_EQ(before, 3);
  EXPECT_EQ(after, 1);
  EXPECT_EQ(seeds, 1);
}

TEST_F(LazyInitializationTest, ACallAfterInitializationThrowsItsOwnException) {
  init();
  EXPECT_THROW(lazy().queue([] { throw std::out_of_range("mine"); }), std::out_of_range);
}

TEST_F(LazyInitializationTest, EachIncompleteBuildHasAMessageOfItsOwn) {
  make({.gpu = false});
  const std::string no_gpu = error_of<AssertionError>([&] { init(); });
  make({.runtime_bindings = false});
  const std::string no_bindings = error_of<AssertionError>([&] { init(); });
  EXPECT_TRUE(says(no_gpu, {"not compiled"})) << no_gpu;
  EXPECT_TRUE(says(no_bindings, {"cudart"})) << no_bindings;
}

TEST_F(LazyInitializationTest, SetsModuleLoadingUnlessTheUserHas) {
  ::unsetenv("CUDA_MODULE_LOADING");
  init();
  EXPECT_STREQ(std::getenv("CUDA_MODULE_LOADING"), "LAZY");
  ::setenv("CUDA_MODULE_LOADING", "EAGER", 1);
  make({});
  init();
  EXPECT_STREQ(std::getenv("CUDA_MODULE_LOADING"), "EAGER");
  ::unsetenv("CUDA_MODULE_LOADING");
}

TEST_F(LazyInitializationTest, WhatKeepsTheDriverFromStartingIsToldApart) {
  const auto text_of = [&](Status error, int driver_version = 0) {
    restart({.start_error = error, .driver_version = driver_version});
    make({});
    return error_of<RuntimeError>([&] { init(); });
  };
  EXPECT_TRUE(says(text_of(Status::no_device), {"No CUDA GPUs are available"}));
  EXPECT_TRUE(says(text_of(Status::insufficient_driver), {"Found no NVIDIA driver"}));
  EXPECT_TRUE(says(text_of(Status::insufficient_driver, 11040), {"too old", "11040"}));
  EXPECT_TRUE(says(text_of(Status::not_initialized), {"fork", "spawn", "(3)"}));
  EXPECT_TRUE(says(text_of(Status::unknown), {"cannot start", "(999)"}));
}

TEST_F(LazyInitializationTest, TriesAgainOnceTheDriverStarts) {
  restart({.start_error = Status::no_device});
  EXPECT_THROW(init(), RuntimeError);
  restart({});
  init();
  EXPECT_TRUE(lazy().initialized());
}

TEST_F(LazyInitializationTest, StartsTheDriverOnce) {
  driver_.start_trace();
  init();
  const std::size_t starts = driver_starts(driver_.stop_trace());
  EXPECT_GE(starts, 1U);
  driver_.start_trace();
  init();
  EXPECT_TRUE(driver_.stop_trace().empty());
}

TEST_F(LazyInitializationTest, BuiltInCallsRunAheadOfUserCallsAndOnlyOnce) {
  restart({.devices = 1, .models = {{"Old", 3, 0}}});
  make({.architecture_flags = "sm_50"});
  EXPECT_TRUE(take_warnings().empty());
  EXPECT_TRUE(cuda().kernels().registered().empty());
  std::vector<std::string> before;
  std::size_t registered = 0;
  lazy().queue([&] {
    before = take_warnings();
    registered = cuda().kernels().registered().size();
  });
  init();
  ASSERT_EQ(before.size(), 2U);
  EXPECT_TRUE(says(before[0], {"GPU0", "Old", "3.0", "5.0"})) << before[0];
  EXPECT_TRUE(says(before[1], {"GPU0", "Old", "sm_30", "sm_50"})) << before[1];
  EXPECT_EQ(registered, 2U);
  init();
  EXPECT_TRUE(take_warnings().empty());
}

TEST_F(LazyInitializationTest, InstancesAreInitializedEachForItself) {
  OwnParts parts;
  Cuda other(
      {}, [](const std::string&) {}, parts);
  init();
  EXPECT_FALSE(other.initialization().initialized());
}

}  // namespace
}  // namespace dlcert::cuda
