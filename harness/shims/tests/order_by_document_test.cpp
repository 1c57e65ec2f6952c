// SPDX-License-Identifier: Apache-2.0
//
// Every row of CUDA's "API synchronization behavior": what the host knows to be over when a call
// returns. Compiled for either default stream, which is where calls that block do their work.

#include <array>
#include <ostream>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "order_fixture.hpp"

namespace dlcert::shim {
namespace {

#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
constexpr bool is_legacy = false;
#else
constexpr bool is_legacy = true;
#endif

struct Knowledge {
  bool earlier = false;  ///< the work in front of the call in its stream
  bool own = false;      ///< what the call does
};

constexpr Knowledge of_everything{true, true}, of_nothing{};
constexpr Knowledge of_earlier_work{true, false};

// The programming guide has copies of at most 64 KiB from the host return early.
constexpr std::size_t small = 64 << 10, large = 2 * small;

struct Row {
  std::string_view name;  ///< the document's number of it, or that it has none
  MemoryKind to = MemoryKind::device;
  MemoryKind from = MemoryKind::device;
  Knowledge known;
  std::size_t bytes = small;
};

std::ostream& operator<<(std::ostream& out, const Row& row) {
  return out << row.name;
}

enum class Shape { bytes, rows };

using Case = std::tuple<Row, Shape>;

std::string name_of(const testing::TestParamInfo<Case>& tested) {
  const auto& [row, shape] = tested.param;
  constexpr std::array<std::string_view, 4> kinds{"Pageable", "Device", "Pinned", "Managed"};
  const auto kind = [&](MemoryKind of) {
    return std::string{kinds.at(static_cast<std::size_t>(of))};
  };
  std::string name{row.name};
  name += '_' + kind(row.from) + "To" + kind(row.to);
  if (row.bytes > small) name += "_Large";
  return name + (shape == Shape::rows ? "_2D" : "_1D");
}

// Where there is work in front of a call.
enum class Before { default_stream, blocking_stream, other_stream };

std::ostream& operator<<(std::ostream& out, Before before) {
  constexpr std::array<std::string_view, 3> names{"default", "blocking", "other"};
  return out << "work in the " << names.at(static_cast<std::size_t>(before)) << " stream";
}

class ByDocument : public OrderTest, public testing::WithParamInterface<Case> {
 protected:
  /// After `call(stream)` the host uses what was written before in `stream`.
  template <class Call>
  void expect_earlier(bool known, Before before, Call&& call) {
    const testing::ScopedTrace trace{__FILE__, __LINE__, before};
    expect(known, [&] {
      std::byte* const earlier = managed_memory();
      cudaStream_t const first = stream_of(before);
      kernel(first, writes(earlier));
      call(first);
      host(reads(earlier));
    });
  }

  /// After `call()` the host uses both ends for other things. Its pageable memory is not watched.
  template <class Call>
  void expect_own(bool known, Call&& call) {
    const testing::ScopedTrace trace{__FILE__, __LINE__, "what it does itself"};
    expect(known, [&] {
      call();
      if (from_ != nullptr) host(writes(from_, row_.bytes));
      host(reads(to_, row_.bytes));
    });
  }

  void make_ends() {
    to_ = place(row_.to, own_to_);
    from_ = place(row_.from, own_from_);
  }
  void copy() {
    make_ends();
    ok(shape_ == Shape::bytes
           ? cudaMemcpy(to_, from_, row_.bytes, cudaMemcpyDefault)
           : cudaMemcpy2D(to_, pitch(), from_, pitch(), pitch() / 2, rows, cudaMemcpyDefault));
  }
  void copy_async(cudaStream_t stream) {
    make_ends();
    ok(shape_ == Shape::bytes ? cudaMemcpyAsync(to_, from_, row_.bytes, cudaMemcpyDefault, stream)
                              : cudaMemcpy2DAsync(to_, pitch(), from_, pitch(), pitch() / 2, rows,
                                                  cudaMemcpyDefault, stream));
  }
  void fill() {
    to_ = memory(row_.to, row_.bytes);
    ok(shape_ == Shape::bytes ? cudaMemset(to_, 1, row_.bytes)
                              : cudaMemset2D(to_, pitch(), 1, pitch() / 2, rows));
  }
  void fill_async(cudaStream_t stream) {
    to_ = memory(row_.to, row_.bytes);
    ok(shape_ == Shape::bytes ? cudaMemsetAsync(to_, 1, row_.bytes, stream)
                              : cudaMemset2DAsync(to_, pitch(), 1, pitch() / 2, rows, stream));
  }

  const Row& row_ = std::get<0>(GetParam());

 private:
  static constexpr std::size_t rows = 4;
  [[nodiscard]] std::size_t pitch() const { return row_.bytes / rows; }

