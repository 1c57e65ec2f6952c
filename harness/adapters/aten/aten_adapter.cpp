// SPDX-License-Identifier: Apache-2.0
//
// ATen, the tensor library of PyTorch, through its C++ functions at::toDLPack and at::fromDLPack.
// They have no parameters and no capsules: those live in PyTorch's Python layer, which this adapter
// does not touch.
#include <ATen/ATen.h>
#include <ATen/DLConvertor.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include <dlcert/adapter.hpp>

#include <dlcert/dlpack_facts.h>

namespace {

using dlcert::adapter::NotFormable;
using dlcert::adapter::Refused;

// ATen's element types that its DLPack functions know, by DLPack's numbering.
std::optional<at::ScalarType> scalar_type(dlcert_dtype dtype) {
  struct Row {
    int code, bits;
    at::ScalarType type;
  };
  static constexpr Row rows[] = {
      {kDLInt, 8, at::kChar},
      {kDLInt, 16, at::kShort},
      {kDLInt, 32, at::kInt},
      {kDLInt, 64, at::kLong},
      {kDLUInt, 8, at::kByte},
      {kDLFloat, 16, at::kHalf},
      {kDLFloat, 32, at::kFloat},
      {kDLFloat, 64, at::kDouble},
      {kDLBfloat, 16, at::kBFloat16},
      {kDLComplex, 64, at::kComplexFloat},
      {kDLComplex, 128, at::kComplexDouble},
  };
  if (dtype.lanes != 1) return std::nullopt;
  for (const Row& row : rows)
    if (row.code == dtype.code && row.bits == dtype.bits) return row.type;
  return std::nullopt;
}

bool is_complex(dlcert_dtype dtype) {
  return dtype.code == kDLComplex;
}

struct Aten {
  // A type of its own, since dlcert names one.
  struct Tensor {
    at::Tensor value;
  };

  const char* name() { return "aten"; }
  const char* version() { return DLCERT_ATEN_VERSION; }
  const dlcert_dlpack_facts* cxx_facts() {
    static const dlcert_dlpack_facts facts = [] {
      dlcert_dlpack_facts filled;
      dlcert_fill_dlpack_facts(&filled);
      return filled;
    }();
    return &facts;
  }

  bool can(const dlcert_tensor_spec& spec) {
    if (spec.flags != 0 || spec.device.type != kDLCPU || spec.device.id != 0) return false;
    if (!can_state(spec) || spec.ndim > 64) return false;
    return std::all_of(spec.strides, spec.strides + spec.ndim,
                       [](std::int64_t stride) { return stride >= 0; });
  }

  Tensor create(const dlcert_tensor_spec& spec, std::span<const std::byte> logical) {
    const at::Tensor plain = strided(spec, logical);
    switch (spec.state) {
      case DLCERT_STATE_CONJUGATE:
        return {plain.conj_physical().conj()};
      case DLCERT_STATE_NEGATED:
        return {at::_neg_view(plain.neg())};
      case DLCERT_STATE_REQUIRES_GRADIENT:
        return {plain.requires_grad_()};
      case DLCERT_STATE_SPARSE:
        return {plain.to_sparse()};
      case DLCERT_STATE_QUANTIZED:
        return {at::quantize_per_tensor(plain.to(at::kFloat), 1.0, 0, at::kQInt8)};
      default:
        return {plain};
    }
  }

  dlcert_description describe(Tensor& t) {
    const at::Tensor& value = t.value;
    const DLDataType dtype = at::getDLDataType(value);
    dlcert_description description{};
    description.dtype = {dtype.code, dtype.bits, dtype.lanes};
    description.device = {kDLCPU, 0};
    description.ndim = static_cast<std::int32_t>(value.dim());
    description.shape = value.sizes().data();
    description.strides = value.strides().data();
    description.data = value.data_ptr();
    description.storage_begin = value.storage().data();
    description.storage_bytes = value.storage().nbytes();
    return description;
  }

