// SPDX-License-Identifier: Apache-2.0

#include "exchange_api/table.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include <dlcert/suite/check.hpp>
#include <dlcert/suite/python_party.hpp>
#include <dlcert/suite/trace.hpp>

#include "testbench/device_session.hpp"

namespace dlcert::exchange_api {

static auto published_table(const Party& party) {
  auto table = party.exchange_table();
  owned_by("exchange.attr.name-and-capsule", [&] {
    expect_acceptance(table.ok(),
                      "the table that the library publishes: expected success but found {}",
                      table.ok() ? "it" : to_text(table.error()));
  });
  return std::move(table).value();
}

Table::Table(const Party& party) : Table{party, published_table(party)} {}

Table Table::without_lock() const {
  Table unlocked = *this;
  unlocked.locks_ = false;
  return unlocked;
}

Table::Bytes Table::bytes() const {
  return raw().get<Bytes>(0);
}

DLPackVersion Table::version() const {
  return {raw().get<std::uint32_t>(table_at::major), raw().get<std::uint32_t>(table_at::minor)};
}

const void* Table::previous() const {
  return raw().get<const void*>(table_at::previous);
}

bool Table::has(std::size_t function) const {
  return raw().get<const void*>(function) != nullptr;
}

namespace {

// Storage for a view, between bytes that are none of the library's business.
class GuardedDescriptor {
 public:
  GuardedDescriptor() {
    before_.fill(filling);
    std::memset(&tensor, static_cast<int>(filling), sizeof tensor);
    after_.fill(filling);
  }
  bool is_intact() const { return is_untouched(before_) && is_untouched(after_); }
  bool is_filled() const { return !is_untouched(std::as_bytes(std::span{&tensor, 1})); }

 private:
  static constexpr std::byte filling{0xEE};
  static bool is_untouched(std::span<const std::byte> bytes) {
    return std::ranges::all_of(bytes, [](std::byte byte) { return byte == filling; });
  }

  std::array<std::byte, 64> before_{};

 public:
  DLTensor tensor;

 private:
  std::array<std::byte, 64> after_{};
};

[[noreturn]] void fail_for_exception(std::string message) {
  Failure failure{std::move(message), {}, {}};
  failure.owners = {"exchange.fn.no-cxx-exceptions"};
  throw failure;
}

// The code of a function, which must not throw.
template <typename Function, typename... Args>
int code_of(std::string_view name, const Function& function, Args... args) {
  try {
    return function(args...);
  } catch (const ::abi::__forced_unwind&) {
    throw;
  } catch (const std::exception& error) {
    fail_for_exception(fmt::format("an exception left {}: {}", name, error.what()));
  } catch (...) {
    fail_for_exception(fmt::format("an exception left {}", name));
  }
}

}  // namespace

template <typename Function, typename... Args>
int Table::call(std::string_view name, std::size_t offset, std::string_view what,
                Args... args) const {
  const auto function = raw().get<Function>(offset);
  expect(function != nullptr, "{} at offset {} of the table: expected a function but found NULL",
         name, offset);
  testbench::tell(fmt::format("{}.table.{}({})", party_->label(), name, what));
  int code = 0;
  const auto make = [&] { code = code_of(name, function, args...); };
  if (locks_ && party_->offers(Needs{} | Can::python))
    require(Python{*party_}.run(DLCERT_PYTHON_LOCK_HELD, make), "taking the interpreter's lock");
  else
    make();
  testbench::tell(fmt::format("  {}", code));
  return code;
}

int Table::allocate(DLTensor& prototype, DLManagedTensorVersioned** out, void* context,
                    SetError set_error) const {
  return call<DLPackManagedTensorAllocator>("managed_tensor_allocator", table_at::allocator,
                                            "a prototype", &prototype, out, context, set_error);
}

int Table::from_object(const Object& object, DLManagedTensorVersioned** out) const {
  return call<DLPackManagedTensorFromPyObjectNoSync>("managed_tensor_from_py_object_no_sync",
                                                     table_at::from_object, "an object",
                                                     object.handle(), out);
}

int Table::to_object(dlcert_managed managed, void** out) const {
  return call<DLPackManagedTensorToPyObjectNoSync>(
      "managed_tensor_to_py_object_no_sync", table_at::to_object, trace_name(managed.pointer),
      static_cast<DLManagedTensorVersioned*>(managed.pointer), out);
}

int Table::view(const Object& object, DLTensor* out) const {
  if (!has(table_at::view)) throw NotClaimed{"non-owning views"};
  GuardedDescriptor guarded;
  const int code =
      call<DLPackDLTensorFromPyObjectNoSync>("dltensor_from_py_object_no_sync", table_at::view,
                                             "an object", object.handle(), &guarded.tensor);
  owned_by("exchange.view.non-owning", [&] {
    expect(guarded.is_intact(),
           "bytes around the caller's DLTensor: expected them untouched but found them written");
  });
  if (code == 0)
    owned_by("exchange.fn.return-codes", [&] {
      expect(guarded.is_filled(),
             "dltensor_from_py_object: expected a view after 0 but found nothing stored");
    });
  *out = guarded.tensor;
  return code;
}

int Table::work_stream(dlcert_device device, void** out) const {
  return call<DLPackCurrentWorkStream>("current_work_stream", table_at::work_stream,
                                       to_text(device), static_cast<DLDeviceType>(device.type),
                                       device.id, out);
}

void* poison() {
  static char nowhere;
  return &nowhere;
}

std::string left_error(const Party& party) {
  const auto error = party.take_object_error();
  return error ? to_text(*error) : "no error";
}

void expect_zero(const Party& party, int code, std::string_view call) {
  if (code == 0) return;
  fail(fmt::format("{}: expected 0 but found {} and {}", call, code, left_error(party)));
}

// The view of an import that became read-only on the way may be refused.
static bool is_read_only(const Party& party, const Object& object) {
  if (!party.offers(Needs{} | Can::describe)) return false;
  auto tensor = party.tensor_of(object);
  if (!tensor.ok()) return false;
  auto said = party.describe(tensor.value());
  return said.ok() && said.value().read_only;
}

void expect_view_given(const Party& party, const Object& object, int code) {
  if (code == 0) return;
  const std::string error = left_error(party);
  const std::vector<std::string_view> owners(is_read_only(party, object) ? 1 : 0,
                                             "sharing.read-only-propagated");
  owned_by(owners, [&] {
    fail(fmt::format("dltensor_from_py_object of a claimed tensor: expected 0 but found {} and {}",
                     code, error));
  });
}

void expect_stored(std::string_view call, const void* out) {
  owned_by("exchange.fn.return-codes", [&] {
    expect(out != nullptr && out != poison(), "{}: expected a result after 0 but found none", call);
  });
}

Managed export_of(const Table& table, const Party& party, const Object& object) {
  DLManagedTensorVersioned* out = nullptr;
  expect_zero(party, table.from_object(object, &out), "from_py_object of a claimed tensor");
  expect_stored("from_py_object", out);
  return Managed{{DLCERT_VERSIONED, 0, out}};
}

DLTensor view_of(const Table& table, const Party& party, const Object& object) {
  DLTensor out{};
  expect_view_given(party, object, table.view(object, &out));
  return out;
}

}  // namespace dlcert::exchange_api
