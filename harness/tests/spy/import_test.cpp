// SPDX-License-Identifier: Apache-2.0
//
// Who gives a tensor back, with consumers of every sort: faultless, refusing, consuming on refusal,
// forgetful.
#include <gtest/gtest.h>

#include <dlcert/adapter.hpp>
#include <dlcert/suite/spy.hpp>

namespace dlcert {
namespace {

std::unique_ptr<Offer> offered_sevens(Form form = Form::versioned) {
  return make_offer(compact_spec({kDLFloat, 32, 1}, {2, 3}), Bytes(24, std::byte{7}), form);
}

class EveryRoute : public testing::TestWithParam<std::tuple<Route, Form>> {
 protected:
  Route route() const { return std::get<0>(GetParam()); }
  Form form() const { return std::get<1>(GetParam()); }
  Party spy_{spy_library(), "spy"};
};

INSTANTIATE_TEST_SUITE_P(Import, EveryRoute,
                         testing::Combine(testing::Values(Route::managed, Route::producer,
                                                          Route::capsule),
                                          testing::Values(Form::legacy, Form::versioned)));

TEST_P(EveryRoute, DeletesAnAcceptedTensorOnce) {
  const auto offer = offered_sevens(form());
  Import import{spy_, *offer, route()};
  ASSERT_TRUE(import.accepted());
  EXPECT_EQ(offer->deleter_calls(), 0);
  import.finish();
  EXPECT_EQ(offer->deleter_calls(), 1);
}

TEST_P(EveryRoute, DeletesARefusedTensorOnce) {
  Descriptor descriptor = describe_spec(compact_spec({kDLFloat, 32, 1}, {2}), form());
  descriptor.dtype = {200, 8, 1};
  Offer offer{descriptor, Bytes(8)};
  Import import{spy_, offer, route()};
  ASSERT_FALSE(import.accepted());
  import.finish();
  EXPECT_EQ(offer.deleter_calls(), 1);
}

TEST_P(EveryRoute, SurvivesANullDeleter) {
  Descriptor descriptor = describe_spec(compact_spec({kDLFloat, 32, 1}, {2}), form());
  descriptor.deleter = Descriptor::Deleter::null;
  Offer offer{descriptor, Bytes(8)};
  Import import{spy_, offer, route()};
  ASSERT_TRUE(import.accepted());
  import.finish();
  EXPECT_EQ(offer.deleter_calls(), 0);
}

TEST_P(EveryRoute, KeepsTheTensorWhenItsSourceIsGone) {
  const auto offer = offered_sevens(form());
  Import import{spy_, *offer, route()};
  import.drop_source();
  EXPECT_EQ(require(spy_.read(import.tensor(), 24), "read"), Bytes(24, std::byte{7}));
  import.finish();
  EXPECT_EQ(offer->deleter_calls(), 1);
}

TEST_P(EveryRoute, DeletesATensorOfAForeignMajorOnce) {
  Descriptor descriptor = describe_spec(compact_spec({kDLFloat, 32, 1}, {2}), Form::versioned);
  descriptor.version = {2, 0};
  Offer offer{descriptor, Bytes(8)};
  Import import{spy_, offer, route()};
  ASSERT_FALSE(import.accepted());
  import.finish();
  EXPECT_EQ(offer.deleter_calls(), 1);
}

TEST(Import, ShowsTheCapsuleUntilItIsFinished) {
  const Party spy{spy_library(), "spy"};
  const auto offer = offered_sevens();
  Import import{spy, *offer, Route::capsule};
  ASSERT_NE(import.capsule(), nullptr);
  EXPECT_EQ(import.capsule()->name(), used_name(Form::versioned));
  import.finish();
  EXPECT_EQ(import.capsule(), nullptr);
}

// ---- consumers that the accounts must see through -----------------------------------------------

// Takes and refuses bare managed tensors as it is told.
struct Told {
  struct Tensor {};

  const char* name() { return "told"; }
  const char* version() { return "1"; }
  std::uint32_t properties() { return properties_; }
  Tensor import_managed(dlcert_managed managed) {
    auto* const tensor = static_cast<DLManagedTensorVersioned*>(managed.pointer);
    for (int i = 0; i < deletions_; ++i)
      tensor->deleter(tensor);
    if (!formable_) throw adapter::NotFormable{};
    if (!accepts_) throw adapter::Refused{DLCERT_ERROR_BUFFER, "told to"};
    return {};
  }

