// SPDX-License-Identifier: Apache-2.0

#include "dlcert/tensor/import.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <new>

#include "dlcert/tensor/export.hpp"

#include "foreign_tensor.hpp"
#include "support.hpp"

namespace dlcert::reference {
namespace {

using Values = std::vector<std::int16_t>;
constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();

template <class Managed>
class ImportTest : public LeakTest {
 protected:
  ForeignTensor<Managed> foreign_;

  Tensor import() { return importer.import(&foreign_.managed); }
  Values read() { return values_of<std::int16_t>(import()); }

  /// The refusal of the tensor as it now is. Until somebody releases it, it is still the caller's.
  std::optional<ErrorKind> refusal() {
    const auto kind = kind_of_error([&] { return importer.borrow(&foreign_.managed); });
    EXPECT_EQ(kind_of_error([&] { return import(); }), kind);
    if (kind) {
      EXPECT_EQ(foreign_.releases, 0);
    }
    foreign_.releases = 0;
    return kind;
  }
};

using Forms = testing::Types<DLManagedTensor, DLManagedTensorVersioned>;
TYPED_TEST_SUITE(ImportTest, Forms);

TYPED_TEST(ImportTest, SharesAndReleasesOnce) {
  {
    const Tensor tensor = this->import();
    EXPECT_EQ(tensor.first_element(), reinterpret_cast<std::byte*>(this->foreign_.values.data()));
    this->foreign_.values[4] = 44;
    EXPECT_EQ(values_of<std::int16_t>(tensor), (Values{0, 1, 2, 3, 44, 5}));
    const Tensor view = tensor.sliced(0, 1, 1);
    const Values nines(6, 9);
    tensor.write(std::as_bytes(std::span(nines)));
    EXPECT_EQ(this->foreign_.values[5], 9);
    EXPECT_EQ(this->foreign_.releases, 0);
  }
  EXPECT_EQ(this->foreign_.releases, 1);
}

TYPED_TEST(ImportTest, BorrowingAllocatesNothingAndReleasesOnce) {
  {
    Imported imported = importer.borrow(&this->foreign_.managed);
    EXPECT_EQ(imported.validated.tensor, &this->foreign_.tensor());
    const Imported moved = std::move(imported);
    EXPECT_EQ(this->memory_.live(), LiveAllocations{});
    EXPECT_EQ(this->foreign_.releases, 0);
  }
  EXPECT_EQ(this->foreign_.releases, 1);
}

TYPED_TEST(ImportTest, SharingCostsOneAllocation) {
  const Tensor tensor = this->import();
  const Tensor view = tensor.sliced(1, 0, 1);
  EXPECT_EQ(this->memory_.live().blocks, 1);
}

TYPED_TEST(ImportTest, LeavesTheDescriptorAlone) {
  const DLTensor before = this->foreign_.tensor();
  static_cast<void>(this->read());
  EXPECT_EQ(this->foreign_.tensor().data, before.data);
  EXPECT_EQ(this->foreign_.tensor().strides, before.strides);
  EXPECT_EQ(this->foreign_.strides, (std::vector<std::int64_t>{3, 1}));
}

TYPED_TEST(ImportTest, FailedAllocationLeavesTheTensorWithTheCaller) {
  this->memory_.fail_after(0);
  EXPECT_THROW(static_cast<void>(this->import()), std::bad_alloc);
  EXPECT_EQ(this->foreign_.releases, 0);
}

TYPED_TEST(ImportTest, ToleratesNullDeleters) {
  this->foreign_.managed.deleter = nullptr;
  EXPECT_EQ(this->read(), this->foreign_.values);
}

TYPED_TEST(ImportTest, NullStridesMeanRowMajor) {
  this->foreign_.tensor().strides = nullptr;
  EXPECT_EQ(this->read(), (Values{0, 1, 2, 3, 4, 5}));
}

TYPED_TEST(ImportTest, FollowsStridesAndOffset) {
  this->foreign_.strides = {-3, -1};
  this->foreign_.tensor().byte_offset = 10;
  EXPECT_EQ(this->read(), (Values{5, 4, 3, 2, 1, 0}));
  const Tensor tensor = this->import();
  EXPECT_EQ(tensor.storage().data(), this->foreign_.tensor().data);
  EXPECT_EQ(tensor.storage().size(), 12);
}

TYPED_TEST(ImportTest, NegativeStridesMayReachBelowTheData) {
  this->foreign_.strides = {-3, -1};
  this->foreign_.tensor().data = &this->foreign_.values[5];
  const Tensor tensor = this->import();
  EXPECT_EQ(tensor.storage().data(), reinterpret_cast<std::byte*>(this->foreign_.values.data()));
  EXPECT_EQ(values_of<std::int16_t>(tensor), (Values{5, 4, 3, 2, 1, 0}));
}

TYPED_TEST(ImportTest, ReadsZeroStridesWithinOneElement) {
  this->foreign_.shape = {2, 3};
  this->foreign_.strides = {0, 0};
  EXPECT_EQ(this->read(), Values(6, 0));
}

TYPED_TEST(ImportTest, IgnoresStridesOfAxesWithoutNeighbours) {
  this->foreign_.shape = {1, 4};
  this->foreign_.strides = {12345, 1};
  EXPECT_EQ(this->read(), (Values{0, 1, 2, 3}));
  EXPECT_TRUE(this->import().is_row_major());
}

TYPED_TEST(ImportTest, ScalarNeedsNeitherShapeNorStrides) {
  this->foreign_.tensor().ndim = 0;
  this->foreign_.tensor().shape = nullptr;
  this->foreign_.tensor().strides = nullptr;
  EXPECT_EQ(this->read(), Values{0});
}

TYPED_TEST(ImportTest, EmptyTensorNeedsNoData) {
  this->foreign_.shape = {0, 3};
  this->foreign_.strides = {huge, huge};
  this->foreign_.tensor().data = nullptr;
  EXPECT_EQ(this->read(), Values{});
  this->foreign_.tensor().data = reinterpret_cast<void*>(8);
  this->foreign_.tensor().byte_offset = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(this->read(), Values{});
}

TYPED_TEST(ImportTest, AcceptsTheHighestRank) {
  this->foreign_.shape.assign(64, 1);
  this->foreign_.strides.assign(64, 1);
  this->foreign_.tensor().ndim = 64;
  this->foreign_.tensor().shape = this->foreign_.shape.data();
  this->foreign_.tensor().strides = this->foreign_.strides.data();
  EXPECT_EQ(this->import().rank(), 64U);
}

TYPED_TEST(ImportTest, RefusesImpossibleRanksAndShapes) {
  for (const std::int32_t rank : {-1, 65, 1000, std::numeric_limits<std::int32_t>::min(),
                                  std::numeric_limits<std::int32_t>::max()}) {
    this->foreign_.tensor().ndim = rank;
    EXPECT_EQ(this->refusal(), ErrorKind::buffer) << rank;
  }
  this->foreign_.tensor().ndim = 2;
  this->foreign_.tensor().shape = nullptr;
  EXPECT_EQ(this->refusal(), ErrorKind::buffer);
}

TYPED_TEST(ImportTest, RefusesImpossibleExtents) {
  for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{-1, 3},
                                                 {2, -3},
                                                 {0, -1},
                                                 {std::numeric_limits<std::int64_t>::min(), 1}}) {
    this->foreign_.shape = shape;
    EXPECT_EQ(this->refusal(), ErrorKind::buffer);
    this->foreign_.tensor().strides = nullptr;
    EXPECT_EQ(this->refusal(), ErrorKind::buffer);
    this->foreign_.tensor().strides = this->foreign_.strides.data();
  }
}

