// SPDX-License-Identifier: Apache-2.0

#include "enumeration_fuzz.hpp"

#include <array>
#include <string>
#include <vector>

#include "dlcert/cuda/telemetry.hpp"
#include "dlcert/cuda/visible_device_policies.hpp"

#include "../tests/fakes.hpp"
#include "require.hpp"

namespace dlcert::cuda {
namespace {

class Bytes {
 public:
  explicit Bytes(std::span<const std::uint8_t> input) : input_{input} {}

  [[nodiscard]] bool empty() const { return input_.empty(); }
  std::uint8_t take() {
    if (input_.empty()) return 0;
    const std::uint8_t byte = input_.front();
    input_ = input_.subspan(1);
    return byte;
  }
  std::string text() {
    std::string taken;
    for (std::size_t left = take() % 40; left > 0 && !input_.empty(); --left)
      taken += static_cast<char>(take());
    return taken;
  }
  // Mostly small, and sometimes at the ends of the type.
  std::int64_t number() {
    constexpr std::array<std::int64_t, 6> ends = {INT64_MIN, INT64_MAX, INT32_MAX,
                                                  -1,        1'000'000, 0};
    const std::uint8_t choice = take();
    return choice < ends.size() ? ends[choice] : choice % 12;
  }

 private:
  std::span<const std::uint8_t> input_;
};

template <class Kind>
class OverAnswers : public Kind {
 public:
  using Kind::Kind;

  int count = 0;
  driver::Status status = driver::Status::success;

 protected:
  driver::Status ask_runtime(int& out) override {
    if (status == driver::Status::success) out = count;
    return status;
  }
};

template <class Kind, class Rules>
class Program {
 public:
  Program(Bytes& bytes, driver::Vendor vendor) : bytes_{bytes}, world_{vendor} {
    world_.build.gpu = bytes_.take() % 16 != 0;
    world_.build.management_module = static_cast<ManagementModule>(bytes_.take() % 3);
    world_.management.count = bytes_.number();
    for (int left = bytes_.take() % 6; left > 0; --left)
      world_.management.texts.push_back("GPU-" + bytes_.text());
    if (const int step = bytes_.take() % 20; step <= static_cast<int>(ManagementStep::measurement))
      world_.management.failing = static_cast<ManagementStep>(step);
    world_.management.code = bytes_.take();
    world_.enumeration.count = bytes_.take() % 9;
    constexpr std::array statuses = {driver::Status::success, driver::Status::no_device,
                                     driver::Status::insufficient_driver, driver::Status::unknown};
    world_.enumeration.status = statuses[bytes_.take() % statuses.size()];
  }

  void run() {
    while (!bytes_.empty()) {
      try {
        step(bytes_.take() % 9);
      } catch (const Error& error) {
        require_one_line(error.what());
      }
    }
    for (const std::string& warning : world_.warnings)
      require_one_line(warning);
  }

 private:
  void step(int what) {
    constexpr std::array variables = {"CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES",
                                      "ROCR_VISIBLE_DEVICES", "PYTORCH_NVML_BASED_CUDA_CHECK"};
    switch (what) {
      case 0:
        world_.variables[variables[bytes_.take() % variables.size()]] = bytes_.text();
        break;
      case 1:
        world_.variables.erase(variables[bytes_.take() % variables.size()]);
        break;
      case 2:
        world_.state.is_initialized = !world_.state.is_initialized;
        break;
      case 3:
        return index();
      case 4:
        return measure();
      case 5:
        static_cast<void>(world_.enumeration.is_available());
        break;
      default:
        return count();
    }
  }

  void count() {
    const std::int64_t counted = world_.enumeration.device_count();
    require(counted >= 0, "a count but found " + std::to_string(counted));
    if (!world_.build.gpu) require(counted == 0, "no devices without GPUs");
    if (cached_ >= 0) require(counted == cached_, "the cached count");
    if (world_.state.is_initialized && world_.build.gpu && cached_ < 0) cached_ = counted;
  }

  void index() {
    const std::int64_t logical = bytes_.number();
    const std::uint64_t found = world_.enumeration.management_index(logical);
    require(logical >= 0, "no index for device " + std::to_string(logical));
    require(found == world_.enumeration.management_index(logical), "the same index again");
  }

  void measure() {
    Telemetry telemetry{world_.build, world_.enumeration, world_.management,
                        [this] { return bytes_.number(); }};
    DeviceArgument device;
    if (const std::uint8_t choice = bytes_.take(); choice % 3 == 0)
      device = bytes_.number();
    else if (choice % 3 == 1)
      device = (choice % 2 == 0 ? "cuda" : "") + bytes_.text();
    static_cast<void>(telemetry.utilization(device));
    require(world_.build.management_module == ManagementModule::present, "a module to measure by");
  }

  Bytes& bytes_;
  World<OverAnswers<Kind>, Rules> world_;
  std::int64_t cached_ = -1;
};

}  // namespace

void enumerate_what_bytes_say(std::span<const std::uint8_t> input) {
  constexpr std::size_t most_bytes = 4096;
  Bytes bytes{input.first(std::min(input.size(), most_bytes))};
  switch (bytes.take() % 3) {
    case 0:
      return Program<Enumeration, VisibleDeviceRules>{bytes, driver::Vendor::cuda}.run();
    case 1:
      return Program<Enumeration, VisibleDeviceRules>{bytes, driver::Vendor::rocm}.run();
    default:
      return Program<RocmUuidEnumeration, RocrComposition>{bytes, driver::Vendor::rocm}.run();
  }
}

}  // namespace dlcert::cuda
