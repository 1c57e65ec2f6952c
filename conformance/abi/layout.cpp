// SPDX-License-Identifier: Apache-2.0
//
// The structs as bytes: what a producer writes and a consumer reads at the standard's offsets.

#include <dlcert/suite/threads.hpp>

#include "abi/support.hpp"
#include "registration.hpp"
#include "testbench/facts.hpp"
#include "testbench/heap.hpp"
#include "testbench/raw_struct.hpp"

namespace dlcert::abi {

DLCERT_FAMILY(layout)

namespace {

using testbench::raw_descriptor;
using testbench::raw_struct;
using testbench::RawBytes;
namespace descriptor_at = testbench::descriptor_at;
namespace legacy_at = testbench::legacy_at;
namespace versioned_at = testbench::versioned_at;

// ---- producers ----------------------------------------------------------------------------------

// Leaves out booleans: abi.dtype.bool-8bit is about their export.
ExportedSource export_but_no_bool(Case& c) {
  ExportedSource exported = export_drawn(c);
  if (exported.spec.dtype.code == kDLBool) throw NotClaimed{"types but booleans"};
  return exported;
}

DLCERT_CHECK(first_eight_bytes_are_the_version,
             producer_check("abi.layout.version-struct",
                            "the first four bytes of a versioned export are its major version",
                            exporting)) {
  const ExportedSource exported = export_in(c, Form::versioned, draw_claimed(c, {}));
  const Managed& managed = exported.managed();
  const RawBytes raw = raw_struct(managed.raw());
  owned_by(testbench::owners_of_version(managed.version()), [&] {
    expect_field_equal(managed, "32 bits at offset 0", "exported.version.major", 1u,
                       raw.get<std::uint32_t>(versioned_at::major));
  });
}

DLCERT_CHECK(device_is_type_then_index,
             producer_check("abi.layout.device-struct",
                            "an export has the device type before the device index", exporting)) {
  const ExportedSource exported = export_drawn(c);
  const Managed& managed = exported.managed();
  const RawBytes raw = raw_descriptor(managed.raw());
  const dlcert_device found{raw.get<std::int32_t>(descriptor_at::device_type),
                            raw.get<std::int32_t>(descriptor_at::device_id)};
  owned_by(testbench::owners_of_device(exported.spec.device, found), [&] {
    expect_field_equal(managed, "device type at offset 8 of the descriptor",
                       "(int32_t)exported.dl_tensor.device.device_type", exported.spec.device.type,
                       found.type);
    expect_field_equal(managed, "device index at offset 12 of the descriptor",
                       "exported.dl_tensor.device.device_id", exported.spec.device.id, found.id);
  });
}

DLCERT_CHECK(dtype_is_code_bits_lanes,
             producer_check("abi.layout.dtype-struct",
                            "an export has code, bits and lanes in four bytes", exporting)) {
  const ExportedSource exported = export_but_no_bool(c);
  const Managed& managed = exported.managed();
  const RawBytes raw = raw_descriptor(managed.raw());
  const dlcert_dtype expected = exported.spec.dtype;
  const dlcert_dtype found{raw.get<std::uint8_t>(descriptor_at::dtype_code),
                           raw.get<std::uint8_t>(descriptor_at::dtype_bits),
                           raw.get<std::uint16_t>(descriptor_at::dtype_lanes)};
  owned_by(testbench::owners_of_dtype(expected, found), [&] {
    expect_field_equal(managed, "byte 0 of the data type", "exported.dl_tensor.dtype.code",
                       expected.code, found.code);
    expect_field_equal(managed, "byte 1 of the data type", "exported.dl_tensor.dtype.bits",
                       expected.bits, found.bits);
    expect_field_equal(managed, "bytes 2 and 3 of the data type", "exported.dl_tensor.dtype.lanes",
                       expected.lanes, found.lanes);
  });
}

// The rule is met where there are elements to be found.
void expect_raw_descriptor(Case& c, const ExportedSource& exported) {
  const Managed& managed = exported.managed();
  const RawBytes raw = raw_descriptor(managed.raw());
  const auto rank = raw.get<std::int32_t>(descriptor_at::ndim);
  expect_field_equal(managed, "rank at offset 16", "exported.dl_tensor.ndim",
                     static_cast<std::int32_t>(exported.spec.shape.size()), rank);
  const auto* shape = raw.get<const std::int64_t*>(descriptor_at::shape);
  if (const std::vector<std::int64_t> extents(shape, shape + rank); extents != exported.spec.shape)
    owned_by("abi.shape.extent-array", [&] {
      in_fields(
          managed,
          [&] {
            expect_equal("extents behind the pointer at offset 24", exported.spec.shape, extents);
          },
          "shape_is(&exported.dl_tensor, {}, {})", rank, c_array(exported.spec.shape));
    });
  if (exported.spec.element_count() == 0) return;
  c.touched();
  const auto* data = raw.get<const std::byte*>(descriptor_at::data);
  const auto byte_offset = raw.get<std::uint64_t>(descriptor_at::byte_offset);
  // Strides are the business of others.
  TensorSpec first = described_spec(managed);
  first.shape.clear();
  first.strides.clear();
  const auto size = static_cast<std::ptrdiff_t>(logical_item_size(first.dtype));
  const Bytes expected(exported.logical.begin(), exported.logical.begin() + size);
  owned_by(testbench::owners_of_address(), [&] {
    in_elements(managed, exported.logical, [&] {
      expect_equal("element at the address at offset 0 plus the offset at 40", expected,
                   gather(first, data + byte_offset));
    });
  });
}

DLCERT_CHECK(descriptor_has_its_fields_in_place,
             if_touched(producer_check(
                 "abi.layout.dltensor",
                 "an export has the descriptor's fields where the standard has them", exporting))) {
  expect_raw_descriptor(c, export_but_no_bool(c));
}

// Ends the life of a second export, taken out of its capsule where the library has no bare ones, by
// the function pointer at `offset`, which takes a pointer to the Struct, and expects that the
// library freed it.
template <typename Struct>
void expect_deleter_at(const Case& c, const ExportedSource& exported, Form form,
                       std::size_t offset) {
  const testbench::Wrapping wrapping = testbench::wrappings(c.producer).front();
  Exported second =
      require(testbench::export_by(wrapping, c.producer, exported.tensor, request_for(form)),
              "a second export");
  const auto deleter = raw_struct(second.managed().raw()).get<void (*)(Struct*)>(offset);
  if (deleter == nullptr) throw NotClaimed{"exports with a deleter"};
  const bool counts = c.producer.offers(Needs{} | Can::live_allocations);
  const std::int64_t before = counts ? testbench::live_allocations(c.producer) : 0;
  deleter(static_cast<Struct*>(second.give_up().pointer));
  if (!counts) return;
  const auto counts_less = [&] { return testbench::live_allocations(c.producer) < before; };
  await(counts_less);
  owned_by("lifetime.deleter.frees-self",
           [&] { expect(counts_less(), "the function at offset {} freed nothing", offset); });
}

DLCERT_CHECK(legacy_tensor_has_its_fields_in_place,
             if_touched(producer_check(
                 "abi.layout.managed-legacy",
                 "a legacy export has its fields where the standard has them, the deleter at 56",
                 exporting))) {
  TensorSpec spec = draw_claimed(c);
  if (spec.dtype.code == kDLBool) throw NotClaimed{"types but booleans"};
  const ExportedSource exported = export_in(c, Form::legacy, std::move(spec));
  expect_raw_descriptor(c, exported);
  expect_deleter_at<DLManagedTensor>(c, exported, Form::legacy, legacy_at::deleter);
}

DLCERT_CHECK(versioned_tensor_has_its_fields_in_place,
             if_touched(producer_check(
                 "abi.layout.managed-versioned",
                 "a versioned export has its fields where the standard has them, the deleter at 16",
                 exporting))) {
  TensorSpec spec = draw_claimed(c, {});
  if (spec.dtype.code == kDLBool) throw NotClaimed{"types but booleans"};
  const ExportedSource exported = export_in(c, Form::versioned, std::move(spec));
  expect_raw_descriptor(c, exported);
  expect_deleter_at<DLManagedTensorVersioned>(c, exported, Form::versioned, versioned_at::deleter);
}

// ---- consumers ----------------------------------------------------------------------------------

// A claimed tensor whose descriptor was written byte by byte; deleter and context are the offer's
// own.
struct RawOffer {
  TensorSpec spec;
  Bytes logical;
  Route route;
  std::unique_ptr<Offer> offer;
};

RawOffer draw_raw_offer(Case& c, ImportPath path) {
  RawOffer raw{draw_claimed(c), {}, path.route, nullptr};
  raw.logical = draw_logical(c.draw, raw.spec);
  raw.offer = make_offer(raw.spec, raw.logical, path.form);

  const RawBytes descriptor = raw_descriptor(raw.offer->managed());
  for (std::size_t at = 0; at < 48; ++at)
    descriptor.put(at, std::byte{0xEE});
  descriptor.put(descriptor_at::data, raw.offer->first_element());
  descriptor.put(descriptor_at::device_type, raw.spec.device.type);
  descriptor.put(descriptor_at::device_id, raw.spec.device.id);
  descriptor.put(descriptor_at::ndim, static_cast<std::int32_t>(raw.spec.shape.size()));
  descriptor.put(descriptor_at::dtype_code, raw.spec.dtype.code);
  descriptor.put(descriptor_at::dtype_bits, raw.spec.dtype.bits);
  descriptor.put(descriptor_at::dtype_lanes, raw.spec.dtype.lanes);
  descriptor.put(descriptor_at::shape, raw.spec.shape.data());
  descriptor.put(descriptor_at::strides, raw.spec.strides.data());
  descriptor.put(descriptor_at::byte_offset, std::uint64_t{0});
  return raw;
}

void expect_raw_import(Case& c, ImportPath path) {
  RawOffer raw = draw_raw_offer(c, path);
  ImportedOffer imported{c, raw.route, std::move(raw.offer)};
  imported.expect_accepted();
  imported.expect_holds(raw.spec, raw.logical);
  if (raw.spec.element_count() != 0) c.touched();
  imported.expect_one_deletion();
}

DLCERT_CHECK(reads_the_descriptor_in_place,
             if_touched(consumer_check(
                 "abi.layout.dltensor",
                 "the consumer reads the descriptor's fields where the standard has them",
                 importing))) {
  expect_raw_import(c, draw_import_path(c.draw, c.consumer));
}
DLCERT_CHECK(reads_the_legacy_tensor_in_place,
             if_touched(consumer_check(
                 "abi.layout.managed-legacy",
                 "the consumer reads a legacy tensor's fields where the standard has them",
                 importing))) {
  expect_raw_import(c, draw_import_path(c.draw, c.consumer, Form::legacy));
}
DLCERT_CHECK(reads_the_versioned_tensor_in_place,
             if_touched(consumer_check(
                 "abi.layout.managed-versioned",
                 "the consumer reads a versioned tensor's fields where the standard has them",
                 importing))) {
  expect_raw_import(c, draw_import_path(c.draw, c.consumer, Form::versioned));
}

// Returns whether it takes the same tensor under version 1.2, which a consumer that confuses the
// two numbers takes for 2.1.
bool takes_version_1_2(const Case& c, Route route, const TensorSpec& spec, const Bytes& logical) {
  Descriptor descriptor = describe_spec(spec, Form::versioned);
  descriptor.version = {1, 2};
  ImportedOffer imported{c, route, descriptor, scatter(spec, logical)};
  const bool accepted = imported.accepted();
  imported.deleted_once();
  return accepted;
}

// Offered whether or not the consumer is known to take versioned tensors: one that confuses the two
// numbers looks as if it did not.
DLCERT_CHECK(reads_the_major_version_first,
             if_touched(consumer_check(
                 "abi.layout.version-struct",
                 "the consumer takes the first four bytes for the major version", importing))) {
  const TensorSpec spec = draw_simple_spec(c.draw, c.consumer);
  Descriptor descriptor = describe_spec(spec, Form::versioned);
  descriptor.version = {2, 1};
  const Bytes logical = draw_logical(c.draw, spec);
  auto offer = std::make_unique<Offer>(descriptor, scatter(spec, logical));
  raw_struct(offer->managed()).put(versioned_at::major, std::uint32_t{2});
  raw_struct(offer->managed()).put(versioned_at::minor, std::uint32_t{1});
  const Route route = draw_route(c.draw, c.consumer);
  ImportedOffer imported{c, route, std::move(offer)};
  if (imported.accepted() && takes_version_1_2(c, route, spec, logical)) {
    c.declined("does not look at the version");  // abi.version.major-mismatch-no-access
  } else {
    imported.expect_refused("a tensor whose first four bytes are 2 and whose next four are 1");
    touched_by_version(c, imported);
  }
  if (!imported.deleted_once()) imported.offer().recall();  // abi.version.major-mismatch-delete
}

DLCERT_CHECK(reads_the_device_in_place,
             consumer_check("abi.layout.device-struct",
                            "the consumer reads the device type before the device index",
                            importing)) {
  RawOffer raw = draw_raw_offer(c, draw_import_path(c.draw, c.consumer));
  ImportedOffer imported{c, raw.route, std::move(raw.offer)};
  imported.expect_accepted();
  testbench::expect_described_device(raw.spec.device, imported.description().device);
  imported.expect_one_deletion();
}

DLCERT_CHECK(reads_the_dtype_in_place,
             consumer_check("abi.layout.dtype-struct",
                            "the consumer reads code, bits and lanes from four bytes", importing)) {
  RawOffer raw = draw_raw_offer(c, draw_import_path(c.draw, c.consumer));
  ImportedOffer imported{c, raw.route, std::move(raw.offer)};
  imported.expect_accepted();
  testbench::expect_described_dtype(raw.spec.dtype, imported.description().dtype);
  imported.expect_one_deletion();
}

}  // namespace
}  // namespace dlcert::abi
