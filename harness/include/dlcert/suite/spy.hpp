// SPDX-License-Identifier: Apache-2.0
//
// dlcert's own producer and consumer: the counterpart of a library under test.
//
// - Offer: a managed tensor that dlcert hands over. It may be well-formed or hostile, lies between
//   guard pages, and counts every call of its deleter.
// - SpyProducer: an object with dlpack() and dlpack_device().
// - Import: the hand-over of an Offer to a consumer.
// - spy_library(): a correct, independent library, for checks that are written for two libraries.
//
// Implemented in harness/src/spy: Offer in offer.cpp, SpyProducer in producer.cpp, routes in
// routes.cpp, plain_spec in plain_spec.cpp, Import in import.cpp, the library in library/.
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

// Returns dlcert's own library, as an adapter's table with static storage. It makes, exports and
// imports every form on the host exactly as the standard says, in its own code.
// Party{spy_library(), "dlcert"} makes it a Party.
const dlcert_adapter& spy_library();

// The form of a managed tensor: DLManagedTensor or DLManagedTensorVersioned.
enum class Form : std::uint8_t { legacy, versioned };
// Returns the name of a capsule that has not been consumed: "dltensor", "dltensor_versioned".
const char* live_name(Form form);
// Returns the name of a consumed capsule: "used_dltensor", "used_dltensor_versioned".
const char* used_name(Form form);

// The protection of an Offer's memory. The bytes directly after the storage, the arrays and the
// struct are always inaccessible.
enum class Protection : std::uint8_t {
  none,            // writable
  read_only_data,  // the storage lies on PROT_READ pages
  read_only_all,   // storage, arrays and struct lie on PROT_READ pages
  sealed_tail,     // versioned only: everything after flags, from offset 32, is inaccessible
};

// The fields of a managed tensor. dlpack.h defines them: strides are in elements, byte_offset is in
// bytes. Every field may be wrong on purpose.
struct Descriptor {
  Form form = Form::versioned;
  DLPackVersion version = own_version;
  std::uint64_t flags = 0;
  dlcert_dtype dtype{2, 32, 1};
  dlcert_device device{1, 0};
  std::int32_t ndim = 0;                             // may differ from the length of shape
  std::optional<std::vector<std::int64_t>> shape;    // empty: NULL
  std::optional<std::vector<std::int64_t>> strides;  // empty: NULL
  std::uint64_t byte_offset = 0;
  // The address in `data`: the Offer's own storage + data_offset, NULL, an unmapped address, or
  // device_memory + data_offset. The Offer does not own device_memory.
  enum class Data : std::uint8_t { storage, null, unmapped, device } data = Data::storage;
  std::int64_t data_offset = 0;  // bytes
  std::byte* device_memory = nullptr;
  enum class Deleter : std::uint8_t { counting, null } deleter = Deleter::counting;
  // manager_ctx: the Offer's own state (opaque to the consumer), NULL, or an address that faults
  // when it is read.
  enum class Context : std::uint8_t { own, null, unreadable } context = Context::own;
  Protection protection = Protection::none;
};

// A managed tensor that dlcert hands over, with its storage and the record of its deleter calls. It
// cannot be copied or moved, because consumers hold its address.
//
// When the deleter has been called, the struct, the arrays and the storage are filled with poison,
// or made inaccessible if seal_after_release() was called. You may destroy an Offer that a consumer
// still holds only at the end of a failed case: then its memory is not reused for a long time, and
// calls of its deleter are ignored.
//
// Threads: the deleter may be called on any thread. Any thread may call deleter_calls() and
// stray_deleter_calls() at any time. Any thread may call context_unchanged(), described_unchanged()
// and deleter_thread() once the first deleter call is counted. Everything else belongs to the
// thread of the case, while no other thread uses the Offer.
class Offer {
 public:
  // Copies `storage` to the Offer's memory; its last byte lies directly before an inaccessible
  // page. Throws std::bad_alloc.
  Offer(const Descriptor& descriptor, const Bytes& storage);
  ~Offer();
  Offer(const Offer&) = delete;
  Offer& operator=(const Offer&) = delete;

  // Returns the managed tensor for the hand-over. From now on a consumer may hold it, until its
  // deleter or recall() is called.
  dlcert_managed managed() const;
  // Returns the tensor's name in the trace of the case that is being described.
  std::string trace_name() const;
  const Descriptor& descriptor() const;
  std::byte* storage() const;
  std::size_t storage_bytes() const;
  const std::byte* first_element() const;  // data + byte_offset, as described
  // Returns the logical bytes of the described elements, which dlcert gathers from the storage.
  // Requires a well-formed descriptor with elements inside the storage: whole-byte, or sub-byte
  // (packed, or padded by its flag). Throws DefectOfCheck if ndim is not the length of shape and
  // strides.
  Bytes logical() const;
  void set_logical(const Bytes& logical);  // writes the elements through the described layout

