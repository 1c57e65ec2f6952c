// SPDX-License-Identifier: Apache-2.0
//
// libamd_smi.so of the shims, of both layouts, called as programs call it: through dlsym.

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "management_fixture.hpp"

namespace dlcert::shim {
namespace {

enum : int { success = 0, bad_argument = 1, unsupported = 2, not_initialized = 32 };

// Where amdsmi.h has what differs.
struct Layout {
  const char* library;  // below the folder of the stand-ins
  std::uint32_t number;
  std::size_t serial;  // byte in amdsmi_asic_info_t
  std::size_t power;   // 32-bit word of current_socket_power; that of the average is next
  std::uint32_t unreported_power;
};

void PrintTo(const Layout& layout, std::ostream* out) {
  *out << layout.number;
}

constexpr Layout layout_24{"libamd_smi.so", 24, 340, 0, 0xFFFF};
constexpr Layout layout_26{"amd_smi_26/libamd_smi.so", 26, 532, 2, 0xFFFFFFFF};

class AmdSmi : public testing::TestWithParam<Layout> {
 protected:
  std::vector<void*> processors() {
    std::uint32_t count = 0;
    EXPECT_EQ(library.call("amdsmi_get_socket_handles", &count, static_cast<void**>(nullptr)),
              success);
    std::vector<void*> sockets(count);
    EXPECT_EQ(library.call("amdsmi_get_socket_handles", &count, sockets.data()), success);
    std::vector<void*> all;
    for (void* const socket : sockets) {
      EXPECT_EQ(library.call("amdsmi_get_processor_handles", socket, &count,
                             static_cast<void**>(nullptr)),
                success);
      EXPECT_EQ(count, 1U);
      void* processor = nullptr;
      EXPECT_EQ(library.call("amdsmi_get_processor_handles", socket, &count, &processor), success);
      all.push_back(processor);
    }
    return all;
  }
  void initialise(const char* settings) {
    set_management(settings);
    ASSERT_EQ(library.call("amdsmi_init", std::uint64_t{2}), success);
  }

  // The current power and the average.
  std::array<std::uint32_t, 2> powers(std::size_t device) {
    EXPECT_EQ(library.call("amdsmi_get_power_info", processors().at(device), words.data()),
              success);
    return {words[GetParam().power], words[GetParam().power + 1]};
  }