  std::uint32_t properties_ = 0;
  int deletions_ = 0;
  bool accepts_ = true;
  bool formable_ = true;
};

struct DeleterCalls {
  bool accepted;
  int deletions;
};

DeleterCalls account_of(Told told, DLPackVersion version = own_version) {
  const dlcert_adapter table = adapter::table(told);
  const Party party{table, "told"};
  Descriptor descriptor = describe_spec(compact_spec({kDLFloat, 32, 1}, {2}), Form::versioned);
  descriptor.version = version;
  Offer offer{descriptor, Bytes(8)};
  Import import{party, offer, Route::managed};
  const bool accepted = import.accepted();
  import.finish();
  return {accepted, offer.deleter_calls()};
}

TEST(Import, SeesATensorThatIsNeverReleased) {
  EXPECT_EQ(account_of({}).deletions, 0);
}

TEST(Import, SeesATensorThatIsReleasedTwice) {
  EXPECT_EQ(account_of({.deletions_ = 2}).deletions, 2);
}

TEST(Import, ReleasesARefusedTensorForALibraryThatLeavesItToTheCaller) {
  EXPECT_EQ(account_of({.accepts_ = false}).deletions, 1);
}

TEST(Import, SeesARefusalThatReleasesWithoutSayingSo) {
  EXPECT_EQ(account_of({.deletions_ = 1, .accepts_ = false}).deletions, 2);
}

TEST(Import, LeavesARefusedTensorToALibraryThatSaysItConsumesIt) {
  EXPECT_EQ(
      account_of({.properties_ = DLCERT_FAILED_IMPORT_CONSUMES, .deletions_ = 1, .accepts_ = false})
          .deletions,
      1);
  EXPECT_EQ(account_of({.properties_ = DLCERT_FAILED_IMPORT_CONSUMES, .accepts_ = false}).deletions,
            0);
}

TEST(Import, LeavesATensorOfAForeignMajorToTheLibrary) {
  EXPECT_EQ(account_of({.accepts_ = false}, {2, 0}).deletions, 0);
  EXPECT_EQ(account_of({.deletions_ = 1, .accepts_ = false}, {2, 0}).deletions, 1);
}

TEST(Import, TakesEitherSideForATensorOfMajorZero) {
  EXPECT_EQ(account_of({.accepts_ = false}, {0, 9}).deletions, 1);
  EXPECT_EQ(account_of({.deletions_ = 1, .accepts_ = false}, {0, 9}).deletions, 1);
}

TEST(Import, TakesBackWhatTheLibraryCannotBeOffered) {
  Told told{.formable_ = false};
  const dlcert_adapter table = adapter::table(told);
  const Party party{table, "told"};
  const void* held = nullptr;
  {
    const auto offer = offered_sevens();
    held = offer->managed().pointer;
    EXPECT_THROW((Import{party, *offer, Route::managed}), NotFormable);
  }
  const auto next = offered_sevens();
  EXPECT_EQ(next->managed().pointer, held);
  next->recall();
}

TEST(Import, FailsWhatTookTheTensorAndCannotFormTheCall) {
  Told told{.deletions_ = 1, .formable_ = false};
  const dlcert_adapter table = adapter::table(told);
  const Party party{table, "told"};
  const auto offer = offered_sevens();
  EXPECT_THROW((Import{party, *offer, Route::managed}), Failure);
  EXPECT_EQ(offer->deleter_calls(), 1);
}

TEST(Routes, AreThoseThatTheConsumerHas) {
  Told told;
  const dlcert_adapter table = adapter::table(told);
  const Party party{table, "told"};
  EXPECT_EQ(routes(party), std::vector{Route::managed});
  EXPECT_EQ(routes(Party{spy_library(), "spy"}).size(), 3u);
}

TEST(Forms, AreThoseThatTheConsumerTakes) {
  const Party spy{spy_library(), "spy"};
  for (const Route route : routes(spy))
    EXPECT_EQ(forms(spy, route).size(), 2u);
}

TEST(Forms, AreNoneWhereTheConsumerClaimsNothing) {
  dlcert_adapter table = spy_library();
  dlcert_tensor_group claiming_nothing = *table.tensor;
  claiming_nothing.can = [](void*, const dlcert_tensor_spec*) { return 0; };
  table.tensor = &claiming_nothing;
  const Party party{table, "claims nothing"};
  EXPECT_FALSE(plain_spec(party));
  EXPECT_TRUE(forms(party, Route::managed).empty());
}

TEST(PlainSpec, IsOfATypeAndRankThatAreClaimed) {
  dlcert_adapter table = spy_library();
  dlcert_tensor_group bytes_of_rank_2 = *table.tensor;
  bytes_of_rank_2.can = [](void*, const dlcert_tensor_spec* spec) -> int {
    return spec->dtype.code == kDLUInt && spec->ndim == 2;
  };
  table.tensor = &bytes_of_rank_2;
  const std::optional<TensorSpec> plain = plain_spec(Party{table, "bytes of rank 2"});
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->dtype.bits, 8);
  EXPECT_EQ(plain->shape.size(), 2u);
}

TEST(AnImport, TellsWhetherItsOfferWasHandedOut) {
  const Party spy{spy_library(), "spy"};
  const auto taken = offered_sevens();
  EXPECT_TRUE((Import{spy, *taken, Route::producer}.handed_out()));
  Descriptor elsewhere = taken->descriptor();
  elsewhere.device = {2, 0};
  Offer refused{elsewhere, Bytes(8)};
  const Import import{spy, refused, Route::producer};
  EXPECT_FALSE(import.accepted());
  EXPECT_FALSE(import.handed_out());
}

TEST(AnImport, TellsWhetherTheConsumerAskedForAnotherForm) {
  const Party spy{spy_library(), "spy"};
  EXPECT_FALSE((Import{spy, *offered_sevens(), Route::producer}.asked_in_vain()));
  dlcert_adapter table = spy_library();
  dlcert_exchange_group asking_without_version = *table.exchange;
  asking_without_version.import_from = [](void*, const dlcert_producer* producer,
                                          const dlcert_import_request*, dlcert_tensor**,
                                          dlcert_error* error) {
    dlcert_exported exported{};
    const dlcert_request nothing = request();
    return producer->dlpack(producer->context, &nothing, &exported, error);
  };
  table.exchange = &asking_without_version;
  const Party legacy{table, "asks without a version"};
  const auto versioned = offered_sevens();
  const Import import{legacy, *versioned, Route::producer};
  EXPECT_FALSE(import.accepted());
  EXPECT_FALSE(import.handed_out());
  EXPECT_TRUE(import.asked_in_vain());
}

}  // namespace
}  // namespace dlcert
