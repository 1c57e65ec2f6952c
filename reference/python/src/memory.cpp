// SPDX-License-Identifier: Apache-2.0
//
// The module dlcert_reference_memory, for whoever judges dlcert_reference: from its import on host
// memory is counted, and fails on request.

#include <dlcert/driver/failing_host_memory.hpp>

#include "dlcert/python/errors.hpp"

namespace dlcert::reference::python {
namespace {

// Never destroyed: exports outlive the interpreter.
driver::FailingHostMemory& memory() {
  static driver::FailingHostMemory& failing = *new driver::FailingHostMemory(driver::host_memory());
  return failing;
}

PyObject* live_allocations(PyObject*, PyObject*) noexcept {
  return PyLong_FromLongLong(memory().live().blocks);
}

PyObject* fail_allocation(PyObject*, PyObject* successes) noexcept {
  return guarded([&] {
    const long long wanted = PyLong_AsLongLong(successes);
    if (wanted == -1 && PyErr_Occurred() != nullptr) throw_raised();
    memory().fail_after(wanted);
    return Owned::share(Py_None);
  });
}

PyMethodDef functions[] = {
    {"live_allocations", &live_allocations, METH_NOARGS,
     "live_allocations()\n--\n\nHow many blocks of host memory arrays and exports take."},
    {"fail_allocation", &fail_allocation, METH_O,
     "fail_allocation(successes, /)\n--\n\nThe allocation behind so many others fails, once; -1 "
     "ends that."},
    {nullptr, nullptr, 0, nullptr}};
PyModuleDef definition{PyModuleDef_HEAD_INIT,
                       "dlcert_reference_memory",
                       "Of what arrays and exports are made.",
                       -1,
                       functions,
                       nullptr,
                       nullptr,
                       nullptr,
                       nullptr};

}  // namespace
}  // namespace dlcert::reference::python

PyMODINIT_FUNC PyInit_dlcert_reference_memory();  // called by its name alone

PyMODINIT_FUNC PyInit_dlcert_reference_memory() {
  using namespace dlcert;
  driver::set_host_memory(reference::python::memory());
  return PyModule_Create(&reference::python::definition);
}
