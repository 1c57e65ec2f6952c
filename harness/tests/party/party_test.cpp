// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <set>
#include <stdexcept>

#include <dlcert/adapter_errors.hpp>
#include <dlcert/suite/check.hpp>
#include <dlcert/suite/party.hpp>
#include <dlcert/suite/recording.hpp>
#include <dlcert/suite/trace.hpp>

#include "party/act.hpp"
#include "scripted.hpp"

namespace dlcert {
namespace {

using scripted::four_bytes;
using scripted::message_of;
using scripted::scalar;
using scripted::Scripted;

TEST(Party, OffersWhatTheTableHas) {
  const Scripted library;
  const Party party{library.table};
  EXPECT_TRUE(party.offers(Can::create | Can::describe | Can::export_managed));
  EXPECT_FALSE(party.offers(static_cast<Needs>(Can::read)));
  EXPECT_FALSE(party.offers(static_cast<Needs>(Can::any_import)));
}

TEST(Party, IgnoresWhatLiesBeyondAGroupsSize) {
  Scripted library;
  library.tensor.struct_size = offsetof(dlcert_tensor_group, describe);
  const Party party{library.table};
  EXPECT_TRUE(party.offers(static_cast<Needs>(Can::create)));
  EXPECT_FALSE(party.offers(static_cast<Needs>(Can::describe)));
}

TEST(Party, NamesItsOffers) {
  EXPECT_EQ(names_of(Can::create | Can::knows_read_only),
            (std::vector<std::string_view>{"create", "knows_read_only"}));
  EXPECT_TRUE(names_of(0).empty());
  for (const std::string_view name : names_of(~Needs{0}))
    EXPECT_EQ(names_of(need_named(name)), std::vector<std::string_view>{name});
  EXPECT_EQ(need_named("no_such"), 0u);
}

TEST(Party, ReleasesATensorOnce) {
  const Scripted library;
  const Party party{library.table};
  {
    Tensor tensor = require(party.create(scalar, four_bytes), "create");
    Tensor moved = std::move(tensor);
    moved.release();
    moved.release();
  }
  EXPECT_EQ(library.releases, 1);
}

TEST(Party, GivesTheLibrarysError) {
  Scripted library;
  library.on_create = [](dlcert_tensor**, dlcert_error* error) {
    error->kind = DLCERT_ERROR_MEMORY;
    std::snprintf(error->message, sizeof(error->message), "none left");
    return DLCERT_REFUSED;
  };
  const Party party{library.table};
  const Outcome<Tensor> outcome = party.create(scalar, four_bytes);
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(to_text(outcome.error()), "MemoryError: none left");
}

TEST(Party, GivesTheCauseOfAnErrorWhereItIsTold) {
  Scripted library;
  library.on_create = [](dlcert_tensor**, dlcert_error* error) {
    adapter::Refused refused{DLCERT_ERROR_RUNTIME, "broken"};
    refused.set_cause(DLCERT_ERROR_VALUE, "too large");
    return adapter::detail::pass_on(refused, *error);
  };
  const Party party{library.table};
  const Error told = party.create(scalar, four_bytes).error();
  EXPECT_EQ(told.cause, DLCERT_CAUSE_TOLD);
  EXPECT_EQ(told.cause_kind, DLCERT_ERROR_VALUE);
  EXPECT_EQ(told.cause_message, "too large");
  library.on_create = [](dlcert_tensor**, dlcert_error*) { return DLCERT_REFUSED; };
  const Error untold = party.create(scalar, four_bytes).error();
  EXPECT_EQ(untold.cause, DLCERT_CAUSE_NOT_TOLD);
  EXPECT_EQ(untold.cause_message, "");
}

// As a caller that was compiled before the cause was added.
TEST(Refused, WritesNoMoreThanItsCallerHasRoomFor) {
  adapter::Refused refused{DLCERT_ERROR_RUNTIME, "broken"};
  refused.set_cause(DLCERT_ERROR_VALUE, "too large");
  dlcert_error error{};
  error.struct_size = offsetof(dlcert_error, cause);
  EXPECT_EQ(adapter::detail::pass_on(refused, error), DLCERT_REFUSED);
  EXPECT_STREQ(error.message, "broken");
  EXPECT_EQ(error.struct_size, offsetof(dlcert_error, cause));
  EXPECT_EQ(error.cause, DLCERT_CAUSE_NOT_TOLD);
  EXPECT_STREQ(error.cause_message, "");
}

TEST(Party, ReadsAnUnterminatedErrorWithinItsCapacity) {
  Scripted library;
  library.on_create = [](dlcert_tensor**, dlcert_error* error) {
    std::fill(std::begin(error->message), std::end(error->message), 'x');
    return DLCERT_REFUSED;
  };
  const Party party{library.table};
  EXPECT_EQ(party.create(scalar, four_bytes).error().message.size(),
            std::size_t{DLCERT_ERROR_MESSAGE_CAPACITY});
}

TEST(Party, EndsTheCaseWhereACallCannotBeFormed) {
  Scripted library;
  library.on_create = [](dlcert_tensor**, dlcert_error*) { return DLCERT_NOT_FORMABLE; };
  const Party party{library.table};
  EXPECT_THROW(party.create(scalar, four_bytes), NotFormable);
}

TEST(Party, FailsOnAnUnknownStatus) {
  Scripted library;
  library.on_create = [](dlcert_tensor**, dlcert_error*) { return dlcert_status{7}; };
  const Party party{library.table};
  EXPECT_EQ(message_of([&] { party.create(scalar, four_bytes); }),
            "adapter status: expected 0, 1 or 2 but found 7");
}

TEST(Party, FailsOnSuccessWithoutAnObject) {
  Scripted library;
  library.on_create = [](dlcert_tensor**, dlcert_error*) { return DLCERT_OK; };
  const Party party{library.table};
  EXPECT_EQ(message_of([&] { party.create(scalar, four_bytes); }),
            "create: expected an object on success but found NULL");
}

TEST(Party, FailsWhenAnExceptionCrosses) {
  Scripted library;
  library.on_create = [](dlcert_tensor**, dlcert_error*) -> dlcert_status {
    throw std::runtime_error{"boom"};
  };
  const Party party{library.table};
  EXPECT_EQ(message_of([&] { party.create(scalar, four_bytes); }),
            "an exception crossed the adapter ABI: boom");
}

TEST(Party, FailsOnADescriptionThatCannotBe) {
  Scripted library;
  const Party party{library.table};
  const Tensor tensor = require(party.create(scalar, four_bytes), "create");
  library.rank = -1;
  EXPECT_EQ(message_of([&] { party.describe(tensor); }),
            "describe: expected a rank of 0 or more but found -1");
  library.rank = 2;
  EXPECT_EQ(message_of([&] { party.describe(tensor); }),
            "describe: expected a shape for rank 2 but found NULL");
}

TEST(Party, ACheckThatDidNotSayItsNeedsIsADefect) {
  const Scripted library;
  const Party party{library.table};
  EXPECT_THROW(party.read(Tensor{}, 4), DefectOfCheck);
}

TEST(Managed, CallsTheDeleterOnce) {
  const Scripted library;
  const Party party{library.table};
  const Tensor tensor = require(party.create(scalar, four_bytes), "create");
  {
    Managed managed = require(party.export_managed(tensor, request()), "export");
    EXPECT_TRUE(managed.has_deleter());
    managed.release();
  }
  EXPECT_EQ(library.deleter_calls, 1);
}

TEST(Managed, GivenUpIsNotReleased) {
  const Scripted library;
  const Party party{library.table};
  const Tensor tensor = require(party.create(scalar, four_bytes), "create");
  require(party.export_managed(tensor, request()), "export").give_up();
  EXPECT_EQ(library.deleter_calls, 0);
}

struct Events : TraceSink {
  void event(std::string_view text, std::string_view statement) override {
    events.emplace_back(text, statement);
  }
  std::size_t told() const override { return events.size(); }
  void withdraw_behind(std::size_t told) override { events.resize(told); }

