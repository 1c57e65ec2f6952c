// SPDX-License-Identifier: Apache-2.0
//
// Exports of data whose values are not what lies in its memory, or not all of it: by whatever the
// library does, refuse, copy or resolve, nobody is shown other values.

#include "protocol/support.hpp"
#include "registration.hpp"
#include "testbench/states.hpp"

namespace dlcert::protocol {

DLCERT_FAMILY(export_values)

namespace {

using testbench::State;
using testbench::Wrapping;

// What a library may treat otherwise: either form, a copy asked for, or the host.
dlcert_request draw_any_request(Draw& draw) {
  dlcert_request asked = draw_request(draw);
  if (draw.flip()) asked.copy = draw.flip() ? boolean(draw.flip()) : none();
  if (draw.flip()) asked.dl_device = pair(cpu.type, cpu.id);
  return asked;
}

// Of the requests that the library can form.
Outcome<Exported> export_somehow(Case& c, const Tensor& tensor) {
  const Wrapping wrapping = testbench::draw_wrapping(c);
  if (auto exported = testbench::try_export(wrapping, c.producer, tensor, draw_any_request(c.draw)))
    return std::move(*exported);
  for (const Form form : {Form::versioned, Form::legacy})
    if (auto exported =
            testbench::try_export(wrapping, c.producer, tensor, testbench::request_for(form)))
      return std::move(*exported);
  throw NotFormable{};
}

// The tensor itself, or another handle on its memory where there are such of its state.
Outcome<Exported> export_or_alias(Case& c, const Tensor& tensor) {
  if (!c.producer.offers(Needs{} | Can::alias) || !c.draw.flip()) return export_somehow(c, tensor);
  auto alias = c.producer.alias(tensor);
  return alias.ok() ? export_somehow(c, alias.value()) : export_somehow(c, tensor);
}

// What the library reads of it; empty where it has no such function.
Bytes own_values(const Case& c, const Source& source) {
  if (!c.producer.offers(Needs{} | Can::read)) return {};
  return read_imported(c.producer, source.tensor, source.spec);
}

// Of types that leave as another one nothing is compared: abi.dtype.*.
DLCERT_CHECK(every_export_has_its_values,
             if_touched(producer_check("protocol.export.values",
                                       "an export has the values of its source, however it is "
                                       "asked for and whatever it must say of them",
                                       exporting))) {
  const Source source = draw_source(c, {.shape = {.empty = false}, .read_only = true});
  auto exported = export_somehow(c, source.tensor);
  if (!exported.ok()) return c.declined("refused");
  const Managed& managed = exported.value().managed();
  const TensorSpec found = testbench::described_spec(managed);
  if (!(found.dtype == source.spec.dtype) || found.shape != source.spec.shape)
    throw Declined{"exported under another type or shape"};
  c.touched();
  expect_gathered(managed, source.logical, "elements of an export");
}

// Several times, as what is resolved once may be kept, and what is kept may be wrong.
void judge_values(Case& c, std::int32_t code) {
  const State& state = testbench::state_of(code);
  const Source source = testbench::make_in_state(c, state);
  const Bytes before = own_values(c, source);
  bool shown = false;
  for (std::int64_t times = c.draw.between(1, 3); times > 0; --times) {
    auto exported = export_or_alias(c, source.tensor);
    if (!exported.ok()) continue;
    shown = true;
    c.touched();
    testbench::expect_values(state, source, exported.value().managed());
  }
  expect(
      own_values(c, source) == before,
      "read of data that is {}, after its export: expected what was there but found other values",
      state.name);
  if (!shown) touched_if_exports_plain(c);
}

DLCERT_CHECK(byte_swapped_data_keeps_its_values,
             if_touched(producer_check("protocol.export.values",
                                       "byte-swapped data is refused or exported with its values",
                                       exporting))) {
  judge_values(c, DLCERT_STATE_BYTE_SWAPPED);
}

DLCERT_CHECK(data_with_a_gradient_keeps_its_values,
             if_touched(producer_check(
                 "protocol.export.values",
                 "data that requires a gradient is refused or exported with its values",
                 exporting))) {
  judge_values(c, DLCERT_STATE_REQUIRES_GRADIENT);
}

DLCERT_CHECK(conjugated_data_keeps_its_values,
             if_touched(producer_check(
                 "protocol.export.values",
                 "lazily conjugated data is refused or exported with its values", exporting))) {
  judge_values(c, DLCERT_STATE_CONJUGATE);
}

DLCERT_CHECK(negated_data_keeps_its_values,
             if_touched(producer_check("protocol.export.values",
                                       "lazily negated data is refused or exported with its values",
                                       exporting))) {
  judge_values(c, DLCERT_STATE_NEGATED);
}

DLCERT_CHECK(sparse_data_keeps_its_values,
             if_touched(producer_check("protocol.export.values",
                                       "sparse data is refused or exported with its values",
                                       exporting))) {
  judge_values(c, DLCERT_STATE_SPARSE);
}

// A function beside the protocol hands out the same data.
DLCERT_CHECK(to_dlpack_keeps_the_values,
             if_touched(producer_check(
                 "protocol.export.values",
                 "to_dlpack refuses data that DLPack cannot describe, or hands out its values",
                 exporting | Can::to_dlpack | Can::capsules))) {
  const Source source = testbench::make_with_values(c);
  auto capsule = c.producer.to_dlpack(source.tensor);
  c.observe(capsule.ok() ? "exported" : "refused");
  if (!capsule.ok()) {
    const Source plain = simple_source(c);
    return testbench::touched_if(c, c.producer.to_dlpack(plain.tensor).ok(),
                                 "plain tensors are refused too");
  }
  c.touched();
  const auto inside = testbench::managed_inside(capsule.value());
  if (!inside) throw Declined{"the capsule has no live name"};
  const testbench::Borrowed managed{*inside};
  testbench::expect_values(testbench::state_of(source.spec.state), source, *managed);
}

}  // namespace
}  // namespace dlcert::protocol
