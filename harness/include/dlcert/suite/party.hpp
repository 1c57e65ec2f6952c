// SPDX-License-Identifier: Apache-2.0
//
// A Party is one side of an exchange, as checks see it: an adapter's table with ownership, errors
// and a trace. dlcert's own library (spy.hpp) is a Party like any other. Therefore a check that is
// written for a library and dlcert also runs between two libraries.
//
// Implemented in harness/src/party: Party in party.cpp; its streams and exchange table in
// streams.cpp; owners of a library's objects in owners.cpp. gpu_party.hpp has devices, runtime and
// telemetry, python_party.hpp has Python.
#pragma once

#include <dlcert/adapter.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <dlcert/adapter_functions.hpp>
#include <dlcert/suite/claimed_tensors.hpp>
#include <dlcert/suite/dlpack.hpp>
#include <dlcert/suite/spec.hpp>

namespace dlcert {

class Party;

// Thrown if the library cannot form a call (DLCERT_NOT_FORMABLE). The classes of gpu_party.hpp also
// throw it if the library lacks the function. The case is then not applicable.
struct NotFormable {};

// Thrown if the check itself is wrong: it calls a function that it does not list in Check::needs,
// names a policy that does not exist, or uses the value of a refused call. The case is
// inconclusive, because none of this is the library's fault. The functions that a check calls throw
// it.
struct DefectOfCheck : std::logic_error {
  using std::logic_error::logic_error;
};

// The outcome of a call to a library: a value, or the error that the library reported. A call that
// the library cannot form throws NotFormable instead.
template <typename T>
class Outcome {
 public:
  Outcome(T value) : state_{std::move(value)} {}              // NOLINT(google-explicit-constructor)
  Outcome(dlcert::Error error) : state_{std::move(error)} {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  // Returns the value; requires ok(), else throws DefectOfCheck. If the requirement obliges the
  // library to give a value, use require() of check.hpp.
  T& value() & { return there(std::get_if<0>(&state_)); }
  T&& value() && { return std::move(there(std::get_if<0>(&state_))); }
  // Returns the error; requires !ok(), else throws DefectOfCheck.
  const dlcert::Error& error() const { return there(std::get_if<1>(&state_)); }

 private:
  template <typename Held>
  static Held& there(Held* held) {
    if (held == nullptr) throw DefectOfCheck{"an outcome was taken for another than it is"};
    return *held;
  }

  std::variant<T, dlcert::Error> state_;
};

// ---- owners of a library's objects ----
//
// Each object here must die before its Party, and then gives the library's object back. They are
// move-only. If a library throws in a destructor, the worker process crashes. If it throws in
// release() or drop(), the case fails.

struct KnownValues;

// Owns a tensor of a library and releases it on destruction.
class Tensor {
 public:
  Tensor() = default;
  Tensor(const Party& party, dlcert_tensor* handle, std::uint64_t origin = 0)
      : party_{&party}, handle_{handle}, origin_{origin} {}
  Tensor(const Tensor&) = delete;
  Tensor& operator=(const Tensor&) = delete;
  Tensor(Tensor&& other) noexcept;
  Tensor& operator=(Tensor&& other) noexcept;
  ~Tensor();

  explicit operator bool() const { return handle_ != nullptr; }
  dlcert_tensor* handle() const { return handle_; }
  // Returns a number for the call that made the tensor. Tensors of equal calls have the same
  // number. 0: not known.
  std::uint64_t origin() const { return origin_; }
  // Returns true if an import made the tensor.
  bool is_imported() const { return imported_; }
  void set_imported() { imported_ = true; }
  // Returns what the tensor was made with (party/exported_values.hpp); NULL: not known.
  KnownValues* known_values() const { return known_.get(); }
  void set_known_values(std::shared_ptr<KnownValues> known) { known_ = std::move(known); }
  // Releases the tensor now. Does nothing if empty.
  void release();

