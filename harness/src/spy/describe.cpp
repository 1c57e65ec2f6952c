// SPDX-License-Identifier: Apache-2.0
#include <dlcert/suite/spy.hpp>

#include "spy/elements.hpp"

namespace dlcert {

namespace {

std::uint64_t flags_of(const TensorSpec& spec) {
  std::uint64_t flags = 0;
  if (spec.read_only()) flags |= DLPACK_FLAG_BITMASK_READ_ONLY;
  if (spec.padded()) flags |= DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED;
  return flags;
}

// DLPack counts strides in elements.
std::vector<std::int64_t> element_strides(const TensorSpec& spec) {
  std::vector<std::int64_t> strides = spec.strides;
  if ((spec.flags & DLCERT_SPEC_BYTE_STRIDES) != 0)
    for (std::int64_t& stride : strides)
      stride /= static_cast<std::int64_t>(logical_item_size(spec.dtype));
  return strides;
}

}  // namespace

Descriptor describe_spec(const TensorSpec& spec, Form form, bool use_byte_offset) {
  const std::int64_t first_byte = spec.offset * ElementLayout::of(spec).stride_bits / 8;
  Descriptor descriptor;
  descriptor.form = form;
  descriptor.flags = form == Form::versioned ? flags_of(spec) : 0;
  descriptor.dtype = spec.dtype;
  descriptor.device = spec.device;
  descriptor.ndim = static_cast<std::int32_t>(spec.shape.size());
  descriptor.shape = spec.shape;
  descriptor.strides = element_strides(spec);
  if (use_byte_offset)
    descriptor.byte_offset = static_cast<std::uint64_t>(first_byte);
  else
    descriptor.data_offset = first_byte;
  return descriptor;
}

std::unique_ptr<Offer> make_offer(const TensorSpec& spec, const Bytes& logical, Form form,
                                  bool use_byte_offset) {
  return std::make_unique<Offer>(describe_spec(spec, form, use_byte_offset),
                                 scatter(spec, logical));
}

}  // namespace dlcert
