// SPDX-License-Identifier: Apache-2.0
//
// For adapter classes (adapter.hpp) of libraries whose tensors lie in host memory, in elements of
// whole bytes at strides. Such a class says which dtypes there are, how the library makes a tensor
// with a layout, what it says of one, and how it hands one over; from its base it has the claims,
// and every way through the elements. Include the library's dlpack.h before this, as for
// dlpack_facts.h: what it says is the class's cxx_facts().
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
// Functions stand here in the order in which an adapter needs them: for what a spec asks for, for
// what a library says, for the way through elements, for requests and managed tensors.
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

// Bytes of an element.
inline std::int64_t element_bytes(dlcert_dtype dtype) {
  return (std::int64_t{dtype.bits} * dtype.lanes + 7) / 8;
}

// Bytes of what offset, strides and storage_size of a spec count.
inline std::int64_t unit_bytes(const dlcert_tensor_spec& spec) {
  return (spec.flags & DLCERT_SPEC_BYTE_STRIDES) != 0 ? 1 : element_bytes(spec.dtype);
}

// Bytes of its storage, and of what lies there before logical element (0, ..., 0).
inline std::int64_t storage_bytes(const dlcert_tensor_spec& spec) {
  return spec.storage_size * unit_bytes(spec);
}
inline std::int64_t offset_bytes(const dlcert_tensor_spec& spec) {
  return spec.offset * unit_bytes(spec);
}

inline std::vector<std::int64_t> shape_of(const dlcert_tensor_spec& spec) {
  return {spec.shape, spec.shape + spec.ndim};
}

// In units.
inline std::vector<std::int64_t> strides_of(const dlcert_tensor_spec& spec) {
  return {spec.strides, spec.strides + spec.ndim};
}
inline std::vector<std::int64_t> byte_strides_of(const dlcert_tensor_spec& spec) {
  std::vector<std::int64_t> strides = strides_of(spec);
  for (std::int64_t& stride : strides)
    stride *= unit_bytes(spec);
  return strides;
}

// Whether an extent is 0; whether a stride is negative.
inline bool empty(const dlcert_tensor_spec& spec) {
  return std::find(spec.shape, spec.shape + spec.ndim, 0) != spec.shape + spec.ndim;
}
inline bool reversed(const dlcert_tensor_spec& spec) {
  return std::any_of(spec.strides, spec.strides + spec.ndim, [](std::int64_t s) { return s < 0; });
}

// Whether it is compact(spec), but for its offset: what a library of compact tensors may take.
inline bool compact_at_offset(dlcert_tensor_spec spec) {
  spec.offset = 0;
  return compact(spec);
}

// New memory, aligned to 256 bytes; not null, however few bytes these are.
inline std::shared_ptr<std::byte> host_memory(std::int64_t bytes) {
  constexpr std::align_val_t alignment{256};
  const auto size = static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1));
  return {static_cast<std::byte*>(::operator new(size, alignment)),
          [](std::byte* memory) { ::operator delete(memory, alignment); }};
}

// ---- what a library says ------------------------------------------------------------------------

inline constexpr dlcert_device host{kDLCPU, 0};

inline DLDataType dlpack_dtype(dlcert_dtype dtype) {
  return {dtype.code, dtype.bits, dtype.lanes};
}
inline dlcert_dtype dtype_of(DLDataType dtype) {
  return {dtype.code, dtype.bits, dtype.lanes};
}
inline dlcert_device device_of(DLCERT_FACTS_DEVICE device) {
  return {static_cast<std::int32_t>(device.device_type), device.device_id};
}

// The dtypes of a library, each with its own word for it, of type Own.
template <typename Own>
class DtypeTable {
 public:
  struct Row {
    std::uint8_t code, bits;
    Own own;
    std::uint16_t lanes = 1;
  };
  DtypeTable(std::initializer_list<Row> rows) : rows_(rows) {}

  // The library's word for a dtype; null where it has none. Valid as long as the table.
  const Own* own(dlcert_dtype dtype) const {
    for (const Row& row : rows_)
      if (row.code == dtype.code && row.bits == dtype.bits && row.lanes == dtype.lanes)
        return &row.own;
    return nullptr;
  }
  // The dtype that one of its words means. Throws where no row has the word.
  dlcert_dtype dtype(const Own& word) const {
    for (const Row& row : rows_)
      if (row.own == word) return {row.code, row.bits, row.lanes};
    throw std::invalid_argument{"a dtype of the library's that its adapter does not know"};
  }

 private:
  std::vector<Row> rows_;
};

// The strides of a compact row-major tensor, in elements.
inline std::vector<std::int64_t> row_major(std::span<const std::int64_t> shape) {
  std::vector<std::int64_t> strides(shape.size());
  std::int64_t stride = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    strides[axis] = stride;
    stride *= std::max<std::int64_t>(shape[axis], 1);
  }
  return strides;
}

// Strides that are given in bytes, in elements; empty where one is no multiple of an element.
inline std::vector<std::int64_t> in_elements(std::vector<std::int64_t> strides,
                                             std::int64_t element_bytes) {
  for (std::int64_t& stride : strides) {
    if (stride % element_bytes != 0) return {};
    stride /= element_bytes;
  }
  return strides;
}

// A description, with flags of DLCERT_DESCRIPTION_*. What the spans are of is the library's;
// strides count elements, and without them the tensor is compact and row-major.
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

// The same with the allocation that backs the tensor, which is the library's as well.
inline dlcert_description with_storage(dlcert_description said, const void* begin,
                                       std::uint64_t bytes) {
  said.storage_begin = begin;
  said.storage_bytes = bytes;
  return said;
}

