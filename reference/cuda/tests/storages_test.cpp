// SPDX-License-Identifier: Apache-2.0
//
// Source of the rules: torch 2.4, _CudaLegacyStorage, the storage classes, _lazy_new, _CudaBase.

#include <array>
#include <cstring>
#include <map>
#include <new>

#include "dlcert/cuda/gpu_object.hpp"

#include "runtime_fixture.hpp"

namespace dlcert::cuda {
namespace {

class StoragesTest : public RuntimeTest {
 protected:
  Storages& storages() { return cuda().storages(); }
};

TEST_F(StoragesTest, TwelveClassesHoldOneTypeEach) {
  const std::map<std::string_view, std::string_view> expected{
      {"ByteStorage", "uint8"},
      {"CharStorage", "int8"},
      {"ShortStorage", "int16"},
      {"IntStorage", "int32"},
      {"LongStorage", "int64"},
      {"HalfStorage", "float16"},
      {"FloatStorage", "float32"},
      {"DoubleStorage", "float64"},
      {"BoolStorage", "bool"},
      {"BFloat16Storage", "bfloat16"},
      {"ComplexFloatStorage", "complex64"},
      {"ComplexDoubleStorage", "complex128"},
  };
  std::map<std::string_view, std::string_view> found;
  for (const auto& [name, dtype] : storage_classes())
    found.emplace(name, dtype);
  EXPECT_EQ(found, expected);
  EXPECT_EQ(storage_classes().size(), 12U);
}

TEST_F(StoragesTest, OnlyThePublicTypeWarnsOfRemoval) {
  for (const auto& [name, dtype] : storage_classes()) {
    EXPECT_EQ(storages().private_dtype(name), dtype);
    EXPECT_TRUE(take_warnings().empty());
    EXPECT_EQ(storages().dtype(name), dtype);
    const auto warnings = take_warnings();
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_TRUE(says(warnings[0], {"deprecated", "removed"}));
  }
  EXPECT_FALSE(lazy().initialized());
}

TEST_F(StoragesTest, BuffersWeakPointersAndSharedFilesAreRefused) {
  for (const StorageClass& each : storage_classes()) {
    EXPECT_THROW(storages().from_buffer(each.name), RuntimeError);
    EXPECT_EQ(take_warnings().size(), 1U);
    EXPECT_THROW(storages().from_weak_pointer(each.name), RuntimeError);
    EXPECT_THROW(storages().from_shared_file_name(each.name), RuntimeError);
    EXPECT_TRUE(take_warnings().empty());
  }
  EXPECT_TRUE(
      says(error_of<ValueError>([&] { storages().from_buffer("QStorage"); }), {"'QStorage'"}));
}

// ---- objects ------------------------------------------------------------------------------------

TEST_F(StoragesTest, AnObjectInitializesAndLiesOnTheCurrentDevice) {
  const GpuObject object(cuda().devices(), "float32", 4);
  EXPECT_TRUE(lazy().initialized());
  EXPECT_TRUE(GpuObject::is_cuda);
  EXPECT_FALSE(GpuObject::is_sparse);
  EXPECT_EQ(object.device(), 0);
  driver::PointerAttributes attributes;
  ASSERT_EQ(driver_.attributes(object.memory(), attributes), driver::Status::success);
  EXPECT_EQ(attributes.device, 0);
  EXPECT_EQ(attributes.kind, driver::MemoryKind::device);
}

TEST_F(StoragesTest, ConversionHappensOnTheObjectsOwnDevice) {
  cuda().devices().set(std::int64_t{1});
  const GpuObject object(cuda().devices(), "float32", 4);
  const std::array<float, 4> values{1.5F, -2.0F, 300.0F, 0.0F};
  std::memcpy(driver_.view(object.memory()), values.data(), sizeof values);
  cuda().devices().set(std::int64_t{0});
  const auto converted = object.type("int16");
  EXPECT_EQ(driver_device(), 0);
  EXPECT_EQ(cuda().devices().current(), 0);
  EXPECT_EQ(converted->device(), 1);
  EXPECT_EQ(converted->dtype(), "int16");
  std::array<std::int16_t, 4> found{};
  std::memcpy(found.data(), driver_.view(converted->memory()), sizeof found);
  EXPECT_EQ(found, (std::array<std::int16_t, 4>{1, -2, 300, 0}));
}

TEST_F(StoragesTest, AnObjectIsConvertedToEachStorageType) {
  const GpuObject object(cuda().devices(), "float32", 1);
  const float value = 1.5F;
  std::memcpy(driver_.view(object.memory()), &value, sizeof value);
  for (const StorageClass& each : storage_classes()) {
    const auto there = object.type(each.dtype);
    EXPECT_EQ(there->dtype(), each.dtype);
    float back = 0;
    const auto returned = there->type("float32");
    std::memcpy(&back, driver_.view(returned->memory()), sizeof back);
    const bool has_fractions = each.dtype.find("float") != std::string_view::npos ||
                               each.dtype.find("complex") != std::string_view::npos;
    EXPECT_EQ(back, has_fractions ? 1.5F : 1.0F) << each.dtype;
  }
}

TEST_F(StoragesTest, AnObjectThatCannotBeIsRefused) {
  EXPECT_TRUE(
      says(error_of<TypeError>([&] { GpuObject(cuda().devices(), "float8", 1); }), {"'float8'"}));
  EXPECT_THROW(GpuObject(cuda().devices(), "int64", ~std::size_t{0}), std::bad_alloc);
  EXPECT_THROW(GpuObject(cuda().devices(), "int8", std::size_t{1} << 40), std::bad_alloc);
}

TEST_F(StoragesTest, AnEmptyObjectCanBeConverted) {
  const GpuObject object(cuda().devices(), "bool", 0);
  EXPECT_EQ(object.memory(), nullptr);
  EXPECT_EQ(object.type("float64")->elements(), 0U);
}

}  // namespace
}  // namespace dlcert::cuda
