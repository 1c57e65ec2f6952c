// SPDX-License-Identifier: Apache-2.0
//
// What an exported capsule does when it dies.

#include <vector>

#include <dlcert/suite/trace.hpp>

#include "capsule/support.hpp"
#include "registration.hpp"
#include "testbench/freed_memory.hpp"
#include "testbench/heap.hpp"
#include "testbench/snapshot.hpp"

namespace dlcert::capsule {

DLCERT_FAMILY(destructor)

namespace {

using testbench::Borrowed;
using testbench::draw_source;
using testbench::FreedMemoryReuse;
using testbench::Snapshot;
using testbench::touched_if_counted;

void expect_live_allocations(const Case& c, std::int64_t expected) {
  testbench::expect_live_allocations("live allocations", expected, c.producer);
}

DLCERT_CHECK(unconsumed_capsule_releases_its_tensor,
             if_touched(producer_check("capsule.destructor.set",
                                       "a capsule that dies unconsumed releases its tensor",
                                       exporting | Can::live_allocations))) {
  const std::int64_t before = testbench::live_allocations(c.producer);
  Source source = draw_source(c);
  Capsule capsule = export_capsule(c, source, draw_version_request(c));
  require_live(capsule);
  if (c.draw.flip()) {
    touched_if_counted(c, before);
    capsule.drop();
    source.tensor.release();
  } else {
    source.tensor.release();
    touched_if_counted(c, before);
    capsule.drop();
  }
  expect_live_allocations(c, before);
}

// More than fit into a small table.
DLCERT_CHECK(hundreds_of_unconsumed_capsules_release_their_tensors,
             if_touched(producer_check("capsule.destructor.set",
                                       "hundreds of capsules that live at once release their "
                                       "tensors when they die unconsumed",
                                       exporting | Can::live_allocations, 1))) {
  const std::int64_t before = testbench::live_allocations(c.producer);
  Source source = draw_source(c);
  const dlcert_request asked = draw_version_request(c);
  {
    const TracePause pause;
    std::vector<Capsule> capsules;
    for (int i = 0; i < 300; ++i)
      capsules.push_back(export_capsule(c, source, asked));
    touched_if_counted(c, before);
  }
  source.tensor.release();
  expect_live_allocations(c, before);
}

DLCERT_CHECK(unconsumed_capsules_keep_no_tensor,
             if_touched(producer_check("capsule.destructor.set",
                                       "thousands of tensors whose capsules die unconsumed do not "
                                       "grow the heap",
                                       exporting, 1))) {
  const Source like = draw_source(c);
  const dlcert_request asked = draw_version_request(c);
  testbench::touched_if_tensors_go(c, like.spec, like.logical);
  const auto consume_last = [&](Tensor& tensor) {
    auto capsule = c.producer.export_capsule(tensor, asked);
    tensor.release();
    if (!capsule.ok()) return;
    const dlcert_managed managed = require_live(capsule.value());
    capsule.value().set_name(used_name(form_of(managed)));
    call_deleter(managed);
  };
  if (!testbench::tensors_leave_nothing(c, like.spec, like.logical, consume_last))
    throw Declined{"its exports stay in the heap although their deleter is called"};
  const auto drop_last = [&](Tensor& tensor) {
    const auto capsule = c.producer.export_capsule(tensor, asked);
    tensor.release();
  };
  expect(testbench::tensors_leave_nothing(c, like.spec, like.logical, drop_last),
         "heap after 2000 tensors whose capsules died last: expected no growth, as without "
         "capsules, but found it");
}

DLCERT_CHECK(consumed_capsule_releases_nothing,
             producer_check("capsule.destructor.skip-used",
                            "a consumed tensor is intact after its capsule died", exporting)) {
  const Source source = draw_source(c);
  Capsule capsule = export_capsule(c, source, draw_version_request(c));
  const dlcert_managed managed = require_live(capsule);
  const Borrowed consumed{managed};
  const Snapshot before{*consumed};
  capsule.set_name(used_name(form_of(managed)));
  capsule.drop();
  {
    const FreedMemoryReuse reuse{c, source};
    before.expect_unchanged(*consumed);
  }
  call_deleter(managed);
}

DLCERT_CHECK(
    consumer_alone_releases_a_consumed_tensor,
    if_touched(producer_check("capsule.destructor.skip-used",
                              "a consumed tensor is released by the deleter and not by its capsule",
                              exporting | Can::live_allocations))) {
  const std::int64_t before = testbench::live_allocations(c.producer);
  const Source source = draw_source(c);
  Capsule capsule = export_capsule(c, source, draw_version_request(c));
  const dlcert_managed managed = require_live(capsule);
  touched_if_counted(c, before);
  const std::int64_t held = testbench::live_allocations(c.producer);
  const Borrowed consumed{managed};
  const Snapshot intact{*consumed};
  capsule.set_name(used_name(form_of(managed)));
  capsule.drop();
  // Fails here if the capsule released the tensor: calling the deleter too may end the process.
  intact.expect_unchanged(*consumed);
  expect_live_allocations(c, held);
  call_deleter(managed);
}

// Judged only for producers that emit such tensors: that their capsules die without a crash.
DLCERT_CHECK(capsule_without_deleter_dies_quietly,
             producer_check("capsule.destructor.null-deleter",
                            "a capsule whose tensor has no deleter dies without calling it",
                            exporting)) {
  const Source source = draw_source(c);
  Capsule capsule = export_capsule(c, source, draw_version_request(c));
  if (Borrowed { require_live(capsule) } -> has_deleter())
    throw NotClaimed{"tensors without a deleter"};
  capsule.drop();
}

DLCERT_CHECK(
    capsule_of_foreign_name_releases_nothing,
    if_touched(producer_check("capsule.destructor.foreign-name",
                              "a capsule under neither its live nor its used name releases nothing",
                              exporting | Can::live_allocations))) {
  const std::int64_t before = testbench::live_allocations(c.producer);
  Source source = draw_source(c);
  Capsule capsule = export_capsule(c, source, draw_version_request(c));
  const dlcert_managed managed = require_live(capsule);
  source.tensor.release();
  touched_if_counted(c, before);
  const std::int64_t held = testbench::live_allocations(c.producer);
  capsule.set_name("bogus");
  capsule.drop();
  expect_live_allocations(c, held);
  call_deleter(managed);
}

}  // namespace
}  // namespace dlcert::capsule
