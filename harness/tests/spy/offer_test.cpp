// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <dlcert/suite/check.hpp>
#include <dlcert/suite/spy.hpp>
#include <dlcert/suite/threads.hpp>

#include "spy/guarded_block.hpp"
#include "spy/offer_text.hpp"

namespace dlcert {
namespace {

Bytes counted(std::size_t size) {
  Bytes out(size);
  for (std::size_t i = 0; i < size; ++i)
    out[i] = static_cast<std::byte>(i);
  return out;
}

const TensorSpec& matrix() {
  static const TensorSpec spec = compact_spec({kDLFloat, 32, 1}, {2, 3});
  return spec;
}

std::unique_ptr<Offer> offered(Form form = Form::versioned) {
  return make_offer(matrix(), counted(24), form);
}

DLManagedTensorVersioned& versioned(const Offer& offer) {
  return *static_cast<DLManagedTensorVersioned*>(offer.managed().pointer);
}

DLManagedTensor& legacy(const Offer& offer) {
  return *static_cast<DLManagedTensor*>(offer.managed().pointer);
}

TEST(Offer, SaysWhatTheSpecSays) {
  const auto offer = offered();
  const DLManagedTensorVersioned& managed = versioned(*offer);
  EXPECT_EQ(managed.version.major, 1u);
  EXPECT_EQ(managed.flags, 0u);
  EXPECT_EQ(managed.dl_tensor.ndim, 2);
  EXPECT_EQ(managed.dl_tensor.shape[1], 3);
  EXPECT_EQ(managed.dl_tensor.strides[0], 3);
  EXPECT_EQ(managed.dl_tensor.device.device_type, kDLCPU);
  EXPECT_EQ(managed.dl_tensor.data, offer->storage());
  EXPECT_EQ(offer->logical(), counted(24));
  offer->recall();
}

TEST(Offer, PutsFlagsOfTheSpecIntoVersionedTensors) {
  TensorSpec spec = compact_spec({kDLFloat4_e2m1fn, 4, 1}, {3});
  spec.flags = DLCERT_SPEC_READ_ONLY | DLCERT_SPEC_SUBBYTE_PADDED;
  const auto offer = make_offer(spec, Bytes(3, std::byte{5}), Form::versioned);
  EXPECT_EQ(versioned(*offer).flags,
            DLPACK_FLAG_BITMASK_READ_ONLY | DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED);
  EXPECT_EQ(offer->logical(), Bytes(3, std::byte{5}));
  offer->recall();
}

TEST(Offer, GivesTheOffsetByEitherField) {
  TensorSpec spec = matrix();
  spec.offset = 2;
  spec.storage_size = 8;
  for (const bool by_field : {false, true}) {
    const auto offer = make_offer(spec, counted(24), Form::legacy, by_field);
    EXPECT_EQ(legacy(*offer).dl_tensor.byte_offset, by_field ? 8u : 0u);
    EXPECT_EQ(offer->first_element(), offer->storage() + 8);
    EXPECT_EQ(offer->logical(), counted(24));
    offer->recall();
  }
}

TEST(Offer, WritesThroughItsLayout) {
  TensorSpec spec = matrix();
  spec.strides = {1, 2};
  const auto offer = make_offer(spec, counted(24), Form::versioned);
  Bytes other = counted(24);
  other[0] = std::byte{99};
  offer->set_logical(other);
  EXPECT_EQ(offer->logical(), other);
  EXPECT_EQ(offer->storage()[0], std::byte{99});
}

TEST(Offer, MayLieInEveryField) {
  Descriptor descriptor;
  descriptor.ndim = -3;
  descriptor.dtype = {200, 7, 0};
  descriptor.device = {99, 5};
  descriptor.version = {7, 8};
  descriptor.data = Descriptor::Data::null;
  descriptor.context = Descriptor::Context::null;
  descriptor.deleter = Descriptor::Deleter::null;
  const Offer offer{descriptor, {}};
  const DLManagedTensorVersioned& managed = versioned(offer);
  EXPECT_EQ(managed.dl_tensor.ndim, -3);
  EXPECT_EQ(managed.dl_tensor.shape, nullptr);
  EXPECT_EQ(managed.dl_tensor.strides, nullptr);
  EXPECT_EQ(managed.dl_tensor.data, nullptr);
  EXPECT_EQ(managed.manager_ctx, nullptr);
  EXPECT_EQ(managed.deleter, nullptr);
  EXPECT_EQ(managed.version.minor, 8u);
}

TEST(Offer, CountsDeleterCallsAndTheirThread) {
  const auto offer = offered(Form::legacy);
  EXPECT_EQ(offer->deleter_thread(), std::nullopt);
  std::thread other{[&] { legacy(*offer).deleter(&legacy(*offer)); }};
  const std::thread::id id = other.get_id();
  other.join();
  EXPECT_EQ(offer->deleter_calls(), 1);
  EXPECT_EQ(offer->deleter_thread(), id);
  offer->release_from_harness();
  EXPECT_EQ(offer->deleter_calls(), 2);
}

TEST(Offer, IsExpectedToBeDeletedSoOftenOrFails) {
  const auto offer = offered();
  expect_deletions(0, *offer);
  EXPECT_THROW(expect_deleted_once(*offer), Failure);
  offer->release_from_harness();
  expect_deleted_once(*offer);
  EXPECT_THROW(expect_deletions(0, *offer), Failure);
  offer->release_from_harness();
  EXPECT_THROW(expect_deleted_once(*offer), Failure);
  expect_deletions(2, *offer);
}

TEST(Offer, MayBeDeletedAtTheNextCollectionOfGarbage) {
  const auto offer = offered();
  collect_by(offer.get(), [&](bool all) {
    if (all) offer->release_from_harness();
  });
  expect_deleted_once(*offer);
  expect_deleted_once(*offer);  // and needs no other
  collect_by(offer.get(), {});
}

TEST(Offer, TellsACopyOfTheStructFromTheStruct) {
  const auto offer = offered();
  DLManagedTensorVersioned copy = versioned(*offer);
  copy.deleter(&copy);
  EXPECT_EQ(offer->deleter_calls(), 0);
  EXPECT_EQ(offer->stray_deleter_calls(), 1);
  offer->release_from_harness();
}

TEST(Offer, PoisonsEverythingWhenItIsReleasedButKeepsTheDeleterCallable) {
  const auto offer = offered();
  const std::int64_t* const shape = versioned(*offer).dl_tensor.shape;
  offer->release_from_harness();
  EXPECT_EQ(offer->storage()[0], GuardedBlock::poison);
  EXPECT_EQ(shape[0], static_cast<std::int64_t>(0xDBDBDBDBDBDBDBDBu));
  EXPECT_NE(versioned(*offer).flags, 0u);
  versioned(*offer).deleter(&versioned(*offer));
  EXPECT_EQ(offer->deleter_calls(), 2);
}

TEST(Offer, IsInaccessibleAfterReleaseWhenSealed) {
  const auto offer = offered();
  offer->seal_after_release();
  const volatile std::int32_t* const rank = &versioned(*offer).dl_tensor.ndim;
  const volatile std::byte* const data = offer->storage();
  offer->release_from_harness();
  EXPECT_DEATH(static_cast<void>(*rank), "");
  EXPECT_DEATH(static_cast<void>(*data), "");
}

TEST(Offer, NoticesWhatTheConsumerChanged) {
  const auto offer = offered();
  versioned(*offer).dl_tensor.strides[0] *= 4;
  EXPECT_FALSE(offer->described_unchanged());
  versioned(*offer).dl_tensor.strides[0] /= 4;
  EXPECT_TRUE(offer->described_unchanged());
  versioned(*offer).manager_ctx = nullptr;
  EXPECT_FALSE(offer->context_unchanged());
  offer->release_from_harness();
  EXPECT_FALSE(offer->context_unchanged());
  EXPECT_FALSE(offer->described_unchanged());
}

TEST(Offer, RunsTheActionInsideTheDeleterBeforeThePoison) {
  const auto offer = offered();
  Bytes seen;
  offer->on_deleter([&] { seen = offer->logical(); });
  offer->release_from_harness();
  EXPECT_EQ(seen, counted(24));
}

TEST(Offer, ProtectsWhatItIsAskedToProtect) {
  Descriptor descriptor = describe_spec(matrix(), Form::versioned);
  descriptor.protection = Protection::read_only_data;
  const Offer data_only{descriptor, counted(24)};
  versioned(data_only).flags = 0;
  EXPECT_DEATH(data_only.storage()[0] = std::byte{1}, "");
  descriptor.protection = Protection::read_only_all;
  const Offer all{descriptor, counted(24)};
  EXPECT_EQ(all.logical(), counted(24));
  EXPECT_DEATH(versioned(all).flags = 0, "");
  EXPECT_DEATH(versioned(all).dl_tensor.shape[0] = 0, "");
}

TEST(Offer, SealsEverythingBehindTheFlags) {
  Descriptor descriptor = describe_spec(matrix(), Form::versioned);
  descriptor.version = {2, 0};
  descriptor.protection = Protection::sealed_tail;
  Offer offer{descriptor, counted(24)};
  EXPECT_EQ(versioned(offer).version.major, 2u);
  EXPECT_EQ(versioned(offer).flags, 0u);
  const volatile std::int32_t* const rank = &versioned(offer).dl_tensor.ndim;
  EXPECT_DEATH(static_cast<void>(*rank), "");
  versioned(offer).deleter(&versioned(offer));
  EXPECT_EQ(offer.deleter_calls(), 1);
}

TEST(Offer, IgnoresADeleterCallThatComesTooLate) {
  void (*deleter)(DLManagedTensorVersioned*) = nullptr;
  DLManagedTensorVersioned* address = nullptr;
  {
    const auto offer = offered();
    address = &versioned(*offer);
    deleter = address->deleter;
  }
  deleter(address);
}

// Libraries take null strides another way, also of a scalar.
TEST(Offer, IsRepeatedWithAnArrayWhereItHasAnEmptyOneAndWithNullWhereItHasNone) {
  Descriptor scalar;
  scalar.shape = std::vector<std::int64_t>{};
  scalar.strides = std::nullopt;
  const std::string expression = offer_expression(scalar, Bytes(4));
  EXPECT_NE(expression.find(".shape = LIST(0)"), std::string::npos) << expression;
  EXPECT_EQ(expression.find(".strides"), std::string::npos) << "NULL is left out: " << expression;
}

TEST(Offer, LeavesTheMemoryAloneThatSomebodyMayStillHold) {
  const void* held = nullptr;
  {
    const auto offer = offered();
    held = offer->managed().pointer;
  }
  const auto next = offered();
  EXPECT_NE(next->managed().pointer, held);
  next->recall();
}

}  // namespace
}  // namespace dlcert
