// SPDX-License-Identifier: Apache-2.0
//
// The harness's side in Python: capsules and producers that are real objects, and questions.
#include <dlfcn.h>
#include <dlpack/dlpack.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <thread>

#include <dlcert/suite/threads.hpp>

#include "bridge.hpp"

namespace dlcert {
namespace {

struct Dropped {
  void* pointer = nullptr;
  std::string name;
  int times = 0;
};
Dropped dropped;

void note(void* pointer, const char* name) {
  dropped = {pointer, name == nullptr ? "" : name, dropped.times + 1};
}

// A tensor of four bytes, that counts what is asked of it.
struct Source {
  explicit Source(bool in_capsule = false, const Tiny* maker = nullptr)
      : as_capsule{in_capsule}, tiny{maker} {
    tensor.dl_tensor = {bytes, {kDLCPU, 0}, 1, {kDLUInt, 8, 1}, &extent, &stride, 0};
    tensor.manager_ctx = this;
    tensor.deleter = [](DLManagedTensorVersioned* self) {
      ++static_cast<Source*>(self->manager_ctx)->deleted;
    };
    tensor.version = {1, 3};
  }

  static dlcert_status device(void* context, dlcert_device* out, dlcert_error*) {
    ++static_cast<Source*>(context)->devices_asked;
    *out = {1, 0};
    return DLCERT_OK;
  }
  static dlcert_status dlpack(void* context, const dlcert_request* request, dlcert_exported* out,
                              dlcert_error* error) {
    auto& self = *static_cast<Source*>(context);
    self.asked = *request;
    self.asked_copy = request->copy.text == nullptr ? "" : request->copy.text;
    if (self.refusal) {
      *error = *self.refusal;
      return DLCERT_REFUSED;
    }
    if (self.as_capsule) {
      dlcert_error ignored{sizeof(dlcert_error), 0, 0, {}, {}, 0, 0, {}};
      return self.tiny->table.capsule->make(self.tiny->table.self, &self.tensor,
                                            "dltensor_versioned", &note, &out->capsule, &ignored);
    }
    out->managed = {DLCERT_VERSIONED, 0, &self.tensor};
    return DLCERT_OK;
  }

