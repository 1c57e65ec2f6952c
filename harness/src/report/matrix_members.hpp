// SPDX-License-Identifier: Apache-2.0
//
// The members of a matrix and its parts in the results document.
#pragma once

#include "report/json_members.hpp"
#include "report/matrix.hpp"

namespace dlcert {

template <typename Visit>
void members(Visit&& visit, OneOf<Loss> auto& loss) {
  visit("requirement", loss.requirement);
  visit("how", loss.how);
  visit("fault", loss.fault);
  visit("parts", loss.parts);
  visit("text", loss.text);
}

template <typename Visit>
void members(Visit&& visit, OneOf<Cell> auto& cell) {
  visit("producer", cell.producer);
  visit("consumer", cell.consumer);
  visit("state", cell.state);
  visit("found", cell.found);
  visit("refused", cell.refused);
  visit("failed", cell.failed);
  visit("unclaimed", cell.unclaimed);
  visit("losses", cell.losses);
  visit("reason", cell.reason);
}

template <typename Visit>
void members(Visit&& visit, OneOf<Imports> auto& imports) {
  visit("adapter", imports.adapter);
  visit("times", imports.times);
}

template <typename Visit>
void members(Visit&& visit, OneOf<LoadOrder> auto& order) {
  visit("first", order.first);
  visit("second", order.second);
  visit("loads", order.loads);
  visit("how", order.how);
  visit("output", order.output);
}

template <typename Visit>
void members(Visit&& visit, OneOf<Clash> auto& clash) {
  visit("first", clash.first);
  visit("second", clash.second);
  visit("files", clash.files);
  visit("imports", clash.imports);
  visit("orders", clash.orders);
  visit("load_seconds", clash.load_seconds);
  visit("waiver", clash.waiver);
  visit("reason", clash.reason);
  visit("program_run", clash.program_run);
}

template <typename Visit>
void members(Visit&& visit, OneOf<Matrix> auto& matrix) {
  visit("cells", matrix.cells);
  visit("clashes", Added{matrix.clashes});
  visit("controls", matrix.controls);
  visit("imports", matrix.imports);
  visit("required", matrix.required);
}

}  // namespace dlcert
