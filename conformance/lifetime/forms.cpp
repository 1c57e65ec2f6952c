// SPDX-License-Identifier: Apache-2.0
//
// Legacy and versioned tensors side by side.
#include "lifetime/families.hpp"
#include "lifetime/support.hpp"

namespace dlcert::lifetime {
namespace {

using testbench::export_tensor;
using testbench::takes;

void expect_export(Case& c, const dlcert_request& request, Form form) {
  const Source source = make_source(c, draw_simple_spec(c.draw, c.producer));
  const Exported exported =
      require(export_tensor(c, source.tensor, request), "export of a plain tensor");
  expect_equal("versioned", form == Form::versioned, exported.managed().versioned());
}

void versioned_export_is_there(Case& c) {
  expect_export(c, request_version(own_version.major, own_version.minor), Form::versioned);
}

void legacy_export_is_there(Case& c) {
  expect_export(c, request(), Form::legacy);
}

void expect_import(const Case& c, Form form) {
  expect(takes(c.consumer, form),
         "import of a plain {} tensor: expected success but found a refusal",
         form == Form::legacy ? "legacy" : "versioned");
}

void versioned_import_is_there(Case& c) {
  expect_import(c, Form::versioned);
}

void legacy_import_is_there(Case& c) {
  expect_import(c, Form::legacy);
}

constexpr std::string_view requirement = "lifetime.legacy-both-supported";

}  // namespace

void register_form_checks(Suite& suite) {
  suite.add({.requirement = requirement,
             .sentence = "the producer exports versioned tensors",
             .role = Role::producer,
             .needs = exporting,
             .body = versioned_export_is_there});
  suite.add({.requirement = requirement,
             .sentence = "the producer exports legacy tensors",
             .role = Role::producer,
             .needs = exporting,
             .body = legacy_export_is_there});
  suite.add({.requirement = requirement,
             .sentence = "the consumer imports versioned tensors",
             .needs = Needs{} | Can::any_import,
             .rows = 1,
             .body = versioned_import_is_there});
  suite.add({.requirement = requirement,
             .sentence = "the consumer imports legacy tensors",
             .needs = Needs{} | Can::any_import,
             .rows = 1,
             .body = legacy_import_is_there});
}

}  // namespace dlcert::lifetime
