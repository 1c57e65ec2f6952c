// SPDX-License-Identifier: Apache-2.0
//
// The version of a versioned managed tensor: what producers write there, and what consumers do
// about it.

#include <algorithm>
#include <array>

#include "abi/support.hpp"
#include "registration.hpp"

namespace dlcert::abi {

DLCERT_FAMILY(versions)

namespace {

// ---- producers ----------------------------------------------------------------------------------

DLCERT_CHECK(exports_in_this_layout_have_major_1,
             producer_check("abi.version.major-is-layout", "a versioned export has major version 1",
                            exporting)) {
  const ExportedSource exported = export_in(c, Form::versioned, draw_claimed(c, {}));
  testbench::expect_major_1(exported.managed());
}

// Accepts a refusal: protocol.maxversion.* is about that.
Exported versioned_export(Case& c, const Tensor& tensor, const dlcert_request& request) {
  Exported out = export_or_skip(c, tensor, request, "export under this max_version");
  if (!out.managed().versioned()) throw NotClaimed{"versioned exports"};
  return out;
}

DLPackVersion version_of_export(Case& c, const Tensor& tensor, const dlcert_request& request) {
  return versioned_export(c, tensor, request).managed().version();
}

// A producer may label an export with less than its own version where it was asked for less, but
// not with whatever it was asked for.
DLCERT_CHECK(producer_writes_its_own_version,
             producer_check("abi.version.producer-fills",
                            "the producer writes the version that it implements", exporting)) {
  constexpr std::array<std::pair<int, int>, 3> asked{{{1, 99}, {2, 0}, {7, 5}}};
  const auto [major, minor] = c.draw.one_of(asked);
  const TensorSpec spec = draw_simple_spec(c.draw, c.producer);
  const Tensor tensor = create(c, spec, draw_logical(c.draw, spec));
  DLPackVersion once{};
  {
    const Exported out = versioned_export(c, tensor, request_version(major, minor));
    testbench::expect_major_1(out.managed());
    once = out.managed().version();
  }
  const DLPackVersion again = version_of_export(c, tensor, request_version(major, minor));
  const DLPackVersion unlike = version_of_export(c, tensor, request_version(1, 98));
  expect(once.minor < 100, "minor version: expected that of a version of DLPack but found {}",
         once.minor);
  expect_equal("minor version of a second export", once.minor, again.minor);
  expect(once.minor == unlike.minor,
         "minor version: expected the producer's own for every request but found {} for {}.{}, "
         "then {} for 1.98",
         once.minor, major, minor, unlike.minor);
}

std::uint32_t minor_that_defines(const Managed& managed) {
  const DLTensor& tensor = managed.tensor();
  const bool newer_type = tensor.dtype.code > kDLBool;
  const bool padded = (managed.flags() & DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED) != 0;
  if (tensor.device.device_type == kDLTrn) return 2;
  return newer_type || padded ? 1 : 0;
}

// A tensor whose code or flag 1.0 did not know.
TensorSpec draw_newer_spec(Case& c) {
  std::vector<TensorSpec> claimed;
  for (const dlcert_dtype dtype : scalar_dtypes()) {
    TensorSpec spec = compact_spec(dtype, {2});
    if (dtype.code > kDLBool && c.producer.can(spec)) claimed.push_back(spec);
    spec.flags = DLCERT_SPEC_SUBBYTE_PADDED;
    if (dtype.bits < 8 && c.producer.can(spec)) claimed.push_back(spec);
  }
  if (claimed.empty()) throw NotClaimed{"codes or flags of 1.1 or later"};
  return c.draw.one_of(claimed);
}

DLCERT_CHECK(label_covers_codes_and_flags,
             if_touched(producer_check(
                 "abi.version.minor-covers-features",
                 "the label of an export is not older than its codes and flags", exporting))) {
  const ExportedSource exported = export_in(c, Form::versioned, draw_newer_spec(c));
  if (exported.managed().tensor().dtype.code > kDLFloat4_e2m1fn) throw NotClaimed{"released codes"};
  const std::uint32_t needed = minor_that_defines(exported.managed());
  const std::uint32_t label = exported.managed().version().minor;
  if (needed == 0) throw Declined{"exported without the newer code or flag"};
  c.touched();
  if (label < needed) c.observe("a code or flag newer than the label");
  if (c.settings.policy("minor-label") == "layout") return;
  in_fields(
      exported.managed(),
      [&] {
        expect(label >= needed, "minor version of an export with codes or flags of 1.{}: found {}",
               needed, label);
      },
      "exported.version.minor >= {}", needed);
}

// ---- consumers: the minor version ---------------------------------------------------------------

// Codes that 1.0 knew.
TensorSpec draw_spec_of_1_0(Case& c) {
  TensorSpec spec = draw_claimed(c);
  if (spec.dtype.code > kDLBool) throw NotClaimed{"types of 1.0"};
  return spec;
}

// Without a byte_offset, which a consumer may refuse: abi.data.byte-offset-applied.
Descriptor with_version(const TensorSpec& spec, DLPackVersion version) {
  Descriptor descriptor = describe_spec(spec, Form::versioned);
  descriptor.version = version;
  return descriptor;
}

DLCERT_CHECK(
    any_minor_is_this_layout,
    if_touched(consumer_check("abi.version.minor-is-additive",
                              "the consumer reads a tensor of any minor version by the same layout",
                              importing))) {
  const TensorSpec spec = draw_spec_of_1_0(c);
  const Bytes logical = draw_logical(c.draw, spec);
  const std::uint64_t limit = c.draw.flip() ? 256 : own_version.minor + 1;
  const auto minor = static_cast<std::uint32_t>(c.draw.below(limit));
  const ImportPath path = draw_import_path(c.draw, c.consumer, Form::versioned);
  ImportedOffer imported{c, path.route, with_version(spec, {1, minor}), scatter(spec, logical)};
  expect_right_if_accepted(c, imported, spec, logical);
}

constexpr std::array<std::uint32_t, 4> minors{0, own_version.minor, own_version.minor + 1,
                                              UINT32_MAX};

DLCERT_CHECK(minor_alone_is_no_reason_to_refuse,
             consumer_check("abi.version.minor-mismatch-usable",
                            "the consumer takes a tensor of another minor version", importing)) {
  const TensorSpec spec = draw_simple_spec(c.draw, c.consumer);
  const Bytes logical = draw_logical(c.draw, spec);
  const ImportPath path = draw_import_path(c.draw, c.consumer, Form::versioned);
  ImportedOffer imported{c, path.route, with_version(spec, {1, c.draw.one_of(minors)}),
                         scatter(spec, logical)};
  imported.expect_accepted();
  imported.expect_holds(spec, logical);
  imported.expect_one_deletion();
}

// ---- consumers: a foreign major version ---------------------------------------------------------

std::uint32_t draw_foreign_major(Draw& draw) {
  constexpr std::array<std::uint32_t, 5> majors{2, 3, 256, 1u << 24, UINT32_MAX};
  return draw.one_of(majors);
}

ImportedOffer offer_foreign_major(Case& c, Protection protection) {
  const ImportPath path = draw_import_path(c.draw, c.consumer, Form::versioned);
  const TensorSpec spec = draw_simple_spec(c.draw, c.consumer);
  Descriptor descriptor =
      with_version(spec, {draw_foreign_major(c.draw), static_cast<std::uint32_t>(c.draw.below(4))});
  descriptor.protection = protection;
  return ImportedOffer{c, path.route, descriptor, scatter(spec, draw_logical(c.draw, spec))};
}

// Refused or not: a consumer that takes the tensor calls the deleter when it releases it.
DLCERT_CHECK(foreign_major_is_deleted,
             if_touched(consumer_check("abi.version.major-mismatch-delete",
                                       "the consumer deletes a tensor of another major version",
                                       importing))) {
  ImportedOffer imported = offer_foreign_major(c, Protection::none);
  touched_by_version(c, imported);
  imported.expect_deletion();
}

DLCERT_CHECK(foreign_major_is_not_read,
             if_touched(consumer_check(
                 "abi.version.major-mismatch-no-access",
                 "the consumer reads nothing behind the flags of another major version",
                 importing))) {
  ImportedOffer imported = offer_foreign_major(c, Protection::sealed_tail);
  touched_by_version(c, imported);
  owned_by("abi.version.major-mismatch-error",
           [&] { imported.expect_refused("a tensor of another major version"); });
  imported.expect_deletion();
}

DLCERT_CHECK(foreign_major_is_deleted_through_the_prefix,
             if_touched(consumer_check(
                 "abi.layout.versioned-prefix-frozen",
                 "the consumer calls the deleter that another major version has at offset 16",
                 importing))) {
  ImportedOffer imported = offer_foreign_major(c, Protection::none);
  touched_by_version(c, imported);
  imported.expect_deletion();
  expect_equal("deleter calls with another address", 0, imported.offer().stray_deleter_calls());
  expect(imported.offer().context_unchanged(), "manager_ctx was changed before the deleter ran");
}

DLCERT_CHECK(foreign_major_is_reported,
             if_touched(consumer_check("abi.version.major-mismatch-error",
                                       "the consumer reports another major version as an error",
                                       importing))) {
  ImportedOffer imported = offer_foreign_major(c, Protection::none);
  touched_by_version(c, imported);
  imported.expect_refused("a tensor of another major version");
  c.observe(error_kind_name(imported.error().kind));
}

DLCERT_CHECK(
    major_zero_is_recorded,
    if_touched(consumer_check("abi.version.major-zero",
                              "the consumer accepts or refuses major version 0 and deletes it "
                              "once",
                              importing))) {
  const TensorSpec spec = draw_simple_spec(c.draw, c.consumer);
  const auto minor = static_cast<std::uint32_t>(c.draw.below(9));
  const ImportPath path = draw_import_path(c.draw, c.consumer, Form::versioned);
  ImportedOffer imported{c, path.route, with_version(spec, {0, minor}),
                         scatter(spec, draw_logical(c.draw, spec))};
  judge_by_policy(c, imported, "major-zero");
  imported.expect_one_deletion();
}

// ---- consumers: unknown codes -------------------------------------------------------------------

// Codes far beyond what a release may assign soon.
TensorSpec draw_unknown_dtype(Draw& draw) {
  constexpr std::array<std::uint8_t, 4> codes{200, 100, 128, 255};
  constexpr std::array<std::uint8_t, 4> widths{32, 8, 16, 64};
  return compact_spec({draw.one_of(codes), draw.one_of(widths), 1}, {2});
}

TensorSpec draw_unknown_device(Draw& draw) {
  constexpr std::array<std::int32_t, 4> types{99, 257, 1000, 1 << 24};
  TensorSpec spec = compact_spec(float32, {2});
  spec.device.type = draw.one_of(types);
  return spec;
}

void expect_not_interpreted(Case& c, ImportPath path, const Descriptor& descriptor) {
  ImportedOffer imported{c, path.route, descriptor, Bytes(16)};
  expect_refused_or_unchanged(c, imported);
}

// Offers it under a minor version that no consumer knows yet, as in the header's sentence.
void expect_not_interpreted_if_newer(Case& c, const TensorSpec& spec) {
  const ImportPath path = draw_import_path(c.draw, c.consumer, Form::versioned);
  const auto newer = static_cast<std::uint32_t>(c.draw.between(1, 9));
  expect_not_interpreted(c, path, with_version(spec, {1, own_version.minor + newer}));
}

void expect_not_interpreted(Case& c, const TensorSpec& spec) {
  const ImportPath path = draw_import_path(c.draw, c.consumer);
  expect_not_interpreted(c, path, describe_spec(spec, path.form));
}

DLCERT_CHECK(unknown_dtype_code_is_not_interpreted,
             if_touched(consumer_check("abi.version.unknown-code-rejected",
                                       "the consumer refuses an unknown type code of a newer minor "
                                       "version or hands it on unchanged",
                                       importing))) {
  expect_not_interpreted_if_newer(c, draw_unknown_dtype(c.draw));
}

DLCERT_CHECK(unknown_device_type_is_not_interpreted,
             if_touched(consumer_check("abi.version.unknown-code-rejected",
                                       "the consumer refuses an unknown device type of a newer "
                                       "minor version or hands it on unchanged",
                                       importing))) {
  expect_not_interpreted_if_newer(c, draw_unknown_device(c.draw));
}

DLCERT_CHECK(
    unknown_dtype_code_names_no_type,
    if_touched(consumer_check("abi.dtype.code-bits-consistency",
                              "the consumer refuses an unknown type code or hands it on unchanged",
                              importing))) {
  expect_not_interpreted(c, draw_unknown_dtype(c.draw));
}

DLCERT_CHECK(unknown_device_type_names_no_device,
             if_touched(consumer_check(
                 "abi.device.codes-unassigned",
                 "the consumer refuses an unknown device type or hands it on unchanged",
                 importing))) {
  expect_not_interpreted(c, draw_unknown_device(c.draw));
}

}  // namespace
}  // namespace dlcert::abi
