// SPDX-License-Identifier: Apache-2.0
//
// libnvidia-ml.so.1 of the shims, called as programs call it: through dlsym.

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "management_fixture.hpp"

namespace dlcert::shim {
namespace {

enum : int {
  ok = 0,
  uninitialized = 1,
  invalid = 2,
  not_supported = 3,
  not_found = 6,
  too_small = 7
};

class Nvml : public testing::Test {
 protected:
  void* handle(unsigned index) {
    void* device = nullptr;
    EXPECT_EQ(library.call("nvmlDeviceGetHandleByIndex_v2", index, &device), ok);
    return device;
  }
  std::string uuid(void* device) {
    std::array<char, 96> text{};
    EXPECT_EQ(library.call("nvmlDeviceGetUUID", device, text.data(), 96U), ok);
    return text.data();
  }
  unsigned count() {
    unsigned count = 0;
    EXPECT_EQ(library.call("nvmlDeviceGetCount_v2", &count), ok);
    return count;
  }
  void initialise(const char* settings) {
    set_management(settings);
    ASSERT_EQ(library.call("nvmlInit"), ok);
  }

  ManagementLibrary library{"libnvidia-ml.so.1"};
};

TEST_F(Nvml, HasOneDeviceWhereNothingIsSet) {
  ASSERT_EQ(library.call("nvmlInit_v2"), ok);
  EXPECT_EQ(count(), 1U);
  EXPECT_EQ(uuid(handle(0)), "GPU-00000000-0000-0000-0000-000000000000");
}

TEST_F(Nvml, AnswersUninitializedBeforeInitialisation) {
  unsigned count = 7;
  EXPECT_EQ(library.call("nvmlDeviceGetCount_v2", &count), uninitialized);
  EXPECT_EQ(count, 7U);
  EXPECT_EQ(library.call("nvmlShutdown"), uninitialized);
}

TEST_F(Nvml, CountsInitialisations) {
  ASSERT_EQ(library.call("nvmlInit"), ok);
  ASSERT_EQ(library.call("nvmlInitWithFlags", 0U), ok);
  ASSERT_EQ(library.call("nvmlShutdown"), ok);
  EXPECT_EQ(count(), 1U);
  ASSERT_EQ(library.call("nvmlShutdown"), ok);
  unsigned after = 0;
  EXPECT_EQ(library.call("nvmlDeviceGetCount", &after), uninitialized);
}

TEST_F(Nvml, ReadsItsSettingsAtTheFirstInitialisationOnly) {
  initialise("devices=2");
  set_management("devices=3");
  ASSERT_EQ(library.call("nvmlInit"), ok);
  EXPECT_EQ(count(), 2U);
  library.call("nvmlShutdown");
  library.call("nvmlShutdown");
  ASSERT_EQ(library.call("nvmlInit"), ok);
  EXPECT_EQ(count(), 3U);
}

TEST_F(Nvml, TakesTheVariableBeforeTheFile) {
  const ScratchFile file{"management"};
  file.write("# two devices\ndevices=2\n\ndevice.1.uuid=GPU-of-the-file\ndevice.0.uuid=GPU-a\n");
  setenv("DLCERT_MANAGEMENT_FILE", file.path().c_str(), 1);
  initialise("device.0.uuid=GPU-of-the-variable");
  EXPECT_EQ(count(), 2U);
  EXPECT_EQ(uuid(handle(0)), "GPU-of-the-variable");
  EXPECT_EQ(uuid(handle(1)), "GPU-of-the-file");
}

TEST_F(Nvml, RefusesMalformedSettingsInOneLine) {
  const ScratchFile file{"management"};
  file.write("devices=2\ndevice.0.power=much\n");
  setenv("DLCERT_MANAGEMENT_FILE", file.path().c_str(), 1);
  testing::internal::CaptureStderr();
  EXPECT_EQ(library.call("nvmlInit"), invalid);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            file.path() + ":2: expected a number from 0 to 4294967295 but found 'much'\n");
  unsigned count = 0;
  EXPECT_EQ(library.call("nvmlDeviceGetCount", &count), uninitialized);
}

TEST_F(Nvml, RefusesAFaultOfAnUnknownSymbol) {
  set_management("devices=2;fail=nvmlDeviceGetUID:999");
  testing::internal::CaptureStderr();
  EXPECT_EQ(library.call("nvmlInit"), invalid);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "DLCERT_MANAGEMENT: expected a symbol of the library but found 'nvmlDeviceGetUID'\n");
}

