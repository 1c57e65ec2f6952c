// SPDX-License-Identifier: Apache-2.0
//
// The argument `max_version` of __dlpack__: which form a producer answers in.

#include <tuple>

#include "protocol/support.hpp"
#include "registration.hpp"

namespace dlcert::protocol {

DLCERT_FAMILY(version_request)

namespace {

auto ordered(DLPackVersion version) {
  return std::tuple{version.major, version.minor};
}

std::string shown(DLPackVersion version) {
  return fmt::format("{}.{}", version.major, version.minor);
}

DLCERT_CHECK_ALSO_ON_DEVICES(
    nothing_asked_gives_a_legacy_tensor,
    if_touched(producer_check("protocol.maxversion.none-legacy",
                              "without max_version the export is legacy or refused", exporting))) {
  const Source source = draw_source(c, {.padded = false, .read_only = true});
  dlcert_request asked = request();
  if (c.draw.flip()) asked.max_version = none();
  auto exported = export_tensor(c, source.tensor, asked);
  if (!exported.ok()) {
    c.declined("refused");
    return expect_kind(c.producer, exported.error(), DLCERT_ERROR_BUFFER, "error");
  }
  c.observe("exported");
  c.touched();
  const bool versioned = std::move(exported).value().managed().versioned();
  expect(!versioned || c.settings.policy("max-version-none") == "record",
         "export without max_version: expected a legacy tensor but found a versioned one");
}

// A newer consumer gets the producer's highest version.
testbench::Owners owners_of_refusal(DLPackVersion asked) {
  if (asked.major > own_version.major) return {"protocol.maxversion.newer-consumer"};
  return {};
}

// Versions to ask for: those that every producer with versions exceeds, and those whose major none
// does.
constexpr DLPackVersion old_versions[] = {{0, 8}, {0, 0}};
constexpr DLPackVersion other_versions[] = {{1, 0}, {1, 99}, {2, 0}, {100, 0}};

// The version of an export under max_version, where that is served.
void expect_not_above(Case& c, const Source& source, DLPackVersion asked) {
  auto exported = export_tensor(c, source.tensor, request_version(asked.major, asked.minor));
  if (!exported.ok()) {
    owned_by(owners_of_refusal(asked), [&] {
      expect_acceptance(asked.major == 0,
                        "export under max_version {}: expected success but found {}", shown(asked),
                        to_text(exported.error()));
    });
    c.declined("refused");
    return expect_kind(c.producer, exported.error(), DLCERT_ERROR_BUFFER, "error");
  }
  const Exported answer = std::move(exported).value();
  expect_describes(answer.managed(), source.spec, source.logical);
  const DLPackVersion found = answer.managed().version();
  const auto policy = c.settings.policy("max-version-ceiling");
  if (asked.major == 0 || policy == "exact") c.touched();
  if (policy == "record") return;
  const bool below =
      policy == "exact" ? ordered(found) <= ordered(asked) : found.major <= asked.major;
  in_fields(
      answer.managed(),
      [&] {
        expect(below, "version: expected at most {} but found {}", shown(asked), shown(found));
      },
      "is_at_most(exported.version, {}, {}u)", asked.major,
      policy == "exact" ? asked.minor : UINT32_MAX);
}

DLCERT_CHECK_ALSO_ON_DEVICES(
    version_is_not_above_the_requested_one,
    if_touched(producer_check("protocol.maxversion.upper-bound-major",
                              "the exported version is not above max_version", exporting))) {
  const Source source = simple_source(c);
  expect_not_above(c, source, c.draw.one_of(other_versions));
  expect_not_above(c, source, c.draw.one_of(old_versions));
}

// Versions that there are, those to come, and numbers that do not fit into a byte or two.
constexpr DLPackVersion served_versions[] = {{1, 1},  {1, 2},   {1, 3},     {1, 4},
                                             {1, 10}, {1, 256}, {1, 65536}, {1, 1'000'000},
                                             {2, 1},  {3, 3},   {256, 0},   {65537, 2}};

DLCERT_CHECK_ALSO_ON_DEVICES(
    every_version_from_1_0_on_is_served,
    producer_check("protocol.maxversion.upper-bound-major",
                   "an export is not above max_version, and not refused, whatever version "
                   "from 1.0 on is asked for",
                   exporting, std::size(served_versions))) {
  const Source source = simple_source(c);
  const auto [major, minor] = served_versions[c.row];
  auto exported = export_tensor(c, source.tensor, request_version(major, minor));
  owned_by(owners_of_refusal({major, minor}), [&] {
    expect_acceptance(exported.ok(), "export under max_version {}: expected success but found {}",
                      shown({major, minor}), exported.ok() ? "it" : to_text(exported.error()));
  });
  const Exported answer = std::move(exported).value();
  expect_describes(answer.managed(), source.spec, source.logical);
  if (c.settings.policy("max-version-ceiling") == "record") return;
  const DLPackVersion found = answer.managed().version();
  expect(found.major <= major, "version: expected at most {} but found {}",
         shown(served_versions[c.row]), shown(found));
}

DLCERT_CHECK_ALSO_ON_DEVICES(newer_consumer_gets_the_highest_version,
                             producer_check("protocol.maxversion.newer-consumer",
                                            "a newer consumer gets the producer's highest version",
                                            exporting)) {
  const Source source = draw_source(c);
  TensorSpec but_writable = source.spec;  // versioned tensors can say that they are not
  but_writable.flags &= ~std::uint32_t{DLCERT_SPEC_READ_ONLY};
  if (!plain(but_writable)) throw Discard{};
  const Exported usual = export_or_skip(
      c, source.tensor, request_version(own_version.major, own_version.minor), "versioned exports");
  const Exported highest = require(export_tensor(c, source.tensor, request_version(9, 9)),
                                   "export under max_version (9, 9)");
  expect(ordered(highest.managed().version()) >= ordered(usual.managed().version()),
         "version: expected at least {} but found {}", shown(usual.managed().version()),
         shown(highest.managed().version()));
}

DLCERT_CHECK_ALSO_ON_DEVICES(minor_may_exceed_the_requested_one,
                             producer_check("protocol.maxversion.same-major-minor-excess",
                                            "the minor may exceed the requested one", exporting)) {
  const Source source = simple_source(c);
  const Exported exported =
      export_or_skip(c, source.tensor, request_version(1, 0), "versioned exports");
  if (!exported.managed().versioned()) throw NotClaimed{"versioned exports"};
  const bool exceeds = exported.managed().version().minor > 0;
  c.observe(exceeds ? "a minor above the requested one" : "the requested minor");
  expect_field(exported.managed(), !exceeds || c.settings.policy("max-version-ceiling") != "exact",
               "exported.version.minor == 0", "version: expected at most 1.0 but found {}",
               shown(exported.managed().version()));
}

}  // namespace
}  // namespace dlcert::protocol
