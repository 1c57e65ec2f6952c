// SPDX-License-Identifier: Apache-2.0
//
// A library instance on a fresh simulated world, and what may happen in a child process.

#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "dlcert/cuda/cuda.hpp"
#include "dlcert/cuda/errors.hpp"
#include "dlcert/cuda/nvml.hpp"
#include "dlcert/driver/simulated.hpp"

namespace dlcert::cuda {

/// The reference's parts without a management library, so that no GPU of this machine counts.
class OwnParts : public PartsFactory {
 public:
  std::unique_ptr<Management> management(const Build& /*build*/) const override {
    return std::make_unique<Nvml>("libdlcert_no_such_library.so");
  }
};

/// Whether `body()` returned true in a forked child, which ends without destructors.
template <class Body>
bool child_agrees(Body&& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    bool agreed = false;
    try {
      agreed = body();
    } catch (...) {
      agreed = false;
    }
    ::_exit(agreed ? 0 : 1);
  }
  int state = 0;
  return ::waitpid(child, &state, 0) == child && WIFEXITED(state) && WEXITSTATUS(state) == 0;
}

/// What the Error says that `body()` throws; fails the test for anything else.
template <class Error, class Body>
std::string error_of(Body&& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "another exception: " << error.what();
    return {};
  }
  ADD_FAILURE() << "no exception";
  return {};
}

template <class Error, class Body>
bool throws(Body&& body) {
  try {
    body();
  } catch (const Error&) {
    return true;
  } catch (...) {
  }
  return false;
}

/// Whether `text` holds each of the parts.
inline bool says(const std::string& text, std::initializer_list<const char*> parts) {
  for (const char* const part : parts)
    if (text.find(part) == std::string::npos) return false;
  return true;
}

class RuntimeTest : public testing::Test {
 protected:
  RuntimeTest() {
    ::unsetenv("CUDA_VISIBLE_DEVICES");
    ::unsetenv("PYTORCH_NVML_BASED_CUDA_CHECK");
    restart({.devices = 2});
    make({});
  }

  void restart(driver::SimulatedOptions options) {
    options.memory_per_device = std::uint64_t{1} << 28;
    driver_.restart(options);
  }
  /// A new library instance in place of the former one.
  Cuda& make(Build build) {
    cuda_.reset();
    cuda_ = std::make_unique<Cuda>(
        std::move(build), [this](const std::string& text) { warn(text); }, parts_);
    return *cuda_;
  }
  Cuda& cuda() { return *cuda_; }
  LazyInitialization& lazy() { return cuda_->initialization(); }
  void init() { lazy().initialize(); }

  void warn(const std::string& text) {
    const std::scoped_lock lock(warnings_mutex_);
    warnings_.push_back(text);
  }
  std::vector<std::string> take_warnings() {
    const std::scoped_lock lock(warnings_mutex_);
    return std::exchange(warnings_, {});
  }

  /// The driver's own current device.
  int driver_device() {
    int device = -1;
    EXPECT_EQ(driver_.current_device(device), driver::Status::success);
    return device;
  }
  void set_driver_device(int device) {
    EXPECT_EQ(driver_.set_device(device), driver::Status::success);
  }

  driver::SimulatedDriver& driver_ = driver::simulated_driver();

 private:
  OwnParts parts_;
  std::unique_ptr<Cuda> cuda_;
  std::mutex warnings_mutex_;
  std::vector<std::string> warnings_;
};

}  // namespace dlcert::cuda
