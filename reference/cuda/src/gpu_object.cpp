// SPDX-License-Identifier: Apache-2.0

#include "dlcert/cuda/gpu_object.hpp"

#include <fmt/format.h>

#include <array>
#include <complex>
#include <cstring>
#include <limits>
#include <new>
#include <utility>
#include <variant>
#include <vector>

#include "dlcert/cuda/errors.hpp"
#include "dlcert/cuda/runtime_status.hpp"
#include "dlcert/driver/select.hpp"

#include "storage_elements.hpp"

namespace dlcert::cuda {
namespace {

using Element =
    std::variant<std::uint8_t, std::int8_t, std::int16_t, std::int32_t, std::int64_t, Half, float,
                 double, bool, BFloat16, std::complex<float>, std::complex<double>>;

struct ElementType {
  std::string_view name;
  Element zero;
  std::size_t bytes;
};

template <class T>
ElementType element_type(std::string_view name) {
  return {name, T{}, sizeof(T)};
}

const std::array<ElementType, std::variant_size_v<Element>>& element_types() {
  static const std::array types{
      element_type<std::uint8_t>("uint8"),
      element_type<std::int8_t>("int8"),
      element_type<std::int16_t>("int16"),
      element_type<std::int32_t>("int32"),
      element_type<std::int64_t>("int64"),
      element_type<Half>("float16"),
      element_type<float>("float32"),
      element_type<double>("float64"),
      element_type<bool>("bool"),
      element_type<BFloat16>("bfloat16"),
      element_type<std::complex<float>>("complex64"),
      element_type<std::complex<double>>("complex128"),
  };
  return types;
}

std::size_t type_number(std::string_view dtype) {
  const auto& types = element_types();
  for (std::size_t number = 0; number < types.size(); ++number)
    if (types.at(number).name == dtype) return number;
  throw TypeError(fmt::format("expected a data type of GPU objects but found '{}'", dtype));
}

template <class From, class To>
void convert_values(const std::vector<std::byte>& from, std::vector<std::byte>& to) {
  const std::size_t elements = from.size() / sizeof(From);
  for (std::size_t i = 0; i < elements; ++i) {
    From value{};
    std::memcpy(&value, &from[i * sizeof(From)], sizeof value);
    const To result = convert_element<To>(value);
    std::memcpy(&to[i * sizeof(To)], &result, sizeof result);
  }
}

}  // namespace

GpuObject::GpuObject(DeviceSelection& devices, std::string_view dtype, std::size_t elements)
    : devices_{devices},
      dtype_{type_number(dtype)},
      elements_{elements},
      device_{devices.current()} {
  const std::size_t bytes = element_types().at(dtype_).bytes;
  if (elements > std::numeric_limits<std::size_t>::max() / bytes) throw std::bad_alloc();
  const DeviceGuard guard(devices_, device_);
  const driver::Status status =
      driver::driver().allocate(driver::MemoryKind::device, elements * bytes, memory_);
  if (status == driver::Status::out_of_memory) throw std::bad_alloc();
  check(status);
}

GpuObject::~GpuObject() {
  if (memory_ != nullptr)
    static_cast<void>(driver::driver().release(driver::MemoryKind::device, memory_));
}

std::string_view GpuObject::dtype() const noexcept {
  return element_types()[dtype_].name;
}

std::unique_ptr<GpuObject> GpuObject::type(std::string_view dtype) const {
  const DeviceGuard guard(devices_, device_);
  return converted(dtype);
}

std::unique_ptr<GpuObject> GpuObject::converted(std::string_view dtype) const {
  auto made = std::make_unique<GpuObject>(devices_, dtype, elements_);
  std::vector<std::byte> from(elements_ * element_types().at(dtype_).bytes);
  std::vector<std::byte> to(elements_ * element_types().at(made->dtype_).bytes);
  driver::Driver& driver = driver::driver();
  check(driver.synchronize_device());
  check(driver.copy(from.data(), memory_, from.size(), driver::CopyDirection::device_to_host));
  std::visit([&]<class From, class To>(From, To) { convert_values<From, To>(from, to); },
             element_types().at(dtype_).zero, element_types().at(made->dtype_).zero);
  check(driver.copy(made->memory_, to.data(), to.size(), driver::CopyDirection::host_to_device));
  check(driver.synchronize_device());
  return made;
}

}  // namespace dlcert::cuda