  // Returns the number of completed deleter calls with this Offer's address.
  int deleter_calls() const;
  // Returns the number of completed deleter calls with another address but this Offer's
  // manager_ctx.
  int stray_deleter_calls() const;
  // Returns the thread of the first call; empty if there was none.
  std::optional<std::thread::id> deleter_thread() const;
  // Returns whether manager_ctx was unchanged when the deleter ran, or, before that, is unchanged
  // now.
  bool context_unchanged() const;
  // Returns the same for the struct, shape and strides, byte for byte.
  bool described_unchanged() const;
  // After this call, the deleter makes struct, arrays and storage inaccessible instead of filling
  // them with poison. Call this and on_deleter() before the hand-over.
  void seal_after_release();
  // Makes the first call of the deleter run `action`, on its thread and before memory is poisoned.
  // `action` runs inside the library and must not throw.
  void on_deleter(std::function<void()> action);

  // Calls the counting deleter, as the tensor's owner. The call counts like a consumer's call.
  void release_from_harness();
  // Declares that a consumer got the managed tensor itself, without a capsule or an object.
  void lend_bare();
  bool lent_bare() const;
  // Declares that a consumer took the tensor: what follows is no matter of a refused import.
  void note_taken();
  bool was_taken() const;
  // Declares that nobody holds the tensor although its deleter was not called. Its memory may be
  // reused when this Offer dies.
  void recall();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Fails the case unless the deleter was called exactly `expected` times. Waits for the calls by
// await(), because a library may call the deleter on a thread of its own, shortly after its user
// let go.
void expect_deletions(int expected, const Offer& offer);
// Fails the case unless the deleter was called exactly once; waits in the same way. Accepts no call
// for a bare managed tensor: the header only recommends it (lifetime.deleter.bare-called).
void expect_deleted_once(const Offer& offer);

// Returns a well-formed Offer with the layout, dtype and flags of `spec` that holds `logical`. In
// the versioned form the read-only and padded flags follow spec.flags. Strides are always given.
// byte_offset is 0; with `use_byte_offset`, data points to the start of the storage and byte_offset
// leads to the first element.
std::unique_ptr<Offer> make_offer(const TensorSpec& spec, const Bytes& logical, Form form,
                                  bool use_byte_offset = false);
// Returns the descriptor that make_offer() uses for such a tensor.
Descriptor describe_spec(const TensorSpec& spec, Form form, bool use_byte_offset = false);
// Returns the bits that one unit of the spec's strides stands for.
std::int64_t stride_bits(const TensorSpec& spec);
// Returns the size of the spec's storage in bytes.
std::size_t storage_bytes(const TensorSpec& spec);
// Returns the spec's storage with the elements `logical`, and 0xA5 between them.
Bytes scatter(const TensorSpec& spec, const Bytes& logical);
// Writes the elements `logical` into a storage of storage_bytes(spec) bytes. Leaves the bytes
// between them unchanged.
void scatter_into(const TensorSpec& spec, std::byte* storage, const Bytes& logical);
// Returns the logical bytes of the elements in a storage of storage_bytes(spec) bytes.
Bytes gather(const TensorSpec& spec, const std::byte* storage);
// Fails the case if the spec has more elements than memory can hold. Call it for a spec that a
// library described, so that later arithmetic on its layout does not overflow.
void expect_in_memory(const TensorSpec& spec);

// The ways to hand an Offer to a consumer: import_managed, import_from, import_capsule.
enum class Route : std::uint8_t { managed, producer, capsule };
std::string_view to_text(Route route);
bool has_route(const Party& consumer, Route route);
// Returns the routes that the consumer has; at least one if it offers Can::any_import.
std::vector<Route> routes(const Party& consumer);
// Draws one of these routes. Requires Can::any_import.
Route draw_route(Draw& draw, const Party& consumer);
// Returns a compact tensor on the host that the library claims: float32 with two elements if
// possible, else another dtype or shape; read-only only if the library claims no writable one.
// Empty if it claims none.
std::optional<TensorSpec> plain_spec(const Party& party);
// Returns one such tensor on each further device of the library on which it claims one. Further
// devices are those of the host other than cpu:0, by the library's own numbers, and devices of
// types other than CUDA's and ROCm's. Only the library needs access to their memory.
std::vector<TensorSpec> plain_specs_on_further_devices(const Party& party);

// Returns the forms that the consumer accepts by a route, versioned first. Tries them with
// plain_spec(), once if the consumer accepts; a refusal is tried again now and then, because its
// reason may have passed. Empty if the consumer refuses even that, or claims no such tensor.
std::vector<Form> forms(const Party& consumer, Route route);
// Draws one of these forms. If there is none, returns the versioned form, and the check finds out
// what that means.
Form draw_form(Draw& draw, const Party& consumer, Route route);

// An object with dlpack() and dlpack_device() that records its calls. Only one thread may use it at
// a time: during an import, the thread of the import.
class SpyProducer {
 public:
  struct Call {
    bool device = false;       // true: dlpack_device(); false: dlpack(request)
    dlcert_request request{};  // without the text values
  };