TEST_F(Nvml, RefusesABufferThatIsTooSmallAndWritesNothing) {
  initialise("device.0.uuid=GPU-1234");
  std::array<char, 9> text{"12345678"};
  EXPECT_EQ(library.call("nvmlDeviceGetUUID", handle(0), text.data(), 8U), too_small);
  EXPECT_STREQ(text.data(), "12345678");
  EXPECT_EQ(library.call("nvmlDeviceGetUUID", handle(0), text.data(), 9U), ok);
  EXPECT_STREQ(text.data(), "GPU-1234");
}

TEST_F(Nvml, WritesNothingAfterTheTerminator) {
  initialise("device.0.uuid=GPU-1");
  std::array<char, 96> text{};
  ASSERT_EQ(library.call("nvmlDeviceGetUUID", handle(0), text.data(), 96U), ok);
  EXPECT_TRUE(std::all_of(text.begin() + 5, text.end(), [](char c) { return c == '\0'; }));
}

TEST_F(Nvml, WritesTheBytesOfAUuidAsTheyAre) {
  std::string filled;
  for (int i = 0; i < 96; ++i)
    filled += "78";
  initialise(
      ("devices=2;device.0.uuid.bytes=4750552D3100ff;device.1.uuid.bytes=" + filled).c_str());
  std::array<char, 96> text{};
  ASSERT_EQ(library.call("nvmlDeviceGetUUID", handle(0), text.data(), 96U), ok);
  EXPECT_EQ(std::string(text.data(), 8), std::string("GPU-1\0\xff\0", 8));
  ASSERT_EQ(library.call("nvmlDeviceGetUUID", handle(1), text.data(), 96U), ok);
  EXPECT_EQ(std::string(text.data(), 96), std::string(96, 'x'));
  EXPECT_EQ(library.call("nvmlDeviceGetUUID", handle(1), text.data(), 95U), too_small);
  ASSERT_EQ(library.call("nvmlDeviceGetUUID", handle(0), text.data(), 7U), ok);
  EXPECT_EQ(text[7], 'x');
}

TEST_F(Nvml, RefusesWhatIsNoDevice) {
  initialise("devices=2");
  void* device = nullptr;
  EXPECT_EQ(library.call("nvmlDeviceGetHandleByIndex_v2", 2U, &device), invalid);
  EXPECT_EQ(library.call("nvmlDeviceGetHandleByIndex", 0U, static_cast<void**>(nullptr)), invalid);
  EXPECT_EQ(library.call("nvmlDeviceGetCount_v2", static_cast<unsigned*>(nullptr)), invalid);
  unsigned power = 0;
  EXPECT_EQ(library.call("nvmlDeviceGetPowerUsage", static_cast<void*>(&power), &power), invalid);
}

TEST_F(Nvml, FindsDevicesByTheirUuids) {
  initialise("devices=2;device.1.mig=MIG-a");
  void* device = nullptr;
  const char* uuid_of_1 = "GPU-00000001-0000-0000-0000-000000000001";
  ASSERT_EQ(library.call("nvmlDeviceGetHandleByUUID", uuid_of_1, &device), ok);
  EXPECT_EQ(device, handle(1));
  ASSERT_EQ(library.call("nvmlDeviceGetHandleByUUID", "MIG-a", &device), ok);
  EXPECT_EQ(uuid(device), "MIG-a");
  EXPECT_EQ(library.call("nvmlDeviceGetHandleByUUID", "GPU-0", &device), not_found);
}

TEST_F(Nvml, TellsMigDevices) {
  initialise("devices=2;device.1.mig=MIG-a");
  unsigned current = 0;
  unsigned pending = 0;
  EXPECT_EQ(library.call("nvmlDeviceGetMigMode", handle(0), &current, &pending), not_supported);
  ASSERT_EQ(library.call("nvmlDeviceGetMigMode", handle(1), &current, &pending), ok);
  EXPECT_EQ(current, 1U);
  void* mig = nullptr;
  ASSERT_EQ(library.call("nvmlDeviceGetMigDeviceHandleByIndex", handle(1), 0U, &mig), ok);
  EXPECT_EQ(uuid(mig), "MIG-a");
  EXPECT_EQ(library.call("nvmlDeviceGetMigDeviceHandleByIndex", handle(1), 1U, &mig), not_found);
}

