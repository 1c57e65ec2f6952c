// SPDX-License-Identifier: Apache-2.0

#include "dlcert/cuda/errors.hpp"

namespace dlcert::cuda {

// Here, so that the class's tables are in one place.
Error::~Error() = default;

}  // namespace dlcert::cuda
