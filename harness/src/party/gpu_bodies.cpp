// SPDX-License-Identifier: Apache-2.0
//
// A party's calls that take a function of the harness or an object of the library.
#include <cstring>
#include <deque>
#include <mutex>

#include <dlcert/suite/gpu_party.hpp>

#include "party/gpu_calls.hpp"

namespace dlcert {

namespace {

using QueuedBody = std::function<std::optional<Error>()>;

std::mutex bodies_mutex;
std::exception_ptr thrown_by_body;

void fill(dlcert_error& raw, const Error& error) {
  raw.kind = error.kind;
  raw.code = error.code;
  std::strncpy(raw.type, error.type.c_str(), sizeof(raw.type) - 1);
  std::strncpy(raw.message, error.message.c_str(), sizeof(raw.message) - 1);
}

dlcert_status run_body(void* context, dlcert_error* error) {
  try {
    const std::optional<Error> failure = (*static_cast<const QueuedBody*>(context))();
    if (!failure) return DLCERT_OK;
    fill(*error, *failure);
  } catch (...) {
    const std::lock_guard lock{bodies_mutex};
    if (!thrown_by_body) thrown_by_body = std::current_exception();
    fill(*error, {DLCERT_ERROR_OTHER, 0, "dlcert", "the check ended inside this call"});
  }
  return DLCERT_REFUSED;
}

const dlcert_runtime_group* runtime_group(const Party& party) {
  return group_of(party.table(), &dlcert_adapter::gpu_runtime);
}

}  // namespace

void rethrow_from_body() {
  std::exception_ptr taken;
  {
    const std::lock_guard lock{bodies_mutex};
    taken = std::exchange(thrown_by_body, nullptr);
  }
  if (taken) std::rethrow_exception(taken);
}

Outcome<std::monostate> GpuRuntime::behave_as(const Build& build) const {
  Act act{[&] {
    return shown(fmt::format(
        "{}.behave_as(gpu={}, runtime_bindings={}, linear_algebra={}, management_bindings={}, "
        "architecture_flags=\"{}\")",
        label(), build.gpu, build.runtime_bindings, build.linear_algebra, build.management_bindings,
        build.architecture_flags));
  }};
  dlcert_build raw{};
  raw.struct_size = sizeof(raw);
  const auto flag = [](bool set, std::uint32_t bit) { return set ? bit : 0; };
  raw.flags = flag(build.gpu, DLCERT_BUILD_GPU) |
              flag(build.runtime_bindings, DLCERT_BUILD_RUNTIME_BINDINGS) |
              flag(build.linear_algebra, DLCERT_BUILD_LINEAR_ALGEBRA);
  raw.management_bindings = build.management_bindings;
  raw.architecture_flags = build.architecture_flags.c_str();
  const auto error = call_of(
      runtime_group(party()), act, &dlcert_runtime_group::behave_as,
      [&](auto function, dlcert_error* failure) { return function(self(), &raw, failure); });
  if (error) return *error;
  return std::monostate{};
}

Outcome<std::monostate> GpuRuntime::queue(std::int32_t kind, QueuedBody call) const {
  static std::deque<QueuedBody> kept;  // a queue may keep a call for as long as the process lives
  Act act{[&] { return shown(fmt::format("{}.queue(kind {}, a call)", label(), kind)); }};
  QueuedBody* body = nullptr;
  {
    const std::lock_guard lock{bodies_mutex};
    body = &kept.emplace_back(std::move(call));
  }
  const auto error = call_of(runtime_group(party()), act, &dlcert_runtime_group::queue,
                             [&](auto function, dlcert_error* failure) {
                               return function(self(), kind, &run_body, body, failure);
                             });
  if (error) return *error;
  return std::monostate{};
}

Outcome<std::monostate> GpuRuntime::with_guard(const Guard& guard, const QueuedBody& body) const {
  Act act{[&] { return shown(fmt::format("{}.with_guard: what follows is inside", label())); }};
  const auto error = call_of(runtime_group(party()), act, &dlcert_runtime_group::with_guard,
                             [&](auto function, dlcert_error* failure) {
                               return function(self(), guard.handle(), &run_body,
                                               const_cast<QueuedBody*>(&body), failure);
                             });
  if (error) return *error;
  act.answered([&] { return fmt::format("{}: the guard is left", label()); });
  return std::monostate{};
}

Outcome<GpuObjectKind> GpuRuntime::describe(const GpuObject& object) const {
  Act act{[&] { return shown(fmt::format("{}.describe_gpu_object()", label())); }};
  std::int32_t is_gpu = 0;
  std::int32_t is_sparse = 0;
  const auto error =
      call_of(runtime_group(party()), act, &dlcert_runtime_group::describe_gpu_object,
              [&](auto function, dlcert_error* failure) {
                return function(self(), object.handle(), &is_gpu, &is_sparse, failure);
              });
  if (error) return *error;
  return GpuObjectKind{is_gpu != 0, is_sparse != 0};
}

Outcome<std::monostate> GpuRuntime::convert(const GpuObject& object, const char* type) const {
  Act act{[&] { return shown(fmt::format("{}.convert_gpu_object({})", label(), type)); }};
  const auto error = call_of(runtime_group(party()), act, &dlcert_runtime_group::convert_gpu_object,
                             [&](auto function, dlcert_error* failure) {
                               return function(self(), object.handle(), type, failure);
                             });
  if (error) return *error;
  return std::monostate{};
}

template <>
void Guard::drop() {
  if (const dlcert_runtime_group* const functions = runtime_group(*party_);
      offered(functions, &dlcert_runtime_group::drop_guard))
    across([&] { functions->drop_guard(party_->table().self, handle_); });
}

template <>
void GpuObject::drop() {
  if (const dlcert_runtime_group* const functions = runtime_group(*party_);
      offered(functions, &dlcert_runtime_group::drop_gpu_object))
    across([&] { functions->drop_gpu_object(party_->table().self, handle_); });
}

}  // namespace dlcert
