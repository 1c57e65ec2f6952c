// SPDX-License-Identifier: Apache-2.0
#include "dlcert/reference_adapter.hpp"

#include <algorithm>
#include <exception>
#include <utility>
#include <vector>

#include <dlcert/adapter.hpp>
#include <dlcert/driver/failing_host_memory.hpp>

#include "dlcert/tensor/errors.hpp"

#include "arguments.hpp"
#include "facts.h"

#include <dlcert/dlpack_facts.h>

namespace dlcert::reference {
namespace {

dlcert_error_kind kind_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::buffer:
      return DLCERT_ERROR_BUFFER;
    case ErrorKind::value:
      return DLCERT_ERROR_VALUE;
    case ErrorKind::type:
      return DLCERT_ERROR_TYPE;
    case ErrorKind::index:
      return DLCERT_ERROR_INDEX;
    case ErrorKind::device:
      return DLCERT_ERROR_DEVICE;
  }
  return DLCERT_ERROR_OTHER;
}

adapter::Refused refusal_of(const DeviceError& error) {
  dlcert_error refusal = adapter::Refused{DLCERT_ERROR_DEVICE, error.what(), "DeviceError"}.error();
  refusal.code = error.code();
  return adapter::Refused{refusal};
}

// Runs `action` and reports the reference's errors under their kinds.
template <typename Action>
auto reporting(Action&& action) {
  try {
    return std::forward<Action>(action)();
  } catch (const DeviceError& error) {
    throw refusal_of(error);
  } catch (const Error& error) {
    throw adapter::Refused{kind_of(error.kind()), error.what()};
  }
}

// The driver's number of an available device.
int ordinal(dlcert_device device) {
  const DLDevice meant{static_cast<DLDeviceType>(device.type), device.id};
  if (same_device(meant, cpu_device) || !is_available(meant))
    throw Error{ErrorKind::value, "expected a device with streams but found " + to_string(meant)};
  return ordinal_of(meant);
}

// All of the reference's memory, so that an allocation can be made to fail. Never destroyed:
// exports outlive the adapter.
driver::FailingHostMemory& memory() {
  static driver::FailingHostMemory& failing = *new driver::FailingHostMemory{host_memory()};
  return failing;
}

// Logical bytes are in native order, the reference's byte-swapped elements are not: turns one into
// the other.
std::vector<std::byte> swapped(const Dtype& dtype, std::span<const std::byte> logical) {
  std::vector<std::byte> bytes(logical.begin(), logical.end());
  const auto item = static_cast<std::size_t>(dtype.logical_bytes());
  for (auto at = bytes.begin(); at != bytes.end(); at += static_cast<std::ptrdiff_t>(item))
    std::reverse(at, at + static_cast<std::ptrdiff_t>(item));
  return bytes;
}

// The destructor of a capsule that was made around a foreign pointer: hands over to the foreign
// destructor.
void call_foreign_destructor(Capsule& capsule) noexcept {
  const auto destructor = reinterpret_cast<dlcert_capsule_destructor>(capsule.context());
  destructor(capsule.pointer(capsule.name()), capsule.name());
}

dlcert_managed raw(const ManagedTensor& managed) {
  if (const auto* legacy = std::get_if<DLManagedTensor*>(&managed))
    return {DLCERT_LEGACY, 0, *legacy};
  return {DLCERT_VERSIONED, 0, std::get<DLManagedTensorVersioned*>(managed)};
}

// An object of the harness or of another library, as the reference imports from it.
class ForeignObject final : public DlpackObject {
 public:
  explicit ForeignObject(const dlcert_producer& producer) : producer_{producer} {}

  DLDevice dlpack_device() override {
    const dlcert_device device = adapter::dlpack_device(producer_);
    return {static_cast<DLDeviceType>(device.type), device.id};
  }

  Exported dlpack(const ExportRequest& request) override {
    const dlcert_exported exported = exported_for(request);
    if (exported.capsule != nullptr) {
      const std::unique_ptr<Capsule> capsule{reinterpret_cast<Capsule*>(exported.capsule)};
      return std::move(*capsule);
    }
    if (exported.managed.form == DLCERT_LEGACY)
      return static_cast<DLManagedTensor*>(exported.managed.pointer);
    return static_cast<DLManagedTensorVersioned*>(exported.managed.pointer);
  }

