// SPDX-License-Identifier: Apache-2.0
//
// Two imports of one memory: what one writes the other sees.
#include "registration.hpp"
#include "sharing/support.hpp"
#include "testbench/two_imports.hpp"

namespace dlcert::sharing {

DLCERT_FAMILY(several_imports)

namespace {

using testbench::TwoImports;

DLCERT_CHECK(writes_are_seen_through_another_import,
             if_touched(consumer_check("sharing.mutation-visible",
                                       "writes through one of two imports of a memory are seen "
                                       "through the other",
                                       importing))) {
  TwoImports twice{c};
  twice.expect_right(0);
  twice.expect_right(1);
  if (!twice.shares(0) || !twice.shares(1)) throw Declined{"copied"};
  c.touched();
  const std::size_t writer = c.draw.below(2);
  const Bytes by_producer = different_logical(twice.view(writer), twice.logical(writer));
  twice.set_logical(writer, by_producer);
  twice.expect_right(0);
  twice.expect_right(1);
  if (!c.consumer.offers(Needs{} | Can::write)) return c.observe("shared, and not writable here");
  const Bytes by_import = different_logical(twice.view(writer), by_producer);
  if (!c.consumer.write(twice.tensor(writer), by_import).ok()) return c.observe("shared read-only");
  expect_equal("the producer's elements after a write by an import", by_import,
               twice.logical(writer));
  expect_equal("elements of the other import after a write by one", twice.logical(1 - writer),
               read_all(c.consumer, twice.tensor(1 - writer), twice.view(1 - writer)));
}

}  // namespace
}  // namespace dlcert::sharing
