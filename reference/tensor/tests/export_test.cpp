// SPDX-License-Identifier: Apache-2.0

#include "dlcert/tensor/export.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <new>
#include <string>
#include <thread>

#include "support.hpp"

namespace dlcert::reference {
namespace {

using Pair = std::pair<std::int64_t, std::int64_t>;

class ExportTest : public LeakTest {
 protected:
  Tensor two_by_three() { return counting_tensor<std::int16_t>(int16(), {2, 3}); }

  static ManagedTensor managed(const Tensor& tensor, const ExportRequest& request) {
    return exporter.managed(tensor, request);
  }
  static std::optional<ErrorKind> refusal(const Tensor& tensor, const ExportRequest& request) {
    const std::int64_t before = tensor.storage().references();
    const auto kind = kind_of_error([&] { return managed(tensor, request); });
    EXPECT_EQ(tensor.storage().references(), before);
    return kind;
  }
};

TEST_F(ExportTest, DescribesTheTensor) {
  const Tensor tensor = two_by_three().sliced(1, 1, 2);
  DLManagedTensorVersioned* const managed = exporter.versioned(tensor);
  EXPECT_EQ(managed->version.major, 1U);
  EXPECT_EQ(managed->version.minor, 3U);
  EXPECT_EQ(managed->flags, 0U);
  const DLTensor& found = managed->dl_tensor;
  EXPECT_EQ(found.device.device_type, kDLCPU);
  EXPECT_EQ(found.device.device_id, 0);
  EXPECT_EQ(found.dtype.code, kDLInt);
  EXPECT_EQ(found.dtype.bits, 16);
  EXPECT_EQ(found.dtype.lanes, 1);
  ASSERT_EQ(found.ndim, 2);
  EXPECT_EQ(found.shape[0], 2);
  EXPECT_EQ(found.shape[1], 2);
  EXPECT_EQ(found.strides[0], 3);
  EXPECT_EQ(found.strides[1], 1);
  EXPECT_EQ(static_cast<std::byte*>(found.data) + found.byte_offset, tensor.first_element());
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(found.data) % data_alignment, 0U);
  managed->deleter(managed);
}

TEST_F(ExportTest, LegacyTensorSharesToo) {
  const Tensor tensor = two_by_three();
  DLManagedTensor* const managed = exporter.legacy(tensor);
  EXPECT_EQ(managed->dl_tensor.data, tensor.first_element());
  EXPECT_EQ(tensor.storage().references(), 2);
  managed->deleter(managed);
  EXPECT_EQ(tensor.storage().references(), 1);
}

TEST_F(ExportTest, ScalarHasNeitherShapeNorStrides) {
  DLManagedTensorVersioned* const managed = exporter.versioned(Tensor::zeros(int16(), {}));
  EXPECT_EQ(managed->dl_tensor.ndim, 0);
  EXPECT_EQ(managed->dl_tensor.shape, nullptr);
  EXPECT_EQ(managed->dl_tensor.strides, nullptr);
  managed->deleter(managed);
}

TEST_F(ExportTest, EmptyTensorHasNoDataButStrides) {
  const Tensor empty = counting_tensor<std::int16_t>(int16(), {2, 3}).sliced(1, 2, 0);
  DLManagedTensorVersioned* const managed = exporter.versioned(empty);
  EXPECT_EQ(managed->dl_tensor.data, nullptr);
  EXPECT_EQ(managed->dl_tensor.byte_offset, 0U);
  EXPECT_NE(managed->dl_tensor.strides, nullptr);
  managed->deleter(managed);
}

TEST_F(ExportTest, CostsOneAllocation) {
  const Tensor tensor = two_by_three();
  const LiveAllocations before = memory_.live();
  DLManagedTensorVersioned* const managed = exporter.versioned(tensor);
  EXPECT_EQ(memory_.live().blocks, before.blocks + 1);
  managed->deleter(managed);
  EXPECT_EQ(memory_.live(), before);
}

TEST_F(ExportTest, StaysValidWithoutItsSourceAndOnAnotherThread) {
  DLManagedTensor* const managed = exporter.legacy(two_by_three());
  std::array<std::int16_t, 6> values{};
  std::memcpy(values.data(), managed->dl_tensor.data, sizeof values);
  EXPECT_EQ(values, (std::array<std::int16_t, 6>{0, 1, 2, 3, 4, 5}));
  std::thread([managed] { managed->deleter(managed); }).join();
}

TEST_F(ExportTest, ExportsAreIndependent) {
  const Tensor tensor = two_by_three();
  std::array<DLManagedTensorVersioned*, 3> exports{};
  for (auto& managed : exports)
    managed = exporter.versioned(tensor);
  EXPECT_EQ(tensor.storage().references(), 4);
  exports[1]->deleter(exports[1]);
  EXPECT_EQ(exports[0]->dl_tensor.shape[1], 3);
  exports[0]->deleter(exports[0]);
  exports[2]->deleter(exports[2]);
  EXPECT_EQ(tensor.storage().references(), 1);
}

TEST_F(ExportTest, FlagsSayWhatIsSo) {
  const Tensor tensor = two_by_three();
  const Tensor padded = Tensor::zeros(Dtype::described(kDLInt, 4, 1, Packing::padded), {2});
  const ExportRequest versioned{.max_version = Pair{1, 0}};
  const ExportRequest copying{.max_version = Pair{1, 0}, .copy = true};
  const auto flags = [](const Tensor& source, const ExportRequest& request) {
    const ManagedTensor result = managed(source, request);
    const std::uint64_t found = std::get<DLManagedTensorVersioned*>(result)->flags;
    release(result);
    return found;
  };
  EXPECT_EQ(flags(tensor, versioned), 0U);
  EXPECT_EQ(flags(tensor.read_only(), versioned), flag_read_only);
  EXPECT_EQ(flags(tensor, copying), flag_copied);
  EXPECT_EQ(flags(tensor.read_only(), copying), flag_copied);
  EXPECT_EQ(flags(padded, versioned), flag_padded);
  EXPECT_EQ(flags(padded, copying), flag_padded | flag_copied);
}

TEST_F(ExportTest, CopyIsMadeOnlyWhenAskedFor) {
  const Tensor tensor = two_by_three();
  for (const Argument& copy : {Argument{Absent{}}, Argument{None{}}, Argument{false}}) {
    const ManagedTensor shared = managed(tensor, {.copy = copy});
    EXPECT_EQ(std::get<DLManagedTensor*>(shared)->dl_tensor.data, tensor.first_element());
    release(shared);
  }
  const ManagedTensor copied = managed(tensor, {.copy = true});
  EXPECT_NE(std::get<DLManagedTensor*>(copied)->dl_tensor.data, tensor.first_element());
  EXPECT_EQ(tensor.storage().references(), 1);
  release(copied);
}

TEST_F(ExportTest, FormFollowsTheConsumersVersion) {
  const Tensor tensor = two_by_three();
  const auto is_versioned = [&](const Argument& max_version) {
    const ManagedTensor result = managed(tensor, {.max_version = max_version});
    release(result);
    return std::holds_alternative<DLManagedTensorVersioned*>(result);
  };
  EXPECT_FALSE(is_versioned(Absent{}));
  EXPECT_FALSE(is_versioned(None{}));
  EXPECT_FALSE(is_versioned(Pair{0, 8}));
  EXPECT_TRUE(is_versioned(Pair{1, 0}));
  EXPECT_TRUE(is_versioned(Pair{1, 99}));
  EXPECT_TRUE(is_versioned(Pair{9, 9}));
}

TEST_F(ExportTest, AcceptsItsOwnDeviceAndNoOther) {
  const Tensor tensor = two_by_three();
  release(managed(tensor, {.dl_device = Pair{kDLCPU, 0}}));
  for (const Pair& device : {Pair{kDLCPU, 1}, Pair{kDLCUDA, 0}, Pair{99, 0}, Pair{kDLCPU, -1},
                             Pair{std::int64_t{1} << 32 | kDLCPU, 0}}) {
    EXPECT_EQ(refusal(tensor, {.dl_device = device}), ErrorKind::buffer);
  }
}

TEST_F(ExportTest, RefusesStreams) {
  const Tensor tensor = two_by_three();
  release(managed(tensor, {.stream = None{}}));
  for (const Argument& stream : {Argument{std::int64_t{0}}, Argument{std::int64_t{-1}},
                                 Argument{std::int64_t{1}}, Argument{"1"}, Argument{1.5}}) {
    EXPECT_EQ(refusal(tensor, {.stream = stream}), ErrorKind::value);
  }
}

TEST_F(ExportTest, RefusesArgumentsOfTheWrongType) {
  const Tensor tensor = two_by_three();
  EXPECT_EQ(refusal(tensor, {.max_version = std::int64_t{1}}), ErrorKind::type);
  EXPECT_EQ(refusal(tensor, {.max_version = std::string_view("1.0")}), ErrorKind::type);
  EXPECT_EQ(refusal(tensor, {.max_version = Pair{-1, 0}}), ErrorKind::value);
  EXPECT_EQ(refusal(tensor, {.dl_device = true}), ErrorKind::type);
  EXPECT_EQ(refusal(tensor, {.copy = std::int64_t{1}}), ErrorKind::type);
}

TEST_F(ExportTest, RefusesWhatDlpackCannotDescribe) {
  for (const Dtype& dtype : {Dtype::byte_swapped(kDLInt, 32), Dtype::extended_float(),
                             Dtype::bfloat_complex(), Dtype::record(32)}) {
    const Tensor tensor = Tensor::zeros(dtype, {2});
    EXPECT_EQ(refusal(tensor, {}), ErrorKind::buffer);
    EXPECT_EQ(refusal(tensor, {.max_version = Pair{1, 0}, .copy = true}), ErrorKind::buffer);
  }
}

TEST_F(ExportTest, LegacyFormRefusesWhatNeedsAFlag) {
  const Tensor padded = Tensor::zeros(Dtype::described(kDLInt, 4, 1, Packing::padded), {2});
  EXPECT_EQ(refusal(two_by_three().read_only(), {}), ErrorKind::buffer);
  EXPECT_EQ(refusal(padded, {}), ErrorKind::buffer);
  EXPECT_EQ(refusal(padded, {.copy = true}), ErrorKind::buffer);
  release(managed(two_by_three().read_only(), {.copy = true}));
}

TEST_F(ExportTest, ByteStridesMustBeDivisible) {
  const Tensor packed_records = Tensor::zeros(Dtype::record(5), {2, 3});
  const Tensor field = packed_records.field(1, int16());
  EXPECT_EQ(refusal(field, {}), ErrorKind::buffer);
  EXPECT_EQ(refusal(field.sliced(1, 0, 1), {}), ErrorKind::buffer);
  release(managed(field, {.copy = true}));
  release(managed(field.sliced(0, 0, 1).sliced(1, 0, 1), {}));
  release(managed(field.sliced(0, 0, 0), {}));

  const ManagedTensor aligned =
      managed(Tensor::zeros(Dtype::record(6), {2, 3}).field(2, int16()), {});
  const DLTensor& found = std::get<DLManagedTensor*>(aligned)->dl_tensor;
  EXPECT_EQ(found.strides[0], 9);
  EXPECT_EQ(found.strides[1], 3);
  EXPECT_EQ(found.byte_offset, 2U);
  release(aligned);
}

TEST_F(ExportTest, PackedElementsMustStartOnAByte) {
  const Tensor packed = Tensor::zeros(Dtype::described(kDLInt, 4), {5});
  EXPECT_EQ(refusal(packed.sliced(0, 1, 2), {}), ErrorKind::buffer);
  release(managed(packed.sliced(0, 2, 2), {}));
  release(managed(packed.sliced(0, 1, 2), {.copy = true}));
}

TEST_F(ExportTest, FailureKeepsNothing) {
  const Tensor tensor = two_by_three();
  const LiveAllocations before = memory_.live();
  memory_.fail_after(0);
  EXPECT_THROW(static_cast<void>(managed(tensor, {})), std::bad_alloc);
  for (std::int64_t successes = 0; successes < 3; ++successes) {
    memory_.fail_after(successes);
    EXPECT_THROW(static_cast<void>(managed(tensor, {.copy = true})), std::bad_alloc);
  }
  EXPECT_EQ(memory_.live(), before);
  EXPECT_EQ(tensor.storage().references(), 1);
}

TEST_F(ExportTest, CapsuleCarriesTheTensorUnderItsName) {
  const Tensor tensor = two_by_three();
  {
    const Capsule legacy = exporter.capsule(tensor, {});
    EXPECT_EQ(legacy.name(), capsule_name::legacy);
    const auto* managed = static_cast<DLManagedTensor*>(legacy.pointer("dltensor"));
    EXPECT_EQ(managed->dl_tensor.data, tensor.first_element());
    const Capsule versioned = exporter.capsule(tensor, {.max_version = Pair{1, 3}});
    EXPECT_EQ(versioned.name(), capsule_name::versioned);
    EXPECT_EQ(tensor.storage().references(), 3);
  }
  EXPECT_EQ(tensor.storage().references(), 1);
}

}  // namespace
}  // namespace dlcert::reference
