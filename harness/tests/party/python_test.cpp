// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include <dlcert/suite/check.hpp>
#include <dlcert/suite/python_party.hpp>
#include <dlcert/suite/trace.hpp>

namespace dlcert {
namespace {

// A library that answers each expression as the test says.
struct Interpreter {
  Interpreter() {
    group.struct_size = sizeof(group);
    group.evaluate = [](void* self, dlcert_tensor* tensor, const char* expression,
                        const dlcert_text_list* out, dlcert_error* error) {
      return static_cast<Interpreter*>(self)->answer(tensor, expression, out, error);
    };
    group.evaluate_capsule = [](void*, dlcert_tensor*, const char*, dlcert_capsule** out,
                                dlcert_error*) {
      *out = nullptr;
      return dlcert_status{DLCERT_OK};
    };
    group.import_object = [](void*, const dlcert_python_object*, const char*, dlcert_tensor**,
                             dlcert_error*) { return dlcert_status{DLCERT_NOT_FORMABLE}; };
    group.producer_of = [](void*, void*) { return static_cast<const dlcert_producer*>(nullptr); };
    group.run = [](void* self, std::int32_t, void (*body)(void*), void* context, std::int32_t* kept,
                   dlcert_error*) {
      for (int times = 0; times < static_cast<Interpreter*>(self)->runs; ++times)
        body(context);
      *kept = 0;
      return dlcert_status{DLCERT_OK};
    };
    group.unraisable = [](void*, const dlcert_text_list* out) {
      out->add(out->context, "ValueError: late", 16);
    };
    group.finalize = [](void*, dlcert_error*) { return dlcert_status{DLCERT_OK}; };
    group.source = [](void*, std::int32_t, const dlcert_tensor_spec*, const void*, std::uint64_t,
                      const dlcert_text_list*,
                      dlcert_error*) { return dlcert_status{DLCERT_NOT_FORMABLE}; };
    table.struct_size = sizeof(table);
    table.name = "interpreted";
    table.version = "1";
    table.self = this;
    table.python = &group;
  }

  dlcert_status answer(const dlcert_tensor* tensor, std::string_view expression,
                       const dlcert_text_list* out, dlcert_error* error) const {
    if (expression == "raise") {
      error->kind = DLCERT_ERROR_TYPE;
      return DLCERT_REFUSED;
    }
    for (int times = 0; times < texts; ++times) {
      const std::string text =
          fmt::format("{} of {}", expression, tensor == nullptr ? "None" : "t");
      out->add(out->context, text.data(), text.size());
    }
    return DLCERT_OK;
  }

  int texts = 1;
  int runs = 1;
  dlcert_python_group group{};
  dlcert_adapter table{};
};

TEST(Python, IsOfferedAsAWhole) {
  Interpreter library;
  EXPECT_TRUE(Party{library.table}.offers(Needs{} | Can::python));
  library.group.finalize = nullptr;
  const Party party{library.table};
  EXPECT_FALSE(party.offers(Needs{} | Can::python));
  EXPECT_THROW(Python{party}, DefectOfCheck);
}

TEST(Python, GivesTheTextOfAnExpression) {
  const Interpreter library;
  const Party party{library.table};
  EXPECT_EQ(Python{party}.evaluate("x").value(), "x of None");
  const Outcome<std::string> raised = Python{party}.evaluate("raise");
  ASSERT_FALSE(raised.ok());
  EXPECT_EQ(raised.error().kind, DLCERT_ERROR_TYPE);
}

TEST(Python, FailsTheCaseWhereAnAnswerBreaksTheAbi) {
  Interpreter library;
  const Party party{library.table};
  library.texts = 2;
  EXPECT_THROW(Python{party}.evaluate("x"), Failure);
  EXPECT_THROW(Python{party}.capsule_of(Tensor{}, "x"), Failure);
  library.runs = 0;
  EXPECT_THROW(Python{party}.run(DLCERT_PYTHON_LOCK_HELD, [] {}), Failure);
}

TEST(Python, CarriesOverWhatABodyThrows) {
  const Interpreter library;
  const Party party{library.table};
  EXPECT_FALSE(Python{party}.run(DLCERT_PYTHON_ERROR_IN_FLIGHT, [] {}).value());
  EXPECT_THROW(
      Python{party}.run(DLCERT_PYTHON_LOCK_HELD, [] { throw std::out_of_range{"the check's"}; }),
      std::out_of_range);
}

TEST(Python, TellsWhatCouldNotBeRaised) {
  const Interpreter library;
  EXPECT_EQ(Python{Party{library.table}}.take_unraisable(),
            std::vector<std::string>{"ValueError: late"});
}

TEST(Python, CannotFormWhatTheLibraryCannot) {
  const Interpreter library;
  const Party party{library.table};
  const dlcert_producer producer{};
  EXPECT_THROW(Python{party}.import_object({producer}, "from_dlpack(x)"), NotFormable);
}

// The lines of a described case.
struct Lines : TraceSink {
  void event(std::string_view text, std::string_view) override {
    if (!text.empty()) lines.emplace_back(text);
  }
  std::size_t told() const override { return lines.size(); }
  void withdraw_behind(std::size_t told) override { lines.resize(told); }
  std::vector<std::string> lines;
};

TEST(Python, TracesTheExpressionOnOneLine) {
  const Interpreter library;
  const Party party{library.table};
  const dlcert_producer producer{};
  Lines lines;
  set_trace(&lines);
  Python{party}.evaluate("len(x)").value();
  EXPECT_THROW(Python{party}.import_object({producer, nullptr, "a = 1\nb = 2\n"}, "from_dlpack(x)"),
               NotFormable);
  set_trace(nullptr);
  EXPECT_EQ(
      lines.lines,
      (std::vector<std::string>{
          "library with x = None: len(x)", "  len(x) of None",
          R"(t1 = library with x = unknown of a class with "a = 1\012b = 2\012": from_dlpack(x))",
          "  the library cannot form this call"}));
}

}  // namespace
}  // namespace dlcert
