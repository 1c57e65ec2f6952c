// SPDX-License-Identifier: Apache-2.0
//
// The exchange table: DLPackExchangeAPI of dlpack.h 1.3, whose functions take an Object where a
// Python library takes a PyObject. None of them waits for a stream or makes one wait.
//
// ExchangeSteps holds the single decisions, Exchange their order as in export.hpp, and
// ExchangeFunctions what a C function adds: codes in place of exceptions.

#pragma once

#include <dlpack/dlpack.h>

#include "dlcert/tensor/exchange_steps.hpp"
#include "dlcert/tensor/export.hpp"
#include "dlcert/tensor/import.hpp"

namespace dlcert::reference {

/// What the functions of a table do. Those that fail throw an Error or std::bad_alloc, and keep
/// nothing.
template <class Steps, class ExportBy, class ImportBy>
class Exchange {
 public:
  /// All three outlive the exchange.
  constexpr Exchange(const Steps& steps, const ExportBy& exporting,
                     const ImportBy& importing) noexcept
      : steps_(steps), exporter_(exporting), importer_(importing) {}

  /// A tensor of zeros like the prototype. The caller owns it.
  [[nodiscard]] DLManagedTensorVersioned* allocate(const DLTensor& prototype) const {
    return exporter_.versioned(steps_.allocate(steps_.read_prototype(prototype)));
  }

  /// Shares the object's tensor. The caller owns the result; the object stays the caller's.
  [[nodiscard]] DLManagedTensorVersioned* from_object(const Object& object) const {
    return exporter_.versioned(object.tensor());
  }

  /// Takes ownership of the managed tensor when it succeeds. When it fails the caller still owns
  /// it, unless its major version is foreign: then its deleter has been called, as dlpack.h has it.
  /// The caller owns the one reference to the result.
  [[nodiscard]] Object* to_object(DLManagedTensorVersioned* managed) const {
    Imported imported = importer_.borrow(managed);
    try {
      ObjectRoom room(static_cast<std::size_t>(imported.validated.tensor->ndim));
      return room.fill(importer_.share(imported));
    } catch (...) {
      imported.managed.give_up();
      throw;
    }
  }

  /// Describes the object's tensor without an allocation. All that the result points to is the
  /// object's.
  [[nodiscard]] DLTensor view(const Object& object) const {
    exporter_.check(object.tensor());
    steps_.check_view(object.tensor());
    return steps_.view(object);
  }

  /// The stream on which the calling thread's work for a device is enqueued.
  [[nodiscard]] void* work_stream(DLDevice device) const { return steps_.work_stream(device); }

  // In a handler: what becomes of the exception.
  void report(SetError set_error, void* context) const {
    steps_.report(set_error, context, current_python_error());
  }
  void leave() const { steps_.leave(std::current_exception()); }

 private:
  const Steps& steps_;
  Exporter<ExportBy> exporter_;
  Importer<ImportBy> importer_;
};

/// The functions of a table: 0 and the result in `*out`, or -1, an untouched `*out` and an error.
/// The allocator tells its error by `set_error`, the others leave it in the calling thread (see
/// take_error). Any thread. `Library::exchange()` gives the Exchange that does the work, and throws
/// nothing.
template <class Library>
struct ExchangeFunctions {
  static int allocate(DLTensor* prototype, DLManagedTensorVersioned** out, void* context,
                      SetError set_error) noexcept {
    const auto exchange = Library::exchange();
    try {
      *out = exchange.allocate(*prototype);
      return 0;
    } catch (...) {
      exchange.report(set_error, context);
      return -1;
    }
  }
  static int from_object(void* object, DLManagedTensorVersioned** out) noexcept {
    return deliver(out, [&](const auto& exchange) {
      return exchange.from_object(*static_cast<const Object*>(object));
    });
  }
  static int to_object(DLManagedTensorVersioned* managed, void** out) noexcept {
    return deliver(out, [&](const auto& exchange) { return exchange.to_object(managed); });
  }
  static int view(void* object, DLTensor* out) noexcept {
    return deliver(out, [&](const auto& exchange) {
      return exchange.view(*static_cast<const Object*>(object));
    });
  }
  static int work_stream(DLDeviceType type, std::int32_t id, void** out) noexcept {
    return deliver(out, [&](const auto& exchange) { return exchange.work_stream({type, id}); });
  }

 private:
  template <class Out, class Make>
  static int deliver(Out* out, const Make& make) noexcept {
    const auto exchange = Library::exchange();
    try {
      *out = make(exchange);
      return 0;
    } catch (...) {
      exchange.leave();
      return -1;
    }
  }
};

/// The table over a library's functions. Lives until the process ends.
template <class Library>
inline constexpr DLPackExchangeAPI exchange_table_of{
    .header = {.version = own_version, .prev_api = nullptr},
    .managed_tensor_allocator = &ExchangeFunctions<Library>::allocate,
    .managed_tensor_from_py_object_no_sync = &ExchangeFunctions<Library>::from_object,
    .managed_tensor_to_py_object_no_sync = &ExchangeFunctions<Library>::to_object,
    .dltensor_from_py_object_no_sync = &ExchangeFunctions<Library>::view,
    .current_work_stream = &ExchangeFunctions<Library>::work_stream};

inline constexpr ExchangeSteps exchange_steps{};

/// This library with its own steps.
struct OwnLibrary {
  static constexpr auto exchange() noexcept {
    return Exchange<ExchangeSteps, ExportSteps, ImportSteps>(exchange_steps, export_steps,
                                                             import_steps);
  }
};

/// The table that this library publishes.
inline constexpr const DLPackExchangeAPI& exchange_table = exchange_table_of<OwnLibrary>;

}  // namespace dlcert::reference
