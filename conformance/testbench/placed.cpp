// SPDX-License-Identifier: Apache-2.0
#include "testbench/placed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "generators/placement.hpp"
#include "testbench/device_session.hpp"
#include "testbench/device_source.hpp"

namespace dlcert::testbench {

namespace {

// Of the case that is run on a device.
DeviceSession* placed_session = nullptr;

class PlacedCase {
 public:
  explicit PlacedCase(Case& c)
      : session_{c}, device_{session_.device(session_.draw_device())}, placement_{device_} {
    placed_session = &session_;
  }
  PlacedCase(const PlacedCase&) = delete;
  PlacedCase& operator=(const PlacedCase&) = delete;
  ~PlacedCase() { placed_session = nullptr; }

  void run(Case& c, void (*body)(Case&)) const {
    session_.on(device_.id, [&] { body(c); });
  }

 private:
  DeviceSession session_;
  dlcert_device device_;
  Placement placement_;
};

// A range of memory of a device, copied behind all work of the device.
class DeviceBytes {
 public:
  DeviceBytes(dlcert_device device, Range range)
      : driver_{driver::driver()}, device_{device}, range_{range} {
    expect_done(driver_, driver_.current_device(former_), "current_device");
    const bool is_there = driver_.set_device(device.id) == driver::Status::success;
    expect(is_there, "elements on {}: expected a device that is there but found none",
           to_text(device));
    expect_done(driver_, driver_.synchronize_device(), "synchronize_device");
  }
  DeviceBytes(const DeviceBytes&) = delete;
  DeviceBytes& operator=(const DeviceBytes&) = delete;
  ~DeviceBytes() { static_cast<void>(driver_.set_device(former_)); }

  Bytes read() const {
    Bytes bytes(range_.size);
    copy(bytes.data(), range_.begin);
    return bytes;
  }
  void write(const Bytes& bytes) const {
    copy(range_.begin, bytes.data());
    expect_done(driver_, driver_.synchronize_device(), "synchronize_device");
  }

 private:
  void copy(std::byte* to, const std::byte* from) const {
    const driver::Status status =
        driver_.copy(to, from, range_.size, driver::CopyDirection::inferred);
    expect(status == driver::Status::success,
           "elements on {}: expected memory of {} bytes at {} but the driver says {}",
           to_text(device_), range_.size, fmt::ptr(range_.begin),
           driver::status_name(driver_.vendor(), status));
  }

  driver::Driver& driver_;
  dlcert_device device_;
  Range range_;
  int former_ = 0;
};

// Of a dtype of no bits, which a library may describe, too.
bool has_no_bytes(const TensorSpec& spec) {
  return spec.element_count() == 0 || logical_item_size(spec.dtype) == 0;
}

// The spec counted from its first element, which lies at `offset` of its storage.
TensorSpec from_first(TensorSpec spec) {
  spec.offset = 0;
  return spec;
}

}  // namespace

void run_on_a_device(Case& c, void (*body)(Case&)) {
  PlacedCase{c}.run(c, body);
}

bool needs_driver(dlcert_device device) {
  return device.type == kDLCUDA || device.type == kDLROCM;
}

Bytes elements_at(const TensorSpec& spec, const std::byte* first) {
  if (!needs_driver(spec.device)) return gather(spec, first);
  expect_in_memory(spec);
  if (has_no_bytes(spec)) return {};
  const Range range = reach(spec, first);
  const Bytes read = DeviceBytes{spec.device, range}.read();
  return gather(from_first(spec), read.data() + (first - range.begin));
}

void write_elements_at(const TensorSpec& spec, std::byte* first, const Bytes& logical) {
  if (!needs_driver(spec.device)) return scatter_into(spec, first, logical);
  expect_in_memory(spec);
  if (has_no_bytes(spec)) return;
  const Range range = reach(spec, first);
  const DeviceBytes there{spec.device, range};
  Bytes bytes = there.read();
  scatter_into(from_first(spec), bytes.data() + (first - range.begin), logical);
  there.write(bytes);
}

// ---- offers ----

std::unique_ptr<Offer> place_offer(const TensorSpec& spec, const Bytes& logical,
                                   Descriptor descriptor) {
  Bytes bytes = scatter(spec, logical);
  if (!needs_driver(spec.device) || descriptor.data != Descriptor::Data::storage)
    return std::make_unique<Offer>(descriptor, bytes);
  if (placed_session == nullptr) throw DefectOfCheck{"an offer on a device without a session"};
  const Range memory = placed_session->allocate(driver::MemoryKind::device, spec.device.id,
                                                std::max<std::size_t>(bytes.size(), 1));
  if (!bytes.empty()) DeviceBytes{spec.device, {memory.begin, bytes.size()}}.write(bytes);
  descriptor.data = Descriptor::Data::device;
  descriptor.device_memory = memory.begin;
  return std::make_unique<Offer>(descriptor, Bytes{});
}

std::unique_ptr<Offer> place_offer(const TensorSpec& spec, const Bytes& logical, Form form,
                                   bool use_byte_offset) {
  return place_offer(spec, logical, describe_spec(spec, form, use_byte_offset));
}

void set_elements(Offer& offer, const TensorSpec& spec, const Bytes& logical) {
  if (!needs_driver(spec.device)) return offer.set_logical(logical);
  write_elements_at(spec, const_cast<std::byte*>(offer.first_element()), logical);
}

bool lies_in(const Offer& offer, const TensorSpec& spec, const std::byte* address) {
  const std::byte* const begin =
      needs_driver(spec.device) ? offer.descriptor().device_memory : offer.storage();
  return address != nullptr && address >= begin && address < begin + storage_bytes(spec);
}

}  // namespace dlcert::testbench