TYPED_TEST(ImportTest, RefusesMissingData) {
  this->foreign_.tensor().data = nullptr;
  EXPECT_EQ(this->refusal(), ErrorKind::buffer);
  this->foreign_.tensor().byte_offset = 64;
  EXPECT_EQ(this->refusal(), ErrorKind::buffer);
}

TYPED_TEST(ImportTest, RefusesWhatLeavesTheAddressSpace) {
  const auto refused = [&](const std::vector<std::int64_t>& shape,
                           const std::vector<std::int64_t>& strides, std::uint64_t byte_offset) {
    this->foreign_.shape = shape;
    this->foreign_.strides = strides;
    this->foreign_.tensor().shape = this->foreign_.shape.data();
    this->foreign_.tensor().strides = this->foreign_.strides.data();
    this->foreign_.tensor().byte_offset = byte_offset;
    return this->refusal() == ErrorKind::buffer;
  };
  EXPECT_TRUE(refused({huge, 1}, {1, 1}, 0));
  EXPECT_TRUE(refused({2, 1}, {huge, 1}, 0));
  EXPECT_TRUE(refused({2, 2}, {huge, huge}, 0));
  EXPECT_TRUE(refused({2, 1}, {-huge, 1}, 0));
  EXPECT_TRUE(refused({2, 3}, {3, 1}, std::numeric_limits<std::uint64_t>::max()));
  EXPECT_TRUE(refused({2, 3}, {3, 1}, std::uint64_t{1} << 60));
  EXPECT_FALSE(refused({std::int64_t{1} << 50, 1}, {1, 1}, std::uint64_t{1} << 58));
  EXPECT_TRUE(refused({(std::int64_t{1} << 58) + 1, 1}, {1, 1}, std::uint64_t{1} << 58));
  EXPECT_TRUE(refused({huge / 8, 1}, {1, 1}, 0));
  EXPECT_TRUE(refused({2, 1}, {-(std::int64_t{1} << 50), 1}, 0));
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  this->foreign_.tensor().data = reinterpret_cast<void*>(~std::uintptr_t{7});
  EXPECT_TRUE(refused({2, 3}, {3, 1}, 0));
  this->foreign_.tensor().data = this->foreign_.values.data();
  EXPECT_FALSE(refused({std::int64_t{1} << 40, std::int64_t{1} << 40}, {0, 0}, 0));
  this->foreign_.tensor().strides = nullptr;
  EXPECT_EQ(this->refusal(), ErrorKind::buffer);
}

