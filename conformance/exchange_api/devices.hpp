// SPDX-License-Identifier: Apache-2.0
//
// Tables that are asked about devices.
#pragma once

#include <functional>

#include <dlcert/suite/check.hpp>

#include "testbench/stage.hpp"

namespace dlcert::exchange_api {

// A device on which the producer claims float32 tensors. Not claimed when it does not.
dlcert_device draw_device(Case& c, const stream::Stage& stage);

// Runs `body` while `queue` is the producer's current stream of its device.
void within(const Case& c, const stream::Stage& stage, const stream::Queue& queue,
            const std::function<void()>& body);

}  // namespace dlcert::exchange_api