 private:
  const Party* party_ = nullptr;
  dlcert_tensor* handle_ = nullptr;
  std::uint64_t origin_ = 0;
  bool imported_ = false;
  std::shared_ptr<KnownValues> known_;
};

// Owns a managed tensor that dlcert received; calls its deleter on destruction, or earlier by
// release(). It needs no Party and may outlive the library's module. Each call reads the struct
// again; nothing is cached. If empty, only raw(), give_up(), release() and the conversion to bool
// may be called.
class Managed {
 public:
  Managed() = default;
  explicit Managed(dlcert_managed raw) : raw_{raw} {}
  Managed(const Managed&) = delete;
  Managed& operator=(const Managed&) = delete;
  Managed(Managed&& other) noexcept;
  Managed& operator=(Managed&& other) noexcept;
  ~Managed();

  bool versioned() const { return raw_.form == DLCERT_VERSIONED; }
  dlcert_managed raw() const { return raw_; }
  explicit operator bool() const { return raw_.pointer != nullptr; }

  const DLTensor& tensor() const;
  std::uint64_t flags() const;    // 0 for a legacy tensor
  DLPackVersion version() const;  // {0, 0} for a legacy tensor
  bool has_deleter() const;
  // Returns the address of the first element.
  const std::byte* first_element() const;  // data + byte_offset

  // Calls the deleter once, if there is one. Does nothing if empty.
  void release();
  // Makes the caller the owner of the tensor.
  dlcert_managed give_up();

 private:
  dlcert_managed raw_{};
};

// Owns a capsule of a library and drops it on destruction. dlcert_capsule_group defines the
// methods.
class Capsule {
 public:
  Capsule() = default;
  Capsule(const Party& party, dlcert_capsule* handle) : party_{&party}, handle_{handle} {}
  Capsule(const Capsule&) = delete;
  Capsule& operator=(const Capsule&) = delete;
  Capsule(Capsule&& other) noexcept;
  Capsule& operator=(Capsule&& other) noexcept;
  ~Capsule();

  explicit operator bool() const { return handle_ != nullptr; }
  dlcert_capsule* handle() const { return handle_; }
  // Makes the caller the owner of the capsule.
  dlcert_capsule* give_up();
  // Returns the name; empty if the capsule is nameless.
  std::optional<std::string> name() const;
  // Returns the address of the name, or NULL if the capsule is nameless. dlcert_capsule_group
  // defines how long it is valid.
  const char* name_in_place() const;
  // Returns the pointer, or NULL if the capsule does not have that name.
  void* pointer(const char* name) const;
  // Changes the name. `name` has static storage.
  void set_name(const char* name);
  // Drops the capsule now. Does nothing if empty.
  void drop();

 private:
  const Party* party_ = nullptr;
  dlcert_capsule* handle_ = nullptr;
};

// Owns an object that the functions of a library's exchange table take; drops it on destruction.
class Object {
 public:
  Object() = default;
  Object(const Party& party, void* handle) : party_{&party}, handle_{handle} {}
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  Object(Object&& other) noexcept;
  Object& operator=(Object&& other) noexcept;
  ~Object();

  explicit operator bool() const { return handle_ != nullptr; }
  void* handle() const { return handle_; }
  // Drops the object now. Does nothing if empty.
  void drop();

