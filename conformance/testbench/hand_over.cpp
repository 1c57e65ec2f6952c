// SPDX-License-Identifier: Apache-2.0
#include "testbench/hand_over.hpp"

#include <algorithm>
#include <deque>
#include <exception>
#include <mutex>

#include <dlcert/suite/evidence.hpp>
#include <dlcert/suite/python_party.hpp>
#include <dlcert/suite/spy.hpp>

namespace dlcert::testbench {

// ---- counting -----------------------------------------------------------------------------------

struct CountedDeleter::Wrapper {
  template <typename ManagedTensor>
  static void call(ManagedTensor* self) {
    auto* const wrapper = static_cast<Wrapper*>(self->manager_ctx);
    if (wrapper->account->calls_++ == 0) call_deleter(wrapper->inside);
  }

  std::shared_ptr<CountedDeleter> account;
  dlcert_managed inside{};
  DLManagedTensor legacy{};
  DLManagedTensorVersioned versioned{};
};

dlcert_managed CountedDeleter::wrap(const std::shared_ptr<CountedDeleter>& account,
                                    dlcert_managed managed) {
  // A second call of a deleter must find them.
  static std::mutex mutex;
  static auto& wrappers = *new std::deque<Wrapper>;
  const std::lock_guard lock{mutex};
  Wrapper& made = wrappers.emplace_back();
  made.account = account;
  made.inside = managed;
  if (managed.form == DLCERT_LEGACY) {
    made.legacy = *static_cast<const DLManagedTensor*>(managed.pointer);
    made.legacy.manager_ctx = &made;
    made.legacy.deleter = &Wrapper::call<DLManagedTensor>;
    return {DLCERT_LEGACY, 0, &made.legacy};
  }
  made.versioned = *static_cast<const DLManagedTensorVersioned*>(managed.pointer);
  made.versioned.manager_ctx = &made;
  made.versioned.deleter = &Wrapper::call<DLManagedTensorVersioned>;
  return {DLCERT_VERSIONED, 0, &made.versioned};
}

namespace {

using Account = std::shared_ptr<CountedDeleter>;

// The harness says where a view begins by byte_offset, as libraries may: in the place of a library
// it must show what the other makes of that.
void say_byte_offset(const Party& producer, const Tensor& tensor, const Managed& managed) {
  if (&producer.table() != &spy_library()) return;
  const Description said = require(producer.describe(tensor), "description of a tensor");
  if (said.data == nullptr || said.storage_begin == nullptr) return;
  auto& described = const_cast<DLTensor&>(managed.tensor());
  described.data = const_cast<std::byte*>(said.storage_begin);
  described.byte_offset = static_cast<std::uint64_t>(said.data - said.storage_begin);
}

// ---- an object around the producer's tensor -----------------------------------------------------

void copy_text(char* to, std::size_t capacity, const std::string& text) {
  to[text.copy(to, capacity - 1)] = '\0';
}

dlcert_status report(const Error& error, dlcert_error* out) {
  out->kind = error.kind;
  out->code = error.code;
  copy_text(out->type, sizeof(out->type), error.type);
  copy_text(out->message, sizeof(out->message), error.message);
  return DLCERT_REFUSED;
}

// Its methods are the producer's. What a call throws does not cross the consumer, and is thrown
// behind the import.
class Relay {
 public:
  Relay(const Party& producer, const Tensor& tensor, dlcert_device device, const Account& account)
      : producer_{producer}, tensor_{tensor}, device_{device}, account_{account} {
    c_.struct_size = sizeof(c_);
    c_.context = this;
    c_.dlpack_device = &dlpack_device;
    c_.dlpack = &dlpack;
  }

