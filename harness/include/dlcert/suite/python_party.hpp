// SPDX-License-Identifier: Apache-2.0
//
// What a party in a Python interpreter offers beside all others, as checks see it: group 9 of the
// adapter ABI with ownership, errors and a trace. Python is a view of a party, which must outlive
// it: make one where you need it, Python{c.subject()}.dlcert_python_group says what each function
// means, takes and gives, and which names an expression has. Its Outcome holds what the library
// gave, or what the expression raised. Checks need Can::python; without it DefectOfCheck is thrown.
// Any thread, one at a time unless the library declares DLCERT_THREAD_SAFE; no thread needs the
// interpreter's lock.
//
// Implemented in harness/src/party/python.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <dlcert/suite/party.hpp>

namespace dlcert {

// An object to import, of a class of its own; see dlcert_python_object.
struct PythonObject {
  const dlcert_producer& producer;           // such as SpyProducer::c()
  const DLPackExchangeAPI* table = nullptr;  // static storage
  std::string class_body = {};               // lines; empty: that of the two methods
};

// An object of the interpreter, which may go from library to library; dropped when this dies.
class PythonReference {
 public:
  PythonReference(const Party& party, void* object) : party_{&party}, object_{object} {}
  PythonReference(const PythonReference&) = delete;
  PythonReference& operator=(const PythonReference&) = delete;
  PythonReference(PythonReference&& other) noexcept
      : party_{other.party_}, object_{std::exchange(other.object_, nullptr)} {}
  PythonReference& operator=(PythonReference&&) = delete;
  ~PythonReference();

  void* get() const { return object_; }

 private:
  const Party* party_;
  void* object_;
};

// What a Python library's own from_dlpack makes of the other one's own array, as their user calls
// it. Both offer Can::python_objects.
Outcome<Tensor> import_of_object(const Party& consumer, const Party& producer, const Tensor& tensor,
                                 const dlcert_import_request& request);

class Python {
 public:
  explicit Python(const Party& party);

  // The str() of what the expression gives, where x is the library's array of the tensor; without a
  // tensor x is None.
  Outcome<std::string> evaluate(const Tensor& tensor, const std::string& expression) const;
  Outcome<std::string> evaluate(const std::string& expression) const;
  // The capsule that it gives; another object is refused as TypeError.
  Outcome<Capsule> capsule_of(const Tensor& tensor, const std::string& expression) const;
  // The tensor over what it gives, where x is the object.
  Outcome<Tensor> import_object(const PythonObject& object, const std::string& expression) const;
  // The producer behind an object that the library passes to a function of its table; NULL where
  // the object is not of exactly such a class.
  const dlcert_producer* producer_of(void* py_object) const;

  // Runs `body` once as DLCERT_PYTHON_* says. What it throws reaches the caller, after the lock was
  // given back. True: the error that was in flight still is, or none was.
  Outcome<bool> run(std::int32_t how, const std::function<void()>& body) const;
  // What could not be raised since this was last asked, a line each.
  std::vector<std::string> take_unraisable() const;
  // Collects garbage, the young, which takes microseconds, or all of it; without a line of the
  // trace.
  void collect(bool all) const;
  // Ends the interpreter, and all collections of await(); behind it nothing of the library may be
  // called but deleters.
  Outcome<std::monostate> finalize() const;

 private:
  Outcome<std::string> evaluate(dlcert_tensor* tensor, const std::string& expression) const;
  const dlcert_python_group& group() const { return *party_.table().python; }
  void* self() const { return party_.table().self; }

  const Party& party_;
};

}  // namespace dlcert
