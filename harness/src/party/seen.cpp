// SPDX-License-Identifier: Apache-2.0
//
// Answers as the stand-alone program writes them (standalone/calls.c): plain numbers, no addresses.
#include <dlpack/dlpack.h>

#include <vector>

#include "party/act.hpp"
#include "party/foreign_memory.hpp"

namespace dlcert {
namespace {

std::string list_text(const std::int64_t* values, std::int32_t count) {
  constexpr std::int32_t most = 64;
  if (values == nullptr) return "NULL";
  if (count < 0 || count > most) return "unread";
  std::vector<std::int64_t> copy(static_cast<std::size_t>(count));
  if (!read_if_there(values, copy.data(), copy.size() * sizeof(std::int64_t))) return "unread";
  return fmt::format("[{}]", fmt::join(copy, ", "));
}

std::string kind_text(dlcert_dtype dtype, dlcert_device device) {
  return fmt::format("dtype ({}, {}, {}) device ({}, {})", dtype.code, dtype.bits, dtype.lanes,
                     device.type, device.id);
}

std::string view_text(const DLTensor& view) {
  return fmt::format("{} ndim {} shape {} strides {} offset {} data {}",
                     kind_text({view.dtype.code, view.dtype.bits, view.dtype.lanes},
                               {view.device.device_type, view.device.device_id}),
                     view.ndim, list_text(view.shape, view.ndim),
                     list_text(view.strides, view.ndim), view.byte_offset,
                     view.data == nullptr ? "NULL" : "set");
}

}  // namespace

std::string seen(const Description& description) {
  const auto list = [](const std::vector<std::int64_t>& values) {
    return fmt::format("[{}]", fmt::join(values, ", "));
  };
  return fmt::format("{} shape {} strides {} flags {}",
                     kind_text(description.dtype, description.device), list(description.shape),
                     description.strides ? list(*description.strides) : "NULL",
                     description.read_only ? "read-only" : "none");
}

std::string seen(dlcert_managed managed) {
  if (managed.form == DLCERT_VERSIONED) {
    const auto head = read_struct<DLManagedTensorVersioned>(managed.pointer);
    if (!head) return "unread";
    return fmt::format("versioned {}.{} flags {} deleter {} {}", head->version.major,
                       head->version.minor, head->flags, head->deleter == nullptr ? "NULL" : "set",
                       view_text(head->dl_tensor));
  }
  const auto head = read_struct<DLManagedTensor>(managed.pointer);
  if (!head) return "unread";
  return fmt::format("legacy deleter {} {}", head->deleter == nullptr ? "NULL" : "set",
                     view_text(head->dl_tensor));
}

}  // namespace dlcert
