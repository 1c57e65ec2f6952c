// SPDX-License-Identifier: Apache-2.0
#include <dlcert/adapter.hpp>

#include "spy/library/library.hpp"

namespace dlcert::spy {

namespace {

using adapter::Refused;

// The manager_ctx of an export: the managed tensor and all that it refers to.
template <typename ManagedTensor>
struct ExportContext {
  explicit ExportContext(SpyTensor exported) : tensor{std::move(exported)} {}

  Allocations counted;
  SpyTensor tensor;
  ManagedTensor managed{};
};

template <typename ManagedTensor>
ExportContext<ManagedTensor>* new_context(const SpyTensor& tensor) {
  auto* const context = new ExportContext<ManagedTensor>{tensor};
  SpyTensor& source = context->tensor;
  DLTensor& described = context->managed.dl_tensor;
  described.data = source.empty() ? nullptr : source.first;
  described.device = {kDLCPU, 0};
  described.ndim = source.rank();
  described.dtype = {source.dtype.code, source.dtype.bits, source.dtype.lanes};
  described.shape = source.shape.empty() ? nullptr : source.shape.data();
  described.strides = source.strides.empty() ? nullptr : source.strides.data();
  context->managed.manager_ctx = context;
  context->managed.deleter = [](ManagedTensor* self) {
    delete static_cast<ExportContext<ManagedTensor>*>(self->manager_ctx);
  };
  return context;
}

dlcert_managed export_versioned(const SpyTensor& tensor, bool copied) {
  auto* const context = new_context<DLManagedTensorVersioned>(tensor);
  context->managed.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  if (tensor.read_only) context->managed.flags |= DLPACK_FLAG_BITMASK_READ_ONLY;
  if (tensor.padded) context->managed.flags |= DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED;
  if (copied) context->managed.flags |= DLPACK_FLAG_BITMASK_IS_COPIED;
  return {DLCERT_VERSIONED, 0, &context->managed};
}

dlcert_managed export_legacy(const SpyTensor& tensor) {
  if (tensor.read_only)
    throw Refused{DLCERT_ERROR_BUFFER, "a legacy tensor has no flag for read-only", "BufferError"};
  if (tensor.padded)
    throw Refused{DLCERT_ERROR_BUFFER, "a legacy tensor has no flag for padded elements",
                  "BufferError"};
  return {DLCERT_LEGACY, 0, &new_context<DLManagedTensor>(tensor)->managed};
}

void expect_tag(const dlcert_value& value, std::int32_t tag, const char* message) {
  if (given(value) && value.tag != tag) throw Refused{DLCERT_ERROR_TYPE, message, "TypeError"};
}

void validate(const dlcert_request& request) {
  expect_tag(request.stream, DLCERT_INT, "stream: expected an int or None");
  expect_tag(request.max_version, DLCERT_PAIR, "max_version: expected a pair or None");
  expect_tag(request.dl_device, DLCERT_PAIR, "dl_device: expected a pair or None");
  expect_tag(request.copy, DLCERT_BOOL, "copy: expected a bool or None");
  if (given(request.stream))
    throw Refused{DLCERT_ERROR_VALUE, "stream: expected None for a tensor on the host",
                  "ValueError"};
  if (given(request.dl_device) &&
      (request.dl_device.first != kDLCPU || request.dl_device.second != 0))
    throw Refused{DLCERT_ERROR_BUFFER, "dl_device: expected (1, 0)", "BufferError"};
}

}  // namespace

dlcert_managed export_tensor(const SpyTensor& tensor, const dlcert_request& request) {
  validate(request);
  const bool copied = request.copy.tag == DLCERT_BOOL && request.copy.first != 0;
  const SpyTensor& exported = copied ? compact_copy(tensor) : tensor;
  const bool versioned = request.max_version.tag == DLCERT_PAIR && request.max_version.first >= 1;
  return versioned ? export_versioned(exported, copied) : export_legacy(exported);
}

}  // namespace dlcert::spy
