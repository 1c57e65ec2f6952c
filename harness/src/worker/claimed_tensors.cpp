// SPDX-License-Identifier: Apache-2.0
#include "worker/claimed_tensors.hpp"

#include <dlpack/dlpack.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include <dlcert/suite/spec.hpp>

#include "records/job.hpp"

namespace dlcert {

namespace {

using Shape = std::vector<std::int64_t>;

constexpr std::size_t highest_rank = 8;
constexpr std::int64_t most_elements = std::int64_t{1} << 24;
constexpr std::int64_t small_extent = 8;  // up to which each extent is asked for

// Of scalar_dtypes(): what any library has, and complex numbers.
constexpr std::size_t common_count = 15;

std::int64_t elements_of(const Shape& shape) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) {
    if (extent > 0 && count > most_elements / extent) return most_elements + 1;
    count *= extent;
  }
  return count;
}

// Frames and batches of so many rows and columns, with each number of channels.
void add_images(std::size_t rank, std::vector<Shape>& shapes) {
  for (const std::int64_t channels : {3, 1, 4})
    for (const std::int64_t extent : {2, 8, 64, 224}) {
      Shape first(rank, extent), last(rank, extent);
      first[rank - 3] = last[rank - 1] = channels;
      if (rank == 4) first[0] = last[0] = 1;
      shapes.push_back(std::move(first));
      shapes.push_back(std::move(last));
    }
}

// Of one rank, the most common first.
std::vector<Shape> likely_shapes(std::size_t rank) {
  if (rank == 0) return {{}};
  std::vector<Shape> shapes;
  for (const std::int64_t extent : {2, 3, 1, 4, 8, 5, 6, 7, 16, 64, 256, 4096, 0})
    shapes.emplace_back(rank, extent);
  if (rank == 2)
    for (std::int64_t rows = 0; rows <= small_extent; ++rows)
      for (std::int64_t columns = 0; columns <= small_extent; ++columns)
        shapes.push_back({rows, columns});
  if (rank == 3 || rank == 4) add_images(rank, shapes);
  std::erase_if(shapes, [](const Shape& shape) { return elements_of(shape) > most_elements; });
  return shapes;
}

std::int64_t step_of(const Shape& shape, std::size_t axis) {
  return std::max<std::int64_t>(shape[axis], 1);
}

// `spec`, compact, in another layout; nothing where its rank has none.
std::optional<TensorSpec> laid_out(TensorSpec spec, ClaimedLayout layout) {
  const std::size_t rank = spec.shape.size();
  constexpr std::int64_t gap = 3, start = 8;  // a packed view starts on a byte
  if (rank == 0 || (rank == 1 && layout == ClaimedLayout::permuted) ||
      (rank == 1 && layout == ClaimedLayout::padded_rows))
    return std::nullopt;
  switch (layout) {
    case ClaimedLayout::permuted:
      std::exclusive_scan(spec.shape.begin(), spec.shape.end(), spec.strides.begin(),
                          std::int64_t{1}, [](std::int64_t stride, std::int64_t extent) {
                            return stride * std::max<std::int64_t>(extent, 1);
                          });
      break;
    case ClaimedLayout::stepped:
      for (std::int64_t& stride : spec.strides)
        stride *= 2;
      spec.storage_size *= 2;
      break;
    case ClaimedLayout::padded_rows:
      spec.strides[rank - 2] += gap;
      for (std::size_t axis = rank - 2; axis-- > 0;)
        spec.strides[axis] = spec.strides[axis + 1] * step_of(spec.shape, axis + 1);
      spec.storage_size = spec.strides[0] * step_of(spec.shape, 0);
      break;
    case ClaimedLayout::offset:
      spec.offset = start;
      spec.storage_size += start;
      break;
    case ClaimedLayout::reversed:
      spec.offset = spec.strides[0] * (step_of(spec.shape, 0) - 1);
      spec.strides[0] = -spec.strides[0];
      break;
    case ClaimedLayout::broadcast:
      spec.strides[0] = 0;
      break;
  }
  return spec;
}

constexpr std::array all_layouts{ClaimedLayout::permuted,    ClaimedLayout::stepped,
                                 ClaimedLayout::padded_rows, ClaimedLayout::offset,
                                 ClaimedLayout::reversed,    ClaimedLayout::broadcast};

// Asks about one memory.
class Finder {
 public:
  Finder(const Party& party, dlcert_device device, const std::function<void()>& asking)
      : party_{party}, device_{device}, asking_{asking} {}

  std::vector<ClaimedTensors> find() {
    for (std::size_t rank = 0; rank <= highest_rank; ++rank)
      find_of_rank(rank, scalar_dtypes().first(common_count));
    // A library of other types alone. There is one memory in which that is worth so many calls.
    if (found_.empty() && device_.type == kDLCPU)
      for (std::size_t rank = 0; rank <= highest_rank; ++rank)
        find_of_rank(rank, scalar_dtypes());
    return std::move(found_);
  }

