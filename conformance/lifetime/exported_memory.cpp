// SPDX-License-Identifier: Apache-2.0
//
// What an export refers to while somebody holds it, whatever becomes of its source.
#include "lifetime/support.hpp"
#include "registration.hpp"
#include "testbench/freed_memory.hpp"
#include "testbench/snapshot.hpp"

namespace dlcert::lifetime {

DLCERT_FAMILY(exported_memory)

namespace {

using testbench::FreedMemoryReuse;
using testbench::Snapshot;

DLCERT_CHECK(export_outlives_its_source,
             producer_check("lifetime.memory-valid-until-deleter",
                            "data, shape and strides stay as they are when the source is gone",
                            exporting)) {
  Source source = draw_source(c, {.read_only = true});
  const Exported exported = export_either(c, source.tensor);
  const Snapshot before{exported.managed()};
  source.tensor.release();
  const FreedMemoryReuse reuse{c, source};
  before.expect_unchanged(exported.managed());
}

// The text speaks of no reasonable destructor. Without a signal of release, memory is only safe if
// it never goes away.
DLCERT_CHECK(missing_deleter_means_immortal_memory,
             if_touched(producer_check(
                 "lifetime.deleter.may-be-null",
                 "an export without deleter is on memory that never goes away", exporting))) {
  Source source = draw_source(c, {.read_only = true});
  const Exported exported = export_either(c, source.tensor);
  if (exported.managed().has_deleter()) throw Declined{"has a deleter"};
  c.touched();
  c.observe("has no deleter");
  const Snapshot before{exported.managed()};
  source.tensor.release();
  const FreedMemoryReuse reuse{c, source};
  before.expect_unchanged(exported.managed());
}

}  // namespace
}  // namespace dlcert::lifetime
