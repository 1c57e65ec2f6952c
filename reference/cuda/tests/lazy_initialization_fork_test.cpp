// SPDX-License-Identifier: Apache-2.0
//
// Forked children. Source: torch 2.4, _lazy_init and _is_in_bad_fork; PyTorch's poison_fork.

#include <atomic>
#include <thread>

#include "runtime_fixture.hpp"

namespace dlcert::cuda {
namespace {

class ForkTest : public RuntimeTest {
 protected:
  ForkTest() { restart({.devices = 2, .ends_at_fork = true}); }

  /// Whether initialization refuses the calling process as a forked one.
  bool is_refused() {
    try {
      init();
    } catch (const RuntimeError& error) {
      return says(error.what(), {"fork", "spawn"}) &&
             dynamic_cast<const CudaError*>(&error) == nullptr;
    }
    return false;
  }
};

TEST_F(ForkTest, AChildOfAnInitializedProcessIsRefused) {
  init();
  EXPECT_TRUE(child_agrees([&] {
    return lazy().is_in_bad_fork() && !lazy().initialized() && is_refused() && is_refused() &&
           !lazy().initialized();
  }));
  EXPECT_FALSE(lazy().is_in_bad_fork());
  EXPECT_TRUE(lazy().initialized()) << "in the parent";
}

TEST_F(ForkTest, AGrandchildIsRefusedToo) {
  init();
  EXPECT_TRUE(child_agrees([&] { return child_agrees([&] { return is_refused(); }); }));
}

TEST_F(ForkTest, AForkAheadOfTheFirstUseIsHarmless) {
  int ran = 0;
  lazy().queue([&] { ++ran; });
  EXPECT_TRUE(child_agrees([&] {
    init();
    return lazy().initialized() && !lazy().is_in_bad_fork() && ran == 1;
  }));
  EXPECT_EQ(ran, 0);
  init();
  EXPECT_EQ(ran, 1);
}

TEST_F(ForkTest, AskingTheRuntimeForItsCountMarksChildren) {
  EXPECT_TRUE(cuda().enumeration().is_available());
  EXPECT_TRUE(child_agrees([&] { return lazy().is_in_bad_fork() && is_refused(); }));
}

TEST_F(ForkTest, AUseBehindTheLibrarysBackIsNamedAsAFork) {
  int count = 0;
  ASSERT_EQ(driver_.device_count(count), driver::Status::success);
  EXPECT_TRUE(child_agrees([&] { return is_refused(); }));
}

TEST_F(ForkTest, ABadForkIsToldAheadOfAnIncompleteBuild) {
  make({.gpu = false});
  lazy().before_runtime_call();
  EXPECT_TRUE(child_agrees([&] { return is_refused(); }));
}

TEST_F(ForkTest, AFailedStartMarksChildrenAsWell) {
  restart({.start_error = driver::Status::no_device, .ends_at_fork = true});
  EXPECT_THROW(init(), RuntimeError);
  EXPECT_TRUE(child_agrees([&] { return is_refused(); }));
}

TEST_F(ForkTest, AForkInsideAQueuedCallIsRefusedInTheChild) {
  bool refused = false;
  lazy().queue([&] { refused = child_agrees([&] { return is_refused(); }); });
  init();
  EXPECT_TRUE(refused);
}

TEST_F(ForkTest, EveryPublicFunctionIsRefusedInTheChild) {
  init();
  EXPECT_TRUE(child_agrees([&] {
    return throws<RuntimeError>([&] { static_cast<void>(cuda().devices().current()); }) &&
           throws<RuntimeError>([&] { static_cast<void>(cuda().streams().current({})); }) &&
           throws<RuntimeError>([&] { cuda().work().synchronize({}); }) &&
           throws<RuntimeError>([&] { static_cast<void>(cuda().properties().of(0)); }) &&
           throws<RuntimeError>([&] { static_cast<void>(cuda().generators().offset(0)); }) &&
           cuda().generators().defaults().empty();
  }));
}

// ---- locks --------------------------------------------------------------------------------------

TEST_F(ForkTest, AForkWhileAnotherThreadInitializesDoesNotHangTheChild) {
  std::atomic<bool> inside = false, leave = false;
  lazy().queue([&] {
    inside = true;
    while (!leave)
      std::this_thread::yield();
  });
  std::thread first{[&] { init(); }};
  while (!inside)
    std::this_thread::yield();
  EXPECT_TRUE(child_agrees([&] {
    ::alarm(20);
    return is_refused() && !lazy().initializing();
  }));
  leave = true;
  first.join();
  EXPECT_TRUE(lazy().initialized());
}

TEST_F(ForkTest, ForksWhileOtherThreadsQueueLeaveAWholeQueue) {
  std::atomic<bool> ended = false;
  std::atomic<int> ran = 0;
  std::thread queuer{[&] {
    for (int i = 0; i < 20000 && !ended; ++i)
      lazy().queue([&] { ++ran; }, std::string("loop"));
    while (!ended)
      std::this_thread::yield();
  }};
  for (int i = 0; i < 20; ++i)
    EXPECT_TRUE(child_agrees([&] {
      ::alarm(20);
      init();
      return lazy().initialized();
    }));
  ended = true;
  queuer.join();
}

TEST_F(ForkTest, ManyInstancesLeaveNoHandlersBehind) {
  OwnParts parts;
  for (int i = 0; i < 1000; ++i)
    Cuda(
        {}, [](const std::string&) {}, parts)
        .initialization()
        .before_runtime_call();
  EXPECT_TRUE(child_agrees([&] {
    init();
    return lazy().initialized();
  }));
}

}  // namespace
}  // namespace dlcert::cuda
