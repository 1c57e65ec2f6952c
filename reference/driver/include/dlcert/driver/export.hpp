// SPDX-License-Identifier: Apache-2.0

#pragma once

/// Marks what the shared library offers; everything else in it is hidden.
#define DLCERT_DRIVER_EXPORT __attribute__((visibility("default")))
