// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <memory>
#include <thread>

#include "dlcert/tensor/exchange.hpp"

#include "device_fixture.hpp"

namespace dlcert::reference {
namespace {

class ExchangeOnDevicesTest : public OnDevices {
 protected:
  struct Drop {
    void operator()(Object* object) const noexcept { object->release(); }
  };
  using OwnObject = std::unique_ptr<Object, Drop>;

  static OwnObject object_of(const Tensor& tensor) { return OwnObject(make_object(tensor)); }

  static OwnObject round_trip(Object* object) {
    DLManagedTensorVersioned* managed = nullptr;
    EXPECT_EQ(exchange_table.managed_tensor_from_py_object_no_sync(object, &managed), 0);
    void* made = nullptr;
    EXPECT_EQ(exchange_table.managed_tensor_to_py_object_no_sync(managed, &made), 0);
    return OwnObject(static_cast<Object*>(made));
  }

  static Stream work_stream(DLDevice of) {
    void* told = &told;
    EXPECT_EQ(exchange_table.current_work_stream(of.device_type, of.device_id, &told), 0);
    return Stream{reinterpret_cast<std::uintptr_t>(told)};
  }
};
DLCERT_ON_BOTH_VENDORS(ExchangeOnDevicesTest);

TEST_P(ExchangeOnDevicesTest, AllocatesInTheMemoryOfThePrototype) {
  for (const DLDevice memory : memories()) {
    std::int64_t extent = size;
    DLTensor prototype{nullptr, memory, 1, {kDLUInt, 8, 1}, &extent, nullptr, 0};
    DLManagedTensorVersioned* made = nullptr;
    ASSERT_EQ(exchange_table.managed_tensor_allocator(&prototype, &made, nullptr, nullptr), 0);
    EXPECT_TRUE(same_device(made->dl_tensor.device, memory)) << to_string(memory);
    EXPECT_EQ(logical(importer.import(made)), all(0));
  }
}

TEST_P(ExchangeOnDevicesTest, SharesMemoryBehindPendingWorkWithoutAWord) {
  const Stream busy = stream();
  const OwnObject object = object_of(Tensor::zeros(uint8(), {size}, device()));
  ok(driver_.synchronize_device());
  fill(busy, object->tensor(), 5);
  OwnObject taken;
  DLTensor view{};
  const StreamGuard guard(0, busy);
  const std::vector<Call> calls = effects_of([&] {
    EXPECT_EQ(exchange_table.dltensor_from_py_object_no_sync(object.get(), &view), 0);
    taken = round_trip(object.get());
  });
  EXPECT_FALSE(has_waited(calls));
  for (const Call& call : calls)
    EXPECT_EQ(call.function, "attributes");
  EXPECT_NE(driver_.pending(), 0U);
  EXPECT_EQ(view.data, object->tensor().first_element());
  EXPECT_EQ(seen_by(busy, taken->tensor().first_element()), all(5));
}

TEST_P(ExchangeOnDevicesTest, WorkStreamIsTheThreadsCurrentOne) {
  const Stream own = stream(1);
  EXPECT_EQ(work_stream(device(1)), Stream::null);
  {
    const StreamGuard guard(1, own);
    EXPECT_EQ(work_stream(device(1)), own);
    EXPECT_EQ(work_stream(device(0)), Stream::null);
    std::thread([] { EXPECT_EQ(work_stream(device(1)), Stream::null); }).join();
  }
  EXPECT_EQ(work_stream(device(1)), Stream::null);
}

TEST_P(ExchangeOnDevicesTest, WorkStreamOfSharedMemoryIsThatOfTheCurrentDevice) {
  const Stream own = stream(1);
  const StreamGuard guard(1, own);
  const DeviceGuard device_guard(1);
  for (const DLDevice memory : shared_memories())
    EXPECT_EQ(work_stream(memory), own) << to_string(memory);
}

TEST_P(ExchangeOnDevicesTest, DeviceThatIsNotThereHasNoWorkStream) {
  void* told = &told;
  EXPECT_EQ(exchange_table.current_work_stream(device().device_type, 2, &told), -1);
  EXPECT_EQ(told, &told);
  EXPECT_NE(take_error(), nullptr);
}

}  // namespace
}  // namespace dlcert::reference
