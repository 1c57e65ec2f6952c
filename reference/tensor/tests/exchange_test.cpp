// SPDX-License-Identifier: Apache-2.0

#include "dlcert/tensor/exchange.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <thread>

#include "foreign_tensor.hpp"
#include "support.hpp"

namespace dlcert::reference {
namespace {

constexpr const DLPackExchangeAPI& table = exchange_table;

struct Drop {
  void operator()(Object* object) const noexcept { object->release(); }
  void operator()(DLManagedTensorVersioned* managed) const noexcept { managed->deleter(managed); }
};
using OwnObject = std::unique_ptr<Object, Drop>;
using OwnManaged = std::unique_ptr<DLManagedTensorVersioned, Drop>;

/// What the allocator's caller was told.
struct Told {
  int calls = 0;
  std::string kind;
  std::string message;

  static void hear(void* context, const char* kind, const char* message) {
    auto& told = *static_cast<Told*>(context);
    ++told.calls;
    told.kind = kind;
    told.message = message;
  }
};

/// The kind of the error that was left in this thread; nothing when none was, or another one.
std::optional<ErrorKind> left_error() {
  return kind_of_error([] {
    if (const std::exception_ptr error = take_error()) std::rethrow_exception(error);
    return 0;
  });
}

class ExchangeTest : public LeakTest {
 protected:
  void TearDown() override {
    EXPECT_EQ(take_error(), nullptr);
    LeakTest::TearDown();
  }

  static OwnObject object_of(const Tensor& tensor) { return OwnObject(make_object(tensor)); }
  static OwnObject two_by_three() {
    return object_of(counting_tensor<std::int16_t>(int16(), {2, 3}));
  }

  /// A prototype whose other fields nobody may look at.
  DLTensor prototype() {
    auto* const unreadable = reinterpret_cast<std::int64_t*>(16);
    return {unreadable, cpu_device, 2, {kDLInt, 16, 1}, extents_, unreadable, 1U << 30};
  }
  int allocate(DLTensor asked, DLManagedTensorVersioned** out) {
    return table.managed_tensor_allocator(&asked, out, &told_, &Told::hear);
  }

