// SPDX-License-Identifier: Apache-2.0
//
// A library of arrays on the host that keeps the rules, and an adapter for it that makes the
// mistake that DLCERT_MISTAKE names; none when it names none.
#include <dlpack/dlpack.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include <dlcert/adapter.hpp>

namespace {

using Sizes = std::vector<std::int64_t>;

bool makes(std::string_view mistake) {
  const char* const chosen = std::getenv("DLCERT_MISTAKE");
  return chosen != nullptr && chosen == mistake;
}

struct Array {
  dlcert_dtype dtype{};
  Sizes shape, strides;
  std::ptrdiff_t first = 0;  // byte of the first element
  std::shared_ptr<std::vector<std::byte>> storage;
  Sizes described_shape, described_strides;  // what an adapter makes of them

  std::int64_t item() const { return (dtype.bits * dtype.lanes + 7) / 8; }
  std::int64_t count() const {
    std::int64_t all = 1;
    for (const std::int64_t extent : shape)
      all *= extent;
    return all;
  }
};

// Calls visit(position of the bytes, byte of the element) for all elements, the last index first
// or, column-major, last.
template <typename Visit>
void each(const Array& array, bool column_major, std::int64_t unit, const Visit& visit) {
  Sizes index(array.shape.size(), 0);
  const auto rank = static_cast<std::int64_t>(index.size());
  for (std::int64_t position = 0; position < array.count(); ++position) {
    std::int64_t place = 0;
    for (std::size_t axis = 0; axis < index.size(); ++axis)
      place += index[axis] * array.strides[axis] * unit;
    visit(position, array.first + place);
    for (std::int64_t turn = 0; turn < rank; ++turn) {
      const auto axis = static_cast<std::size_t>(column_major ? turn : rank - 1 - turn);
      if (++index[axis] < array.shape[axis]) break;
      index[axis] = 0;
    }
  }
}

void swap_elements(std::byte* bytes, std::int64_t size, std::int64_t item) {
  for (std::int64_t at = 0; at < size; at += item)
    std::reverse(bytes + at, bytes + at + item);
}

struct Export {
  DLManagedTensor managed{};
  Array array;
};

struct Mistaken {
  using Tensor = Array;

  const char* name() { return "mistaken"; }
  const char* version() { return "1"; }

  void open(const dlcert_host& host) { host_ = &host; }

  bool can(const dlcert_tensor_spec& spec) {
    const bool known = spec.dtype.code == kDLInt || spec.dtype.code == kDLUInt ||
                       spec.dtype.code == kDLFloat || spec.dtype.code == kDLBool;
    return spec.device.type == kDLCPU && spec.state == DLCERT_STATE_PLAIN && spec.flags == 0 &&
           known && spec.dtype.lanes == 1 && spec.dtype.bits % 8 == 0;
  }
  // The library makes bools, but takes none.
  bool can_import(const dlcert_tensor_spec& spec) {
    return can(spec) && spec.dtype.code != kDLBool;
  }

  Tensor create(const dlcert_tensor_spec& spec, std::span<const std::byte> logical) {
    if (makes("crash in create")) std::abort();
    if (makes("fault")) {
      std::fputs("Traceback: line 7\n", stderr);
      host_->fault(host_->context, "a typo");
    }
    if (makes("form nothing")) throw dlcert::adapter::NotFormable{};
    if (makes("refuse")) throw dlcert::adapter::Refused{DLCERT_ERROR_VALUE, "not today"};
    Array made;
    made.dtype = spec.dtype;
    made.shape.assign(spec.shape, spec.shape + spec.ndim);
    made.strides.assign(spec.strides, spec.strides + spec.ndim);
    made.first = spec.offset * (makes("byte strides") || makes("byte offset") ? 1 : made.item());
    made.storage = std::make_shared<std::vector<std::byte>>(
        static_cast<std::size_t>(spec.storage_size * made.item()) + 8);
    store(made, logical);
    made.described_shape = made.shape;
    made.described_strides = made.strides;
    if (makes("describe reversed")) std::ranges::reverse(made.described_shape);
    if (makes("describe byte strides"))
      for (std::int64_t& stride : made.described_strides)
        stride *= made.item();
    return made;
  }

  dlcert_description describe(Tensor& array) {
    dlcert_description said{};
    said.dtype = array.dtype;
    if (makes("describe dtype")) said.dtype.bits = static_cast<std::uint8_t>(array.dtype.bits / 8);
    said.device = {kDLCPU, 0};
    said.ndim = static_cast<std::int32_t>(array.shape.size());
    said.shape = array.described_shape.data();
    said.strides = array.described_strides.data();
    said.data = array.storage->data() + array.first;
    said.storage_begin = array.storage->data();
    said.storage_bytes = array.storage->size();
    return said;
  }

