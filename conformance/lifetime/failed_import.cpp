// SPDX-License-Identifier: Apache-2.0
//
// Imports that fail: the tensor is released once in total, by the side that the interface names.
#include <optional>
#include <utility>

#include <dlcert/suite/trace.hpp>

#include "lifetime/support.hpp"
#include "registration.hpp"
#include "testbench/failing_allocations.hpp"
#include "testbench/heap.hpp"

namespace dlcert::lifetime {

DLCERT_FAMILY(failed_import)

namespace {

using testbench::FailingAllocations;
using testbench::live_allocations;

// Who released a refused tensor, where the policy asks for one side.
void judge_owner(Case& c, Import& import, const DrawnOffer& drawn) {
  const std::string_view policy = c.settings.policy("failed-import-ownership");
  if (policy == "declared" || import.accepted()) return;
  if (drawn.path.route == Route::managed)
    return expect_equal("deleter calls by the consumer", policy == "consumer" ? 1 : 0,
                        drawn.offer->deleter_calls());
  if (drawn.path.route != Route::capsule) return;
  c.minor([&] {
    expect_equal("name of the rejected capsule",
                 std::string_view{policy == "consumer" ? used_name(drawn.path.form)
                                                       : live_name(drawn.path.form)},
                 std::string_view{import.capsule()->name().value_or("(none)")});
  });
}

// The release of a bare tensor is only recommended: lifetime.deleter.bare-called.
void expect_one_release_in_total(const Offer& offer) {
  if (offer.lent_bare() && offer.deleter_calls() == 0) return;
  const auto judged = [&]() -> Judgement {
    return {.by = Judgement::By::value,
            .expected = "1",
            .code = fmt::format("deletions({})", offer.trace_name()),
            .type = "judge_number"};
  };
  seen_by(judged, [&] { expect_equal("deleter calls in total", 1, offer.deleter_calls()); });
}

void expect_one_release(Case& c, const DrawnOffer& drawn) {
  Import import{c.consumer, *drawn.offer, drawn.path.route};
  touched_by_refusal(c, import);
  judge_owner(c, import, drawn);
  import.finish();
  expect_one_release_in_total(*drawn.offer);
  expect_equal("deleter calls with another address", 0, drawn.offer->stray_deleter_calls());
}

DLCERT_CHECK(refused_tensor_is_released_once,
             if_touched(consumer_check("lifetime.failed-import.single-release",
                                       "a refused tensor is released once in total",
                                       Needs{} | Can::any_import))) {
  expect_one_release(c, draw_refused_offer(c));
}

DLCERT_CHECK(
    out_of_memory_is_a_refusal_like_any_other,
    if_touched(consumer_check("lifetime.failed-import.single-release",
                              "a tensor whose import runs out of memory is released once in total",
                              Can::any_import | Can::fail_allocation))) {
  const DrawnOffer drawn = draw_offer(c, {.read_only = true});
  const bool takes_plain = testbench::takes_plain(c.consumer, drawn.path.route, drawn.path.form);
  const std::int64_t before = live_allocations(c.consumer);
  {
    const FailingAllocations failing{c.consumer, c.draw.between(0, 3)};
    Import import{c.consumer, *drawn.offer, drawn.path.route};
    if (import.accepted() || takes_plain)
      touched_by_refusal(c, import);
    else
      c.declined("refuses plain tensors too");
    import.finish();
  }
  expect_one_release_in_total(*drawn.offer);
  testbench::expect_live_allocations("live allocations", before, c.consumer);
}

// What the harness writes to the source does not reach what is said to be a copy.
void expect_copy(const Case& c, const Tensor& tensor, const TensorSpec& spec, const Bytes& logical,
                 Offer& offer) {
  if (offer.deleter_calls() == 0) offer.set_logical(different_logical(spec, logical));
  expect_holds(c.consumer, tensor, spec, logical);
}

DLCERT_CHECK(copy_out_of_memory_is_a_refusal,
             if_touched(consumer_check(
                 "lifetime.failed-import.single-release",
                 "a tensor whose copy runs out of memory is released once in total",
                 Can::import_from | Can::describe | Can::reads_back | Can::fail_allocation))) {
  const TensorSpec spec =
      draw_spec(c.draw, c.consumer, {.shape = {.empty = false}, .padded = false, .writable = true});
  const Bytes logical = draw_logical(c.draw, spec);
  const auto offer = make_offer(spec, logical, draw_form(c.draw, c.consumer, Route::producer));
  dlcert_import_request request = import_request();
  request.copy = boolean(true);
  const std::int64_t before = live_allocations(c.consumer);
  {
    std::optional<FailingAllocations> failing{std::in_place, c.consumer, c.draw.between(0, 5)};
    Import import{c.consumer, *offer, Route::producer, request};
    failing.reset();
    touched_by_refusal(c, import);
    if (import.accepted()) expect_copy(c, import.tensor(), spec, logical, *offer);
    import.finish();
  }
  expect_deleted_once(*offer);
  testbench::expect_live_allocations("live allocations", before, c.consumer);
}

}  // namespace
}  // namespace dlcert::lifetime
