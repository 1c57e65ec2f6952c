// SPDX-License-Identifier: Apache-2.0
#include "spy/offer_text.hpp"

#include <array>

#include <dlcert/suite/recording.hpp>

#include "party/act.hpp"
#include "party/python_source.hpp"

namespace dlcert {

namespace {

struct Names {
  const char* text;  // empty: the ordinary case, not worth a word
  const char* symbol;
};

constexpr std::array<std::string_view, 3> dlpack_flags{
    "DLPACK_FLAG_BITMASK_READ_ONLY", "DLPACK_FLAG_BITMASK_IS_COPIED",
    "DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED"};

constexpr std::array<Names, 4> data_names{{{"", "OFFER_STORAGE"},
                                           {" data=NULL", "OFFER_NULL"},
                                           {" data=unmapped", "OFFER_UNMAPPED"},
                                           {" data=elsewhere", "OFFER_UNMAPPED"}}};
constexpr std::array<Names, 2> deleter_names{
    {{"", "OFFER_COUNTED"}, {" deleter=NULL", "OFFER_NO_DELETER"}}};
constexpr std::array<Names, 3> context_names{
    {{"", "OFFER_OWN_CONTEXT"},
     {" manager_ctx=NULL", "OFFER_NO_CONTEXT"},
     {" manager_ctx=unreadable", "OFFER_UNREADABLE_CONTEXT"}}};
constexpr std::array<Names, 4> protection_names{
    {{"", "OFFER_WRITABLE"},
     {" on read-only storage", "OFFER_READ_ONLY_DATA"},
     {" on read-only pages", "OFFER_READ_ONLY_ALL"},
     {" with all members after flags inaccessible", "OFFER_SEALED_TAIL"}}};

template <std::size_t N, typename Enum>
const Names& named(const std::array<Names, N>& names, Enum value) {
  return names[static_cast<std::size_t>(value)];
}

std::string array_text(const std::optional<std::vector<std::int64_t>>& values) {
  return values ? to_text(*values) : "NULL";
}

// The program takes an array to have ndim entries unless a field says its length; C has no empty
// arrays.
std::string array_fields(const char* name, const std::optional<std::vector<std::int64_t>>& values,
                         std::int32_t ndim) {
  if (!values) return {};
  const bool none = values->empty();
  std::string fields = fmt::format(", .{} = {}", name, none ? "LIST(0)" : c_extents(*values));
  if (std::ssize(*values) != ndim)
    fields += fmt::format(", .{}_length = {}", name, none ? -1 : std::ssize(*values));
  return fields;
}

}  // namespace

std::string offer_text(const Descriptor& d, const Bytes& storage) {
  std::string out = fmt::format(
      "offer({} {} {} ndim={} shape={} strides={}", d.form == Form::legacy ? "legacy" : "versioned",
      to_text(d.dtype), to_text(d.device), d.ndim, array_text(d.shape), array_text(d.strides));
  if (d.form == Form::versioned)
    out += fmt::format(" flags={:#x} version={}.{}", d.flags, d.version.major, d.version.minor);
  if (d.byte_offset != 0) out += fmt::format(" byte_offset={}", d.byte_offset);
  if (d.data_offset != 0) out += fmt::format(" data=storage+{}", d.data_offset);
  out += named(data_names, d.data).text;
  out += named(deleter_names, d.deleter).text;
  out += named(context_names, d.context).text;
  out += fmt::format(" storage={}", to_text(storage));
  out += named(protection_names, d.protection).text;
  return out + ")";
}

std::string offer_expression(const Descriptor& d, const Bytes& storage) {
  std::string out = "offer(OFFER(.form = DLCERT_LEGACY";
  if (d.form == Form::versioned) {
    out = fmt::format("offer(OFFER(.form = DLCERT_VERSIONED, .major = {}, .minor = {}",
                      d.version.major, d.version.minor);
    if (d.flags != 0) out += fmt::format(", .flags = {}", c_flags(d.flags, dlpack_flags));
  }
  out += fmt::format(", .dtype = {{{}, {}, {}}}, .device = {{{}, {}}}, .ndim = {}", d.dtype.code,
                     d.dtype.bits, d.dtype.lanes, d.device.type, d.device.id, d.ndim);
  out += array_fields("shape", d.shape, d.ndim) + array_fields("strides", d.strides, d.ndim);
  if (d.byte_offset != 0) out += fmt::format(", .byte_offset = {}u", d.byte_offset);
  if (d.data_offset != 0) out += fmt::format(", .data_offset = {}", d.data_offset);
  // The first value of each is what a member has that is not named.
  const auto add = [&](std::string_view member, const Names& value) {
    if (*value.text != '\0') out += fmt::format(", .{} = {}", member, value.symbol);
  };
  add("data", named(data_names, d.data));
  add("deleter", named(deleter_names, d.deleter));
  add("context", named(context_names, d.context));
  add("protection", named(protection_names, d.protection));
  return out + fmt::format("), {})", c_bytes(storage));
}

ProgramStep offer_python(const Descriptor& d, const Bytes& storage) {
  // Where data lies elsewhere on the host, whoever made that memory tells.
  const bool on_device = d.data == Descriptor::Data::device && d.device.type != kDLCPU;
  const bool sealed = d.protection == Protection::sealed_tail;
  const std::string memory = on_device ? trace_name(d.device_memory) : std::string{};
  const bool shown = (d.protection == Protection::none || sealed) && memory != "unknown" &&
                     memory != "NULL" && d.context != Descriptor::Context::unreadable;
  if (!shown) return python::missing();
  std::string code =
      fmt::format("offer({}, {}, dtype={}, device={}, shape={}, strides={}, ndim={}",
                  d.form == Form::legacy ? "DLManagedTensor" : "DLManagedTensorVersioned",
                  python::bytes(storage), python::tuple(d.dtype), python::tuple(d.device),
                  python::list(d.shape), python::list(d.strides), d.ndim);
  if (d.byte_offset != 0) code += fmt::format(", byte_offset={}", d.byte_offset);
  if (d.data == Descriptor::Data::storage && d.data_offset != 0)
    code += fmt::format(", data_at={}", d.data_offset);
  if (d.form == Form::versioned) {
    code += fmt::format(", version=({}, {})", d.version.major, d.version.minor);
    if (d.flags != 0) code += fmt::format(", flags={}", d.flags);
  }
  if (on_device) code += ", data=" + memory;
  if (on_device && d.data_offset != 0) code += fmt::format(" + {}", d.data_offset);
  if (d.data == Descriptor::Data::null) code += ", data=None";
  if (d.data == Descriptor::Data::unmapped) code += ", data=4096";
  if (d.deleter == Descriptor::Deleter::null) code += ", deleter=None";
  if (d.context == Descriptor::Context::null) code += ", manager_ctx=None";
  code += ")";
  return sealed ? python::own(fmt::format("sealed({})", code)) : python::own(std::move(code));
}

}  // namespace dlcert
