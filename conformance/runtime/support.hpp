// SPDX-License-Identifier: Apache-2.0
//
// What several checks of the runtime arrange and ask.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

#include <dlcert/driver/simulated.hpp>
#include <dlcert/suite/check.hpp>
#include <dlcert/suite/gpu_party.hpp>

namespace dlcert::runtime {

// The number of devices of most cases.
inline constexpr int device_count = 3;

// A check of a library in a process in which nothing of it was called; with `rows`, of a table.
Check in_fresh_process(std::string_view requirement, std::string_view sentence,
                       std::size_t rows = 0);

int draw_device(Case& c);
int draw_other_device(Case& c, int device);
// One of the forms in which a device can be named: 1, "cuda:1", a DLPack device.
dlcert_value draw_name_of(Case& c, int device);
// A GPU without index, as text or as a DLPack device.
dlcert_value draw_gpu_without_index(Case& c);
// DLPack's number for the GPUs of the platform.
int gpu_type();

// Ends the case as inconclusive unless a call by which the harness arranges the case succeeded.
void require_arranged(driver::Status status, std::string_view call);
// The device that the driver has as the calling thread's current one, and its change by somebody
// who is not the library.
int device_of_driver();
void set_device_of_driver(int device);
// Somebody has used every device before the library: each has a context, and `device` is current.
void use_all_devices(int device = 0);

// The library and the driver agree that `device` is the calling thread's current one.
void expect_current(const GpuRuntime& runtime, int device, std::string_view when);
void expect_initialized(const GpuRuntime& runtime, bool initialized, std::string_view when);

void expect_stream(std::string_view what, const dlcert_runtime_stream& expected,
                   const dlcert_runtime_stream& found);

// Runs `body` between the entry and the exit of a guard, which have to succeed.
void within(const GpuRuntime& runtime, const Guard& guard, const std::function<void()>& body);

}  // namespace dlcert::runtime
