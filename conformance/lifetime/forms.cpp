// SPDX-License-Identifier: Apache-2.0
//
// Legacy and versioned tensors: a library has both.
#include "lifetime/support.hpp"
#include "registration.hpp"
#include "testbench/judged_exports.hpp"

namespace dlcert::lifetime {

DLCERT_FAMILY(forms)

namespace {

using testbench::export_tensor;
using testbench::imports;

void expect_export(Case& c, const dlcert_request& request, Form form) {
  const Source source = make_source(c, draw_simple_spec(c.draw, c.producer));
  // sharing.read-only-legacy-export
  if (form == Form::legacy && source.spec.read_only()) throw NotClaimed{"writable tensors"};
  const Exported exported =
      require(export_tensor(c, source.tensor, request), "export of a plain tensor");
  const bool versioned = form == Form::versioned;
  seen_by([&] { return testbench::judged_form(exported.managed(), versioned); },
          [&] { expect_equal("versioned", versioned, exported.managed().versioned()); });
}

DLCERT_CHECK(versioned_export_is_there,
             producer_check("lifetime.legacy-both-supported",
                            "the producer exports versioned tensors", exporting)) {
  expect_export(c, request_version(own_version.major, own_version.minor), Form::versioned);
}

DLCERT_CHECK(legacy_export_is_there,
             producer_check("lifetime.legacy-both-supported", "the producer exports legacy tensors",
                            exporting)) {
  expect_export(c, request(), Form::legacy);
}

void expect_import(const Case& c, Form form) {
  expect_acceptance(imports(c.consumer, form),
                    "import of a plain {} tensor: expected success but found a refusal",
                    form == Form::legacy ? "legacy" : "versioned");
}

DLCERT_CHECK(versioned_import_is_there, consumer_check("lifetime.legacy-both-supported",
                                                       "the consumer imports versioned tensors",
                                                       Needs{} | Can::any_import, 1)) {
  expect_import(c, Form::versioned);
}

DLCERT_CHECK(legacy_import_is_there,
             consumer_check("lifetime.legacy-both-supported", "the consumer imports legacy tensors",
                            Needs{} | Can::any_import, 1)) {
  expect_import(c, Form::legacy);
}

}  // namespace
}  // namespace dlcert::lifetime
