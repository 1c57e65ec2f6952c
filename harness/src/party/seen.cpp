// SPDX-License-Identifier: Apache-2.0
//
// Answers as the stand-alone program writes them (standalone/calls.c): plain numbers, no addresses.
#include <dlpack/dlpack.h>
#include <sys/uio.h>
#include <unistd.h>

#include <optional>
#include <vector>

#include "party/act.hpp"

namespace dlcert {
namespace {

// Reads what may not be there: a library's structures, while one of its failures is described.
bool read_if_there(const void* from, void* to, std::size_t size) {
  const iovec local{to, size};
  const iovec remote{const_cast<void*>(from), size};
  return ::process_vm_readv(::getpid(), &local, 1, &remote, 1, 0) == static_cast<ssize_t>(size);
}

template <typename Struct>
std::optional<Struct> read_struct(const void* from) {
  Struct value;
  if (!read_if_there(from, &value, sizeof(value))) return std::nullopt;
  return value;
}

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
