// SPDX-License-Identifier: Apache-2.0
//
// Prefetches, advice and attachments of managed memory. Source: CUDA Runtime API,
// cudaMemPrefetchAsync, cudaMemAdvise, cudaMemRangeGetAttribute, cudaStreamAttachMemAsync; for
// captures the programming guide, "Prohibited and Unhandled Operations".

#include <array>

#include "newest_forms.hpp"
#include "shim_fixture.hpp"

namespace dlcert::shim {
namespace {

constexpr cudaMemLocation host{cudaMemLocationTypeHost, 0};
constexpr cudaMemLocation device_0{cudaMemLocationTypeDevice, 0};
constexpr cudaMemLocation device_1{cudaMemLocationTypeDevice, 1};
constexpr std::size_t page = 4096;
constexpr std::size_t size = 4 * page;

class Managed : public ShimTest {
 protected:
  Managed() {
    void* memory = nullptr;
    EXPECT_EQ(cudaMallocManaged(&memory, size, cudaMemAttachGlobal), cudaSuccess);
    memory_ = static_cast<std::byte*>(memory);
  }

  int ask(cudaMemRangeAttribute attribute, std::size_t from = 0, std::size_t bytes = size) {
    int value = -9;
    EXPECT_EQ(cudaMemRangeGetAttribute(&value, sizeof value, attribute, memory_ + from, bytes),
              cudaSuccess);
    return value;
  }
  cudaError_t advise(cudaMemoryAdvise advice, cudaMemLocation location = {}) {
    return cudaMemAdvise(memory_, size, advice, location);
  }

