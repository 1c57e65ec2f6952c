// SPDX-License-Identifier: Apache-2.0
//
// A party of an exchange, as checks see it: an adapter's table with ownership, errors and a trace.
// The harness's spy is a party like any other, so that a check written for two parties also runs
// between two libraries.
//
// Implemented in harness/src/party: Party in party.cpp, of streams and the exchange table in
// streams.cpp; what is owned in owners.cpp. Devices, runtime and telemetry: gpu_party.hpp; Python:
// python_party.hpp.
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

#include <dlcert/suite/claimed_tensors.hpp>
#include <dlcert/suite/dlpack.hpp>
#include <dlcert/suite/spec.hpp>

namespace dlcert {

class Party;

// Thrown by a party when the library cannot form a call (DLCERT_NOT_FORMABLE), and by the classes
// of gpu_party.hpp when it lacks the function: the case is not applicable.
struct NotFormable {};

// The check itself is wrong: it calls what it did not say that it needs, names a policy that there
// is not, or takes a refusal for a value. Inconclusive, as nothing of it is the library's fault.
// Thrown by what the check calls.
struct DefectOfCheck : std::logic_error {
  using std::logic_error::logic_error;
};

// The outcome of a call into a party: a value or the error that the library reported. A call that
// the library cannot form does not return but throws NotFormable.
template <typename T>
class Outcome {
 public:
  Outcome(T value) : state_{std::move(value)} {}              // NOLINT(google-explicit-constructor)
  Outcome(dlcert::Error error) : state_{std::move(error)} {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  // Requires ok(), respectively !ok(); throws DefectOfCheck otherwise. Where the rule obliges the
  // library to give a value, take it by require() of check.hpp.
  T& value() & { return there(std::get_if<0>(&state_)); }
  T&& value() && { return std::move(there(std::get_if<0>(&state_))); }
  const dlcert::Error& error() const { return there(std::get_if<1>(&state_)); }

 private:
  template <typename Held>
  static Held& there(Held* held) {
    if (held == nullptr) throw DefectOfCheck{"an outcome was taken for another than it is"};
    return *held;
  }

  std::variant<T, dlcert::Error> state_;
};

// ---- what the harness owns of a library ----
//
// Each dies before the party that made it, and gives its object back when it dies; move-only. If a
// library throws then, the worker crashes; thrown out of release() or drop(), it fails the case.

// A tensor of a party, released when this dies.
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
  // What it was made by: the same of tensors that equal calls have made; 0: not known.
  std::uint64_t origin() const { return origin_; }
  // Releases it now; does nothing when empty.
  void release();

 private:
  const Party* party_ = nullptr;
  dlcert_tensor* handle_ = nullptr;
  std::uint64_t origin_ = 0;
};

// A managed tensor that the harness received and owns: its deleter is called when this dies, or
// earlier by release(). Needs no party: it may outlive the library's module. Everything is read
// from the struct at each call: nothing is cached. Only raw(), give_up(), release() and the
// conversion to bool may be called when empty.
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
  const std::byte* first_element() const;  // data + byte_offset

  // Calls the deleter, where there is one, once; does nothing when empty.
  void release();
  // The caller owns the tensor from now on.
  dlcert_managed give_up();

 private:
  dlcert_managed raw_{};
};

// A capsule of a party that the harness owns: dropped when this dies. What a method does is in
// dlcert_capsule_group.
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
  // The caller owns the capsule from now on.
  dlcert_capsule* give_up();
  // Empty: the capsule is nameless.
  std::optional<std::string> name() const;
  // Where the name lies, NULL for a nameless one; how long it is valid is in dlcert_capsule_group.
  const char* name_in_place() const;
  // NULL unless the capsule has that name.
  void* pointer(const char* name) const;
  // `name` has static storage.
  void set_name(const char* name);
  // Drops it now; does nothing when empty.
  void drop();

 private:
  const Party* party_ = nullptr;
  dlcert_capsule* handle_ = nullptr;
};

// An object that the functions of a party's exchange table take, dropped when this dies.
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
  // Drops it now; does nothing when empty.
  void drop();

 private:
  const Party* party_ = nullptr;
  void* handle_ = nullptr;
};

// What a library says of one of its tensors; see dlcert_description. The pointers are the library's
// and valid until the tensor is released.
struct Description {
  dlcert_dtype dtype{};
  dlcert_device device{};
  std::vector<std::int64_t> shape;
  std::optional<std::vector<std::int64_t>> strides;  // in elements; empty: not told
  const std::byte* data = nullptr;                   // logical element (0, ..., 0); NULL: not told
  const std::byte* storage_begin = nullptr;          // NULL: not told
  std::uint64_t storage_bytes = 0;
  bool read_only = false;
};