 private:
  // An object tells by a TypeError that it does not know an argument.
  dlcert_exported exported_for(const ExportRequest& request) const {
    try {
      return adapter::dlpack(producer_, request_of(request));
    } catch (const adapter::Refused& refused) {
      if (refused.error().kind != DLCERT_ERROR_TYPE) throw;
      throw Error{ErrorKind::type, refused.error().message};
    }
  }

  const dlcert_producer& producer_;
};

}  // namespace

const ReferenceAdapter* ReferenceAdapter::served_ = nullptr;

ReferenceAdapter::ReferenceAdapter(std::unique_ptr<OverridableExport> exporting,
                                   std::unique_ptr<OverridableImport> importing,
                                   std::unique_ptr<OverridableExchange> exchanging,
                                   std::unique_ptr<cuda::PartsFactory> parts)
    : ReferenceRuntime{std::move(parts)},
      exporting_{std::move(exporting)},
      importing_{std::move(importing)},
      exchanging_{std::move(exchanging)} {
  driver::set_host_memory(memory());
  served_ = this;
}

const char* ReferenceAdapter::version() {
  return DLCERT_VERSION;
}

std::uint32_t ReferenceAdapter::properties() {
  return DLCERT_FAITHFUL_ERRORS | DLCERT_THREAD_SAFE | DLCERT_KNOWS_READ_ONLY;
}

const char* ReferenceAdapter::device_order() {
  return "reference/tensor/include/dlcert/tensor/device.hpp: the driver's numbers";
}

const dlcert_dlpack_facts* ReferenceAdapter::cxx_facts() {
  static const dlcert_dlpack_facts facts = [] {
    dlcert_dlpack_facts filled;
    dlcert_fill_dlpack_facts(&filled);
    return filled;
  }();
  return &facts;
}
const dlcert_dlpack_facts* ReferenceAdapter::c_facts() {
  return dlcert_reference_c_facts();
}

bool ReferenceAdapter::can(const dlcert_tensor_spec& spec) {
  return has(spec);
}

Tensor ReferenceAdapter::create(const dlcert_tensor_spec& spec,
                                std::span<const std::byte> logical) {
  return reporting([&] {
    Tensor made = allocate(spec);
    // A state without a DLPack type has elements of another size than the spec's bytes; its values
    // do not matter.
    if (static_cast<std::int64_t>(logical.size()) == made.logical_bytes()) write(made, logical);
    return (spec.flags & DLCERT_SPEC_READ_ONLY) != 0 ? made.read_only() : made;
  });
}

dlcert_description ReferenceAdapter::describe(Tensor& tensor) {
  const DLDataType type = tensor.dtype().description();
  const bool strides_in_elements = tensor.layout().unit == StrideUnit::element;
  dlcert_description description{};
  description.flags = tensor.is_read_only() ? std::uint32_t{DLCERT_DESCRIPTION_READ_ONLY} : 0;
  description.dtype = {type.code, type.bits, type.lanes};
  description.device = {tensor.device().device_type, tensor.device().device_id};
  description.ndim = static_cast<std::int32_t>(tensor.rank());
  description.shape = tensor.shape().begin();
  description.strides = strides_in_elements ? tensor.strides().begin() : nullptr;
  description.data = tensor.first_element();
  description.storage_begin = tensor.storage().data();
  description.storage_bytes = static_cast<std::uint64_t>(tensor.storage().size());
  return description;
}

void ReferenceAdapter::read(Tensor& tensor, std::span<std::byte> logical) {
  reporting([&] { tensor.read(logical); });
  if (tensor.dtype().kind() == ElementKind::byte_swapped)
    std::ranges::copy(swapped(tensor.dtype(), logical), logical.begin());
}
void ReferenceAdapter::write(Tensor& tensor, std::span<const std::byte> logical) {
  const bool swap = tensor.dtype().kind() == ElementKind::byte_swapped;
  reporting([&] { swap ? tensor.write(swapped(tensor.dtype(), logical)) : tensor.write(logical); });
}
Tensor ReferenceAdapter::alias(Tensor& tensor) {
  return tensor;
}

