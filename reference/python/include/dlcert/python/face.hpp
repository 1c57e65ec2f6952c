// SPDX-License-Identifier: Apache-2.0
//
// What the templates of this folder are written over: a library, by the steps with which it exports
// and imports. Its functions throw nothing.

#pragma once

#include "dlcert/python/steps.hpp"
#include "dlcert/tensor/exchange.hpp"

namespace dlcert::reference::python {

/// This library with its own steps.
struct OwnFace {
  static constexpr ExportSteps export_steps{};
  static constexpr PythonImportSteps import_steps{};
  static constexpr PythonExchangeSteps exchange_steps{};
  static constexpr TableSteps table_steps{};

  static constexpr Exporter<ExportSteps> exporter() noexcept {
    return Exporter<ExportSteps>(export_steps);
  }
  static constexpr Importer<PythonImportSteps> importer() noexcept {
    return Importer<PythonImportSteps>(import_steps);
  }
  static constexpr auto exchange() noexcept {
    return Exchange<PythonExchangeSteps, ExportSteps, PythonImportSteps>(
        exchange_steps, export_steps, import_steps);
  }
  static constexpr const TableSteps& tables() noexcept { return table_steps; }
};

}  // namespace dlcert::reference::python
