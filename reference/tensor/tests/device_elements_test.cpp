// SPDX-License-Identifier: Apache-2.0
//
// Elements on devices and in memory that devices share: whatever is done to them gives what the
// same gives on the CPU.

#include <gtest/gtest.h>

#include <cstring>
#include <new>
#include <random>

#include "dlcert/tensor/tensor.hpp"

#include "device_fixture.hpp"

namespace dlcert::reference {
namespace {

struct View {
  const char* name;
  Dtype dtype;
  Dims shape;
  Tensor (*of)(const Tensor&);
};

Tensor all_of(const Tensor& base) {
  return base;
}

Tensor transpose(const Tensor& tensor) {
  const std::array<std::size_t, 2> order{1, 0};
  return tensor.transposed(order);
}

std::vector<View> views() {
  const Dtype narrow = Dtype::described(kDLUInt, 4);
  const Dtype odd = Dtype::described(kDLFloat6_e3m2fn, 6);
  const Dtype padded = Dtype::described(kDLInt, 4, 1, Packing::padded);
  return {
      {"row-major", int16(), {3, 4}, &all_of},
      {"rows", int16(), {4, 3}, [](const Tensor& t) { return t.sliced(0, 1, 2); }},
      {"interior",
       int16(),
       {4, 5},
       [](const Tensor& t) { return t.sliced(0, 1, 2).sliced(1, 1, 3); }},
      {"every second", int16(), {3, 7}, [](const Tensor& t) { return t.sliced(1, 0, 4, 2); }},
      {"backwards", int16(), {3, 4}, [](const Tensor& t) { return t.sliced(1, 3, 4, -1); }},
      {"rows backwards", int16(), {3, 4}, [](const Tensor& t) { return t.sliced(0, 2, 2, -2); }},
      {"transposed", float32(), {3, 4}, &transpose},
      {"repeated rows",
       int16(),
       {1, 4},
       [](const Tensor& t) {
         return t.broadcast_to({3, 4});
       }},
      {"one element repeated", int16(), {1}, [](const Tensor& t) { return t.broadcast_to({5}); }},
      {"scalar", int16(), {}, &all_of},
      {"element of many", int16(), {4}, [](const Tensor& t) { return t.sliced(0, 2, 1); }},
      {"empty", int16(), {3, 0}, &all_of},
      {"empty slice", int16(), {3, 2}, [](const Tensor& t) { return t.sliced(0, 1, 0); }},
      {"field", Dtype::record(5), {3}, [](const Tensor& t) { return t.field(1, int16()); }},
      {"packed", narrow, {3, 5}, &all_of},
      {"packed, within a byte", narrow, {7}, [](const Tensor& t) { return t.sliced(0, 1, 5); }},
      {"packed, backwards", narrow, {7}, [](const Tensor& t) { return t.sliced(0, 6, 7, -1); }},
      {"packed, transposed", odd, {3, 5}, &transpose},
      {"padded", padded, {3, 4}, [](const Tensor& t) { return t.sliced(1, 1, 2); }},
  };
}

/// Host memory that the driver copies from and to when the copy runs, and that somebody else has
/// overwritten as soon as it is given back.
class PinnedHostMemory final : public HostMemory {
 public:
  void* allocate(std::size_t bytes, std::size_t) override {
    void* made = nullptr;
    if (driver::simulated_driver().allocate(MemoryKind::pinned, bytes, made) != Status::success)
      throw std::bad_alloc();
    ++blocks_;
    return made;
  }
  void deallocate(void* block, std::size_t bytes, std::size_t) noexcept override {
    std::memset(block, 0xee, bytes);
    --blocks_;
  }
  [[nodiscard]] LiveAllocations live() const override { return {.blocks = blocks_}; }

 private:
  std::int64_t blocks_ = 0;
};

class DeviceElementsTest : public OnDevices {
 protected:
  Bytes noise(const Tensor& tensor) {
    Bytes bytes(static_cast<std::size_t>(tensor.logical_bytes()));
    std::ranges::generate(bytes, [&] { return static_cast<std::uint8_t>(random_()); });
    return bytes;
  }
  void write_noise(const Tensor& first, const Tensor& second) {
    const Bytes bytes = noise(first);
    write(first, bytes);
    write(second, bytes);
  }

