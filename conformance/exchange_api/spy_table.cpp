// SPDX-License-Identifier: Apache-2.0
#include "exchange_api/spy_table.hpp"

#include <map>

#include <dlcert/suite/trace.hpp>

#include "generators/specs.hpp"
#include "testbench/imports.hpp"
#include "testbench/python.hpp"

namespace dlcert::exchange_api {

namespace {

// The import that is going on: functions of a table get an object and nothing else.
struct Listener {
  const Party& consumer;
  std::vector<TableCall>& calls;
  const dlcert_producer& producer;
  const Offer& offer;
};
Listener* listening = nullptr;

// The offer of the object, as its __dlpack__ hands it out. The harness cannot set an error of the
// interpreter's: what it refuses fails without one.
DLManagedTensorVersioned* hand_out() {
  dlcert_exported exported{};
  exported.struct_size = sizeof(exported);
  dlcert_error error{};
  error.struct_size = sizeof(error);
  const dlcert_request asked = request_version(own_version.major, own_version.minor);
  const dlcert_producer& producer = listening->producer;
  if (producer.dlpack(producer.context, &asked, &exported, &error) != DLCERT_OK) return nullptr;
  return static_cast<DLManagedTensorVersioned*>(exported.managed.pointer);
}

void note(SpyTable table, std::uint32_t major, bool view, void* py_object) {
  const Python python{listening->consumer};
  listening->calls.push_back({table, major, view, python.producer_of(py_object)});
}

template <SpyTable table, std::uint32_t major>
int from_object(void* py_object, DLManagedTensorVersioned** out) {
  if (listening == nullptr) return -1;
  note(table, major, false, py_object);
  if (major != own_version.major) return -1;
  DLManagedTensorVersioned* const managed = hand_out();
  if (managed == nullptr) return -1;
  *out = managed;
  return 0;
}

template <SpyTable table, std::uint32_t major>
int view(void* py_object, DLTensor* out) {
  if (listening == nullptr) return -1;
  note(table, major, true, py_object);
  if (major != own_version.major) return -1;
  *out = static_cast<DLManagedTensorVersioned*>(listening->offer.managed().pointer)->dl_tensor;
  return 0;
}

int to_object(DLManagedTensorVersioned*, void**) {
  return -1;
}

int work_stream(DLDeviceType, std::int32_t, void** out) {
  *out = nullptr;
  return 0;
}

int allocate(DLTensor*, DLManagedTensorVersioned**, void*,
             void (*)(void*, const char*, const char*)) {
  return -1;
}

template <SpyTable table, std::uint32_t major>
constexpr DLPackExchangeAPI made(const DLPackExchangeAPI* older, bool has_view = true) {
  DLPackExchangeAPI api{};
  api.header.version = {major, major == own_version.major ? own_version.minor : 0};
  api.header.prev_api =
      older == nullptr ? nullptr : const_cast<DLPackExchangeAPIHeader*>(&older->header);
  api.managed_tensor_allocator = allocate;
  api.managed_tensor_from_py_object_no_sync = from_object<table, major>;
  api.managed_tensor_to_py_object_no_sync = to_object;
  api.dltensor_from_py_object_no_sync = has_view ? view<table, major> : nullptr;
  api.current_work_stream = work_stream;
  return api;
}

const DLPackExchangeAPI table_current = made<SpyTable::current, 1>(nullptr);
const DLPackExchangeAPI table_another = made<SpyTable::another, 1>(nullptr);
const DLPackExchangeAPI table_without_view = made<SpyTable::without_view, 1>(nullptr, false);
const DLPackExchangeAPI table_too_new = made<SpyTable::too_new, 99>(nullptr);
const DLPackExchangeAPI table_chained_oldest = made<SpyTable::chained, 1>(nullptr);
const DLPackExchangeAPI table_chained_older = made<SpyTable::chained, 2>(&table_chained_oldest);
const DLPackExchangeAPI table_chained = made<SpyTable::chained, 99>(&table_chained_older);
const DLPackExchangeAPI table_chained_in_vain_older = made<SpyTable::chained_in_vain, 2>(nullptr);
const DLPackExchangeAPI table_chained_in_vain =
    made<SpyTable::chained_in_vain, 99>(&table_chained_in_vain_older);

const DLPackExchangeAPI* address_of(SpyTable table) {
  switch (table) {
    case SpyTable::current:
      return &table_current;
    case SpyTable::another:
      return &table_another;
    case SpyTable::without_view:
      return &table_without_view;
    case SpyTable::too_new:
      return &table_too_new;
    case SpyTable::chained:
      return &table_chained;
    case SpyTable::chained_in_vain:
      break;
  }
  return &table_chained_in_vain;
}

}  // namespace

TableObject::TableObject(Case& c, SpyTable table)
    : case_{c},
      table_{table},
      spec_{draw_simple_spec(c.draw, c.consumer)},
      logical_{draw_logical(c.draw, spec_)},
      offer_{make_offer(spec_, logical_, Form::versioned)},
      producer_{std::make_unique<SpyProducer>(spec_.device, offer_.get(), c.consumer, false)},
      imported_{Error{}} {}

TableObject::~TableObject() {
  if (finished_) return;
  if (imported_.ok()) imported_.value().release();
  if (producer_->exports() == 0) offer_->recall();
}

const Outcome<Tensor>& TableObject::import(const std::string& expression) {
  Listener listener{case_.consumer, calls_, producer_->c(), *offer_};
  struct Listening {
    explicit Listening(Listener& to) { listening = &to; }
    ~Listening() { listening = nullptr; }
  } const while_importing{listener};
  imported_ =
      Python{case_.consumer}.import_object({producer_->c(), address_of(table_)}, expression);
  return imported_;
}

void TableObject::require_accepted() {
  if (!imported_.ok())
    fail(fmt::format("import of an object with an exchange table: expected success but found {}",
                     to_text(imported_.error())),
         {.by = Judgement::By::success});
  testbench::expect_holds(case_.consumer, imported_.value(), spec_, logical_);
}

void TableObject::finish() {
  finished_ = true;
  if (imported_.ok()) imported_.value().release();
  if (producer_->exports() == 0) return offer_->recall();
  expect_deleted_once(*offer_);
}

void require_use_of_tables(Case& c) {
  static std::map<const dlcert_adapter*, bool> known;
  auto found = known.find(&c.consumer.table());
  if (found == known.end()) {
    const TraceAside aside;
    TableObject trial{c, SpyTable::current};
    const bool taken = trial.import().ok();
    found = known.emplace(&c.consumer.table(), taken && trial.asked_the_table()).first;
    trial.finish();
  }
  if (!found->second) throw Declined{"imports by no exchange table"};
}

}  // namespace dlcert::exchange_api
