// SPDX-License-Identifier: Apache-2.0
//
// Contexts, and the stack of them that each thread has. Source: CUDA Driver API, "Context
// Management" and "Primary Context Management"; CUDA Runtime API, "Interactions with the CUDA
// Driver API".

#include <thread>

#include "simulated_fixture.hpp"

namespace dlcert::driver {
namespace {

class SimulatedContexts : public Simulated {
 protected:
  Context current() {
    Context found{};
    ok(driver_.current_context(found));
    return found;
  }
  Context primary(int device) {
    Context found{};
    ok(driver_.retain_primary(device, found));
    return found;
  }
};

TEST_F(SimulatedContexts, AFirstCallMakesThePrimaryContextCurrent) {
  EXPECT_EQ(current(), Context::none);
  buffer();
  EXPECT_EQ(current(), primary(0));
}

TEST_F(SimulatedContexts, QuestionsMakeNone) {
  int count = 0;
  ok(driver_.device_count(count));
  EXPECT_EQ(current(), Context::none);
  EXPECT_TRUE(driver_.devices_in_use().empty());
}

TEST_F(SimulatedContexts, ADeviceThatIsSetReplacesTheTop) {
  set_device(0);
  ok(driver_.push_context(primary(0)));
  set_device(1);
  EXPECT_EQ(current(), primary(1));
  Context popped{};
  ok(driver_.pop_context(popped));
  EXPECT_EQ(current(), primary(0));
  int device = -1;
  ok(driver_.current_device(device));
  EXPECT_EQ(device, 0);
}

TEST_F(SimulatedContexts, EachThreadHasAStack) {
  set_device(1);
  std::thread{[&] {
    EXPECT_EQ(current(), Context::none);
    int device = -1;
    ok(driver_.current_device(device));
    EXPECT_EQ(device, 0);
  }}.join();
}

TEST_F(SimulatedContexts, TheLastReferenceEndsTheContextThatNoRuntimeUses) {
  const Context context = primary(1);
  ok(driver_.set_current_context(context));
  buffer();
  EXPECT_EQ(driver_.living().allocations, 1u);
  ok(driver_.release_primary(1));
  EXPECT_EQ(driver_.living().allocations, 0u);
  ContextDetails details;
  EXPECT_EQ(driver_.context_details(context, details), Status::context_is_destroyed);
  EXPECT_EQ(driver_.release_primary(1), Status::invalid_context);
}

TEST_F(SimulatedContexts, TheRuntimeKeepsTheContextThatItUses) {
  set_device(1);
  buffer();
  primary(1);
  ok(driver_.release_primary(1));
  EXPECT_EQ(driver_.living().allocations, 1u);
}

TEST_F(SimulatedContexts, ACreatedContextIsPushedAndDestroyed) {
  Context made{};
  ok(driver_.create_context(1, 3, made));
  EXPECT_EQ(current(), made);
  ContextDetails details;
  ok(driver_.context_details(made, details));
  EXPECT_EQ(details.device, 1);
  EXPECT_EQ(details.flags, 3u);
  EXPECT_FALSE(details.primary);
  ok(driver_.destroy_context(made));
  EXPECT_EQ(current(), Context::none);
  EXPECT_EQ(driver_.destroy_context(primary(0)), Status::invalid_context);
}

TEST_F(SimulatedContexts, WorkInAContextThatIsGoneIsRefused) {
  Context made{};
  ok(driver_.create_context(0, 0, made));
  std::thread{[&] { ok(driver_.destroy_context(made)); }}.join();
  void* memory = nullptr;
  EXPECT_EQ(driver_.allocate(MemoryKind::device, 16, memory), Status::context_is_destroyed);
}

TEST_F(SimulatedContexts, ARestartEndsAll) {
  set_device(1);
  driver_.restart({});
  EXPECT_FALSE(driver_.was_called());
  EXPECT_EQ(current(), Context::none);
}

}  // namespace
}  // namespace dlcert::driver