TYPED_TEST(ImportTest, RefusesOtherDevices) {
  for (const DLDevice device :
       {DLDevice{kDLCUDA, 0}, DLDevice{kDLCPU, 5}, DLDevice{kDLCPU, -1},
        DLDevice{static_cast<DLDeviceType>(0), 0}, DLDevice{static_cast<DLDeviceType>(99), 0},
        DLDevice{static_cast<DLDeviceType>(-1), 0}}) {
    this->foreign_.tensor().device = device;
    EXPECT_EQ(this->refusal(), ErrorKind::buffer) << to_string(device);
  }
}

TYPED_TEST(ImportTest, RefusesUnknownTypes) {
  for (const DLDataType type :
       {DLDataType{200, 16, 1}, DLDataType{kDLInt, 24, 1}, DLDataType{kDLInt, 16, 0},
        DLDataType{kDLFloat6_e2m3fn, 8, 1}, DLDataType{kDLFloat4_e2m1fn, 0, 1}}) {
    this->foreign_.tensor().dtype = type;
    EXPECT_EQ(this->refusal(), ErrorKind::buffer) << to_string(type);
  }
}

TYPED_TEST(ImportTest, ReadsEveryLegalType) {
  for (int code = 0; code < 18; ++code) {
    for (int bits = 1; bits < 256; ++bits) {
      const DLDataType type{static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(bits), 1};
      if (!Dtype::is_legal(type)) continue;
      this->foreign_.shape = {1, 0};
      this->foreign_.tensor().dtype = type;
      EXPECT_EQ(this->import().dtype(), Dtype::described(type));
    }
  }
}

TYPED_TEST(ImportTest, ExportsAgainWhatItImported) {
  this->foreign_.tensor().byte_offset = 2;
  this->foreign_.shape = {1, 5};
  DLManagedTensorVersioned* const again = exporter.versioned(this->import());
  EXPECT_EQ(again->dl_tensor.data, this->foreign_.tensor().data);
  EXPECT_EQ(again->dl_tensor.byte_offset, 2U);
  EXPECT_EQ(this->foreign_.releases, 0);
  again->deleter(again);
  EXPECT_EQ(this->foreign_.releases, 1);
}

class VersionedImportTest : public ImportTest<DLManagedTensorVersioned> {};

TEST_F(VersionedImportTest, AcceptsEveryMinorVersion) {
  for (const std::uint32_t minor : {0U, 1U, 3U, 4U, std::numeric_limits<std::uint32_t>::max()}) {
    foreign_.managed.version.minor = minor;
    EXPECT_EQ(read(), foreign_.values);
  }
}

TEST_F(VersionedImportTest, ReleasesAForeignMajorVersionUnread) {
  for (const std::uint32_t major : {0U, 2U, 99U}) {
    foreign_.releases = 0;
    foreign_.managed.version.major = major;
    foreign_.tensor().shape = reinterpret_cast<std::int64_t*>(1);
    EXPECT_EQ(kind_of_error([&] { return import(); }), ErrorKind::buffer);
    EXPECT_EQ(foreign_.releases, 1);
  }
  foreign_.managed.deleter = nullptr;
  EXPECT_EQ(kind_of_error([&] { return import(); }), ErrorKind::buffer);
}

TEST_F(VersionedImportTest, HonoursTheFlags) {
  foreign_.managed.flags = flag_read_only;
  EXPECT_TRUE(import().is_read_only());
  DLManagedTensorVersioned* const again = exporter.versioned(import());
  EXPECT_EQ(again->flags, flag_read_only);
  again->deleter(again);

  foreign_.managed.flags = flag_copied;
  EXPECT_FALSE(import().is_read_only());
  EXPECT_TRUE(importer.borrow(&foreign_.managed).is_copied());
  for (const std::uint64_t flags : {std::uint64_t{1} << 3, std::uint64_t{1} << 63}) {
    foreign_.managed.flags = flags;
    foreign_.releases = 0;
    EXPECT_EQ(refusal(), ErrorKind::buffer);
  }
}

TEST_F(VersionedImportTest, PaddingDecidesHowNarrowElementsAreRead) {
  foreign_.tensor().dtype = {kDLFloat4_e2m1fn, 4, 1};
  foreign_.shape = {1, 3};
  foreign_.values[0] = 0x0321;
  foreign_.values[1] = 0x0005;
  EXPECT_EQ(values_of<std::byte>(import()),
            (std::vector{std::byte{1}, std::byte{2}, std::byte{3}}));
  foreign_.managed.flags = flag_padded;
  EXPECT_EQ(values_of<std::byte>(import()),
            (std::vector{std::byte{1}, std::byte{3}, std::byte{5}}));
}

}  // namespace
}  // namespace dlcert::reference
