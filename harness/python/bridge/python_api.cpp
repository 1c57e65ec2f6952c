// SPDX-License-Identifier: Apache-2.0
#include "python_api.hpp"

#include <dlfcn.h>

namespace dlcert::python {

Api py;

namespace {

template <typename T>
bool find(void* module, const char* name, T& found) {
  found = reinterpret_cast<T>(::dlsym(module, name));
  return found != nullptr;
}

}  // namespace

std::string load_api(void* module) {
#define DLCERT_PYTHON_FIND(name) \
  if (!find(module, #name, py.name)) return #name;
#define DLCERT_PYTHON_FUNCTION(result, name, parameters) DLCERT_PYTHON_FIND(name)
#define DLCERT_PYTHON_OBJECT(name) DLCERT_PYTHON_FIND(name)
#define DLCERT_PYTHON_ERROR(name) DLCERT_PYTHON_FIND(name)
#include "python_api.inc"
  return {};
}

}  // namespace dlcert::python
