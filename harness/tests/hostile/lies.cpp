// SPDX-License-Identifier: Apache-2.0
//
// What a library says that is not so.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <utility>

#include "hostile.hpp"

namespace hostile {
namespace {

constexpr dlcert_status no_status = 7;

template <dlcert_status status>
dlcert_status create_gives(bool provoking, dlcert_tensor*&, dlcert_error&) {
  return provoking ? status : DLCERT_OK;
}

template <dlcert_status status>
dlcert_status describe_gives(bool provoking, dlcert_description&) {
  return provoking ? status : DLCERT_OK;
}

template <dlcert_status status>
dlcert_status read_gives(std::span<std::byte>) {
  return status;
}

template <dlcert_status status>
dlcert_status export_gives(dlcert_managed&) {
  return status;
}

template <dlcert_status status>
dlcert_status import_gives(DLManagedTensor&) {
  return status;
}

// Takes the tensor, and says that it has not.
template <dlcert_status status>
dlcert_status take_and_say(DLManagedTensor& managed) {
  managed.deleter(&managed);
  return status;
}

const dlcert_host* host = nullptr;

dlcert_status keep_host(const dlcert_host& given, dlcert_error&) {
  host = &given;
  return DLCERT_OK;
}

std::int64_t say_that_it_is_wrong(std::int64_t extent) {
  host->fault(host->context, "a typo in create");
  return extent;
}

constexpr int formed = 20;
bool prepared = false;

dlcert_status not_again() {
  static int calls = 0;
  return ++calls > formed ? DLCERT_NOT_FORMABLE : DLCERT_OK;
}

DLTensor& exported(dlcert_managed& managed) {
  return static_cast<DLManagedTensor*>(managed.pointer)->dl_tensor;
}

bool output_is_a_pipe() {
  struct stat status {};
  return fstat(STDOUT_FILENO, &status) == 0 && S_ISFIFO(status.st_mode);
}

Variants about_claims() {
  return {
      {"claims-nothing", {.can = [](const dlcert_tensor_spec&) { return false; }}},
      {"claims-no-more",
       {.can =
            [](const dlcert_tensor_spec& spec) {
              static int asked = 0;
              return spec.dtype.code != kDLFloat || spec.dtype.bits == 64 || ++asked <= formed;
            }}},
      {"cannot-form-again",
       {.on_create = [](bool provoking, dlcert_tensor*&, dlcert_error&) -> dlcert_status {
         static int made = 0;
         return provoking && ++made > formed ? DLCERT_NOT_FORMABLE : DLCERT_OK;
       }}},
      {"cannot-export-again", {.on_export = [](dlcert_managed&) { return not_again(); }}},
      {"cannot-import-again", {.on_import = [](DLManagedTensor&) { return not_again(); }}},
      {"cannot-form-it-elsewhere",  // than in a process that has formed others
       {.on_prepare = [] { prepared = true; },
        .on_create = [](bool, dlcert_tensor*& made, dlcert_error&) -> dlcert_status {
          const dlcert_dtype dtype = reinterpret_cast<Tensor*>(made)->dtype;
          const bool is_int32 = dtype.code == kDLInt && dtype.bits == 32;
          return is_int32 && !prepared ? DLCERT_NOT_FORMABLE : DLCERT_OK;
        }}},
      {"cannot-describe", {.on_describe = describe_gives<DLCERT_NOT_FORMABLE>}},
      {"never-formable", {.on_create = [](bool, dlcert_tensor*&, dlcert_error&) -> dlcert_status {
         return DLCERT_NOT_FORMABLE;
       }}},
      {"exports-never-formable", {.on_export = export_gives<DLCERT_NOT_FORMABLE>}},
      {"imports-never-formable", {.on_import = import_gives<DLCERT_NOT_FORMABLE>}},
      {"reads-never-formable", {.on_read = read_gives<DLCERT_NOT_FORMABLE>}},
      {"refuses-what-it-claims", {.on_create = create_gives<DLCERT_REFUSED>}},
      {"refuses-to-describe", {.on_describe = describe_gives<DLCERT_REFUSED>}},
      {"refuses-to-read", {.on_read = read_gives<DLCERT_REFUSED>}},
      {"refuses-to-export", {.on_export = export_gives<DLCERT_REFUSED>}},
      {"refuses-to-import", {.on_import = import_gives<DLCERT_REFUSED>}},
  };
}

template <bool (*refuses)(int nth)>
dlcert_status create_sometimes(bool provoking, dlcert_tensor*&, dlcert_error&) {
  static int nth = 0;
  return provoking && refuses(nth++) ? DLCERT_REFUSED : DLCERT_OK;
}

bool is_first(int nth) {
  return nth == 0;
}
bool is_early(int nth) {
  return nth < 2;
}
bool is_odd(int nth) {
  return nth % 2 == 1;
}

std::int64_t throw_at_first(std::int64_t extent) {
  static bool thrown = false;
  if (!std::exchange(thrown, true)) throw std::runtime_error("warming up");
  return extent;
}

Variants about_first_calls() {
  return {
      {"refuse-once-in-a-process", {.on_create = create_sometimes<is_first>}},
      {"refuse-twice-in-a-process", {.on_create = create_sometimes<is_early>}},
      {"refuse-every-second-time", {.on_create = create_sometimes<is_odd>}},
      {"throw-once-in-a-process", {.on_provoke = throw_at_first}},
  };
}

Variants about_calls() {
  return {
      {"no-status-of-create", {.on_create = create_gives<no_status>}},
      {"no-status-of-describe", {.on_describe = describe_gives<no_status>}},
      {"no-status-of-read", {.on_read = read_gives<no_status>}},
      {"no-status-of-export", {.on_export = export_gives<no_status>}},
      {"no-status-of-import", {.on_import = import_gives<no_status>}},
      {"nothing-made",
       {.on_create = [](bool provoking, dlcert_tensor*& made, dlcert_error&) -> dlcert_status {
         if (provoking) made = nullptr;
         return DLCERT_OK;
       }}},
      {"nothing-exported", {.on_export = [](dlcert_managed& managed) -> dlcert_status {
         managed.pointer = nullptr;
         return DLCERT_OK;
       }}},
      {"unknown-form", {.on_export = [](dlcert_managed& managed) -> dlcert_status {
         managed.form = 9;
         return DLCERT_OK;
       }}},
      {"takes-and-refuses", {.on_import = take_and_say<DLCERT_REFUSED>}},
      {"takes-and-cannot-form", {.on_import = take_and_say<DLCERT_NOT_FORMABLE>}},
      {"never-gives-back", {.on_return = [](DLManagedTensor&) { return false; }}},
      {"gives-back-twice",
       {.on_return =
            [](DLManagedTensor& managed) {
              const auto deleter = managed.deleter;
              deleter(&managed);
              deleter(&managed);
              return false;
            }}},
  };
}

Variants about_values() {
  return {
      {"negative-rank",
       {.on_describe = [](bool provoking, dlcert_description& description) -> dlcert_status {
         if (provoking) description.ndim = -1;
         return DLCERT_OK;
       }}},
      {"no-shape",
       {.on_describe = [](bool provoking, dlcert_description& description) -> dlcert_status {
         if (provoking) description.shape = nullptr;
         return DLCERT_OK;
       }}},
      {"rank-of-nothing",
       {.on_describe = [](bool provoking, dlcert_description& description) -> dlcert_status {
         if (provoking) description.ndim = 0;
         return DLCERT_OK;
       }}},
      {"changing-description",
       {.on_describe = [](bool provoking, dlcert_description& description) -> dlcert_status {
         static std::int64_t changing = 0;
         if (provoking) {
           changing = description.shape[0] + (changing == description.shape[0] ? 1 : 0);
           description.shape = &changing;
         }
         return DLCERT_OK;
       }}},
      {"other-elements-exported", {.on_export = [](dlcert_managed& managed) -> dlcert_status {
         DLTensor& tensor = exported(managed);
         if (tensor.shape[0] > 0) static_cast<unsigned char*>(tensor.data)[0] ^= 1;
         return DLCERT_OK;
       }}},
      {"no-elements-exported", {.on_export = [](dlcert_managed& managed) -> dlcert_status {
         exported(managed).data = nullptr;
         return DLCERT_OK;
       }}},
      {"other-extent-exported", {.on_export = [](dlcert_managed& managed) -> dlcert_status {
         ++exported(managed).shape[0];
         return DLCERT_OK;
       }}},
      {"other-elements-read", {.on_read = [](std::span<std::byte> elements) -> dlcert_status {
         if (!elements.empty()) elements.back() ^= std::byte{1};
         return DLCERT_OK;
       }}},
      {"no-elements-read", {.on_read = [](std::span<std::byte> elements) -> dlcert_status {
         std::ranges::fill(elements, std::byte{0xA5});
         return DLCERT_OK;
       }}},
      {"fail-once-in-twenty",  // the first of every twenty processes that use it
       {.on_provoke =
            [](std::int64_t extent) {
              static const bool unlucky = earlier_calls() % 20 == 0;
              return unlucky ? extent + 1 : extent;
            }}},
      {"fail-once",
       {.on_provoke = [](std::int64_t extent) { return first_time() ? extent + 1 : extent; }}},
      {"fail-late",
       {.on_provoke =
            [](std::int64_t extent) {
              static int calls = 0;
              return ++calls >= 20 ? extent + 1 : extent;
            }}},
      {"fail-in-each-process-of-a-case",
       {.on_isolated = [](std::int64_t extent) { return extent > 2 ? extent + 1 : extent; }}},
      {"fail-where-it-is-watched",
       {.on_provoke =
            [](std::int64_t extent) { return output_is_a_pipe() ? extent + 1 : extent; }}},
  };
}

Variants about_itself() {
  return {
      {"fewer-functions-in-workers",
       {.on_table =
            [](dlcert_adapter&, dlcert_tensor_group& tensors) {
              if (in_a_worker()) tensors.can = nullptr;
            }}},
      {"more-functions-in-workers",
       {.on_table =
            [](dlcert_adapter&, dlcert_tensor_group& tensors) {
              if (in_a_worker()) tensors.live_allocations = [](void*) { return std::int64_t{0}; };
            }}},
      {"another-version-in-workers",
       {.on_table =
            [](dlcert_adapter& table, dlcert_tensor_group&) {
              if (in_a_worker()) table.version = "2.0";
            }}},
      {"another-name-in-workers",
       {.on_table =
            [](dlcert_adapter& table, dlcert_tensor_group&) {
              if (in_a_worker()) table.name = "harmless";
            }}},
      {"another-runtime-in-workers",
       {.on_table =
            [](dlcert_adapter& table, dlcert_tensor_group&) {
              if (in_a_worker()) table.runtime = "torch-2.4";
            }}},
      {"other-roles-in-workers",
       {.on_table =
            [](dlcert_adapter& table, dlcert_tensor_group&) {
              if (in_a_worker()) table.roles = DLCERT_PRODUCER;
            }}},
      {"other-properties-in-workers",
       {.on_table =
            [](dlcert_adapter& table, dlcert_tensor_group&) {
              if (!in_a_worker()) table.properties |= DLCERT_FAITHFUL_ERRORS;
            }}},
      {"fault-of-adapter", {.on_open = keep_host, .on_provoke = say_that_it_is_wrong}},
      {"fault-of-adapter-in-a-case-of-its-own",
       {.on_open = keep_host, .on_isolated = say_that_it_is_wrong}},
      {"fault-of-adapter-behind-a-failure",
       {.on_open = keep_host,
        .on_provoke =
            [](std::int64_t extent) {
              return first_time() ? extent + 1 : say_that_it_is_wrong(extent);
            }}},
      {"fault-of-adapter-behind-a-crash",
       {.on_open = keep_host,
        .on_provoke =
            [](std::int64_t extent) {
              if (first_time()) std::abort();
              return say_that_it_is_wrong(extent);
            }}},
      {"no-name",
       {.on_table = [](dlcert_adapter& table, dlcert_tensor_group&) { table.name = ""; }}},
      {"null-version",
       {.on_table = [](dlcert_adapter& table, dlcert_tensor_group&) { table.version = nullptr; }}},
      {"no-roles",
       {.on_table = [](dlcert_adapter& table, dlcert_tensor_group&) { table.roles = 0; }}},
      {"unknown-roles",
       {.on_table = [](dlcert_adapter& table, dlcert_tensor_group&) { table.roles |= 64; }}},
      {"small-table",
       {.on_table = [](dlcert_adapter& table, dlcert_tensor_group&) { table.struct_size = 8; }}},
      {"other-major-version",
       {.on_table = [](dlcert_adapter& table, dlcert_tensor_group&) { ++table.abi_major; }}},
      {"no-group",
       {.on_table = [](dlcert_adapter& table, dlcert_tensor_group&) { table.exchange = nullptr; }}},
      {"group-of-no-size",
       {.on_table = [](dlcert_adapter&,
                       dlcert_tensor_group& tensors) { tensors.struct_size = 0; }}},
  };
}

}  // namespace

Variants lies() {
  Variants all = about_claims();
  all.merge(about_first_calls());
  all.merge(about_calls());
  all.merge(about_values());
  all.merge(about_itself());
  return all;
}

}  // namespace hostile