 private:
  TensorSpec spec_of(dlcert_dtype dtype, std::uint32_t flags, const Shape& shape) const {
    TensorSpec spec = compact_spec(dtype, shape);
    spec.device = device_;
    spec.flags = flags;
    return spec;
  }
  bool claims(const TensorSpec& spec) const {
    if (asked_++ % questions_at_once == 0) asking_();
    return party_.can(spec);
  }
  bool claims(dlcert_dtype dtype, std::uint32_t flags, const Shape& shape) const {
    return claims(spec_of(dtype, flags, shape));
  }
  bool claims_any(dlcert_dtype dtype, const Shape& shape) const {
    constexpr std::uint32_t read_only = DLCERT_SPEC_READ_ONLY, padded = DLCERT_SPEC_SUBBYTE_PADDED;
    return claims(dtype, 0, shape) || claims(dtype, read_only, shape) ||
           (sub_byte(dtype) &&
            (claims(dtype, padded, shape) || claims(dtype, padded | read_only, shape)));
  }

  // Each of `dtypes` is looked for in likely shapes, all others in those that were found.
  void find_of_rank(std::size_t rank, std::span<const dlcert_dtype> dtypes) {
    const std::vector<Shape> likely = likely_shapes(rank);
    std::vector<Shape> claimed;
    for (const dlcert_dtype dtype : dtypes) {
      const auto claims_it = [&](const Shape& shape) { return claims_any(dtype, shape); };
      if (std::ranges::any_of(claimed, claims_it)) continue;
      const auto shape = std::ranges::find_if(likely, claims_it);
      if (shape != likely.end()) claimed.push_back(*shape);
    }
    for (const Shape& shape : claimed)
      add(shape);
  }

  void add(const Shape& shape) {
    std::vector<std::vector<std::int64_t>> extents;
    for (const std::uint32_t padded : {0u, std::uint32_t{DLCERT_SPEC_SUBBYTE_PADDED}})
      for (const std::uint32_t read_only : {0u, std::uint32_t{DLCERT_SPEC_READ_ONLY}}) {
        ClaimedTensors tensors;
        tensors.devices = {device_};
        tensors.shape = shape;
        tensors.flags = padded | read_only;
        for (const dlcert_dtype dtype : scalar_dtypes())
          if ((padded == 0 || sub_byte(dtype)) && claims(dtype, tensors.flags, shape))
            tensors.dtypes.push_back(dtype);
        if (tensors.dtypes.empty()) continue;
        if (extents.empty()) extents = extents_of(tensors);
        tensors.extents = extents;
        tensors.layouts = layouts_of(tensors);
        found_.push_back(std::move(tensors));
      }
  }

  std::vector<std::vector<std::int64_t>> extents_of(const ClaimedTensors& tensors) const {
    std::vector<std::vector<std::int64_t>> extents;
    for (std::size_t axis = 0; axis < tensors.shape.size(); ++axis)
      extents.push_back(extents_along(tensors, axis));
    return extents;
  }

  std::vector<std::int64_t> extents_along(const ClaimedTensors& tensors, std::size_t axis) const {
    const auto claimed = [&](std::int64_t extent) {
      Shape shape = tensors.shape;
      shape[axis] = extent;
      return elements_of(shape) <= most_elements &&
             claims(tensors.dtypes.front(), tensors.flags, shape);
    };
    std::vector<std::int64_t> extents;
    for (std::int64_t extent = 0; extent <= small_extent; ++extent)
      if (claimed(extent)) extents.push_back(extent);
    const std::int64_t known = tensors.shape[axis];
    const bool up_to_small = !extents.empty() && extents.back() == small_extent;
    if (known > small_extent) {
      // The least beyond the small ones, if they are claimed from there on.
      if (!up_to_small) extents.push_back(boundary(known, small_extent, claimed));
      if (extents.back() != known) extents.push_back(known);
    }
    if (!up_to_small && known <= small_extent) return extents;
    std::int64_t largest = extents.back();
    while (largest <= drawn_extent && claimed(largest * 2)) {
      largest *= 2;
      if (largest <= drawn_extent) extents.push_back(largest);
    }
    if (largest <= drawn_extent) {
      largest = boundary(largest, largest * 2, claimed);
      if (largest != extents.back()) extents.push_back(largest);
    }
    return extents;
  }

  // The last extent from `inside`, which is claimed, towards `outside`, which is not, that is.
  static std::int64_t boundary(std::int64_t inside, std::int64_t outside,
                               const std::function<bool(std::int64_t)>& claimed) {
    while (inside - outside > 1 || outside - inside > 1) {
      const std::int64_t middle = std::midpoint(inside, outside);
      (claimed(middle) ? inside : outside) = middle;
    }
    return inside;
  }

  std::uint32_t layouts_of(const ClaimedTensors& tensors) const {
    std::uint32_t layouts = 0;
    const TensorSpec compact = spec_of(tensors.dtypes.front(), tensors.flags, tensors.shape);
    for (const ClaimedLayout layout : all_layouts)
      if (const auto spec = laid_out(compact, layout); spec && claims(*spec))
        layouts |= static_cast<std::uint32_t>(layout);
    return layouts;
  }

  static constexpr std::size_t questions_at_once = 64;
  static constexpr std::int64_t drawn_extent = 64;  // the largest of those that are open-ended

  const Party& party_;
  dlcert_device device_;
  const std::function<void()>& asking_;
  mutable std::size_t asked_ = 0;
  std::vector<ClaimedTensors> found_;
};

}  // namespace

std::vector<ClaimedTensors> find_claimed_tensors(const Party& party,
                                                 std::span<const dlcert_device> memories,
                                                 const std::function<void()>& asking) {
  std::vector<ClaimedTensors> all;
  for (const dlcert_device device : memories)
    for (ClaimedTensors& found : Finder{party, device, asking}.find())
      add_claimed(all, std::move(found));
  return all;
}

}  // namespace dlcert
