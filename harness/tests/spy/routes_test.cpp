// SPDX-License-Identifier: Apache-2.0
//
// Which forms a consumer is found to take, of libraries whose trials fail now and then.
#include <gtest/gtest.h>

#include <deque>
#include <memory>

#include <dlcert/adapter.hpp>
#include <dlcert/suite/spy.hpp>

namespace dlcert {
namespace {

const std::vector<Form> both{Form::versioned, Form::legacy};

// Claims and takes tensors as it is told, and counts the trials.
struct Taking {
  struct Tensor {
    std::shared_ptr<void> held;
  };

  const char* name() { return "taking"; }
  const char* version() { return "1"; }
  bool can(const dlcert_tensor_spec& spec) { return claims && spec.device.type == kDLCPU; }
  bool can_import(const dlcert_tensor_spec& spec) {
    return claims_imports && spec.device.type == kDLCPU;
  }
  Tensor import_managed(dlcert_managed managed) {
    ++trials;
    if (refusals != 0) {
      --refusals;
      throw adapter::Refused{DLCERT_ERROR_MEMORY, "no memory just now"};
    }
    if (managed.form == DLCERT_VERSIONED)
      return {held_by(static_cast<DLManagedTensorVersioned*>(managed.pointer))};
    if (!takes_legacy) throw adapter::Refused{DLCERT_ERROR_BUFFER, "too old"};
    return {held_by(static_cast<DLManagedTensor*>(managed.pointer))};
  }

  template <typename Managed>
  static std::shared_ptr<void> held_by(Managed* managed) {
    return {managed, [](Managed* held) { held->deleter(held); }};
  }

  bool claims = true;
  bool claims_imports = true;
  bool takes_legacy = true;
  int refusals = 0;
  int trials = 0;
};

// What is found out of a table is kept for the whole process.
const dlcert_adapter& table_of(Taking& library) {
  static std::deque<dlcert_adapter> tables;
  return tables.emplace_back(adapter::table(library));
}

TEST(Forms, AreTriedOnceWhereTheyAreTaken) {
  Taking library;
  const Party consumer = Party{table_of(library)}.consuming();
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(forms(consumer, Route::managed), both);
  EXPECT_EQ(library.trials, 2);
}

TEST(Forms, AreTriedAgainAfterARefusal) {
  Taking library;
  library.refusals = 1;
  const Party consumer = Party{table_of(library)}.consuming();
  EXPECT_EQ(forms(consumer, Route::managed), std::vector{Form::legacy});
  EXPECT_EQ(forms(consumer, Route::managed), both);
}

TEST(Forms, AreFoundSoonAfterALongShortage) {
  Taking library;
  library.refusals = 100;
  const Party consumer = Party{table_of(library)}.consuming();
  for (int i = 0; i < 10000 && library.refusals != 0; ++i)
    EXPECT_NE(forms(consumer, Route::managed), both);
  EXPECT_EQ(library.refusals, 0);
  for (int i = 0; i < 64; ++i)
    forms(consumer, Route::managed);
  EXPECT_EQ(forms(consumer, Route::managed), both);
}

TEST(Forms, AreTriedSeldomWhereTheyAreAlwaysRefused) {
  Taking library;
  library.takes_legacy = false;
  const Party consumer = Party{table_of(library)}.consuming();
  for (int i = 0; i < 6400; ++i)
    EXPECT_EQ(forms(consumer, Route::managed), std::vector{Form::versioned});
  EXPECT_GT(library.trials, 100);
  EXPECT_LT(library.trials, 120);
}

TEST(Forms, OfAConsumerDoNotDependOnWhatItClaimsAsAProducer) {
  Taking library;
  library.claims = false;
  const Party producer{table_of(library)};
  EXPECT_TRUE(forms(producer, Route::managed).empty());
  EXPECT_EQ(forms(producer.consuming(), Route::managed), both);
}

TEST(Forms, AreTriedAsSoonAsATensorIsClaimed) {
  Taking library;
  library.claims_imports = false;
  const Party consumer = Party{table_of(library)}.consuming();
  EXPECT_TRUE(forms(consumer, Route::managed).empty());
  library.claims_imports = true;
  EXPECT_EQ(forms(consumer, Route::managed), both);
}

}  // namespace
}  // namespace dlcert
