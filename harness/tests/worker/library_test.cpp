// SPDX-License-Identifier: Apache-2.0
#include "worker/library.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <dlcert/suite/spy.hpp>

#include "worker/runtimes.hpp"

namespace dlcert {
namespace {

// A valid table, to be spoiled.
struct Table : dlcert_adapter {
  Table() : dlcert_adapter{spy_library()} {
    tensors = *tensor;
    exchanges = *exchange;
    tensor = &tensors;
    exchange = &exchanges;
    capsule = nullptr;
  }
  dlcert_tensor_group tensors;
  dlcert_exchange_group exchanges;
};

std::string load_error(const std::string& path) {
  try {
    const Library library{path};
  } catch (const AdapterError& error) {
    return error.what();
  }
  return "loaded";
}

TEST(TableProblem, NoneForTheSpy) {
  EXPECT_EQ(table_problem(spy_library()), "");
  EXPECT_EQ(table_problem(Table{}), "");
}

TEST(TableProblem, SmallStruct) {
  Table table;
  table.struct_size = 24;
  EXPECT_EQ(table_problem(table), "struct_size: expected at least 72 but found 24");
}

TEST(TableProblem, ForeignMajor) {
  Table table;
  table.abi_major = 2;
  EXPECT_EQ(table_problem(table), "abi_major: expected 1 but found 2");
}

TEST(TableProblem, MissingName) {
  Table table;
  table.name = nullptr;
  EXPECT_EQ(table_problem(table), "name: expected a text but found none");
  table.name = "x";
  table.version = nullptr;
  EXPECT_EQ(table_problem(table), "version: expected a text but found NULL");
}

TEST(TableProblem, NoRoles) {
  Table table;
  table.roles = 0;
  EXPECT_EQ(table_problem(table),
            "roles: expected producer (1), consumer (2), runtime (4) or a sum of them but found 0");
  table.roles = 8;
  EXPECT_NE(table_problem(table), "");
}

TEST(TableProblem, ProducerWithoutItsFunctions) {
  Table table;
  table.roles = DLCERT_PRODUCER;
  table.tensors.create = nullptr;
  table.exchanges.export_managed = nullptr;
  EXPECT_EQ(table_problem(table),
            "a producer must have create, export_managed, export_capsule or to_dlpack");
}

TEST(TableProblem, ConsumerWithoutItsFunctions) {
  Table table;
  table.roles = DLCERT_CONSUMER;
  table.tensors.read = nullptr;
  table.exchanges.import_managed = nullptr;
  table.exchanges.import_from = nullptr;
  EXPECT_EQ(table_problem(table),
            "a consumer must have import_managed, import_from or import_capsule")
      << "what it imported can be told by its exports";
}

TEST(TableProblem, ConsumerThatNeitherReadsNorExports) {
  Table table;
  table.roles = DLCERT_CONSUMER;
  table.tensors.read = nullptr;
  EXPECT_EQ(table_problem(table), "");
  table.exchanges.export_managed = nullptr;
  EXPECT_EQ(table_problem(table),
            "a consumer must have read, export_managed, export_capsule or to_dlpack");
}

TEST(TableProblem, FunctionsBeyondTheGroupsSizeAreMissing) {
  Table table;
  table.tensors.struct_size = offsetof(dlcert_tensor_group, release);
  EXPECT_EQ(table_problem(table), "every adapter must have tensor.release");
  table.tensor = nullptr;
  EXPECT_NE(table_problem(table), "");
}

TEST(TableProblem, HalfOfTheForkHooks) {
  Table table;
  table.before_fork = [](void*) {};
  EXPECT_EQ(table_problem(table),
            "before_fork and after_fork: expected both or none but found one");
  table.after_fork = [](void*, std::int32_t) {};
  EXPECT_EQ(table_problem(table), "");
}

TEST(TableProblem, StacksAtASignalThatNobodyCanHandle) {
  Table table;
  for (const int signal : {SIGRTMIN + 3, SIGUSR1}) {
    table.stacks_signal = signal;
    EXPECT_EQ(table_problem(table), "") << signal;
  }
  for (const int signal : {-1, SIGKILL, SIGSTOP, SIGRTMAX + 1}) {
    table.stacks_signal = signal;
    EXPECT_EQ(table_problem(table),
              "stacks_signal: expected a signal that can be handled, or 0, but found " +
                  std::to_string(signal));
  }
}

TEST(FunctionsOf, ListsWhatIsThere) {
  const Table table;
  const std::vector<GroupFunctions> groups = functions_of(table);
  ASSERT_EQ(groups.size(), 9u);
  EXPECT_EQ(groups[0].group, "tensor");
  EXPECT_EQ(groups[0].functions.front(), "can");
  for (const std::size_t absent : {2u, 3u, 4u, 5u, 6u, 7u, 8u})
    EXPECT_TRUE(groups[absent].functions.empty()) << groups[absent].group;
}

TEST(Library, SaysWhyAModuleIsUnusable) {
  EXPECT_EQ(load_error("/nowhere/x.so"), "adapter '/nowhere/x.so': no such file");

  const std::string text = testing::TempDir() + std::to_string(::getpid()) + "_not_a_module.so";
  std::ofstream{text} << "not a module\n";
  const std::string error = load_error(text);
  EXPECT_EQ(error.rfind("adapter '" + text + "': cannot be loaded: ", 0), 0u) << error;
  EXPECT_EQ(error.find('\n'), std::string::npos);
  std::filesystem::remove(text);

  EXPECT_NE(load_error(NO_ADAPTER_SYMBOL).find("expected the symbol dlcert_adapter_get"),
            std::string::npos);
  EXPECT_NE(load_error(NO_ADAPTER_NULL).find("does not support major version 1"),
            std::string::npos);
  EXPECT_NE(load_error(NO_ADAPTER_FOREIGN).find("abi_major: expected 1 but found 7"),
            std::string::npos);
}

TEST(Library, RefusesASecondDriverAndNamesBoth) {
  const std::string error = load_error(NO_ADAPTER_SECOND_DRIVER);
  EXPECT_NE(error.find("loads a second driver: expected only '"), std::string::npos) << error;
  EXPECT_NE(error.find("libdlcert_driver.so"), std::string::npos) << error;
  EXPECT_NE(error.find(std::string{"but found '"} + NO_ADAPTER_SECOND_DRIVER), std::string::npos)
      << error;
}

TEST(Library, RefusesAModuleThatCallsAVendorsRuntime) {
  const std::string error = load_error(NO_ADAPTER_RUNTIME);
  EXPECT_NE(error.find("libcudart.so.1"), std::string::npos) << error;
  EXPECT_NE(error.find("the simulated driver cannot see these calls"), std::string::npos) << error;
}

// A wheel's copy may be there without a module whose calls go to it.
TEST(Library, IsLoadedBesideAVendorsRuntimeThatNobodyCalls) {
  void* const runtime = ::dlopen(OLD_CUDART, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(runtime, nullptr) << ::dlerror();
  EXPECT_NO_THROW(Library{C_EXAMPLE});
  EXPECT_EQ(foreign_runtime(), "");
  EXPECT_NE(unseen_runtime_in_process(), "");  // somebody may call what it asks for by name
  ::dlclose(runtime);
}

TEST(Library, LoadsAgainAfterUnloading) {
  Library library{C_EXAMPLE};
  const Party* const party = &library.party();
  const std::string name{party->name()};
  library.unload();
  library.reload();
  EXPECT_EQ(&library.party(), party);
  EXPECT_EQ(library.party().name(), name);
}

}  // namespace
}  // namespace dlcert
