// SPDX-License-Identifier: Apache-2.0
#include "testbench/python.hpp"

#include <utility>

#include "generators/specs.hpp"
#include "testbench/imports.hpp"
#include "testbench/placed.hpp"

namespace dlcert::testbench {

std::string text_of(const Party& party, const Tensor& tensor, const std::string& expression) {
  return require(Python{party}.evaluate(tensor, expression), expression);
}

bool holds(const Party& party, const Tensor& tensor, const std::string& expression) {
  return text_of(party, tensor, expression) == "True";
}

Outcome<std::string> type_of_export(const Party& party, const Tensor& tensor) {
  return Python{party}.evaluate(tensor, "type(x.__dlpack__()).__name__");
}

void collect_garbage(const Party& party) {
  require(Python{party}.evaluate("__import__('gc').collect(1)"), "a collection of garbage");
}

namespace {

std::unique_ptr<Offer> draw_simple_offer(Case& c, std::optional<Form> form) {
  const TensorSpec spec = draw_simple_spec(c.draw, c.consumer);
  const Bytes logical = draw_logical(c.draw, spec);
  return place_offer(spec, logical, form ? *form : draw_form(c.draw, c.consumer, Route::producer));
}

}  // namespace

PythonImport::PythonImport(Case& c, const HowToImport& how)
    : case_{c},
      offer_{draw_simple_offer(c, how.form)},
      producer_{std::make_unique<SpyProducer>(offer_->descriptor().device, offer_.get(), c.consumer,
                                              false)},
      imported_{Python{c.consumer}.import_object({producer_->c(), how.table, how.class_body},
                                                 how.expression)} {}

PythonImport::~PythonImport() {
  if (finished_) return;
  if (imported_.ok()) imported_.value().release();
  if (exports() == 0) offer_->recall();
}

void PythonImport::require_accepted() {
  if (accepted()) return;
  if (!imports(case_.consumer, form())) throw NotClaimed{"imports of plain tensors"};
  fail(fmt::format("import of a plain tensor: expected success but found {}", to_text(error())),
       {.by = Judgement::By::success});
}

void PythonImport::finish() {
  finished_ = true;
  if (imported_.ok()) imported_.value().release();
  if (exports() == 0) return offer_->recall();
  expect_deleted_once(*offer_);
}

}  // namespace dlcert::testbench
