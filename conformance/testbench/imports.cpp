// SPDX-License-Identifier: Apache-2.0
#include "testbench/imports.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <dlcert/suite/evidence.hpp>
#include <dlcert/suite/trace.hpp>

#include "testbench/exports.hpp"
#include "testbench/facts.hpp"
#include "testbench/placed.hpp"

namespace dlcert::testbench {

namespace {

// Whether the consumer asks producers for versioned tensors.
bool asks_for_versions(const Party& consumer) {
  if (!consumer.offers(Needs{} | Can::import_from)) return false;
  bool asked = false;
  SpyProducer producer{{1, 0}, nullptr, consumer, false};
  {
    const TraceAside aside;  // a program's own producer answers alike
    producer.answer([&](const dlcert_request& request) -> Offer* {
      asked |= request.max_version.tag == DLCERT_PAIR && request.max_version.first >= 1;
      return nullptr;
    });
  }
  consumer.import_from(producer.c(), import_request());
  return asked;
}

}  // namespace

bool imports(const Party& consumer, Form form) {
  Draw simplest = Draw::replay({}, 1);
  const TensorSpec spec = draw_simple_spec(simplest, consumer);
  for (const Route route : routes(consumer)) {
    const auto offer = place_offer(spec, draw_logical(simplest, spec), form);
    Import import{consumer, *offer, route};
    const bool accepted = import.accepted();
    import.finish();
    if (accepted) return true;
  }
  return false;
}

bool takes(const Party& consumer, Form form) {
  const TraceAside aside;
  return (form == Form::versioned && asks_for_versions(consumer)) || imports(consumer, form);
}

void require_plain(const Party& party) {
  if (!plain_spec(party)) throw NoTensorClaimed{"a plain tensor on the host"};
}

bool takes_plain(const Party& consumer, Route route, Form form) {
  return std::ranges::count(forms(consumer, route), form) != 0;
}

void touched_if_takes_plain(Case& c, Route route, Form form) {
  if (takes_plain(c.consumer, route, form)) return c.touched();
  require_plain(c.consumer);
  c.declined("refuses plain tensors too");
}

void touched_if_takes_plain(Case& c, const ImportPath& path) {
  touched_if_takes_plain(c, path.route, path.form);
}

void require_accepted(const Import& import, const Party& consumer, Form form) {
  if (import.accepted()) return;
  if (import.asked_in_vain()) throw Declined{"asked for another form than the tensor has"};
  if (!takes(consumer, form))
    throw NotClaimed{form == Form::legacy ? "legacy tensors" : "versioned tensors"};
  const Form other = form == Form::legacy ? Form::versioned : Form::legacy;
  const bool takes_other_alone = !imports(consumer, form) && imports(consumer, other);
  owned_by(takes_other_alone ? Owners{"lifetime.legacy-both-supported"}
                             : Owners{"protocol.from.new-array"},
           [&] {
             fail(fmt::format("import of a claimed tensor: expected success but found {}",
                              to_text(import.error())),
                  {.by = Judgement::By::success});
           });
}

void require_accepted(const Import& import, const Party& consumer, const Offer& offer) {
  if (!import.accepted() && offer.descriptor().byte_offset != 0)
    throw Declined{"refused with a byte_offset"};
  const bool read_only = (offer.descriptor().flags & DLPACK_FLAG_BITMASK_READ_ONLY) != 0;
  owned_by(read_only ? Owners{"sharing.read-only-ignored-not-raised"} : Owners{},
           [&] { require_accepted(import, consumer, offer.descriptor().form); });
}

namespace {

// What the library exports of the tensor, which is all that can be known of it without read().
Bytes read_through_export(const Party& library, const Tensor& tensor) {
  std::optional<Error> refusal;
  for (const Wrapping wrapping : wrappings(library)) {
    for (const dlcert_request& request :
         {request_version(own_version.major, own_version.minor), request()}) {
      auto exported = try_export(wrapping, library, tensor, request);
      if (!exported) continue;
      if (exported->ok()) {
        note_shown(Role::consumer, Shown::by_export);
        return gather_exported(exported->value().managed());
      }
      refusal = exported->error();
    }
  }
  if (!refusal) throw NotFormable{};
  throw Declined{"does not export what it imported, and cannot read it"};
}

}  // namespace

Bytes read_back(const Party& library, const Tensor& tensor, std::size_t size) {
  if (!library.offers(Needs{} | Can::read)) return read_through_export(library, tensor);
  return require(library.read(tensor, size), "read of a tensor");
}

Bytes read_imported(const Party& consumer, const Tensor& tensor, const TensorSpec& spec) {
  const auto size = static_cast<std::size_t>(spec.element_count()) * logical_item_size(spec.dtype);
  return read_back(consumer, tensor, size);
}

void expect_holds(const Party& consumer, const Tensor& tensor, const TensorSpec& spec,
                  const Bytes& logical) {
  const Description said = require(consumer.describe(tensor), "description of an imported tensor");
  const auto by_export = [&](std::string_view part, std::string expected) -> Judgement {
    return {.by = Judgement::By::value,
            .expected = std::move(expected),
            .code = fmt::format("{}({})", part, trace_name(tensor.handle()))};
  };
  seen_by([&] { return by_export("dtype_of", to_literal(spec.dtype)); },
          [&] { expect_described_dtype(spec.dtype, said.dtype); });
  seen_by([&] { return by_export("shape_of", to_literal(spec.shape)); },
          [&] { expect_described_shape(spec.shape, said.shape); });
  const Bytes found = read_imported(consumer, tensor, spec);
  if (found != logical)
    owned_by(owners_of_elements(spec.dtype, logical, found),
             [&] { expect_equal("elements", logical, found); });
  note_found(Role::consumer, logical);
}

bool shares_memory(const Party& consumer, const Tensor& imported, const DrawnOffer& drawn) {
  if (drawn.spec.element_count() == 0) return false;
  const Description said =
      require(consumer.describe(imported), "description of an imported tensor");
  return said.data == drawn.offer->first_element();
}

}  // namespace dlcert::testbench
