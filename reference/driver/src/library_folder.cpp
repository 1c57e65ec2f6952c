// SPDX-License-Identifier: Apache-2.0

#include "dlcert/driver/library_folder.hpp"

#include <dlfcn.h>

#include <stdexcept>

namespace dlcert::driver {

std::filesystem::path library_folder() {
  static const char anchor = 0;
  ::Dl_info library{};
  if (::dladdr(&anchor, &library) == 0) throw std::runtime_error("cannot locate libdlcert_driver");
  return std::filesystem::path(library.dli_fname).parent_path();
}

}  // namespace dlcert::driver
