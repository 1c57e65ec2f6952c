// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <dlcert/suite/check.hpp>
#include <dlcert/suite/spy.hpp>

namespace dlcert {
namespace {

class SpyLibrary : public testing::Test {
 protected:
  void TearDown() override { EXPECT_EQ(spy_.live_allocations(), before_); }

  Tensor make(const TensorSpec& spec, const Bytes& logical) {
    return require(spy_.create(spec, logical), "create");
  }
  Tensor make_vector() { return make(vector_, Bytes(12, std::byte{3})); }

  Party spy_{spy_library(), "spy"};
  TensorSpec vector_ = compact_spec({kDLFloat, 32, 1}, {3});
  std::int64_t before_ = spy_.live_allocations();
};

TEST_F(SpyLibrary, OffersEverything) {
  EXPECT_TRUE(spy_.offers(Can::create | Can::describe | Can::read | Can::write | Can::alias |
                          Can::live_allocations | Can::fail_allocation | Can::dlpack_device |
                          Can::export_managed | Can::import_managed | Can::import_from |
                          Can::capsules | Can::export_capsule | Can::import_capsule |
                          Can::cxx_facts | Can::knows_read_only));
}

TEST_F(SpyLibrary, ReadsAndWritesThroughStrides) {
  TensorSpec spec = compact_spec({kDLUInt, 8, 1}, {2, 2});
  spec.strides = {-1, 3};
  spec.offset = 1;
  spec.storage_size = 6;
  const Bytes logical{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}};
  const Tensor tensor = make(spec, logical);
  EXPECT_EQ(require(spy_.read(tensor, 4), "read"), logical);
  const Bytes other(4, std::byte{9});
  require(spy_.write(tensor, other), "write");
  EXPECT_EQ(require(spy_.read(tensor, 4), "read"), other);
}

TEST_F(SpyLibrary, KeepsReadOnlyTensorsFromWrites) {
  vector_.flags = DLCERT_SPEC_READ_ONLY;
  const Tensor tensor = make_vector();
  EXPECT_FALSE(spy_.write(tensor, Bytes(12)).ok());
  EXPECT_FALSE(spy_.export_managed(tensor, request()).ok());
  const Managed managed = require(spy_.export_managed(tensor, request_version(1, 3)), "export");
  EXPECT_EQ(managed.flags(), DLPACK_FLAG_BITMASK_READ_ONLY);
}

TEST_F(SpyLibrary, ExportsTheFormThatIsAskedFor) {
  const Tensor tensor = make_vector();
  const Managed legacy = require(spy_.export_managed(tensor, request()), "export");
  EXPECT_FALSE(legacy.versioned());
  const Managed versioned = require(spy_.export_managed(tensor, request_version(1, 0)), "export");
  EXPECT_TRUE(versioned.versioned());
  EXPECT_EQ(legacy.first_element(), versioned.first_element());
  EXPECT_EQ(require(spy_.describe(tensor), "describe").data, versioned.first_element());
}

TEST_F(SpyLibrary, CopiesOnRequestAndSaysSo) {
  const Tensor tensor = make_vector();
  dlcert_request request = request_version(1, 3);
  request.copy = boolean(true);
  const Managed copy = require(spy_.export_managed(tensor, request), "export");
  EXPECT_EQ(copy.flags(), DLPACK_FLAG_BITMASK_IS_COPIED);
  EXPECT_NE(copy.first_element(), require(spy_.describe(tensor), "describe").data);
}

TEST_F(SpyLibrary, RefusesArgumentsOfWrongTypes) {
  const Tensor tensor = make_vector();
  dlcert_request request = request_version(1, 3);
  request.copy = text("yes");
  EXPECT_EQ(spy_.export_managed(tensor, request).error().kind, DLCERT_ERROR_TYPE);
  request.copy = absent();
  request.stream = integer(1);
  EXPECT_EQ(spy_.export_managed(tensor, request).error().kind, DLCERT_ERROR_VALUE);
  request.stream = absent();
  request.dl_device = pair(2, 0);
  EXPECT_EQ(spy_.export_managed(tensor, request).error().kind, DLCERT_ERROR_BUFFER);
}

TEST_F(SpyLibrary, ExportsOutliveTheirSource) {
  Tensor tensor = make_vector();
  Managed managed = require(spy_.export_managed(tensor, request()), "export");
  tensor.release();
  EXPECT_EQ(managed.first_element()[11], std::byte{3});
  EXPECT_EQ(spy_.live_allocations(), before_ + 2);
  managed.release();
  EXPECT_EQ(spy_.live_allocations(), before_);
}

TEST_F(SpyLibrary, DropsAnUnconsumedCapsuleWithItsTensor) {
  const Tensor tensor = make_vector();
  Capsule capsule = require(spy_.export_capsule(tensor, request()), "export");
  EXPECT_EQ(capsule.name(), "dltensor");
  EXPECT_EQ(capsule.pointer("dltensor_versioned"), nullptr);
  EXPECT_NE(capsule.pointer("dltensor"), nullptr);
}

TEST_F(SpyLibrary, ConsumesACapsuleOnce) {
  const Tensor tensor = make_vector();
  const Capsule capsule = require(spy_.export_capsule(tensor, request_version(1, 3)), "export");
  const Tensor imported = require(spy_.import_capsule(capsule), "import");
  EXPECT_FALSE(spy_.import_capsule(capsule).ok());
  EXPECT_EQ(require(spy_.read(imported, 12), "read"), Bytes(12, std::byte{3}));
}

TEST_F(SpyLibrary, RefusesMalformedTensors) {
  using Change = void (*)(Descriptor&);
  const Change changes[] = {
      [](Descriptor& d) { d.ndim = -1; },
      [](Descriptor& d) { d.ndim = 65; },
      [](Descriptor& d) { d.shape = std::nullopt; },
      [](Descriptor& d) { d.shape = {{-1}}; },
      [](Descriptor& d) { d.shape = {{INT64_MAX}}; },
      [](Descriptor& d) { d.strides = {{INT64_MIN}}; },
      [](Descriptor& d) { d.strides = {{INT64_MAX / 2}}; },
      [](Descriptor& d) { d.data = Descriptor::Data::null; },
      [](Descriptor& d) {
        d.device = {2, 0};
      },
      [](Descriptor& d) { d.dtype.lanes = 0; },
      [](Descriptor& d) { d.dtype.code = 18; },
      [](Descriptor& d) { d.dtype.bits = 24; },
      [](Descriptor& d) { d.flags = 8; },
  };
  for (const Change change : changes) {
    Descriptor descriptor = describe_spec(vector_, Form::versioned);
    change(descriptor);
    Offer offer{descriptor, Bytes(12)};
    EXPECT_FALSE(spy_.import_managed(offer.managed()).ok());
    EXPECT_EQ(offer.deleter_calls(), 0);
    offer.recall();
  }
}

TEST_F(SpyLibrary, TakesMissingStridesAsCompactAndMissingDataOfEmptyTensors) {
  Descriptor descriptor = describe_spec(compact_spec({kDLInt, 8, 1}, {2, 2}), Form::legacy);
  descriptor.strides = std::nullopt;
  const Offer offer{descriptor, Bytes(4, std::byte{1})};
  {
    const Tensor imported = require(spy_.import_managed(offer.managed()), "import");
    EXPECT_EQ(require(spy_.read(imported, 4), "read"), Bytes(4, std::byte{1}));
  }
  descriptor.shape = {{2, 0}};
  descriptor.data = Descriptor::Data::null;
  const Offer empty{descriptor, {}};
  const Tensor imported = require(spy_.import_managed(empty.managed()), "import");
  EXPECT_EQ(require(spy_.read(imported, 0), "read"), Bytes{});
}

TEST_F(SpyLibrary, FailsTheAllocationThatItIsToldTo) {
  spy_.fail_allocation(1);
  {
    const Tensor tensor = make_vector();
    const auto refused = spy_.export_managed(tensor, request());
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().kind, DLCERT_ERROR_MEMORY);
  }
  spy_.fail_allocation(-1);
}

