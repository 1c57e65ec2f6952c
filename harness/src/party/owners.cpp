// SPDX-License-Identifier: Apache-2.0
//
// What the harness owns of a party: tensors, managed tensors, capsules.
#include <fmt/format.h>

#include <utility>

#include <dlcert/suite/party.hpp>

#include "party/across.hpp"
#include "party/act.hpp"
#include "party/python_source.hpp"

namespace dlcert {

namespace {

// The call by which the library forgets an object.
ActText dropped(std::string_view library, std::string_view call, const void* object) {
  ActText text = acts::without_outcome(acts::plain(library, call, object));
  // What came out of a table has no name in a program.
  if (const std::string name = trace_name(object); !name.empty())
    text.python = {.kind = ProgramStep::Kind::dropped, .code = name};
  return text;
}

}  // namespace

Tensor::Tensor(Tensor&& other) noexcept
    : party_{other.party_},
      handle_{std::exchange(other.handle_, nullptr)},
      origin_{other.origin_},
      imported_{other.imported_},
      known_{std::move(other.known_)} {}

Tensor& Tensor::operator=(Tensor&& other) noexcept {
  if (this != &other) {
    release();
    party_ = other.party_;
    handle_ = std::exchange(other.handle_, nullptr);
    origin_ = other.origin_;
    imported_ = other.imported_;
    known_ = std::move(other.known_);
  }
  return *this;
}

Tensor::~Tensor() {
  release();
}

void Tensor::release() {
  if (handle_ == nullptr) return;
  const Act act{[&] { return dropped(party_->label(), "release", handle_); }};
  const dlcert_adapter& table = party_->table();
  dlcert_tensor* const handle = std::exchange(handle_, nullptr);
  across([&] { table.tensor->release(table.self, handle); });
}

Managed::Managed(Managed&& other) noexcept : raw_{std::exchange(other.raw_, {})} {}

Managed& Managed::operator=(Managed&& other) noexcept {
  if (this != &other) {
    release();
    raw_ = std::exchange(other.raw_, {});
  }
  return *this;
}

Managed::~Managed() {
  release();
}

namespace {

DLManagedTensor& legacy_of(dlcert_managed raw) {
  return *static_cast<DLManagedTensor*>(raw.pointer);
}

DLManagedTensorVersioned& versioned_of(dlcert_managed raw) {
  return *static_cast<DLManagedTensorVersioned*>(raw.pointer);
}

}  // namespace

const DLTensor& Managed::tensor() const {
  return versioned() ? versioned_of(raw_).dl_tensor : legacy_of(raw_).dl_tensor;
}

std::uint64_t Managed::flags() const {
  return versioned() ? versioned_of(raw_).flags : 0;
}

DLPackVersion Managed::version() const {
  return versioned() ? versioned_of(raw_).version : DLPackVersion{0, 0};
}

bool Managed::has_deleter() const {
  return versioned() ? versioned_of(raw_).deleter != nullptr : legacy_of(raw_).deleter != nullptr;
}

const std::byte* Managed::first_element() const {
  return static_cast<const std::byte*>(tensor().data) + tensor().byte_offset;
}

void Managed::release() {
  if (raw_.pointer == nullptr) return;
  const Act act{[&] { return acts::call_deleter(raw_.pointer); }};
  const bool callable = has_deleter();
  const dlcert_managed raw = give_up();
  if (!callable) return;
  owned_by("lifetime.deleter.no-exceptions", [&] {
    across([&] {
      if (raw.form == DLCERT_VERSIONED)
        versioned_of(raw).deleter(&versioned_of(raw));
      else
        legacy_of(raw).deleter(&legacy_of(raw));
    });
  });
}

dlcert_managed Managed::give_up() {
  return std::exchange(raw_, {});
}

Capsule::Capsule(Capsule&& other) noexcept
    : party_{other.party_}, handle_{std::exchange(other.handle_, nullptr)} {}

Capsule& Capsule::operator=(Capsule&& other) noexcept {
  if (this != &other) {
    drop();
    party_ = other.party_;
    handle_ = std::exchange(other.handle_, nullptr);
  }
  return *this;
}

Capsule::~Capsule() {
  drop();
}

dlcert_capsule* Capsule::give_up() {
  return std::exchange(handle_, nullptr);
}

namespace {

std::string python_name(const char* name) {
  return name == nullptr ? "None" : python::quoted(name);
}

// Names the struct in a capsule, where that has one.
void tell_struct(std::string_view library, const void* capsule, void* pointer, const char* name) {
  const bool versioned = name != nullptr && std::string_view{name} == "dltensor_versioned";
  const bool legacy = name != nullptr && std::string_view{name} == "dltensor";
  if (pointer == nullptr || !(versioned || legacy) || trace() == nullptr) return;
  if (trace_name(pointer) != "unknown") return;
  const std::string managed = new_trace_name("m");
  bind_trace_name(pointer, managed);
  const std::string held = trace_name(capsule);
  ProgramStep step =
      python::own(python::described() ? fmt::format("managed_in({})", held)
                                      : fmt::format("managed_in({}, {})", library, held));
  step.type = "dlcert_managed";
  step.name = managed;
  trace()->event({}, to_line(step));
}

}  // namespace

const char* Capsule::name_in_place() const {
  Act act{[&] {
    ActText text = acts::question(acts::plain(party_->label(), "capsule_name", handle_));
    text.python = python::question(fmt::format("name_of({})", trace_name(handle_)));
    return text;
  }};
  const dlcert_adapter& table = party_->table();
  const char* const name = across([&] { return table.capsule->name(table.self, handle_); });
  act.answered([&] { return c_literal(name); }, [&] { return python_name(name); });
  return name;
}

std::optional<std::string> Capsule::name() const {
  const char* const name = name_in_place();
  return name == nullptr ? std::nullopt : std::optional<std::string>{name};
}

void* Capsule::pointer(const char* name) const {
  Act act{[&] {
    ActText text =
        acts::question(acts::capsule_text(party_->label(), "capsule_pointer", *this, name));
    text.python = python::nothing();
    return text;
  }};
  const dlcert_adapter& table = party_->table();
  void* const pointer = across([&] { return table.capsule->pointer(table.self, handle_, name); });
  act.answered([&] { return fmt::format("{}", fmt::ptr(pointer)); });
  tell_struct(party_->label(), handle_, pointer, name);
  return pointer;
}

void Capsule::set_name(const char* name) {
  const Act act{[&] {
    ActText text =
        acts::without_outcome(acts::capsule_text(party_->label(), "set_capsule_name", *this, name));
    text.python =
        python::own(fmt::format("rename({}, {})", trace_name(handle_), python_name(name)));
    return text;
  }};
  const dlcert_adapter& table = party_->table();
  across([&] { table.capsule->set_name(table.self, handle_, name); });
}

void Capsule::drop() {
  if (handle_ == nullptr) return;
  const Act act{[&] { return dropped(party_->label(), "drop", handle_); }};
  const dlcert_adapter& table = party_->table();
  dlcert_capsule* const handle = give_up();
  across([&] { table.capsule->drop(table.self, handle); });
}

}  // namespace dlcert
