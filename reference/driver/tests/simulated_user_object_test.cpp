// SPDX-License-Identifier: Apache-2.0
//
// User objects. Source: CUDA Runtime API, cudaUserObjectCreate and cudaGraphRetainUserObject.

#include <climits>
#include <condition_variable>
#include <mutex>

#include "simulated_fixture.hpp"

namespace dlcert::driver {
namespace {

// Its destructor is called on another thread, at some time.
class Ended {
 public:
  static void end(void* self) {
    auto& ended = *static_cast<Ended*>(self);
    Stream out{};
    const std::lock_guard lock{ended.mutex_};
    ended.answer_ = simulated_driver().create_stream(StreamKind::blocking, 0, out);
    ++ended.calls_;
    ended.changed_.notify_all();
  }
  void wait() {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [&] { return calls_ > 0; });
  }
  int calls() {
    const std::lock_guard lock{mutex_};
    return calls_;
  }
  Status answer() {
    const std::lock_guard lock{mutex_};
    return answer_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int calls_ = 0;
  Status answer_ = Status::success;
};

class UserObjects : public Simulated {
 protected:
  // The thread of the driver must not call what is gone.
  ~UserObjects() override { driver_.restart({}); }

  UserObject object(std::uint64_t count = 1) {
    UserObject made{};
    ok(driver_.create_user_object(Ended::end, &ended_, count, made));
    return made;
  }
  Graph graph() {
    Graph made{};
    ok(driver_.begin_capture(s_, CaptureMode::relaxed));
    ok(driver_.end_capture(s_, made));
    return made;
  }

  Stream s_ = stream();
  Ended ended_;
};

TEST_F(UserObjects, TheLastReferenceEndsTheObject) {
  const UserObject made = object(2);
  ok(driver_.retain_user_object(made, 1));
  ok(driver_.release_user_object(made, 2));
  EXPECT_EQ(ended_.calls(), 0);
  ok(driver_.release_user_object(made, 1));
  ended_.wait();
  EXPECT_EQ(ended_.calls(), 1);
  EXPECT_EQ(ended_.answer(), Status::not_permitted) << "a destructor may not call the driver";
  EXPECT_EQ(driver_.retain_user_object(made, 1), Status::invalid_value);
}

TEST_F(UserObjects, AGraphHoldsAnObjectUntilItIsDestroyed) {
  const UserObject made = object();
  const Graph holder = graph();
  ok(driver_.retain_in_graph(holder, made, 1, true));
  EXPECT_EQ(driver_.release_user_object(made, 1), Status::invalid_value) << "the reference moved";
  EXPECT_EQ(ended_.calls(), 0);
  ok(driver_.destroy_graph(holder));
  ended_.wait();
}

TEST_F(UserObjects, AGraphMayLetGo) {
  const UserObject made = object();
  const Graph holder = graph();
  ok(driver_.retain_in_graph(holder, made, 2, false));
  ok(driver_.release_user_object(made, 1));
  ok(driver_.release_in_graph(holder, made, 1));
  EXPECT_EQ(driver_.release_in_graph(holder, made, 2), Status::invalid_value);
  EXPECT_EQ(ended_.calls(), 0);
  ok(driver_.release_in_graph(holder, made, 1));
  ended_.wait();
}

TEST_F(UserObjects, AGraphThatIsStillCapturedHoldsObjects) {
  const UserObject made = object();
  ok(driver_.begin_capture(s_, CaptureMode::relaxed));
  CaptureInfo info;
  ok(driver_.capture_info(s_, info));
  ok(driver_.retain_in_graph(info.graph, made, 1, true));
  EXPECT_EQ(driver_.query_stream(s_), Status::capture_unsupported);
  Graph out{};
  EXPECT_EQ(driver_.end_capture(s_, out), Status::capture_invalidated);
  ended_.wait();
}

TEST_F(UserObjects, AnExecutableHoldsWhatItsGraphHeldUntilItsLaunchIsOver) {
  const Graph holder = graph();
  ok(driver_.retain_in_graph(holder, object(), 1, true));
  GraphExec executable{};
  ok(driver_.instantiate(holder, executable));
  ok(driver_.destroy_graph(holder));
  ok(driver_.launch_graph(executable, s_));
  ok(driver_.destroy_graph_exec(executable));
  // Destructors are called in turn.
  Ended next;
  UserObject later{};
  ok(driver_.create_user_object(Ended::end, &next, 1, later));
  ok(driver_.release_user_object(later, 1));
  next.wait();
  EXPECT_EQ(ended_.calls(), 0);
  ok(driver_.synchronize_stream(s_));
  ended_.wait();
}

TEST_F(UserObjects, ACaptureOfADefaultStreamEndsWithTheWorld) {
  ok(driver_.begin_capture(Stream::per_thread, CaptureMode::relaxed));
  CaptureInfo info;
  ok(driver_.capture_info(Stream::per_thread, info));
  ok(driver_.retain_in_graph(info.graph, object(), 1, true));
  restart({});
  EXPECT_LE(ended_.calls(), 1);
}

TEST_F(UserObjects, CountsAreFromOne) {
  const UserObject made = object();
  UserObject out{};
  EXPECT_EQ(driver_.create_user_object(nullptr, nullptr, 1, out), Status::invalid_value);
  for (const std::uint64_t count : {std::uint64_t{0}, std::uint64_t{INT_MAX} + 1}) {
    EXPECT_EQ(driver_.create_user_object(Ended::end, &ended_, count, out), Status::invalid_value);
    EXPECT_EQ(driver_.retain_user_object(made, count), Status::invalid_value);
    EXPECT_EQ(driver_.release_user_object(made, count), Status::invalid_value);
    EXPECT_EQ(driver_.retain_in_graph(graph(), made, count, false), Status::invalid_value);
  }
  EXPECT_EQ(driver_.retain_in_graph(Graph{7}, made, 1, false), Status::invalid_value);
  EXPECT_EQ(driver_.release_in_graph(graph(), made, 1), Status::invalid_value);
}

}  // namespace
}  // namespace dlcert::driver
