// SPDX-License-Identifier: Apache-2.0
//
// Errors that happen once in a process, and values of exports that a case does not look at.
#include <gtest/gtest.h>

#include "records/decide.hpp"
#include "unit_run.hpp"

namespace dlcert {
namespace {

using unit_run::no_settings;
using unit_run::own_side;
using unit_run::run;

UnitRecord run_with_errors(bool (*refuses)(int nth)) {
  static bool (*refuses_nth)(int) = nullptr;
  static int nth = 0;
  refuses_nth = refuses;
  nth = 0;
  return run([](Case&) {
    if (refuses_nth(nth++)) require(Outcome<int>{Error{}}, "create");
  });
}

TEST(UnitErrorsAndValues, IsFlakyIfAnErrorHappensOnceInAProcess) {
  const UnitRecord record = run_with_errors([](int nth) { return nth == 3; });
  EXPECT_EQ(decide_record(record).verdict, Verdict::flaky);
  EXPECT_TRUE(record.message.starts_with("create: expected success")) << record.message;
  EXPECT_EQ(record.cases, 100u) << "the other cases are run too";
}

TEST(UnitErrorsAndValues, FailsIfAnErrorHappensAgain) {
  const UnitRecord at_once = run_with_errors([](int nth) { return nth >= 3; });
  EXPECT_EQ(decide_record(at_once).verdict, Verdict::fail);
  const UnitRecord later = run_with_errors([](int nth) { return nth == 3 || nth == 20; });
  EXPECT_EQ(decide_record(later).verdict, Verdict::fail);
}

TEST(UnitErrorsAndValues, FailsIfAnotherCaseFailsBehindAnErrorThatHappenedOnce) {
  static int nth = 0;
  nth = 0;
  const UnitRecord record = run([](Case&) {
    if (nth++ == 3) require(Outcome<int>{Error{}}, "create");
    expect_equal("late", false, nth > 50);
  });
  EXPECT_EQ(decide_record(record).verdict, Verdict::fail);
  EXPECT_TRUE(record.message.starts_with("late")) << record.message;
}

TEST(UnitErrorsAndValues, FailsIfAWrongValueHappensOnce) {
  static int nth = 0;
  nth = 0;
  const UnitRecord record = run([](Case&) { expect_equal("right", true, nth++ != 3); });
  EXPECT_EQ(decide_record(record).verdict, Verdict::fail);
}

// A library whose exports have another first byte, where told so.
bool lies = false;

const Party& liar() {
  static dlcert_exchange_group exchange = *spy_library().exchange;
  static dlcert_adapter table = spy_library();
  exchange.export_managed = [](void* self, dlcert_tensor* tensor, const dlcert_request* request,
                               dlcert_managed* out, dlcert_error* error) {
    const dlcert_status status =
        spy_library().exchange->export_managed(self, tensor, request, out, error);
    if (status == DLCERT_OK && lies) {
      const DLTensor& exported =
          out->form == DLCERT_VERSIONED
              ? static_cast<DLManagedTensorVersioned*>(out->pointer)->dl_tensor
              : static_cast<DLManagedTensor*>(out->pointer)->dl_tensor;
      static_cast<std::byte*>(exported.data)[exported.byte_offset] ^= std::byte{1};
    }
    return status;
  };
  table.exchange = &exchange;
  static const Party party{table, "liar"};
  return party;
}

void make_and_export(Case& c, bool write_first) {
  const TensorSpec spec = compact_spec({kDLInt, 32, 1}, {2});
  const Tensor tensor = require(c.producer.create(spec, Bytes(8, std::byte{7})), "create");
  if (write_first) require(c.producer.write(tensor, Bytes(8, std::byte{9})), "write");
  require(c.producer.export_managed(tensor, request()), "export_managed");
}

UnitRecord run_liar(Role role, void (*body)(Case&)) {
  const Check check{.sentence = "it holds", .role = role, .body = body};
  const Binding binding{liar(), own_side(), check.role, no_settings, {}, {}, {}, {}};
  Position position{};
  return run_unit(check, binding, Unit{.seed = 1, .cases = 3}, {.position = position});
}

TEST(UnitErrorsAndValues, NotesWrongValuesOfAnExportThatACaseDoesNotLookAt) {
  for (const bool wrong : {false, true}) {
    lies = wrong;
    const UnitRecord record = run_liar(Role::producer, [](Case& c) { make_and_export(c, false); });
    EXPECT_EQ(decide_record(record).verdict, Verdict::pass) << record.message;
    EXPECT_EQ(record.wrong_values,
              wrong ? "elements of an export: expected 8 bytes 0707070707070707 but found 8 bytes "
                      "0607070707070707"
                    : "");
  }
}

TEST(UnitErrorsAndValues, NotesNoValuesThatItDoesNotKnow) {
  lies = true;
  EXPECT_EQ(run_liar(Role::producer, [](Case& c) { make_and_export(c, true); }).wrong_values, "");
  EXPECT_EQ(run_liar(Role::consumer, [](Case& c) { make_and_export(c, false); }).wrong_values, "");
}

}  // namespace
}  // namespace dlcert
