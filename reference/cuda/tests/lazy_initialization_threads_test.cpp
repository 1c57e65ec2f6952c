// SPDX-License-Identifier: Apache-2.0
//
// Initialization by many threads. Source: torch 2.4, _lazy_init and _lazy_call.

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <random>
#include <thread>

#include "runtime_fixture.hpp"

namespace dlcert::cuda {
namespace {

class ThreadsTest : public RuntimeTest {
 protected:
  /// Runs `body(number)` on so many threads at once. None ends while another one may fork, which
  /// TSan takes for a thread that the child forgot.
  static void together(int threads, const std::function<void(int)>& body) {
    std::atomic<int> waiting = threads, running_bodies = threads;
    std::vector<std::thread> running;
    running.reserve(static_cast<std::size_t>(threads));
    for (int number = 0; number < threads; ++number)
      running.emplace_back([&, number] {
        --waiting;
        while (waiting > 0)
          std::this_thread::yield();
        body(number);
        --running_bodies;
        while (running_bodies > 0)
          std::this_thread::yield();
      });
    for (std::thread& each : running)
      each.join();
  }
};

TEST_F(ThreadsTest, SixteenThreadsStartTheDriverAndRunEachCallOnce) {
  std::atomic<int> starts = 0;
  std::vector<int> ran(50);
  lazy().at_start([&](int) { ++starts; });
  for (int& each : ran)
    lazy().queue([&each] { ++each; });
  std::atomic<int> initialized = 0;
  together(16, [&](int) {
    init();
    if (lazy().initialized()) ++initialized;
  });
  EXPECT_EQ(starts, 1);
  EXPECT_EQ(ran, std::vector<int>(50, 1));
  EXPECT_EQ(initialized, 16);
}

TEST_F(ThreadsTest, AnotherThreadWaitsUntilTheEnd) {
  std::atomic<bool> inside = false, leave = false, returned = false;
  lazy().queue([&] {
    inside = true;
    while (!leave)
      std::this_thread::yield();
  });
  std::thread first{[&] { init(); }};
  while (!inside)
    std::this_thread::yield();
  std::thread second{[&] {
    init();
    returned = true;
  }};
  std::this_thread::sleep_for(std::chrono::milliseconds{20});
  EXPECT_FALSE(returned);
  leave = true;
  first.join();
  second.join();
  EXPECT_TRUE(returned);
}

// The call comes when all that were queued before have been taken.
TEST_F(ThreadsTest, ACallThatIsQueuedDuringTheLastOneIsNotLost) {
  for (const CallKind kind : {CallKind::plain, CallKind::seed, CallKind::seed_all}) {
    make({});
    int ran = 0;
    lazy().queue(
        [&] {
          std::thread{[&] { lazy().queue([&] { ++ran; }, std::string("late"), kind); }}.join();
          EXPECT_EQ(ran, 0);
        },
        std::string("last"), CallKind::seed);
    init();
    EXPECT_EQ(ran, 1);
  }
}

TEST_F(ThreadsTest, ThreadsMayFailAndTryAgain) {
  std::atomic<int> left = 8;
  std::atomic<int> failed = 0;
  lazy().queue([&] {
    if (left-- > 0) throw std::runtime_error("not yet");
  });
  together(16, [&](int) {
    try {
      init();
    } catch (const DeferredCudaCallError&) {
      ++failed;
    }
  });
  EXPECT_EQ(failed, 8);
  EXPECT_TRUE(lazy().initialized());
}

// ---- seeded interleavings -----------------------------------------------------------------------

/// What threads do in an order that a seed decides, and what has come of it.
class Interleaving {
 public:
  Interleaving(Cuda& cuda, unsigned seed) : cuda_{cuda}, seed_{seed} {}

  void act(int thread) {
    std::mt19937 random(seed_ * 16 + static_cast<unsigned>(thread));
    for (int step = 0; step < 6; ++step) {
      for (unsigned pause = random() % 4; pause > 0; --pause)
        std::this_thread::yield();
      switch (random() % 10) {
        case 0:
        case 1:
          cuda_.initialization().initialize();
          break;
        case 2:
          queue([this] { cuda_.initialization().initialize(); }, CallKind::plain);
          break;
        case 3:
        case 4:
          queue([] {}, CallKind::seed);
          break;
        case 5:
          queue([] {}, CallKind::seed_all);
          break;
        case 6:
          if (random() % 4 == 0) fork();
          break;
        case 7:
          queue([this] { queue([] {}, CallKind::plain); }, CallKind::plain);
          break;
        default:
          queue([] {}, CallKind::plain);
      }
    }
  }

  /// After initialization, all threads having ended.
  void judge() const {
    EXPECT_TRUE(forks_agree_);
    for (const Counted& each : calls_) {
      if (each.kind == CallKind::plain)
        EXPECT_EQ(each.ran, 1);
      else
        EXPECT_LE(each.ran, 1);
    }
    for (const CallKind kind : {CallKind::seed, CallKind::seed_all})
      judge_latest(kind);
  }

 private:
  struct Counted {
    CallKind kind;
    std::atomic<int> ran{0};
    explicit Counted(CallKind of) : kind{of} {}
  };

  void queue(std::function<void()> inner, CallKind kind) {
    // Adding and queueing in one, so that the latest in the list is the latest in the queue.
    const std::unique_lock lock = kind == CallKind::plain ? std::unique_lock<std::recursive_mutex>{}
                                                          : std::unique_lock{seeding_};
    Counted& counted = add(kind);
    cuda_.initialization().queue(
        [&counted, inner = std::move(inner)] {
          ++counted.ran;
          inner();
        },
        std::string("interleaving"), kind);
  }

  Counted& add(CallKind kind) {
    const std::scoped_lock lock(mutex_);
    return calls_.emplace_back(kind);
  }

  // A child of before the first use can initialize, others are refused; none hangs.
  void fork() {
    if (!child_agrees([&] {
          ::alarm(60);
          const bool bad = cuda_.initialization().is_in_bad_fork();
          if (!bad) return true;
          return throws<RuntimeError>([&] { cuda_.initialization().initialize(); });
        }))
      forks_agree_ = false;
  }

  void judge_latest(CallKind kind) const {
    for (auto each = calls_.rbegin(); each != calls_.rend(); ++each)
      if (each->kind == kind) {
        EXPECT_EQ(each->ran, 1) << "the latest seed of a kind";
        return;
      }
  }

  Cuda& cuda_;
  unsigned seed_;
  std::recursive_mutex seeding_;
  std::mutex mutex_;
  std::deque<Counted> calls_;
  std::atomic<bool> forks_agree_{true};
};

TEST_F(ThreadsTest, ManySeededInterleavingsLoseNoCall) {
  for (unsigned seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    make({});
    Interleaving interleaving(cuda(), seed);
    together(4, [&](int thread) { interleaving.act(thread); });
    init();
    interleaving.judge();
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace dlcert::cuda
