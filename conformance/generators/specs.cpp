// SPDX-License-Identifier: Apache-2.0
#include "generators/specs.hpp"

#include <optional>
#include <utility>
#include <vector>

#include <dlcert/suite/spy.hpp>

#include "generators/claimed_shapes.hpp"
#include "generators/placement.hpp"

namespace dlcert {

namespace {

constexpr int dtype_tries = 6;
constexpr int layout_tries = 8;
constexpr int highest_known_rank = 8;  // of Party::claimed_tensors

// One or two parties, each of which must claim what is drawn.
class Claims {
 public:
  explicit Claims(const Party& party) : first_{&party}, second_{&party} {}
  Claims(const Party& first, const Party& second) : first_{&first}, second_{&second} {}

  bool cover(const TensorSpec& spec) const {
    return first_->can(spec) && (second_ == first_ || second_->can(spec));
  }

  // For a tensor that every case asks about again.
  bool cover_remembered(const TensorSpec& spec) const {
    return first_->can_remembered(spec) && (second_ == first_ || second_->can_remembered(spec));
  }

  bool cover_some_shape(const ClaimedType& type) const {
    return claims_some_shape(*first_, type) &&
           (second_ == first_ || claims_some_shape(*second_, type));
  }

  const Party& first() const { return *first_; }