TEST_F(Nvml, MeasuresInItsOwnUnits) {
  initialise(
      "devices=2;device.*.power=81234;device.1.utilization.gpu=55;device.1.utilization.memory=37;"
      "device.1.temperature=64;device.1.clock.graphics=1;device.1.clock.sm=2;"
      "device.1.clock.memory=3;device.1.clock.video=4;device.1.memory.total=100;"
      "device.1.memory.used=30");
  unsigned value = 0;
  EXPECT_EQ(library.call("nvmlDeviceGetPowerUsage", handle(0), &value), ok);
  EXPECT_EQ(value, 81234U);
  EXPECT_EQ(library.call("nvmlDeviceGetTemperature", handle(1), 0, &value), ok);
  EXPECT_EQ(value, 64U);
  EXPECT_EQ(library.call("nvmlDeviceGetTemperature", handle(1), 1, &value), invalid);
  for (int type = 0; type < 4; ++type) {
    EXPECT_EQ(library.call("nvmlDeviceGetClockInfo", handle(1), type, &value), ok);
    EXPECT_EQ(value, static_cast<unsigned>(type) + 1);
  }
  EXPECT_EQ(library.call("nvmlDeviceGetClockInfo", handle(1), 4, &value), invalid);
  std::array<unsigned, 2> rates{};
  EXPECT_EQ(library.call("nvmlDeviceGetUtilizationRates", handle(1), rates.data()), ok);
  EXPECT_EQ(rates, (std::array<unsigned, 2>{55, 37}));
  std::array<unsigned long long, 3> memory{};
  EXPECT_EQ(library.call("nvmlDeviceGetMemoryInfo", handle(1), memory.data()), ok);
  EXPECT_EQ(memory, (std::array<unsigned long long, 3>{100, 70, 30}));
}

TEST_F(Nvml, TellsTheNameAndThePciAddress) {
  initialise("device.0.name=Some GPU;device.0.pci=0001:3b:02.0");
  std::array<char, 64> name{};
  EXPECT_EQ(library.call("nvmlDeviceGetName", handle(0), name.data(), 64U), ok);
  EXPECT_STREQ(name.data(), "Some GPU");
  struct {
    char legacy[16];
    unsigned domain, bus, device, device_id, subsystem_id;
    char id[32];
  } pci{};
  EXPECT_EQ(library.call("nvmlDeviceGetPciInfo_v3", handle(0), &pci), ok);
  EXPECT_STREQ(pci.id, "00000001:3B:02.0");
  EXPECT_STREQ(pci.legacy, "0001:3B:02.0");
  EXPECT_EQ(pci.bus, 0x3BU);
}

TEST_F(Nvml, FindsADeviceByItsPciAddress) {
  initialise("devices=3;device.1.pci=0001:3b:02.0");
  using Found = std::pair<int, void*>;
  const auto find = [&](const char* address) {
    void* found = nullptr;
    const int code = library.call("nvmlDeviceGetHandleByPciBusId_v2", address, &found);
    return Found{code, found};
  };
  EXPECT_EQ(find("0000:10:00.0"), (Found{ok, handle(0)}));
  EXPECT_EQ(find("00000001:3B:02.0"), (Found{ok, handle(1)}));
  EXPECT_EQ(find("0000:12:00.0"), (Found{ok, handle(2)}));
  EXPECT_EQ(find("0000:11:00.0").first, 6);
  EXPECT_EQ(find("GPU-0").first, invalid);
}

TEST_F(Nvml, FailsAsToldAtEveryCallOrAtOne) {
  initialise("devices=2;fail=nvmlDeviceGetUUID:999:2;fail=nvmlDeviceGetName:15");
  std::array<char, 96> text{};
  EXPECT_EQ(library.call("nvmlDeviceGetUUID", handle(0), text.data(), 96U), ok);
  EXPECT_EQ(library.call("nvmlDeviceGetUUID", handle(1), text.data(), 96U), 999);
  EXPECT_EQ(library.call("nvmlDeviceGetUUID", handle(1), text.data(), 96U), ok);
  EXPECT_EQ(library.call("nvmlDeviceGetName", handle(0), text.data(), 96U), 15);
  EXPECT_EQ(library.call("nvmlDeviceGetName", handle(0), text.data(), 96U), 15);
}

