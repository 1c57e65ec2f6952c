// SPDX-License-Identifier: Apache-2.0
// An extension module as authors of C++ libraries write them: arrays that come in and go out by
// nanobind's ndarray.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <tuple>
#include <vector>

namespace nb = nanobind;

namespace {

using Imported = nb::ndarray<nb::device::cpu>;
using Dtype = std::tuple<int, int, int>;
using Writable = nb::ndarray<nb::array_api>;
using ReadOnly = nb::ndarray<nb::ro, nb::array_api>;

// A strided view; what it lies in lives as long as it does.
struct Array {
  void* data = nullptr;
  nb::dlpack::dtype dtype{};
  std::vector<std::size_t> shape;
  std::vector<std::int64_t> strides;  // in elements
  bool read_only = false;
  std::vector<std::byte> storage;  // of an array of this library's own
  Imported source;                 // or what it came from
};

std::size_t item_size(const nb::dlpack::dtype& dtype) {
  return (std::size_t{dtype.bits} * dtype.lanes + 7) / 8;
}

std::unique_ptr<Array> from_dlpack(Imported source) {
  auto array = std::make_unique<Array>();
  array->data = source.data();
  array->dtype = source.dtype();
  for (std::size_t axis = 0; axis < source.ndim(); ++axis) {
    array->shape.push_back(source.shape(axis));
    array->strides.push_back(source.stride(axis));
  }
  array->source = std::move(source);
  return array;
}

// `storage` is copied; `offset` and `strides` count elements.
std::unique_ptr<Array> array_of(const nb::bytes& storage, const Dtype& dtype,
                                std::vector<std::size_t> shape, std::vector<std::int64_t> strides,
                                std::size_t offset, bool read_only) {
  auto array = std::make_unique<Array>();
  const auto* const bytes = static_cast<const std::byte*>(storage.data());
  array->storage.assign(bytes, bytes + storage.size());
  const auto [code, bits, lanes] = dtype;
  array->dtype = {static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(bits),
                  static_cast<std::uint16_t>(lanes)};
  array->data = array->storage.data() + offset * item_size(array->dtype);
  array->shape = std::move(shape);
  array->strides = std::move(strides);
  array->read_only = read_only;
  return array;
}

// The object of nanobind's that lends the array, and keeps it alive.
nb::object lent(nb::handle_t<Array> self) {
  const Array& array = nb::cast<const Array&>(self);
  const std::size_t rank = array.shape.size();
  if (array.read_only)
    return nb::cast(
        ReadOnly(array.data, rank, array.shape.data(), self, array.strides.data(), array.dtype));
  return nb::cast(
      Writable(array.data, rank, array.shape.data(), self, array.strides.data(), array.dtype));
}

// Calls `visit` with the address of each element, in row-major order.
template <typename Visit>
void for_each_element(const Array& array, const Visit& visit) {
  const std::size_t rank = array.shape.size();
  if (std::find(array.shape.begin(), array.shape.end(), 0U) != array.shape.end()) return;
  std::vector<std::size_t> index(rank, 0);
  const auto size = static_cast<std::int64_t>(item_size(array.dtype));
  for (;;) {
    std::int64_t place = 0;
    for (std::size_t axis = 0; axis < rank; ++axis)
      place += static_cast<std::int64_t>(index[axis]) * array.strides[axis];
    visit(static_cast<std::byte*>(array.data) + place * size);
    std::size_t axis = rank;
    while (axis > 0 && ++index[axis - 1] == array.shape[axis - 1])
      index[--axis] = 0;
    if (axis == 0) return;
  }
}

nb::bytes to_bytes(const Array& array) {
  std::vector<std::byte> bytes;
  for_each_element(array, [&](const std::byte* element) {
    bytes.insert(bytes.end(), element, element + item_size(array.dtype));
  });
  return nb::bytes(bytes.data(), bytes.size());
}

void set_bytes(const Array& array, const nb::bytes& bytes) {
  if (array.read_only) throw std::runtime_error("a read-only array is not written");
  const auto* next = static_cast<const std::byte*>(bytes.data());
  for_each_element(array, [&](std::byte* element) {
    std::memcpy(element, next, item_size(array.dtype));
    next += item_size(array.dtype);
  });
}

}  // namespace

NB_MODULE(nanobind_example, module) {
  nb::class_<Array>(module, "Array")
      .def_prop_ro("data",
                   [](const Array& array) { return reinterpret_cast<std::uintptr_t>(array.data); })
      .def_prop_ro("dtype",
                   [](const Array& array) {
                     return Dtype{array.dtype.code, array.dtype.bits, array.dtype.lanes};
                   })
      .def_ro("shape", &Array::shape)
      .def_ro("strides", &Array::strides)
      .def_ro("read_only", &Array::read_only)
      .def("tobytes", &to_bytes)
      .def("setbytes", &set_bytes)
      .def("__dlpack__",
           [](nb::handle_t<Array> self, const nb::kwargs& arguments) {
             return lent(self).attr("__dlpack__")(**arguments);
           })
      .def("__dlpack_device__",
           [](nb::handle_t<Array> self) { return lent(self).attr("__dlpack_device__")(); });
  module.def("array", &array_of);
  module.def("from_dlpack", &from_dlpack);
  module.attr("__version__") = NANOBIND_EXAMPLE_VERSION;
}