  std::byte* memory_ = nullptr;
};

// ---- prefetches ---------------------------------------------------------------------------------

TEST_F(Managed, APrefetchIsOrderedInItsStreamAndTouchesNothing) {
  const cudaStream_t stream = new_stream();
  ASSERT_EQ(cudaMemsetAsync(memory_, 1, size, new_stream()), cudaSuccess);
  ASSERT_EQ(cudaMemPrefetchAsync(memory_, size, device_0, 0, stream), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_TRUE(driver_.take_races().empty());
}

TEST_F(Managed, TheLastPrefetchIsTold) {
  EXPECT_EQ(ask(cudaMemRangeAttributeLastPrefetchLocation), cudaInvalidDeviceId);
  ASSERT_EQ(cudaMemPrefetchAsync(memory_, size, device_1, 0, nullptr), cudaSuccess);
  EXPECT_EQ(ask(cudaMemRangeAttributeLastPrefetchLocation), 1);
  EXPECT_EQ(ask(cudaMemRangeAttributeLastPrefetchLocationType), cudaMemLocationTypeDevice);
  EXPECT_EQ(ask(cudaMemRangeAttributeLastPrefetchLocationId), 1);
  ASSERT_EQ(cudaMemPrefetchAsync(memory_ + page, 1, host, 0, nullptr), cudaSuccess);
  EXPECT_EQ(ask(cudaMemRangeAttributeLastPrefetchLocation, page, page), cudaCpuDeviceId);
  EXPECT_EQ(ask(cudaMemRangeAttributeLastPrefetchLocation, 2 * page, page), 1);
  EXPECT_EQ(ask(cudaMemRangeAttributeLastPrefetchLocation), cudaInvalidDeviceId);
}

TEST_F(Managed, OtherMemoryIsNotPrefetched) {
  std::vector<std::byte> pageable(64);
  for (void* const memory : {static_cast<void*>(device_memory(64)),
                             static_cast<void*>(pageable.data()), static_cast<void*>(nullptr)})
    EXPECT_EQ(cudaMemPrefetchAsync(memory, 64, device_0, 0, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemPrefetchAsync(memory_, size + 1, device_0, 0, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemPrefetchAsync(memory_, 0, device_0, 0, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemPrefetchAsync(memory_, size, device_0, 1, nullptr), cudaErrorInvalidValue);
}

TEST_F(Managed, APrefetchNeedsAPlace) {
  EXPECT_EQ(cudaMemPrefetchAsync(memory_, size, {cudaMemLocationTypeDevice, 2}, 0, nullptr),
            cudaErrorInvalidDevice);
  EXPECT_EQ(cudaMemPrefetchAsync(memory_, size, {cudaMemLocationTypeInvalid, 0}, 0, nullptr),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemPrefetchAsync(memory_, size, {cudaMemLocationTypeHostNuma, 1}, 0, nullptr),
            cudaErrorInvalidValue);
  EXPECT_EQ(
      cudaMemPrefetchAsync(memory_, size, {cudaMemLocationTypeHostNumaCurrent, 9}, 0, nullptr),
      cudaSuccess);
  EXPECT_EQ(ask(cudaMemRangeAttributeLastPrefetchLocationType), cudaMemLocationTypeHostNuma);
}

#if CUDART_VERSION >= 13000
TEST_F(Managed, ABatchPrefetchesToSeveralPlaces) {
  const cudaStream_t stream = new_stream();
  std::array<void*, 3> memories{memory_, memory_ + page, memory_ + 2 * page};
  std::array<std::size_t, 3> bytes{page, page, page};
  std::array<cudaMemLocation, 2> locations{device_0, device_1};
  std::array<std::size_t, 2> begins{0, 2};
  const auto prefetch = [&](cudaStream_t on) {
    return cudaMemPrefetchBatchAsync(memories.data(), bytes.data(), 3, locations.data(),
                                     begins.data(), 2, 0, on);
  };
  ASSERT_EQ(prefetch(stream), cudaSuccess);
  EXPECT_EQ(ask(cudaMemRangeAttributeLastPrefetchLocation, 0, 2 * page), 0);
  EXPECT_EQ(ask(cudaMemRangeAttributeLastPrefetchLocation, 2 * page, page), 1);
  EXPECT_EQ(prefetch(nullptr), cudaErrorInvalidValue);
  begins = {1, 2};
  EXPECT_EQ(prefetch(stream), cudaErrorInvalidValue);
}
#endif

TEST_F(Managed, NoGraphHoldsPrefetchesAndAttachments) {
  const cudaStream_t stream = new_stream();
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  EXPECT_EQ(cudaMemPrefetchAsync(memory_, size, device_0, 0, stream),
            cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(cudaStreamAttachMemAsync(stream, memory_, 0, cudaMemAttachSingle),
            cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(ask(cudaMemRangeAttributeLastPrefetchLocation), cudaInvalidDeviceId);
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
}

// ---- advice -------------------------------------------------------------------------------------

TEST_F(Managed, AdviceIsTold) {
  EXPECT_EQ(ask(cudaMemRangeAttributeReadMostly), 0);
  ASSERT_EQ(advise(cudaMemAdviseSetReadMostly), cudaSuccess);
  EXPECT_EQ(ask(cudaMemRangeAttributeReadMostly), 1);
  ASSERT_EQ(cudaMemAdvise(memory_ + page, 1, cudaMemAdviseUnsetReadMostly, {}), cudaSuccess);
  EXPECT_EQ(ask(cudaMemRangeAttributeReadMostly), 0);
  EXPECT_EQ(ask(cudaMemRangeAttributeReadMostly, 2 * page, page), 1);
  ASSERT_EQ(advise(cudaMemAdviseSetPreferredLocation, device_1), cudaSuccess);
  EXPECT_EQ(ask(cudaMemRangeAttributePreferredLocation), 1);
  ASSERT_EQ(advise(cudaMemAdviseSetPreferredLocation, host), cudaSuccess);
  EXPECT_EQ(ask(cudaMemRangeAttributePreferredLocation), cudaCpuDeviceId);
  EXPECT_EQ(ask(cudaMemRangeAttributePreferredLocationType), cudaMemLocationTypeHost);
  ASSERT_EQ(advise(cudaMemAdviseUnsetPreferredLocation), cudaSuccess);
  EXPECT_EQ(ask(cudaMemRangeAttributePreferredLocation), cudaInvalidDeviceId);
}

TEST_F(Managed, ProcessorsThatAccessAllOfItAreListed) {
  std::array<int, 3> found{};
  const auto list = [&](std::size_t bytes) {
    EXPECT_EQ(cudaMemRangeGetAttribute(found.data(), sizeof found, cudaMemRangeAttributeAccessedBy,
                                       memory_, bytes),
              cudaSuccess);
    return found;
  };
  using Found = std::array<int, 3>;
  ASSERT_EQ(advise(cudaMemAdviseSetAccessedBy, device_1), cudaSuccess);
  EXPECT_EQ(list(size), (Found{1, cudaInvalidDeviceId, cudaInvalidDeviceId}));
  ASSERT_EQ(cudaMemAdvise(memory_, page, cudaMemAdviseSetAccessedBy, host), cudaSuccess);
  EXPECT_EQ(list(size), (Found{1, cudaInvalidDeviceId, cudaInvalidDeviceId}));
  EXPECT_EQ(list(page), (Found{cudaCpuDeviceId, 1, cudaInvalidDeviceId}));
  ASSERT_EQ(advise(cudaMemAdviseUnsetAccessedBy, device_1), cudaSuccess);
  EXPECT_EQ(list(page), (Found{cudaCpuDeviceId, cudaInvalidDeviceId, cudaInvalidDeviceId}));
}

TEST_F(Managed, AdviceEndsWithItsMemory) {
  driver_.set_recurring(true);
  ASSERT_EQ(advise(cudaMemAdviseSetReadMostly), cudaSuccess);
  ASSERT_EQ(cudaFree(memory_), cudaSuccess);
  void* memory = nullptr;
  ASSERT_EQ(cudaMallocManaged(&memory, size, cudaMemAttachGlobal), cudaSuccess);
  memory_ = static_cast<std::byte*>(memory);
  EXPECT_EQ(ask(cudaMemRangeAttributeReadMostly), 0);
}

TEST_F(Managed, AdviceThatIsNoneIsRefused) {
  EXPECT_EQ(advise(numbered<cudaMemoryAdvise>(0)), cudaErrorInvalidValue);
  EXPECT_EQ(advise(cudaMemAdviseSetAccessedBy, {cudaMemLocationTypeDevice, 2}),
            cudaErrorInvalidDevice);
  EXPECT_EQ(advise(cudaMemAdviseSetAccessedBy, {cudaMemLocationTypeHostNuma, 0}),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemAdvise(device_memory(64), 64, cudaMemAdviseSetReadMostly, {}),
            cudaErrorInvalidValue);
}

TEST_F(Managed, QuestionsHaveTheSizeOfTheirAnswers) {
  std::array<int, 2> value{};
  const auto ask_sized = [&](cudaMemRangeAttribute attribute, std::size_t bytes) {
    return cudaMemRangeGetAttribute(value.data(), bytes, attribute, memory_, size);
  };
  EXPECT_EQ(ask_sized(cudaMemRangeAttributeReadMostly, 8), cudaErrorInvalidValue);
  EXPECT_EQ(ask_sized(cudaMemRangeAttributeAccessedBy, 0), cudaErrorInvalidValue);
  EXPECT_EQ(ask_sized(cudaMemRangeAttributeAccessedBy, 5), cudaErrorInvalidValue);
  EXPECT_EQ(
      cudaMemRangeGetAttribute(value.data(), 4, numbered<cudaMemRangeAttribute>(99), memory_, size),
      cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemRangeGetAttribute(nullptr, 4, cudaMemRangeAttributeReadMostly, memory_, size),
            cudaErrorInvalidValue);
}

TEST_F(Managed, SeveralQuestionsAreAnsweredAtOnce) {
  int read_mostly = -1, preferred = -1;
  std::array<void*, 2> data{&read_mostly, &preferred};
  std::array<std::size_t, 2> bytes{4, 4};
  std::array<cudaMemRangeAttribute, 2> attributes{cudaMemRangeAttributeReadMostly,
                                                  cudaMemRangeAttributePreferredLocation};
  ASSERT_EQ(advise(cudaMemAdviseSetReadMostly), cudaSuccess);
  ASSERT_EQ(
      cudaMemRangeGetAttributes(data.data(), bytes.data(), attributes.data(), 2, memory_, size),
      cudaSuccess);
  EXPECT_EQ(read_mostly, 1);
  EXPECT_EQ(preferred, cudaInvalidDeviceId);
  EXPECT_EQ(
      cudaMemRangeGetAttributes(data.data(), bytes.data(), attributes.data(), 0, memory_, size),
      cudaErrorInvalidValue);
  bytes[1] = 8;
  EXPECT_EQ(
      cudaMemRangeGetAttributes(data.data(), bytes.data(), attributes.data(), 2, memory_, size),
      cudaErrorInvalidValue);
}

// ---- attachments --------------------------------------------------------------------------------

TEST_F(Managed, AllOfAMemoryIsAttached) {
  const cudaStream_t stream = new_stream();
  EXPECT_EQ(cudaStreamAttachMemAsync(stream, memory_, 0, cudaMemAttachSingle), cudaSuccess);
  EXPECT_EQ(cudaStreamAttachMemAsync(stream, memory_, size, cudaMemAttachHost), cudaSuccess);
  EXPECT_EQ(cudaStreamAttachMemAsync(nullptr, memory_, 0, cudaMemAttachGlobal), cudaSuccess);
  EXPECT_EQ(cudaStreamAttachMemAsync(stream, memory_, page, cudaMemAttachSingle),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaStreamAttachMemAsync(nullptr, memory_, 0, cudaMemAttachSingle),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaStreamAttachMemAsync(stream, memory_, 0, 7), cudaErrorInvalidValue);
  EXPECT_EQ(cudaStreamAttachMemAsync(stream, device_memory(64), 0, cudaMemAttachGlobal),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaStreamAttachMemAsync(cudaStream_t{}, nullptr, 0, cudaMemAttachGlobal),
            cudaErrorInvalidValue);
}

}  // namespace
}  // namespace dlcert::shim
