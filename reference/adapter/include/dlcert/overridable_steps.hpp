// SPDX-License-Identifier: Apache-2.0
//
// The steps of reference/tensor as virtual functions: the same names, the same order around them,
// and each one can be replaced alone. Every default is the reference's own step.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <utility>

#include "dlcert/tensor/exchange.hpp"

namespace dlcert::reference {

using LegacyDeleter = void (*)(DLManagedTensor*);
using VersionedDeleter = void (*)(DLManagedTensorVersioned*);

// See ExportSteps for what each does.
class OverridableExport {
 public:
  OverridableExport() = default;
  OverridableExport(const OverridableExport&) = delete;
  OverridableExport& operator=(const OverridableExport&) = delete;
  virtual ~OverridableExport();

  virtual std::optional<DLPackVersion> max_version(const Argument& argument) const {
    return export_steps.max_version(argument);
  }
  virtual std::optional<DLDevice> device(const Argument& argument) const {
    return export_steps.device(argument);
  }
  virtual std::optional<bool> copy(const Argument& argument) const {
    return export_steps.copy(argument);
  }
  virtual void check_device(const Tensor& tensor, std::optional<DLDevice> requested) const {
    export_steps.check_device(tensor, requested);
  }
  virtual Ordering ordering_of(DLDevice target, const Argument& stream) const {
    return export_steps.ordering_of(target, stream);
  }
  virtual Form choose_form(std::optional<DLPackVersion> max_version) const {
    return export_steps.choose_form(max_version);
  }

  virtual void check_dtype(const Tensor& tensor) const { export_steps.check_dtype(tensor); }
  virtual void check_strides(const Tensor& tensor) const { export_steps.check_strides(tensor); }
  virtual void check_first_element(const Tensor& tensor) const {
    export_steps.check_first_element(tensor);
  }
  virtual void check_expressible(const Tensor& tensor, Form form) const {
    export_steps.check_expressible(tensor, form);
  }

  virtual DLDataType dtype_of(const Tensor& tensor) const { return export_steps.dtype_of(tensor); }
  virtual DLDevice device_of(const Tensor& tensor) const { return export_steps.device_of(tensor); }
  virtual std::int32_t rank_of(const Tensor& tensor) const { return export_steps.rank_of(tensor); }
  virtual void* data_of(const Tensor& tensor) const { return export_steps.data_of(tensor); }
  virtual std::uint64_t byte_offset_of(const Tensor& tensor) const {
    return export_steps.byte_offset_of(tensor);
  }
  virtual void write_shape(const Tensor& tensor, std::int64_t* out) const {
    export_steps.write_shape(tensor, out);
  }
  virtual void write_strides(const Tensor& tensor, std::int64_t* out) const {
    export_steps.write_strides(tensor, out);
  }
  virtual std::uint64_t flags_of(const Tensor& tensor, bool copied) const {
    return export_steps.flags_of(tensor, copied);
  }
  virtual DLTensor describe(const Tensor& tensor, std::int64_t* dims) const {
    return describe_tensor<OverridableExport>(*this, tensor, dims);
  }

  virtual void* allocate_block(const Tensor& tensor, std::size_t bytes) const {
    return export_steps.allocate_block(tensor, bytes);
  }
  virtual void retain(const Tensor& tensor) const { export_steps.retain(tensor); }
  virtual DLPackVersion version() const { return export_steps.version(); }
  virtual LegacyDeleter legacy_deleter() const { return export_steps.legacy_deleter(); }
  virtual VersionedDeleter versioned_deleter() const { return export_steps.versioned_deleter(); }
  virtual Tensor copy_of(const Tensor& tensor) const { return export_steps.copy_of(tensor); }
  virtual Tensor host_copy_of(const Tensor& tensor) const {
    return export_steps.host_copy_of(tensor);
  }

  virtual Stream producer_stream(const Tensor& tensor) const {
    return export_steps.producer_stream(tensor);
  }
  virtual bool same_stream(Stream producer, Stream consumer) const {
    return export_steps.same_stream(producer, consumer);
  }
  virtual void make_wait(const Tensor& tensor, Stream producer, Stream consumer) const {
    export_steps.make_wait(tensor, producer, consumer);
  }
  virtual void wait_on_host(const Tensor& tensor) const { export_steps.wait_on_host(tensor); }

