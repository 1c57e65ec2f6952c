// SPDX-License-Identifier: Apache-2.0

#include "dlcert/python/module.hpp"

#include "dlcert/python/face.hpp"

PyMODINIT_FUNC PyInit_dlcert_reference();  // called by its name alone

PyMODINIT_FUNC PyInit_dlcert_reference() {
  return dlcert::reference::python::Module<dlcert::reference::python::OwnFace>::init();
}
