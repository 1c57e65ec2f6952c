// SPDX-License-Identifier: Apache-2.0
//
// What a library finds around it in a process of its own: environment variables, a management
// library, a driver with devices, and the build that it is asked to behave as. For checks with
// Isolation::process_per_case.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <dlcert/driver/simulated.hpp>
#include <dlcert/suite/check.hpp>
#include <dlcert/suite/gpu_party.hpp>
#include <dlcert/suite/management.hpp>

namespace dlcert::testbench {

struct Environment {
  // Empty optional: unset. The variables that name visible devices are unset unless they are here.
  std::map<std::string, std::optional<std::string>> variables = {};
  ManagementLibrary management = ManagementLibrary::stand_in;
  // As the stand-ins read them, "devices=3;fail=nvmlInit:999". The number of devices is that of the
  // driver unless it is here.
  std::string management_settings = {};
  int devices = 2;  // of the driver
  std::vector<driver::SimulatedDevice> models = {};
  driver::Status start_error = driver::Status::success;
  int version = 0;
  int driver_version = 0;
  std::vector<std::pair<int, int>> without_peer_access = {};
  std::optional<Build> build = {};
};

// The environment of this process, made as wanted, and the calls that the library has made since.
// One in a process.
class ArrangedEnvironment {
 public:
  // Throws NotFormable where the library cannot pretend to be built so, or a library cannot be
  // hidden.
  ArrangedEnvironment(const Case& c, const Environment& wanted);
  ArrangedEnvironment(const ArrangedEnvironment&) = delete;
  ArrangedEnvironment& operator=(const ArrangedEnvironment&) = delete;
  ~ArrangedEnvironment();

  // The calls of the driver that the runtime of a vendor would have seen, in order.
  std::vector<driver::Call> runtime_calls();
  // The calls of the management library, in order: "nvmlInit() = 0".
  std::vector<std::string> management_calls() const;

 private:
  int management_trace_ = -1;
};

// Whether the devices of this process are those of ROCm.
bool is_rocm();

// "HIP_VISIBLE_DEVICES" on ROCm, else "CUDA_VISIBLE_DEVICES".
const char* visible_variable();

void set_variable(const std::string& name, const std::optional<std::string>& value);

// What became of a forked child that ran `body`, which answers in one text. The child dies with
// this process; a child that has not ended after `seconds` is ended.
struct ChildEnd {
  bool answered = false;  // false: it died or hung
  std::string answer = {};
  std::string death = {};  // "was ended by signal 11", "did not end within 5 s"
};
ChildEnd in_forked_child(const std::function<std::string()>& body, double seconds = 5);

}  // namespace dlcert::testbench