  template <class Program>
  void expect(bool order, Program&& program) {
    if (order)
      expect_order(program);
    else
      expect_race(program);
  }

  static cudaStream_t stream_of(Before before) {
    switch (before) {
      case Before::blocking_stream:
        return stream();
      case Before::other_stream:
        return non_blocking_stream();
      default:
        return nullptr;
    }
  }

  std::byte* place(MemoryKind kind, std::vector<std::byte>& own) {
    own.assign(row_.bytes, std::byte{0});
    return kind == MemoryKind::pageable ? own.data() : memory(kind, row_.bytes);
  }

  const Shape shape_ = std::get<1>(GetParam());
  std::byte* to_ = nullptr;
  std::byte* from_ = nullptr;
  std::vector<std::byte> own_to_, own_from_;
};

const auto shapes = testing::Values(Shape::bytes, Shape::rows);

// ---- copies that block --------------------------------------------------------------------------

class MemcpySynchronous : public ByDocument {};

TEST_P(MemcpySynchronous, TellsWhatItsRowSays) {
  const auto call = [&](cudaStream_t) { copy(); };
  expect_earlier(row_.known.earlier, Before::default_stream, call);
  expect_earlier(row_.known.earlier && is_legacy, Before::blocking_stream, call);
  expect_earlier(false, Before::other_stream, call);
  expect_own(row_.known.own, [&] { copy(); });
}

INSTANTIATE_TEST_SUITE_P(
    ApiSynchronizationBehavior, MemcpySynchronous,
    testing::Combine(
        testing::Values(
            Row{"Row1", MemoryKind::device, MemoryKind::pageable, of_earlier_work, small},
            Row{"Row1", MemoryKind::device, MemoryKind::pageable, of_earlier_work, large},
            Row{"Row2", MemoryKind::device, MemoryKind::pinned, of_everything, small},
            Row{"Row2", MemoryKind::device, MemoryKind::pinned, of_everything, large},
            Row{"Row3", MemoryKind::pageable, MemoryKind::device, of_everything},
            Row{"Row3", MemoryKind::pinned, MemoryKind::device, of_everything},
            Row{"Row4", MemoryKind::device, MemoryKind::device, of_nothing},
            Row{"Row5", MemoryKind::pageable, MemoryKind::pageable, of_everything},
            Row{"Row5", MemoryKind::pageable, MemoryKind::pinned, of_everything},
            Row{"Row5", MemoryKind::pinned, MemoryKind::pageable, of_everything},
            Row{"Row5", MemoryKind::pinned, MemoryKind::pinned, of_everything}),
        shapes),
    name_of);

// Rows of managed memory left the document with CUDA 12; before, it had such copies wait.
INSTANTIATE_TEST_SUITE_P(
    LeftOpen, MemcpySynchronous,
    testing::Combine(
        testing::Values(Row{"NoRow", MemoryKind::device, MemoryKind::managed, of_everything},
                        Row{"NoRow", MemoryKind::managed, MemoryKind::device, of_everything},
                        Row{"NoRow", MemoryKind::managed, MemoryKind::managed, of_everything},
                        Row{"NoRow", MemoryKind::managed, MemoryKind::pageable, of_everything},
                        Row{"NoRow", MemoryKind::pageable, MemoryKind::managed, of_everything}),
        shapes),
    name_of);

// ---- copies that do not -------------------------------------------------------------------------

class MemcpyAsynchronous : public ByDocument {};

TEST_P(MemcpyAsynchronous, TellsWhatItsRowSays) {
  const auto call = [&](cudaStream_t stream) { copy_async(stream); };
  expect_earlier(row_.known.earlier, Before::default_stream, call);
  expect_earlier(row_.known.earlier, Before::other_stream, call);
  expect_own(row_.known.own, [&] { copy_async(non_blocking_stream()); });
}

INSTANTIATE_TEST_SUITE_P(
    ApiSynchronizationBehavior, MemcpyAsynchronous,
    testing::Combine(
        testing::Values(Row{"Row1Or3", MemoryKind::device, MemoryKind::pageable, of_nothing, small},
                        Row{"Row1Or3", MemoryKind::device, MemoryKind::pageable, of_nothing, large},
                        Row{"Row1Or3", MemoryKind::pageable, MemoryKind::device, of_nothing},
                        Row{"Row2", MemoryKind::pageable, MemoryKind::pageable, of_everything},
                        Row{"Row2", MemoryKind::pageable, MemoryKind::pinned, of_everything},
                        Row{"Row2", MemoryKind::pinned, MemoryKind::pageable, of_everything},
                        Row{"Row2", MemoryKind::pinned, MemoryKind::pinned, of_everything},
                        Row{"Row4", MemoryKind::device, MemoryKind::pinned, of_nothing},
                        Row{"Row4", MemoryKind::pinned, MemoryKind::device, of_nothing},
                        Row{"Row4", MemoryKind::device, MemoryKind::device, of_nothing},
                        Row{"Row4", MemoryKind::device, MemoryKind::managed, of_nothing},
                        Row{"Row4", MemoryKind::managed, MemoryKind::device, of_nothing},
                        Row{"Row4", MemoryKind::managed, MemoryKind::managed, of_nothing}),
        shapes),
    name_of);

// ---- fills --------------------------------------------------------------------------------------

class Memset : public ByDocument {};

TEST_P(Memset, TellsWhatItsRowSays) {
  const auto call = [&](cudaStream_t) { fill(); };
  expect_earlier(row_.known.earlier, Before::default_stream, call);
  expect_earlier(row_.known.earlier && is_legacy, Before::blocking_stream, call);
  expect_earlier(false, Before::other_stream, call);
  expect_own(row_.known.own, [&] { fill(); });
}

TEST_P(Memset, TellsNothingWhenItIsAsynchronous) {
  const auto call = [&](cudaStream_t stream) { fill_async(stream); };
  expect_earlier(false, Before::default_stream, call);
  expect_earlier(false, Before::other_stream, call);
  expect_own(false, [&] { fill_async(non_blocking_stream()); });
}

INSTANTIATE_TEST_SUITE_P(
    ApiSynchronizationBehavior, Memset,
    testing::Combine(
        testing::Values(Row{"Memset", MemoryKind::device, MemoryKind::device, of_nothing},
                        Row{"Memset", MemoryKind::managed, MemoryKind::managed, of_nothing},
                        Row{"Memset", MemoryKind::pinned, MemoryKind::pinned, of_everything}),
        shapes),
    name_of);

// ---- kernels and host functions -----------------------------------------------------------------

using ApiSynchronizationBehavior = OrderTest;

TEST_F(ApiSynchronizationBehavior, KernelLaunchesTellNothing) {
  expect_race([&] {
    std::byte* const data = managed_memory();
    kernel(nullptr, writes(data));
    kernel(nullptr, reads(data));
    host(reads(data));
  });
}

// cudaLaunchHostFunc: the function is called behind the work in front of it.
TEST_F(ApiSynchronizationBehavior, AHostFunctionKnowsWhatIsInFrontOfItAndItsLaunchDoesNot) {
  struct Told {
    driver::SimulatedDriver& driver;
    const std::byte* data;
  };
  const auto read = [](void* told) {
    const auto& [driver, data] = *static_cast<const Told*>(told);
    driver.host_access("host function", reads(data));
  };
  expect_order([&] {
    Told told{driver_, managed_memory()};
    kernel(nullptr, writes(told.data));
    ok(cudaLaunchHostFunc(nullptr, read, &told));
    ok(cudaStreamSynchronize(nullptr));
  });
  expect_race([&] {
    std::byte* const data = managed_memory();
    kernel(nullptr, writes(data));
    ok(cudaLaunchHostFunc(
        nullptr, [](void*) {}, nullptr));
    host(reads(data));
    ok(cudaStreamSynchronize(nullptr));
  });
}

// ---- bytes --------------------------------------------------------------------------------------

// What has been moved when a copy returns, and what has only been taken along.
class BytesOfCopies : public OrderTest {
 protected:
  std::vector<std::byte> bytes_ = std::vector<std::byte>(size, std::byte{7});
  std::byte* data_ = nullptr;
};

TEST_F(BytesOfCopies, PageableMemoryMayBeUsedAgain) {
  expect_order([&] {
    data_ = device_memory();
    bytes_.assign(size, std::byte{7});
    ok(cudaMemcpy(data_, bytes_.data(), size, cudaMemcpyHostToDevice));
    bytes_.assign(size, std::byte{8});
    ok(cudaDeviceSynchronize());
    EXPECT_EQ(*driver_.view(data_), std::byte{7});
  });
}

TEST_F(BytesOfCopies, HostMemoryHoldsThem) {
  expect_order([&] {
    data_ = device_memory();
    ok(cudaMemset(data_, 5, size));
    ok(cudaMemcpy(bytes_.data(), data_, size, cudaMemcpyDeviceToHost));
    EXPECT_EQ(bytes_[size - 1], std::byte{5});
    std::byte* const pinned = memory(MemoryKind::pinned);
    ok(cudaMemcpyAsync(pinned, bytes_.data(), size, cudaMemcpyHostToHost, non_blocking_stream()));
    EXPECT_EQ(pinned[size - 1], std::byte{5});
  });
}

}  // namespace
}  // namespace dlcert::shim
