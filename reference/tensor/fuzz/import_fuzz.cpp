// SPDX-License-Identifier: Apache-2.0

#include "import_fuzz.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "dlcert/tensor/errors.hpp"
#include "dlcert/tensor/export.hpp"
#include "dlcert/tensor/import.hpp"

namespace dlcert::reference {
namespace {

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "import fuzzer: expected %s\n", what);
  std::abort();
}

/// Takes values from the input; zeros when it has ended.
class Source {
 public:
  explicit Source(std::span<const std::uint8_t> input) : input_(input) {}

  template <class Value>
  Value take() {
    Value value{};
    const std::size_t count = std::min(sizeof value, input_.size());
    if (count != 0) std::memcpy(&value, input_.data(), count);
    input_ = input_.subspan(count);
    return value;
  }

  /// Mostly a small number, so that well-formed tensors are found; any number now and then.
  std::int64_t take_number() {
    const auto first = take<std::int8_t>();
    return first == -128 ? take<std::int64_t>() : first % 8;
  }

 private:
  std::span<const std::uint8_t> input_;
};

/// What the input asks to leave out, or to set to something that no producer may write.
enum Quirk : std::uint16_t {
  null_data = 1 << 0,
  null_shape = 1 << 1,
  null_strides = 1 << 2,
  null_deleter = 1 << 3,
  any_rank = 1 << 4,
  any_device = 1 << 5,
  any_flags = 1 << 6,
  any_major = 1 << 7,
  any_offset = 1 << 8,
  legacy = 1 << 9,
  in_capsule = 1 << 10,
  from_object = 1 << 11,
  any_type = 1 << 12,
};

/// The elements that a well-formed tensor may reach lie around the middle of this.
constexpr std::size_t memory_size = std::size_t{1} << 16;
alignas(data_alignment) std::array<std::byte, memory_size> memory;
int releases = 0;

template <class Managed>
void count_release(Managed* self) {
  require(self->manager_ctx == &releases, "the managed tensor itself");
  ++releases;
}

constexpr std::size_t most_extents = 128;

struct Drawn {
  std::uint16_t quirks;
  std::array<std::int64_t, most_extents> shape{};
  std::array<std::int64_t, most_extents> strides{};
  DLTensor tensor{};
  std::uint32_t major = own_version.major;
  std::uint32_t minor = 0;
  std::uint64_t flags = 0;

  explicit Drawn(Source source) : quirks(source.take<std::uint16_t>()) {
    tensor.device = cpu_device;
    if (has(any_device)) {
      tensor.device = {static_cast<DLDeviceType>(source.take<std::int32_t>()),
                       source.take<std::int32_t>()};
    }
    tensor.dtype = draw_type(source);
    tensor.ndim = has(any_rank) ? source.take<std::int32_t>() : source.take<std::uint8_t>() % 5;
    tensor.byte_offset =
        has(any_offset) ? source.take<std::uint64_t>() : source.take<std::uint8_t>();
    if (has(any_major)) major = source.take<std::uint32_t>();
    minor = source.take<std::uint8_t>() % 5;
    flags = has(any_flags) ? source.take<std::uint64_t>() : source.take<std::uint8_t>() % 8;
    const auto rank =
        static_cast<std::size_t>(std::clamp<std::int32_t>(tensor.ndim, 0, most_extents));
    for (std::size_t axis = 0; axis < rank; ++axis) {
      shape[axis] = source.take_number();
      strides[axis] = source.take_number();
    }
    tensor.data = has(null_data) ? nullptr : memory.data() + memory_size / 2;
    tensor.shape = has(null_shape) ? nullptr : shape.data();
    tensor.strides = has(null_strides) ? nullptr : strides.data();
  }

  bool has(Quirk quirk) const { return (quirks & quirk) != 0; }

  DLDataType draw_type(Source& source) const {
    constexpr std::array<DLDataType, 8> common{{{kDLFloat, 32, 1},
                                                {kDLInt, 8, 1},
                                                {kDLComplex, 128, 1},
                                                {kDLBool, 8, 1},
                                                {kDLInt, 4, 1},
                                                {kDLFloat6_e2m3fn, 6, 1},
                                                {kDLUInt, 1, 3},
                                                {kDLFloat, 16, 4}}};
    if (has(any_type)) return source.take<DLDataType>();
    return common[source.take<std::uint8_t>() % common.size()];
  }
};

