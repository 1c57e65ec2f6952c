// SPDX-License-Identifier: Apache-2.0
//
// The harness's own side of an exchange. As a producer it offers managed tensors that may be
// well-formed or hostile, on memory between guard pages, and keeps account of every deleter call.
// As a whole library it is spy_library(): a correct, independent counterpart for checks written
// against two parties.
//
// Implemented in harness/src/spy: offers in offer.cpp, producers in producer.cpp, routes in
// routes.cpp, what is plain in plain_spec.cpp, imports in import.cpp, the library in library/.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include <dlcert/suite/check.hpp>

namespace dlcert {

// The spy as a library: creates, exports and imports every form by the letter, in its own code, on
// the host. The table has static storage; Party{spy_library(), "dlcert"} makes it a party.
const dlcert_adapter& spy_library();

// The form of a managed tensor: DLManagedTensor or DLManagedTensorVersioned.
enum class Form : std::uint8_t { legacy, versioned };
// The name of a capsule that nobody has consumed: "dltensor", "dltensor_versioned".
const char* live_name(Form form);
// The name of one that is consumed: "used_dltensor", "used_dltensor_versioned".
const char* used_name(Form form);

// How the memory of an offer is protected. The bytes right behind the storage, the arrays and the
// struct are inaccessible always.
enum class Protection : std::uint8_t {
  none,            // writable
  read_only_data,  // the storage lies on PROT_READ pages
  read_only_all,   // storage, arrays and struct lie on PROT_READ pages
  sealed_tail,     // versioned struct only: all behind flags, from offset 32, is inaccessible
};

// What a managed tensor says. Every field may lie. What the members mean is in dlpack.h: strides
// are in elements, byte_offset in bytes.
struct Descriptor {
  Form form = Form::versioned;
  DLPackVersion version = own_version;
  std::uint64_t flags = 0;
  dlcert_dtype dtype{2, 32, 1};
  dlcert_device device{1, 0};
  std::int32_t ndim = 0;                             // need not be the length of shape
  std::optional<std::vector<std::int64_t>> shape;    // empty: a NULL pointer
  std::optional<std::vector<std::int64_t>> strides;  // empty: a NULL pointer
  std::uint64_t byte_offset = 0;
  // What data points to: the storage that the offer owns + data_offset, NULL, an unmapped address,
  // or memory of a device, which is somebody else's, + data_offset.
  enum class Data : std::uint8_t { storage, null, unmapped, device } data = Data::storage;
  std::int64_t data_offset = 0;  // bytes
  std::byte* device_memory = nullptr;
  enum class Deleter : std::uint8_t { counting, null } deleter = Deleter::counting;
  // manager_ctx: the offer's own account (opaque to the consumer), NULL, or an address that faults
  // when read.
  enum class Context : std::uint8_t { own, null, unreadable } context = Context::own;
  Protection protection = Protection::none;
};

// A managed tensor made by the harness, with its storage and its account. Neither copied nor moved:
// consumers hold its address. After the deleter was called the struct, the arrays and the storage
// are poisoned, or under `seal_after_release` inaccessible. Destroying an offer that a consumer
// still holds is legal only at the end of a case that failed: its memory is then given up, and
// calls of its deleter are ignored.
//
// The deleter may be called on any thread. deleter_calls() and stray_deleter_calls() may be asked
// on any thread at any time, and what context_unchanged(), described_unchanged() and
// deleter_thread() say of a first call once it is counted. All else belongs to the thread of the
// case, while nobody else uses the offer.
class Offer {
 public:
  // `storage` is copied to the offer's memory so that its last byte lies directly before an
  // inaccessible page. Throws std::bad_alloc.
  Offer(const Descriptor& descriptor, const Bytes& storage);
  ~Offer();
  Offer(const Offer&) = delete;
  Offer& operator=(const Offer&) = delete;

