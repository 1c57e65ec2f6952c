// SPDX-License-Identifier: Apache-2.0
//
// A base for adapter classes (adapter.hpp) of libraries whose tensors lie in host memory, with
// elements of whole bytes and any strides.
//
// Your class defines which dtypes the library has, how it makes a tensor with a layout, how it
// describes and exports one. The base derives the claims and reads and writes elements. Include the
// library's dlpack.h before this header, as for dlpack_facts.h: cxx_facts() reports the facts of
// that dlpack.h.
//
//   struct Acme : dlcert::adapter::StridedTensors<acme::array> {
//     const char* name() { return "acme"; }
//     const char* version() { return acme::version; }
//
//     bool has(dlcert_dtype dtype) override;
//     Tensor make(const dlcert_tensor_spec& spec) override;
//     dlcert_description describe(Tensor& tensor) override;
//
//     dlcert_managed export_managed(Tensor&, const dlcert_request&);   // and what else it has
//     Tensor import_managed(dlcert_managed);
//   };
//   DLCERT_ADAPTER(Acme)
//
// The functions stand in the order in which an adapter needs them: what a spec asks for, what a
// library reports, elements, requests and managed tensors, the base.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include <dlcert/adapter.hpp>

#include <dlcert/dlpack_facts.h>

namespace dlcert::adapter {

// ---- what a spec asks for -----------------------------------------------------------------------

// Returns the bytes of an element.
inline std::int64_t element_bytes(dlcert_dtype dtype) {
  return (std::int64_t{dtype.bits} * dtype.lanes + 7) / 8;
}

// Returns the bytes of the unit that offset, strides and storage_size of a spec count.
inline std::int64_t unit_bytes(const dlcert_tensor_spec& spec) {
  return (spec.flags & DLCERT_SPEC_BYTE_STRIDES) != 0 ? 1 : element_bytes(spec.dtype);
}

// Returns the bytes of the spec's storage.
inline std::int64_t storage_bytes(const dlcert_tensor_spec& spec) {
  return spec.storage_size * unit_bytes(spec);
}
// Returns the bytes between the start of the storage and logical element (0, ..., 0).
inline std::int64_t offset_bytes(const dlcert_tensor_spec& spec) {
  return spec.offset * unit_bytes(spec);
}

// Returns the extents of a spec.
inline std::vector<std::int64_t> shape_of(const dlcert_tensor_spec& spec) {
  return {spec.shape, spec.shape + spec.ndim};
}

// Returns the strides of a spec, in units.
inline std::vector<std::int64_t> strides_of(const dlcert_tensor_spec& spec) {
  return {spec.strides, spec.strides + spec.ndim};
}
// Returns the strides of a spec, in bytes.
inline std::vector<std::int64_t> byte_strides_of(const dlcert_tensor_spec& spec) {
  std::vector<std::int64_t> strides = strides_of(spec);
  for (std::int64_t& stride : strides)
    stride *= unit_bytes(spec);
  return strides;
}

// Returns whether an extent is 0.
inline bool empty(const dlcert_tensor_spec& spec) {
  return std::find(spec.shape, spec.shape + spec.ndim, 0) != spec.shape + spec.ndim;
}
// Returns whether a stride is negative.
inline bool reversed(const dlcert_tensor_spec& spec) {
  return std::any_of(spec.strides, spec.strides + spec.ndim, [](std::int64_t s) { return s < 0; });
}

// Returns compact(spec), but allows any offset: the layouts of a library with compact tensors and
// views at an offset.
inline bool compact_at_offset(dlcert_tensor_spec spec) {
  spec.offset = 0;
  return compact(spec);
}

// Allocates memory, aligned to 256 bytes. Never returns NULL, even for 0 bytes. Throws
// std::bad_alloc.
inline std::shared_ptr<std::byte> host_memory(std::int64_t bytes) {
  constexpr std::align_val_t alignment{256};
  const auto size = static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1));
  return {static_cast<std::byte*>(::operator new(size, alignment)),
          [](std::byte* memory) { ::operator delete(memory, alignment); }};
}

// ---- what a library reports ---------------------------------------------------------------------

// The device of host memory.
inline constexpr dlcert_device host{kDLCPU, 0};

