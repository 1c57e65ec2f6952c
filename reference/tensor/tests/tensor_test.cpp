// SPDX-License-Identifier: Apache-2.0

#include "dlcert/tensor/tensor.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <new>

#include "support.hpp"

namespace dlcert::reference {
namespace {

using Values = std::vector<std::int16_t>;

class TensorTest : public LeakTest {
 protected:
  /// 0 1 2
  /// 3 4 5
  Tensor two_by_three() { return counting_tensor<std::int16_t>(int16(), {2, 3}); }
};

TEST_F(TensorTest, StartsRowMajorZeroedAndAligned) {
  const Tensor tensor = Tensor::zeros(int16(), {2, 3});
  EXPECT_EQ(tensor.shape(), (Dims{2, 3}));
  EXPECT_EQ(tensor.strides(), (Dims{3, 1}));
  EXPECT_TRUE(tensor.is_row_major());
  EXPECT_EQ(values_of<std::int16_t>(tensor), Values(6, 0));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(tensor.first_element()) % data_alignment, 0U);
  EXPECT_EQ(tensor.storage().size(), 12);
}

TEST_F(TensorTest, ScalarHasOneElement) {
  const Tensor scalar = counting_tensor<std::int16_t>(int16(), {});
  EXPECT_EQ(scalar.rank(), 0U);
  EXPECT_EQ(scalar.element_count(), 1);
  EXPECT_EQ(values_of<std::int16_t>(scalar), Values{0});
}

TEST_F(TensorTest, EmptyTensorHasNoFirstElement) {
  const Tensor empty = Tensor::zeros(int16(), {3, 0});
  EXPECT_TRUE(empty.is_empty());
  EXPECT_EQ(empty.first_element(), nullptr);
  EXPECT_EQ(values_of<std::int16_t>(empty), Values{});
  EXPECT_EQ(values_of<std::int16_t>(empty.copy()), Values{});
}

TEST_F(TensorTest, TransposeSwapsAxes) {
  const std::array<std::size_t, 2> order{1, 0};
  const Tensor transposed = two_by_three().transposed(order);
  EXPECT_EQ(transposed.strides(), (Dims{1, 3}));
  EXPECT_EQ(values_of<std::int16_t>(transposed), (Values{0, 3, 1, 4, 2, 5}));
  EXPECT_FALSE(transposed.is_row_major());
}

TEST_F(TensorTest, SlicesForwardsAndBackwards) {
  const Tensor tensor = two_by_three();
  EXPECT_EQ(values_of<std::int16_t>(tensor.sliced(1, 1, 2)), (Values{1, 2, 4, 5}));
  EXPECT_EQ(values_of<std::int16_t>(tensor.sliced(1, 2, 3, -1)), (Values{2, 1, 0, 5, 4, 3}));
  EXPECT_EQ(values_of<std::int16_t>(tensor.sliced(0, 1, 2, -1).sliced(1, 0, 2, 2)),
            (Values{3, 5, 0, 2}));
  EXPECT_TRUE(tensor.sliced(0, 0, 0).is_empty());
}

TEST_F(TensorTest, BroadcastRepeatsElements) {
  const Tensor row = two_by_three().sliced(0, 1, 1);
  const Tensor repeated = row.broadcast_to({2, 2, 3});
  EXPECT_EQ(repeated.strides(), (Dims{0, 0, 1}));
  EXPECT_EQ(values_of<std::int16_t>(repeated), (Values{3, 4, 5, 3, 4, 5, 3, 4, 5, 3, 4, 5}));
}

TEST_F(TensorTest, WithAxisAddsAnExtentOfOne) {
  const Tensor tensor = two_by_three().with_axis(1);
  EXPECT_EQ(tensor.shape(), (Dims{2, 1, 3}));
  EXPECT_TRUE(tensor.is_row_major());
  EXPECT_EQ(two_by_three().with_axis(2).shape(), (Dims{2, 3, 1}));
}

TEST_F(TensorTest, ViewsShareTheStorage) {
  const Tensor tensor = two_by_three();
  const Tensor view = tensor.sliced(1, 1, 1);
  const Values nines(2, 9);
  view.write(std::as_bytes(std::span(nines)));
  EXPECT_EQ(values_of<std::int16_t>(tensor), (Values{0, 9, 2, 3, 9, 5}));
  EXPECT_EQ(tensor.storage().references(), 2);
}

TEST_F(TensorTest, ViewsOutliveTheirSource) {
  const Tensor view = two_by_three().sliced(0, 1, 1);
  EXPECT_EQ(values_of<std::int16_t>(view), (Values{3, 4, 5}));
}

TEST_F(TensorTest, CopyIsIndependentAndRowMajor) {
  const Tensor tensor = two_by_three();
  const Tensor copy = tensor.sliced(1, 2, 3, -1).read_only().copy();
  EXPECT_TRUE(copy.is_row_major());
  EXPECT_FALSE(copy.is_read_only());
  EXPECT_NE(&copy.storage(), &tensor.storage());
  EXPECT_EQ(values_of<std::int16_t>(copy), (Values{2, 1, 0, 5, 4, 3}));
}

TEST_F(TensorTest, ReadOnlyRefusesToBeWritten) {
  const Tensor tensor = two_by_three().read_only();
  const Values values(6, 1);
  EXPECT_EQ(kind_of_error([&] {
              tensor.write(std::as_bytes(std::span(values)));
              return 0;
            }),
            ErrorKind::value);
  EXPECT_TRUE(tensor.sliced(0, 0, 1).is_read_only());
  EXPECT_EQ(values_of<std::int16_t>(tensor)[1], 1);
}

TEST_F(TensorTest, RefusesBuffersOfAnotherSize) {
  std::array<std::byte, 11> buffer{};
  EXPECT_EQ(kind_of_error([&] {
              two_by_three().read(buffer);
              return 0;
            }),
            ErrorKind::value);
}

TEST_F(TensorTest, RefusesViewsThatDoNotExist) {
  const Tensor tensor = two_by_three();
  const std::array<std::size_t, 2> twice{0, 0};
  const std::array<std::size_t, 1> too_few{0};
  EXPECT_EQ(kind_of_error([&] { return tensor.transposed(twice); }), ErrorKind::index);
  EXPECT_EQ(kind_of_error([&] { return tensor.transposed(too_few); }), ErrorKind::index);
  EXPECT_EQ(kind_of_error([&] { return tensor.sliced(2, 0, 1); }), ErrorKind::index);
  EXPECT_EQ(kind_of_error([&] { return tensor.sliced(1, 0, 4); }), ErrorKind::index);
  EXPECT_EQ(kind_of_error([&] { return tensor.sliced(1, 0, 2, -1); }), ErrorKind::index);
  EXPECT_EQ(kind_of_error(
                [&] { return tensor.sliced(1, 1, 3, std::numeric_limits<std::int64_t>::max()); }),
            ErrorKind::index);
  EXPECT_EQ(kind_of_error([&] { return tensor.with_axis(3); }), ErrorKind::index);
  EXPECT_EQ(kind_of_error([&] { return tensor.broadcast_to({3}); }), ErrorKind::index);
  EXPECT_EQ(kind_of_error([&] { return tensor.broadcast_to({4, 3}); }), ErrorKind::value);
  EXPECT_EQ(kind_of_error([&] { return tensor.field(0, int16()); }), ErrorKind::value);
}

TEST_F(TensorTest, RefusesLayoutsThatLeaveTheStorage) {
  const auto view = [](const Layout& layout) {
    return kind_of_error([&] { return Tensor(allocate_storage(8), int16(), layout); });
  };
  EXPECT_EQ(view({{4}, {1}}), std::nullopt);
  EXPECT_EQ(view({{5}, {1}}), ErrorKind::value);
  EXPECT_EQ(view({{4}, {1}, 1}), ErrorKind::value);
  EXPECT_EQ(view({{4}, {-1}, 48}), std::nullopt);
  EXPECT_EQ(view({{4}, {-1}, 47}), ErrorKind::value);
  EXPECT_EQ(view({{2, 2}, {1}}), ErrorKind::value);
  EXPECT_EQ(view({{-2}, {1}}), ErrorKind::value);
  EXPECT_EQ(view({{3}, {std::numeric_limits<std::int64_t>::max()}}), ErrorKind::value);
  EXPECT_EQ(view({{3, 0}, {std::numeric_limits<std::int64_t>::max(), 1}}), std::nullopt);
}

TEST_F(TensorTest, RefusesShapesWithoutAPossibleSize) {
  const std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  const auto zeros = [](const Dims& shape) {
    return kind_of_error([&] { return Tensor::zeros(float32(), shape); });
  };
  EXPECT_EQ(zeros({largest, largest}), ErrorKind::value);
  EXPECT_EQ(zeros({largest}), ErrorKind::value);
  EXPECT_EQ(zeros({-1}), ErrorKind::value);
  EXPECT_EQ(zeros({largest, 0}), std::nullopt);
  EXPECT_EQ(kind_of_error([] { return allocate_storage(-1); }), ErrorKind::value);
}

TEST_F(TensorTest, ReportsThatMemoryIsShort) {
  for (std::int64_t successes = 0; successes < 2; ++successes) {
    memory_.fail_after(successes);
    EXPECT_THROW(static_cast<void>(Tensor::zeros(int16(), {2})), std::bad_alloc);
    EXPECT_EQ(memory_.live(), LiveAllocations{});
  }
}

TEST_F(TensorTest, PackedElementsFollowEachOtherFromTheLowestBitOn) {
  const Tensor packed = Tensor::zeros(Dtype::described(kDLFloat6_e3m2fn, 6), {3});
  const std::array<std::byte, 3> values{std::byte{0x3f}, std::byte{0x01}, std::byte{0x2a}};
  packed.write(values);
  EXPECT_EQ(packed.storage().size(), 3);
  EXPECT_EQ(packed.first_element()[0], std::byte{0x7f});
  EXPECT_EQ(packed.first_element()[1], std::byte{0xa0});
  EXPECT_EQ(packed.first_element()[2], std::byte{0x02});
  EXPECT_EQ(values_of<std::byte>(packed), std::vector(values.begin(), values.end()));
  EXPECT_EQ(values_of<std::byte>(packed.sliced(0, 2, 3, -1)),
            std::vector(values.rbegin(), values.rend()));
}

TEST_F(TensorTest, PaddedElementsHaveBytesOfTheirOwn) {
  const Tensor padded = Tensor::zeros(Dtype::described(kDLInt, 4, 1, Packing::padded), {2});
  const std::array<std::byte, 2> values{std::byte{0x0f}, std::byte{0x03}};
  padded.write(values);
  EXPECT_EQ(padded.storage().size(), 2);
  EXPECT_EQ(padded.first_element()[1], std::byte{0x03});
  padded.first_element()[1] = std::byte{0xf3};
  EXPECT_EQ(values_of<std::byte>(padded)[1], std::byte{0x03});
}

TEST_F(TensorTest, LanesOfANarrowVectorArePackedWithinItsElement) {
  const Tensor vectors = Tensor::zeros(Dtype::described(kDLFloat4_e2m1fn, 4, 3), {2});
  const std::array<std::byte, 4> values{std::byte{0x21}, std::byte{0x03}, std::byte{0x65},
                                        std::byte{0x07}};
  vectors.write(values);
  EXPECT_EQ(vectors.storage().size(), 3);
  EXPECT_EQ(vectors.first_element()[1], std::byte{0x53});
  std::array<std::byte, 4> read{};
  vectors.read(read);
  EXPECT_EQ(read, values);
}

TEST_F(TensorTest, CopiesPackedElementsThatStartWithinAByte) {
  const Tensor packed = Tensor::zeros(Dtype::described(kDLUInt, 4), {5});
  packed.write(counting_bytes(5));
  const Tensor copy = packed.sliced(0, 1, 4).copy();
  EXPECT_EQ(copy.layout().offset, 0);
  EXPECT_EQ(values_of<std::byte>(copy)[0], std::byte{1});
}

TEST_F(TensorTest, StridesWithoutMeaningMayBeAnyNumber) {
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  const Tensor row(allocate_storage(8), int16(), {{1, 4}, {largest, 1}});
  EXPECT_TRUE(row.is_row_major());
  EXPECT_EQ(values_of<std::int16_t>(row.sliced(1, 3, 4, -1)), Values(4, 0));
  EXPECT_EQ(row.with_axis(0).shape(), (Dims{1, 1, 4}));
  const Tensor empty(allocate_storage(0), Dtype::record(5), {{4, 0}, {largest, largest}});
  EXPECT_TRUE(empty.is_row_major());
  EXPECT_TRUE(empty.sliced(0, 0, 2, 2).with_axis(0).field(1, int16()).copy().is_empty());
}

TEST_F(TensorTest, FieldCountsBytes) {
  const Tensor records = Tensor::zeros(Dtype::record(5), {3});
  records.write(counting_bytes(15));
  const Tensor field = records.field(1, int16());
  EXPECT_EQ(field.strides(), Dims{5});
  EXPECT_EQ(field.layout().unit, StrideUnit::byte);
  EXPECT_EQ(values_of<std::int16_t>(field), (Values{0x0201, 0x0706, 0x0c0b}));
  EXPECT_EQ(values_of<std::int16_t>(field.sliced(0, 2, 2, -2)), (Values{0x0c0b, 0x0201}));
  EXPECT_EQ(kind_of_error([&] { return records.field(4, int16()); }), ErrorKind::value);
  EXPECT_EQ(kind_of_error([&] { return records.field(-1, int16()); }), ErrorKind::value);
}

}  // namespace
}  // namespace dlcert::reference
