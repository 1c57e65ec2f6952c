// SPDX-License-Identifier: Apache-2.0
//
// Shared memory is shared both ways, along a chain of exchanges too.
#include "registration.hpp"
#include "sharing/support.hpp"

namespace dlcert::sharing {

DLCERT_FAMILY(mutation)

namespace {

DLCERT_CHECK(writes_are_seen_on_both_sides,
             if_touched(consumer_check("sharing.mutation-visible",
                                       "writes of producer and consumer are seen by the other",
                                       importing))) {
  const DrawnOffer drawn = draw_offer(c, {.shape = with_elements});
  Import import{c.consumer, *drawn.offer, drawn.path.route};
  require_accepted(import, c.consumer, drawn.path.form);
  const Bytes changed = different_logical(drawn.spec, drawn.logical);
  drawn.offer->set_logical(changed);
  const Bytes seen = read_all(c.consumer, import.tensor(), drawn.spec);
  if (seen == drawn.logical) throw Declined{"copied"};  // nothing is shared: nothing to see
  c.touched();
  expect_equal("elements after a write by the producer", changed, seen);
  if (!c.consumer.offers(Needs{} | Can::write)) return c.observe("shared, and not writable here");
  if (!c.consumer.write(import.tensor(), drawn.logical).ok()) return c.observe("shared read-only");
  expect_equal("the producer's elements after a write by the consumer", drawn.logical,
               drawn.offer->logical());
}

// Whether the elements are there, as far as the library tells.
bool is_at(const Party& library, const Tensor& tensor, const std::byte* first) {
  if (!library.offers(Needs{} | Can::describe)) return true;
  const auto* const data = require(library.describe(tensor), "description of a tensor").data;
  return data == nullptr || data == first;
}

// Three handles on one memory: the producer's tensor, the consumer's, and what the producer exports
// again.
class Chain {
 public:
  explicit Chain(Case& c)
      : c_{c},
        source_{draw_source(
            c, {.layouts = Layouts::compact, .shape = with_elements, .writable = true})},
        result_{hand_over(c, source_.tensor)},
        again_{export_either(c, source_.tensor)} {}

  const Source& source() const { return source_; }
  bool is_shared() const {
    const std::byte* const exported = again_.managed().first_element();
    return is_at(c_.producer, source_.tensor, exported) && is_at(c_.consumer, result_, exported);
  }

  void write(int handle, const Bytes& logical) {
    if (handle == 0) write_all(c_.producer, source_.tensor, logical);
    if (handle == 1) write_all(c_.consumer, result_, logical);
    if (handle == 2) write_exported(again_.managed(), logical);
  }

  void expect_everywhere(const Bytes& logical) const {
    owned_by("sharing.source-usable-after", [&] {
      expect_equal("elements of the source", logical,
                   read_all(c_.producer, source_.tensor, source_.spec));
    });
    expect_equal("elements of the result", logical, read_all(c_.consumer, result_, source_.spec));
    expect_equal("elements of the second export", logical, gather_exported(again_.managed()));
  }

 private:
  Case& c_;
  Source source_;
  Tensor result_;
  Exported again_;
};

DLCERT_CHECK(
    writes_are_seen_through_every_alias,
    producer_check("sharing.mutation-visible",
                   "writes through source, result and second export are seen through the others",
                   exporting | Can::read | Can::write)) {
  if (!c.consumer.offers(Can::read | Can::write))
    throw NotClaimed{"a consumer that reads and writes"};
  Chain chain{c};
  if (!chain.is_shared()) throw Declined{"copied"};
  Bytes logical = chain.source().logical;
  const auto first = static_cast<int>(c.draw.below(3));
  for (int i = 0; i < 3; ++i) {
    logical = different_logical(chain.source().spec, logical);
    chain.write((first + i) % 3, logical);
    chain.expect_everywhere(logical);
  }
}

}  // namespace
}  // namespace dlcert::sharing
