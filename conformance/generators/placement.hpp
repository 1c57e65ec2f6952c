// SPDX-License-Identifier: Apache-2.0
//
// Where the tensors of a case lie: on the host, or in the cases of a check that is run on devices
// too (registration.hpp), on one of these.
#pragma once

#include <dlcert/adapter.h>

namespace dlcert {

// While one lives, what is drawn lies on its device. One at a time, on the thread of the case.
class Placement {
 public:
  explicit Placement(dlcert_device device);
  Placement(const Placement&) = delete;
  Placement& operator=(const Placement&) = delete;
  ~Placement();
};

// The device of the tensors that the case draws: the CPU where no Placement lives.
dlcert_device place();
// Whether that is another one than the CPU.
bool placed_on_a_device();

}  // namespace dlcert
