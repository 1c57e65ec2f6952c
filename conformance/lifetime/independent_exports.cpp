// SPDX-License-Identifier: Apache-2.0
//
// Several exports of one tensor, released in any order.
#include <memory>

#include "lifetime/support.hpp"
#include "registration.hpp"

namespace dlcert::lifetime {

DLCERT_FAMILY(independent_exports)

namespace {

using testbench::expect_describes;

void expect_source_readable(const Case& c, const Source& source) {
  if (!c.producer.offers(Needs{} | Can::read)) return;
  owned_by("sharing.source-usable-after", [&] {
    expect_equal(
        "elements of the source", source.logical,
        require(c.producer.read(source.tensor, source.logical.size()), "read of the source"));
  });
}

// Where the struct lies is the library's business: one that counts its holders may hand out the
// same again. The source stays: an export that outlives it is sharing.survives-source-drop.
DLCERT_CHECK(releasing_one_leaves_the_others,
             producer_check("lifetime.exports-independent",
                            "releasing one export leaves the others and the source usable",
                            exporting)) {
  const Source source = draw_source(c, {.read_only = true});
  std::vector<std::unique_ptr<Exported>> exports;
  exports.reserve(3);
  for (int i = 0; i < 3; ++i)
    exports.push_back(std::make_unique<Exported>(export_either(c, source.tensor)));
  while (!exports.empty()) {
    std::swap(exports[c.draw.below(exports.size())], exports.back());
    exports.pop_back();
    for (const auto& exported : exports)
      expect_describes(exported->managed(), source.spec, source.logical);
    expect_source_readable(c, source);
  }
}

DLCERT_CHECK(exporting_another_tensor_leaves_an_export,
             producer_check("lifetime.exports-independent",
                            "an export stays as it is when another tensor is exported",
                            exporting)) {
  const Source first = draw_source(c);
  const Exported exported = export_either(c, first.tensor);
  const Source second = draw_source(c);
  const Exported other = export_either(c, second.tensor);
  expect_describes(exported.managed(), first.spec, first.logical);
  expect_describes(other.managed(), second.spec, second.logical);
}

}  // namespace
}  // namespace dlcert::lifetime
