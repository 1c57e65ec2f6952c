// SPDX-License-Identifier: Apache-2.0
//
// What an exported capsule does when it dies.

#include "capsule/families.hpp"
#include "capsule/support.hpp"

namespace dlcert::capsule {
namespace {

using testbench::Borrowed;
using testbench::draw_source;
using testbench::expect_describes;

void expect_live_allocations(const Case& c, std::int64_t expected) {
  expect_equal("live allocations", expected, c.producer.live_allocations());
}

void unconsumed_capsule_releases_its_tensor(Case& c) {
  const std::int64_t before = c.producer.live_allocations();
  Source source = draw_source(c);
  Capsule capsule = export_capsule(c, source, draw_version_request(c.draw));
  require_live(capsule);
  if (c.draw.flip()) {
    capsule.drop();
    source.tensor.release();
  } else {
    source.tensor.release();
    capsule.drop();
  }
  expect_live_allocations(c, before);
}

void consumed_capsule_releases_nothing(Case& c) {
  Source source = draw_source(c);
  Capsule capsule = export_capsule(c, source, draw_version_request(c.draw));
  const dlcert_managed managed = require_live(capsule);
  source.tensor.release();
  capsule.set_name(used_name(form_of(managed)));
  capsule.drop();
  expect_describes(*Borrowed{managed}, source.spec, source.logical);
  call_deleter(managed);
}

void consumer_alone_releases_a_consumed_tensor(Case& c) {
  const std::int64_t before = c.producer.live_allocations();
  Source source = draw_source(c);
  Capsule capsule = export_capsule(c, source, draw_version_request(c.draw));
  const dlcert_managed managed = require_live(capsule);
  source.tensor.release();
  const std::int64_t held = c.producer.live_allocations();
  capsule.set_name(used_name(form_of(managed)));
  capsule.drop();
  expect_live_allocations(c, held);
  call_deleter(managed);
  expect_live_allocations(c, before);
}

// Judged only for producers that emit such tensors: that their capsules die without a crash.
void capsule_without_deleter_dies_quietly(Case& c) {
  const Source source = draw_source(c);
  Capsule capsule = export_capsule(c, source, draw_version_request(c.draw));
  if (Borrowed { require_live(capsule) } -> has_deleter())
    throw NotClaimed{"tensors without a deleter"};
  capsule.drop();
}

void capsule_of_foreign_name_releases_nothing(Case& c) {
  Source source = draw_source(c);
  Capsule capsule = export_capsule(c, source, draw_version_request(c.draw));
  const dlcert_managed managed = require_live(capsule);
  source.tensor.release();
  const std::int64_t held = c.producer.live_allocations();
  capsule.set_name("bogus");
  capsule.drop();
  expect_live_allocations(c, held);
  call_deleter(managed);
}

}  // namespace

void register_destructor_checks(Suite& suite) {
  suite.add({.requirement = "capsule.destructor.set",
             .sentence = "a capsule that dies unconsumed releases its tensor",
             .role = Role::producer,
             .needs = exporting | Can::count_allocations,
             .body = unconsumed_capsule_releases_its_tensor});
  suite.add({.requirement = "capsule.destructor.skip-used",
             .sentence = "a consumed tensor is intact after its capsule died",
             .role = Role::producer,
             .needs = exporting,
             .body = consumed_capsule_releases_nothing});
  suite.add({.requirement = "capsule.destructor.skip-used",
             .sentence = "a consumed tensor is released by the deleter and not by its capsule",
             .role = Role::producer,
             .needs = exporting | Can::count_allocations,
             .body = consumer_alone_releases_a_consumed_tensor});
  suite.add({.requirement = "capsule.destructor.null-deleter",
             .sentence = "a capsule whose tensor has no deleter dies without calling it",
             .role = Role::producer,
             .needs = exporting,
             .body = capsule_without_deleter_dies_quietly});
  suite.add({.requirement = "capsule.destructor.foreign-name",
             .sentence = "a capsule under neither its live nor its used name releases nothing",
             .role = Role::producer,
             .needs = exporting | Can::count_allocations,
             .body = capsule_of_foreign_name_releases_nothing});
}

}  // namespace dlcert::capsule