bool lies_in_memory(const Tensor& tensor) {
  const auto begin = reinterpret_cast<std::uintptr_t>(memory.data());
  const auto first = reinterpret_cast<std::uintptr_t>(tensor.storage().data());
  return first >= begin && first - begin <= memory_size &&
         tensor.storage().size() <= static_cast<std::int64_t>(memory_size - (first - begin));
}

/// Does with an accepted tensor what an application might. Huge broadcast shapes are legal, and
/// skipped.
void use(const Tensor& tensor) {
  if (tensor.is_empty()) return;
  if (!lies_in_memory(tensor)) return;
  DLManagedTensorVersioned* const again = exporter.versioned(tensor);
  const Tensor view = importer.import(again);
  std::int64_t elements = 1;
  for (const std::int64_t extent : tensor.shape()) {
    if (elements > 4096 / extent) return;
    elements *= extent;
  }
  if (tensor.logical_bytes() > static_cast<std::int64_t>(memory_size)) return;
  std::vector<std::byte> values(static_cast<std::size_t>(tensor.logical_bytes()));
  view.read(values);
  std::vector<std::byte> copied(values.size());
  view.copy().read(copied);
  require(values == copied, "a copy with the same values");
  if (!view.is_read_only()) view.write(values);
}

class Object final : public DlpackObject {
 public:
  explicit Object(Exported answer) : answer_(std::move(answer)) {}
  DLDevice dlpack_device() override { return cpu_device; }
  Exported dlpack(const ExportRequest&) override { return std::move(answer_); }

 private:
  Exported answer_;
};

template <class Managed>
Exported answer(Managed* managed, bool in_capsule) {
  if (!in_capsule) return managed;
  if constexpr (requires { managed->version; }) {
    return Capsule(managed, capsule_name::versioned, &release_unconsumed_versioned);
  } else {
    return Capsule(managed, capsule_name::legacy, &release_unconsumed_legacy);
  }
}

/// Offers the tensor, and returns whether the consumer owns it now.
template <class Managed>
bool offer(Managed* managed, const Drawn& drawn) {
  Exported offered = answer(managed, drawn.has(in_capsule));
  try {
    if (drawn.has(from_object)) {
      Object object(std::move(offered));
      use(importer.import(object, {}));
    } else if (auto* const capsule = std::get_if<Capsule>(&offered)) {
      use(importer.import(*capsule));
    } else {
      use(importer.import(managed));
    }
  } catch (const Error&) {
    const bool was_bare = !drawn.has(from_object) && !drawn.has(in_capsule);
    const bool is_foreign = !drawn.has(legacy) && drawn.major != own_version.major;
    return !was_bare || is_foreign;
  }
  return true;
}

template <class Managed>
void check(const Drawn& drawn) {
  Managed managed{};
  managed.dl_tensor = drawn.tensor;
  managed.manager_ctx = &releases;
  if (!drawn.has(null_deleter)) managed.deleter = &count_release<Managed>;
  if constexpr (requires { managed.version; }) {
    managed.version = {drawn.major, drawn.minor};
    managed.flags = drawn.flags;
  }
  const Managed before = managed;
  const auto shape = drawn.shape;
  const auto strides = drawn.strides;

  releases = 0;
  if (!offer(&managed, drawn)) call_deleter(&managed);
  require(releases == (drawn.has(null_deleter) ? 0 : 1), "one release");
  require(std::memcmp(&managed, &before, sizeof managed) == 0, "an unchanged managed tensor");
  require(shape == drawn.shape && strides == drawn.strides, "unchanged shape and strides");
}

}  // namespace

void import_what_bytes_say(std::span<const std::uint8_t> input) {
  const driver::LiveAllocations before = host_memory().live();
  const Drawn drawn{Source(input)};
  if (drawn.has(legacy)) {
    check<DLManagedTensor>(drawn);
  } else {
    check<DLManagedTensorVersioned>(drawn);
  }
  require(host_memory().live() == before, "nothing left allocated");
}

}  // namespace dlcert::reference
