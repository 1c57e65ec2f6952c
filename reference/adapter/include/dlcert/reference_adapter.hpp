// SPDX-License-Identifier: Apache-2.0
//
// The reference as dlcert sees it. Every method is one translation between the adapter ABI and
// reference/tensor or reference/cuda; every step behind it is virtual (overridable_steps.hpp), so
// that a derived class changes exactly one thing.
#pragma once

#include <dlcert/adapter.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "dlcert/overridable_steps.hpp"
#include "dlcert/reference_runtime.hpp"

namespace dlcert::reference {

class ReferenceAdapter : public ReferenceRuntime {
 public:
  using Tensor = reference::Tensor;
  using Capsule = reference::Capsule;

  ReferenceAdapter() : ReferenceAdapter{std::make_unique<OverridableExport>()} {}
  explicit ReferenceAdapter(std::unique_ptr<OverridableExport> exporting)
      : ReferenceAdapter{std::move(exporting), std::make_unique<OverridableImport>(),
                         std::make_unique<OverridableExchange>(),
                         std::make_unique<ReferenceParts>()} {}
  explicit ReferenceAdapter(std::unique_ptr<OverridableImport> importing)
      : ReferenceAdapter{std::make_unique<OverridableExport>(), std::move(importing),
                         std::make_unique<OverridableExchange>(),
                         std::make_unique<ReferenceParts>()} {}
  explicit ReferenceAdapter(std::unique_ptr<OverridableExchange> exchanging)
      : ReferenceAdapter{std::make_unique<OverridableExport>(),
                         std::make_unique<OverridableImport>(), std::move(exchanging),
                         std::make_unique<ReferenceParts>()} {}
  explicit ReferenceAdapter(std::unique_ptr<cuda::PartsFactory> parts)
      : ReferenceAdapter{std::make_unique<OverridableExport>(),
                         std::make_unique<OverridableImport>(),
                         std::make_unique<OverridableExchange>(), std::move(parts)} {}
  ReferenceAdapter(std::unique_ptr<OverridableExport> exporting,
                   std::unique_ptr<OverridableImport> importing,
                   std::unique_ptr<OverridableExchange> exchanging,
                   std::unique_ptr<cuda::PartsFactory> parts);
  ReferenceAdapter(const ReferenceAdapter&) = delete;
  ReferenceAdapter& operator=(const ReferenceAdapter&) = delete;
  ~ReferenceAdapter() override = default;

  virtual const char* name() { return "reference"; }
  virtual const char* version();
  static const char* array_api() { return "2025.12"; }
  virtual const char* runtime() { return "torch-2.4"; }
  virtual std::uint32_t properties();
  virtual const char* device_order();
  virtual const dlcert_dlpack_facts* cxx_facts();
  virtual const dlcert_dlpack_facts* c_facts();

  // Nothing is open: what is made here lives by itself.
  virtual void close() {}

  virtual bool can(const dlcert_tensor_spec& spec);
  virtual Tensor create(const dlcert_tensor_spec& spec, std::span<const std::byte> logical);
  virtual dlcert_description describe(Tensor& tensor);
  virtual void read(Tensor& tensor, std::span<std::byte> logical);
  virtual void write(Tensor& tensor, std::span<const std::byte> logical);
  virtual Tensor alias(Tensor& tensor);
  virtual std::int64_t live_allocations();
  virtual void fail_allocation(std::int64_t successes);

  virtual dlcert_device dlpack_device(Tensor& tensor);
  virtual dlcert_managed export_managed(Tensor& tensor, const dlcert_request& request);
  virtual Tensor import_managed(dlcert_managed managed);
  virtual Tensor import_from(const dlcert_producer& producer, const dlcert_import_request& request);

  virtual void run_with_stream(dlcert_device device, std::uint64_t stream, void (*body)(void*),
                               void* context);
  virtual std::uint64_t current_stream(dlcert_device device);
  virtual void synchronize(dlcert_device device);
  virtual std::int32_t current_device(std::int32_t device_type);

  // The table's functions serve the adapter that was made last.
  virtual const void* exchange_table();
  virtual void* object_of(Tensor& tensor);
  virtual Tensor tensor_of(void* object);
  virtual void drop_object(void* object);
  virtual void take_object_error();

  virtual Capsule* make_capsule(void* pointer, const char* name,
                                dlcert_capsule_destructor destructor);
  virtual const char* capsule_name(Capsule& capsule);
  virtual void* capsule_pointer(Capsule& capsule, const char* name);
  virtual void set_capsule_name(Capsule& capsule, const char* name);
  virtual void drop_capsule(Capsule* capsule);
  virtual Capsule* export_capsule(Tensor& tensor, const dlcert_request& request);
  virtual Tensor import_capsule(Capsule& capsule);
  virtual Capsule* to_dlpack(Tensor& tensor);

 protected:
  Exporter<OverridableExport> exporter() const { return Exporter<OverridableExport>{*exporting_}; }
  Importer<OverridableImport> importer() const { return Importer<OverridableImport>{*importing_}; }

 private:
  // What the table's functions ask, as they get no context.
  struct Served {
    static Exchange<OverridableExchange, OverridableExport, OverridableImport> exchange() noexcept;
  };
  static const ReferenceAdapter* served_;

  std::unique_ptr<OverridableExport> exporting_;
  std::unique_ptr<OverridableImport> importing_;
  std::unique_ptr<OverridableExchange> exchanging_;
};

}  // namespace dlcert::reference
