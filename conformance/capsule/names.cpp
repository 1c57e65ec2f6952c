// SPDX-License-Identifier: Apache-2.0
//
// What an exported capsule is: its name, its pointer, and that it is one of its own.

#include <array>

#include "capsule/support.hpp"
#include "registration.hpp"

namespace dlcert::capsule {

DLCERT_FAMILY(names)

namespace {

using testbench::Borrowed;
using testbench::draw_source;
using testbench::expect_describes;
using testbench::expect_holds;
using testbench::require_accepted;

// A capsule that answers a request without a versioned form. One with the other live name is judged
// elsewhere (protocol.maxversion.*), here only the spelling.
void expect_legacy_name(const Capsule& capsule) {
  const std::string name = name_of(capsule);
  if (name == live_name(Form::versioned)) throw NotClaimed{"legacy capsules"};
  expect_equal("capsule name", live_name(Form::legacy), name);
}

DLCERT_CHECK(legacy_capsule_is_named_dltensor,
             producer_check("capsule.name.legacy",
                            "a capsule with a legacy managed tensor is named dltensor",
                            exporting)) {
  const Source source = draw_source(c, {.padded = false});
  const std::array requests{request(), request_version(0, 8), request_version(0, 0)};
  expect_legacy_name(export_capsule(c, source, c.draw.one_of(requests)));
}

DLCERT_CHECK(to_dlpack_capsule_is_named_dltensor,
             producer_check("capsule.name.legacy",
                            "the capsule that to_dlpack returns is named dltensor",
                            Can::create | Can::capsules | Can::to_dlpack)) {
  const Source source = draw_source(c, {.padded = false});
  auto capsule = c.producer.to_dlpack(source.tensor);
  if (!capsule.ok()) throw NotClaimed{"to_dlpack of this tensor"};
  expect_legacy_name(std::move(capsule).value());
}

DLCERT_CHECK(versioned_capsule_is_named_dltensor_versioned,
             producer_check("capsule.name.versioned",
                            "a capsule with a versioned managed tensor is named dltensor_versioned",
                            exporting)) {
  const Source source = draw_source(c);
  const Capsule capsule = export_capsule(c, source, request_version(1, c.draw.between(0, 3)));
  const std::string name = name_of(capsule);
  if (name == live_name(Form::legacy)) {
    c.observe("legacy answer");
    throw NotClaimed{"versioned capsules"};
  }
  expect_equal("capsule name", live_name(Form::versioned), name);
  const Borrowed managed{require_live(capsule)};
  testbench::expect_major_1(*managed);
}

DLCERT_CHECK(exported_name_selects_the_structure,
             producer_check("capsule.name.matches-struct",
                            "an exported capsule holds the structure that its name selects",
                            exporting)) {
  const Source source = draw_source(c);
  const Capsule capsule = export_capsule(c, source, draw_version_request(c));
  const Borrowed managed{require_live(capsule)};
  if (managed->versioned()) testbench::expect_major_1(*managed);
  expect_describes(*managed, source.spec, source.logical);
}

DLCERT_CHECK(capsule_is_read_by_its_name,
             consumer_check("capsule.name.matches-struct",
                            "a capsule is read as the structure that its name selects",
                            importing)) {
  const Form form = c.draw.flip() ? Form::versioned : Form::legacy;
  const OfferedTensor offered = draw_offered(c, form);
  Import import{c.consumer, *offered.offer, Route::capsule};
  require_accepted(import, c.consumer, form);
  expect_holds(c.consumer, import.tensor(), offered.spec, offered.logical);
  import.finish();
}

DLCERT_CHECK(capsule_points_to_the_managed_tensor,
             producer_check("capsule.pointer-is-struct",
                            "the capsule's pointer is the address of the managed tensor",
                            exporting)) {
  const Source source = draw_source(c);
  const Capsule capsule = export_capsule(c, source, draw_version_request(c));
  expect_describes(*Borrowed{require_live(capsule)}, source.spec, source.logical);
}

DLCERT_CHECK(each_export_is_an_unconsumed_capsule_of_its_own,
             producer_check("capsule.fresh-per-call",
                            "every export is an unconsumed capsule of its own", exporting)) {
  const Source source = draw_source(c);
  const auto asked = draw_version_request(c);
  Capsule first = export_capsule(c, source, asked);
  const Capsule second = export_capsule(c, source, asked);
  const dlcert_managed consumed = require_live(first);
  first.set_name(used_name(form_of(consumed)));
  const dlcert_managed kept = require_live(second);
  call_deleter(consumed);
  expect_describes(*Borrowed{kept}, source.spec, source.logical);
}

}  // namespace
}  // namespace dlcert::capsule