std::int64_t ReferenceAdapter::live_allocations() {
  return memory().live().blocks;
}
void ReferenceAdapter::fail_allocation(std::int64_t successes) {
  memory().fail_after(successes);
}

dlcert_device ReferenceAdapter::dlpack_device(Tensor& tensor) {
  return {tensor.device().device_type, tensor.device().device_id};
}

dlcert_managed ReferenceAdapter::export_managed(Tensor& tensor, const dlcert_request& request) {
  return reporting([&] { return raw(exporter().managed(tensor, request_of(request))); });
}

Tensor ReferenceAdapter::import_managed(dlcert_managed managed) {
  return reporting([&] {
    return managed.form == DLCERT_LEGACY
               ? importer().import(static_cast<DLManagedTensor*>(managed.pointer))
               : importer().import(static_cast<DLManagedTensorVersioned*>(managed.pointer));
  });
}

Tensor ReferenceAdapter::import_from(const dlcert_producer& producer,
                                     const dlcert_import_request& request) {
  ForeignObject object{producer};
  return reporting([&] { return importer().import(object, request_of(request)); });
}

void ReferenceAdapter::run_with_stream(dlcert_device device, std::uint64_t stream,
                                       void (*body)(void*), void* context) {
  reporting([&] {
    const StreamGuard guard{ordinal(device), Stream{stream}};
    body(context);
  });
}
std::uint64_t ReferenceAdapter::current_stream(dlcert_device device) {
  return reporting(
      [&] { return static_cast<std::uint64_t>(reference::current_stream(ordinal(device))); });
}
void ReferenceAdapter::synchronize(dlcert_device device) {
  reporting([&] { reference::synchronize_device(ordinal(device)); });
}
std::int32_t ReferenceAdapter::current_device(std::int32_t device_type) {
  // Memory that belongs to no device is used on the current one.
  return reporting([&] {
    const bool cuda = device_type == kDLCUDA;
    return ordinal({cuda ? std::int32_t{kDLCUDAHost} : std::int32_t{kDLROCMHost}, 0});
  });
}

Exchange<OverridableExchange, OverridableExport, OverridableImport>
ReferenceAdapter::Served::exchange() noexcept {
  return {*served_->exchanging_, *served_->exporting_, *served_->importing_};
}
const void* ReferenceAdapter::exchange_table() {
  return &exchange_table_of<Served>;
}
void* ReferenceAdapter::object_of(Tensor& tensor) {
  return make_object(tensor);
}
Tensor ReferenceAdapter::tensor_of(void* object) {
  return static_cast<Object*>(object)->tensor();
}
void ReferenceAdapter::drop_object(void* object) {
  static_cast<Object*>(object)->release();
}
void ReferenceAdapter::take_object_error() {
  reporting([] {
    if (const std::exception_ptr error = take_error()) std::rethrow_exception(error);
  });
}

Capsule* ReferenceAdapter::make_capsule(void* pointer, const char* name,
                                        dlcert_capsule_destructor destructor) {
  return reporting([&] {
    auto made = std::make_unique<Capsule>(
        pointer, name, destructor == nullptr ? nullptr : &call_foreign_destructor);
    made->set_context(reinterpret_cast<void*>(destructor));
    return made.release();
  });
}
const char* ReferenceAdapter::capsule_name(Capsule& capsule) {
  return capsule.name();
}
void* ReferenceAdapter::capsule_pointer(Capsule& capsule, const char* name) {
  return capsule.pointer(name);
}
void ReferenceAdapter::set_capsule_name(Capsule& capsule, const char* name) {
  capsule.set_name(name);
}
void ReferenceAdapter::drop_capsule(Capsule* capsule) {
  delete capsule;
}

Capsule* ReferenceAdapter::export_capsule(Tensor& tensor, const dlcert_request& request) {
  return reporting([&] { return new Capsule{exporter().capsule(tensor, request_of(request))}; });
}
Tensor ReferenceAdapter::import_capsule(Capsule& capsule) {
  return reporting([&] { return importer().import(capsule); });
}
Capsule* ReferenceAdapter::to_dlpack(Tensor& tensor) {
  return reporting([&] { return new Capsule{exporter().capsule(tensor, {})}; });
}

}  // namespace dlcert::reference
