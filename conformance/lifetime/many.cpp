// SPDX-License-Identifier: Apache-2.0
//
// Hundreds of exports and imports that live at the same time, and are released in any order.
#include <array>
#include <memory>
#include <numeric>
#include <vector>

#include <dlcert/suite/trace.hpp>

#include "lifetime/support.hpp"
#include "registration.hpp"
#include "testbench/device_session.hpp"
#include "testbench/freed_memory.hpp"
#include "testbench/heap.hpp"

namespace dlcert::lifetime {

DLCERT_FAMILY(many)

namespace {

using testbench::expect_describes;
using testbench::expect_live_allocations;
using testbench::FreedMemoryReuse;
using testbench::live_allocations;
using testbench::tell;

constexpr std::array<std::size_t, 3> many{300, 64, 100};
constexpr std::size_t reused = 64;

// All numbers below `count`, in a drawn order.
std::vector<std::size_t> draw_order(Draw& draw, std::size_t count) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = 0; i + 1 < count; ++i)
    std::swap(order[i], order[i + draw.below(count - i)]);
  return order;
}

// How many are left when the rest is looked at: what is freed too early is freed for the last ones.
bool is_time_to_look(std::size_t left, std::size_t count) {
  return left % (count / 4) == 0 || left == 8 || left == 1;
}

// ---- producers ----------------------------------------------------------------------------------

// Many exports of few tensors, of many, or of one.
class Exports {
 public:
  Exports(Case& c, std::size_t count, std::size_t sources) : case_{c} {
    const TensorSpec spec = draw_simple_spec(c.draw, c.producer);
    for (std::size_t i = 0; i < sources; ++i)
      sources_.push_back(make_source(c, spec));
    for (std::size_t i = 0; i < count; ++i)
      exports_.push_back(export_of(i));
  }

  void release(std::size_t i) { exports_[i].reset(); }
  void renew(std::size_t i) { exports_[i] = export_of(i); }

  const Source& source() const { return sources_.front(); }

  void expect_right() const {
    for (std::size_t i = 0; i < exports_.size(); ++i)
      if (exports_[i])
        expect_describes(exports_[i]->managed(), source_of(i).spec, source_of(i).logical);
  }

 private:
  const Source& source_of(std::size_t i) const { return sources_[i % sources_.size()]; }
  std::unique_ptr<Exported> export_of(std::size_t i) {
    return std::make_unique<Exported>(export_either(case_, source_of(i).tensor));
  }

  Case& case_;
  std::vector<Source> sources_;
  std::vector<std::unique_ptr<Exported>> exports_;
};

// Half of them are released, and made anew where the others live on.
void release_hundreds_of_exports(Case& c, std::size_t count, std::size_t sources) {
  const std::int64_t before = live_allocations(c.producer);
  {
    Exports exports{c, count, sources};
    exports.expect_right();
    const std::vector<std::size_t> order = draw_order(c.draw, count);
    for (std::size_t i = 0; i < count / 2; ++i)
      exports.release(order[i]);
    exports.expect_right();
    for (std::size_t i = 0; i < count / 2; ++i)
      exports.renew(order[i]);
    exports.expect_right();
    for (std::size_t i = 0; i < count; ++i) {
      exports.release(order[count - 1 - i]);
      if (!is_time_to_look(count - 1 - i, count)) continue;
      const FreedMemoryReuse reuse{c, exports.source(), reused};
      exports.expect_right();
    }
  }
  testbench::expect_none_left("live allocations without exports and sources", before, c.producer);
}

DLCERT_CHECK(hundreds_of_exports_are_independent,
             producer_check("lifetime.exports-independent",
                            "hundreds of exports, of one tensor or of many, are released in any "
                            "order",
                            exporting, 2 * many.size())) {
  const std::size_t count = many[c.row / 2];
  const std::size_t sources = c.row % 2 == 0 ? 1 : count;
  tell(fmt::format("{} exports of {} tensors, released in any order", count, sources));
  const TracePause pause;
  release_hundreds_of_exports(c, count, sources);
}

// ---- consumers ----------------------------------------------------------------------------------

// A tensor of the harness's own, and its import.
struct Imported {
  OfferedTensor offered;
  std::unique_ptr<Import> import;
};

class Imports {
 public:
  Imports(Case& c, std::size_t count)
      : case_{c},
        path_{draw_import_path(c.draw, c.consumer)},
        spec_{draw_simple_spec(c.draw, c.consumer)},
        imports_(count) {
    if (path_.form == Form::legacy && spec_.read_only()) throw NotClaimed{"writable tensors"};
    for (std::size_t i = 0; i < count; ++i)
      renew(i);
  }

  // The deleter runs for this one, and for no other.
  void release(std::size_t i) {
    imports_[i].import->finish();
    expect_deleted_once(*imports_[i].offered.offer);
    imports_[i].import.reset();
  }
  void renew(std::size_t i) {
    Bytes logical = draw_logical(case_.draw, spec_);
    auto offer = make_offer(spec_, logical, path_.form);
    auto import = std::make_unique<Import>(case_.consumer, *offer, path_.route);
    require_accepted(*import, case_.consumer, path_.form);
    imports_[i].import.reset();
    imports_[i].offered = {spec_, std::move(logical), std::move(offer)};
    imports_[i].import = std::move(import);
  }

  void expect_right() {
    for (Imported& one : imports_)
      if (one.import)
        expect_holds(case_.consumer, one.import->tensor(), spec_, one.offered.logical);
  }

 private:
  Case& case_;
  ImportPath path_;
  TensorSpec spec_;
  std::vector<Imported> imports_;
};

DLCERT_CHECK(hundreds_of_imports_are_released_once,
             consumer_check("lifetime.deleter.exactly-once",
                            "hundreds of imports are released in any order, each by its own "
                            "deleter",
                            importing, many.size())) {
  const std::size_t count = many[c.row];
  tell(fmt::format("{} imports, released in any order", count));
  const TracePause pause;
  Imports imports{c, count};
  imports.expect_right();
  const std::vector<std::size_t> order = draw_order(c.draw, count);
  for (std::size_t i = 0; i < count / 2; ++i)
    imports.release(order[i]);
  imports.expect_right();
  for (std::size_t i = 0; i < count / 2; ++i)
    imports.renew(order[i]);
  imports.expect_right();
  for (std::size_t i = 0; i < count; ++i) {
    imports.release(order[count - 1 - i]);
    if (is_time_to_look(count - 1 - i, count)) imports.expect_right();
  }
}

}  // namespace
}  // namespace dlcert::lifetime