  unsigned char bytes[4] = {1, 2, 3, 4};
  std::int64_t extent = 4, stride = 1;
  DLManagedTensorVersioned tensor{};
  bool as_capsule;
  const Tiny* tiny;
  std::optional<dlcert_error> refusal;
  dlcert_request asked{};
  std::string asked_copy;
  int devices_asked = 0, deleted = 0;
  dlcert_producer producer{sizeof(dlcert_producer), 0, this, &device, &dlpack};
};

dlcert_tensor* import(Tiny& tiny, const dlcert_producer& producer, dlcert_value copy = {}) {
  dlcert_import_request request{};
  request.struct_size = sizeof(request);
  request.copy = copy;
  dlcert_tensor* made = nullptr;
  tiny.status =
      tiny.table.exchange->import_from(tiny.table.self, &producer, &request, &made, &tiny.error);
  return made;
}

dlcert_tensor* import_object(Tiny& tiny, const dlcert_python_object& object,
                             const char* expression) {
  dlcert_tensor* made = nullptr;
  tiny.status =
      tiny.table.python->import_object(tiny.table.self, &object, expression, &made, &tiny.error);
  return made;
}

std::string evaluate(Tiny& tiny, dlcert_tensor* tensor, const char* expression) {
  Texts given;
  tiny.status =
      tiny.table.python->evaluate(tiny.table.self, tensor, expression, &given.list(), &tiny.error);
  return given.texts.empty() ? std::string{tiny.error.type} + ": " + tiny.error.message
                             : given.texts.front();
}

TEST(PythonCapsule, IsRealAndTellsItsEndOnce) {
  Tiny tiny;
  dropped = {};
  int value = 0;
  dlcert_capsule* capsule = nullptr;
  const dlcert_capsule_group& group = *tiny.table.capsule;
  ASSERT_EQ(group.make(tiny.table.self, &value, "dltensor", &note, &capsule, &tiny.error),
            DLCERT_OK);
  EXPECT_STREQ(group.name(tiny.table.self, capsule), "dltensor");
  EXPECT_EQ(group.pointer(tiny.table.self, capsule, "dltensor"), &value);
  EXPECT_EQ(group.pointer(tiny.table.self, capsule, "another"), nullptr);
  group.set_name(tiny.table.self, capsule, "used_dltensor");
  EXPECT_EQ(dropped.times, 0);
  group.drop(tiny.table.self, capsule);
  EXPECT_EQ(dropped.times, 1);
  EXPECT_EQ(dropped.pointer, &value);
  EXPECT_EQ(dropped.name, "used_dltensor");
}

TEST(PythonCapsule, IsWhatALibraryExports) {
  Tiny tiny;
  dlcert_tensor* const tensor = tiny.create(3);
  dlcert_request request{};
  request.struct_size = sizeof(request);
  request.max_version = {DLCERT_PAIR, 0, 1, 3, 0, nullptr};
  dlcert_capsule* capsule = nullptr;
  ASSERT_EQ(
      tiny.table.capsule->export_capsule(tiny.table.self, tensor, &request, &capsule, &tiny.error),
      DLCERT_OK)
      << tiny.error.message;
  EXPECT_STREQ(tiny.table.capsule->name(tiny.table.self, capsule), "dltensor_versioned");
  tiny.table.capsule->drop(tiny.table.self, capsule);
  tiny.release(tensor);
}

TEST(PythonCapsule, IsNothingElseThanACapsule) {
  Tiny tiny;
  dlcert_capsule* capsule = nullptr;
  EXPECT_EQ(tiny.table.python->evaluate_capsule(tiny.table.self, nullptr, "[1, 2]", &capsule,
                                                &tiny.error),
            DLCERT_REFUSED);
  EXPECT_EQ(tiny.error.kind, DLCERT_ERROR_TYPE);
  EXPECT_STREQ(tiny.error.message, "expected a PyCapsule but found [1, 2]");
}

TEST(PythonProducer, IsAskedAsTheLibraryAsks) {
  Tiny tiny;
  Source source;
  dlcert_tensor* const imported = import(tiny, source.producer);
  ASSERT_NE(imported, nullptr) << tiny.error.message;
  EXPECT_EQ(source.devices_asked, 1);
  EXPECT_EQ(source.asked.stream.tag, DLCERT_ABSENT);
  EXPECT_EQ(source.asked.max_version.tag, DLCERT_PAIR);
  EXPECT_EQ(source.asked.max_version.first, 1);
  EXPECT_EQ(source.asked.max_version.second, 3);
  EXPECT_EQ(source.asked.dl_device.tag, DLCERT_ABSENT);
  EXPECT_EQ(source.asked.copy.tag, DLCERT_NONE);
  EXPECT_EQ(source.deleted, 1) << "the library has consumed it";
  tiny.release(imported);
  EXPECT_EQ(source.deleted, 1);
}

TEST(PythonProducer, GetsValuesOfEachKind) {
  Tiny tiny;
  const std::pair<const char*, int> kinds[] = {
      {"from_dlpack(x, copy=None)", DLCERT_NONE},    {"from_dlpack(x, copy=True)", DLCERT_BOOL},
      {"from_dlpack(x, copy=7)", DLCERT_INT},        {"from_dlpack(x, copy=0.5)", DLCERT_FLOAT},
      {"from_dlpack(x, copy=(1, 0))", DLCERT_PAIR},  {"from_dlpack(x, copy='no')", DLCERT_TEXT},
      {"from_dlpack(x, copy=[1])", DLCERT_OBJECT},   {"from_dlpack(x, copy=(1,))", DLCERT_OBJECT},
      {"from_dlpack(x, copy=2**70)", DLCERT_OBJECT},
  };
  for (const auto& [expression, tag] : kinds) {
    Source source;
    const dlcert_python_object object{sizeof(object), 0, &source.producer, nullptr, nullptr};
    dlcert_tensor* const imported = import_object(tiny, object, expression);
    ASSERT_NE(imported, nullptr) << expression << ": " << tiny.error.message;
    EXPECT_EQ(source.asked.copy.tag, tag) << expression;
    tiny.release(imported);
  }
  Source source;
  const dlcert_python_object object{sizeof(object), 0, &source.producer, nullptr, nullptr};
  tiny.release(import_object(tiny, object, "from_dlpack(x, copy=[1])"));
  EXPECT_EQ(source.asked_copy, "[1]");
}

TEST(PythonProducer, IsGivenObjectsByTheirExpressions) {
  Tiny tiny;
  Source source;
  const dlcert_value list{DLCERT_OBJECT, 0, 0, 0, 0, "[3, 4]"};
  tiny.release(import(tiny, source.producer, list));
  EXPECT_EQ(source.asked_copy, "[3, 4]");
}

TEST(PythonProducer, HandsOutCapsulesThatLiveOn) {
  Tiny tiny;
  dropped = {};
  Source source{true, &tiny};
  tiny.release(import(tiny, source.producer));
  EXPECT_EQ(source.deleted, 1);
  EXPECT_EQ(dropped.times, 1);
  EXPECT_EQ(dropped.name, "used_dltensor_versioned");
}

TEST(PythonProducer, RaisesWhatTheHarnessReports) {
  Tiny tiny;
  Source source;
  source.refusal =
      dlcert_error{sizeof(dlcert_error), DLCERT_ERROR_BUFFER, 0, {}, "not today", 0, 0, {}};
  EXPECT_EQ(import(tiny, source.producer), nullptr);
  EXPECT_EQ(tiny.error.kind, DLCERT_ERROR_BUFFER);
  EXPECT_STREQ(tiny.error.message, "not today");

  source.refusal->kind = DLCERT_ERROR_OTHER;
  std::strcpy(source.refusal->type, "ProducerError");
  EXPECT_EQ(import(tiny, source.producer), nullptr);
  EXPECT_EQ(tiny.error.kind, DLCERT_ERROR_OTHER);
  EXPECT_STREQ(tiny.error.type, "ProducerError");
}

TEST(PythonProducer, LacksTheMethodThatTheHarnessLacks) {
  Tiny tiny;
  Source source;
  source.producer.dlpack_device = nullptr;
  EXPECT_EQ(import(tiny, source.producer), nullptr);
  EXPECT_EQ(tiny.error.kind, DLCERT_ERROR_ATTRIBUTE);
}

TEST(PythonProducer, MayHaveAClassOfItsOwn) {
  Tiny tiny;
  Source source;
  const dlcert_python_object object{sizeof(object), 0, &source.producer, nullptr,
                                    "def __init__(self, address):\n"
                                    "    self._address = address\n"
                                    "    self.__dlpack__ = lambda **asked: dlpack(self, **asked)\n"
                                    "__dlpack_device__ = dlpack_device\n"
                                    "del __dlpack__\n"};
  dlcert_tensor* const imported = import_object(tiny, object, "from_dlpack(x)");
  ASSERT_NE(imported, nullptr) << tiny.error.message;
  EXPECT_EQ(source.deleted, 1);
  tiny.release(imported);
}

TEST(PythonQuestion, IsAnsweredWithTheTensorTheModuleAndItsFunction) {
  Tiny tiny;
  dlcert_tensor* const tensor = tiny.create(3);
  EXPECT_EQ(evaluate(tiny, tensor, "callable(x.__dlpack__)"), "True");
  EXPECT_EQ(evaluate(tiny, tensor, "x.shape"), "(3,)");
  EXPECT_EQ(evaluate(tiny, tensor, "from_dlpack is library.from_dlpack"), "True");
  EXPECT_EQ(evaluate(tiny, nullptr, "x"), "None");
  EXPECT_EQ(evaluate(tiny, nullptr, "1 / 0"), "ZeroDivisionError: division by zero");
  EXPECT_EQ(tiny.status, DLCERT_REFUSED);
  tiny.release(tensor);
}

TEST(PythonDtype, IsNamedByItsCodeAndItsWidth) {
  Tiny tiny;
  const auto name = [&](const char* dtype) {
    return evaluate(tiny, nullptr, fmt::format("__import__('dlcert').Dtype{}.name", dtype).c_str());
  };
  EXPECT_EQ(name("(15, 6, 1)"), "float6_e2m3fn");
  EXPECT_EQ(name("(15, 4, 1)"), "code15_4");
  EXPECT_EQ(name("(17, 4, 2)"), "float4_e2m1fnx2");
  EXPECT_EQ(name("(2, 32, 4)"), "float32x4");
}

TEST(PythonGarbage, IsCollectedByWhoAwaitsIt) {
  Tiny tiny;
  tiny.release(tiny.create(25));
  ASSERT_EQ(evaluate(tiny, nullptr, "library.collected"), "0");
  await([&] { return evaluate(tiny, nullptr, "library.collected") == "1"; });
  EXPECT_EQ(evaluate(tiny, nullptr, "library.collected"), "1");
}

TEST(PythonGarbage, IsNobodysOnceItsLibraryIsClosed) {
  { const Tiny tiny; }
  await([] { return false; });
}

TEST(PythonRun, HoldsTheLockMeanwhile) {
  Tiny tiny;
  std::int32_t kept = 0;
  const auto body = [](void* context) {
    auto& bridged = *static_cast<Tiny*>(context);
    std::thread other{[&] { bridged.release(bridged.create(3)); }};
    std::this_thread::sleep_for(std::chrono::milliseconds{20});
    bridged.release(bridged.create(3));  // this thread has the lock; the other waits for it
    other.detach();
  };
  ASSERT_EQ(tiny.table.python->run(tiny.table.self, DLCERT_PYTHON_LOCK_HELD, body, &tiny, &kept,
                                   &tiny.error),
            DLCERT_OK);
  EXPECT_EQ(kept, 1);
  std::this_thread::sleep_for(std::chrono::milliseconds{50});
}

TEST(PythonRun, KeepsTheErrorThatItsBodyLeavesForWhoAsks) {
  const Library library{source_of("table_adapter.py")};
  const dlcert_adapter& table = library.party().table();
  dlcert_error error{sizeof(dlcert_error), 0, 0, {}, {}, 0, 0, {}};
  std::int32_t kept = 0;
  const auto raises = [](void*) {
    const auto set =
        reinterpret_cast<void (*)(void*, const char*)>(::dlsym(RTLD_DEFAULT, "PyErr_SetString"));
    set(*static_cast<void**>(::dlsym(RTLD_DEFAULT, "PyExc_BufferError")), "left by the table");
  };
  table.python->run(table.self, DLCERT_PYTHON_LOCK_HELD, raises, nullptr, &kept, &error);
  Texts given;
  EXPECT_EQ(table.python->evaluate(table.self, nullptr, "1 + 1", &given.list(), &error), DLCERT_OK);
  EXPECT_EQ(table.exchange_api->take_error(table.self, &error), DLCERT_REFUSED);
  EXPECT_EQ(error.kind, DLCERT_ERROR_BUFFER);
  EXPECT_STREQ(error.message, "left by the table");
  EXPECT_EQ(table.exchange_api->take_error(table.self, &error), DLCERT_OK) << "once";
}

TEST(PythonRun, TellsWhetherAnErrorInFlightWasKept) {
  Tiny tiny;
  std::int32_t kept = 0;
  const auto nothing = [](void*) {};
  tiny.table.python->run(tiny.table.self, DLCERT_PYTHON_ERROR_IN_FLIGHT, nothing, nullptr, &kept,
                         &tiny.error);
  EXPECT_EQ(kept, 1);
  const auto clears = [](void* context) {
    dlcert_error ignored{sizeof(dlcert_error), 0, 0, {}, {}, 0, 0, {}};
    Texts texts;
    auto& bridged = *static_cast<Tiny*>(context);
    bridged.table.python->evaluate(bridged.table.self, nullptr, "1 / 0", &texts.list(), &ignored);
  };
  tiny.table.python->run(tiny.table.self, DLCERT_PYTHON_ERROR_IN_FLIGHT, clears, &tiny, &kept,
                         &tiny.error);
  EXPECT_EQ(kept, 0);
}

}  // namespace
}  // namespace dlcert
