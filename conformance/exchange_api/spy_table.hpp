// SPDX-License-Identifier: Apache-2.0
//
// Exchange tables of the harness's own, on the classes of objects that a consumer imports, and an
// account of what the consumer makes of them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <dlcert/suite/check.hpp>
#include <dlcert/suite/python_party.hpp>
#include <dlcert/suite/spy.hpp>

namespace dlcert::exchange_api {

// The tables, which are constant and live as long as the process.
enum class SpyTable : std::uint8_t {
  current,          // version 1.3
  another,          // likewise, at another address and with functions of its own
  without_view,     // likewise, without dltensor_from_py_object
  too_new,          // version 99.0, and no older one
  chained,          // version 99.0, behind it 2.0, behind that 1.3
  chained_in_vain,  // version 99.0, behind it 2.0, and no older one
};

// A call of a function that takes an object.
struct TableCall {
  SpyTable table;           // whose function it was
  std::uint32_t major = 1;  // of the table in the chain
  bool view = false;        // dltensor_from_py_object, else managed_tensor_from_py_object
  // Behind the object; NULL: it is not of exactly a class that the harness made.
  const dlcert_producer* producer = nullptr;
};

// An object on the host whose class has one of these tables, over a simple tensor that the consumer
// claims, to be imported once. Neither copied nor moved; one at a time is imported.
class TableObject {
 public:
  TableObject(Case& c, SpyTable table);
  TableObject(const TableObject&) = delete;
  TableObject& operator=(const TableObject&) = delete;
  ~TableObject();

  const Outcome<Tensor>& import(const std::string& expression = "from_dlpack(x)");
  const dlcert_producer& producer() const { return producer_->c(); }
  // The calls of functions of any of the tables during the import, in order.
  const std::vector<TableCall>& calls() const { return calls_; }
  bool asked_the_table() const { return !calls_.empty(); }
  // Fails the case unless the import was accepted, in whichever way, and holds the elements.
  void require_accepted();
  // Lets go of everything: what was handed out must have been deleted exactly once.
  void finish();

 private:
  Case& case_;
  SpyTable table_;
  TensorSpec spec_;
  Bytes logical_;
  std::unique_ptr<Offer> offer_;
  std::unique_ptr<SpyProducer> producer_;
  std::vector<TableCall> calls_;
  Outcome<Tensor> imported_;
  bool finished_ = false;
};

// Ends the case as declined unless the consumer imports by a table where the class of an object has
// one that it understands. Tried once per consumer.
void require_use_of_tables(Case& c);

}  // namespace dlcert::exchange_api
