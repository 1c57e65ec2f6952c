// SPDX-License-Identifier: Apache-2.0
//
// acme with one fault, for the pages on failures: its imports ignore byte_offset.
#pragma once

#include "../../../adapters/minimal/acme.hpp"

namespace acme_2_1 {

using namespace acme;

inline constexpr const char* version = "2.1";

inline array from_dlpack(DLManagedTensorVersioned* managed) {
  array imported = acme::from_dlpack(managed);
  DLTensor& tensor = managed->dl_tensor;
  if (tensor.data != nullptr) imported.data = {imported.data, static_cast<std::byte*>(tensor.data)};
  return imported;
}

}  // namespace acme_2_1

#define acme acme_2_1