  std::vector<std::string> texts() const {
    std::vector<std::string> found;
    for (const auto& [text, statement] : events)
      if (!text.empty()) found.push_back(text);
    return found;
  }
  std::vector<std::string> statements() const {
    std::vector<std::string> found;
    for (const auto& [text, statement] : events)
      if (!statement.empty()) found.push_back(statement);
    return found;
  }
  std::vector<std::pair<std::string, std::string>> events;
};

TEST(Trace, TellsCallsWithTheirNames) {
  const Scripted library;
  const Party party{library.table};
  Events events;
  set_trace(&events);
  {
    const Tensor tensor = require(party.create(scalar, four_bytes), "create");
    const Managed managed = require(party.export_managed(tensor, request_version(1, 0)), "export");
  }
  set_trace(nullptr);
  EXPECT_EQ(events.texts(),
            (std::vector<std::string>{
                "t1 = library.create(float32 shape=[] strides=[] offset=0, 4 bytes 00000000)",
                "m1 = library.export_managed(t1, max_version=(1, 0))", "call the deleter of m1",
                "library.release(t1)"}));
  EXPECT_EQ(step_from_line(events.statements().back()).code, "release(library, t1)");
  const ProgramStep exported = step_from_line(events.statements()[2]);
  EXPECT_EQ(exported.code, "export_managed(library, t1, REQUEST(.max_version = PAIR(1, 0)))");
  EXPECT_EQ(exported.name, "m1");
  EXPECT_EQ(exported.type, "dlcert_managed");
}

TEST(Trace, WithdrawsWhatWasToldAsideNamesAndAll) {
  const Scripted library;
  const Party party{library.table};
  Events events;
  set_trace(&events);
  {
    const TraceAside aside;
    const Tensor trial = require(party.create(scalar, four_bytes), "create");
    EXPECT_EQ(events.texts()[0].substr(0, 2), "t1") << "a crash here is told";
  }
  const Tensor tensor = require(party.create(scalar, four_bytes), "create");
  set_trace(nullptr);
  EXPECT_EQ(events.texts()[0].substr(0, 11), "t1 = librar");
  EXPECT_EQ(events.texts().size(), 1U);
}

TEST(Trace, TellsRefusals) {
  Scripted library;
  library.on_create = [](dlcert_tensor**, dlcert_error* error) {
    error->kind = DLCERT_ERROR_VALUE;
    return DLCERT_REFUSED;
  };
  const Party party{library.table};
  Events events;
  set_trace(&events);
  EXPECT_FALSE(party.create(scalar, four_bytes).ok());
  set_trace(nullptr);
  EXPECT_EQ(events.texts().back(), "  refused: ValueError");
}

TEST(Trace, ForgetsNamesBetweenCases) {
  Events events;
  set_trace(&events);
  bind_trace_name(&events, new_trace_name("t"));
  EXPECT_EQ(trace_name(&events), "t1");
  EXPECT_EQ(new_trace_name("t"), "t2");
  set_trace(&events);
  EXPECT_EQ(trace_name(&events), "unknown");
  EXPECT_EQ(trace_name(nullptr), "NULL");
  EXPECT_EQ(new_trace_name("t"), "t1");
  set_trace(nullptr);
}

TEST(CText, EscapesWhatCDoesNotTake) {
  EXPECT_EQ(c_literal("a\"b\\c\n"), R"("a\"b\\c\012")");
  EXPECT_EQ(c_literal(nullptr), "NULL");
  EXPECT_EQ(c_array({}), "NULL");
  EXPECT_EQ(c_array({2, -3}), "LIST(2, -3)");
  EXPECT_EQ(c_extents({2, 2, 2}), "LIST(2, 2, 2)");
  EXPECT_EQ(c_extents(std::vector<std::int64_t>(257, 2)), "repeated(257, 2)");
  EXPECT_EQ(c_value(pair(1, 3)), "PAIR(1, 3)");
  EXPECT_EQ(c_value(text("x")), "TEXT(\"x\")");
  EXPECT_EQ(c_value(absent()), "ABSENT");
}

TEST(CText, NamesFlags) {
  constexpr std::array<std::string_view, 2> names{"ONE", "TWO"};
  EXPECT_EQ(c_flags(2, names), "TWO");
  EXPECT_EQ(c_flags(3, names), "ONE | TWO");
  EXPECT_EQ(c_flags(9, names), "ONE | 0x8u");
}

TEST(Party, AConsumersClaimsAreThoseOfCanImportWhereThereIsOne) {
  Scripted library;
  library.tensor.can = [](void*, const dlcert_tensor_spec* spec) -> std::int32_t {
    return spec->ndim == 0;
  };
  const TensorSpec vector = compact_spec({2, 32, 1}, {3});
  for (const Party& party : {Party{library.table}, Party{library.table}.consuming()}) {
    EXPECT_TRUE(party.can(scalar));
    EXPECT_FALSE(party.can(vector));
  }
  library.tensor.can_import = [](void*, const dlcert_tensor_spec* spec) -> std::int32_t {
    return spec->ndim == 1;
  };
  EXPECT_TRUE(Party{library.table}.can(scalar));
  EXPECT_FALSE(Party{library.table}.consuming().can(scalar));
  EXPECT_TRUE(Party{library.table}.consuming().can(vector));
  // An adapter that was compiled before there was can_import.
  library.tensor.struct_size = offsetof(dlcert_tensor_group, can_import);
  EXPECT_TRUE(Party{library.table}.consuming().can(scalar));
}

TEST(Party, WhatALibraryDoesNotReadIsNoZero) {
  Scripted library;
  library.tensor.read = [](void*, dlcert_tensor*, void*, std::uint64_t, dlcert_error*) {
    return dlcert_status{DLCERT_OK};
  };
  const Party party{library.table};
  const Tensor tensor = require(party.create(scalar, four_bytes), "create");
  const Bytes found = require(party.read(tensor, 4), "read");
  EXPECT_NE(found, Bytes(4));
}

}  // namespace
}  // namespace dlcert
