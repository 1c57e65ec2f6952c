// SPDX-License-Identifier: Apache-2.0

#include "dlcert/cuda/storages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "dlcert/cuda/errors.hpp"

namespace dlcert::cuda {
namespace {

constexpr std::array<StorageClass, 12> registered_storages{{
    {"ByteStorage", "uint8"},
    {"DoubleStorage", "float64"},
    {"FloatStorage", "float32"},
    {"HalfStorage", "float16"},
    {"LongStorage", "int64"},
    {"IntStorage", "int32"},
    {"ShortStorage", "int16"},
    {"CharStorage", "int8"},
    {"BoolStorage", "bool"},
    {"BFloat16Storage", "bfloat16"},
    {"ComplexDoubleStorage", "complex128"},
    {"ComplexFloatStorage", "complex64"},
}};

const StorageClass& storage_named(std::string_view name) {
  const auto found = std::ranges::find(registered_storages, name, &StorageClass::name);
  if (found == registered_storages.end())
    throw ValueError(fmt::format("expected a storage class but found '{}'", name));
  return *found;
}

[[noreturn]] void refuse_storage(std::string_view name, std::string_view from) {
  throw RuntimeError(
      fmt::format("{}: not available for GPU storage {}", from, storage_named(name).name));
}

}  // namespace

std::span<const StorageClass> storage_classes() noexcept {
  return registered_storages;
}

Storages::Storages(WarningSink warn) : warn_{std::move(warn)} {}

Storages::~Storages() = default;

void Storages::warn_of_removal() const {
  warn_("storages of one data type are deprecated and will be removed: use untyped storages");
}

std::string_view Storages::dtype(std::string_view name) const {
  const std::string_view dtype = private_dtype(name);
  warn_of_removal();
  return dtype;
}

std::string_view Storages::private_dtype(std::string_view name) const {
  return storage_named(name).dtype;
}

void Storages::from_buffer(std::string_view name) const {
  static_cast<void>(storage_named(name));
  warn_of_removal();
  refuse_storage(name, "from_buffer");
}

void Storages::from_weak_pointer(std::string_view name) const {
  refuse_storage(name, "_new_with_weak_ptr");
}

void Storages::from_shared_file_name(std::string_view name) const {
  refuse_storage(name, "_new_shared_filename");
}

}  // namespace dlcert::cuda
