// SPDX-License-Identifier: Apache-2.0
//
// Errors of what a library does on its own: nobody called it, so nobody can catch them.

#include <string>
#include <vector>

#include "lifetime/support.hpp"
#include "registration.hpp"
#include "testbench/python.hpp"

namespace dlcert::lifetime {

DLCERT_FAMILY(unraisable_errors)

namespace {

using testbench::collect_garbage;

// Fails on what could not be raised since this was made.
class NothingUnraisable {
 public:
  explicit NothingUnraisable(const Party& party) : party_{party} {
    Python{party_}.take_unraisable();
  }
  void expect_none(std::string_view behind) const {
    collect_garbage(party_);
    const std::vector<std::string> errors = Python{party_}.take_unraisable();
    if (!errors.empty())
      fail(fmt::format("errors that nobody could catch, behind {}: expected none but found {}: {}",
                       behind, errors.size(), errors.front()));
  }

 private:
  const Party& party_;
};

DLCERT_CHECK(exports_and_their_release_raise_nothing,
             producer_check("lifetime.no-unraisable-errors",
                            "no export, nor its release, raises an error that nobody can catch",
                            testbench::exporting_in_python)) {
  const NothingUnraisable errors{c.producer};
  Source source = draw_source(c);
  Exported exported = export_either(c, source.tensor);
  const bool tensor_first = c.draw.flip();
  if (tensor_first) source.tensor.release();
  if (c.draw.flip())
    testbench::call_deleter(exported.give_up());
  else
    exported.release();
  if (!tensor_first) source.tensor.release();
  errors.expect_none("an export and its release");
}

DLCERT_CHECK(imports_and_their_release_raise_nothing,
             consumer_check("lifetime.no-unraisable-errors",
                            "no import, nor its release, raises an error that nobody can catch",
                            importing | Can::python)) {
  const NothingUnraisable errors{c.consumer};
  const DrawnOffer drawn = draw_offer(c.draw, c.consumer);
  Import import{c.consumer, *drawn.offer, drawn.path.route};
  c.observe(import.accepted() ? "imported" : "refused");
  if (import.accepted() && c.draw.flip()) import.drop_source();
  import.finish();
  errors.expect_none("an import and its release");
}

}  // namespace
}  // namespace dlcert::lifetime
