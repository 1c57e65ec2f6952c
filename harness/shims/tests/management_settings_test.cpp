// SPDX-License-Identifier: Apache-2.0
//
// What is refused and how, and the fuzzer's corpus, whole and damaged, without libFuzzer.

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "shims/management/settings.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

bool is_init(const char* symbol) {
  return std::string{symbol} == "nvmlInit";
}

// The line that refuses `text`, or "".
std::string problem_of(const std::string& text, const char* file = nullptr) {
  const auto settings = std::make_unique<management_settings>();
  management_defaults(settings.get(), 1);
  char problem[MANAGEMENT_PROBLEM] = "";
  const bool accepted =
      management_parse(settings.get(), text.data(), text.size(), file, is_init, problem);
  EXPECT_EQ(accepted, problem[0] == '\0');
  return problem;
}

TEST(ManagementSettings, RefuseWhatIsMalformedAndNameIt) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"devices", "expected NAME=VALUE but found 'devices'"},
      {"devices=257", "expected a number of devices from 0 to 256 but found '257'"},
      {"devices=-1", "expected a number of devices from 0 to 256 but found '-1'"},
      {"devices=", "expected a number of devices from 0 to 256 but found ''"},
      {"device.256.uuid=a",
       "expected a device from 0 to 255, or '*', but found 'device.256.uuid=a'"},
      {"device.0.uid=a", "expected a setting of a device but found 'device.0.uid=a'"},
      {"device.0.uuid=", "expected a text of 1 to 95 bytes but found ''"},
      {"device.0.uuid.bytes=475",
       "expected 1 to 96 bytes of two hexadecimal digits each but found '475'"},
      {"device.0.uuid.bytes=",
       "expected 1 to 96 bytes of two hexadecimal digits each but found ''"},
      {"device.0.uuid.bytes=47zz",
       "expected 1 to 96 bytes of two hexadecimal digits each but found '47zz'"},
      {"device.0.power.average=some", "expected a number from 0 to 4294967295 but found 'some'"},
      {"device.0.power=4294967296",
       "expected a number from 0 to 4294967295 but found '4294967296'"},
      {"device.0.pci=0:3b:0.0", "expected a PCI address like 0000:3b:00.0 but found '0:3b:0.0'"},
      {"device.0.serial=12345678123456781",
       "expected 1 to 16 hexadecimal digits but found '12345678123456781'"},
      {"fail=nvmlInit", "expected SYMBOL:CODE or SYMBOL:CODE:CALL but found 'nvmlInit'"},
      {"fail=nvmlInit:1:0", "expected SYMBOL:CODE or SYMBOL:CODE:CALL but found 'nvmlInit:1:0'"},
      {"hang=nvmlInit:1", "expected a symbol of the library but found 'nvmlInit:1'"},
      {"colour=red", "expected a setting but found 'colour=red'"},
  };
  for (const auto& [text, problem] : cases) {
    EXPECT_EQ(problem_of(text), "DLCERT_MANAGEMENT: " + problem);
    EXPECT_EQ(problem_of("\n# comment\n" + text, "f"), "f:3: " + problem);
  }
}

TEST(ManagementSettings, TakeNoMoreBytesThanABufferHas) {
  const std::string most(std::size_t{2} * MANAGEMENT_TEXT, 'f');
  EXPECT_EQ(problem_of("device.0.uuid.bytes=" + most), "");
  EXPECT_NE(problem_of("device.0.uuid.bytes=" + most + "ff"), "");
}

TEST(ManagementSettings, IgnoreBlanksAroundASettingAndEmptyOnes) {
  EXPECT_EQ(problem_of(" devices=2 ;; hang=nvmlInit;"), "");
  EXPECT_EQ(problem_of("devices=2\r\n\n  # three\n", "f"), "");
}

TEST(ManagementSettings, RefuseMoreFaultsThanTheyHold) {
  std::string text;
  for (int i = 0; i < MANAGEMENT_FAULTS; ++i) {
    text += "hang=nvmlInit;";
  }
  EXPECT_EQ(problem_of(text), "");
  EXPECT_EQ(problem_of(text + "hang=nvmlInit"),
            "DLCERT_MANAGEMENT: expected at most 64 faults but found 'nvmlInit'");
}

TEST(ManagementSettings, SurviveTheCorpusWholeAndDamaged) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator{DLCERT_CORPORA "management_settings"}) {
    std::ifstream file{entry.path(), std::ios::binary};
    std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>{file}, {}};
    for (std::size_t size = 0; size <= bytes.size(); ++size) {
      LLVMFuzzerTestOneInput(bytes.data(), size);
    }
    for (std::uint8_t& byte : bytes) {
      for (const int damage : {0x01, 0x10, 0x80}) {
        byte = static_cast<std::uint8_t>(byte ^ damage);
        LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
        byte = static_cast<std::uint8_t>(byte ^ damage);
      }
    }
    ++files;
  }
  EXPECT_GT(files, 5);
}

}  // namespace
