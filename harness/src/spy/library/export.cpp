// SPDX-License-Identifier: Apache-2.0
#include <dlcert/adapter.hpp>

#include "spy/library/library.hpp"

namespace dlcert::spy {

namespace {

using adapter::Refused;

// A managed tensor and all that it refers to.
template <typename ManagedTensor>
struct Export {
  explicit Export(SpyTensor source) : tensor{std::move(source)} {}

  Allocations counted;
  SpyTensor tensor;
  ManagedTensor managed{};
};

template <typename ManagedTensor>
Export<ManagedTensor>* new_export(const SpyTensor& tensor) {
  auto* const made = new Export<ManagedTensor>{tensor};
  SpyTensor& kept = made->tensor;
  DLTensor& described = made->managed.dl_tensor;
  described.data = kept.empty() ? nullptr : kept.first;
  described.device = {kDLCPU, 0};
  described.ndim = kept.rank();
  described.dtype = {kept.dtype.code, kept.dtype.bits, kept.dtype.lanes};
  described.shape = kept.shape.empty() ? nullptr : kept.shape.data();
  described.strides = kept.strides.empty() ? nullptr : kept.strides.data();
  made->managed.manager_ctx = made;
  made->managed.deleter = [](ManagedTensor* self) {
    delete static_cast<Export<ManagedTensor>*>(self->manager_ctx);
  };
  return made;
}

dlcert_managed export_versioned(const SpyTensor& tensor, bool copied) {
  auto* const made = new_export<DLManagedTensorVersioned>(tensor);
  made->managed.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  if (tensor.read_only) made->managed.flags |= DLPACK_FLAG_BITMASK_READ_ONLY;
  if (tensor.padded) made->managed.flags |= DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED;
  if (copied) made->managed.flags |= DLPACK_FLAG_BITMASK_IS_COPIED;
  return {DLCERT_VERSIONED, 0, &made->managed};
}

dlcert_managed export_legacy(const SpyTensor& tensor) {
  if (tensor.read_only)
    throw Refused{DLCERT_ERROR_BUFFER, "a legacy tensor cannot say that it is read-only",
                  "BufferError"};
  if (tensor.padded)
    throw Refused{DLCERT_ERROR_BUFFER, "a legacy tensor cannot say that it is padded",
                  "BufferError"};
  return {DLCERT_LEGACY, 0, &new_export<DLManagedTensor>(tensor)->managed};
}

bool given(const dlcert_value& value) {
  return value.tag != DLCERT_ABSENT && value.tag != DLCERT_NONE;
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
