// SPDX-License-Identifier: Apache-2.0
//
// Several exports of one tensor, released in any order.
#include <memory>

#include "lifetime/families.hpp"
#include "lifetime/support.hpp"

namespace dlcert::lifetime {
namespace {

using testbench::expect_describes;

void expect_source_readable(const Case& c, const Source& source) {
  if (!source.tensor || !c.producer.offers(Needs{} | Can::read)) return;
  expect_equal(
      "elements of the source", source.logical,
      require(c.producer.read(source.tensor, source.logical.size()), "read of the source"));
}

// Releases the source or one of the exports.
void release_one(Case& c, Source& source, std::vector<std::unique_ptr<Exported>>& exports) {
  const std::uint64_t holders = exports.size() + (source.tensor ? 1u : 0u);
  const std::uint64_t chosen = c.draw.below(holders);
  if (chosen == exports.size()) return source.tensor.release();
  std::swap(exports[chosen], exports.back());
  exports.pop_back();
}

// Where the struct lies is the library's business: one that counts its holders may hand out the
// same again.
void releasing_one_leaves_the_others(Case& c) {
  Source source = draw_source(c, {.read_only = true});
  std::vector<std::unique_ptr<Exported>> exports;
  exports.reserve(3);
  for (int i = 0; i < 3; ++i)
    exports.push_back(std::make_unique<Exported>(export_either(c, source.tensor)));
  while (source.tensor || !exports.empty()) {
    release_one(c, source, exports);
    for (const auto& exported : exports)
      expect_describes(exported->managed(), source.spec, source.logical);
    expect_source_readable(c, source);
  }
}

void exporting_another_tensor_leaves_an_export(Case& c) {
  const Source first = draw_source(c);
  const Exported exported = export_either(c, first.tensor);
  const Source second = draw_source(c);
  const Exported other = export_either(c, second.tensor);
  expect_describes(exported.managed(), first.spec, first.logical);
  expect_describes(other.managed(), second.spec, second.logical);
}

}  // namespace

void register_independent_export_checks(Suite& suite) {
  suite.add({.requirement = "lifetime.exports-independent",
             .sentence = "releasing one export leaves the others and the source usable",
             .role = Role::producer,
             .needs = exporting,
             .body = releasing_one_leaves_the_others});
  suite.add({.requirement = "lifetime.exports-independent",
             .sentence = "an export stays as it is when another tensor is exported",
             .role = Role::producer,
             .needs = exporting,
             .body = exporting_another_tensor_leaves_an_export});
}

}  // namespace dlcert::lifetime