  virtual const char* capsule_name(Form form) const { return export_steps.capsule_name(form); }
  virtual Capsule::Destructor capsule_destructor(Form form) const {
    return export_steps.capsule_destructor(form);
  }
};

// What an Exporter of these steps calls in the place of the template: the descriptor as a whole can
// be replaced, too.
inline DLTensor describe_tensor(const OverridableExport& steps, const Tensor& tensor,
                                std::int64_t* dims) {
  return steps.describe(tensor, dims);
}

// See ImportSteps for what each does.
class OverridableImport {
 public:
  OverridableImport() = default;
  OverridableImport(const OverridableImport&) = delete;
  OverridableImport& operator=(const OverridableImport&) = delete;
  virtual ~OverridableImport();

  virtual bool knows_layout_of(DLPackVersion version) const {
    return import_steps.knows_layout_of(version);
  }
  virtual ReleaseFunction release_function(Form form) const {
    return import_steps.release_function(form);
  }

  virtual void check_flags(std::uint64_t flags) const { import_steps.check_flags(flags); }
  virtual void check_device(DLDevice device) const { import_steps.check_device(device); }
  virtual void check_memory(const DLTensor& tensor) const { import_steps.check_memory(tensor); }
  virtual Dtype dtype_of(DLDataType type, std::uint64_t flags) const {
    return import_steps.dtype_of(type, flags);
  }
  virtual void check_rank(std::int32_t rank) const { import_steps.check_rank(rank); }
  virtual void check_shape(const DLTensor& tensor) const { import_steps.check_shape(tensor); }
  virtual Reach reach_of(const DLTensor& tensor) const { return import_steps.reach_of(tensor); }
  virtual bool is_plain(const DLTensor& tensor, const Reach& reach) const {
    return import_steps.is_plain(tensor, reach);
  }
  virtual void check_extents(const DLTensor& tensor, const Reach& reach) const {
    import_steps.check_extents(tensor, reach);
  }
  virtual void check_data(const DLTensor& tensor, const Reach& reach) const {
    import_steps.check_data(tensor, reach);
  }
  virtual void check_addresses(const DLTensor& tensor, const Reach& reach,
                               const Dtype& dtype) const {
    import_steps.check_addresses(tensor, reach, dtype);
  }

  virtual std::byte* first_element(const DLTensor& tensor) const {
    return import_steps.first_element(tensor);
  }
  virtual DLDevice memory_device(const DLTensor& tensor) const {
    return import_steps.memory_device(tensor);
  }
  virtual Dims shape_of(const DLTensor& tensor) const { return import_steps.shape_of(tensor); }
  virtual Dims strides_of(const DLTensor& tensor) const { return import_steps.strides_of(tensor); }
  virtual Access access_of(const Imported& imported) const {
    return import_steps.access_of(imported);
  }

  virtual Form form_of(const Capsule& capsule) const { return import_steps.form_of(capsule); }
  virtual void mark_used(Capsule& capsule, Form form) const {
    import_steps.mark_used(capsule, form);
  }

  virtual DLDevice device_of(DlpackObject& object) const { return import_steps.device_of(object); }
  virtual void check_target(DLDevice source, const Argument& requested) const {
    import_steps.check_target(source, requested);
  }
  virtual ExportRequest request_for(DLDevice source, const ImportRequest& request) const {
    ExportRequest made = import_steps.request_for(source, request);
    made.stream = stream_for(source, request.device);
    return made;
  }
  virtual std::optional<ExportRequest> older_request_for(DLDevice source,
                                                         const ImportRequest& request) const {
    return import_steps.older_request_for(source, request);
  }
  virtual Argument stream_for(DLDevice source, const Argument& requested) const {
    return import_steps.stream_for(source, requested);
  }
  virtual bool needs_copy(const ImportRequest& request, const Imported& imported) const {
    return import_steps.needs_copy(request, imported);
  }
  virtual Tensor copy_of(const Tensor& tensor) const { return import_steps.copy_of(tensor); }
};

// See ExchangeSteps for what each does.
class OverridableExchange {
 public:
  OverridableExchange() = default;
  OverridableExchange(const OverridableExchange&) = delete;
  OverridableExchange& operator=(const OverridableExchange&) = delete;
  virtual ~OverridableExchange();

  virtual Prototype read_prototype(const DLTensor& prototype) const {
    return exchange_steps.read_prototype(prototype);
  }
  virtual Tensor allocate(const Prototype& prototype) const {
    return exchange_steps.allocate(prototype);
  }
  virtual void check_view(const Tensor& tensor) const { exchange_steps.check_view(tensor); }
  virtual DLTensor view(const Object& object) const { return exchange_steps.view(object); }
  virtual void* work_stream(DLDevice device) const { return exchange_steps.work_stream(device); }
  virtual void report(SetError set_error, void* context, PythonError error) const {
    exchange_steps.report(set_error, context, error);
  }
  virtual void leave(std::exception_ptr error) const { exchange_steps.leave(std::move(error)); }
};

}  // namespace dlcert::reference
