// SPDX-License-Identifier: Apache-2.0
//
// The grid of a matrix, for terminals and as Markdown.
#include <fmt/format.h>

#include <algorithm>

#include "register/text.hpp"
#include "report/markdown.hpp"
#include "report/matrix.hpp"
#include "report/results.hpp"

namespace dlcert {
namespace {

constexpr std::size_t shown_parts = 6;

// What stands in the grid, a word.
std::string mark_of(const Cell& cell) {
  switch (cell.state) {
    case CellState::full:
      return fmt::format("full {}", cell.found);
    case CellState::partial:
      return fmt::format("part {}/{}", cell.found, cell.found + cell.refused + cell.failed);
    case CellState::broken:
      return "BROKEN";
    case CellState::nothing:
      return "nothing";
    case CellState::not_run:
      return "?";
    case CellState::apart:
      return "APART";
    case CellState::no_role:
      break;
  }
  return "-";
}

const Cell& cell_of(const Results& results, std::size_t producer, std::size_t consumer) {
  return results.matrix->cells.at(producer * results.adapters.size() + consumer);
}

bool worth_telling(const Cell& cell) {
  return cell.state != CellState::full && cell.state != CellState::no_role &&
         cell.state != CellState::apart;  // told once for both directions
}

// A line on each: the files, the orders, what accepts it, what its script does.
std::vector<std::string> lines_of(const Clash& clash) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < clash.files.size(); ++i)
    lines.push_back(fmt::format("{}: {}", i == 0 ? clash.first : clash.second, clash.files[i]));
  for (const LoadOrder& order : clash.orders)
    lines.push_back(fmt::format("{}, then {}: {}", order.first, order.second,
                                order.loads ? "both load" : order.how));
  if (!clash.waiver.empty()) lines.push_back(fmt::format("{}: {}", clash.waiver, clash.reason));
  if (clash.program_run) lines.push_back(fmt::format("script: {}", to_text(*clash.program_run)));
  return lines;
}

std::string title_of(const Clash& clash) {
  return fmt::format("{} and {}: {}{}", clash.first, clash.second, cannot_be_loaded_together,
                     clash.waiver.empty() ? "" : ", waived");
}

std::string loss_text(const Cell& cell, const Loss& loss) {
  std::string text = fmt::format("{} {}", loss.requirement, loss.how);
  if (!loss.parts.empty()) text += fmt::format(": {}", parts_text(loss.parts, shown_parts));
  if (!loss.text.empty()) text += fmt::format(": {}", loss.text);
  return fmt::format("{} [{}]", text, fault_text(cell, loss.fault));
}

std::string imports_text(const Results& results) {
  std::vector<std::string> texts;
  for (const Imports& one : results.matrix->imports)
    texts.push_back(fmt::format("{} {}", one.adapter, one.times));
  return fmt::format("processes that loaded each library: {}", fmt::join(texts, ", "));
}

std::string counts_text(const Results& results) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < cell_state_count; ++i) {
    const auto state = static_cast<CellState>(i);
    const auto cells = std::ranges::count(results.matrix->cells, state, &Cell::state);
    if (cells != 0) texts.push_back(fmt::format("{} {}", cells, to_text(state)));
  }
  return fmt::format("{} pairs: {}\n", results.matrix->cells.size(), fmt::join(texts, ", "));
}

}  // namespace

std::string matrix_text(const Results& results) {
  std::size_t width = 10;
  for (const AdapterInfo& adapter : results.adapters)
    width = std::max(width, std::min<std::size_t>(adapter.name.size(), 18));
  const auto name = [&](const AdapterInfo& adapter) { return adapter.name.substr(0, width); };
  std::string text = fmt::format("{:<{}}", "producer", width);
  for (const AdapterInfo& consumer : results.adapters)
    text += fmt::format("  {:>{}}", name(consumer), width);
  text += "  (consumer)\n";
  for (std::size_t producer = 0; producer < results.adapters.size(); ++producer) {
    text += fmt::format("{:<{}}", name(results.adapters[producer]), width);
    for (std::size_t consumer = 0; consumer < results.adapters.size(); ++consumer)
      text += fmt::format("  {:>{}}", mark_of(cell_of(results, producer, consumer)), width);
    text += "\n";
  }
  for (const Cell& cell : results.matrix->cells) {
    if (!worth_telling(cell)) continue;
    text += fmt::format("\n{} to {}: {}{}{}\n", cell.producer, cell.consumer, to_text(cell.state),
                        cell.reason.empty() ? "" : ": ", cell.reason);
    for (const Loss& loss : cell.losses)
      text += fmt::format("  {}\n", loss_text(cell, loss));
  }
  for (const Clash& clash : results.matrix->clashes) {
    text += fmt::format("\n{}\n", title_of(clash));
    for (const std::string& line : lines_of(clash))
      text += fmt::format("  {}\n", line);
  }
  return text + "\n" + counts_text(results) + imports_text(results) + "\n";
}

std::string matrix_markdown(const Results& results) {
  std::string out = "\n## Pairs of libraries\n\n| producer \\ consumer |";
  std::string rule = "|---|";
  for (const AdapterInfo& consumer : results.adapters) {
    out += fmt::format(" {} |", escaped_markdown(consumer.name));
    rule += "---|";
  }
  out += "\n" + rule + "\n";
  for (std::size_t producer = 0; producer < results.adapters.size(); ++producer) {
    out += fmt::format("| {} |", escaped_markdown(results.adapters[producer].name));
    for (std::size_t consumer = 0; consumer < results.adapters.size(); ++consumer)
      out += fmt::format(" {} |", mark_of(cell_of(results, producer, consumer)));
    out += "\n";
  }
  out += "\n" + counts_text(results) + "\n" + escaped_markdown(imports_text(results)) + "\n";
  for (const Cell& cell : results.matrix->cells) {
    if (!worth_telling(cell)) continue;
    out += fmt::format("\n### {} to {}: {}\n\n", escaped_markdown(cell.producer),
                       escaped_markdown(cell.consumer), to_text(cell.state));
    if (!cell.reason.empty()) out += fmt::format("{}\n\n", escaped_markdown(cell.reason));
    for (const Loss& loss : cell.losses)
      out += fmt::format("- {}\n", escaped_markdown(loss_text(cell, loss)));
  }
  for (const Clash& clash : results.matrix->clashes) {
    out += fmt::format("\n### {}\n\n", escaped_markdown(title_of(clash)));
    for (const std::string& line : lines_of(clash))
      out += fmt::format("- {}\n", escaped_markdown(line));
  }
  return out;
}

}  // namespace dlcert
