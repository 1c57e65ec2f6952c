// SPDX-License-Identifier: Apache-2.0
//
// Exports, imports and releases by several threads at once, of libraries that declare that they may
// be called so.
#include "testbench/threads.hpp"

#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <dlcert/suite/trace.hpp>

#include "lifetime/support.hpp"
#include "registration.hpp"
#include "testbench/device_session.hpp"
#include "testbench/heap.hpp"

namespace dlcert::lifetime {

DLCERT_FAMILY(threads)

namespace {

using testbench::all_at_once;
using testbench::expect_describes;
using testbench::expect_live_allocations;
using testbench::export_by;
using testbench::live_allocations;
using testbench::require_thread_safe;
using testbench::tell;
using testbench::Wrapping;

constexpr std::size_t thread_count = 4;
constexpr int rounds = 60;
// One tensor for all threads, or one for each.
constexpr std::size_t sharings = 2;

Check by_several_threads(Check check) {
  check.isolation = Isolation::own_process;  // threads that hang stay
  return check;
}

// Runs body(i) on each of the threads.
template <typename Body>
void on_threads(const Body& body) {
  std::vector<std::function<void()>> actions;
  for (std::size_t i = 0; i < thread_count; ++i)
    actions.emplace_back([&body, i] { body(i); });
  all_at_once(actions);
}

// ---- producers ----------------------------------------------------------------------------------

// What one thread exported and another one may release.
class Handover {
 public:
  // Takes `exported`, and gives what was there before.
  std::unique_ptr<Exported> exchange(std::unique_ptr<Exported> exported) {
    const std::scoped_lock lock{mutex_};
    return std::exchange(waiting_, std::move(exported));
  }