  const dlcert_producer& c() const { return c_; }
  void rethrow() const {
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  template <typename Body>
  dlcert_status guarded(dlcert_error* error, const Body& body) {
    try {
      return body();
    } catch (const NotFormable&) {
      return report({DLCERT_ERROR_TYPE, 0, "TypeError", "unexpected keyword argument"}, error);
    } catch (...) {
      thrown_ = std::current_exception();
      return report({DLCERT_ERROR_RUNTIME, 0, "RuntimeError", "the producer failed"}, error);
    }
  }

  static dlcert_status dlpack_device(void* context, dlcert_device* out, dlcert_error* error) {
    Relay& self = *static_cast<Relay*>(context);
    return self.guarded(error, [&]() -> dlcert_status {
      *out = self.device_;
      if (!self.producer_.offers(Needs{} | Can::dlpack_device)) return DLCERT_OK;
      const auto device = self.producer_.dlpack_device(self.tensor_);
      if (!device.ok()) return report(device.error(), error);
      *out = self.device_of(device);
      return DLCERT_OK;
    });
  }
  static dlcert_device device_of(Outcome<dlcert_device> told) { return told.value(); }

  static dlcert_status dlpack(void* context, const dlcert_request* request, dlcert_exported* out,
                              dlcert_error* error) {
    Relay& self = *static_cast<Relay*>(context);
    return self.guarded(error, [&]() -> dlcert_status {
      auto exported = self.exported(*request);
      if (!exported)
        return report({DLCERT_ERROR_BUFFER, 0, "BufferError", "no export of the form asked for"},
                      error);
      if (!exported->ok()) return report(exported->error(), error);
      say_byte_offset(self.producer_, self.tensor_, exported->value().managed());
      out->managed = exported->value().give_up();
      if (self.account_) out->managed = CountedDeleter::wrap(self.account_, out->managed);
      return DLCERT_OK;
    });
  }

  // An object of a library that knows the legacy form alone gives that, whatever newer is asked.
  std::optional<Outcome<Exported>> exported(const dlcert_request& asked) const {
    const Wrapping wrapping = wrappings(producer_).front();
    auto given = try_export(wrapping, producer_, tensor_, asked);
    const bool asks_newer = asked.max_version.tag == DLCERT_PAIR;
    const bool asks_more = asked.copy.tag == DLCERT_BOOL || asked.dl_device.tag == DLCERT_PAIR;
    if (given || !asks_newer || asks_more) return given;
    return try_export(wrapping, producer_, tensor_, request());
  }

  const Party& producer_;
  const Tensor& tensor_;
  dlcert_device device_;
  Account account_;
  dlcert_producer c_{};
  std::exception_ptr thrown_;
};

Outcome<Tensor> through_an_object(Case& c, const Tensor& tensor, const Account& account) {
  constexpr dlcert_device host{kDLCPU, 0};
  const Relay relay{c.producer, tensor, host, account};
  auto imported = c.consumer.import_from(relay.c(), import_request());
  relay.rethrow();
  return imported;
}

// ---- a managed tensor ---------------------------------------------------------------------------

// Whether the consumer takes tensors of this form so at all; where it refuses each, this one is for
// it to refuse.
bool takes_form(const Party& consumer, Route route, Form form) {
  const std::vector<Form> taken = forms(consumer, route);
  return taken.empty() || std::ranges::find(taken, form) != taken.end();
}

Outcome<Tensor> take(const Party& consumer, Route route, dlcert_managed managed) {
  if (route == Route::managed) {
    auto imported = consumer.import_managed(managed);
    if (!imported.ok() && !consumer.declares(DLCERT_FAILED_IMPORT_CONSUMES)) call_deleter(managed);
    return imported;
  }
  const Form form = managed.form == DLCERT_LEGACY ? Form::legacy : Form::versioned;
  Capsule capsule =
      require(consumer.make_capsule(managed.pointer, live_name(form), nullptr), "making a capsule");
  auto imported = consumer.import_capsule(capsule);
  if (managed_inside(capsule)) call_deleter(managed);
  return imported;
}

Outcome<Tensor> as_managed(Case& c, const Tensor& tensor, Route route, const Account& account) {
  std::optional<Error> first;
  for (const Form form : {Form::versioned, Form::legacy}) {
    if (!takes_form(c.consumer, route, form)) continue;
    auto exported =
        try_export(wrappings(c.producer).front(), c.producer, tensor, request_for(form));
    if (!exported) continue;
    if (!exported->ok()) {
      if (!first) first = exported->error();
      continue;
    }
    Exported& given = exported->value();
    const Form got = given.managed().versioned() ? Form::versioned : Form::legacy;
    if (!takes_form(c.consumer, route, got)) continue;
    say_byte_offset(c.producer, tensor, given.managed());
    dlcert_managed managed = given.give_up();
    if (account) managed = CountedDeleter::wrap(account, managed);
    return take(c.consumer, route, managed);
  }
  if (first) return *first;
  return Error{DLCERT_ERROR_BUFFER, 0, "", "the libraries know no form that both have"};
}

bool in_python(const Party& party) {
  return party.offers(Needs{} | Can::python_objects);
}

Outcome<Tensor> by_hand(Case& c, const Tensor& tensor, const Account& account) {
  const bool is_object = has_route(c.consumer, Route::producer) &&
                         (in_python(c.consumer) || !has_route(c.consumer, Route::managed));
  if (is_object) return through_an_object(c, tensor, account);
  const Route route = has_route(c.consumer, Route::managed) ? Route::managed : Route::capsule;
  return as_managed(c, tensor, route, account);
}

}  // namespace

Outcome<Tensor> hand_over(Case& c, const Tensor& tensor) {
  if (in_python(c.producer) && in_python(c.consumer))
    return import_of_object(c.consumer, c.producer, tensor, import_request());
  return by_hand(c, tensor, nullptr);
}

Outcome<Tensor> hand_over_counted(Case& c, const Tensor& tensor, const Account& account) {
  return by_hand(c, tensor, account);
}

}  // namespace dlcert::testbench