  void read(Tensor& t, std::span<std::byte> logical) {
    const at::Tensor compact = in_memory(t.value).contiguous();
    const std::size_t bytes = std::min(logical.size(), compact.nbytes());
    if (bytes != 0) std::memcpy(logical.data(), compact.data_ptr(), bytes);
  }

  void write(Tensor& t, std::span<const std::byte> logical) {
    at::Tensor source = at::empty(t.value.sizes(), t.value.options());
    if (!logical.empty()) std::memcpy(source.data_ptr(), logical.data(), logical.size());
    t.value.copy_(source);
  }

  Tensor alias(Tensor& t) { return {t.value.alias()}; }

  dlcert_managed export_managed(Tensor& t, const dlcert_request& request) {
    for (const dlcert_value* value :
         {&request.stream, &request.max_version, &request.dl_device, &request.copy})
      if (value->tag != DLCERT_ABSENT && value->tag != DLCERT_NONE) throw NotFormable{};
    return {DLCERT_LEGACY, 0, at::toDLPack(t.value)};
  }

  Tensor import_managed(dlcert_managed managed) {
    if (managed.form != DLCERT_LEGACY) throw NotFormable{};
    return {at::fromDLPack(static_cast<const DLManagedTensor*>(managed.pointer))};
  }

 private:
  static bool can_state(const dlcert_tensor_spec& spec) {
    const auto type = scalar_type(spec.dtype);
    switch (spec.state) {
      case DLCERT_STATE_PLAIN:
        return type.has_value();
      case DLCERT_STATE_CONJUGATE:
        return type.has_value() && is_complex(spec.dtype);
      case DLCERT_STATE_NEGATED:
      case DLCERT_STATE_REQUIRES_GRADIENT:
        return type == at::kFloat || type == at::kDouble ||
               (type.has_value() && is_complex(spec.dtype));
      case DLCERT_STATE_SPARSE:
        return type == at::kFloat || type == at::kDouble;
      case DLCERT_STATE_QUANTIZED:
        return type.has_value() && !is_complex(spec.dtype) && dlcert::adapter::compact(spec);
      default:
        return false;
    }
  }

  // A strided tensor whose memory holds the values.
  static at::Tensor in_memory(const at::Tensor& value) {
    if (value.is_sparse()) return value.to_dense();
    if (value.is_quantized()) return value.int_repr();
    return value.resolve_conj().resolve_neg();
  }

  // A view with the spec's layout on a storage of its own that holds the logical bytes.
  static at::Tensor strided(const dlcert_tensor_spec& spec, std::span<const std::byte> logical) {
    const at::IntArrayRef shape{spec.shape, static_cast<std::size_t>(spec.ndim)};
    const at::IntArrayRef strides{spec.strides, static_cast<std::size_t>(spec.ndim)};
    const at::Tensor storage = at::empty({spec.storage_size}, *scalar_type(spec.dtype));
    const at::Tensor view = storage.as_strided(shape, strides, spec.offset);
    scatter(view, logical);
    return view;
  }

  // Writes element by element: ATen's own copy refuses views whose elements overlap.
  static void scatter(const at::Tensor& view, std::span<const std::byte> logical) {
    const auto item = static_cast<std::int64_t>(view.element_size());
    auto* first = static_cast<std::byte*>(view.data_ptr());
    std::vector<std::int64_t> index(static_cast<std::size_t>(view.dim()), 0);
    for (std::int64_t element = 0; element < view.numel(); ++element) {
      std::int64_t position = 0;
      for (std::int64_t axis = 0; axis < view.dim(); ++axis)
        position += index[static_cast<std::size_t>(axis)] * view.stride(axis);
      std::memcpy(first + position * item, logical.data() + element * item,
                  static_cast<std::size_t>(item));
      for (std::int64_t axis = view.dim(); axis-- > 0;) {
        if (++index[static_cast<std::size_t>(axis)] < view.size(axis)) break;
        index[static_cast<std::size_t>(axis)] = 0;
      }
    }
  }
};

}  // namespace

DLCERT_ADAPTER(Aten)