  // The managed tensor, to be handed out: from now on somebody else may hold it, until its deleter
  // was called or recall().
  dlcert_managed managed() const;
  // Its name in the trace of the case that is being described.
  std::string trace_name() const;
  const Descriptor& descriptor() const;
  std::byte* storage() const;
  std::size_t storage_bytes() const;
  const std::byte* first_element() const;  // data + byte_offset as described
  // The logical bytes of the described elements, gathered by the harness from the storage. Requires
  // a well-formed descriptor of whole-byte or sub-byte (packed or padded by its flag) elements
  // inside the storage; throws DefectOfCheck where ndim is not the length of shape and strides.
  Bytes logical() const;
  void set_logical(const Bytes& logical);  // scatters, through the described layout

  // Calls of the deleter that carried this offer's address, and that carried another one but this
  // offer's manager_ctx. A call counts once it is over.
  int deleter_calls() const;
  int stray_deleter_calls() const;
  // Of the first call; empty: there was none.
  std::optional<std::thread::id> deleter_thread() const;
  // Whether manager_ctx was as given when the deleter ran, or is now.
  bool context_unchanged() const;
  // The same of struct, shape and strides, byte for byte.
  bool described_unchanged() const;
  // Has the deleter make struct, arrays and storage inaccessible. Before the offer is handed out,
  // like the next.
  void seal_after_release();
  // Has the first call of the deleter run `action`, on its thread and before anything is poisoned.
  // It runs inside the library and must not throw.
  void on_deleter(std::function<void()> action);

  // Gives the tensor back by its counting deleter, as its owner; it counts like a consumer's call.
  void release_from_harness();
  // Nobody holds the tensor, although its deleter was not called: its memory may be used again once
  // this dies.
  void recall();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Fail unless the deleter was called `expected` times; once. A library may call it on a thread of
// its own, and a little later than its user lets go: see await().
void expect_deletions(int expected, const Offer& offer);
void expect_deleted_once(const Offer& offer);

// A well-formed offer of a tensor like `spec` (layout, dtype, flags) that holds `logical`. In the
// versioned form read-only and padded follow spec.flags; strides are always given; byte_offset is 0
// unless `use_byte_offset`, when data points to the storage's start and byte_offset to the first
// element.
std::unique_ptr<Offer> make_offer(const TensorSpec& spec, const Bytes& logical, Form form,
                                  bool use_byte_offset = false);
// What make_offer says of such a tensor.
Descriptor describe_spec(const TensorSpec& spec, Form form, bool use_byte_offset = false);
// What 1 in the strides of a spec is, in bits.
std::int64_t stride_bits(const TensorSpec& spec);
// The size of a spec's storage, its bytes where it holds `logical` (0xA5 elsewhere), and back.
// `storage` has as many; what lies between the elements stays.
std::size_t storage_bytes(const TensorSpec& spec);
Bytes scatter(const TensorSpec& spec, const Bytes& logical);
void scatter_into(const TensorSpec& spec, std::byte* storage, const Bytes& logical);
Bytes gather(const TensorSpec& spec, const std::byte* storage);
// Fails where a spec, which may be what a library described, has elements that no memory can hold,
// so that no arithmetic on its layout overflows behind it.
void expect_in_memory(const TensorSpec& spec);

// The ways by which a consumer can be handed an offer: import_managed, import_from, import_capsule.
enum class Route : std::uint8_t { managed, producer, capsule };
std::string_view to_text(Route route);
bool has_route(const Party& consumer, Route route);
// The routes that the consumer has; at least one when it offers Can::any_import, which draw_route()
// requires.
std::vector<Route> routes(const Party& consumer);
Route draw_route(Draw& draw, const Party& consumer);
// A compact tensor on the host that the party claims: float32 of two elements
// where it can be, else of another type or shape, and read-only where it has no writable one. Empty
// when it claims none.
std::optional<TensorSpec> plain_spec(const Party& party);
// Such a tensor on each further device of the library on which the party claims one: on a device of
// the host beside cpu:0, by the library's own number of it, and on devices of other types than
// CUDA's and ROCm's. Nobody but the library needs to reach their memory.
std::vector<TensorSpec> plain_specs_on_further_devices(const Party& party);

// The forms that the consumer takes by a route that it has, versioned first, as plain_spec() shows,
// tried once per consumer. Empty: it refuses even that, or claims no such tensor.
std::vector<Form> forms(const Party& consumer, Route route);
// One of them; the versioned one where there is none, and the check finds out what that means.
Form draw_form(Draw& draw, const Party& consumer, Route route);

// An object with dlpack() and dlpack_device(), which records how it is called. One thread at a
// time: that of the import during the import.
class SpyProducer {
 public:
  struct Call {
    bool device = false;       // dlpack_device(), else dlpack(request)
    dlcert_request request{};  // text values are not kept
  };

