// SPDX-License-Identifier: Apache-2.0
//
// What checks of libraries in a Python interpreter act with.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <dlcert/suite/check.hpp>
#include <dlcert/suite/python_party.hpp>
#include <dlcert/suite/spy.hpp>

#include "testbench/exports.hpp"

namespace dlcert::testbench {

// A library whose arrays the harness makes and exports by expressions; one that imports objects.
inline constexpr Needs exporting_in_python =
    Can::python | Can::create | Can::capsules | Can::export_capsule;
inline constexpr Needs importing_in_python =
    Can::python | Can::import_from | Can::describe | Can::reads_back;

// The class body that says nothing else than the two methods.
inline constexpr std::string_view two_methods =
    "__dlpack__ = dlpack\n__dlpack_device__ = dlpack_device\n";

// The text of an expression that must have a value, where x is the array of the tensor.
std::string text_of(const Party& party, const Tensor& tensor, const std::string& expression);
// Whether it gives True.
bool holds(const Party& party, const Tensor& tensor, const std::string& expression);
// Returns the name of the type of the object that x.__dlpack__() returns, or the error that it
// raises. Requires the functions of exporting_in_python.
Outcome<std::string> type_of_export(const Party& party, const Tensor& tensor);

// Has the interpreter find what nobody refers to any more, of what the case has made.
void collect_garbage(const Party& party);

// How an object is imported.
struct HowToImport {
  std::string expression = "from_dlpack(x)";
  std::string class_body = {};               // as PythonObject has it
  const DLPackExchangeAPI* table = nullptr;  // likewise
  std::optional<Form> form = {};             // empty: drawn
};

// An import of a simple tensor that the consumer claims, behind an object at place(), by default in
// a form that the consumer takes. Neither copied nor moved.
class PythonImport {
 public:
  explicit PythonImport(Case& c, const HowToImport& how = {});
  PythonImport(const PythonImport&) = delete;
  PythonImport& operator=(const PythonImport&) = delete;
  ~PythonImport();

  bool accepted() const { return imported_.ok(); }
  const Error& error() const { return imported_.error(); }  // requires !accepted()
  Form form() const { return offer_->descriptor().form; }
  // The calls of __dlpack__ and __dlpack_device__.
  const std::vector<SpyProducer::Call>& calls() const { return producer_->calls(); }
  const dlcert_producer& producer() const { return producer_->c(); }
  int exports() const { return producer_->exports(); }
  // Fails the case unless the import was accepted. Not claimed where the consumer refuses every
  // plain tensor.
  void require_accepted();
  // Lets go of everything: the offer must have been deleted exactly once.
  void finish();

 private:
  Case& case_;
  std::unique_ptr<Offer> offer_;
  std::unique_ptr<SpyProducer> producer_;
  Outcome<Tensor> imported_;
  bool finished_ = false;
};

}  // namespace dlcert::testbench
