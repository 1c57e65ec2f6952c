// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>

#include <dlcert/suite/input_properties.hpp>
#include <dlcert/suite/party.hpp>
#include <dlcert/suite/spy.hpp>

#include "register/register.hpp"

namespace dlcert {
namespace {

constexpr InputProperties none = 0;

TEST(InputProperties, AreOwnedByRequirementsOfTheirRole) {
  const Register& known = Register::embedded();
  for (std::size_t i = 0; i < input_property_count; ++i) {
    const auto property = static_cast<InputProperty>(i);
    EXPECT_EQ(input_property_from(name_of(property)), property);
    bool owned = false;
    for (const Role role : {Role::consumer, Role::producer}) {
      for (const std::string_view owner : owners_of(property, role)) {
        owned = true;
        const Requirement* const found = known.find(owner);
        ASSERT_NE(found, nullptr) << owner;
        EXPECT_TRUE(found->role == "both" ||
                    found->role == (role == Role::consumer ? "consumer" : "producer"))
            << owner;
      }
    }
    EXPECT_TRUE(owned) << name_of(property);
  }
  EXPECT_THROW(input_property_from("colour"), std::runtime_error);
}

TEST(InputProperties, AreThoseOfATensorToBeMade) {
  TensorSpec spec = compact_spec({2, 32, 1}, {2, 3});
  EXPECT_EQ(properties_of(spec), none);
  spec.strides = {-3, 0};
  spec.offset = 3;
  EXPECT_EQ(properties_of(spec), none | InputProperty::view_of_storage | InputProperty::strided |
                                     InputProperty::negative_stride | InputProperty::zero_stride);
  EXPECT_EQ(properties_of(compact_spec({6, 8, 1}, {})),
            none | InputProperty::boolean | InputProperty::rank_0);
  EXPECT_EQ(properties_of(compact_spec({0, 4, 1}, {0})),
            none | InputProperty::sub_byte | InputProperty::no_elements);
}

TEST(InputProperties, AreNotedByAnOffer) {
  Descriptor descriptor;
  descriptor.ndim = 1;
  descriptor.shape = {2};
  descriptor.byte_offset = 4;
  descriptor.deleter = Descriptor::Deleter::null;
  const InputOfCase input{none, nullptr};
  const Offer offer{descriptor, Bytes(12)};
  EXPECT_EQ(input.properties(), none | InputProperty::byte_offset | InputProperty::unaligned |
                                    InputProperty::null_strides | InputProperty::versioned |
                                    InputProperty::null_deleter);
  EXPECT_FALSE(input.has_excluded());
}

TEST(InputProperties, AreThoseOfAnExportOfAnImport) {
  Tensor tensor;
  EXPECT_EQ(properties_of_export(tensor), none);
  tensor.set_imported();
  Tensor moved{std::move(tensor)};
  EXPECT_EQ(properties_of_export(moved), none | InputProperty::imported);
}

TEST(InputProperties, AreStridesOfAxesWithOneElement) {
  Descriptor descriptor;
  descriptor.ndim = 2;
  descriptor.shape = {1, 3};
  descriptor.strides = {3, 1};
  const InputOfCase input{none, nullptr};
  { const Offer dense{descriptor, Bytes(12)}; }
  EXPECT_FALSE(has(input.properties(), InputProperty::unit_stride));
  descriptor.strides = {7, 1};
  { const Offer other{descriptor, Bytes(12)}; }
  EXPECT_TRUE(has(input.properties(), InputProperty::unit_stride));
  EXPECT_FALSE(has(input.properties(), InputProperty::strided));
}

TEST(InputProperties, OfAnAddressAreLeftOutByAligningIt) {
  Descriptor descriptor;
  descriptor.ndim = 1;
  descriptor.shape = {2};
  descriptor.byte_offset = 4;
  const InputOfCase input{none | InputProperty::unaligned, nullptr};
  const Offer offer{descriptor, Bytes(12)};
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(offer.first_element()) % 256, 0u);
  EXPECT_EQ(offer.storage_bytes(), 12u);
  EXPECT_FALSE(input.has_excluded());
}

TEST(InputProperties, ThatAreLeftOutEndTheCaseBeforeTheLibraryIsCalled) {
  std::atomic<std::uint64_t> shared{7};
  const InputOfCase input{none | InputProperty::boolean, &shared};
  EXPECT_EQ(shared, none);
  note_input(none | InputProperty::rank_0);
  EXPECT_THROW(note_input(none | InputProperty::boolean), ExcludedInput);
  EXPECT_TRUE(input.has_excluded());
  EXPECT_EQ(shared, none | InputProperty::rank_0 | InputProperty::boolean);
}

TEST(InputProperties, ThatAreLeftOutDoNotThrowThroughALibrary) {
  const InputOfCase input{none | InputProperty::boolean, nullptr};
  {
    const InsideLibrary inside;
    EXPECT_NO_THROW(note_input(none | InputProperty::boolean));
  }
  EXPECT_TRUE(input.has_excluded());
}

TEST(InputProperties, AreNotNotedOutsideOfACase) {
  EXPECT_NO_THROW(note_input(none | InputProperty::boolean));
}

}  // namespace
}  // namespace dlcert
