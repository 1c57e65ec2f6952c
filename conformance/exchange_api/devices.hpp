// SPDX-License-Identifier: Apache-2.0
//
// Devices on which tables are asked for tensors and streams.
#pragma once

#include <functional>

#include <dlcert/suite/check.hpp>

#include "testbench/device_session.hpp"

namespace dlcert::exchange_api {

// A device on which the producer claims float32 tensors. Not claimed when it does not.
dlcert_device draw_device(Case& c, const testbench::DeviceSession& session);

// A compact float32 tensor on this device, which the producer claims.
TensorSpec draw_spec_on(Case& c, dlcert_device device);

// Runs `body` while `stream` is the producer's current stream of its device.
void within(const Case& c, const testbench::DeviceSession& session,
            const testbench::StreamHandle& stream, const std::function<void()>& body);

}  // namespace dlcert::exchange_api
