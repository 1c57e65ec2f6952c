// SPDX-License-Identifier: Apache-2.0
//
// What from_dlpack returns.

#include <algorithm>

#include <dlcert/suite/python_party.hpp>

#include "protocol/support.hpp"
#include "registration.hpp"
#include "testbench/further_devices.hpp"

namespace dlcert::protocol {

DLCERT_FAMILY(import)

namespace {

DLCERT_CHECK_ALSO_ON_DEVICES(
    imported_tensor_equals_the_source,
    if_touched(consumer_check("protocol.from.new-array",
                              "an imported tensor has the shape, dtype and values of its source",
                              importing))) {
  const Route route = draw_route(c.draw, c.consumer);
  const Form form = draw_form(c.draw, c.consumer, route);
  const TensorSpec spec = draw_spec(c.draw, c.consumer, {.padded = form == Form::versioned});
  const Bytes logical = draw_logical(c.draw, spec);
  const auto offer = place_offer(spec, logical, form);
  Import import{c.consumer, *offer, route};
  const bool may_refuse = !spec.contiguous() && c.settings.policy("strided-import") == "optional";
  if (import.accepted()) {
    c.touched();
    expect_holds(c.consumer, import.tensor(), spec, logical);
  } else if (may_refuse) {
    c.declined("layout refused");
  } else {
    require_accepted(import, c.consumer, form);
  }
  import.finish();
  expect_deleted_once(*offer);
}

// One extent is another, or all of them and the rank.
std::vector<std::int64_t> draw_other_shape(Draw& draw, std::vector<std::int64_t> shape) {
  if (shape.empty() || draw.flip()) return draw_shape(draw, {.max_rank = 4});
  std::int64_t& extent = shape[draw.below(shape.size())];
  extent = draw.between(0, extent + 2);
  return shape;
}

std::vector<std::int64_t> without_unit_axes(std::vector<std::int64_t> shape) {
  std::erase(shape, 1);
  return shape;
}

// As the consumer describes it: one of images may give each an axis of channels.
TensorSpec as_described(const Case& c, const Tensor& tensor, const TensorSpec& spec) {
  const Description said =
      require(c.consumer.describe(tensor), "description of an imported tensor");
  if (without_unit_axes(said.shape) != without_unit_axes(spec.shape)) return spec;
  return compact_spec(spec.dtype, said.shape);
}

constexpr std::uint64_t other_shapes = 100;

DLCERT_CHECK(other_shapes_are_refused_or_right,
             if_touched(consumer_check(
                 "protocol.from.new-array",
                 "a tensor of a shape that the consumer does not claim is refused or imported as "
                 "it is, but for axes of extent 1",
                 importing, other_shapes))) {
  TensorSpec spec = draw_simple_spec(c.draw, c.consumer);
  spec = compact_spec(spec.dtype, draw_other_shape(c.draw, spec.shape));
  if (c.consumer.can(spec)) throw NotClaimed{"few shapes alone"};
  const Bytes logical = draw_logical(c.draw, spec);
  const Route route = draw_route(c.draw, c.consumer);
  const auto offer = place_offer(spec, logical, draw_form(c.draw, c.consumer, route));
  Import import{c.consumer, *offer, route};
  if (import.accepted()) {
    c.touched();
    expect_holds(c.consumer, import.tensor(), as_described(c, import.tensor(), spec), logical);
  } else {
    touched_if_takes_plain(c, route, offer->descriptor().form);
  }
  import.finish();
  expect_deleted_once(*offer);
}

// Memory that the host can read; the consumer may know no name for its kind.
constexpr dlcert_device other_host_memory[] = {{3, 0}, {11, 0}, {13, 0}};

bool is_home_of(dlcert_device source, dlcert_device found) {
  if (found == source) return true;
  if (!host_accessible(source)) return false;
  const std::int32_t owner = source.type == 11 ? 10 : 2;
  return found.type == cpu.type || found.type == owner;
}

DLCERT_CHECK(imported_tensor_is_on_the_sources_device,
             consumer_check("protocol.from.same-device-default",
                            "without a device request the import is on the source's device",
                            importing_objects)) {
  const dlcert_device device = c.draw.flip() ? cpu : c.draw.one_of(other_host_memory);
  const TensorSpec spec = draw_simple_spec(c.draw, c.consumer);
  Descriptor descriptor = describe_spec(spec, draw_form(c.draw, c.consumer, Route::producer));
  descriptor.device = device;
  Offer offer{descriptor, scatter(spec, draw_logical(c.draw, spec))};
  dlcert_import_request asked = import_request();
  if (c.draw.flip()) asked.device = none();
  Import import{c.consumer, offer, Route::producer, asked};
  if (!import.accepted() && !(device == cpu)) throw Declined{"memory of this kind is refused"};
  require_accepted(import, c.consumer, descriptor.form);
  const Description said =
      require(c.consumer.describe(import.tensor()), "description of an imported tensor");
  expect(is_home_of(device, said.device), "device of the import: expected {} but found {}",
         to_text(device), to_text(said.device));
  import.finish();
}

// The device as the library tells it: by the standard's attribute, else by its adapter.
std::string library_device_of(const Party& library, const Tensor& tensor) {
  auto told = Python{library}.evaluate(tensor, "str(x.device)");
  if (told.ok()) return std::move(told).value();
  return to_text(require(library.describe(tensor), "description of a tensor").device);
}

// What the library has on a device of its own is not on another one, whatever DLPack calls it.
DLCERT_CHECK(own_tensor_stays_on_its_further_device,
             with_device_tensors(consumer_check(
                 "protocol.from.same-device-default",
                 "an import of the library's own tensor is on the device of that tensor",
                 importing_objects | Can::create | Can::describe | Can::python_objects))) {
  const Party own{c.consumer.table(), c.consumer.label()};
  const Source source = testbench::make_on_further_device(c, own);
  dlcert_import_request asked = import_request();
  if (c.draw.flip()) asked.device = none();
  auto imported = import_of_object(c.consumer, own, source.tensor, asked);
  if (!imported.ok()) throw Declined{"the library refuses its own tensor"};
  expect_equal("device of the import", library_device_of(own, source.tensor),
               library_device_of(c.consumer, imported.value()));
}

constexpr dlcert_device unreachable_devices[] = {cuda,    {4, 0},  {8, 0},   {10, 0},
                                                 {12, 0}, {14, 0}, {2, 256}, {10, 256}};

DLCERT_CHECK(unsupported_device_raises_buffer_error,
             if_touched(consumer_check(
                 "protocol.from.unsupported-device",
                 "a source on a device that the consumer does not have raises BufferError",
                 importing_objects))) {
  const dlcert_device device = c.draw.one_of(unreachable_devices);
  TensorSpec spec = draw_simple_spec(c.draw, c.consumer);
  spec.device = device;
  if (c.consumer.can(spec)) throw NotClaimed{"a device that is foreign to it"};
  spec.device = cpu;
  HonestProducer producer{c, spec, draw_logical(c.draw, spec), device};
  auto imported = c.consumer.import_from(producer.c(), import_request());
  if (!imported.ok()) {
    c.minor([&] {
      if (c.settings.policy("unsupported-device-error") == "buffer")
        producer.expect_buffer_error(c.consumer, imported.error());
    });
    touched_if_takes_plain(c, Route::producer, producer.form());
  } else {
    // A container that only transports descriptors handles every device.
    const auto said = require(c.consumer.describe(imported.value()), "description of an import");
    c.minor([&] { expect_equal("device of the import", device, said.device); });
    c.observe("handed on unchanged");
    c.touched();
    imported.value().release();
  }
  producer.expect_all_released();
}

// Judged only for consumers that pass streams; without streams there is nothing to choose.
DLCERT_CHECK_ALSO_ON_DEVICES(
    stream_is_chosen_after_asking_for_the_device,
    consumer_check("protocol.from.queries-device",
                   "a consumer that passes a stream asks for the device first",
                   importing_objects)) {
  const TensorSpec spec = draw_simple_spec(c.draw, c.consumer);
  const Bytes logical = draw_logical(c.draw, spec);
  const bool elsewhere = !placed_on_a_device() && c.draw.flip();
  HonestProducer producer{c, spec, logical, elsewhere ? cuda : spec.device};
  const auto imported = c.consumer.import_from(producer.c(), import_request());
  c.observe(imported.ok() ? "imported" : "refused");
  const auto& calls = producer.calls();
  const bool passes_streams = std::any_of(calls.begin(), calls.end(), [](const auto& call) {
    return !call.device && call.request.stream.tag > DLCERT_NONE;
  });
  if (!passes_streams) throw Declined{"no stream is passed"};
  expect(calls.front().device, "first call: expected dlpack_device but found dlpack");
}

}  // namespace
}  // namespace dlcert::protocol
