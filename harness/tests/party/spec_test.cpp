// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <dlcert/suite/spec.hpp>

namespace dlcert {
namespace {

TEST(SpecText, NamesDtypes) {
  EXPECT_EQ(to_text(dlcert_dtype{2, 32, 1}), "float32");
  EXPECT_EQ(to_text(dlcert_dtype{2, 32, 4}), "float32x4");
  EXPECT_EQ(to_text(dlcert_dtype{1, 1, 1}), "uint1");
  EXPECT_EQ(to_text(dlcert_dtype{6, 8, 1}), "bool");
  EXPECT_EQ(to_text(dlcert_dtype{6, 1, 1}), "bool/1");
  EXPECT_EQ(to_text(dlcert_dtype{10, 8, 1}), "float8_e4m3fn");
  EXPECT_EQ(to_text(dlcert_dtype{17, 4, 2}), "float4_e2m1fnx2");
  EXPECT_EQ(to_text(dlcert_dtype{200, 8, 1}), "code200/8");
}

TEST(SpecText, NamesDevices) {
  EXPECT_EQ(to_text(dlcert_device{1, 0}), "cpu:0");
  EXPECT_EQ(to_text(dlcert_device{2, 1}), "cuda:1");
  EXPECT_EQ(to_text(dlcert_device{18, 0}), "trn:0");
  EXPECT_EQ(to_text(dlcert_device{5, 0}), "device5:0");
  EXPECT_EQ(to_text(dlcert_device{-1, 0}), "device-1:0");
  EXPECT_EQ(to_text(dlcert_device{99, 0}), "device99:0");
}

TEST(SpecText, ShowsWhatIsUnusual) {
  TensorSpec spec = compact_spec({2, 32, 1}, {2, 3});
  EXPECT_EQ(to_text(spec), "float32 shape=[2, 3] strides=[3, 1] offset=0");
  spec.flags = DLCERT_SPEC_READ_ONLY | DLCERT_SPEC_SUBBYTE_PADDED;
  spec.device = {2, 0};
  EXPECT_EQ(to_text(spec),
            "float32 shape=[2, 3] strides=[3, 1] offset=0 device=cuda:0 read-only padded");
}

TEST(SpecText, ShowsGivenArgumentsOnly) {
  EXPECT_EQ(to_text(request()), "");
  dlcert_request given = request_version(1, 0);
  given.copy = boolean(true);
  given.stream = none();
  EXPECT_EQ(to_text(given), "stream=none max_version=(1, 0) copy=true");
  dlcert_import_request import = import_request();
  import.device = text("cpu");
  EXPECT_EQ(to_text(import), "device=\"cpu\"");
}

TEST(SpecText, NamesErrorsAsPythonDoes) {
  EXPECT_EQ(to_text(Error{DLCERT_ERROR_BUFFER, 0, "", "no"}), "BufferError: no");
  EXPECT_EQ(to_text(Error{DLCERT_ERROR_BUFFER, 0, "BufferError", "no"}), "BufferError: no");
  EXPECT_EQ(to_text(Error{DLCERT_ERROR_RUNTIME, 0, "c10::Error", "no"}),
            "RuntimeError (c10::Error): no");
  EXPECT_EQ(to_text(Error{DLCERT_ERROR_DEVICE, 700, "", ""}), "device error 700");
  EXPECT_STREQ(error_kind_name(99), "error");
}

TEST(Spec, CompactStridesTreatEmptyAxesAsOne) {
  EXPECT_EQ(row_major_strides({2, 3, 4}), (std::vector<std::int64_t>{12, 4, 1}));
  EXPECT_EQ(row_major_strides({2, 0, 4}), (std::vector<std::int64_t>{4, 4, 1}));
  EXPECT_EQ(compact_spec({2, 32, 1}, {}).storage_size, 1);
  EXPECT_EQ(compact_spec({2, 32, 1}, {2, 0}).storage_size, 0);
}

TEST(Spec, StridesOfUnitAxesDoNotCountForContiguity) {
  TensorSpec spec = compact_spec({2, 32, 1}, {2, 1, 3});
  spec.strides[1] = 77;
  EXPECT_TRUE(spec.contiguous());
  spec.strides[0] = 4;
  EXPECT_FALSE(spec.contiguous());
  spec.shape[2] = 0;
  EXPECT_TRUE(spec.contiguous());
}

TEST(Spec, ByteStridesAreCompactInBytes) {
  TensorSpec spec = compact_spec({2, 32, 1}, {2, 3});
  spec.flags = DLCERT_SPEC_BYTE_STRIDES;
  EXPECT_FALSE(spec.contiguous());
  spec.strides = {12, 4};
  EXPECT_TRUE(spec.contiguous());
}

TEST(Spec, LogicalItemsAreWholeBytes) {
  EXPECT_EQ(logical_item_size({1, 1, 1}), 1u);
  EXPECT_EQ(logical_item_size({17, 4, 3}), 2u);
  EXPECT_EQ(logical_item_size({5, 128, 1}), 16u);
  EXPECT_TRUE(sub_byte({17, 4, 1}));
  EXPECT_FALSE(sub_byte({17, 4, 2}));
}

TEST(Spec, CFormPointsIntoTheSpec) {
  const TensorSpec spec = compact_spec({2, 32, 1}, {2, 3});
  const dlcert_tensor_spec c = spec.c();
  EXPECT_EQ(c.struct_size, sizeof(c));
  EXPECT_EQ(c.shape, spec.shape.data());
  EXPECT_EQ(c.ndim, 2);
  EXPECT_EQ(compact_spec({2, 32, 1}, {}).c().shape, nullptr);
}

}  // namespace
}  // namespace dlcert