// Converts dtypes and devices between dlcert's types and those of the library's dlpack.h.
inline DLDataType dlpack_dtype(dlcert_dtype dtype) {
  return {dtype.code, dtype.bits, dtype.lanes};
}
inline dlcert_dtype dtype_of(DLDataType dtype) {
  return {dtype.code, dtype.bits, dtype.lanes};
}
inline dlcert_device device_of(DLCERT_FACTS_DEVICE device) {
  return {static_cast<std::int32_t>(device.device_type), device.device_id};
}

// The dtypes of a library, each with the library's own name for it, a value of type Own.
template <typename Own>
class DtypeTable {
 public:
  struct Row {
    std::uint8_t code, bits;
    Own own;
    std::uint16_t lanes = 1;
  };
  DtypeTable(std::initializer_list<Row> rows) : rows_(rows) {}

  // Returns the library's name for a dtype, or NULL if it has none. The pointer is valid as long as
  // the table.
  const Own* own(dlcert_dtype dtype) const {
    for (const Row& row : rows_)
      if (row.code == dtype.code && row.bits == dtype.bits && row.lanes == dtype.lanes)
        return &row.own;
    return nullptr;
  }
  // Returns the dtype for one of the library's names. Throws std::invalid_argument if no row has
  // that name.
  dlcert_dtype dtype(const Own& word) const {
    for (const Row& row : rows_)
      if (row.own == word) return {row.code, row.bits, row.lanes};
    throw std::invalid_argument{"a dtype of the library's that its adapter does not know"};
  }

 private:
  std::vector<Row> rows_;
};

// Returns the strides of a compact row-major tensor, in elements.
inline std::vector<std::int64_t> row_major(std::span<const std::int64_t> shape) {
  std::vector<std::int64_t> strides(shape.size());
  std::int64_t stride = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    strides[axis] = stride;
    stride *= std::max<std::int64_t>(shape[axis], 1);
  }
  return strides;
}

// Converts strides from bytes to elements. Returns an empty vector if a stride is not a multiple of
// the element.
inline std::vector<std::int64_t> in_elements(std::vector<std::int64_t> strides,
                                             std::int64_t element_bytes) {
  for (std::int64_t& stride : strides) {
    if (stride % element_bytes != 0) return {};
    stride /= element_bytes;
  }
  return strides;
}

// Returns a description, with flags of DLCERT_DESCRIPTION_*. It points to the memory of the spans,
// which the library owns. Strides are in elements; empty strides mean a compact row-major tensor.
// `first` is the address of logical element (0, ..., 0).
inline dlcert_description described(dlcert_dtype dtype, dlcert_device device,
                                    std::span<const std::int64_t> shape,
                                    std::span<const std::int64_t> strides, const void* first,
                                    std::uint32_t flags = 0) {
  dlcert_description said{};
  said.flags = flags;
  said.dtype = dtype;
  said.device = device;
  said.ndim = static_cast<std::int32_t>(shape.size());
  said.shape = shape.data();
  said.strides = strides.empty() ? nullptr : strides.data();
  said.data = first;
  return said;
}

// Adds the allocation that holds the elements, which the library owns too.
inline dlcert_description with_storage(dlcert_description said, const void* begin,
                                       std::uint64_t bytes) {
  said.storage_begin = begin;
  said.storage_bytes = bytes;
  return said;
}

// ---- elements -----------------------------------------------------------------------------------

// The places of a tensor's elements in host memory.
struct Elements {
  std::int64_t bytes = 0;  // of one element
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;  // in bytes
  const void* first = nullptr;        // the address of logical element (0, ..., 0)
};

// Returns the elements of a described tensor.
inline Elements elements_of(const dlcert_description& tensor) {
  const auto rank = static_cast<std::size_t>(std::max(tensor.ndim, 0));
  Elements elements;
  elements.bytes = element_bytes(tensor.dtype);
  elements.shape.assign(tensor.shape, tensor.shape + rank);
  if (tensor.strides != nullptr)
    elements.strides.assign(tensor.strides, tensor.strides + rank);
  else
    elements.strides = row_major(elements.shape);
  for (std::int64_t& stride : elements.strides)
    stride *= elements.bytes;
  elements.first = tensor.data;
  return elements;
}

// Returns the elements of a tensor with the layout of a spec. `first` is the address of logical
// element (0, ..., 0).
inline Elements elements_of(const dlcert_tensor_spec& spec, const void* first) {
  return {element_bytes(spec.dtype), shape_of(spec), byte_strides_of(spec), first};
}

