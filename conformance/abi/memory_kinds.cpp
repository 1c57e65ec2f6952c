// SPDX-License-Identifier: Apache-2.0
//
// The code of a device against the memory that it names: of exports, however they were asked for,
// and of what a consumer says and hands on of imports.
#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "registration.hpp"
#include "testbench/device_session.hpp"
#include "testbench/exports.hpp"
#include "testbench/stream_export.hpp"
#include "testbench/stream_import.hpp"

namespace dlcert::abi {

DLCERT_FAMILY(memory_kinds)

namespace {

using driver::MemoryKind;
using testbench::consuming;
using testbench::DeviceSession;
using testbench::DeviceSource;
using testbench::export_or_skip;
using testbench::Exported;
using testbench::producing;
using testbench::StreamImport;

// Codes that one rule is about.
enum class Codes : std::uint8_t { base, later };

MemoryKind draw_kind(Case& c, const DeviceSession& session) {
  constexpr std::array on_cuda{MemoryKind::pinned, MemoryKind::managed, MemoryKind::device};
  constexpr std::array on_rocm{MemoryKind::pinned, MemoryKind::device};
  return session.rocm() ? c.draw.one_of(on_rocm) : c.draw.one_of(on_cuda);
}

std::string_view text_of(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::pageable:
      return "pageable memory of the host";
    case MemoryKind::device:
      return "memory of a device";
    case MemoryKind::pinned:
      return "pinned memory";
    case MemoryKind::managed:
      return "managed memory";
  }
  return {};
}

// Kinds of memory that a code can name; those of the other vendor name none here. Pinned and
// managed memory may be called that of the host or of a GPU, which reach it too.
std::vector<MemoryKind> kinds_of(std::int32_t code, bool rocm) {
  switch (code) {
    case kDLCPU:
      return {MemoryKind::pageable, MemoryKind::pinned, MemoryKind::managed};
    case kDLCUDA:
    case kDLROCM:
      return {MemoryKind::device, MemoryKind::managed, MemoryKind::pinned};
    case kDLCUDAHost:
      if (rocm) return {};
      return {MemoryKind::pinned};
    case kDLROCMHost:
      if (!rocm) return {};
      return {MemoryKind::pinned};
    case kDLCUDAManaged:
      return {MemoryKind::managed};
    default:
      return {};
  }
}

constexpr bool is_of(Codes codes, std::int32_t code) {
  constexpr std::array base{kDLCPU, kDLCUDA, kDLCUDAHost, kDLROCM};
  constexpr std::array later{kDLROCMHost, kDLCUDAManaged};
  return codes == Codes::base ? std::ranges::count(base, code) != 0
                              : std::ranges::count(later, code) != 0;
}

// Returns the kind of the memory, which must be one that the code names.
MemoryKind judge(const DeviceSession& session, Codes codes, dlcert_device device,
                 const std::byte* first, std::string_view whose) {
  if (!is_of(codes, device.type)) throw NotClaimed{"memory under such a code"};
  driver::PointerAttributes owner;
  testbench::expect_done(session.driver(), session.driver().attributes(first, owner), "attributes");
  const std::vector<MemoryKind> allowed = kinds_of(device.type, session.rocm());
  const bool fits = std::ranges::count(allowed, owner.kind) != 0;
  expect(fits,
         "memory of {} under device ({}, {}): expected memory that this code names but found "
         "{}",
         whose, device.type, device.id, text_of(owner.kind));
  return owner.kind;
}

// ---- producers ----------------------------------------------------------------------------------

// For the tensor's own device, for the host, or a copy; a library may refuse some of them.
dlcert_request draw_asked_for(Case& c, dlcert_device own) {
  dlcert_request asked = testbench::request_on(c.draw, none());
  switch (c.draw.below(4)) {
    case 0:
      asked.dl_device = pair(own.type, own.id);
      break;
    case 1:
      asked.dl_device = pair(kDLCPU, 0);
      break;
    case 2:
      asked.copy = boolean(true);
      break;
    default:
      break;
  }
  return asked;
}

// What is asked for where the library's interface has it, else nothing.
Exported export_as_asked(Case& c, const Tensor& tensor, dlcert_device own) {
  constexpr std::string_view what = "export of this memory";
  try {
    return export_or_skip(c, tensor, draw_asked_for(c, own), what);
  } catch (const NotFormable&) {
    return export_or_skip(c, tensor, testbench::request_on(c.draw, none()), what);
  }
}

void judge_export(Case& c, Codes codes) {
  DeviceSession session{c};
  const int ordinal = session.draw_device();
  const dlcert_device own = session.device_of(draw_kind(c, session), ordinal);
  const DeviceSource device_source = testbench::make_device_source(c, session, own);
  session.on(ordinal, [&] {
    const Exported exported = export_as_asked(c, device_source.source.tensor, own);
    const dlcert_device device = testbench::device_of(exported.managed());
    const MemoryKind kind =
        judge(session, codes, device, exported.managed().first_element(), "an export");
    const bool named = device.type == kDLCUDA || device.type == kDLROCM;
    if (named && kind == MemoryKind::device)
      testbench::expect_own_number(session, device_source, exported.managed());
  });
}

DLCERT_CHECK(export_names_the_kind_of_its_memory,
             on_both_vendors(producer_check("abi.device.codes-base",
                                            "memory is of a kind that its code names, whatever was "
                                            "asked for",
                                            producing))) {
  judge_export(c, Codes::base);
}

DLCERT_CHECK(export_under_a_later_code_names_the_kind_of_its_memory,
             on_both_vendors(producer_check("abi.device.codes-host-managed",
                                            "memory under code 11 or 13 is of that kind, whatever "
                                            "was asked for",
                                            producing))) {
  judge_export(c, Codes::later);
}

// ---- consumers ----------------------------------------------------------------------------------

// What the consumer exports of an import; none where it exports nothing, or not this.
std::optional<Exported> handed_on(const Party& consumer, const Tensor& tensor) {
  if (!consumer.offers(Needs{} | Can::export_managed)) return std::nullopt;
  for (const Form form : {Form::versioned, Form::legacy}) {
    auto outcome = testbench::try_export(testbench::Wrapping::bare, consumer, tensor,
                                         testbench::request_for(form));
    if (outcome && outcome->ok()) return std::move(*outcome).value();
  }
  return std::nullopt;
}

void judge_import(Case& c, Codes codes) {
  DeviceSession session{c};
  const MemoryKind kind = draw_kind(c, session);
  const int ordinal = session.draw_device();
  std::optional<StreamImport> transfer;
  if (kind == MemoryKind::device)
    transfer.emplace(c, session, ordinal);
  else
    transfer.emplace(c, session, kind);
  transfer->order_nothing();
  session.on(ordinal, [&] { transfer->import_here(); });
  if (!transfer->accepted()) throw Declined{"such memory is refused"};
  const Description said = require(c.consumer.describe(transfer->tensor()), "describe");
  const auto exported =
      session.on(ordinal, [&] { return handed_on(c.consumer, transfer->tensor()); });
  if (exported && c.draw.flip()) {
    judge(session, codes, testbench::device_of(exported->managed()),
          exported->managed().first_element(), "an import that is handed on");
    return;
  }
  if (said.data == nullptr) throw NotClaimed{"an address of the elements"};
  judge(session, codes, said.device, said.data, "an import");
}

DLCERT_CHECK(import_is_said_to_be_what_its_memory_is,
             on_both_vendors(consumer_check("abi.device.codes-base",
                                            "imported memory is of a kind that its code names, to "
                                            "the library and where it is handed on",
                                            consuming))) {
  judge_import(c, Codes::base);
}

DLCERT_CHECK(import_under_a_later_code_is_what_its_memory_is,
             on_both_vendors(consumer_check("abi.device.codes-host-managed",
                                            "imported memory under code 11 or 13 is of that kind, "
                                            "to the library and where it is handed on",
                                            consuming))) {
  judge_import(c, Codes::later);
}

}  // namespace
}  // namespace dlcert::abi