// What a party offers; in Check::needs, what it must offer for the check to apply to it. Found in
// the party's table before open().
enum class Can : std::uint32_t {
  create = 1u << 0,
  describe = 1u << 1,
  read = 1u << 2,
  write = 1u << 3,
  alias = 1u << 4,
  count_allocations = 1u << 5,
  fail_allocations = 1u << 6,
  dlpack_device = 1u << 7,
  export_managed = 1u << 8,
  import_managed = 1u << 9,
  import_from = 1u << 10,
  capsules = 1u << 11,  // make, name, pointer, set_name, drop
  export_capsule = 1u << 12,
  import_capsule = 1u << 13,
  to_dlpack = 1u << 14,
  cxx_facts = 1u << 15,
  c_facts = 1u << 16,
  any_import = 1u << 17,       // import_managed, import_from or import_capsule
  knows_read_only = 1u << 18,  // declared
  streams = 1u << 19,          // run_with_stream, current_stream, synchronize, current_device
  exchange_table = 1u << 20,   // table, object_of, tensor_of, drop_object, take_error
  devices = 1u << 21,          // the group, with whatever functions: what lacks is not formable
  runtime = 1u << 22,
  telemetry = 1u << 23,
  device_order = 1u << 24,    // told
  reads_back = 1u << 25,      // read, export_managed or any_capsule: ways to the values
  python = 1u << 26,          // the group
  python_objects = 1u << 27,  // of these: object_of, drop_object, import_any
  any_capsule = 1u << 28,     // export_capsule or to_dlpack, and capsules
};
using Needs = std::uint32_t;
constexpr Needs operator|(Can a, Can b) {
  return static_cast<Needs>(a) | static_cast<Needs>(b);
}
constexpr Needs operator|(Needs a, Can b) {
  return a | static_cast<Needs>(b);
}

// What each bit of `needs` is called: "create", "any_import", ...
std::vector<std::string_view> names_of(Needs needs);
// The bit that is called so; 0 for a name that none has.
Needs need_named(std::string_view name);

// The version that dlcert itself implements as a counterpart.
inline constexpr DLPackVersion own_version{1, 3};

struct RememberedClaims;

// One side of an exchange: a library's table. Copies are parties of the same library.
//
// Each method that makes a call is the function of its name in adapter.h: what it means, takes and
// gives is said there. Bytes are logical bytes. Each asks first whether the party offers() the
// function, and throws DefectOfCheck where it does not. So a check names in Check::needs what it
// calls on the tested party without asking, and asks offers() before any other call, on either
// party; that a call is missing from Check::needs is not noticed where the library has it. An
// answer that breaks the ABI, and an exception out of the library, fail the case. So does a call of
// which the library says that it cannot be formed, or claimed, where the same call could be before.
// Any thread, one at a time unless the library declares DLCERT_THREAD_SAFE.
class Party {
 public:
  // `table` outlives the party and has been validated (table_problem in harness/src/worker); it
  // need not be open yet. `label` is how traces call the party: a C identifier of static storage.
  explicit Party(const dlcert_adapter& table, std::string_view label = "library");
  // The same library as the consumer of an exchange: can() asks its can_import where it has one.
  Party consuming() const;

  std::string_view name() const { return table_->name; }
  std::string_view version() const { return table_->version; }
  // `property` is one of DLCERT_FAITHFUL_ERRORS, ...
  bool declares(std::uint32_t property) const { return (table_->properties & property) != 0; }
  // All that the library offers, and whether it offers all of `needs`.
  Needs offers() const { return offers_; }
  bool offers(Needs needs) const { return (needs & ~offers_) == 0; }
  const dlcert_adapter& table() const { return *table_; }
  std::string_view label() const { return label_; }

  // Whether the library claims such a tensor in its role: what a consumer takes may be another
  // thing than what it makes. True as well where the library has no such function.
  bool can(const TensorSpec& spec) const;
  // Returns can(spec), and asks the library only once about a tensor on the host. A check asks
  // can() about each tensor that it makes: that call fails the case if the library withdrew its
  // claim.
  bool can_remembered(const TensorSpec& spec) const;
  // Returns what it claims in its role, from its answers before the run; empty if nobody asked.
  std::span<const ClaimedTensors> claimed_tensors() const;
  // Sets it for this object and for copies made later.
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
  // Leaves ownership of `managed` as the ABI says: see dlcert_exchange_group::import_managed.
  Outcome<Tensor> import_managed(dlcert_managed managed) const;
  Outcome<Tensor> import_from(const dlcert_producer& producer,
                              const dlcert_import_request& request) const;

  // `name`, unless NULL, has static storage; `destructor` may be NULL.
  Outcome<Capsule> make_capsule(void* pointer, const char* name,
                                dlcert_capsule_destructor destructor) const;
  // By to_dlpack where the library has no other function: then a request with an argument, even
  // none, cannot be formed.
  Outcome<Capsule> export_capsule(const Tensor& tensor, const dlcert_request& request) const;
  Outcome<Tensor> import_capsule(const Capsule& capsule) const;
  Outcome<Capsule> to_dlpack(const Tensor& tensor) const;

  // Runs `body` while `stream` is the party's current stream of `device`. What `body` throws
  // reaches the caller, after the former stream is current again. A library that succeeds without
  // having run it once fails the case.
  Outcome<std::monostate> run_with_stream(dlcert_device device, std::uint64_t stream,
                                          const std::function<void()>& body) const;
  Outcome<std::uint64_t> current_stream(dlcert_device device) const;
  Outcome<std::monostate> synchronize(dlcert_device device) const;
  Outcome<std::int32_t> current_device(std::int32_t device_type) const;

  Outcome<const DLPackExchangeAPI*> exchange_table() const;
  Outcome<Object> object_of(const Tensor& tensor) const;
  Outcome<Tensor> tensor_of(const Object& object) const;
  // The error that a failed function of the table left set on this thread, which is forgotten;
  // empty: none is set.
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