// Calls visit(std::byte*) for each element, with the last index fastest. Calls it for none if an
// extent is not positive. If visit writes, the memory must be writable, even that of a read-only
// tensor.
template <typename Visit>
void each_element(const Elements& elements, const Visit& visit) {
  const auto& [bytes, shape, strides, first] = elements;
  if (std::any_of(shape.begin(), shape.end(), [](std::int64_t extent) { return extent < 1; }))
    return;
  std::vector<std::int64_t> index(shape.size());
  auto* element = static_cast<std::byte*>(const_cast<void*>(first));
  while (true) {
    visit(element);
    std::size_t axis = shape.size();
    for (; axis > 0; --axis) {
      const std::size_t inner = axis - 1;
      if (++index[inner] < shape[inner]) {
        element += strides[inner];
        break;
      }
      element -= (shape[inner] - 1) * strides[inner];
      index[inner] = 0;
    }
    if (axis == 0) return;
  }
}

namespace detail {

// Calls copy(element, position in the logical bytes) for each element. Throws std::invalid_argument
// if the elements do not take exactly `size` bytes, before it touches a byte beyond them.
template <typename Copy>
void each_logical(const Elements& elements, std::size_t size, const Copy& copy) {
  const auto bytes = static_cast<std::size_t>(elements.bytes);
  std::size_t place = 0;
  each_element(elements, [&](std::byte* element) {
    if (size - place < bytes) throw std::invalid_argument{"more elements than logical bytes"};
    copy(element, place);
    place += bytes;
  });
  if (place != size) throw std::invalid_argument{"fewer elements than logical bytes"};
}

}  // namespace detail

// Copies the elements to logical bytes. Throws std::invalid_argument if the number of bytes is
// wrong.
inline void gather(const Elements& from, std::span<std::byte> logical) {
  const auto bytes = static_cast<std::size_t>(from.bytes);
  detail::each_logical(from, logical.size(), [&](const std::byte* element, std::size_t place) {
    std::memcpy(logical.data() + place, element, bytes);
  });
}
// Copies logical bytes to the elements. Throws std::invalid_argument if the number of bytes is
// wrong.
inline void scatter(const Elements& to, std::span<const std::byte> logical) {
  const auto bytes = static_cast<std::size_t>(to.bytes);
  detail::each_logical(to, logical.size(), [&](std::byte* element, std::size_t place) {
    std::memcpy(element, logical.data() + place, bytes);
  });
}

// ---- requests and managed tensors ---------------------------------------------------------------

// Returns the form of managed tensor that a request asks for: DLCERT_VERSIONED if max_version is
// (1, 0) or newer, else DLCERT_LEGACY. For libraries whose export functions have no parameter; with
// `versioned_copies`, the function for the versioned form has a parameter `copy`. Throws
// NotFormable if the request gives any other argument, or asks for a form that the library's
// dlpack.h does not have.
inline std::int32_t requested_form(const dlcert_request& request, bool versioned_copies = false) {
  const dlcert_value &version = request.max_version, &copy = request.copy;
  const bool versioned = version.tag == DLCERT_PAIR && version.first >= 1;
  const bool copy_known = versioned && versioned_copies && copy.tag == DLCERT_BOOL;
  const bool version_known = version.tag <= DLCERT_NONE || version.tag == DLCERT_PAIR;
  if (request.stream.tag > DLCERT_NONE || request.dl_device.tag > DLCERT_NONE || !version_known ||
      (copy.tag > DLCERT_NONE && !copy_known) || (versioned && DLCERT_FACTS_VERSION < 100))
    throw NotFormable{};
  return versioned ? DLCERT_VERSIONED : DLCERT_LEGACY;
}

// Returns whether a request asks for a copy.
inline bool requested_copy(const dlcert_request& request) {
  return request.copy.tag == DLCERT_BOOL && request.copy.first != 0;
}

// The form of a managed tensor of type Managed: DLCERT_LEGACY for DLManagedTensor, DLCERT_VERSIONED
// for DLManagedTensorVersioned.
template <typename Managed>
inline constexpr std::int32_t form_of =
    std::is_same_v<Managed, DLManagedTensor> ? DLCERT_LEGACY : DLCERT_VERSIONED;

// Converts a managed tensor that the library made to the type that dlcert takes.
template <typename Managed>
dlcert_managed exported(Managed* made) {
  return {form_of<Managed>, 0, made};
}

