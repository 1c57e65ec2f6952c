// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <exception>
#include <stdexcept>

#include <dlcert/adapter_functions.hpp>
#include <dlcert/suite/check.hpp>
#include <dlcert/suite/evidence.hpp>
#include <dlcert/suite/input_properties.hpp>
#include <dlcert/suite/party.hpp>
#include <dlcert/suite/table.hpp>
#include <dlcert/suite/work.hpp>

#include "party/across.hpp"
#include "party/act.hpp"
#include "party/calls.hpp"
#include "party/exported_values.hpp"
#include "party/python_source.hpp"

namespace dlcert {

namespace {

// In the order of the bits of Can.
constexpr std::array need_names{
#define DLCERT_SLOT(slot, method, ...) std::string_view{#slot},
#define DLCERT_METHOD(slot, method, ...) std::string_view{#method},
#define DLCERT_MORE(name) std::string_view{#name},
    DLCERT_CAN(DLCERT_SLOT, DLCERT_METHOD, DLCERT_MORE)
#undef DLCERT_SLOT
#undef DLCERT_METHOD
#undef DLCERT_MORE
};

// Returns whether the party has these functions of a group. A group may grow: what comes later is
// not asked of adapters that were compiled before.
template <typename Group, typename... Members>
bool has_all(const Group* group, Members... members) {
  return (offered(group, members) && ...);
}

Needs found_offers(const dlcert_adapter& table) {
  const auto* const tensor = group_of(table, &dlcert_adapter::tensor);
  const auto* const exchange = group_of(table, &dlcert_adapter::exchange);
  const auto* const capsule = group_of(table, &dlcert_adapter::capsule);
  Needs offers = 0;
  const auto note = [&offers](Can can, bool present) {
    if (present) offers |= static_cast<Needs>(can);
  };
#define DLCERT_TENSOR(slot, ...) note(Can::slot, offered(tensor, &dlcert_tensor_group::slot));
  DLCERT_TENSOR_FUNCTIONS(DLCERT_TENSOR)
#undef DLCERT_TENSOR
#define DLCERT_EXCHANGE(slot, ...) note(Can::slot, offered(exchange, &dlcert_exchange_group::slot));
  DLCERT_EXCHANGE_FUNCTIONS(DLCERT_EXCHANGE)
#undef DLCERT_EXCHANGE
#define DLCERT_CAPSULE(slot, method, ...) \
  note(Can::method, offered(capsule, &dlcert_capsule_group::slot));
  DLCERT_CAPSULE_FUNCTIONS(DLCERT_CAPSULE)
#undef DLCERT_CAPSULE
  constexpr Needs handling = Can::make_capsule | Can::capsule_name | Can::capsule_pointer |
                             Can::set_capsule_name | Can::drop_capsule;
  constexpr Needs exchanging = Can::export_capsule | Can::import_capsule | Can::to_dlpack;
  if ((handling & ~offers) == 0)
    offers |= static_cast<Needs>(Can::capsules);
  else
    offers &= ~exchanging;
  note(Can::any_capsule, (offers & (Can::export_capsule | Can::to_dlpack)) != 0);
  note(Can::cxx_facts, offered(&table, &dlcert_adapter::cxx_facts));
  note(Can::c_facts, offered(&table, &dlcert_adapter::c_facts));
  note(Can::any_import,
       (offers & (Can::import_managed | Can::import_from | Can::import_capsule)) != 0);
  note(Can::knows_read_only, (table.properties & DLCERT_KNOWS_READ_ONLY) != 0);
  note(Can::streams,
       has_all(group_of(table, &dlcert_adapter::stream), &dlcert_stream_group::run_with_stream,
               &dlcert_stream_group::current_stream, &dlcert_stream_group::synchronize,
               &dlcert_stream_group::current_device));
  note(Can::exchange_table,
       has_all(group_of(table, &dlcert_adapter::exchange_api), &dlcert_exchange_api_group::table,
               &dlcert_exchange_api_group::object_of, &dlcert_exchange_api_group::tensor_of,
               &dlcert_exchange_api_group::drop_object, &dlcert_exchange_api_group::take_error));
  note(Can::devices, offered(&table, &dlcert_adapter::devices));
  note(Can::runtime, offered(&table, &dlcert_adapter::gpu_runtime));
  note(Can::telemetry, offered(&table, &dlcert_adapter::telemetry));
  note(Can::device_order, offered(&table, &dlcert_adapter::device_order));
  note(Can::python, has_all(group_of(table, &dlcert_adapter::python),
                            &dlcert_python_group::evaluate, &dlcert_python_group::evaluate_capsule,
                            &dlcert_python_group::import_object, &dlcert_python_group::producer_of,
                            &dlcert_python_group::run, &dlcert_python_group::unraisable,
                            &dlcert_python_group::finalize, &dlcert_python_group::source));
  note(Can::python_objects,
       has_all(group_of(table, &dlcert_adapter::python), &dlcert_python_group::object_of,
               &dlcert_python_group::drop_object, &dlcert_python_group::import_any));
  note(Can::reads_back, (offers & (Can::read | Can::export_managed | Can::any_capsule)) != 0);
  return offers;
}

Description to_description(const dlcert_description& raw) {
  Description out;
  out.dtype = raw.dtype;
  out.device = raw.device;
  expect(raw.ndim >= 0, "describe: expected a rank of 0 or more but found {}", raw.ndim);
  const auto rank = static_cast<std::size_t>(raw.ndim);
  expect(rank == 0 || raw.shape != nullptr, "describe: expected a shape for rank {} but found NULL",
         rank);
  if (rank != 0) out.shape.assign(raw.shape, raw.shape + rank);
  if (raw.strides != nullptr) out.strides.emplace(raw.strides, raw.strides + rank);
  out.data = static_cast<const std::byte*>(raw.data);
  out.storage_begin = static_cast<const std::byte*>(raw.storage_begin);
  out.storage_bytes = raw.storage_bytes;
  out.read_only = (raw.flags & DLCERT_DESCRIPTION_READ_ONLY) != 0;
  return out;
}

// The outcome, noted as something that the library showed where it is a success.
template <typename T>
Outcome<T> showing(Role role, Shown what, Outcome<T> outcome) {
  if (outcome.ok()) note_shown(role, what);
  return outcome;
}

// The tensor of an import.
Outcome<Tensor> imported(Outcome<Tensor> outcome) {
  if (outcome.ok()) outcome.value().set_imported();
  return showing(Role::consumer, Shown::handed_over, std::move(outcome));
}

}  // namespace

// Answers of can(): each is the key of a call with the answer as its lowest bit. Any thread.
struct RememberedClaims {
  std::array<std::atomic<std::uint64_t>, 512> places{};
};

std::vector<std::string_view> names_of(Needs needs) {
  std::vector<std::string_view> out;
  for (std::size_t index = 0; index < need_names.size(); ++index)
    if ((needs >> index & 1u) != 0) out.push_back(need_names[index]);
  return out;
}

Needs need_named(std::string_view name) {
  const auto found = std::ranges::find(need_names, name);
  return found == need_names.end() ? 0 : Needs{1} << (found - need_names.begin());
}

// ---- the party ----

Party::Party(const dlcert_adapter& table, std::string_view label)
    : table_{&table},
      label_{label},
      offers_{found_offers(table)},
      remembered_{std::make_shared<RememberedClaims>()} {}

Party Party::consuming() const {
  Party consumer{*this};
  consumer.consuming_ = true;
  consumer.remembered_ = std::make_shared<RememberedClaims>();
  consumer.claimed_tensors_ = nullptr;
  return consumer;
}

bool Party::can_remembered(const TensorSpec& spec) const {
  const std::uint64_t key = CallKey{*this, "can"}.with(spec).value();
  if (spec.device.type != kDLCPU || key == 0) return can(spec);
  std::atomic<std::uint64_t>& place = remembered_->places[key / 2 % remembered_->places.size()];
  const std::uint64_t known = place.load(std::memory_order_relaxed);
  if (known / 2 == key / 2) return known % 2 != 0;
  const bool claimed = can(spec);
  if (is_short_of_memory()) return claimed;  // it may claim less than it has
  place.store(key / 2 * 2 + (claimed ? 1 : 0), std::memory_order_relaxed);
  return claimed;
}

std::span<const ClaimedTensors> Party::claimed_tensors() const {
  if (claimed_tensors_ == nullptr) return {};
  return *claimed_tensors_;
}

void Party::set_claimed_tensors(std::vector<ClaimedTensors> tensors) {
  claimed_tensors_ = std::make_shared<const std::vector<ClaimedTensors>>(std::move(tensors));
}

bool Party::can(const TensorSpec& spec) const {
  const bool as_consumer = consuming_ && offered(table_->tensor, &dlcert_tensor_group::can_import);
  const auto can = as_consumer ? &dlcert_tensor_group::can_import : &dlcert_tensor_group::can;
  if (!offered(table_->tensor, can)) return true;
  const TraceAside aside;
  const Act act{
      [&] { return as_consumer ? acts::can_import(label_, spec) : acts::can(label_, spec); }};
  const dlcert_tensor_spec c = spec.c();
  const bool claimed = across([&] { return (table_->tensor->*can)(table_->self, &c); }) != 0;
  // Devices may come and go; what is claimed on the host stays so.
  if (spec.device.type != kDLCPU) return claimed;
  const CallKey key = CallKey{*this, as_consumer ? "can_import" : "can"}.with(spec);
  if (claimed)
    note_formed(key);
  else if (was_formed(key))
    fail(fmt::format("{}: {}", to_text(spec), claimed_before));
  return claimed;
}

Outcome<Tensor> Party::create(const TensorSpec& spec, const Bytes& logical) const {
  demand(offers_, Can::create, "create");
  note_input(properties_of(spec));
  Act act{[&] {
    ActText text = acts::create(label_, spec, logical);
    if (python::described()) text.python = python::create(*table_, spec, logical);
    return text;
  }};
  const dlcert_tensor_spec c = spec.c();
  const CallKey origin = CallKey{*this, "create"}.with(spec);
  // Who can form integers can form each of them, but may lack a boolean of two or a NaN's payload.
  CallKey key = origin;
  if (spec.dtype.code != kDLInt && spec.dtype.code != kDLUInt) key.with(logical);
  auto created = made<Tensor, dlcert_tensor>(
      *this, act, "create", key,
      [&](dlcert_tensor** out, dlcert_error* error) {
        return table_->tensor->create(table_->self, &c, logical.data(), logical.size(), out, error);
      },
      origin.value());
  count_work(Work::bytes_made, logical.size());
  if (created.ok()) {
    note_made_on(*this, spec.device.type);
    created.value().set_known_values(known_values(spec, logical));
  }
  return showing(Role::producer, Shown::made, std::move(created));
}

Outcome<Description> Party::describe(const Tensor& tensor) const {
  demand(offers_, Can::describe, "describe");
  Act act{[&] {
    ActText text = acts::question(acts::plain(label_, "describe", tensor.handle()));
    const std::string name = trace_name(tensor.handle());
    if (python::described() && !name.empty())
      text.python = python::question(fmt::format("described({})", name));
    else
      text.python = python::nothing();
    return text;
  }};
  dlcert_description raw{};
  raw.struct_size = sizeof(raw);
  const auto error = refusal_at_most(act, "describe", [&](dlcert_error* out) {
    return table_->tensor->describe(table_->self, tensor.handle(), &raw, out);
  });
  if (error) return *error;
  Description description = to_description(raw);
  act.tell_description(description);
  return description;
}

Outcome<Bytes> Party::read(const Tensor& tensor, std::size_t size) const {
  demand(offers_, Can::read, "read");
  Act act{[&] {
    ActText text = acts::read(label_, tensor, size);
    // What came out of the table has no name in a program.
    const std::string name = trace_name(tensor.handle());
    if (python::described() && !name.empty()) text.python = python::read(*table_, name);
    return text;
  }};
  // What the library does not write must not look as if it had been read.
  Bytes bytes(size, unwritten);
  const auto error = refusal_at_most(act, "read", [&](dlcert_error* out) {
    return table_->tensor->read(table_->self, tensor.handle(), bytes.data(), size, out);
  });
  if (error) return *error;
  act.answered([&] { return to_text(bytes); }, [&] { return c_bytes(bytes); });
  return bytes;
}

Outcome<std::monostate> Party::write(const Tensor& tensor, const Bytes& logical) const {
  demand(offers_, Can::write, "write");
  forget_values(tensor);
  Act act{[&] {
    ActText text = acts::write(label_, tensor, logical);
    const std::string name = trace_name(tensor.handle());
    if (python::described() && !name.empty()) text.python = python::write(*table_, name, logical);
    return text;
  }};
  const auto error = refusal(act, "write", CallKey{*this, "write"}.with(tensor).with(logical),
                             [&](dlcert_error* out) {
                               return table_->tensor->write(table_->self, tensor.handle(),
                                                            logical.data(), logical.size(), out);
                             });
  if (error) return *error;
  return std::monostate{};
}

Outcome<Tensor> Party::alias(const Tensor& tensor) const {
  demand(offers_, Can::alias, "alias");
  forget_values(tensor);
  Act act{[&] { return acts::plain(label_, "alias", tensor.handle(), "dlcert_tensor*", "t"); }};
  const CallKey key = CallKey{*this, "alias"}.with(tensor);
  return made<Tensor, dlcert_tensor>(
      *this, act, "alias", key,
      [&](dlcert_tensor** out, dlcert_error* error) {
        return table_->tensor->alias(table_->self, tensor.handle(), out, error);
      },
      key.value());
}

std::int64_t Party::live_allocations() const {
  demand(offers_, Can::live_allocations, "live_allocations");
  const TraceAside aside;
  const Act act{[&] { return acts::live_allocations(label_); }};
  return across([&] { return table_->tensor->live_allocations(table_->self); });
}

void Party::fail_allocation(std::int64_t successes) const {
  demand(offers_, Can::fail_allocation, "fail_allocation");
  note_short_of_memory(successes >= 0);
  const Act act{[&] { return acts::fail_allocation(label_, successes); }};
  across([&] { table_->tensor->fail_allocation(table_->self, successes); });
}

Outcome<dlcert_device> Party::dlpack_device(const Tensor& tensor) const {
  demand(offers_, Can::dlpack_device, "dlpack_device");
  Act act{[&] {
    ActText text = acts::question(acts::plain(label_, "dlpack_device", tensor.handle()));
    text.python = python::question(
        fmt::format("tuple(map(int, {}.__dlpack_device__()))", trace_name(tensor.handle())));
    return text;
  }};
  dlcert_device device{};
  const auto error = refusal_at_most(act, "dlpack_device", [&](dlcert_error* out) {
    return table_->exchange->dlpack_device(table_->self, tensor.handle(), &device, out);
  });
  if (error) return *error;
  act.answered([&] { return to_text(device); }, [&] { return python::tuple(device); });
  return device;
}

Outcome<Managed> Party::export_managed(const Tensor& tensor, const dlcert_request& request) const {
  demand(offers_, Can::export_managed, "export_managed");
  note_input(properties_of(request) | properties_of_export(tensor));
  Act act{[&] {
    return acts::exported(label_, "export_managed", tensor, request, "dlcert_managed", "m");
  }};
  dlcert_managed managed{};
  const CallKey key = CallKey{*this, "export_managed"}.with(tensor).with(request);
  const auto error = refusal(act, "export_managed", key, [&](dlcert_error* out) {
    return table_->exchange->export_managed(table_->self, tensor.handle(), &request, &managed, out);
  });
  if (error) return *error;
  expect_made(managed.pointer, "export_managed");
  act.made(managed.pointer);
  if (managed.form != DLCERT_LEGACY && managed.form != DLCERT_VERSIONED) [[unlikely]]
    fail(fmt::format("export_managed: expected form 1 or 2 but found {}", managed.form));
  note_shown(Role::producer, Shown::handed_over);
  look_at_export(*this, tensor, managed);
  return Managed{managed};
}

Outcome<Tensor> Party::import_managed(dlcert_managed managed) const {
  demand(offers_, Can::import_managed, "import_managed");
  Act act{[&] { return acts::import_managed(label_, managed); }};
  return imported(made<Tensor, dlcert_tensor>(
      *this, act, "import_managed", [&](dlcert_tensor** out, dlcert_error* error) {
        return table_->exchange->import_managed(table_->self, managed, out, error);
      }));
}

Outcome<Tensor> Party::import_from(const dlcert_producer& producer,
                                   const dlcert_import_request& request) const {
  demand(offers_, Can::import_from, "import_from");
  note_input(properties_of(request));
  Act act{[&] {
    ActText text = acts::import_from(label_, producer, request);
    if (python::described()) text.python = python::import_from(*table_, producer, request);
    return text;
  }};
  return imported(made<Tensor, dlcert_tensor>(
      *this, act, "import_from", [&](dlcert_tensor** out, dlcert_error* error) {
        return table_->exchange->import_from(table_->self, &producer, &request, out, error);
      }));
}

Outcome<Capsule> Party::make_capsule(void* pointer, const char* name,
                                     dlcert_capsule_destructor destructor) const {
  demand(offers_, Can::capsules, "make_capsule");
  Act act{[&] { return acts::make_capsule(label_, pointer, name, destructor != nullptr); }};
  return made<Capsule, dlcert_capsule>(
      *this, act, "make_capsule", [&](dlcert_capsule** out, dlcert_error* error) {
        return table_->capsule->make(table_->self, pointer, name, destructor, out, error);
      });
}

Outcome<Capsule> Party::export_capsule(const Tensor& tensor, const dlcert_request& request) const {
  demand(offers_, Can::any_capsule, "export_capsule");
  if (!offers(Needs{} | Can::export_capsule)) {
    for (const dlcert_value& argument :
         {request.stream, request.max_version, request.dl_device, request.copy})
      if (argument.tag != DLCERT_ABSENT) throw NotFormable{};
    return to_dlpack(tensor);
  }
  note_input(properties_of(request) | properties_of_export(tensor));
  Act act{[&] {
    return acts::exported(label_, "export_capsule", tensor, request, "dlcert_capsule*", "c");
  }};
  auto capsule = made<Capsule, dlcert_capsule>(
      *this, act, "export_capsule", CallKey{*this, "export_capsule"}.with(tensor).with(request),
      [&](dlcert_capsule** out, dlcert_error* error) {
        return table_->capsule->export_capsule(table_->self, tensor.handle(), &request, out, error);
      });
  if (capsule.ok()) look_at_export(*this, tensor, capsule.value().handle());
  return showing(Role::producer, Shown::handed_over, std::move(capsule));
}

Outcome<Tensor> Party::import_capsule(const Capsule& capsule) const {
  demand(offers_, Can::import_capsule, "import_capsule");
  Act act{[&] {
    ActText text = acts::plain(label_, "import_capsule", capsule.handle(), "dlcert_tensor*", "t");
    text.python = python::call(fmt::format("from_dlpack({})", trace_name(capsule.handle())));
    return text;
  }};
  return imported(made<Tensor, dlcert_tensor>(
      *this, act, "import_capsule", [&](dlcert_tensor** out, dlcert_error* error) {
        return table_->capsule->import_capsule(table_->self, capsule.handle(), out, error);
      }));
}

Outcome<Capsule> Party::to_dlpack(const Tensor& tensor) const {
  demand(offers_, Can::to_dlpack, "to_dlpack");
  note_input(properties_of_export(tensor));
  Act act{
      [&] { return acts::plain(label_, "to_dlpack", tensor.handle(), "dlcert_capsule*", "c"); }};
  auto capsule = made<Capsule, dlcert_capsule>(
      *this, act, "to_dlpack", CallKey{*this, "to_dlpack"}.with(tensor),
      [&](dlcert_capsule** out, dlcert_error* error) {
        return table_->capsule->to_dlpack(table_->self, tensor.handle(), out, error);
      });
  if (capsule.ok()) look_at_export(*this, tensor, capsule.value().handle());
  return showing(Role::producer, Shown::handed_over, std::move(capsule));
}

}  // namespace dlcert
