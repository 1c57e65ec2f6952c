// SPDX-License-Identifier: Apache-2.0
//
// The steps of reference/tensor as virtual functions: the same names, the same order around them,
// and each one can be replaced alone. Every default is the reference's own step.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>

#include "dlcert/tensor/exchange.hpp"

namespace dlcert::reference {

using LegacyDeleter = void (*)(DLManagedTensor*);
using VersionedDeleter = void (*)(DLManagedTensorVersioned*);

// See ExportSteps for what each does.
class OverridableExport {
 public:
  virtual ~OverridableExport() = default;

  virtual std::optional<DLPackVersion> max_version(const Argument& argument) const;
  virtual std::optional<DLDevice> device(const Argument& argument) const;
  virtual std::optional<bool> copy(const Argument& argument) const;
  virtual void check_device(const Tensor& tensor, std::optional<DLDevice> requested) const;
  virtual Ordering ordering_of(DLDevice target, const Argument& stream) const;
  virtual Form choose_form(std::optional<DLPackVersion> max_version) const;

  virtual void check_dtype(const Tensor& tensor) const;
  virtual void check_strides(const Tensor& tensor) const;
  virtual void check_first_element(const Tensor& tensor) const;
  virtual void check_expressible(const Tensor& tensor, Form form) const;

  virtual DLDataType dtype_of(const Tensor& tensor) const;
  virtual DLDevice device_of(const Tensor& tensor) const;
  virtual std::int32_t rank_of(const Tensor& tensor) const;
  virtual void* data_of(const Tensor& tensor) const;
  virtual std::uint64_t byte_offset_of(const Tensor& tensor) const;
  virtual void write_shape(const Tensor& tensor, std::int64_t* out) const;
  virtual void write_strides(const Tensor& tensor, std::int64_t* out) const;
  virtual std::uint64_t flags_of(const Tensor& tensor, bool copied) const;
  virtual DLTensor describe(const Tensor& tensor, std::int64_t* dims) const;

  virtual void* allocate_block(const Tensor& tensor, std::size_t bytes) const;
  virtual void retain(const Tensor& tensor) const;
  virtual DLPackVersion version() const;
  virtual LegacyDeleter legacy_deleter() const;
  virtual VersionedDeleter versioned_deleter() const;
  virtual Tensor copy_of(const Tensor& tensor) const;
  virtual Tensor host_copy_of(const Tensor& tensor) const;

  virtual Stream producer_stream(const Tensor& tensor) const;
  virtual bool same_stream(Stream producer, Stream consumer) const;
  virtual void make_wait(const Tensor& tensor, Stream producer, Stream consumer) const;
  virtual void wait_on_host(const Tensor& tensor) const;

  virtual const char* capsule_name(Form form) const;
  virtual Capsule::Destructor capsule_destructor(Form form) const;
};

// See ImportSteps for what each does.
class OverridableImport {
 public:
  virtual ~OverridableImport() = default;

  virtual bool knows_layout_of(DLPackVersion version) const;
  virtual Loan::End end_of_loan(Form form) const;

  virtual void check_flags(std::uint64_t flags) const;
  virtual void check_device(DLDevice device) const;
  virtual void check_memory(const DLTensor& tensor) const;
  virtual Dtype dtype_of(DLDataType type, std::uint64_t flags) const;
  virtual void check_rank(std::int32_t rank) const;
  virtual void check_shape(const DLTensor& tensor) const;
  virtual bool is_plain(const DLTensor& tensor) const;
  virtual Reach reach_of(const DLTensor& tensor) const;
  virtual void check_extents(const DLTensor& tensor, const Reach& reach) const;
  virtual void check_data(const DLTensor& tensor, const Reach& reach) const;
  virtual void check_addresses(const DLTensor& tensor, const Reach& reach,
                               const Dtype& dtype) const;

  virtual std::byte* first_element(const DLTensor& tensor) const;
  virtual DLDevice memory_device(const DLTensor& tensor) const;
  virtual Dims shape_of(const DLTensor& tensor) const;
  virtual Dims strides_of(const DLTensor& tensor) const;
  virtual Access access_of(const Imported& imported) const;

  virtual Form form_of(const Capsule& capsule) const;
  virtual void mark_used(Capsule& capsule, Form form) const;

  virtual DLDevice device_of(DlpackObject& object) const;
  virtual void check_target(DLDevice source, const Argument& requested) const;
  virtual ExportRequest request_for(DLDevice source, const ImportRequest& request) const;
  virtual Argument stream_for(DLDevice source, const Argument& requested) const;
  virtual bool needs_copy(const ImportRequest& request, const Imported& imported) const;
  virtual Tensor copy_of(const Tensor& tensor) const;
};

// See ExchangeSteps for what each does.
class OverridableExchange {
 public:
  virtual ~OverridableExchange() = default;

  virtual Prototype read_prototype(const DLTensor& prototype) const;
  virtual Tensor allocate(const Prototype& prototype) const;
  virtual void check_view(const Tensor& tensor) const;
  virtual DLTensor view(const Object& object) const;
  virtual void* work_stream(DLDevice device) const;
  virtual void report(SetError set_error, void* context, Complaint complaint) const;
  virtual void leave(std::exception_ptr error) const;
};

}  // namespace dlcert::reference