  /// Does everything to a view of a tensor there and of one on the CPU.
  template <class ViewOf>
  void compare(DLDevice there, Dtype dtype, const Dims& shape, ViewOf view_of) {
    const Tensor base = Tensor::zeros(dtype, shape, there);
    const Tensor expected_base = Tensor::zeros(dtype, shape);
    EXPECT_EQ(logical(base), logical(expected_base)) << "zeros";
    write_noise(base, expected_base);
    const Tensor view = view_of(base);
    const Tensor expected = view_of(expected_base);
    EXPECT_EQ(logical(view), logical(expected)) << "read";

    const Tensor copy = view.copy();
    EXPECT_TRUE(same_device(copy.device(), there));
    EXPECT_TRUE(copy.is_row_major());
    EXPECT_EQ(copy.shape(), view.shape());
    EXPECT_EQ(logical(copy), logical(expected)) << "copy";

    const Tensor on_host = view.copy_to_host();
    EXPECT_TRUE(same_device(on_host.device(), cpu_device));
    EXPECT_TRUE(on_host.is_row_major());
    EXPECT_EQ(logical(on_host), logical(expected)) << "copy_to_host";

    write_noise(view, expected);
    EXPECT_EQ(logical(base), logical(expected_base)) << "write";
    EXPECT_EQ(logical(copy), logical(on_host)) << "the copies are independent";
  }

  template <class ViewOf>
  void compare_everywhere(Dtype dtype, const Dims& shape, ViewOf view_of) {
    for (const DLDevice there : memories()) {
      SCOPED_TRACE(to_string(there));
      compare(there, dtype, shape, view_of);
    }
  }

  /// Some view of a tensor of rank 3.
  static Tensor some_view(Tensor tensor, std::mt19937_64 random) {
    const auto below = [&](std::int64_t end) {
      return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(end));
    };
    for (std::int64_t left = below(4); left > 0; --left) {
      const auto axis = static_cast<std::size_t>(below(3));
      const std::int64_t extent = tensor.shape()[axis];
      const std::int64_t step = below(2) == 0 ? 1 : -2;
      const std::int64_t count = step == 1 ? below(extent + 1) : (extent + 1) / 2;
      const std::int64_t start = step == 1 ? below(extent - count + 1) : extent - 1;
      tensor = tensor.sliced(axis, count > 0 ? start : 0, count, step);
      std::array<std::size_t, 3> order{0, 1, 2};
      std::ranges::shuffle(order, random);
      tensor = tensor.transposed(order);
      if (tensor.is_empty()) break;
    }
    return tensor;
  }

  std::mt19937_64 random_{42};
};
DLCERT_ON_BOTH_VENDORS(DeviceElementsTest);

TEST_P(DeviceElementsTest, EveryLayoutIsAsOnTheCpuUnderEverySchedule) {
  on_every_schedule([&] {
    for (const View& view : views()) {
      SCOPED_TRACE(view.name);
      compare_everywhere(view.dtype, view.shape, view.of);
    }
  });
}

TEST_P(DeviceElementsTest, EveryLayoutIsAsOnTheCpuOnANonBlockingStream) {
  const StreamGuard here(0, stream(0));
  const StreamGuard there(1, stream(1));
  for (const View& view : views()) {
    SCOPED_TRACE(view.name);
    compare_everywhere(view.dtype, view.shape, view.of);
  }
}

TEST_P(DeviceElementsTest, EveryLayoutIsAsOnTheCpuWhenHostMemoryIsPinned) {
  PinnedHostMemory pinned_memory;
  HostMemory& before = set_host_memory(pinned_memory);
  for (const View& view : views()) {
    SCOPED_TRACE(view.name);
    compare_everywhere(view.dtype, view.shape, view.of);
  }
  set_host_memory(before);
  EXPECT_EQ(pinned_memory.live(), LiveAllocations{});
}

TEST_P(DeviceElementsTest, RandomViewsAreAsOnTheCpu) {
  const std::array dtypes{int16(), float32(), Dtype::described(kDLUInt, 4)};
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE(round);
    const std::mt19937_64 choices(random_());
    compare_everywhere(dtypes[static_cast<std::size_t>(round) % dtypes.size()], {3, 4, 5},
                       [&](const Tensor& base) { return some_view(base, choices); });
  }
}

TEST_P(DeviceElementsTest, MemoryIsAlignedAndOfItsKind) {
  for (const DLDevice there : memories()) {
    const Tensor tensor = Tensor::zeros(int16(), {3}, there);
    const std::byte* const first = tensor.first_element();
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first) % data_alignment, 0U);
    driver::PointerAttributes found;
    ok(driver_.attributes(first, found));
    EXPECT_EQ(found.kind, memory_kind(there));
    EXPECT_EQ(found.device, has_streams(there) ? there.device_id : 0);
  }
}