  std::int64_t extents_[2]{2, 3};
  Told told_;
};

TEST_F(ExchangeTest, TableSaysItsVersionAndHasEveryFunction) {
  EXPECT_EQ(table.header.version.major, 1U);
  EXPECT_EQ(table.header.version.minor, 3U);
  EXPECT_EQ(table.header.prev_api, nullptr);
  EXPECT_NE(table.managed_tensor_allocator, nullptr);
  EXPECT_NE(table.managed_tensor_from_py_object_no_sync, nullptr);
  EXPECT_NE(table.managed_tensor_to_py_object_no_sync, nullptr);
  EXPECT_NE(table.dltensor_from_py_object_no_sync, nullptr);
  EXPECT_NE(table.current_work_stream, nullptr);
}

// ---- the allocator ------------------------------------------------------------------------------

TEST_F(ExchangeTest, AllocatesWhatThePrototypeAsksFor) {
  DLManagedTensorVersioned* made = nullptr;
  ASSERT_EQ(allocate(prototype(), &made), 0);
  const OwnManaged owner(made);
  EXPECT_EQ(told_.calls, 0);
  EXPECT_EQ(made->dl_tensor.dtype.code, kDLInt);
  EXPECT_EQ(made->dl_tensor.dtype.bits, 16);
  EXPECT_EQ(made->dl_tensor.ndim, 2);
  EXPECT_NE(made->dl_tensor.shape, extents_);
  EXPECT_EQ(made->dl_tensor.shape[1], 3);
  EXPECT_EQ(made->dl_tensor.strides[0], 3);
  EXPECT_EQ(made->dl_tensor.byte_offset, 0U);
  std::memset(made->dl_tensor.data, 1, 12);
}

TEST_F(ExchangeTest, AllocatesWithoutAnErrorFunctionAsLongAsNothingFails) {
  DLTensor asked = prototype();
  DLManagedTensorVersioned* made = nullptr;
  ASSERT_EQ(table.managed_tensor_allocator(&asked, &made, nullptr, nullptr), 0);
  const OwnManaged owner(made);
  asked.dtype.lanes = 0;
  EXPECT_EQ(table.managed_tensor_allocator(&asked, &made, nullptr, nullptr), -1);
  EXPECT_EQ(made, owner.get());
}

TEST_F(ExchangeTest, TellsWhyNothingWasAllocated) {
  const auto expect_told = [&](DLTensor asked, const char* kind) {
    DLManagedTensorVersioned* made = nullptr;
    told_ = {};
    EXPECT_EQ(allocate(asked, &made), -1);
    EXPECT_EQ(made, nullptr);
    EXPECT_EQ(told_.calls, 1);
    EXPECT_EQ(told_.kind, kind);
    EXPECT_FALSE(told_.message.empty());
  };
  DLTensor asked = prototype();
  asked.dtype.code = 200;
  expect_told(asked, "BufferError");
  asked = prototype();
  asked.device = {kDLCUDA, 9999};
  expect_told(asked, "BufferError");
  asked = prototype();
  asked.shape = nullptr;
  expect_told(asked, "BufferError");
  extents_[0] = std::int64_t{1} << 62;
  expect_told(prototype(), "ValueError");
  extents_[0] = 2;
  for (const std::int64_t successes : {0, 1, 2}) {
    memory_.fail_after(successes);
    expect_told(prototype(), "MemoryError");
  }
}

// ---- from an object -----------------------------------------------------------------------------

TEST_F(ExchangeTest, ExportOutlivesItsObject) {
  OwnObject object = two_by_three();
  DLManagedTensorVersioned* made = nullptr;
  ASSERT_EQ(table.managed_tensor_from_py_object_no_sync(object.get(), &made), 0);
  const OwnManaged owner(made);
  EXPECT_EQ(made->dl_tensor.data, object->tensor().first_element());
  object.reset();
  std::int16_t values[6];
  std::memcpy(values, made->dl_tensor.data, sizeof values);
  EXPECT_EQ(values[5], 5);
}

TEST_F(ExchangeTest, ExportSaysWhatABareDescriptorCannot) {
  const OwnObject object = object_of(two_by_three()->tensor().read_only());
  DLManagedTensorVersioned* made = nullptr;
  ASSERT_EQ(table.managed_tensor_from_py_object_no_sync(object.get(), &made), 0);
  const OwnManaged owner(made);
  EXPECT_EQ(made->flags, flag_read_only);
}

TEST_F(ExchangeTest, WhatDlpackCannotDescribeIsABufferError) {
  const OwnObject object = object_of(Tensor::zeros(Dtype::extended_float(), {2}));
  DLManagedTensorVersioned* made = nullptr;
  EXPECT_EQ(table.managed_tensor_from_py_object_no_sync(object.get(), &made), -1);
  EXPECT_EQ(left_error(), ErrorKind::buffer);
  DLTensor view{};
  EXPECT_EQ(table.dltensor_from_py_object_no_sync(object.get(), &view), -1);
  EXPECT_EQ(left_error(), ErrorKind::buffer);
  EXPECT_EQ(made, nullptr);
}

TEST_F(ExchangeTest, FailedExportKeepsNothing) {
  const OwnObject object = two_by_three();
  DLManagedTensorVersioned* made = nullptr;
  memory_.fail_after(0);
  EXPECT_EQ(table.managed_tensor_from_py_object_no_sync(object.get(), &made), -1);
  EXPECT_EQ(object->tensor().storage().references(), 1);
  EXPECT_THROW(std::rethrow_exception(take_error()), std::bad_alloc);
}

// ---- to an object -------------------------------------------------------------------------------

TEST_F(ExchangeTest, ObjectTakesTheManagedTensor) {
  ForeignVersioned foreign;
  void* made = nullptr;
  ASSERT_EQ(table.managed_tensor_to_py_object_no_sync(&foreign.managed, &made), 0);
  OwnObject object(static_cast<Object*>(made));
  EXPECT_EQ(values_of<std::int16_t>(object->tensor()), foreign.values);
  EXPECT_EQ(foreign.releases, 0);
  object.reset();
  EXPECT_EQ(foreign.releases, 1);
}

TEST_F(ExchangeTest, CallerKeepsAManagedTensorThatIsRefused) {
  ForeignVersioned foreign;
  foreign.tensor().dtype.bits = 24;
  void* made = this;
  EXPECT_EQ(table.managed_tensor_to_py_object_no_sync(&foreign.managed, &made), -1);
  EXPECT_EQ(left_error(), ErrorKind::buffer);
  EXPECT_EQ(made, this);
  EXPECT_EQ(foreign.releases, 0);
}

TEST_F(ExchangeTest, CallerKeepsAManagedTensorWhenThereIsNoMemory) {
  for (const std::int64_t successes : {0, 1}) {
    ForeignVersioned foreign;
    void* made = nullptr;
    memory_.fail_after(successes);
    EXPECT_EQ(table.managed_tensor_to_py_object_no_sync(&foreign.managed, &made), -1);
    EXPECT_THROW(std::rethrow_exception(take_error()), std::bad_alloc);
    EXPECT_EQ(foreign.releases, 0);
  }
}

TEST_F(ExchangeTest, ForeignMajorVersionIsReleasedUnread) {
  ForeignVersioned foreign;
  foreign.managed.version.major = 2;
  void* made = nullptr;
  EXPECT_EQ(table.managed_tensor_to_py_object_no_sync(&foreign.managed, &made), -1);
  EXPECT_EQ(left_error(), ErrorKind::buffer);
  EXPECT_EQ(foreign.releases, 1);
}

// ---- the view -----------------------------------------------------------------------------------

TEST_F(ExchangeTest, ViewPointsIntoTheObject) {
  const OwnObject object = object_of(two_by_three()->tensor().sliced(1, 1, 2));
  const LiveAllocations before = memory_.live();
  DLTensor view{};
  ASSERT_EQ(table.dltensor_from_py_object_no_sync(object.get(), &view), 0);
  EXPECT_EQ(memory_.live(), before);
  EXPECT_EQ(object->tensor().storage().references(), 1);
  EXPECT_EQ(static_cast<std::byte*>(view.data) + view.byte_offset,
            object->tensor().first_element());
  EXPECT_EQ(view.shape, object->dims());
  EXPECT_EQ(view.shape[1], 2);
  EXPECT_EQ(view.strides[0], 3);
}

TEST_F(ExchangeTest, ViewOfAFieldCountsElements) {
  const Tensor records = Tensor::zeros(Dtype::record(4), {3});
  const OwnObject object = object_of(records.field(2, int16()));
  DLTensor view{};
  ASSERT_EQ(table.dltensor_from_py_object_no_sync(object.get(), &view), 0);
  EXPECT_EQ(view.strides[0], 2);
  EXPECT_EQ(view.byte_offset, 2U);
}

TEST_F(ExchangeTest, ViewOfAScalarHasNeitherShapeNorStrides) {
  const OwnObject object = object_of(Tensor::zeros(int16(), {}));
  DLTensor view{};
  ASSERT_EQ(table.dltensor_from_py_object_no_sync(object.get(), &view), 0);
  EXPECT_EQ(view.shape, nullptr);
  EXPECT_EQ(view.strides, nullptr);
}

TEST_F(ExchangeTest, ViewThatWouldNeedAFlagIsRefused) {
  const Dtype padded = Dtype::described(kDLInt, 4, 1, Packing::padded);
  for (const Tensor& tensor :
       {Tensor::zeros(int16(), {2}).read_only(), Tensor::zeros(padded, {2})}) {
    const OwnObject object = object_of(tensor);
    DLTensor view{};
    EXPECT_EQ(table.dltensor_from_py_object_no_sync(object.get(), &view), -1);
    EXPECT_EQ(left_error(), ErrorKind::buffer);
    EXPECT_EQ(view.ndim, 0);
  }
}

// ---- the stream ---------------------------------------------------------------------------------

TEST_F(ExchangeTest, CpuHasNoStream) {
  void* stream = this;
  EXPECT_EQ(table.current_work_stream(kDLCPU, 0, &stream), 0);
  EXPECT_EQ(stream, nullptr);
}

TEST_F(ExchangeTest, UnknownDeviceIsAValueError) {
  for (const DLDevice device : {DLDevice{kDLCUDA, 9999}, DLDevice{kDLCUDA, -1}, DLDevice{kDLCPU, 1},
                                DLDevice{static_cast<DLDeviceType>(99), 0}}) {
    void* stream = this;
    EXPECT_EQ(table.current_work_stream(device.device_type, device.device_id, &stream), -1);
    EXPECT_EQ(left_error(), ErrorKind::value) << to_string(device);
    EXPECT_EQ(stream, this);
  }
}

// ---- errors -------------------------------------------------------------------------------------

TEST_F(ExchangeTest, ErrorIsTheThreadsOwnAndTakenOnce) {
  void* stream = nullptr;
  EXPECT_EQ(table.current_work_stream(kDLCUDA, 9999, &stream), -1);
  std::thread([] { EXPECT_EQ(take_error(), nullptr); }).join();
  EXPECT_EQ(left_error(), ErrorKind::value);
  EXPECT_EQ(take_error(), nullptr);
}

}  // namespace
}  // namespace dlcert::reference