 private:
  std::mutex mutex_;
  std::unique_ptr<Exported> waiting_;
};

struct HowToExport {
  Wrapping wrapping;
  dlcert_request request;
};

// A way that works.
HowToExport draw_export(Case& c, const Tensor& tensor) {
  const Wrapping wrapping = testbench::draw_wrapping(c);
  for (const Form form : {Form::versioned, Form::legacy}) {
    const dlcert_request request = testbench::request_for(form);
    const auto tried = testbench::try_export(wrapping, c.producer, tensor, request);
    if (tried && tried->ok()) return {wrapping, request};
  }
  throw Declined{"exports no plain tensor"};
}

void export_and_release(const Case& c, const Source& source, const HowToExport& how,
                        Handover& handover) {
  for (int round = 0; round < rounds; ++round) {
    auto exported = std::make_unique<Exported>(
        require(export_by(how.wrapping, c.producer, source.tensor, how.request), "export"));
    expect_describes(exported->managed(), source.spec, source.logical);
    if (round % 3 == 0) handover.exchange(std::move(exported)).reset();
  }
}

// Each of another shape, so that what gets mixed up shows.
TensorSpec spec_of_thread(const TensorSpec& like, std::size_t thread) {
  const auto extent = static_cast<std::int64_t>(2 + thread);
  TensorSpec spec = compact_spec(like.dtype, {extent, extent + 1});
  spec.flags = like.flags;
  return spec;
}

DLCERT_CHECK(several_threads_export_at_once,
             by_several_threads(producer_check(
                 "lifetime.exports-independent",
                 "exports that several threads make and release at once are independent", exporting,
                 sharings))) {
  require_thread_safe(c);
  const TensorSpec like = draw_simple_spec(c.draw, c.producer);
  const std::int64_t before = live_allocations(c.producer);
  {
    std::vector<Source> sources;
    for (std::size_t i = 0; i < (c.row == 0 ? 1 : thread_count); ++i) {
      const TensorSpec spec = spec_of_thread(like, i);
      require_claimed(c.producer, spec);
      sources.push_back(make_source(c, spec));
    }
    const HowToExport how = draw_export(c, sources.front().tensor);
    tell(fmt::format("{} threads export {} tensors and release at once", thread_count,
                     sources.size()));
    const TracePause pause;
    Handover handover;
    on_threads([&](std::size_t thread) {
      export_and_release(c, sources[thread % sources.size()], how, handover);
    });
    if (c.producer.offers(Needs{} | Can::read))
      for (const Source& source : sources)
        owned_by("sharing.source-usable-after", [&] {
          expect_equal("elements of the source", source.logical,
                       require(c.producer.read(source.tensor, source.logical.size()), "read"));
        });
  }
  testbench::expect_none_left("live allocations without exports and sources", before, c.producer);
}

// ---- consumers ----------------------------------------------------------------------------------

struct Offered {
  Bytes logical;
  std::unique_ptr<Offer> offer;
};

void import_and_release(const Case& c, const ImportPath& path, const TensorSpec& spec,
                        std::vector<Offered>& all) {
  for (Offered& one : all) {
    Import import{c.consumer, *one.offer, path.route};
    expect_acceptance(import.accepted(),
                      "import of a claimed tensor: expected success but found {}",
                      import.accepted() ? "" : to_text(import.error()));
    expect_holds(c.consumer, import.tensor(), spec, one.logical);
    import.finish();
  }
}

std::vector<Offered> draw_offers(Draw& draw, const TensorSpec& spec, Form form) {
  std::vector<Offered> all(rounds);
  const Bytes logical = draw_logical(draw, spec);
  for (Offered& one : all) {
    one.logical = all.front().logical.empty() ? logical : different_logical(spec, logical);
    one.offer = make_offer(spec, one.logical, form);
  }
  return all;
}

DLCERT_CHECK(several_threads_import_at_once,
             by_several_threads(consumer_check(
                 "lifetime.deleter.exactly-once",
                 "what several threads import and release at once is deleted once each", importing,
                 1))) {
  require_thread_safe(c);
  const ImportPath path = draw_import_path(c.draw, c.consumer);
  const TensorSpec like = draw_simple_spec(c.draw, c.consumer);
  std::vector<TensorSpec> specs;
  std::vector<std::vector<Offered>> offers;
  for (std::size_t i = 0; i < thread_count; ++i) {
    specs.push_back(spec_of_thread(like, i));
    require_claimed(c.consumer, specs.back());
    offers.push_back(draw_offers(c.draw, specs.back(), path.form));
  }
  tell(fmt::format("{} threads import and release at once", thread_count));
  const TracePause pause;
  on_threads(
      [&](std::size_t thread) { import_and_release(c, path, specs[thread], offers[thread]); });
  for (const auto& of_thread : offers)
    for (const Offered& one : of_thread)
      expect_deleted_once(*one.offer);
}

DLCERT_CHECK(several_threads_release_one_import,
             by_several_threads(consumer_check(
                 "lifetime.deleter.exactly-once",
                 "one import whose handles several threads make and release at once is deleted "
                 "once",
                 importing | Can::alias, 1))) {
  require_thread_safe(c);
  const DrawnOffer drawn = draw_offer(c, {.shape = {.max_rank = 3, .max_elements = 64}});
  Import import{c.consumer, *drawn.offer, drawn.path.route};
  require_accepted(import, c.consumer, drawn.path.form);
  tell(fmt::format("{} threads make, read and release handles at once", thread_count));
  const TracePause pause;
  on_threads([&](std::size_t) {
    for (int round = 0; round < rounds; ++round) {
      const Tensor handle = require(c.consumer.alias(import.tensor()), "alias");
      expect_holds(c.consumer, handle, drawn.spec, drawn.logical);
    }
  });
  if (testbench::shares_memory(c.consumer, import.tensor(), drawn))
    expect_equal("deleter calls while the tensor is in use", 0, drawn.offer->deleter_calls());
  import.finish();
  expect_deleted_once(*drawn.offer);
}

}  // namespace
}  // namespace dlcert::lifetime
