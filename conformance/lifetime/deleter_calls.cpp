// SPDX-License-Identifier: Apache-2.0
//
// How a consumer ends a borrow: by one call of the deleter, with the tensor's own address, and by
// nothing else.
#include <cstring>

#include "lifetime/families.hpp"
#include "lifetime/support.hpp"

namespace dlcert::lifetime {
namespace {

using testbench::shares_memory;

// A result that owns a copy may have released earlier: only shared memory is still in use.
void expect_in_use(const Case& c, const Tensor& handle, const DrawnOffer& drawn) {
  if (shares_memory(c.consumer, handle, drawn))
    expect_equal("deleter calls while the tensor is in use", 0, drawn.offer->deleter_calls());
}

void deleter_is_called_once(Case& c) {
  const DrawnOffer drawn = draw_offer(c, {.read_only = true});
  Import import{c.consumer, *drawn.offer, drawn.path.route};
  require_accepted(import, c.consumer, drawn.path.form);
  std::vector<Tensor> handles = draw_handles(c, import);
  while (!handles.empty()) {
    const Tensor released_here = draw_one(c, handles);
    for (const Tensor& handle : handles)
      expect_in_use(c, handle, drawn);
    expect_in_use(c, released_here, drawn);
  }
  import.finish();
  expect_equal("deleter calls", 1, drawn.offer->deleter_calls());
}

void deleter_gets_the_tensors_own_address(Case& c) {
  const DrawnOffer drawn = draw_offer(c, {.read_only = true});
  Import import{c.consumer, *drawn.offer, drawn.path.route};
  require_accepted(import, c.consumer, drawn.path.form);
  import.finish();
  expect_equal("deleter calls with another address", 0, drawn.offer->stray_deleter_calls());
  expect_equal("deleter calls", 1, drawn.offer->deleter_calls());
}

// The offer's memory comes from no heap: whoever frees it ends the process.
void nothing_is_freed_but_by_the_deleter(Case& c) {
  const DrawnOffer drawn = draw_offer(c, {.read_only = true});
  Import import{c.consumer, *drawn.offer, drawn.path.route};
  require_accepted(import, c.consumer, drawn.path.form);
  for (Tensor& handle : draw_handles(c, import))
    handle.release();
  import.finish();
  expect_equal("deleter calls", 1, drawn.offer->deleter_calls());
}

void memory_comes_back_as_it_was(Case& c) {
  const DrawnOffer drawn = draw_offer(c, {.read_only = true});
  const Bytes lent = scatter(drawn.spec, drawn.logical);
  bool intact = true;
  drawn.offer->on_deleter([&] {
    intact = lent.empty() || std::memcmp(drawn.offer->storage(), lent.data(), lent.size()) == 0;
  });
  Import import{c.consumer, *drawn.offer, drawn.path.route};
  require_accepted(import, c.consumer, drawn.path.form);
  expect_holds(c.consumer, import.tensor(), drawn.spec, drawn.logical);
  import.finish();
  expect(intact,
         "the lent memory: expected it unchanged when the deleter runs but found it written");
  expect_equal("deleter calls", 1, drawn.offer->deleter_calls());
}

}  // namespace

void register_deleter_call_checks(Suite& suite) {
  suite.add(
      {.requirement = "lifetime.deleter.exactly-once",
       .sentence = "the deleter is called once, when the last handle on shared memory is gone",
       .needs = importing,
       .body = deleter_is_called_once});
  suite.add({.requirement = "lifetime.deleter.self-argument",
             .sentence = "the deleter gets the address of the managed tensor that contained it",
             .needs = importing,
             .body = deleter_gets_the_tensors_own_address});
  suite.add({.requirement = "lifetime.deleter.consumer-no-free",
             .sentence = "struct, arrays and data are released by the deleter alone",
             .needs = importing,
             .body = nothing_is_freed_but_by_the_deleter});
  suite.add({.requirement = "lifetime.borrow-not-transfer",
             .sentence = "lent memory comes back unchanged through the deleter",
             .needs = importing,
             .body = memory_comes_back_as_it_was});
}

}  // namespace dlcert::lifetime
