// SPDX-License-Identifier: Apache-2.0
//
// Many threads at once. ThreadSanitizer looks at the driver's own state here; that nobody is
// accused wrongly is asserted.

#include <atomic>
#include <barrier>
#include <random>
#include <thread>

#include "simulated_fixture.hpp"

namespace dlcert::driver {
namespace {

constexpr int thread_count = 8;

// Each thread hands its buffer to the next one by an event, under its own mutex.
TEST_F(Simulated, ThreadsHandBuffersToEachOther) {
  for (const Schedule schedule : {Schedule::eager, Schedule::late, Schedule::seeded}) {
    restart({.schedule = schedule});
    std::byte* const data = buffer();
    const Event handed = event();
    std::mutex turn;
    std::vector<std::thread> threads;
    threads.reserve(thread_count);
    for (int i = 0; i < thread_count; ++i)
      threads.emplace_back([&] {
        const Stream own = stream();
        for (int round = 0; round < 50; ++round) {
          const std::scoped_lock lock{turn};
          wait(own, handed);
          write(own, data, round);
          record(handed, own);
        }
      });
    for (std::thread& thread : threads)
      thread.join();
    ok(driver_.synchronize_event(handed));
    EXPECT_EQ(visible(data), 49);
    EXPECT_EQ(races(), 0u);
  }
}

TEST_F(Simulated, ThreadsWorkAtOnce) {
  restart({.schedule = Schedule::seeded});
  std::atomic<int> functions{0};
  std::barrier start{thread_count};
  std::vector<std::thread> threads;
  threads.reserve(thread_count);
  for (int i = 0; i < thread_count; ++i)
    threads.emplace_back([&, i] {
      start.arrive_and_wait();
      std::mt19937 random{static_cast<unsigned>(i)};
      std::byte* const own = buffer();
      for (int round = 0; round < 100; ++round) {
        const Stream s =
            stream(random() % 2 == 0 ? StreamKind::blocking : StreamKind::non_blocking);
        write(s, own, i);
        ok(driver_.launch_host_function(
            s, [](void* count) { ++*static_cast<std::atomic<int>*>(count); }, &functions));
        if (random() % 2 == 0) ok(driver_.fill_async(own, 1, size, Stream::per_thread));
        while (driver_.query_stream(s) == Status::not_ready)
          std::this_thread::yield();
        ok(driver_.synchronize_stream(Stream::per_thread));
        ok(driver_.destroy_stream(s));
      }
      ok(driver_.release(MemoryKind::device, own));
    });
  for (std::thread& thread : threads)
    thread.join();
  ok(driver_.synchronize_device());
  EXPECT_EQ(functions, thread_count * 100);
  EXPECT_EQ(driver_.pending(), 0u);
}

}  // namespace
}  // namespace dlcert::driver
