// SPDX-License-Identifier: Apache-2.0
//
// Libraries that keep rules from being touched, each as it may, or by doing next to nothing. The
// environment variable DLCERT_DECLINER names the one that the module is.
#include <cstdlib>
#include <memory>
#include <string_view>

#include <dlcert/adapter.hpp>

#include "dlcert/reference_adapter.hpp"

namespace dlcert::decliners {
namespace {

using namespace reference;  // NOLINT(google-build-using-namespace): each is a class of that library

[[noreturn]] void refuse() {
  throw adapter::Refused{DLCERT_ERROR_BUFFER, "refused, whatever it is"};
}

// The reference with one step of its own.
template <class Step>
class With : public ReferenceAdapter {
 public:
  With() : ReferenceAdapter{std::make_unique<Step>()} {}
};

// ---- producers ----------------------------------------------------------------------------------

class OrderNothing : public OverridableExport {
 public:
  Ordering ordering_of(DLDevice, const Argument&) const override { return {}; }
};

// Nothing is pending when a write returns, so nothing need be ordered.
class WritesThatWait : public With<OrderNothing> {
 public:
  void write(Tensor& tensor, std::span<const std::byte> logical) override {
    ReferenceAdapter::write(tensor, logical);
    const dlcert_device device = describe(tensor).device;
    if (device.type != kDLCPU) synchronize(device);
  }
};

class ExportsNothing : public ReferenceAdapter {
 public:
  dlcert_managed export_managed(Tensor&, const dlcert_request&) override { refuse(); }
  Capsule* export_capsule(Tensor&, const dlcert_request&) override { refuse(); }
  Capsule* to_dlpack(Tensor&) override { refuse(); }
};

// Its exports take memory that fail_allocation() does not reach.
class NeverOutOfMemory : public ReferenceAdapter {
 public:
  void fail_allocation(std::int64_t) override {}
};

// Every export is a copy, and says so.
class CopyAlways : public OverridableExport {
 public:
  std::optional<bool> copy(const Argument&) const override { return true; }
};

// A view keeps its tensor for ever, and nothing is counted.
class HoldByViews : public OverridableExchange {
 public:
  DLTensor view(const Object& object) const override {
    object.tensor().storage().retain();
    return OverridableExchange::view(object);
  }
};
class ViewsThatHold : public With<HoldByViews> {};

// ---- consumers ----------------------------------------------------------------------------------

class ImportsNothing : public ReferenceAdapter {
 public:
  Tensor import_managed(dlcert_managed managed) override {
    switch (managed.form) {
      case DLCERT_LEGACY:
        call_deleter(static_cast<DLManagedTensor*>(managed.pointer));
        break;
      default:
        call_deleter(static_cast<DLManagedTensorVersioned*>(managed.pointer));
    }
    refuse();
  }
  Tensor import_from(const dlcert_producer&, const dlcert_import_request&) override { refuse(); }
  Tensor import_capsule(Capsule&) override { refuse(); }
};

class NameNoStream : public OverridableImport {
 public:
  Argument stream_for(DLDevice, const Argument&) const override { return Absent{}; }
};

class NameMinusOne : public OverridableImport {
 public:
  Argument stream_for(DLDevice, const Argument&) const override { return std::int64_t{-1}; }
};

// It copies by itself, whatever its producers can.
class AskForNoCopy : public OverridableImport {
 public:
  ExportRequest request_for(DLDevice source, const ImportRequest& request) const override {
    ExportRequest made = OverridableImport::request_for(source, request);
    made.copy = Absent{};
    return made;
  }
};

class StayOnTheDevice : public OverridableImport {
 public:
  void check_target(DLDevice, const Argument& requested) const override {
    if (is_given(requested)) refuse();
  }
};

// ---- both ---------------------------------------------------------------------------------------

class ClaimsNothing : public ReferenceAdapter {
 public:
  bool can(const dlcert_tensor_spec&) override { return false; }
};

class ErrorsWithoutKind : public ReferenceAdapter {
 public:
  std::uint32_t properties() override {
    return ReferenceAdapter::properties() & ~std::uint32_t{DLCERT_FAITHFUL_ERRORS};
  }
};

template <class Library>
ReferenceAdapter* made() {
  return std::make_unique<Library>().release();  // lives until the process ends
}

ReferenceAdapter* chosen() {
  const char* const given = std::getenv("DLCERT_DECLINER");
  const std::string_view name{given == nullptr ? "" : given};
  if (name == "writes-that-wait") return made<WritesThatWait>();
  if (name == "exports-nothing") return made<ExportsNothing>();
  if (name == "never-out-of-memory") return made<NeverOutOfMemory>();
  if (name == "views-that-hold") return made<ViewsThatHold>();
  if (name == "imports-nothing") return made<ImportsNothing>();
  if (name == "names-no-stream") return made<With<NameNoStream>>();
  if (name == "names-minus-one") return made<With<NameMinusOne>>();
  if (name == "copies-by-itself") return made<With<AskForNoCopy>>();
  if (name == "stays-on-the-device") return made<With<StayOnTheDevice>>();
  if (name == "exports-copies") return made<With<CopyAlways>>();
  if (name == "claims-nothing") return made<ClaimsNothing>();
  if (name == "errors-without-kind") return made<ErrorsWithoutKind>();
  return nullptr;
}

dlcert_adapter table_of(ReferenceAdapter& library) {
  dlcert_adapter table = adapter::table(library);
  if (dynamic_cast<ViewsThatHold*>(&library) == nullptr) return table;
  static dlcert_tensor_group uncounted = *table.tensor;
  uncounted.live_allocations = nullptr;
  table.tensor = &uncounted;
  return table;
}

}  // namespace
}  // namespace dlcert::decliners

// NULL when DLCERT_DECLINER names none.
extern "C" DLCERT_EXPORT const dlcert_adapter* dlcert_adapter_get(std::uint32_t abi_major) {
  static dlcert::reference::ReferenceAdapter* const library = dlcert::decliners::chosen();
  if (library == nullptr || abi_major != DLCERT_ABI_MAJOR) return nullptr;
  static const dlcert_adapter table = dlcert::decliners::table_of(*library);
  return &table;
}