  void read(Tensor& array, std::span<std::byte> logical) {
    if (makes("read nothing")) return;
    const bool column_major = makes("read column-major") || makes("both column-major");
    const std::int64_t item = array.item();
    std::vector<std::byte> bytes(logical.size());
    each(array, column_major, makes("byte strides") ? 1 : item,
         [&](std::int64_t position, std::int64_t place) {
           std::memcpy(bytes.data() + position * item, array.storage->data() + place,
                       static_cast<std::size_t>(item));
         });
    const bool swaps = makes("swap") || (makes("swap int32") && array.dtype.code == kDLInt &&
                                         array.dtype.bits == 32);
    if (swaps) swap_elements(bytes.data(), static_cast<std::int64_t>(bytes.size()), item);
    if (makes("wide bool") && array.dtype.code == kDLBool) {
      for (std::size_t at = 0; at < 4 * bytes.size(); ++at)  // into the room of the caller
        logical.data()[at] = at % 4 == 0 ? bytes[at / 4] : std::byte{0};
      return;
    }
    const std::size_t size =
        makes("read elements") ? static_cast<std::size_t>(array.count()) : bytes.size();
    std::copy_n(bytes.begin(), size, logical.begin());
  }

  void write(Tensor& array, std::span<const std::byte> logical) { store(array, logical); }

  dlcert_managed export_managed(Tensor& array, const dlcert_request& request) {
    if (request.max_version.tag != DLCERT_ABSENT) throw dlcert::adapter::NotFormable{};
    auto made = std::make_unique<Export>();
    made->array = array;
    Array& kept = made->array;
    made->managed.dl_tensor = {kept.storage->data() + kept.first,
                               {kDLCPU, 0},
                               static_cast<std::int32_t>(kept.shape.size()),
                               {kept.dtype.code, kept.dtype.bits, kept.dtype.lanes},
                               kept.shape.data(),
                               kept.strides.data(),
                               0};
    made->managed.manager_ctx = made.get();
    made->managed.deleter = [](DLManagedTensor* self) {
      delete static_cast<Export*>(self->manager_ctx);
    };
    return {DLCERT_LEGACY, 0, &made.release()->managed};
  }

  Tensor import_managed(dlcert_managed managed) {
    if (managed.form != DLCERT_LEGACY) throw dlcert::adapter::NotFormable{};
    auto& given = *static_cast<DLManagedTensor*>(managed.pointer);
    const DLTensor& tensor = given.dl_tensor;
    if (tensor.device.device_type != kDLCPU) {
      if (makes("undeclared ownership")) given.deleter(&given);
      throw dlcert::adapter::Refused{DLCERT_ERROR_BUFFER, "not on the host"};
    }
    Array made = copy_of(tensor);
    if (given.deleter != nullptr) given.deleter(&given);
    return made;
  }

 private:
  const dlcert_host* host_ = nullptr;

  static void store(Array& array, std::span<const std::byte> logical) {
    const bool column_major = makes("create column-major") || makes("both column-major");
    const std::int64_t item = array.item();
    each(array, column_major, makes("byte strides") ? 1 : item,
         [&](std::int64_t position, std::int64_t place) {
           std::memcpy(array.storage->data() + place, logical.data() + position * item,
                       static_cast<std::size_t>(item));
         });
  }

  static Array copy_of(const DLTensor& tensor) {
    Array made;
    made.dtype = {tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes};
    made.shape.assign(tensor.shape, tensor.shape + tensor.ndim);
    made.strides.resize(made.shape.size());
    std::int64_t stride = 1;
    for (std::size_t axis = made.shape.size(); axis-- > 0;) {
      made.strides[axis] = stride;
      stride *= made.shape[axis];
    }
    made.storage = std::make_shared<std::vector<std::byte>>(
        static_cast<std::size_t>(made.count() * made.item()) + 8);
    Array source = made;
    if (tensor.strides != nullptr)
      source.strides.assign(tensor.strides, tensor.strides + tensor.ndim);
    const auto* const from = static_cast<const std::byte*>(tensor.data) + tensor.byte_offset;
    each(source, false, made.item(), [&](std::int64_t position, std::int64_t place) {
      std::memcpy(made.storage->data() + position * made.item(), from + place,
                  static_cast<std::size_t>(made.item()));
    });
    made.described_shape = made.shape;
    made.described_strides = made.strides;
    return made;
  }
};

}  // namespace

DLCERT_ADAPTER(Mistaken)
