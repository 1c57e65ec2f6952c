// SPDX-License-Identifier: Apache-2.0

#include "dlcert/python/create.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "dlcert/python/arguments.hpp"
#include "dlcert/python/errors.hpp"
#include "dlcert/tensor/layout.hpp"

namespace dlcert::reference::python {
namespace {

struct Arguments {
  PyObject* data = nullptr;
  PyObject* dtype = nullptr;
  PyObject* shape = nullptr;
  PyObject* strides = Py_None;
  long long offset = 0;
  PyObject* storage_size = Py_None;
  PyObject* device = nullptr;
  int readonly = 0;
  int padded = 0;
  int byte_strides = 0;
  const char* kind = "described";
};

Arguments parsed(PyObject* arguments, PyObject* keywords) {
  static const char* const names[] = {"data",   "dtype",        "shape",  "strides",
                                      "offset", "storage_size", "device", "readonly",
                                      "padded", "byte_strides", "kind",   nullptr};
  Arguments found;
  if (PyArg_ParseTupleAndKeywords(
          arguments, keywords, "OOO|OL$OOppps:Array", const_cast<char**>(names), &found.data,
          &found.dtype, &found.shape, &found.strides, &found.offset, &found.storage_size,
          &found.device, &found.readonly, &found.padded, &found.byte_strides, &found.kind) == 0)
    throw_raised();
  return found;
}

DLDataType description_of(PyObject* dtype) {
  const Dims numbers = dims_of(dtype);
  const bool fits = numbers.size() == 3 &&
                    std::ranges::all_of(numbers.span(), [](auto number) { return number >= 0; }) &&
                    numbers[0] <= 0xff && numbers[1] <= 0xff && numbers[2] <= 0xffff;
  if (!fits) throw Error(ErrorKind::value, "expected a data type (code, bits, lanes)");
  return {static_cast<std::uint8_t>(numbers[0]), static_cast<std::uint8_t>(numbers[1]),
          static_cast<std::uint16_t>(numbers[2])};
}

Dtype dtype_of(const Arguments& wanted) {
  const DLDataType type = description_of(wanted.dtype);
  const std::string_view kind = wanted.kind;
  if (kind == "described")
    return Dtype::described(type, wanted.padded != 0 ? Packing::padded : Packing::packed);
  if (kind == "byte_swapped")
    return Dtype::byte_swapped(static_cast<DLDataTypeCode>(type.code), type.bits);
  if (kind == "extended_float") return Dtype::extended_float();
  if (kind == "bfloat_complex") return Dtype::bfloat_complex();
  if (kind == "record")
    return Dtype::record(static_cast<std::uint16_t>(type.bits * type.lanes / 8));
  throw Error(ErrorKind::value, "expected a kind of element but found '" + std::string(kind) + "'");
}

Layout layout_of(const Arguments& wanted, const Dtype& dtype) {
  const Dims shape = dims_of(wanted.shape);
  if (wanted.strides == Py_None) return Layout::row_major(shape, dtype);
  const auto unit = wanted.byte_strides != 0 ? StrideUnit::byte : StrideUnit::element;
  Layout layout(shape, dims_of(wanted.strides), 0, unit);
  if (__builtin_mul_overflow(wanted.offset, layout.unit_bits(dtype), &layout.offset))
    throw Error(ErrorKind::value, "expected an offset within the address space");
  return layout;
}

/// The bits of a storage that ends with the last element.
std::int64_t bits_reached(const Layout& layout, const Dtype& dtype) {
  if (layout.shape.size() != layout.strides.size()) return 0;  // which the tensor refuses
  const Reach reach = reach_of(layout.shape.span(), layout.strides.span());
  std::int64_t bits = 0;
  if (reach.empty) return 0;
  if (reach.overflow || __builtin_mul_overflow(reach.high, layout.unit_bits(dtype), &bits) ||
      __builtin_add_overflow(bits, layout.offset, &bits) ||
      __builtin_add_overflow(bits, dtype.stored_bits(), &bits))
    throw Error(ErrorKind::value, "expected elements within the address space");
  return bits;
}

std::int64_t storage_bits(const Arguments& wanted, const Layout& layout, const Dtype& dtype) {
  if (wanted.storage_size == Py_None) return bits_reached(layout, dtype);
  const std::int64_t units = PyLong_AsLongLong(wanted.storage_size);
  std::int64_t bits = 0;
  if (units == -1 && PyErr_Occurred() != nullptr) throw_raised();
  if (__builtin_mul_overflow(units, layout.unit_bits(dtype), &bits))
    throw Error(ErrorKind::value, "expected a storage within the address space");
  return bits;
}

}  // namespace

Tensor create(PyObject* arguments, PyObject* keywords) {
  const Arguments wanted = parsed(arguments, keywords);
  const Dtype dtype = dtype_of(wanted);
  const Layout layout = layout_of(wanted, dtype);
  const DLDevice device = wanted.device != nullptr ? device_of(wanted.device) : cpu_device;
  const std::int64_t bytes = ceil_bytes(storage_bits(wanted, layout, dtype));
  Tensor tensor(allocate_storage(bytes, device), dtype, layout);
  if (wanted.data != Py_None) tensor.write(bytes_of(wanted.data));
  return wanted.readonly != 0 ? tensor.read_only() : tensor;
}

}  // namespace dlcert::reference::python