 private:
  const Party* first_;
  const Party* second_;
};

enum class Shapes : std::uint8_t {
  any,     // as far as is known
  scalar,  // of rank 0 alone
  few,     // those that were found before the run
};

struct Element {
  dlcert_dtype dtype = float32;
  std::uint32_t flags = 0;
  Shapes shapes = Shapes::any;
};

TensorSpec compact_of(const Element& element, std::vector<std::int64_t> shape) {
  TensorSpec spec = compact_spec(element.dtype, std::move(shape));
  spec.device = place();
  spec.flags = element.flags;
  return spec;
}

// The element as the library has it: writable if it can be, else read-only unless that is out of
// bounds; of any shape if it can be. Types are tried on a compact tensor: a library has a type or
// has it not, whatever the layout.
std::optional<Element> claimed_as(const Claims& claims, const Element& element,
                                  const SpecBounds& bounds) {
  for (const std::uint32_t read_only : {0u, std::uint32_t{DLCERT_SPEC_READ_ONLY}}) {
    if (read_only != 0 && bounds.writable) continue;
    Element tried{element.dtype, element.flags | read_only};
    if (claims.cover_remembered(compact_of(tried, {2}))) return tried;
    tried.shapes = Shapes::scalar;
    if (claims.cover_remembered(compact_of(tried, {}))) return tried;
    tried.shapes = Shapes::few;
    if (claims.cover_some_shape({tried.dtype, tried.flags})) return tried;
  }
  return std::nullopt;
}

bool of_kind(dlcert_dtype dtype, Dtypes kind) {
  if (kind == Dtypes::float32_only) return dtype == float32;
  return kind == Dtypes::any || dtype.bits % 8 == 0;
}

// An element type of a library that has only a few.
Element draw_from_claimed(Draw& draw, const Claims& claims, const SpecBounds& bounds) {
  std::vector<Element> claimed;
  for (const dlcert_dtype dtype : scalar_dtypes())
    if (of_kind(dtype, bounds.dtypes))
      if (const auto element = claimed_as(claims, {dtype}, bounds)) claimed.push_back(*element);
  if (claimed.empty()) throw NoTensorClaimed{"a tensor of the types that were drawn"};
  return draw.one_of(claimed);
}

Element draw_element(Draw& draw, const Claims& claims, const SpecBounds& bounds) {
  for (int i = 0; i < dtype_tries; ++i) {
    Element element{draw_dtype(draw, bounds.dtypes), 0};
    if (bounds.padded && element.dtype.bits < 8 && draw.flip())
      element.flags |= DLCERT_SPEC_SUBBYTE_PADDED;
    if (const auto claimed = claimed_as(claims, element, bounds)) return *claimed;
  }
  return draw_from_claimed(draw, claims, bounds);
}

// Packed views start on a byte.
std::int64_t offset_unit_of(const Element& element) {
  return element.dtype.bits < 8 && (element.flags & DLCERT_SPEC_SUBBYTE_PADDED) == 0 ? 8 : 1;
}

TensorSpec draw_view(Draw& draw, const Element& element, const SpecBounds& bounds) {
  TensorSpec spec;
  spec.dtype = element.dtype;
  spec.device = place();
  spec.flags = element.flags;
  spec.shape = draw_shape(draw, bounds.shape);
  Layout layout = draw_layout(draw, spec.shape, bounds.layouts, offset_unit_of(element));
  spec.strides = std::move(layout.strides);
  spec.offset = layout.offset;
  spec.storage_size = layout.storage_size;
  return spec;
}

// A view in one of the shapes that the library is known to claim.
TensorSpec draw_known_view(Draw& draw, const Claims& claims, const Element& element,
                           const SpecBounds& bounds) {
  for (int i = 0; i <= layout_tries; ++i) {
    const std::optional<TensorSpec> spec =
        draw_claimed_shape(draw, claims.first(), {element.dtype, element.flags}, bounds.shape,
                           bounds.layouts, i == layout_tries);
    if (!spec) break;
    if (claims.cover(*spec)) return *spec;
  }
  throw NoTensorClaimed{"a tensor of the shapes that were drawn"};
}

TensorSpec draw_claimed_view(Draw& draw, const Claims& claims, const SpecBounds& bounds) {
  const Element element = draw_element(draw, claims, bounds);
  if (element.shapes == Shapes::scalar && bounds.shape.min_rank == 0)
    return compact_of(element, {});
  if (element.shapes != Shapes::any) return draw_known_view(draw, claims, element, bounds);
  for (int i = 0; i < layout_tries; ++i) {
    TensorSpec spec = draw_view(draw, element, bounds);
    if (claims.cover(spec)) return spec;
  }
  TensorSpec plain = compact_of(element, draw_shape(draw, bounds.shape));
  if (claims.cover(plain)) return plain;
  claims.cover(compact_of(element, {2}));  // fails the case if the library withdrew this claim
  return draw_known_view(draw, claims, element, bounds);
}

TensorSpec draw_spec(Draw& draw, const Claims& claims, SpecBounds bounds) {
  if (placed_on_a_device()) {
    if (bounds.dtypes == Dtypes::any) bounds.dtypes = Dtypes::whole_byte;
    bounds.padded = false;
  }
  TensorSpec spec = draw_claimed_view(draw, claims, bounds);
  if (bounds.read_only && draw.flip()) {
    TensorSpec read_only = spec;
    read_only.flags |= DLCERT_SPEC_READ_ONLY;
    if (claims.cover(read_only)) return read_only;
  }
  return spec;
}

}  // namespace

TensorSpec draw_spec(Draw& draw, const Party& party, const SpecBounds& bounds) {
  return draw_spec(draw, Claims{party}, bounds);
}

TensorSpec draw_spec(Case& c, const SpecBounds& bounds) {
  return draw_spec(c.draw, Claims{c.producer, c.consumer}, bounds);
}

TensorSpec draw_simple_spec(Draw& draw, const Party& party) {
  SpecBounds bounds;
  const bool has_float32 = claimed_as(Claims{party}, {float32}, bounds).has_value();
  bounds.dtypes = has_float32 ? Dtypes::float32_only : Dtypes::whole_byte;
  bounds.layouts = Layouts::compact;
  bounds.shape = {.max_rank = 3, .empty = false, .max_elements = 64};
  try {
    return draw_spec(draw, party, bounds);
  } catch (const NoTensorClaimed&) {
    bounds.shape.max_rank = highest_known_rank;
    return draw_spec(draw, party, bounds);
  }
}

TensorSpec draw_spec_of(Draw& draw, const Party& party, dlcert_dtype dtype,
                        const ShapeBounds& bounds) {
  const Element element{dtype};
  const TensorSpec drawn = compact_of(element, draw_shape(draw, bounds));
  if (party.can(drawn)) return drawn;
  for (const std::uint32_t read_only : {0u, std::uint32_t{DLCERT_SPEC_READ_ONLY}})
    if (const auto known = draw_claimed_shape(draw, party, {dtype, read_only},
                                              {.empty = bounds.empty}, Layouts::compact, true))
      return *known;
  require_claimed(party, drawn);
  return drawn;
}

TensorSpec draw_empty_spec(Draw& draw, const Party& party) {
  std::vector<std::int64_t> shape(static_cast<std::size_t>(draw.between(1, 4)));
  for (std::int64_t& extent : shape)
    extent = draw.between(0, 5);
  shape[draw.below(shape.size())] = 0;
  return compact_spec(draw_spec(draw, party, {.padded = false}).dtype, std::move(shape));
}

void require_claimed(const Party& party, const TensorSpec& spec) {
  if (party.can(spec)) return;
  const NotClaimed needed{"the tensor that this check needs"};
  // A check that needs one of these is about it.
  const bool subject = spec.device.type != kDLCPU || sub_byte(spec.dtype) || spec.read_only();
  if (subject) throw needed;
  throw NoTensorClaimed{needed};
}

Bytes draw_logical(Draw& draw, const TensorSpec& spec) {
  Bytes storage(storage_bytes(spec));
  draw.bytes(storage);
  if (spec.dtype.code == kDLBool)
    for (std::byte& byte : storage)
      byte &= std::byte{1};
  return gather(spec, storage.data());
}

Bytes different_logical(const TensorSpec& spec, const Bytes& other) {
  Bytes different = other;
  const std::size_t item = logical_item_size(spec.dtype);
  for (std::size_t element = 0; element < different.size(); element += item)
    different[element] ^= std::byte{1};
  return different;
}

}  // namespace dlcert