// Converts a managed tensor from dlcert to the library's type. Throws NotFormable if it has the
// other form.
template <typename Managed>
Managed* imported(dlcert_managed managed) {
  if (managed.form != form_of<Managed>) throw NotFormable{};
  return static_cast<Managed*>(managed.pointer);
}

// ---- the base -----------------------------------------------------------------------------------

// The base of the adapter class of such a library. T stands for a tensor.
template <typename T>
class StridedTensors {
 public:
  using Tensor = T;

  StridedTensors() = default;
  StridedTensors(const StridedTensors&) = delete;
  StridedTensors& operator=(const StridedTensors&) = delete;
  virtual ~StridedTensors() = default;

  // Returns the facts of the dlpack.h that was included before this header.
  const dlcert_dlpack_facts* cxx_facts() {
    static const dlcert_dlpack_facts facts = [] {
      dlcert_dlpack_facts filled;
      dlcert_fill_dlpack_facts(&filled);
      return filled;
    }();
    return &facts;
  }

  // Returns whether the library has elements of a dtype. Called once for each dtype. An exception
  // means no.
  virtual bool has(dlcert_dtype dtype) = 0;
  // Returns whether the library can make the shape, offset and strides of a spec, such as
  // compact(spec) or !reversed(spec). Default: all.
  virtual bool has_layout(const dlcert_tensor_spec& /*spec*/) { return true; }
  // Returns whether the library can import that shape, offset and strides. Default:
  // has_layout(spec).
  virtual bool takes_layout(const dlcert_tensor_spec& spec) { return has_layout(spec); }
  // Returns which of DLCERT_SPEC_READ_ONLY and DLCERT_SPEC_BYTE_STRIDES the library has. Default:
  // none.
  virtual std::uint32_t flags() { return 0; }
  // Returns whether the library has the state of a spec (DLCERT_STATE_*). Default:
  // DLCERT_STATE_PLAIN.
  virtual bool has_state(const dlcert_tensor_spec& spec) {
    return spec.state == DLCERT_STATE_PLAIN;
  }
  // Returns whether the library claims a spec: the spec lies on the host and meets the conditions
  // above.
  virtual bool can(const dlcert_tensor_spec& spec) { return claims(spec) && has_layout(spec); }
  virtual bool can_import(const dlcert_tensor_spec& spec) {
    return claims(spec) && takes_layout(spec);
  }

  // Makes a tensor with the dtype, shape, strides, offset and storage of a claimed spec, and
  // read-only if the spec is. The elements may hold anything: create() writes them into the
  // tensor's memory. make() may ignore the state.
  virtual Tensor make(const dlcert_tensor_spec& spec) = 0;

  // Describes a tensor that the library made or imported.
  virtual dlcert_description describe(Tensor& tensor) = 0;

  // Returns the places of the tensor's elements. Default: what describe() reports.
  virtual Elements elements(Tensor& tensor) { return elements_of(describe(tensor)); }

  // Makes a tensor by make() and copies the logical bytes to its elements.
  virtual Tensor create(const dlcert_tensor_spec& spec, std::span<const std::byte> logical) {
    Tensor made = make(spec);
    scatter(elements_of(spec, elements(made).first), logical);
    return made;
  }
  // Copies the elements to `logical`, which has exactly their logical bytes.
  virtual void read(Tensor& tensor, std::span<std::byte> logical) {
    gather(elements(tensor), logical);
  }
  // Overwrites the elements. Throws std::invalid_argument if describe() reports a read-only tensor.
  virtual void write(Tensor& tensor, std::span<const std::byte> logical) {
    if ((describe(tensor).flags & DLCERT_DESCRIPTION_READ_ONLY) != 0)
      throw std::invalid_argument{"the tensor is read-only"};
    scatter(elements(tensor), logical);
  }

 private:
  bool claims(const dlcert_tensor_spec& spec) {
    return spec.device.type == host.type && spec.device.id == host.id &&
           (spec.flags & ~flags()) == 0 && known(spec.dtype) && has_state(spec);
  }

  bool known(dlcert_dtype dtype) {
    const std::lock_guard lock{mutex_};
    const auto [row, unasked] = known_.try_emplace({dtype.code, dtype.bits, dtype.lanes});
    if (unasked) {
      try {
        row->second = has(dtype);
      } catch (const std::exception&) {
        row->second = false;
      }
    }
    return row->second;
  }

  std::mutex mutex_;
  std::map<std::array<int, 3>, bool> known_;  // by code, bits, lanes
};

}  // namespace dlcert::adapter