TEST_P(DeviceElementsTest, TheHostTouchesPinnedMemoryItself) {
  const Tensor tensor = Tensor::zeros(uint8(), {size}, pinned());
  EXPECT_TRUE(tensor.is_on_host());
  EXPECT_FALSE(Tensor::zeros(uint8(), {size}, device()).is_on_host());
  write(tensor, all(7));
  EXPECT_EQ(bytes_at(tensor.first_element()), all(7));
}

TEST_P(DeviceElementsTest, ReadsBehindTheCurrentStream) {
  on_every_schedule([&] {
    const StreamGuard guard(0, stream());
    const Tensor tensor = Tensor::zeros(uint8(), {size}, device());
    fill(current_stream(0), tensor, 7);
    EXPECT_EQ(logical(tensor), all(7));
    fill(current_stream(0), tensor, 8);
    EXPECT_EQ(logical(tensor.copy()), all(8));
    fill(current_stream(0), tensor, 9);
    EXPECT_EQ(logical(tensor.copy_to_host()), all(9));
  });
}

TEST_P(DeviceElementsTest, CopyingWholeBytesDoesNotBlockTheHost) {
  const Tensor tensor = Tensor::zeros(int16(), {4, 5}, device());
  const Tensor view = transpose(tensor.sliced(1, 1, 3));
  std::optional<Tensor> copy;
  EXPECT_FALSE(has_waited(calls_of([&] { copy = tensor.copy(); })));
  std::optional<Tensor> gathered;
  EXPECT_FALSE(has_waited(calls_of([&] { gathered = view.copy(); })));
  EXPECT_GT(driver_.pending(), 0U);
}

TEST_P(DeviceElementsTest, WhatWasWrittenMayBeOverwrittenAtOnce) {
  std::byte* const staging = buffer(MemoryKind::pinned);
  for (const DLDevice there : memories()) {
    SCOPED_TRACE(to_string(there));
    const Tensor tensor = Tensor::zeros(uint8(), {size}, there);
    Bytes in = all(7);
    write(tensor, in);
    in = all(9);
    EXPECT_EQ(logical(tensor), all(7)) << "from pageable memory";

    std::memset(staging, 5, size);
    tensor.write({staging, size});
    std::memset(staging, 9, size);
    EXPECT_EQ(logical(tensor), all(5)) << "from pinned memory";
  }
}

TEST_P(DeviceElementsTest, WhatIsReadIsThereWhereverItIsReadTo) {
  std::byte* const out = buffer(MemoryKind::pinned);
  for (const DLDevice there : memories()) {
    SCOPED_TRACE(to_string(there));
    const Tensor tensor = Tensor::zeros(uint8(), {size}, there);
    write(tensor, all(7));
    std::memset(out, 9, size);
    tensor.read({out, size});
    EXPECT_EQ(bytes_at(out), all(7));
  }
}

TEST_P(DeviceElementsTest, AReadOnAnotherStreamWithoutOrderIsARace) {
  const Stream producer = stream(), consumer = stream();
  const Tensor tensor = [&] {
    const StreamGuard guard(0, producer);
    return Tensor::zeros(uint8(), {size}, device());
  }();
  const StreamGuard guard(0, consumer);
  const Tensor copy = tensor.copy();
  EXPECT_GE(races(), 1U);
  make_wait(0, producer, consumer);
  const Tensor ordered = tensor.copy();
  EXPECT_EQ(races(), 0U);
}

TEST_P(DeviceElementsTest, WorkRunsOnTheTensorsDeviceAndTheCurrentOneStays) {
  const StreamGuard guard(1, stream(1));
  const std::vector<Call> calls = effects_of([&] {
    const Tensor tensor = Tensor::zeros(uint8(), {size}, device(1));
    write(tensor, all(7));
    EXPECT_EQ(logical(tensor.copy()), all(7));
  });
  for (const Call& call : calls) {
    if (call.stream != Stream::null) {
      EXPECT_EQ(call.stream, current_stream(1)) << call.function;
    }
  }
  EXPECT_LT(place_of("copy_async", calls), calls.size());
  EXPECT_EQ(current_device(), 0);
}

}  // namespace
}  // namespace dlcert::reference