  ManagementLibrary library{GetParam().library};
  std::array<std::uint32_t, 256> words{};
};

TEST_P(AmdSmi, AnswersNotInitialisedBeforeInitialisation) {
  std::uint32_t count = 0;
  testing::internal::CaptureStderr();
  EXPECT_EQ(library.call("amdsmi_get_socket_handles", &count, static_cast<void**>(nullptr)),
            not_initialized);
  EXPECT_EQ(library.call("amdsmi_shut_down"), not_initialized);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_P(AmdSmi, HasOneSocketForEachDevice) {
  initialise("devices=3");
  EXPECT_EQ(processors().size(), 3U);
  std::uint32_t count = 0;
  EXPECT_EQ(library.call("amdsmi_get_processor_handles", static_cast<void*>(&count), &count,
                         static_cast<void**>(nullptr)),
            bad_argument);
}

TEST_P(AmdSmi, CountsInitialisations) {
  initialise("devices=2");
  initialise("devices=3");
  ASSERT_EQ(library.call("amdsmi_shut_down"), success);
  EXPECT_EQ(processors().size(), 2U);
  ASSERT_EQ(library.call("amdsmi_shut_down"), success);
  EXPECT_EQ(library.call("amdsmi_shut_down"), not_initialized);
}

TEST_P(AmdSmi, TellsUuidsOf36Characters) {
  initialise("devices=2;device.0.uuid=8932f937-d72c-4106-c12f-20bd9faed9f6");
  std::array<char, 38> text{};
  unsigned length = 38;
  EXPECT_EQ(library.call("amdsmi_get_gpu_device_uuid", processors().at(0), &length, text.data()),
            success);
  EXPECT_STREQ(text.data(), "8932f937-d72c-4106-c12f-20bd9faed9f6");
  EXPECT_EQ(library.call("amdsmi_get_gpu_device_uuid", processors().at(1), &length, text.data()),
            success);
  EXPECT_STREQ(text.data(), "00000001-0000-0000-0000-000000000001");
  length = 37;
  EXPECT_EQ(library.call("amdsmi_get_gpu_device_uuid", processors().at(0), &length, text.data()),
            bad_argument);
}

TEST_P(AmdSmi, TellsSerialsOf16Digits) {
  initialise("devices=2;device.1.serial=abc");
  std::array<char, 1024> info{};
  ASSERT_EQ(library.call("amdsmi_get_gpu_asic_info", processors().at(1), info.data()), success);
  EXPECT_STREQ(info.data() + GetParam().serial, "0000000000000ABC");
}

TEST_P(AmdSmi, MeasuresInItsOwnUnits) {
  initialise(
      "device.0.power=81;device.0.utilization.gpu=55;device.0.utilization.memory=37;"
      "device.0.temperature=64;device.0.clock.graphics=1;device.0.clock.memory=3;"
      "device.0.memory.total=104857600;device.0.memory.used=31457280");
  void* const gpu = processors().at(0);
  EXPECT_EQ(powers(0)[0], 81U);
  ASSERT_EQ(library.call("amdsmi_get_gpu_activity", gpu, words.data()), success);
  EXPECT_EQ(words[0], 55U);
  EXPECT_EQ(words[1], 37U);
  std::int64_t degrees = 0;
  ASSERT_EQ(library.call("amdsmi_get_temp_metric", gpu, 1U, 0U, &degrees), success);
  EXPECT_EQ(degrees, 64);
  EXPECT_EQ(library.call("amdsmi_get_temp_metric", gpu, 1U, 1U, &degrees), unsupported);
  ASSERT_EQ(library.call("amdsmi_get_clock_info", gpu, 4U, words.data()), success);
  EXPECT_EQ(words[0], 3U);
  EXPECT_EQ(library.call("amdsmi_get_clock_info", gpu, 1U, words.data()), unsupported);
  ASSERT_EQ(library.call("amdsmi_get_gpu_vram_usage", gpu, words.data()), success);
  EXPECT_EQ(words[0], 100U);
  EXPECT_EQ(words[1], 30U);
}

TEST_P(AmdSmi, DrawsTheAveragePowerAtPresentUnlessItIsSet) {
  initialise("devices=2;device.*.power=81;device.1.power.average=75");
  EXPECT_EQ(powers(0), (std::array{81U, 81U}));
  EXPECT_EQ(powers(1), (std::array{81U, 75U}));
}

TEST_P(AmdSmi, TellsAPowerThatIsNotReportedAsItsReleaseDoes) {
  initialise(
      "devices=3;device.0.power=65535;device.0.power.average=75;device.1.power=81;"
      "device.1.power.average=65535;device.2.power=65535");
  const std::uint32_t none = GetParam().unreported_power;
  EXPECT_EQ(powers(0), (std::array{none, 75U}));
  EXPECT_EQ(powers(1), (std::array{81U, none}));
  EXPECT_EQ(powers(2), (std::array{none, none}));
}

TEST_P(AmdSmi, TellsItsRelease) {
  EXPECT_EQ(library.call("amdsmi_get_lib_version", words.data()), not_initialized);
  initialise("");
  EXPECT_EQ(library.call("amdsmi_get_lib_version", static_cast<void*>(nullptr)), bad_argument);
  ASSERT_EQ(library.call("amdsmi_get_lib_version", words.data()), success);
  EXPECT_EQ(words[0], GetParam().number);
  const char* build = nullptr;
  std::memcpy(&build, words.data() + 4, sizeof build);
  EXPECT_TRUE(std::string{build}.starts_with(std::to_string(GetParam().number) + "."));
}

TEST_P(AmdSmi, TellsEachDeviceByItsHipNumber) {
  initialise("devices=2");
  ASSERT_EQ(library.call("amdsmi_get_gpu_enumeration_info", processors().at(1), words.data()),
            success);
  EXPECT_EQ(words[3], 1U);
  EXPECT_STREQ(reinterpret_cast<const char*>(words.data() + 4), "GPU-0000000000000001");
}

TEST_P(AmdSmi, AnswersNotSupportedWhereThereIsNoModel) {
  const ScratchFile file{"amd-trace"};
  initialise(("fail=amdsmi_get_fw_info:10:2;trace=" + file.path()).c_str());
  EXPECT_EQ(library.call("amdsmi_get_fw_info", nullptr, nullptr), unsupported);
  EXPECT_EQ(library.call("amdsmi_get_fw_info", nullptr, nullptr), 10);
  EXPECT_EQ(file.read(),
            "amdsmi_init(2) = 0\namdsmi_get_fw_info(...) = 2\namdsmi_get_fw_info(...) = 10\n");
}

TEST_P(AmdSmi, RefusesMalformedSettingsInOneLine) {
  set_management("device.0.serial=xyz");
  testing::internal::CaptureStderr();
  EXPECT_EQ(library.call("amdsmi_init", std::uint64_t{2}), bad_argument);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "DLCERT_MANAGEMENT: expected 1 to 16 hexadecimal digits but found 'xyz'\n");
}

INSTANTIATE_TEST_SUITE_P(Layouts, AmdSmi, testing::Values(layout_24, layout_26));

class AmdSmi26 : public AmdSmi {
 protected:
  std::uint64_t socket_power(std::size_t device) {
    powers(device);
    std::uint64_t watts = 0;
    std::memcpy(&watts, words.data(), sizeof watts);
    return watts;
  }
};

TEST_P(AmdSmi26, TellsThePowerOfTheSocketWhicheverIsReported) {
  initialise(
      "devices=3;device.0.power=81;device.0.power.average=75;device.1.power=65535;"
      "device.1.power.average=75;device.2.power=65535");
  EXPECT_EQ(socket_power(0), 81U);
  EXPECT_EQ(socket_power(1), 75U);
  EXPECT_EQ(socket_power(2), UINT64_MAX);
}

INSTANTIATE_TEST_SUITE_P(Layouts, AmdSmi26, testing::Values(layout_26));

TEST(AmdSmiThatLacksSymbols, HasOnlyInitialisation) {
  const ManagementLibrary library{"lacking/libamd_smi.so"};
  EXPECT_EQ(library.call("amdsmi_init", std::uint64_t{2}), 0);
  EXPECT_FALSE(library.has("amdsmi_get_socket_handles"));
}

}  // namespace
}  // namespace dlcert::shim
