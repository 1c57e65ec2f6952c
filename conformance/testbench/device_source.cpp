// SPDX-License-Identifier: Apache-2.0
#include "testbench/device_source.hpp"

#include <algorithm>
#include <utility>

#include "generators/device_specs.hpp"

namespace dlcert::testbench {

namespace {

constexpr std::int64_t most_padding = 3;

// A part of a storage that may be larger.
TensorSpec draw_inside(Draw& draw, TensorSpec spec) {
  spec.offset = draw.between(0, most_padding);
  spec.storage_size += spec.offset + draw.between(0, most_padding);
  return spec;
}

// A view of twice the elements: every other one, or the axes in another order. None runs backwards,
// which a library may refuse or get wrong: abi.strides.negative.
TensorSpec draw_view(Draw& draw, TensorSpec spec) {
  spec.storage_size = 2 * spec.element_count() + spec.offset;
  if (draw.flip()) {
    std::ranges::reverse(spec.strides);
    std::ranges::reverse(spec.shape);
  } else {
    for (std::int64_t& stride : spec.strides)
      stride *= 2;
  }
  return spec;
}

// Compact where the producer claims nothing else.
TensorSpec draw_layout_of(Draw& draw, const Party& producer, const TensorSpec& compact) {
  TensorSpec spec = draw_inside(draw, compact);
  if (!producer.can(spec)) spec = compact;
  // A view of many elements may be copied one by one.
  constexpr std::int64_t most_elements = 512;
  if (spec.shape.empty() || spec.element_count() > most_elements || !draw.rarely(3)) return spec;
  TensorSpec view = draw_view(draw, spec);
  return producer.can(view) ? view : spec;
}

DeviceSource without_pending_work(Case& c, const DeviceSession& session, Source source) {
  for (int ordinal = 0; ordinal < session.devices(); ++ordinal)
    require(c.producer.synchronize(session.device(ordinal)), "synchronize");
  const Range range = range_of(c.producer, source);
  return {nullptr, std::move(source), range};
}

}  // namespace

// The bytes from the lowest to the highest element, of which the first is at `first`.
Range reach(const TensorSpec& spec, const std::byte* first) {
  const std::int64_t unit = stride_bits(spec);
  std::int64_t low = 0;
  std::int64_t high = 0;
  for (std::size_t axis = 0; axis < spec.shape.size(); ++axis) {
    const std::int64_t distance = spec.strides[axis] * (spec.shape[axis] - 1);
    (distance < 0 ? low : high) += distance;
  }
  const std::int64_t begin = (low * unit) >> 3;  // an element may begin within a byte
  const std::int64_t end = ((high + 1) * unit + 7) >> 3;
  return {const_cast<std::byte*>(first) + begin, static_cast<std::size_t>(end - begin)};
}

Range range_of(const Party& party, const Source& source) {
  const Description said = require(party.describe(source.tensor), "describe");
  if (said.data == nullptr) throw NotClaimed{"an address of the elements"};
  return reach(source.spec, said.data);
}

DeviceSource make_device_source(Case& c, DeviceSession& session, dlcert_device device) {
  if (device == session.device(device.id)) session.make_current(device.id);
  const TensorSpec spec =
      draw_layout_of(c.draw, c.producer, draw_device_spec(c.draw, c.producer, device));
  require_claimed(c.producer, spec);
  return without_pending_work(c, session, make_source(c, spec));
}

void expect_own_number(const DeviceSession& session, const DeviceSource& source,
                       const Managed& exported) {
  driver::PointerAttributes own, found;
  expect_done(session.driver(), session.driver().attributes(source.range.begin, own), "attributes");
  expect_done(session.driver(), session.driver().attributes(exported.first_element(), found),
              "attributes");
  if (own.kind == driver::MemoryKind::pinned || own.kind == driver::MemoryKind::pageable) return;
  const int source_number = source.source.spec.device.id;
  const int number = device_of(exported).id;
  expect((number == source_number) == (found.device == own.device),
         "device index of an export {} device {} of the library: found {}",
         found.device == own.device ? "on" : "outside", source_number, number);
}

std::optional<DeviceSource> make_read_only_source(Case& c, DeviceSession& session,
                                                  dlcert_device device) {
  TensorSpec spec = draw_device_spec(c.draw, c.producer, device);
  spec.flags |= DLCERT_SPEC_READ_ONLY;
  if (!c.producer.can(spec)) return std::nullopt;
  if (device == session.device(device.id)) session.make_current(device.id);
  return without_pending_work(c, session, make_source(c, spec));
}

ExportElsewhere export_elsewhere(Case& c, DeviceSession& session, const DeviceSource& from) {
  const int here = from.source.spec.device.id;
  std::vector<dlcert_device> others{session.device_of(driver::MemoryKind::pinned, 0)};
  if (!session.rocm()) others.push_back(session.device_of(driver::MemoryKind::managed, 0));
  for (int device = 0; device < session.devices(); ++device)
    if (device != here) others.push_back(session.device(device));
  const dlcert_device requested = c.draw.one_of(others);
  dlcert_request asked = request_for(c.draw.flip() ? Form::versioned : Form::legacy);
  asked.dl_device = pair(requested.type, requested.id);
  auto outcome = session.on(here, [&] { return export_tensor(c, from.source.tensor, asked); });
  if (!outcome.ok()) throw Declined{"other memory than the tensor's is refused"};
  return {requested, std::move(outcome).value()};
}

// ---- imported ----

struct ForeignMemory {
  ForeignMemory(const Descriptor& descriptor, const Party& library)
      : offer{descriptor, Bytes{}}, producer{descriptor.device, &offer, library, false} {
    producer.answer([this](const dlcert_request&) { return &offer; },
                    SpyProducer::Answers::one_offer);
  }

  Offer offer;
  SpyProducer producer;
};

void DeviceSource::Free::operator()(ForeignMemory* memory) const {
  delete memory;
}

std::optional<DeviceSource> import_device_source(Case& c, DeviceSession& session, int device) {
  if (!c.producer.offers(Needs{} | Can::import_from)) return std::nullopt;
  constexpr std::uint8_t value = 0x5a;
  TensorSpec spec = draw_device_spec(c.draw, c.producer.consuming(), session.device(device));
  if (!c.producer.consuming().can(spec)) return std::nullopt;
  session.make_current(device);
  const std::size_t bytes =
      static_cast<std::size_t>(spec.storage_size) * logical_item_size(spec.dtype);
  const Range memory = session.allocate(driver::MemoryKind::device, device, bytes);
  const StreamHandle stream = session.stream(device, StreamHandle::Kind::non_blocking);
  session.write_later(stream, memory, value);
  session.open();
  session.synchronize(stream);
  Descriptor descriptor = describe_spec(spec, draw_form(c.draw, c.producer, Route::producer));
  descriptor.data = Descriptor::Data::device;
  descriptor.device_memory = memory.begin;
  std::unique_ptr<ForeignMemory, DeviceSource::Free> foreign{
      new ForeignMemory{descriptor, c.producer}};
  auto imported = c.producer.import_from(foreign->producer.c(), import_request());
  if (!imported.ok()) return std::nullopt;
  DeviceSource made = without_pending_work(
      c, session, {std::move(spec), Bytes(bytes, std::byte{value}), std::move(imported.value())});
  made.foreign = std::move(foreign);
  return made;
}

}  // namespace dlcert::testbench
