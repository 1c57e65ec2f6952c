// SPDX-License-Identifier: Apache-2.0
#include "spy/library/library.hpp"

#include <cstring>

#include <dlcert/adapter.hpp>
#include <dlcert/suite/spy.hpp>

#include <dlcert/dlpack_facts.h>

namespace dlcert {

namespace {

using adapter::Refused;
using spy::SpyCapsule;
using spy::SpyTensor;

void expect_size(const SpyTensor& tensor, std::size_t found) {
  if (logical_size(tensor.layout()) != found)
    throw Refused{DLCERT_ERROR_VALUE, "the bytes do not match the shape and dtype", "ValueError"};
}

bool starts_on_a_byte(const dlcert_tensor_spec& spec, bool padded) {
  return spec.offset * stored_bits(spec.dtype, padded) % 8 == 0;
}

bool padding_is_possible(const dlcert_tensor_spec& spec) {
  return (spec.flags & DLCERT_SPEC_SUBBYTE_PADDED) == 0 || spec.dtype.bits < 8;
}

// The spy behind adapter.hpp.
struct SpyAdapter {
  using Tensor = SpyTensor;
  using Capsule = SpyCapsule;

  const char* name() { return "spy"; }
  const char* version() { return "1.3"; }
  std::uint32_t properties() {
    return DLCERT_FAITHFUL_ERRORS | DLCERT_THREAD_SAFE | DLCERT_KNOWS_READ_ONLY;
  }
  const dlcert_dlpack_facts* cxx_facts() {
    static const dlcert_dlpack_facts facts = [] {
      dlcert_dlpack_facts made;
      dlcert_fill_dlpack_facts(&made);
      return made;
    }();
    return &facts;
  }

  bool can(const dlcert_tensor_spec& spec) {
    const bool padded = (spec.flags & DLCERT_SPEC_SUBBYTE_PADDED) != 0;
    return spec.state == DLCERT_STATE_PLAIN && (spec.flags & DLCERT_SPEC_BYTE_STRIDES) == 0 &&
           spec.device.type == kDLCPU && spec.device.id == 0 && spy::legal(spec.dtype) &&
           padding_is_possible(spec) && starts_on_a_byte(spec, padded);
  }

  Tensor create(const dlcert_tensor_spec& spec, std::span<const std::byte> logical) {
    const auto rank = static_cast<std::size_t>(spec.ndim);
    SpyTensor tensor;
    tensor.dtype = spec.dtype;
    tensor.read_only = (spec.flags & DLCERT_SPEC_READ_ONLY) != 0;
    tensor.padded = (spec.flags & DLCERT_SPEC_SUBBYTE_PADDED) != 0;
    if (rank != 0) {
      tensor.shape.assign(spec.shape, spec.shape + rank);
      tensor.strides.assign(spec.strides, spec.strides + rank);
    }
    expect_size(tensor, logical.size());
    const std::int64_t unit_bits = stored_bits(tensor.dtype, tensor.padded);
    tensor.memory =
        spy::new_memory(static_cast<std::size_t>((spec.storage_size * unit_bits + 7) / 8));
    tensor.first = tensor.memory->bytes().data() + spec.offset * unit_bits / 8;
    scatter(tensor.layout(), tensor.first, 0, logical.data());
    return tensor;
  }

  dlcert_description describe(Tensor& tensor) {
    dlcert_description out{};
    const std::span<std::byte> storage = tensor.memory->bytes();
    if (tensor.read_only) out.flags = DLCERT_DESCRIPTION_READ_ONLY;
    out.dtype = tensor.dtype;
    out.device = spy::host;
    out.ndim = tensor.rank();
    out.shape = tensor.shape.data();
    out.strides = tensor.strides.data();
    out.data = tensor.empty() ? nullptr : tensor.first;
    out.storage_begin = storage.empty() ? nullptr : storage.data();
    out.storage_bytes = storage.size();
    return out;
  }

  void read(Tensor& tensor, std::span<std::byte> logical) {
    expect_size(tensor, logical.size());
    gather(tensor.layout(), tensor.first, 0, logical.data());
  }

  void write(Tensor& tensor, std::span<const std::byte> logical) {
    expect_size(tensor, logical.size());
    if (tensor.read_only)
      throw Refused{DLCERT_ERROR_VALUE, "the tensor is read-only", "ValueError"};
    scatter(tensor.layout(), tensor.first, 0, logical.data());
  }

  Tensor alias(Tensor& tensor) { return tensor; }
  std::int64_t live_allocations() { return spy::Allocations::live(); }
  void fail_allocation(std::int64_t successes) { spy::Allocations::fail_after(successes); }

  dlcert_device dlpack_device(Tensor&) { return spy::host; }
  dlcert_managed export_managed(Tensor& tensor, const dlcert_request& request) {
    return spy::export_tensor(tensor, request);
  }
  Tensor import_managed(dlcert_managed managed) { return spy::adopt(managed); }
  Tensor import_from(const dlcert_producer& producer, const dlcert_import_request& request) {
    return spy::import_from(producer, request);
  }

  Capsule* make_capsule(void* pointer, const char* name, dlcert_capsule_destructor destructor) {
    return new SpyCapsule{pointer, name, destructor};
  }
  const char* capsule_name(Capsule& capsule) { return capsule.name; }
  void* capsule_pointer(Capsule& capsule, const char* name) {
    return capsule.named(name) ? capsule.pointer : nullptr;
  }
  void set_capsule_name(Capsule& capsule, const char* name) { capsule.name = name; }
  void drop_capsule(Capsule* capsule) { delete capsule; }
  Capsule* export_capsule(Tensor& tensor, const dlcert_request& request) {
    return spy::in_capsule(spy::export_tensor(tensor, request));
  }
  Tensor import_capsule(Capsule& capsule) { return spy::consume(capsule); }
};

}  // namespace

const dlcert_adapter& spy_library() {
  static SpyAdapter library;
  static const dlcert_adapter table = adapter::table(library);
  return table;
}

}  // namespace dlcert
