// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <dlcert/suite/spy.hpp>

namespace dlcert {
namespace {

class SpyProducerTest : public testing::Test {
 protected:
  dlcert_status ask(const SpyProducer& producer, const dlcert_request& request) {
    exported_ = {};
    exported_.struct_size = sizeof(exported_);
    error_ = {};
    error_.struct_size = sizeof(error_);
    return producer.c().dlpack(producer.c().context, &request, &exported_, &error_);
  }

  Party consumer_{spy_library(), "spy"};
  std::unique_ptr<Offer> versioned_ =
      make_offer(compact_spec({kDLFloat, 32, 1}, {2}), Bytes(8), Form::versioned);
  std::unique_ptr<Offer> legacy_ =
      make_offer(compact_spec({kDLFloat, 32, 1}, {2}), Bytes(8), Form::legacy);
  dlcert_exported exported_{};
  dlcert_error error_{};
};

TEST_F(SpyProducerTest, HandsOutVersionedTensorsOnlyWhereMaxVersionAllowsIt) {
  const SpyProducer producer{{1, 0}, versioned_.get(), consumer_, false};
  EXPECT_EQ(ask(producer, request()), DLCERT_REFUSED);
  EXPECT_EQ(error_.kind, DLCERT_ERROR_BUFFER);
  EXPECT_EQ(ask(producer, request_version(0, 8)), DLCERT_REFUSED);
  EXPECT_EQ(ask(producer, request_version(1, 0)), DLCERT_OK);
  EXPECT_EQ(exported_.managed.pointer, versioned_->managed().pointer);
  EXPECT_EQ(producer.exports(), 1);
  versioned_->release_from_harness();
}

TEST_F(SpyProducerTest, HandsOutATensorOnce) {
  const SpyProducer producer{{1, 0}, legacy_.get(), consumer_, false};
  EXPECT_EQ(ask(producer, request()), DLCERT_OK);
  EXPECT_EQ(ask(producer, request()), DLCERT_REFUSED);
  EXPECT_EQ(producer.exports(), 1);
  legacy_->release_from_harness();
}

TEST_F(SpyProducerTest, MakesCapsulesOfTheConsumersLibrary) {
  const SpyProducer producer{{1, 0}, legacy_.get(), consumer_, true};
  ASSERT_EQ(ask(producer, request()), DLCERT_OK);
  Capsule capsule{consumer_, exported_.capsule};
  EXPECT_EQ(capsule.name(), "dltensor");
  capsule.drop();
  EXPECT_EQ(legacy_->deleter_calls(), 1);
}

TEST_F(SpyProducerTest, RecordsItsCalls) {
  const SpyProducer producer{{1, 7}, nullptr, consumer_, false};
  dlcert_device device{};
  EXPECT_EQ(producer.c().dlpack_device(producer.c().context, &device, &error_), DLCERT_OK);
  EXPECT_EQ(device.id, 7);
  EXPECT_EQ(ask(producer, request_version(1, 2)), DLCERT_REFUSED);
  ASSERT_EQ(producer.calls().size(), 2u);
  EXPECT_TRUE(producer.calls()[0].device);
  EXPECT_FALSE(producer.calls()[1].device);
  EXPECT_EQ(producer.calls()[1].request.max_version.second, 2);
}

TEST_F(SpyProducerTest, RaisesWhatItIsToldTo) {
  SpyProducer producer{{1, 0}, legacy_.get(), consumer_, false};
  producer.raise_from_dlpack({DLCERT_ERROR_ASSERTION, 3, "AssertionError", "told so"});
  EXPECT_EQ(ask(producer, request()), DLCERT_REFUSED);
  EXPECT_EQ(error_.kind, DLCERT_ERROR_ASSERTION);
  EXPECT_EQ(error_.code, 3);
  EXPECT_STREQ(error_.type, "AssertionError");
  EXPECT_STREQ(error_.message, "told so");
  EXPECT_EQ(producer.exports(), 0);
}

TEST_F(SpyProducerTest, LacksWhatItIsToldToLack) {
  SpyProducer producer{{1, 0}, legacy_.get(), consumer_, false};
  producer.without_device();
  producer.without_dlpack();
  EXPECT_EQ(producer.c().dlpack_device, nullptr);
  EXPECT_EQ(producer.c().dlpack, nullptr);
}

TEST_F(SpyProducerTest, KnowsStreamAloneWhereItIsToldTo) {
  SpyProducer producer{{1, 0}, legacy_.get(), consumer_, false};
  producer.knows_only_stream();
  dlcert_request with_stream = request();
  with_stream.stream = none();
  dlcert_request newer = with_stream;
  newer.copy = none();
  EXPECT_EQ(ask(producer, newer), DLCERT_REFUSED);
  EXPECT_EQ(error_.kind, DLCERT_ERROR_TYPE);
  EXPECT_EQ(ask(producer, with_stream), DLCERT_OK);
  EXPECT_EQ(producer.exports(), 1);
  legacy_->release_from_harness();
}

TEST_F(SpyProducerTest, GivesUsedCapsulesWhereItIsToldTo) {
  SpyProducer producer{{1, 0}, legacy_.get(), consumer_, true};
  producer.gives_used_capsules();
  EXPECT_EQ(ask(producer, request()), DLCERT_OK);
  Capsule capsule{consumer_, exported_.capsule};
  EXPECT_EQ(capsule.name(), "used_dltensor");
  capsule.drop();
  EXPECT_EQ(legacy_->deleter_calls(), 0);
  legacy_->release_from_harness();
}

TEST_F(SpyProducerTest, AnswersAsItIsTold) {
  SpyProducer producer{{1, 0}, nullptr, consumer_, false};
  producer.answer([&](const dlcert_request& request) {
    return request.copy.tag == DLCERT_BOOL ? versioned_.get() : nullptr;
  });
  EXPECT_EQ(ask(producer, request()), DLCERT_REFUSED);
  dlcert_request with_copy = request();
  with_copy.copy = boolean(true);
  EXPECT_EQ(ask(producer, with_copy), DLCERT_OK);
  versioned_->release_from_harness();
}

}  // namespace
}  // namespace dlcert