 private:
  const Party* party_ = nullptr;
  void* handle_ = nullptr;
};

// What a library reports about one of its tensors; see dlcert_description. The library owns the
// memory of the pointers, which are valid until the tensor is released.
struct Description {
  dlcert_dtype dtype{};
  dlcert_device device{};
  std::vector<std::int64_t> shape;
  std::optional<std::vector<std::int64_t>> strides;  // in elements; empty: not reported
  const std::byte* data = nullptr;                   // element (0, ..., 0); NULL: not reported
  const std::byte* storage_begin = nullptr;          // NULL: not reported
  std::uint64_t storage_bytes = 0;
  bool read_only = false;
};

// What a library can offer besides single functions of the groups tensor, exchange and capsule.
#define DLCERT_CAN_MORE(F)                                                              \
  F(cxx_facts)                                                                          \
  F(c_facts)                                                                            \
  F(any_import)      /* import_managed, import_from or import_capsule */                \
  F(knows_read_only) /* DLCERT_KNOWS_READ_ONLY */                                       \
  F(streams)         /* run_with_stream, current_stream, synchronize, current_device */ \
  F(exchange_table)  /* table, object_of, tensor_of, drop_object, take_error */         \
  F(devices)         /* the group; calls of missing functions are not formable */       \
  F(runtime)                                                                            \
  F(telemetry)                                                                          \
  F(device_order)   /* given */                                                         \
  F(reads_back)     /* read, export_managed or any_capsule: a way to the values */      \
  F(python)         /* the group */                                                     \
  F(python_objects) /* object_of, drop_object and import_any of that group */           \
  F(any_capsule)    /* export_capsule or to_dlpack, and capsules */

// Everything that a library can offer, in the order of the bits. The functions have the names of
// adapter_functions.hpp; `capsules` means make, name, pointer, set_name and drop.
#define DLCERT_CAN(SLOT, METHOD, MORE) \
  DLCERT_TENSOR_FUNCTIONS(SLOT)        \
  DLCERT_EXCHANGE_FUNCTIONS(SLOT)      \
  MORE(capsules)                       \
  DLCERT_CAPSULE_FUNCTIONS(METHOD)     \
  DLCERT_CAN_MORE(MORE)

using Needs = std::uint64_t;

namespace detail {
enum class CanBit : unsigned {
#define DLCERT_DETAIL_SLOT(slot, method, ...) slot,
#define DLCERT_DETAIL_METHOD(slot, method, ...) method,
#define DLCERT_DETAIL_MORE(name) name,
  DLCERT_CAN(DLCERT_DETAIL_SLOT, DLCERT_DETAIL_METHOD, DLCERT_DETAIL_MORE)
#undef DLCERT_DETAIL_SLOT
#undef DLCERT_DETAIL_METHOD
#undef DLCERT_DETAIL_MORE
      count,
};
static_assert(static_cast<unsigned>(CanBit::count) <= 64);
constexpr Needs bit(CanBit index) {
  return Needs{1} << static_cast<unsigned>(index);
}
}  // namespace detail

// Functions and properties that a library offers. In Check::needs: those that a library must offer
// for the check to apply. Party finds them in the library's table, before open().
enum class Can : Needs {
#define DLCERT_DETAIL_SLOT(slot, method, ...) slot = detail::bit(detail::CanBit::slot),
#define DLCERT_DETAIL_METHOD(slot, method, ...) method = detail::bit(detail::CanBit::method),
#define DLCERT_DETAIL_MORE(name) name = detail::bit(detail::CanBit::name),
  DLCERT_CAN(DLCERT_DETAIL_SLOT, DLCERT_DETAIL_METHOD, DLCERT_DETAIL_MORE)
#undef DLCERT_DETAIL_SLOT
#undef DLCERT_DETAIL_METHOD
#undef DLCERT_DETAIL_MORE
};
constexpr Needs operator|(Can a, Can b) {
  return static_cast<Needs>(a) | static_cast<Needs>(b);
}
constexpr Needs operator|(Needs a, Can b) {
  return a | static_cast<Needs>(b);
}

// Returns the name of each bit of `needs`: "create", "any_import", ...
std::vector<std::string_view> names_of(Needs needs);
// Returns the bit with that name, or 0 if there is none.
Needs need_named(std::string_view name);

// The version of DLPack that dlcert's own producer and consumer implement.
inline constexpr DLPackVersion own_version{1, 3};

struct RememberedClaims;

// One side of an exchange: a library's table. Copies are the same library.
//
// Each method that calls the library is the function of its name in adapter.h, which defines what
// it takes and gives. Bytes are logical bytes.
//
// Each such method throws DefectOfCheck if the library does not offer() the function. Therefore a
// check
// - lists in Check::needs each function that it calls on the tested library without asking
//   offers();
// - asks offers() before any other call, on either Party.
//
// A function that is missing in Check::needs is not noticed if the library has it.
//
// These fail the case: an answer that breaks the ABI, an exception out of the library, and a call
// that was formable or claimed before and is not any more. Any thread may call the methods, one at
// a time unless the library declares DLCERT_THREAD_SAFE.
class Party {
 public:
  // Makes a Party of a table that outlives it and has been validated (table_problem in
  // harness/src/worker). The adapter need not be open yet. `label` is the name in traces: a C
  // identifier with static storage.
  explicit Party(const dlcert_adapter& table, std::string_view label = "library");
  // Returns the same library as the consumer of an exchange: its can() calls can_import if the
  // library has that function.
  Party consuming() const;
  // Returns whether it was made so.
  bool is_consuming() const { return consuming_; }