TEST_F(SpyLibrary, AsksObjectsFromBefore2023AgainWithoutArguments) {
  const auto offer = make_offer(vector_, Bytes(12), Form::legacy);
  SpyProducer old{{1, 0}, nullptr, spy_, true};
  bool raised = false;
  old.answer([&](const dlcert_request& request) -> Offer* {
    if (request.max_version.tag == DLCERT_ABSENT) return offer.get();
    raised = true;
    return nullptr;
  });
  EXPECT_FALSE(spy_.import_from(old.c(), import_request()).ok());  // BufferError is final
  EXPECT_TRUE(raised);
  SpyProducer older{{1, 0}, offer.get(), spy_, true};
  older.raise_from_dlpack({DLCERT_ERROR_TYPE, 0, "TypeError", "unexpected argument"});
  EXPECT_EQ(spy_.import_from(older.c(), import_request()).error().kind, DLCERT_ERROR_TYPE);
  EXPECT_EQ(older.calls().size(), 3u);  // the device, with arguments, without
  offer->recall();
}

TEST_F(SpyLibrary, CopiesWhatItsProducerDidNot) {
  const auto offer = make_offer(vector_, Bytes(12, std::byte{4}), Form::versioned);
  const SpyProducer producer{{1, 0}, offer.get(), spy_, false};
  dlcert_import_request request = import_request();
  request.copy = boolean(true);
  const Tensor imported = require(spy_.import_from(producer.c(), request), "import");
  EXPECT_EQ(offer->deleter_calls(), 1);
  EXPECT_EQ(require(spy_.read(imported, 12), "read"), Bytes(12, std::byte{4}));
}

}  // namespace
}  // namespace dlcert
