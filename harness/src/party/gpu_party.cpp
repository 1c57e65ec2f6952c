// SPDX-License-Identifier: Apache-2.0
//
// The calls of devices, runtime and telemetry that take more than plain arguments, and what a party
// owns for the harness.
#include <fmt/ranges.h>

#include <cstring>
#include <deque>
#include <exception>
#include <mutex>

#include <dlcert/suite/gpu_party.hpp>

#include "party/bodies.hpp"
#include "party/calls.hpp"

namespace dlcert {

namespace {

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

// `texts` as they cross the ABI; they must outlive it.
class CrossingTexts {
 public:
  explicit CrossingTexts(const std::vector<std::string>& texts) {
    pointers_.reserve(texts.size());
    for (const std::string& text : texts)
      pointers_.push_back(text.c_str());
  }
  dlcert_texts c() const { return {pointers_.data(), pointers_.size()}; }

 private:
  std::vector<const char*> pointers_;
};

}  // namespace

void rethrow_from_body() {
  std::exception_ptr taken;
  {
    const std::lock_guard lock{bodies_mutex};
    taken = std::exchange(thrown_by_body, nullptr);
  }
  if (taken) std::rethrow_exception(taken);
}

std::string to_text(const Capability& capability) {
  return fmt::format("({}, {})", capability.major, capability.minor);
}

bool operator==(const dlcert_runtime_stream& a, const dlcert_runtime_stream& b) {
  return a.id == b.id && a.device_index == b.device_index && a.device_type == b.device_type &&
         a.handle == b.handle;
}

Outcome<std::vector<std::int64_t>> GpuDevices::uuids_to_ordinals(
    const std::vector<std::string>& identifiers, const std::vector<std::string>& uuids) const {
  const std::string text = fmt::format("uuids_to_ordinals([{}] among [{}])",
                                       fmt::join(identifiers, ", "), fmt::join(uuids, ", "));
  return call_as<std::vector<std::int64_t>>(text, "uuids_to_ordinals", &Group::uuids_to_ordinals,
                                            CrossingTexts{identifiers}.c(),
                                            CrossingTexts{uuids}.c());
}

Outcome<std::monostate> GpuRuntime::behave_as(const Build& build) const {
  const std::string text = fmt::format(
      "behave_as(gpu={}, runtime_bindings={}, linear_algebra={}, management_bindings={}, "
      "architecture_flags=\"{}\")",
      build.gpu, build.runtime_bindings, build.linear_algebra, build.management_bindings,
      build.architecture_flags);
  const auto flag = [](bool set, std::uint32_t bit) { return set ? bit : 0; };
  dlcert_build raw{};
  raw.struct_size = sizeof(raw);
  raw.flags = flag(build.gpu, DLCERT_BUILD_GPU) |
              flag(build.runtime_bindings, DLCERT_BUILD_RUNTIME_BINDINGS) |
              flag(build.linear_algebra, DLCERT_BUILD_LINEAR_ALGEBRA);
  raw.management_bindings = build.management_bindings;
  raw.architecture_flags = build.architecture_flags.c_str();
  return call_as<std::monostate>(text, "behave_as", &Group::behave_as, &raw);
}

Outcome<std::monostate> GpuRuntime::queue(std::int32_t kind, QueuedBody call) const {
  static std::deque<QueuedBody> kept;  // a queue may keep a call for as long as the process lives
  const std::string text = fmt::format("queue(kind {}, a call)", kind);
  QueuedBody* body = nullptr;
  {
    const std::lock_guard lock{bodies_mutex};
    body = &kept.emplace_back(std::move(call));
  }
  return call_as<std::monostate>(text, "queue", &Group::queue, kind, &run_body, body);
}

Outcome<std::monostate> GpuRuntime::with_guard(const Guard& guard, const QueuedBody& body) const {
  const struct {
    std::string_view label;
    std::string text() const { return fmt::format("{}: the guard ends", label); }
  } left{party().label()};
  const auto* const group = group_of(party().table(), &dlcert_adapter::gpu_runtime);
  const auto invoke = [&](dlcert_error* error) {
    return group->with_guard(self(), guard.handle(), &run_body, const_cast<QueuedBody*>(&body),
                             error);
  };
  auto error =
      make("with_guard: the next lines are inside the guard", offered(group, &Group::with_guard),
           library_call::Invoke{invoke}, library_call::Tell{left});
  if (error) return *std::move(error);
  return std::monostate{};
}

Outcome<GpuObjectKind> GpuRuntime::describe(const GpuObject& object) const {
  return call_as<GpuObjectKind>("describe_gpu_object()", "describe_gpu_object",
                                &Group::describe_gpu_object, object.handle());
}

Outcome<std::monostate> GpuRuntime::convert(const GpuObject& object, const char* type) const {
  return call_as<std::monostate>(fmt::format("convert_gpu_object({})", type), "convert_gpu_object",
                                 &Group::convert_gpu_object, object.handle(), type);
}

template <>
void Guard::drop() {
  const dlcert_adapter& table = party_->table();
  if (const auto* const group = group_of(table, &dlcert_adapter::gpu_runtime);
      offered(group, &dlcert_runtime_group::drop_guard))
    across([&] { group->drop_guard(table.self, handle_); });
}

template <>
void GpuObject::drop() {
  const dlcert_adapter& table = party_->table();
  if (const auto* const group = group_of(table, &dlcert_adapter::gpu_runtime);
      offered(group, &dlcert_runtime_group::drop_gpu_object))
    across([&] { group->drop_gpu_object(table.self, handle_); });
}

}  // namespace dlcert