  std::string_view name() const { return table_->name; }
  std::string_view version() const { return table_->version; }
  // Returns whether the library declares `property`, such as DLCERT_FAITHFUL_ERRORS.
  bool declares(std::uint32_t property) const { return (table_->properties & property) != 0; }
  // Returns everything that the library offers.
  Needs offers() const { return offers_; }
  // Returns whether the library offers all of `needs`.
  bool offers(Needs needs) const { return (needs & ~offers_) == 0; }
  const dlcert_adapter& table() const { return *table_; }
  std::string_view label() const { return label_; }

  // Returns whether the library claims such a tensor in its role. A consumer may claim other
  // tensors than a producer. True if the library has no such function.
  bool can(const TensorSpec& spec) const;
  // Returns can(spec), but asks the library only once about a tensor on the host. A check calls
  // can() for each tensor that it makes: that call fails the case if the library has withdrawn its
  // claim.
  bool can_remembered(const TensorSpec& spec) const;
  // Returns the tensors that the library claims in its role, as found before the run; empty if
  // dlcert has not asked.
  std::span<const ClaimedTensors> claimed_tensors() const;
  // Sets them for this object and for copies made later.
  void set_claimed_tensors(std::vector<ClaimedTensors> tensors);
  Outcome<Tensor> create(const TensorSpec& spec, const Bytes& logical) const;
  Outcome<Description> describe(const Tensor& tensor) const;
  // `size` is the number of logical bytes.
  Outcome<Bytes> read(const Tensor& tensor, std::size_t size) const;
  Outcome<std::monostate> write(const Tensor& tensor, const Bytes& logical) const;
  Outcome<Tensor> alias(const Tensor& tensor) const;
  std::int64_t live_allocations() const;
  void fail_allocation(std::int64_t successes) const;

  Outcome<dlcert_device> dlpack_device(const Tensor& tensor) const;
  Outcome<Managed> export_managed(const Tensor& tensor, const dlcert_request& request) const;
  // The status decides who owns `managed` afterwards: see dlcert_exchange_group::import_managed.
  Outcome<Tensor> import_managed(dlcert_managed managed) const;
  Outcome<Tensor> import_from(const dlcert_producer& producer,
                              const dlcert_import_request& request) const;

  // `name` is NULL or has static storage; `destructor` may be NULL.
  Outcome<Capsule> make_capsule(void* pointer, const char* name,
                                dlcert_capsule_destructor destructor) const;
  // Calls to_dlpack if the library does not have export_capsule. Then a request with any argument,
  // even None, cannot be formed.
  Outcome<Capsule> export_capsule(const Tensor& tensor, const dlcert_request& request) const;
  Outcome<Tensor> import_capsule(const Capsule& capsule) const;
  Outcome<Capsule> to_dlpack(const Tensor& tensor) const;

  // Runs `body` while `stream` is the library's current stream of `device`. An exception of `body`
  // reaches the caller after the former stream is current again. Fails the case if the library
  // succeeds without having run `body` exactly once.
  Outcome<std::monostate> run_with_stream(dlcert_device device, std::uint64_t stream,
                                          const std::function<void()>& body) const;
  Outcome<std::uint64_t> current_stream(dlcert_device device) const;
  Outcome<std::monostate> synchronize(dlcert_device device) const;
  Outcome<std::int32_t> current_device(std::int32_t device_type) const;

  Outcome<const DLPackExchangeAPI*> exchange_table() const;
  Outcome<Object> object_of(const Tensor& tensor) const;
  Outcome<Tensor> tensor_of(const Object& object) const;
  // Takes the error that a failed function of the table has left set on this thread, and clears it;
  // empty if none is set.
  std::optional<dlcert::Error> take_object_error() const;

 private:
  const dlcert_adapter* table_;
  std::string_view label_;
  Needs offers_ = 0;
  bool consuming_ = false;
  std::shared_ptr<RememberedClaims> remembered_;
  std::shared_ptr<const std::vector<ClaimedTensors>> claimed_tensors_;
};

}  // namespace dlcert
