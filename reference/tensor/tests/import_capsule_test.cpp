// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>

#include "dlcert/tensor/export.hpp"
#include "dlcert/tensor/import.hpp"

#include "foreign_tensor.hpp"
#include "spy.hpp"
#include "support.hpp"

namespace dlcert::reference {
namespace {

using Pair = std::pair<std::int64_t, std::int64_t>;
using Values = std::vector<std::int16_t>;

class CapsuleImportTest : public LeakTest {
 protected:
  ForeignLegacy legacy_;
  ForeignVersioned versioned_;

  Capsule legacy_capsule(const char* name = capsule_name::legacy) {
    return Capsule(&legacy_.managed, name, &release_unconsumed_legacy);
  }
  Capsule versioned_capsule() {
    return Capsule(&versioned_.managed, capsule_name::versioned, &release_unconsumed_versioned);
  }
};

TEST_F(CapsuleImportTest, MarksTheCapsuleUsedAndHoldsTheLoan) {
  Capsule capsule = legacy_capsule();
  {
    const Tensor tensor = importer.import(capsule);
    EXPECT_EQ(capsule.name(), capsule_name::used_legacy);
    { const Capsule dying = std::move(capsule); }
    EXPECT_EQ(legacy_.releases, 0);
    EXPECT_EQ(values_of<std::int16_t>(tensor), legacy_.values);
  }
  EXPECT_EQ(legacy_.releases, 1);
}

TEST_F(CapsuleImportTest, ReadsTheFormThatTheNameSays) {
  Capsule capsule = versioned_capsule();
  { EXPECT_EQ(values_of<std::int16_t>(importer.import(capsule)), versioned_.values); }
  EXPECT_EQ(capsule.name(), capsule_name::used_versioned);
  EXPECT_EQ(versioned_.releases, 1);
}

TEST_F(CapsuleImportTest, BorrowsFromACapsule) {
  Capsule capsule = versioned_capsule();
  { const Imported imported = importer.borrow(capsule); }
  EXPECT_EQ(capsule.name(), capsule_name::used_versioned);
  EXPECT_EQ(versioned_.releases, 1);
}

TEST_F(CapsuleImportTest, IsConsumedOnce) {
  Capsule capsule = legacy_capsule();
  const Tensor tensor = importer.import(capsule);
  EXPECT_EQ(kind_of_error([&] { return importer.import(capsule); }), ErrorKind::value);
  EXPECT_EQ(legacy_.releases, 0);
}

TEST_F(CapsuleImportTest, RefusesOtherNamesUntouched) {
  for (const char* name :
       {"dltensor2", "DLTENSOR", "used_dltensor", "used_dltensor_versioned", ""}) {
    Capsule capsule = legacy_capsule(name);
    EXPECT_EQ(kind_of_error([&] { return importer.import(capsule); }), ErrorKind::value);
    EXPECT_EQ(capsule.name(), name);
  }
  Capsule nameless = legacy_capsule(nullptr);
  EXPECT_EQ(kind_of_error([&] { return importer.import(nameless); }), ErrorKind::value);
  EXPECT_EQ(legacy_.releases, 0);
}

TEST_F(CapsuleImportTest, StaysLiveWhenTheTensorIsRefused) {
  legacy_.tensor().ndim = -1;
  {
    Capsule capsule = legacy_capsule();
    EXPECT_EQ(kind_of_error([&] { return importer.import(capsule); }), ErrorKind::buffer);
    EXPECT_EQ(capsule.name(), capsule_name::legacy);
    EXPECT_EQ(legacy_.releases, 0);
  }
  EXPECT_EQ(legacy_.releases, 1);
}

TEST_F(CapsuleImportTest, StaysLiveWhenMemoryIsShort) {
  Capsule capsule = legacy_capsule();
  memory_.fail_after(0);
  EXPECT_THROW(static_cast<void>(importer.import(capsule)), std::bad_alloc);
  EXPECT_EQ(capsule.name(), capsule_name::legacy);
  EXPECT_EQ(legacy_.releases, 0);
}

TEST_F(CapsuleImportTest, ConsumesAForeignMajorVersion) {
  versioned_.managed.version.major = 2;
  {
    Capsule capsule = versioned_capsule();
    EXPECT_EQ(kind_of_error([&] { return importer.import(capsule); }), ErrorKind::buffer);
    EXPECT_EQ(capsule.name(), capsule_name::used_versioned);
    EXPECT_EQ(versioned_.releases, 1);
  }
  EXPECT_EQ(versioned_.releases, 1);
}

TEST_F(CapsuleImportTest, TakesWhatTheExporterMade) {
  const Tensor source = counting_tensor<std::int16_t>(int16(), {2, 3});
  for (const Argument& max_version : {Argument{None{}}, Argument{Pair{1, 3}}}) {
    Capsule capsule = exporter.capsule(source, {.max_version = max_version});
    const Tensor tensor = importer.import(capsule);
    EXPECT_EQ(tensor.first_element(), source.first_element());
    EXPECT_EQ(source.storage().references(), 2);
  }
  EXPECT_EQ(source.storage().references(), 1);
}

TEST_F(CapsuleImportTest, AsksAnObjectForItsDeviceAndThenForATensor) {
  Spy spy(&versioned_.managed);
  { EXPECT_EQ(values_of<std::int16_t>(importer.import(spy, {})), versioned_.values); }
  EXPECT_EQ(versioned_.releases, 1);
  EXPECT_EQ(spy.request.max_version, Argument(Pair{1, 3}));
  EXPECT_FALSE(is_given(spy.request.stream));
  EXPECT_FALSE(is_given(spy.request.dl_device));
  EXPECT_FALSE(is_given(spy.request.copy));
}

TEST_F(CapsuleImportTest, ForwardsCopyAndDevice) {
  versioned_.managed.flags = flag_copied;
  Spy spy(&versioned_.managed);
  const Tensor tensor = importer.import(spy, {.device = Pair{1, 0}, .copy = true});
  EXPECT_EQ(spy.request.copy, Argument(true));
  EXPECT_EQ(spy.request.dl_device, Argument(Pair{1, 0}));
  EXPECT_EQ(tensor.first_element(), reinterpret_cast<std::byte*>(versioned_.values.data()));
}

TEST_F(CapsuleImportTest, CopiesWhatTheProducerDidNotCopy) {
  Spy spy(&legacy_.managed);
  const Tensor tensor = importer.import(spy, {.copy = true});
  EXPECT_NE(tensor.first_element(), reinterpret_cast<std::byte*>(legacy_.values.data()));
  EXPECT_EQ(values_of<std::int16_t>(tensor), legacy_.values);
  EXPECT_EQ(legacy_.releases, 1);
}

TEST_F(CapsuleImportTest, AsksAnOldObjectAgainAndMakesUpForTheCopy) {
  Spy spy(&legacy_.managed);
  spy.knows_only_stream = true;
  const Tensor copy = importer.import(spy, {.copy = true});
  EXPECT_EQ(spy.exports, 1);
  EXPECT_EQ(spy.request.max_version.index(), 0u);
  EXPECT_NE(copy.first_element(), reinterpret_cast<std::byte*>(legacy_.values.data()));
  EXPECT_EQ(legacy_.releases, 1);
}

TEST_F(CapsuleImportTest, AsksAnOldObjectForNothingThatItCannotMakeUpFor) {
  Spy spy(&legacy_.managed);
  spy.knows_only_stream = true;
  EXPECT_THROW(static_cast<void>(importer.import(spy, {.copy = false})), Error);
  EXPECT_EQ(spy.exports, 0);
}

TEST_F(CapsuleImportTest, TakesACapsuleFromAnObject) {
  Spy spy(legacy_capsule());
  { EXPECT_EQ(values_of<std::int16_t>(importer.import(spy, {})), legacy_.values); }
  EXPECT_EQ(legacy_.releases, 1);
}

TEST_F(CapsuleImportTest, ReleasesOnceWhatAnObjectShouldNotHaveReturned) {
  legacy_.tensor().ndim = -1;
  versioned_.managed.version.major = 2;
  Spy bare(&legacy_.managed);
  EXPECT_EQ(kind_of_error([&] { return importer.import(bare, {}); }), ErrorKind::buffer);
  EXPECT_EQ(legacy_.releases, 1);
  {
    Spy wrapped(legacy_capsule());
    EXPECT_EQ(kind_of_error([&] { return importer.import(wrapped, {}); }), ErrorKind::buffer);
  }
  EXPECT_EQ(legacy_.releases, 2);
  Spy newer(&versioned_.managed);
  EXPECT_EQ(kind_of_error([&] { return importer.import(newer, {}); }), ErrorKind::buffer);
  EXPECT_EQ(versioned_.releases, 1);
  {
    Spy newer_capsule(versioned_capsule());
    EXPECT_EQ(kind_of_error([&] { return importer.import(newer_capsule, {}); }), ErrorKind::buffer);
  }
  EXPECT_EQ(versioned_.releases, 2);
}

TEST_F(CapsuleImportTest, ReleasesOnceWhenMemoryIsShort) {
  Spy spy(&legacy_.managed);
  memory_.fail_after(0);
  EXPECT_THROW(static_cast<void>(importer.import(spy, {})), std::bad_alloc);
  EXPECT_EQ(legacy_.releases, 1);
}

TEST_F(CapsuleImportTest, ExportsNothingFromADeviceThatItCannotTake) {
  Spy spy(&legacy_.managed);
  spy.device = {kDLOneAPI, 0};
  EXPECT_EQ(kind_of_error([&] { return importer.import(spy, {}); }), ErrorKind::buffer);
  EXPECT_EQ(kind_of_error([&] {
              return importer.import(spy, {.device = Pair{kDLOneAPI, 0}});
            }),
            ErrorKind::buffer);
  EXPECT_EQ(spy.exports, 0);
  EXPECT_EQ(values_of<std::int16_t>(importer.import(spy, {.device = Pair{1, 0}})), legacy_.values);
}

TEST_F(CapsuleImportTest, LetsTheObjectsOwnErrorsPass) {
  for (const int step : {1, 2}) {
    Spy spy(&legacy_.managed);
    spy.fails_at = step;
    EXPECT_THROW(static_cast<void>(importer.import(spy, {})), std::out_of_range);
  }
  EXPECT_EQ(legacy_.releases, 0);
}

/// Steps of another type, one of them different, in the same order.
class OtherSteps : public ImportSteps {
 public:
  virtual ~OtherSteps() = default;
  virtual void check_device(DLDevice device) const { ImportSteps::check_device(device); }
  virtual void check_memory(const DLTensor& tensor) const { ImportSteps::check_memory(tensor); }
};
class AnyDevice final : public OtherSteps {
 public:
  void check_device(DLDevice) const override {}
  void check_memory(const DLTensor&) const override {}
};

TEST_F(CapsuleImportTest, FollowsStepsThatOverrideOne) {
  legacy_.tensor().device = {kDLOneAPI, 3};
  const OtherSteps same;
  const AnyDevice other;
  EXPECT_EQ(kind_of_error([&] { return Importer<OtherSteps>(same).import(&legacy_.managed); }),
            ErrorKind::buffer);
  EXPECT_EQ(Importer<OtherSteps>(other).import(&legacy_.managed).rank(), 2U);
}

}  // namespace
}  // namespace dlcert::reference
