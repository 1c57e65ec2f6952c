// SPDX-License-Identifier: Apache-2.0
#include "dlcert/overridable_steps.hpp"

namespace dlcert::reference {

std::optional<DLPackVersion> OverridableExport::max_version(const Argument& argument) const {
  return export_steps.max_version(argument);
}
std::optional<DLDevice> OverridableExport::device(const Argument& argument) const {
  return export_steps.device(argument);
}
std::optional<bool> OverridableExport::copy(const Argument& argument) const {
  return export_steps.copy(argument);
}
void OverridableExport::check_device(const Tensor& tensor,
                                     std::optional<DLDevice> requested) const {
  export_steps.check_device(tensor, requested);
}
Ordering OverridableExport::ordering_of(DLDevice target, const Argument& stream) const {
  return export_steps.ordering_of(target, stream);
}
Form OverridableExport::choose_form(std::optional<DLPackVersion> max_version) const {
  return export_steps.choose_form(max_version);
}

void OverridableExport::check_dtype(const Tensor& tensor) const {
  export_steps.check_dtype(tensor);
}
void OverridableExport::check_strides(const Tensor& tensor) const {
  export_steps.check_strides(tensor);
}
void OverridableExport::check_first_element(const Tensor& tensor) const {
  export_steps.check_first_element(tensor);
}
void OverridableExport::check_expressible(const Tensor& tensor, Form form) const {
  export_steps.check_expressible(tensor, form);
}

DLDataType OverridableExport::dtype_of(const Tensor& tensor) const {
  return export_steps.dtype_of(tensor);
}
DLDevice OverridableExport::device_of(const Tensor& tensor) const {
  return export_steps.device_of(tensor);
}
std::int32_t OverridableExport::rank_of(const Tensor& tensor) const {
  return export_steps.rank_of(tensor);
}
void* OverridableExport::data_of(const Tensor& tensor) const {
  return export_steps.data_of(tensor);
}
std::uint64_t OverridableExport::byte_offset_of(const Tensor& tensor) const {
  return export_steps.byte_offset_of(tensor);
}
void OverridableExport::write_shape(const Tensor& tensor, std::int64_t* out) const {
  export_steps.write_shape(tensor, out);
}
void OverridableExport::write_strides(const Tensor& tensor, std::int64_t* out) const {
  export_steps.write_strides(tensor, out);
}
std::uint64_t OverridableExport::flags_of(const Tensor& tensor, bool copied) const {
  return export_steps.flags_of(tensor, copied);
}
DLTensor OverridableExport::describe(const Tensor& tensor, std::int64_t* dims) const {
  return describe_tensor(*this, tensor, dims);
}

void* OverridableExport::allocate_block(const Tensor& tensor, std::size_t bytes) const {
  return export_steps.allocate_block(tensor, bytes);
}
void OverridableExport::retain(const Tensor& tensor) const {
  export_steps.retain(tensor);
}
DLPackVersion OverridableExport::version() const {
  return export_steps.version();
}
LegacyDeleter OverridableExport::legacy_deleter() const {
  return export_steps.legacy_deleter();
}
VersionedDeleter OverridableExport::versioned_deleter() const {
  return export_steps.versioned_deleter();
}
Tensor OverridableExport::copy_of(const Tensor& tensor) const {
  return export_steps.copy_of(tensor);
}
Tensor OverridableExport::host_copy_of(const Tensor& tensor) const {
  return export_steps.host_copy_of(tensor);
}

Stream OverridableExport::producer_stream(const Tensor& tensor) const {
  return export_steps.producer_stream(tensor);
}
bool OverridableExport::same_stream(Stream producer, Stream consumer) const {
  return export_steps.same_stream(producer, consumer);
}
void OverridableExport::make_wait(const Tensor& tensor, Stream producer, Stream consumer) const {
  export_steps.make_wait(tensor, producer, consumer);
}
void OverridableExport::wait_on_host(const Tensor& tensor) const {
  export_steps.wait_on_host(tensor);
}

const char* OverridableExport::capsule_name(Form form) const {
  return export_steps.capsule_name(form);
}
Capsule::Destructor OverridableExport::capsule_destructor(Form form) const {
  return export_steps.capsule_destructor(form);
}

bool OverridableImport::knows_layout_of(DLPackVersion version) const {
  return import_steps.knows_layout_of(version);
}
Loan::End OverridableImport::end_of_loan(Form form) const {
  return import_steps.end_of_loan(form);
}

void OverridableImport::check_flags(std::uint64_t flags) const {
  import_steps.check_flags(flags);
}
void OverridableImport::check_device(DLDevice device) const {
  import_steps.check_device(device);
}
void OverridableImport::check_memory(const DLTensor& tensor) const {
  import_steps.check_memory(tensor);
}
Dtype OverridableImport::dtype_of(DLDataType type, std::uint64_t flags) const {
  return import_steps.dtype_of(type, flags);
}
void OverridableImport::check_rank(std::int32_t rank) const {
  import_steps.check_rank(rank);
}
void OverridableImport::check_shape(const DLTensor& tensor) const {
  import_steps.check_shape(tensor);
}
bool OverridableImport::is_plain(const DLTensor& tensor) const {
  return import_steps.is_plain(tensor);
}
Reach OverridableImport::reach_of(const DLTensor& tensor) const {
  return import_steps.reach_of(tensor);
}
void OverridableImport::check_extents(const DLTensor& tensor, const Reach& reach) const {
  import_steps.check_extents(tensor, reach);
}
void OverridableImport::check_data(const DLTensor& tensor, const Reach& reach) const {
  import_steps.check_data(tensor, reach);
}
void OverridableImport::check_addresses(const DLTensor& tensor, const Reach& reach,
                                        const Dtype& dtype) const {
  import_steps.check_addresses(tensor, reach, dtype);
}

std::byte* OverridableImport::first_element(const DLTensor& tensor) const {
  return import_steps.first_element(tensor);
}
DLDevice OverridableImport::memory_device(const DLTensor& tensor) const {
  return import_steps.memory_device(tensor);
}
Dims OverridableImport::shape_of(const DLTensor& tensor) const {
  return import_steps.shape_of(tensor);
}
Dims OverridableImport::strides_of(const DLTensor& tensor) const {
  return import_steps.strides_of(tensor);
}
Access OverridableImport::access_of(const Imported& imported) const {
  return import_steps.access_of(imported);
}

Form OverridableImport::form_of(const Capsule& capsule) const {
  return import_steps.form_of(capsule);
}
void OverridableImport::mark_used(Capsule& capsule, Form form) const {
  import_steps.mark_used(capsule, form);
}

DLDevice OverridableImport::device_of(DlpackObject& object) const {
  return import_steps.device_of(object);
}
void OverridableImport::check_target(DLDevice source, const Argument& requested) const {
  import_steps.check_target(source, requested);
}
ExportRequest OverridableImport::request_for(DLDevice source, const ImportRequest& request) const {
  ExportRequest made = import_steps.request_for(source, request);
  made.stream = stream_for(source, request.device);
  return made;
}
Argument OverridableImport::stream_for(DLDevice source, const Argument& requested) const {
  return import_steps.stream_for(source, requested);
}
bool OverridableImport::needs_copy(const ImportRequest& request, const Imported& imported) const {
  return import_steps.needs_copy(request, imported);
}
Tensor OverridableImport::copy_of(const Tensor& tensor) const {
  return import_steps.copy_of(tensor);
}

Prototype OverridableExchange::read_prototype(const DLTensor& prototype) const {
  return exchange_steps.read_prototype(prototype);
}
Tensor OverridableExchange::allocate(const Prototype& prototype) const {
  return exchange_steps.allocate(prototype);
}
void OverridableExchange::check_view(const Tensor& tensor) const {
  exchange_steps.check_view(tensor);
}
DLTensor OverridableExchange::view(const Object& object) const {
  return exchange_steps.view(object);
}
void* OverridableExchange::work_stream(DLDevice device) const {
  return exchange_steps.work_stream(device);
}
void OverridableExchange::report(SetError set_error, void* context, Complaint complaint) const {
  exchange_steps.report(set_error, context, complaint);
}
void OverridableExchange::leave(std::exception_ptr error) const {
  exchange_steps.leave(std::move(error));
}

}  // namespace dlcert::reference
