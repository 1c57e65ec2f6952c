// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>

#include <dlcert/suite/forked.hpp>

#include "bridge.hpp"

namespace dlcert {
namespace {

TEST(PythonAdapter, IsWhatItsClassSays) {
  const Tiny tiny;
  EXPECT_STREQ(tiny.table.name, "tiny");
  EXPECT_STREQ(tiny.table.version, "1.2.3");
  EXPECT_STREQ(tiny.table.runtime, "torch-2.4");
  EXPECT_EQ(tiny.table.roles, DLCERT_PRODUCER | DLCERT_CONSUMER);
  EXPECT_EQ(tiny.table.properties,
            DLCERT_FAITHFUL_ERRORS | DLCERT_KNOWS_READ_ONLY | DLCERT_ENDS_WITHOUT_EXIT);
}

TEST(PythonAdapter, OffersWhatItsClassHas) {
  const Tiny tiny;
  EXPECT_NE(tiny.table.tensor->create, nullptr);
  EXPECT_NE(tiny.table.tensor->read, nullptr);
  EXPECT_NE(tiny.table.exchange->import_from, nullptr);
  EXPECT_NE(tiny.table.capsule->export_capsule, nullptr);
  EXPECT_NE(tiny.table.python, nullptr);
  EXPECT_EQ(tiny.table.tensor->write, nullptr) << "the base class has none";
  EXPECT_EQ(tiny.table.tensor->alias, nullptr) << "the class set it to None";
  EXPECT_EQ(tiny.table.capsule->import_capsule, nullptr);
  EXPECT_EQ(tiny.table.exchange->export_managed, nullptr) << "Python exports capsules";
  EXPECT_EQ(tiny.table.stream, nullptr);
  EXPECT_EQ(tiny.table.exchange_api, nullptr) << "the type publishes no table";
}

TEST(PythonAdapter, GetsTheWholeSpec) {
  const Tiny tiny;
  const std::int64_t shape[] = {2, 3}, strides[] = {-3, 1};
  dlcert_tensor_spec spec{sizeof(spec), 0, 7, 2, {2, 64, 1}, {2, 1}, 0, shape, strides, 5, 11};
  spec.flags = DLCERT_SPEC_READ_ONLY | DLCERT_SPEC_BYTE_STRIDES;
  const unsigned char bytes[] = {0x00, 0xff};
  Texts source;
  dlcert_error error{sizeof(error), 0, 0, {}, {}, 0, 0, {}};
  ASSERT_EQ(tiny.table.python->source(tiny.table.self, DLCERT_PYTHON_CREATE, &spec, bytes, 2,
                                      &source.list(), &error),
            DLCERT_OK)
      << error.message;
  EXPECT_EQ(source.texts,
            std::vector<std::string>{"float64 (2, 3) (-3, 1) 5 11 (2, 1) True False True 7 00ff"});
}

TEST(PythonAdapter, TakesPartInForks) {
  Tiny tiny;
  const Library other{source_of("handler_adapter.py")};  // each has hooks, the interpreter is one
  const auto makes_one = [&]() -> std::string {
    dlcert_tensor* const made = tiny.create(3);
    if (made == nullptr) return tiny.error.message;
    tiny.release(made);
    return "made";
  };
  for (int time = 0; time < 2; ++time) {
    const Forked forked =
        run_forked([&] { return makes_one() + run_forked(makes_one, 20).answer; }, 20);
    EXPECT_EQ(forked.answer, "mademade") << (forked.hung ? "it hung" : "");
    EXPECT_EQ(makes_one(), "made");
  }
}

TEST(PythonAdapter, TellsErrorsByTheirKind) {
  Tiny tiny;
  const std::map<std::int64_t, std::pair<dlcert_error_kind, const char*>> expected{
      {4, {DLCERT_ERROR_BUFFER, "BufferError"}},
      {5, {DLCERT_ERROR_VALUE, "ValueError"}},
      {6, {DLCERT_ERROR_TYPE, "TypeError"}},
      {7, {DLCERT_ERROR_RUNTIME, "RuntimeError"}},
      {8, {DLCERT_ERROR_ATTRIBUTE, "AttributeError"}},
      {9, {DLCERT_ERROR_ASSERTION, "AssertionError"}},
      {10, {DLCERT_ERROR_INDEX, "IndexError"}},
      {11, {DLCERT_ERROR_OS, "OSError"}},
      {12, {DLCERT_ERROR_MEMORY, "MemoryError"}},
      {13, {DLCERT_ERROR_NOT_IMPLEMENTED, "NotImplementedError"}},
      {14, {DLCERT_ERROR_MODULE_NOT_FOUND, "ModuleNotFoundError"}},
      {15, {DLCERT_ERROR_OTHER, "KeyError"}},
      {16, {DLCERT_ERROR_OTHER, "KeyboardInterrupt"}},
      {17, {DLCERT_ERROR_OTHER, "SystemExit"}},
  };
  for (const auto& [extent, kind] : expected) {
    tiny.refuse_export(extent);
    EXPECT_EQ(tiny.status, DLCERT_REFUSED);
    EXPECT_EQ(tiny.error.kind, kind.first) << kind.second;
    EXPECT_STREQ(tiny.error.type, kind.second);
    EXPECT_NE(std::string{tiny.error.message}.find("as asked for"), std::string::npos);
  }
}

TEST(PythonAdapter, SurvivesAnErrorThatHasNoText) {
  Tiny tiny;
  tiny.refuse_export(21);
  EXPECT_STREQ(tiny.error.type, "Stubborn");
  EXPECT_STREQ(tiny.error.message, "an error that has no text");
}

TEST(PythonAdapter, CannotFormWhatItsMethodSays) {
  Tiny tiny;
  EXPECT_EQ(tiny.create(20), nullptr);
  EXPECT_EQ(tiny.status, DLCERT_NOT_FORMABLE);
}

TEST(PythonAdapter, DescribesAndReads) {
  Tiny tiny;
  dlcert_tensor* const tensor = tiny.create(3);
  ASSERT_NE(tensor, nullptr) << tiny.error.message;
  dlcert_description description{};
  description.struct_size = sizeof(description);
  ASSERT_EQ(tiny.table.tensor->describe(tiny.table.self, tensor, &description, &tiny.error),
            DLCERT_OK);
  EXPECT_EQ(description.dtype.code, 1);
  EXPECT_EQ(description.dtype.bits, 8);
  ASSERT_EQ(description.ndim, 1);
  EXPECT_EQ(description.shape[0], 3);
  EXPECT_EQ(description.strides[0], 1);
  EXPECT_EQ(description.data, reinterpret_cast<const void*>(4096));
  EXPECT_EQ(description.storage_begin, reinterpret_cast<const void*>(2048));
  EXPECT_EQ(description.storage_bytes, 99u);
  EXPECT_EQ(description.flags, std::uint32_t{DLCERT_DESCRIPTION_READ_ONLY});

  unsigned char bytes[4] = {1, 1, 1, 1};
  EXPECT_EQ(tiny.table.tensor->read(tiny.table.self, tensor, bytes, 3, &tiny.error), DLCERT_OK);
  EXPECT_EQ(bytes[0] + bytes[1] + bytes[2], 0);
  EXPECT_EQ(tiny.table.tensor->read(tiny.table.self, tensor, bytes, 4, &tiny.error),
            DLCERT_REFUSED);
  EXPECT_STREQ(tiny.error.message, "read: expected 4 logical bytes but found 3");
  tiny.release(tensor);
}

TEST(PythonAdapterDeathTest, IsAtFaultForANameThatItsOwnCodeLacks) {
  Tiny tiny;
  EXPECT_EXIT(tiny.create(24), testing::ExitedWithCode(2),
              "a fault of the adapter: create\\(\\): NameError: name 'undefined_name' is not "
              "defined \\(.*tiny_adapter.py");
}

TEST(PythonAdapterDeathTest, IsAtFaultForADescriptionThatIsNone) {
  Tiny tiny;
  dlcert_tensor* const tensor = tiny.create(30);
  dlcert_description description{};
  description.struct_size = sizeof(description);
  EXPECT_EXIT(tiny.table.tensor->describe(tiny.table.self, tensor, &description, &tiny.error),
              testing::ExitedWithCode(2),
              "expected a dlcert.Description but found .nothing of the kind.: ");
  tiny.release(tensor);
}

TEST(PythonAdapter, TellsWarnings) {
  Tiny tiny;
  tiny.release(tiny.create(22));
  EXPECT_EQ(tiny.take_warnings(), std::vector<std::string>{"UserWarning: take care"});
}

TEST(PythonAdapter, TellsWhatCannotBeRaised) {
  Tiny tiny;
  tiny.release(tiny.create(23));
  Texts told;
  tiny.table.python->unraisable(tiny.table.self, &told.list());
  ASSERT_EQ(told.texts.size(), 1u);
  EXPECT_EQ(told.texts[0].rfind("LookupError: nobody hears it, in <function Leaking.__del__", 0),
            0u)
      << told.texts[0];
  told.texts.clear();
  tiny.table.python->unraisable(tiny.table.self, &told.list());
  EXPECT_TRUE(told.texts.empty());
}

TEST(PythonAdapter, WorksInAForkedProcess) {
  Tiny tiny;
  tiny.release(tiny.create(3));
  tiny.table.before_fork(tiny.table.self);
  const pid_t child = ::fork();
  tiny.table.after_fork(tiny.table.self, child == 0 ? 1 : 0);
  if (child == 0) {
    dlcert_tensor* const made = tiny.create(3);
    ::_exit(made != nullptr ? 7 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 7 << 8);
  dlcert_tensor* const made = tiny.create(3);
  ASSERT_NE(made, nullptr);
  tiny.release(made);
}

TEST(PythonAdapter, LeavesFatalSignalsAsTheyWere) {
  struct sigaction before {};
  ::sigaction(SIGSEGV, nullptr, &before);
  const Library library{source_of("handler_adapter.py")};
  struct sigaction now {};
  ::sigaction(SIGSEGV, nullptr, &now);
  EXPECT_EQ(now.sa_handler, before.sa_handler);
}

TEST(PythonAdapter, PrintsTheStacksOfItsThreads) {
  Tiny tiny;
  testing::internal::CaptureStderr();
  ::raise(tiny.table.stacks_signal);
  const std::string told = testing::internal::GetCapturedStderr();
  EXPECT_NE(told.find("Current thread"), std::string::npos) << told;
}

TEST(PythonAdapter, EndsItsInterpreterInAProcessOfItsOwn) {
  Tiny tiny;
  tiny.table.before_fork(tiny.table.self);
  const pid_t child = ::fork();
  tiny.table.after_fork(tiny.table.self, child == 0 ? 1 : 0);
  if (child == 0) ::_exit(tiny.table.python->finalize(tiny.table.self, &tiny.error));
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, DLCERT_OK);
}

TEST(PythonAdapter, SharesTheInterpreterWithOthers) {
  Tiny tiny;
  const Library other{source_of("handler_adapter.py")};
  EXPECT_EQ(other.party().name(), "tiny");
  dlcert_tensor* const made = tiny.create(3);
  ASSERT_NE(made, nullptr);
  tiny.release(made);
}

TEST(PythonAdapter, IsOneInterpretersAlone) {
  const Tiny tiny;
  AdapterSource source = source_of("handler_adapter.py");
  const std::string program = "\"program\":\"";
  source.name.insert(source.name.find(program) + program.size(), "/elsewhere");
  try {
    const Library library{source};
    FAIL() << "loaded";
  } catch (const AdapterError& error) {
    EXPECT_NE(std::string{error.what()}.find("a process has one interpreter"), std::string::npos)
        << error.what();
  }
}

TEST(PythonAdapter, IsRefusedInAnotherPatchLevel) {
  AdapterSource source = source_of("tiny_adapter.py");
  const std::string version = "\"version\":\"";
  source.name.insert(source.name.find(version) + version.size(), "9");
  try {
    const Library library{source};
    FAIL() << "loaded";
  } catch (const AdapterError& error) {
    EXPECT_NE(std::string{error.what()}.find("but this process has Python "), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace dlcert