TEST_F(Nvml, StaysUninitialisedWhenInitialisationFailsAsTold) {
  set_management("fail=nvmlInit:9");
  EXPECT_EQ(library.call("nvmlInit"), 9);
  EXPECT_EQ(library.call("nvmlShutdown"), uninitialized);
}

TEST_F(Nvml, AnswersGarbageWhereTold) {
  initialise("garbage=nvmlDeviceGetCount_v2;garbage=nvmlDeviceGetUUID");
  EXPECT_EQ(count(), 1U << 31);
  std::array<char, 96> text{};
  EXPECT_EQ(library.call("nvmlDeviceGetUUID", handle(0), text.data(), 96U), ok);
  EXPECT_TRUE(std::all_of(text.begin(), text.end(), [](char c) { return c < 0; }));
}

TEST_F(Nvml, CrashesWhereTold) {
  initialise("crash=nvmlDeviceGetCount_v2");
  EXPECT_DEATH(count(), "");
}

TEST_F(Nvml, HangsWhereToldAndLetsOtherCallsThrough) {
  initialise("hang=nvmlDeviceGetCount_v2;devices=2");
  EXPECT_EXIT(
      {
        alarm(1);
        count();
      },
      testing::KilledBySignal(SIGALRM), "");
  EXPECT_NE(handle(1), nullptr);
}

TEST_F(Nvml, TracesEachCall) {
  const ScratchFile file{"trace"};
  initialise(("trace=" + file.path()).c_str());
  unsigned value = 0;
  library.call("nvmlDeviceGetClockInfo", handle(0), 9, &value);
  library.call("nvmlShutdown");
  EXPECT_EQ(file.read(),
            "nvmlInit() = 0\n"
            "nvmlDeviceGetHandleByIndex_v2(0, out) = 0\n"
            "nvmlDeviceGetClockInfo(0, 9, out) = 2\n"
            "nvmlShutdown() = 0\n");
}

TEST_F(Nvml, TracesToAFileThatIsOpen) {
  const ScratchFile file{"trace"};
  const int descriptor =
      ::open(file.path().c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  ASSERT_GE(descriptor, 0);
  initialise(("trace=/nowhere/trace;trace.descriptor=" + std::to_string(descriptor)).c_str());
  library.call("nvmlShutdown");
  ::close(descriptor);
  EXPECT_EQ(file.read(),
            "nvmlInit() = 0\n"
            "nvmlShutdown() = 0\n");
}

TEST_F(Nvml, ExplainsItsCodesWithoutInitialisation) {
  EXPECT_STREQ(library.call<const char*>("nvmlErrorString", 9), "Driver Not Loaded");
  EXPECT_STREQ(library.call<const char*>("nvmlErrorString", 998), "Unknown Error");
}

TEST_F(Nvml, TellsItsVersions) {
  initialise("");
  std::array<char, 80> text{};
  EXPECT_EQ(library.call("nvmlSystemGetDriverVersion", text.data(), 80U), ok);
  EXPECT_STREQ(text.data(), "550.54.15");
  EXPECT_EQ(library.call("nvmlSystemGetNVMLVersion", text.data(), 4U), too_small);
  int version = 0;
  EXPECT_EQ(library.call("nvmlSystemGetCudaDriverVersion_v2", &version), ok);
  EXPECT_EQ(version, 12040);
}

TEST(NvmlThatLacksSymbols, HasOnlyInitialisation) {
  const ManagementLibrary library{"lacking/libnvidia-ml.so.1"};
  EXPECT_EQ(library.call("nvmlInit"), 0);
  EXPECT_FALSE(library.has("nvmlDeviceGetCount_v2"));
}

TEST_F(Nvml, AnswersInAChildThatIsForkedWhileAnotherThreadCalls) {
  initialise("devices=3");
  std::atomic<bool> done = false;
  std::thread caller{[&] {
    unsigned ignored = 0;
    while (!done)
      library.call("nvmlDeviceGetCount_v2", &ignored);
  }};
  for (int fork_number = 0; fork_number < 200; ++fork_number) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(5);
      unsigned found = 0;
      ::_exit(library.call("nvmlDeviceGetCount_v2", &found) == ok && found == 3 ? 0 : 1);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0) << "fork " << fork_number;
  }
  done = true;
  caller.join();
}

}  // namespace
}  // namespace dlcert::shim
