// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

#include <dlcert/suite/evidence.hpp>
#include <dlcert/suite/input_properties.hpp>
#include <dlcert/suite/threads.hpp>
#include <dlcert/suite/work.hpp>

#include "party/act.hpp"
#include "party/python_source.hpp"
#include "spy/deleter_calls.hpp"
#include "spy/elements.hpp"
#include "spy/guarded_block.hpp"
#include "spy/offer_text.hpp"

namespace dlcert {

namespace {

// What lies in front of a sealed tail: version, context, deleter and flags.
constexpr std::size_t header_bytes = offsetof(DLManagedTensorVersioned, dl_tensor);
static_assert(header_bytes == 32);

std::size_t visible_bytes(const Descriptor& descriptor) {
  if (descriptor.protection == Protection::sealed_tail) return header_bytes;
  return descriptor.form == Form::legacy ? sizeof(DLManagedTensor)
                                         : sizeof(DLManagedTensorVersioned);
}

std::size_t array_bytes(const std::optional<std::vector<std::int64_t>>& values) {
  return values ? values->size() * sizeof(std::int64_t) : 0;
}

std::int64_t* array_in(const GuardedBlock& block,
                       const std::optional<std::vector<std::int64_t>>& values) {
  return values ? reinterpret_cast<std::int64_t*>(block.data()) : nullptr;
}

void fill(const GuardedBlock& block, const void* from) {
  if (block.bytes() != 0) std::memcpy(block.data(), from, block.bytes());
}

// Bytes behind the storage, which ends where a page ends, so that the first element is aligned as
// DLPack asks for, if this unit leaves out other addresses.
std::size_t padding_behind(const Descriptor& descriptor, std::size_t bytes) {
  constexpr std::size_t alignment = 256;
  if (!is_left_out(InputProperty::unaligned)) return 0;
  const auto first = static_cast<std::size_t>(descriptor.data_offset) + descriptor.byte_offset;
  return (first - bytes) % alignment;
}

// An address that faults when touched, in every run the same.
void* inaccessible_address() {
  static GuardedBlock& block = *[] {
    auto* const made = new GuardedBlock{4096};
    made->make_inaccessible();
    return made;
  }();
  return block.data();
}

}  // namespace

struct Offer::State final : DeleterCalls {
  State(const Descriptor& given, const Bytes& bytes)
      : descriptor{given},
        managed{visible_bytes(given)},
        shape{array_bytes(given.shape)},
        strides{array_bytes(given.strides)},
        storage{bytes.size() + padding_behind(given, bytes.size())},
        storage_bytes{bytes.size()} {
    count_work(Work::bytes_offered, bytes.size());
    if (storage_bytes != 0) std::memcpy(storage.data(), bytes.data(), storage_bytes);
    if (given.shape) fill(shape, given.shape->data());
    if (given.strides) fill(strides, given.strides->data());
    if (given.form == Form::legacy)
      write_legacy();
    else
      write_versioned();
    fill(managed, snapshot);
    start_counting(managed.data(), context());
    protect();
  }
  ~State() override {
    stop_counting();
    if (exported && calls() == 0 && descriptor.deleter != Descriptor::Deleter::null)
      each_block([](GuardedBlock& block) { block.abandon(); });
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void released() override {
    described_at_release = described_now();
    context_at_release = context_now() == context();
    if (action) action();
    each_block([this](GuardedBlock& block) {
      if (seal) return block.make_inaccessible();
      block.make_writable();
      block.fill_with_poison();
    });
    if (!seal) keep_deleter_callable();
  }

  // A consumer that releases twice is counted rather than crashed.
  void keep_deleter_callable() const {
    if (descriptor.form == Form::legacy)
      reinterpret_cast<DLManagedTensor*>(managed.data())->deleter = &DeleterCalls::legacy_deleter;
    else
      reinterpret_cast<DLManagedTensorVersioned*>(managed.data())->deleter =
          &DeleterCalls::versioned_deleter;
  }

  bool described_now() const {
    return std::memcmp(managed.data(), snapshot, managed.bytes()) == 0 &&
           same(shape, descriptor.shape) && same(strides, descriptor.strides);
  }

  const void* context_now() const {
    return descriptor.form == Form::legacy
               ? reinterpret_cast<const DLManagedTensor*>(managed.data())->manager_ctx
               : reinterpret_cast<const DLManagedTensorVersioned*>(managed.data())->manager_ctx;
  }

  void* context() {
    switch (descriptor.context) {
      case Descriptor::Context::own:
        return this;
      case Descriptor::Context::null:
        return nullptr;
      case Descriptor::Context::unreadable:
        return inaccessible_address();
    }
    return nullptr;
  }

  std::byte* data() const {
    switch (descriptor.data) {
      case Descriptor::Data::storage:
        return storage.data() + descriptor.data_offset;
      case Descriptor::Data::null:
        return nullptr;
      case Descriptor::Data::unmapped:
        return static_cast<std::byte*>(inaccessible_address());
      case Descriptor::Data::device:
        return descriptor.device_memory + descriptor.data_offset;
    }
    return nullptr;
  }

  ElementLayout layout() const {
    static const std::vector<std::int64_t> none;
    const bool padded = descriptor.form == Form::versioned &&
                        (descriptor.flags & DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED) != 0;
    const auto& extents = descriptor.shape ? *descriptor.shape : none;
    if (extents.size() != static_cast<std::size_t>(descriptor.ndim) ||
        (descriptor.strides ? *descriptor.strides : compact_strides).size() != extents.size())
      throw DefectOfCheck{"an offer that is not well-formed has no logical bytes"};
    return ElementLayout::of_elements(descriptor.dtype, padded, extents,
                                      descriptor.strides ? *descriptor.strides : compact_strides);
  }

  Descriptor descriptor;
  std::vector<std::int64_t> compact_strides;
  GuardedBlock managed, shape, strides, storage;
  std::size_t storage_bytes;  // without what aligns them
  std::byte snapshot[sizeof(DLManagedTensorVersioned)]{};
  std::function<void()> action;
  bool seal = false;
  bool bare = false;
  bool taken = false;
  bool exported = false;
  bool described_at_release = true;
  bool context_at_release = true;

 private:
  static bool same(const GuardedBlock& block,
                   const std::optional<std::vector<std::int64_t>>& values) {
    return block.bytes() == 0 || std::memcmp(block.data(), values->data(), block.bytes()) == 0;
  }

  template <typename Visit>
  void each_block(const Visit& visit) {
    for (GuardedBlock* const block : {&managed, &shape, &strides, &storage})
      visit(*block);
  }

  DLTensor described() const {
    DLTensor tensor{};
    tensor.data = data();
    tensor.device = {static_cast<DLDeviceType>(descriptor.device.type), descriptor.device.id};
    tensor.ndim = descriptor.ndim;
    tensor.dtype = {descriptor.dtype.code, descriptor.dtype.bits, descriptor.dtype.lanes};
    tensor.shape = array_in(shape, descriptor.shape);
    tensor.strides = array_in(strides, descriptor.strides);
    tensor.byte_offset = descriptor.byte_offset;
    return tensor;
  }

  void write_legacy() {
    DLManagedTensor tensor{};
    tensor.dl_tensor = described();
    tensor.manager_ctx = context();
    if (descriptor.deleter == Descriptor::Deleter::counting)
      tensor.deleter = &DeleterCalls::legacy_deleter;
    std::memcpy(snapshot, &tensor, sizeof(tensor));
  }

  void write_versioned() {
    DLManagedTensorVersioned tensor{};
    tensor.version = descriptor.version;
    tensor.manager_ctx = context();
    if (descriptor.deleter == Descriptor::Deleter::counting)
      tensor.deleter = &DeleterCalls::versioned_deleter;
    tensor.flags = descriptor.flags;
    tensor.dl_tensor = described();
    std::memcpy(snapshot, &tensor, sizeof(tensor));
  }

  void protect() {
    if (descriptor.protection == Protection::read_only_data) storage.make_read_only();
    if (descriptor.protection == Protection::read_only_all)
      each_block([](GuardedBlock& block) { block.make_read_only(); });
  }
};

namespace {

InputProperties layout_properties(const Descriptor& descriptor) {
  InputProperties set = 0;
  if (descriptor.byte_offset != 0) set = set | InputProperty::byte_offset;
  if (descriptor.data == Descriptor::Data::null) set = set | InputProperty::null_data;
  if (descriptor.ndim == 0) set = set | InputProperty::rank_0;
  if (descriptor.ndim > 8) set = set | InputProperty::rank_above_8;
  if (!descriptor.shape) return set;
  const std::vector<std::int64_t>& shape = *descriptor.shape;
  const bool without_elements = std::ranges::find(shape, 0) != shape.end();
  if (without_elements) set = set | InputProperty::no_elements;
  if (!descriptor.strides) return descriptor.ndim > 0 ? set | InputProperty::null_strides : set;
  const std::vector<std::int64_t>& strides = *descriptor.strides;
  const std::vector<std::int64_t> compact = row_major_strides(shape);
  for (std::size_t axis = 0; axis < std::min(shape.size(), strides.size()); ++axis) {
    if (strides[axis] < 0) set = set | InputProperty::negative_stride;
    if (shape[axis] == 1 && (strides[axis] != compact[axis] || without_elements))
      set = set | InputProperty::unit_stride;
    if (shape[axis] < 2) continue;
    if (strides[axis] != compact[axis]) set = set | InputProperty::strided;
    if (strides[axis] == 0) set = set | InputProperty::zero_stride;
  }
  return set;
}

InputProperties properties_of(const Descriptor& descriptor) {
  constexpr std::uint64_t known_flags = DLPACK_FLAG_BITMASK_READ_ONLY |
                                        DLPACK_FLAG_BITMASK_IS_COPIED |
                                        DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED;
  InputProperties set = layout_properties(descriptor) | dlcert::properties_of(descriptor.dtype);
  const auto add_if = [&](bool holds, InputProperty property) {
    if (holds) set = set | property;
  };
  const bool versioned = descriptor.form == Form::versioned;
  set = set | (versioned ? InputProperty::versioned : InputProperty::legacy);
  add_if(versioned && descriptor.version.major != own_version.major, InputProperty::other_major);
  add_if(versioned && descriptor.version.minor != own_version.minor, InputProperty::other_minor);
  add_if(descriptor.deleter == Descriptor::Deleter::null, InputProperty::null_deleter);
  add_if(descriptor.context == Descriptor::Context::null, InputProperty::null_context);
  if (versioned) {
    const std::uint64_t flags = descriptor.flags;
    add_if((flags & DLPACK_FLAG_BITMASK_READ_ONLY) != 0, InputProperty::read_only);
    add_if((flags & DLPACK_FLAG_BITMASK_IS_COPIED) != 0, InputProperty::copied);
    add_if((flags & DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED) != 0, InputProperty::padded);
    add_if((flags & ~known_flags) != 0, InputProperty::unknown_flag);
  }
  add_if(descriptor.device.type != kDLCPU, InputProperty::other_device);
  add_if(descriptor.device.id != 0, InputProperty::further_index);
  return set;
}

}  // namespace

Offer::Offer(const Descriptor& descriptor, const Bytes& storage)
    : state_{std::make_unique<State>(descriptor, storage)} {
  note_input(properties_of(descriptor));
  const bool lies_here = descriptor.data == Descriptor::Data::storage && !storage.empty();
  if (lies_here && reinterpret_cast<std::uintptr_t>(first_element()) % 256 != 0)
    note_input(InputProperties{} | InputProperty::unaligned);
  if (!descriptor.strides && descriptor.shape)
    state_->compact_strides = row_major_strides(*descriptor.shape);
  Act act{[&] {
    return acts::without_outcome({offer_text(descriptor, storage),
                                  offer_expression(descriptor, storage), "dlcert_managed", "m",
                                  offer_python(descriptor, storage)});
  }};
  act.named(state_->managed.data());
}

Offer::~Offer() = default;

dlcert_managed Offer::managed() const {
  state_->exported = true;
  note_handed_on(state_->descriptor.device.type);
  return {state_->descriptor.form == Form::legacy ? DLCERT_LEGACY : DLCERT_VERSIONED, 0,
          state_->managed.data()};
}

const Descriptor& Offer::descriptor() const {
  return state_->descriptor;
}

std::byte* Offer::storage() const {
  return state_->storage.data();
}

std::size_t Offer::storage_bytes() const {
  return state_->storage_bytes;
}

const std::byte* Offer::first_element() const {
  return state_->data() + state_->descriptor.byte_offset;
}

Bytes Offer::logical() const {
  const ElementLayout layout = state_->layout();
  Bytes logical(logical_size(layout));
  gather(layout, first_element(), 0, logical.data());
  return logical;
}

namespace {

// A program changes its own tensor alike, in Python if its elements are whole bytes.
void tell_elements(const Offer& offer, const Bytes& logical) {
  TraceSink* const sink = trace();
  if (sink == nullptr) return;
  const bool in_c = sink->language() == Language::c;
  const bool is_on_host = offer.descriptor().device.type == kDLCPU;
  const std::string name = offer.trace_name();
  ProgramStep step{.kind = ProgramStep::Kind::missing, .code = "change the elements of " + name};
  if (is_on_host && in_c)
    step = python::own(fmt::format("set_elements({}, {})", name, c_bytes(logical)));
  else if (is_on_host && offer.descriptor().dtype.bits >= 8)
    step = python::own(fmt::format("set_elements({}, {})", name, python::bytes(logical)));
  sink->event({}, to_line(step));
}

}  // namespace

void Offer::set_logical(const Bytes& logical) {
  tell_elements(*this, logical);
  const auto offset = static_cast<std::int64_t>(state_->descriptor.byte_offset);
  scatter(state_->layout(), state_->data() + offset, 0, logical.data());
}

int Offer::deleter_calls() const {
  return state_->calls();
}

namespace {

Judgement judged_deletions(int expected, const Offer& offer) {
  return {.by = Judgement::By::value,
          .expected = to_literal(expected),
          .code = fmt::format("deletions({})", offer.trace_name()),
          .type = "judge_number"};
}

}  // namespace

void expect_deletions(int expected, const Offer& offer) {
  await([&] { return offer.deleter_calls() >= expected; });
  const auto expect_calls = [&] { expect_equal("deleter calls", expected, offer.deleter_calls()); };
  std::vector<std::string_view> owners{"lifetime.deleter.exactly-once"};
  if (!offer.was_taken()) owners.emplace_back("lifetime.failed-import.single-release");
  // A copy that the library exported may hold the last reference.
  owners.emplace_back("lifetime.deleter.frees-self");
  seen_by([&] { return judged_deletions(expected, offer); },
          [&] {
            owned_by(owners, [&] {
              if (offer.stray_deleter_calls() == 0) return expect_calls();
              // The call that is missing was made with another address.
              owned_by("lifetime.deleter.self-argument", expect_calls);
            });
          });
}

void expect_deleted_once(const Offer& offer) {
  await([&] { return offer.deleter_calls() != 0; });
  if (!offer.lent_bare() || offer.deleter_calls() != 0) expect_deletions(1, offer);
}

void Offer::lend_bare() {
  state_->bare = true;
}

bool Offer::lent_bare() const {
  return state_->bare;
}

void Offer::note_taken() {
  state_->taken = true;
}

bool Offer::was_taken() const {
  return state_->taken;
}

int Offer::stray_deleter_calls() const {
  return state_->stray_calls();
}

std::optional<std::thread::id> Offer::deleter_thread() const {
  return state_->thread();
}

bool Offer::context_unchanged() const {
  if (deleter_calls() != 0) return state_->context_at_release;
  return state_->context_now() == state_->context();
}

bool Offer::described_unchanged() const {
  return deleter_calls() != 0 ? state_->described_at_release : state_->described_now();
}

void Offer::seal_after_release() {
  state_->seal = true;
}

void Offer::on_deleter(std::function<void()> action) {
  state_->action = std::move(action);
}

void Offer::release_from_harness() {
  const Act act{[&] { return acts::call_deleter(state_->managed.data()); }};
  if (state_->descriptor.form == Form::legacy)
    DeleterCalls::legacy_deleter(reinterpret_cast<DLManagedTensor*>(state_->managed.data()));
  else
    DeleterCalls::versioned_deleter(
        reinterpret_cast<DLManagedTensorVersioned*>(state_->managed.data()));
}

std::string Offer::trace_name() const {
  return dlcert::trace_name(state_->managed.data());
}

void Offer::recall() {
  state_->exported = false;
}

}  // namespace dlcert
