// SPDX-License-Identifier: Apache-2.0

#include "testbench/exports.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include <dlcert/suite/evidence.hpp>
#include <dlcert/suite/python_party.hpp>
#include <dlcert/suite/trace.hpp>

#include "testbench/facts.hpp"
#include "testbench/judged_exports.hpp"
#include "testbench/placed.hpp"
#include "testbench/python.hpp"

namespace dlcert::testbench {

std::optional<dlcert_managed> managed_inside(const Capsule& capsule) {
  const auto name = capsule.name();
  if (!name) return std::nullopt;
  for (const Form form : {Form::legacy, Form::versioned})
    if (*name == live_name(form))
      return dlcert_managed{form == Form::legacy ? DLCERT_LEGACY : DLCERT_VERSIONED, 0,
                            capsule.pointer(live_name(form))};
  return std::nullopt;
}

void call_deleter(dlcert_managed managed) {
  Managed{managed}.release();
}

TensorSpec described_spec(const Managed& managed) {
  const DLTensor& tensor = managed.tensor();
  // More axes than any tensor that a library is given or asked for.
  constexpr std::int32_t most = 1024;
  owned_by("abi.ndim.nonnegative", [&] {
    expect_field(managed, tensor.ndim >= 0, "exported.dl_tensor.ndim >= 0",
                 "rank: expected 0 or more but found {}", tensor.ndim);
  });
  owned_by("abi.layout.dltensor", [&] {
    expect_field(managed, tensor.ndim <= most, "exported.dl_tensor.ndim <= 1024",
                 "rank: expected {} or less but found {}", most, tensor.ndim);
  });
  const auto rank = static_cast<std::size_t>(tensor.ndim);
  owned_by("abi.shape.nonnull-when-ranked", [&] {
    expect_field(managed, rank == 0 || tensor.shape != nullptr, "exported.dl_tensor.shape != NULL",
                 "shape: expected {} extents but found NULL", rank);
  });
  TensorSpec spec;
  spec.dtype = {tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes};
  spec.device = device_of(managed);
  if (rank != 0) spec.shape.assign(tensor.shape, tensor.shape + rank);
  if (rank != 0 && tensor.strides != nullptr)
    spec.strides.assign(tensor.strides, tensor.strides + rank);
  else
    spec.strides = row_major_strides(spec.shape);
  if ((managed.flags() & DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED) != 0 && spec.dtype.bits < 8)
    spec.flags |= DLCERT_SPEC_SUBBYTE_PADDED;
  return spec;
}

namespace {

// A program can read them too, in Python if they are whole bytes.
void tell_gathered(const Managed& managed, const Bytes& elements) {
  TraceSink* const sink = trace();
  if (sink == nullptr) return;
  const bool in_c = sink->language() == Language::c;
  const std::string name = trace_name(managed.raw().pointer);
  const bool on_device = needs_driver(device_of(managed));
  if (name == "unknown" || (in_c ? on_device : managed.tensor().dtype.bits < 8)) return;
  const std::string_view part = on_device ? "elements_on_device" : "elements";
  sink->event({}, to_line({.kind = ProgramStep::Kind::question,
                           .code = fmt::format("{}({})", part, name),
                           .type = "judge_text"}));
  sink->event({}, to_line({.kind = ProgramStep::Kind::answered, .code = to_literal(elements)}));
}

}  // namespace

Bytes gather_exported(const Managed& managed) {
  const TensorSpec spec = described_spec(managed);
  owned_by("abi.shape.nonnegative", [&] {
    for (const std::int64_t extent : spec.shape)
      expect_field(managed, extent >= 0, "has_no_negative_extent(&exported.dl_tensor)",
                   "extent: expected 0 or more but found {}", extent);
  });
  Bytes elements = elements_at(spec, managed.first_element());
  tell_gathered(managed, elements);
  return elements;
}

bool gathers(const Managed& managed, const Bytes& logical) {
  try {
    return gather_exported(managed) == logical;
  } catch (const Failure&) {
    return false;
  }
}

dlcert_device device_of(const Managed& managed) {
  const DLDevice device = managed.tensor().device;
  return {device.device_type, device.device_id};
}

bool says_copied(const Managed& managed) {
  return (managed.flags() & DLPACK_FLAG_BITMASK_IS_COPIED) != 0;
}

bool copy_needs_flag(const Party& producer, const Managed& managed) {
  return managed.versioned() && producer.offers(Needs{} | Can::export_capsule);
}

void change_first_element(const Managed& managed) {
  if (TraceSink* const sink = trace()) {
    const std::string name = trace_name(managed.raw().pointer);
    const std::string text = fmt::format("the first bit of the elements of {} changes", name);
    if (name == "unknown")
      tell_step(*sink, text, fmt::format("/* {} */", text),
                {.kind = ProgramStep::Kind::missing, .code = text});
    else
      tell_step(
          *sink, text,
          fmt::format("((unsigned char*)view_of({0})->data)[view_of({0})->byte_offset] ^= 1;",
                      name),
          {.kind = ProgramStep::Kind::own,
           .code = fmt::format("ctypes.c_uint8.from_address(first_element({})).value ^= 1", name)});
  }
  auto* const first = const_cast<std::byte*>(managed.first_element());
  if (!needs_driver(device_of(managed))) {
    *first ^= std::byte{1};
    return;
  }
  const TensorSpec spec = described_spec(managed);
  Bytes logical = elements_at(spec, first);
  logical.front() ^= std::byte{1};
  write_elements_at(spec, first, logical);
}

void expect_dtype(const Managed& managed, dlcert_dtype dtype, std::string_view what) {
  const DLDataType& raw = managed.tensor().dtype;
  const dlcert_dtype found{raw.code, raw.bits, raw.lanes};
  owned_by(owners_of_dtype(dtype, found), [&] {
    in_fields(
        managed, [&] { expect_equal(what, dtype, found); },
        "exported.dl_tensor.dtype.code == {} && exported.dl_tensor.dtype.bits == {} && "
        "exported.dl_tensor.dtype.lanes == {}",
        dtype.code, dtype.bits, dtype.lanes);
  });
}

void expect_device(const Managed& managed, dlcert_device device, std::string_view what) {
  const dlcert_device found = device_of(managed);
  owned_by(owners_of_device(device, found), [&] {
    in_fields(
        managed, [&] { expect_equal(what, device, found); },
        "(int32_t)exported.dl_tensor.device.device_type == {} && "
        "exported.dl_tensor.device.device_id == {}",
        device.type, device.id);
  });
}

void expect_major_1(const Managed& managed) {
  owned_by(owners_of_version(managed.version()), [&] {
    expect_field_equal(managed, "major version", "exported.version.major", 1u,
                       managed.version().major);
  });
}

void expect_index_0(const Managed& managed) {
  owned_by("abi.device.id-zero-for-host", [&] {
    expect_field_equal(managed, "device index in the descriptor",
                       "exported.dl_tensor.device.device_id", 0, managed.tensor().device.device_id);
  });
}

void expect_shape(const Managed& managed, const std::vector<std::int64_t>& shape,
                  std::string_view what) {
  const TensorSpec described = described_spec(managed);
  if (described.shape == shape) return;
  owned_by("abi.shape.extent-array", [&] {
    seen_by([&] { return judged_shape(managed, shape); },
            [&] {
              in_fields(
                  managed, [&] { fail_equal(what, to_text(shape), to_text(described.shape)); },
                  "shape_is(&exported.dl_tensor, {}, {})", shape.size(), c_array(shape));
            });
  });
}

namespace {

// Where the first element is right and another is not, strides lead to the wrong place.
Owners owners_of_difference(const Managed& managed, const Bytes& expected, const Bytes& found) {
  const TensorSpec spec = described_spec(managed);
  const std::size_t size = logical_item_size(spec.dtype);
  const bool first_is_right =
      spec.dtype.bits >= 8 && found.size() == expected.size() && found.size() > size &&
      std::equal(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(size),
                 expected.begin());
  if (first_is_right) return {"abi.strides.element-units"};
  return owners_of_elements(spec.dtype, expected, found);
}

}  // namespace

void expect_gathered(const Managed& managed, const Bytes& logical, std::string_view what) {
  const Bytes found = gather_exported(managed);
  if (found == logical) return;
  owned_by(owners_of_difference(managed, logical, found),
           [&] { in_elements(managed, logical, [&] { expect_equal(what, logical, found); }); });
}

void expect_elements(const Managed& managed, const Bytes& logical) {
  expect_gathered(managed, logical);
  note_found(Role::producer, logical);
}

void expect_describes(const Managed& managed, const TensorSpec& spec, const Bytes& logical) {
  expect_dtype(managed, spec.dtype);
  expect_device(managed, spec.device);
  expect_shape(managed, spec.shape);
  expect_elements(managed, logical);
}

Source make_source(Case& c, TensorSpec spec) {
  Bytes logical = draw_logical(c.draw, spec);
  Tensor tensor = require(c.producer.create(spec, logical), "creation of a claimed tensor");
  return {std::move(spec), std::move(logical), std::move(tensor)};
}

Source draw_source(Case& c, const SpecBounds& bounds) {
  return make_source(c, draw_spec(c.draw, c.producer, bounds));
}

namespace {

TensorSpec state_spec(std::int32_t state, dlcert_dtype dtype) {
  TensorSpec spec = compact_spec(dtype, {3});
  spec.state = state;
  return spec;
}

}  // namespace

Source draw_hardly_exportable(Case& c) {
  const TensorSpec states[] = {state_spec(DLCERT_STATE_BYTE_SWAPPED, {0, 32, 1}),
                               state_spec(DLCERT_STATE_EXTENDED_FLOAT, {2, 128, 1}),
                               state_spec(DLCERT_STATE_BFLOAT_COMPLEX, {5, 32, 1}),
                               state_spec(DLCERT_STATE_RECORD, {1, 64, 4})};
  const TensorSpec& state = c.draw.one_of(states);
  if (!c.draw.flip() || !c.producer.can(state)) return draw_source(c, {.read_only = true});
  const Bytes zeros(static_cast<std::size_t>(state.element_count()) *
                    logical_item_size(state.dtype));
  return {state, zeros, require(c.producer.create(state, zeros), "creation of a claimed tensor")};
}

bool plain(const TensorSpec& spec) {
  return spec.state == DLCERT_STATE_PLAIN && spec.flags == 0 && spec.contiguous();
}

void Exported::release() {
  if (capsule_) managed_ = Managed{give_up()};
  managed_.release();
}

dlcert_managed Exported::give_up() {
  const dlcert_managed managed = managed_.give_up();
  if (capsule_) {
    capsule_.set_name(used_name(managed.form == DLCERT_LEGACY ? Form::legacy : Form::versioned));
    capsule_.drop();
  }
  return managed;
}

namespace {

Outcome<Exported> export_in_capsule(const Party& producer, const Tensor& tensor,
                                    const dlcert_request& request) {
  auto capsule = producer.export_capsule(tensor, request);
  if (!capsule.ok()) return capsule.error();
  const auto inside = managed_inside(capsule.value());
  const auto name = capsule.value().name();
  const bool is_named = name && !name->empty();
  owned_by(is_named ? Owners{"capsule.name.versioned", "capsule.name.legacy"}
                    : Owners{"protocol.dlpack.returns-capsule"},
           [&] {
             expect(inside.has_value(), "capsule name: expected a live name but found \"{}\"",
                    name.value_or("(none)"));
           });
  owned_by("protocol.dlpack.returns-capsule", [&] {
    expect(inside->pointer != nullptr, "capsule pointer: expected a managed tensor but found NULL");
  });
  return Exported{std::move(capsule).value(), *inside};
}

}  // namespace

std::vector<Wrapping> wrappings(const Party& producer) {
  std::vector<Wrapping> found;
  if (producer.offers(Needs{} | Can::export_managed)) found.push_back(Wrapping::bare);
  if (producer.offers(Needs{} | Can::any_capsule)) found.push_back(Wrapping::capsule);
  if (found.empty()) throw NotClaimed{"an export function"};
  return found;
}

Wrapping draw_wrapping(Case& c) {
  return c.draw.one_of(wrappings(c.producer));
}

Outcome<Exported> export_by(Wrapping wrapping, const Party& producer, const Tensor& tensor,
                            const dlcert_request& request) {
  if (wrapping == Wrapping::capsule) return export_in_capsule(producer, tensor, request);
  auto managed = producer.export_managed(tensor, request);
  if (!managed.ok()) return managed.error();
  return Exported{std::move(managed).value()};
}

dlcert_request request_for(Form form) {
  if (form == Form::legacy) return request();
  return request_version(own_version.major, own_version.minor);
}

namespace {

bool try_plain_export(const Party& producer, Wrapping wrapping, Form form) {
  const TraceAside aside;  // a trial is no part of the case that is being described
  const std::optional<TensorSpec> spec = plain_spec(producer);
  if (!spec) return false;
  const Bytes zeros(static_cast<std::size_t>(spec->element_count()) *
                    logical_item_size(spec->dtype));
  try {
    auto tensor = producer.create(*spec, zeros);
    if (!tensor.ok()) return false;
    auto exported = export_by(wrapping, producer, tensor.value(), request_for(form));
    return exported.ok() && exported.value().managed().versioned() == (form == Form::versioned);
  } catch (const NotFormable&) {
    return false;
  }
}

}  // namespace

bool exports_plain(const Party& producer, Wrapping wrapping, Form form) {
  // Every adapter's table lives as long as the process calls it.
  static std::mutex mutex;
  static std::map<std::tuple<const dlcert_adapter*, Wrapping, Form>, bool> known;
  const std::lock_guard lock{mutex};
  const std::tuple key{&producer.table(), wrapping, form};
  if (const auto found = known.find(key); found != known.end()) return found->second;
  return known.try_emplace(key, try_plain_export(producer, wrapping, form)).first->second;
}

namespace {

bool try_asking_for_version(const Party& producer) {
  const TraceAside aside;
  const std::optional<TensorSpec> spec = plain_spec(producer);
  if (!spec) return true;
  const Bytes zeros(static_cast<std::size_t>(spec->element_count()) *
                    logical_item_size(spec->dtype));
  try {
    auto tensor = producer.create(*spec, zeros);
    if (tensor.ok()) producer.export_capsule(tensor.value(), request_for(Form::versioned));
    return true;
  } catch (const NotFormable&) {
    return false;
  }
}

}  // namespace

bool can_ask_for_version(const Party& producer) {
  static std::mutex mutex;
  static std::map<const dlcert_adapter*, bool> known;
  const std::lock_guard lock{mutex};
  const auto found = known.find(&producer.table());
  if (found != known.end()) return found->second;
  return known.try_emplace(&producer.table(), try_asking_for_version(producer)).first->second;
}

void touched_if_exports_plain(Case& c, Wrapping wrapping, Form form) {
  if (exports_plain(c.producer, wrapping, form)) return c.touched();
  if (!plain_spec(c.producer)) throw NoTensorClaimed{"a plain tensor on the host"};
  c.declined("refuses to export plain tensors too");
}

Outcome<Exported> export_tensor(Case& c, const Tensor& tensor, const dlcert_request& request) {
  return export_by(draw_wrapping(c), c.producer, tensor, request);
}

Exported export_or_skip(Case& c, const Tensor& tensor, const dlcert_request& request,
                        std::string_view what) {
  auto exported = export_tensor(c, tensor, request);
  if (!exported.ok()) throw NotClaimed{what};
  return std::move(exported).value();
}

std::optional<Outcome<Exported>> try_export(Wrapping wrapping, const Party& producer,
                                            const Tensor& tensor, const dlcert_request& request) {
  try {
    return export_by(wrapping, producer, tensor, request);
  } catch (const NotFormable&) {
    return std::nullopt;
  }
}

namespace {

std::array<dlcert_request, 2> plain_requests(Draw& draw) {
  const std::array both{request_for(Form::versioned), request_for(Form::legacy)};
  return draw.flip() ? std::array{both[1], both[0]} : both;
}

// Returns whether the legacy form lacks a flag that this tensor needs: then a producer may refuse
// to export it in that form (sharing.read-only-legacy-export).
bool needs_a_version(const Party& producer, const Tensor& tensor) {
  if (!producer.offers(Needs{} | Can::describe)) return false;
  auto described = producer.describe(tensor);
  return described.ok() && (described.value().read_only || sub_byte(described.value().dtype));
}

}  // namespace

namespace {

bool returns_no_capsule(const Party& producer, const Tensor& tensor) {
  if (!producer.offers(exporting_in_python)) return false;
  auto type = type_of_export(producer, tensor);
  return type.ok() && type.value() != "PyCapsule";
}

// Returns the requirement that is about what was refused: an export that is no capsule, data that
// only a versioned tensor can describe, or a type that every library has.
Owners owners_of_refusal(const Party& producer, const Tensor& tensor) {
  if (returns_no_capsule(producer, tensor)) return {"protocol.dlpack.returns-capsule"};
  if (needs_a_version(producer, tensor)) return {"lifetime.legacy-both-supported"};
  if (!producer.offers(Needs{} | Can::describe)) return {};
  auto described = producer.describe(tensor);
  if (!described.ok()) return {};
  const dlcert_dtype dtype = described.value().dtype;
  const bool standard =
      std::ranges::any_of(standard_dtypes, [&](const dlcert_dtype& one) { return one == dtype; });
  return standard ? Owners{"protocol.dtypes.standard-set"} : Owners{};
}

}  // namespace

Exported export_either(Case& c, const Tensor& tensor) {
  const Wrapping wrapping = draw_wrapping(c);
  std::optional<Error> refusal;
  bool asked_for_version = false;
  for (const dlcert_request& request : plain_requests(c.draw)) {
    auto exported = try_export(wrapping, c.producer, tensor, request);
    if (exported && exported->ok()) return std::move(*exported).value();
    if (!exported) continue;
    refusal = exported->error();
    asked_for_version = asked_for_version || request.max_version.tag == DLCERT_PAIR;
  }
  if (!refusal) throw NotFormable{};
  if (!asked_for_version && needs_a_version(c.producer, tensor))
    throw NotClaimed{"a legacy export of what that form cannot say"};
  Failure failure{
      fmt::format("export of a claimed tensor: expected success but found {}", to_text(*refusal)),
      {},
      {}};
  for (const std::string_view owner : owners_of_refusal(c.producer, tensor))
    failure.owners.emplace_back(owner);
  tell_judged({.by = Judgement::By::success});
  throw failure;
}

}  // namespace dlcert::testbench
