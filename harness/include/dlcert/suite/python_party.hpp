// SPDX-License-Identifier: Apache-2.0
//
// Python libraries, as checks see them: group 9 of the adapter ABI with ownership, errors and a
// trace. Python is a view of a Party, which must outlive it. Construct one where you need it:
// Python{c.subject()}.
//
// dlcert_python_group defines what each function takes and gives, and which names an expression may
// use. The Outcome of a method holds the library's result, or the exception of the expression. A
// check needs Can::python; without it the constructor throws DefectOfCheck. Any thread may call the
// methods, one at a time unless the library declares DLCERT_THREAD_SAFE. No thread needs the
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

// An object to import, of a new class; see dlcert_python_object.
struct PythonObject {
  const dlcert_producer& producer;           // such as SpyProducer::c()
  const DLPackExchangeAPI* table = nullptr;  // static storage; NULL: none
  std::string class_body = {};               // lines; empty: the two methods and `table`
};

// Owns a reference to an object of the interpreter, which may be passed to any library there. Drops
// it on destruction.
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

// Calls the consumer's from_dlpack with the producer's own array of `tensor`, as their user does.
// Both must offer Can::python_objects.
Outcome<Tensor> import_of_object(const Party& consumer, const Party& producer, const Tensor& tensor,
                                 const dlcert_import_request& request);

// The functions of group 9 for one library.
class Python {
 public:
  explicit Python(const Party& party);

  // Returns the str() of the expression's value, where x is the library's array of the tensor.
  // Without a tensor x is None.
  Outcome<std::string> evaluate(const Tensor& tensor, const std::string& expression) const;
  Outcome<std::string> evaluate(const std::string& expression) const;
  // Returns the capsule that is the expression's value. Any other object is refused as a TypeError.
  Outcome<Capsule> capsule_of(const Tensor& tensor, const std::string& expression) const;
  // Returns the tensor over the expression's value, where x is the object.
  Outcome<Tensor> import_object(const PythonObject& object, const std::string& expression) const;
  // Returns the producer of an object that the library passes to a function of the object's table;
  // NULL if the object is not of exactly such a class.
  const dlcert_producer* producer_of(void* py_object) const;

  // Runs `body` once; `how` is a DLCERT_PYTHON_*. An exception of `body` reaches the caller after
  // the lock was released. Gives true if the ValueError is still raised afterwards, or if there was
  // none.
  Outcome<bool> run(std::int32_t how, const std::function<void()>& body) const;
  // Returns the exceptions that could not be raised since the last call, one line each.
  std::vector<std::string> take_unraisable() const;
  // Collects garbage: all of it, or only the young generation, which takes microseconds. Writes
  // nothing to the trace.
  void collect(bool all) const;
  // Ends the interpreter and all garbage collections of await(). Afterwards nothing of the library
  // may be called but deleters.
  Outcome<std::monostate> finalize() const;

 private:
  Outcome<std::string> evaluate(dlcert_tensor* tensor, const std::string& expression) const;
  const dlcert_python_group& group() const { return *party_.table().python; }
  void* self() const { return party_.table().self; }

  const Party& party_;
};

}  // namespace dlcert
