// SPDX-License-Identifier: Apache-2.0

#include "dlcert/python/capsules.hpp"

#include <string>
#include <utility>

#include "dlcert/python/errors.hpp"

namespace dlcert::reference::python {
namespace {

/// Neither asking a PyCapsule for what it has nor a deleter of this library touches the error that
/// may be in flight.
void end_capsule(PyObject* object) noexcept {
  const char* const name = PyCapsule_GetName(object);
  const auto destructor =
      reinterpret_cast<Capsule::Destructor>(PyCapsule_GetContext(object));  // see object_of
  const Capsule dying(PyCapsule_GetPointer(object, name), name, destructor);
}

void drop_object(Capsule& capsule) noexcept {
  const Owned object(static_cast<PyObject*>(capsule.context()));
}

}  // namespace

Owned object_of(Capsule capsule) {
  Owned object = checked(PyCapsule_New(capsule.pointer(capsule.name()), capsule.name(), nullptr));
  checked(PyCapsule_SetContext(object.get(), reinterpret_cast<void*>(capsule.destructor())));
  checked(PyCapsule_SetDestructor(object.get(), &end_capsule));
  capsule.set_destructor(nullptr);
  return object;
}

Capsule capsule_of(Owned object) {
  if (!PyCapsule_CheckExact(object.get()))
    throw Error(ErrorKind::value, "expected a capsule but found another object");
  const char* const name = PyCapsule_GetName(object.get());
  Capsule capsule(PyCapsule_GetPointer(object.get(), name), name, &drop_object);
  capsule.set_context(object.give());
  return capsule;
}

void copy_name(const Capsule& capsule) noexcept {
  PyCapsule_SetName(static_cast<PyObject*>(capsule.context()), capsule.name());
}

}  // namespace dlcert::reference::python