  // `offer` and `consumer` outlive this. `device` is what dlpack_device() says. `offer` is what
  // dlpack() hands out, see answer(); NULL: nothing. `consumer` makes the capsule when
  // `as_capsule`, which requires Can::capsules of it: a library's capsules are its own.
  SpyProducer(dlcert_device device, Offer* offer, const Party& consumer, bool as_capsule);
  // Touches nothing that was handed out.
  ~SpyProducer();
  SpyProducer(const SpyProducer&) = delete;
  SpyProducer& operator=(const SpyProducer&) = delete;

  // From now on the method fails with `error`.
  void raise_from_device(Error error);
  void raise_from_dlpack(Error error);
  // From now on the object lacks the method.
  void without_device();
  void without_dlpack();
  // From now on dlpack() knows the argument stream alone, as until 2022.12: any other one that is
  // given, be it None, raises TypeError.
  void knows_only_stream();
  // From now on the capsules that dlpack() gives have the used name, as those have that somebody
  // consumed. Requires `as_capsule`.
  void gives_used_capsules();
  // Answers each dlpack() call itself: gets the request, whose texts are valid during the call,
  // returns the offer to hand out, which stays the check's, or NULL to raise BufferError. It runs
  // inside the library and must not throw. Otherwise the offer of the constructor is handed out
  // once, a versioned one only to a request whose max_version allows it, and BufferError raised in
  // all other cases.
  void answer(std::function<Offer*(const dlcert_request&)> answer);

  // The C form; valid as long as this.
  const dlcert_producer& c() const;
  // All calls so far, in their order; valid until the next one.
  const std::vector<Call>& calls() const;
  // How many dlpack() calls handed something out.
  int exports() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Hands an offer to a consumer by a route and keeps the accounts straight whatever happens.
// Consumer and offer outlive it.
class Import {
 public:
  // Makes the import; a refusal is an outcome. Requires that the consumer has the route
  // (has_route). By Route::producer the offer comes in a capsule where the consumer has capsules.
  // `request` counts on that route only. Throws NotFormable where the library cannot form the call,
  // after recall(); Failure where it breaks the ABI or refuses to make a capsule.
  Import(const Party& consumer, Offer& offer, Route route,
         const dlcert_import_request& request = import_request());
  ~Import();
  Import(const Import&) = delete;
  Import& operator=(const Import&) = delete;

  bool accepted() const { return tensor_.has_value(); }
  // Requires accepted(), respectively !accepted().
  Tensor& tensor();
  const Error& error() const;
  // The capsule that was offered, while the harness still holds it; NULL on other routes.
  Capsule* capsule();
  // Whether the consumer got the offer: it may refuse an object without asking it for an export.
  bool handed_out() const;

  // The object or capsule that the tensor came from is gone. Requires accepted().
  void drop_source();

  // Lets go of everything: releases the tensor if accepted; otherwise what is still the harness's
  // by the rules (a bare managed tensor whose import failed, a live capsule, an offer that nobody
  // asked the object for). Afterwards the offer must have been deleted exactly once. The destructor
  // does it if you do not.
  void finish();

 private:
  void return_offer();

  const Party& consumer_;
  Offer& offer_;
  Route route_;
  std::unique_ptr<SpyProducer> producer_;
  Capsule capsule_;
  std::optional<Tensor> tensor_;
  std::optional<Error> error_;
  bool handed_out_ = false;  // by an object
  bool finished_ = false;
};

}  // namespace dlcert