  // `device` is the answer of dlpack_device(). `offer` is what dlpack() hands out (see answer());
  // NULL: nothing. With `as_capsule`, `consumer` makes the capsule around it, because capsules are
  // of the consumer's kind; requires Can::capsules. `offer` and `consumer` must outlive this
  // object.
  SpyProducer(dlcert_device device, Offer* offer, const Party& consumer, bool as_capsule);
  // Does not touch what was handed out.
  ~SpyProducer();
  SpyProducer(const SpyProducer&) = delete;
  SpyProducer& operator=(const SpyProducer&) = delete;

  // Makes the method fail with `error` from now on.
  void raise_from_device(Error error);
  void raise_from_dlpack(Error error);
  // Removes the method from the object from now on.
  void without_device();
  void without_dlpack();
  // Makes dlpack() accept only the argument stream from now on, as before 2022.12: any other
  // argument that is given, even None, raises TypeError.
  void knows_only_stream();
  // Makes dlpack() give capsules with the used name from now on, as if they were consumed. Requires
  // `as_capsule`.
  void gives_used_capsules();
  // Makes `answer` decide each dlpack() call. It gets the request, whose texts are valid during the
  // call. It returns the Offer to hand out, which the check keeps owning, or NULL to raise
  // BufferError. It runs inside the library and must not throw.
  //
  // Without this function, dlpack() hands out the constructor's `offer` once, and a versioned one
  // only if max_version allows it. Otherwise it raises BufferError. The same does a program in
  // Python (one_offer), or it hands out copies as well (with_copies): of host memory, and none with
  // refuse_copies(). It shows no case with other answers (by_request).
  enum class Answers : std::uint8_t { by_request, one_offer, with_copies };
  void answer(std::function<Offer*(const dlcert_request&)> answer,
              Answers answers = Answers::by_request);
  // Tells that `answer` raises BufferError from now on if a copy is wanted.
  void refuses_copies();

  // Returns the C form, valid as long as this object.
  const dlcert_producer& c() const;
  // Returns all calls so far, in order; valid until the next call.
  const std::vector<Call>& calls() const;
  // Returns how many dlpack() calls handed something out.
  int exports() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Hands an Offer to a consumer by a route, and releases everything correctly whatever happens. The
// consumer and the Offer must outlive it.
class Import {
 public:
  // Makes the import. A refusal is an outcome, not an exception. Requires has_route(consumer,
  // route). By Route::producer the Offer is in a capsule if the consumer has capsules; `request`
  // matters on that route only. Throws NotFormable, after recall(), if the library cannot form the
  // call. Throws Failure if the library breaks the ABI or refuses to make a capsule.
  Import(const Party& consumer, Offer& offer, Route route,
         const dlcert_import_request& request = import_request());
  ~Import();
  Import(const Import&) = delete;
  Import& operator=(const Import&) = delete;

  bool accepted() const { return tensor_.has_value(); }
  // Returns the imported tensor. Requires accepted().
  Tensor& tensor();
  // Returns the error of the refusal. Requires !accepted().
  const Error& error() const;
  // Returns the capsule that was handed over, while dlcert still holds it; NULL on other routes.
  Capsule* capsule();
  // Returns whether the consumer got the Offer. A consumer may refuse an object without calling its
  // dlpack().
  bool handed_out() const;
  // Returns whether the consumer asked the object for an export that the Offer cannot be, as for a
  // legacy tensor by not naming a version. Only the object's refusal is then known.
  bool asked_in_vain() const;

  // Drops the object or capsule from which the tensor came. Requires accepted().
  void drop_source();

  // Releases everything. If accepted, releases the tensor. Otherwise releases what the rules leave
  // to dlcert: a bare managed tensor whose import failed, a live capsule, or an Offer that the
  // consumer never got from the object. Afterwards the Offer's deleter must have been called
  // exactly once. The destructor calls finish() if you have not.
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
  bool asked_ = false;       // an object for an export
  bool finished_ = false;
};

}  // namespace dlcert