// ---- elements -----------------------------------------------------------------------------------

// Where the elements of a tensor in host memory lie.
struct Elements {
  std::int64_t bytes = 0;  // of one
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;  // in bytes
  const void* first = nullptr;        // the address of logical element (0, ..., 0)
};

// Those of a described tensor.
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

// Those of a tensor with the layout of a spec.
inline Elements elements_of(const dlcert_tensor_spec& spec, const void* first) {
  return {element_bytes(spec.dtype), shape_of(spec), byte_strides_of(spec), first};
}

// Calls visit(std::byte*) with each element, the last index fastest; there is none where an extent
// is not positive. The memory must be writable if visit writes to it, be the tensor read-only or
// not.
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

// Calls copy(element, place of its logical bytes) for all elements, which `size` bytes hold; for
// nothing beyond those.
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

// Copies elements to logical bytes, and the other way. They throw where there are not as many bytes
// as the elements take.
inline void gather(const Elements& from, std::span<std::byte> logical) {
  const auto bytes = static_cast<std::size_t>(from.bytes);
  detail::each_logical(from, logical.size(), [&](const std::byte* element, std::size_t place) {
    std::memcpy(logical.data() + place, element, bytes);
  });
}
inline void scatter(const Elements& to, std::span<const std::byte> logical) {
  const auto bytes = static_cast<std::size_t>(to.bytes);
  detail::each_logical(to, logical.size(), [&](std::byte* element, std::size_t place) {
    std::memcpy(element, logical.data() + place, bytes);
  });
}

// ---- requests and managed tensors ---------------------------------------------------------------

// The form of the managed tensor that a request asks for, where the library's functions take no
// argument, but `copy` for the versioned form if it has that: DLCERT_VERSIONED from max_version
// (1, 0) on, else DLCERT_LEGACY. Throws NotFormable where the request gives more, or asks for a
// form that the library's dlpack.h does not have.
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

// Whether a request asks for a copy.
inline bool requested_copy(const dlcert_request& request) {
  return request.copy.tag == DLCERT_BOOL && request.copy.first != 0;
}

// DLCERT_LEGACY for DLManagedTensor, DLCERT_VERSIONED for DLManagedTensorVersioned.
template <typename Managed>
inline constexpr std::int32_t form_of =
    std::is_same_v<Managed, DLManagedTensor> ? DLCERT_LEGACY : DLCERT_VERSIONED;

// A managed tensor that the library made, as it is passed to dlcert.
template <typename Managed>
dlcert_managed exported(Managed* made) {
  return {form_of<Managed>, 0, made};
}

// One that dlcert passes, as the library takes it. Throws NotFormable where it has the other form.
template <typename Managed>
Managed* imported(dlcert_managed managed) {
  if (managed.form != form_of<Managed>) throw NotFormable{};
  return static_cast<Managed*>(managed.pointer);
}

// ---- the base -----------------------------------------------------------------------------------

// What the adapter class of such a library is derived from. T stands for a tensor.
template <typename T>
class StridedTensors {
 public:
  using Tensor = T;

  StridedTensors() = default;
  StridedTensors(const StridedTensors&) = delete;
  StridedTensors& operator=(const StridedTensors&) = delete;
  virtual ~StridedTensors() = default;

  const dlcert_dlpack_facts* cxx_facts() {
    static const dlcert_dlpack_facts facts = [] {
      dlcert_dlpack_facts filled;
      dlcert_fill_dlpack_facts(&filled);
      return filled;
    }();
    return &facts;
  }

  // What the library has: whether elements of a dtype, which is asked once for each (to throw is to
  // say no); whether such a shape, offset and strides, as compact(spec) or !reversed(spec), of its
  // own and of what it imports; which flags of DLCERT_SPEC_*, of DLCERT_SPEC_READ_ONLY and
  // DLCERT_SPEC_BYTE_STRIDES; whether the state, DLCERT_STATE_*. The claims are all of these
  // together, on the host.
  virtual bool has(dlcert_dtype dtype) = 0;
  virtual bool has_layout(const dlcert_tensor_spec& /*spec*/) { return true; }
  virtual bool takes_layout(const dlcert_tensor_spec& spec) { return has_layout(spec); }
  virtual std::uint32_t flags() { return 0; }
  virtual bool has_state(const dlcert_tensor_spec& spec) {
    return spec.state == DLCERT_STATE_PLAIN;
  }
  virtual bool can(const dlcert_tensor_spec& spec) { return claims(spec) && has_layout(spec); }
  virtual bool can_import(const dlcert_tensor_spec& spec) {
    return claims(spec) && takes_layout(spec);
  }

  // A new tensor with the dtype, shape, strides, offset and storage of a spec that is claimed,
  // read-only if that is. What its elements hold does not matter: create() writes them, into its
  // memory. Of its state it need know nothing.
  virtual Tensor make(const dlcert_tensor_spec& spec) = 0;

  // What the library says of a tensor of its own or of an imported one.
  virtual dlcert_description describe(Tensor& tensor) = 0;

  // Where its elements lie: by what describe() says, if nothing better is known.
  virtual Elements elements(Tensor& tensor) { return elements_of(describe(tensor)); }

  virtual Tensor create(const dlcert_tensor_spec& spec, std::span<const std::byte> logical) {
    Tensor made = make(spec);
    scatter(elements_of(spec, elements(made).first), logical);
    return made;
  }
  virtual void read(Tensor& tensor, std::span<std::byte> logical) {
    gather(elements(tensor), logical);
  }
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
