// SPDX-License-Identifier: Apache-2.0
//
// Values of Python's as reference/tensor takes them, and back. What cannot be read is an Error, or
// Raised.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "dlcert/python/owned.hpp"
#include "dlcert/tensor/device.hpp"
#include "dlcert/tensor/dims.hpp"
#include "dlcert/tensor/request.hpp"

namespace dlcert::reference::python {

/// An argument of `__dlpack__` or `from_dlpack`. NULL was not given; text is borrowed from the
/// object. What is neither None, boolean, number, text nor a tuple of two integers is a type error,
/// an integer beyond 64 bits a value error. An integer is whatever has `__index__`.
[[nodiscard]] Argument argument_of(PyObject* object);
/// Not for one that was not given.
[[nodiscard]] Owned object_of(const Argument& argument);

[[nodiscard]] DLDevice device_of(PyObject* object);
[[nodiscard]] Owned object_of(DLDevice device);

/// The numbers of a sequence.
[[nodiscard]] Dims dims_of(PyObject* sequence);
/// What a bytes object holds, as long as it lives.
[[nodiscard]] std::span<const std::byte> bytes_of(PyObject* object);
/// A tuple.
[[nodiscard]] Owned object_of(std::span<const std::int64_t> numbers);

}  // namespace dlcert::reference::python
