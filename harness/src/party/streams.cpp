// SPDX-License-Identifier: Apache-2.0
//
// A party's calls about streams, and about its exchange table.
#include <utility>

#include <dlcert/suite/check.hpp>
#include <dlcert/suite/input_properties.hpp>
#include <dlcert/suite/party.hpp>

#include "party/bodies.hpp"
#include "party/calls.hpp"
#include "party/python_source.hpp"

namespace dlcert {

Outcome<std::monostate> Party::run_with_stream(dlcert_device device, std::uint64_t stream,
                                               const std::function<void()>& body) const {
  demand(offers_, Can::streams, "run_with_stream");
  Act act{[&] {
    ActText text = comment(
        fmt::format("{}.run_with_stream({}, {:#x}): this stream is current in the next lines",
                    label_, to_text(device), stream));
    text.python = python::nothing();
    return text;
  }};
  const std::function<void()> in_block = [&] {
    const Act::Block block{act, python::described() ? python::with_stream(*table_, device, stream)
                                                    : python::nothing()};
    body();
  };
  BodyInside inside{in_block};
  const auto error = refusal(act, [&](dlcert_error* out) {
    return table_->stream->run_with_stream(table_->self, device, stream, &BodyInside::call, &inside,
                                           out);
  });
  if (inside.thrown) std::rethrow_exception(inside.thrown);
  if (error) return *error;
  expect_equal("runs of the body of run_with_stream", 1, inside.runs);
  act.answered([&] { return fmt::format("{}: the former stream is current again", label_); });
  return std::monostate{};
}

Outcome<std::uint64_t> Party::current_stream(dlcert_device device) const {
  demand(offers_, Can::streams, "current_stream");
  Act act{[&] {
    ActText text = comment(fmt::format("{}.current_stream({})", label_, to_text(device)));
    text.python = python::nothing();
    return text;
  }};
  std::uint64_t stream = 0;
  const auto error = refusal(act, [&](dlcert_error* out) {
    return table_->stream->current_stream(table_->self, device, &stream, out);
  });
  if (error) return *error;
  act.answered([&] { return fmt::format("{:#x}", stream); });
  return stream;
}

Outcome<std::monostate> Party::synchronize(dlcert_device device) const {
  demand(offers_, Can::streams, "synchronize");
  Act act{[&] {
    ActText text = comment(fmt::format("{}.synchronize({})", label_, to_text(device)));
    text.python = python::own(fmt::format("synchronize({})", device.id));
    return text;
  }};
  const auto error = refusal(act, [&](dlcert_error* out) {
    return table_->stream->synchronize(table_->self, device, out);
  });
  if (error) return *error;
  return std::monostate{};
}

Outcome<std::int32_t> Party::current_device(std::int32_t device_type) const {
  demand(offers_, Can::streams, "current_device");
  Act act{[&] {
    ActText text = comment(fmt::format("{}.current_device({})", label_, device_type));
    text.python = python::nothing();
    return text;
  }};
  std::int32_t device = 0;
  const auto error = refusal(act, [&](dlcert_error* out) {
    return table_->stream->current_device(table_->self, device_type, &device, out);
  });
  if (error) return *error;
  act.answered([&] { return fmt::format("{}", device); });
  return device;
}

Outcome<const DLPackExchangeAPI*> Party::exchange_table() const {
  demand(offers_, Can::exchange_table, "exchange_table");
  Act act{[&] { return comment(fmt::format("{}.exchange_table()", label_)); }};
  const void* published = nullptr;
  const auto error = refusal(act, [&](dlcert_error* out) {
    return table_->exchange_api->table(table_->self, &published, out);
  });
  if (error) return *error;
  expect_made(published, "exchange_table");
  return static_cast<const DLPackExchangeAPI*>(published);
}

Outcome<Object> Party::object_of(const Tensor& tensor) const {
  demand(offers_, Can::exchange_table, "object_of");
  note_input(properties_of_export(tensor));  // the table exports the object
  Act act{[&] {
    return comment(fmt::format("{}.object_of({})", label_, trace_name(tensor.handle())));
  }};
  void* object = nullptr;
  const CallKey key = CallKey{*this, "object_of"}.with(tensor);
  const auto error = refusal(act, "object_of", key, [&](dlcert_error* out) {
    return table_->exchange_api->object_of(table_->self, tensor.handle(), &object, out);
  });
  if (error) return *error;
  expect_made(object, "object_of");
  return Object{*this, object};
}

Outcome<Tensor> Party::tensor_of(const Object& object) const {
  demand(offers_, Can::exchange_table, "tensor_of");
  Act act{[&] { return comment(fmt::format("{}.tensor_of(an object)", label_)); }};
  return made<Tensor, dlcert_tensor>(
      *this, act, "tensor_of", [&](dlcert_tensor** out, dlcert_error* error) {
        return table_->exchange_api->tensor_of(table_->self, object.handle(), out, error);
      });
}

std::optional<Error> Party::take_object_error() const {
  demand(offers_, Can::exchange_table, "take_object_error");
  Act act{[&] { return comment(fmt::format("{}.take_object_error()", label_)); }};
  return refusal(
      act, [&](dlcert_error* out) { return table_->exchange_api->take_error(table_->self, out); });
}

Object::Object(Object&& other) noexcept
    : party_{other.party_}, handle_{std::exchange(other.handle_, nullptr)} {}

Object& Object::operator=(Object&& other) noexcept {
  if (this != &other) {
    drop();
    party_ = other.party_;
    handle_ = std::exchange(other.handle_, nullptr);
  }
  return *this;
}

Object::~Object() {
  drop();
}

void Object::drop() {
  if (handle_ == nullptr) return;
  const Act act{[&] { return comment(fmt::format("{}.drop_object(an object)", party_->label())); }};
  const dlcert_adapter& table = party_->table();
  void* const handle = std::exchange(handle_, nullptr);
  across([&] { table.exchange_api->drop_object(table.self, handle); });
}

}  // namespace dlcert
