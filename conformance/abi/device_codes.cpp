// SPDX-License-Identifier: Apache-2.0
//
// Device types and indices: what host memory is exported as, and what a consumer makes of codes
// that it need not know.

#include <array>

#include "abi/support.hpp"
#include "registration.hpp"
#include "testbench/errors.hpp"
#include "testbench/further_devices.hpp"
#include "testbench/reported_device.hpp"

namespace dlcert::abi {

DLCERT_FAMILY(device_codes)

namespace {

// ---- producers: host memory ---------------------------------------------------------------------

std::int32_t device_type(const ExportedSource& exported) {
  return exported.managed().tensor().device.device_type;
}

DLCERT_CHECK(host_memory_is_code_1,
             producer_check("abi.device.codes-base", "host memory is exported under code 1",
                            exporting)) {
  const ExportedSource exported = export_drawn(c);
  expect_field_equal(exported.managed(), "device type in the descriptor",
                     "exported.dl_tensor.device.device_type", std::int32_t{kDLCPU},
                     device_type(exported));
  if (c.producer.offers(Needs{} | Can::dlpack_device))
    owned_by("protocol.device.matches-export", [&] {
      expect_equal("device type of dlpack_device", std::int32_t{kDLCPU},
                   testbench::reported_device_type(c.producer, exported.tensor));
    });
}

DLCERT_CHECK(host_memory_has_index_0,
             producer_check("abi.device.id-zero-for-host", "host memory is exported under index 0",
                            exporting)) {
  const ExportedSource exported = export_drawn(c);
  testbench::expect_index_0(exported.managed());
}

DLCERT_CHECK(every_device_of_the_host_has_index_0,
             with_device_tensors(producer_check(
                 "abi.device.id-zero-for-host",
                 "a tensor on any device of the host is exported under index 0", exporting))) {
  const testbench::Source source = testbench::make_on_further_device(c, c.producer, kDLCPU);
  testbench::expect_index_0(testbench::export_either(c, source.tensor).managed());
}

DLCERT_CHECK(host_memory_on_request_has_index_0,
             if_touched(producer_check(
                 "abi.device.id-zero-for-host",
                 "host memory that is asked for under another index is refused, or exported under "
                 "index 0",
                 exporting))) {
  const testbench::Source source = testbench::make_source(c, draw_simple_spec(c.draw, c.producer));
  dlcert_request asked = testbench::request_for(c.draw.flip() ? Form::versioned : Form::legacy);
  asked.dl_device = pair(kDLCPU, c.draw.between(1, 300));
  auto exported = testbench::export_tensor(c, source.tensor, asked);
  c.observe(exported.ok() ? "exported" : "refused");
  if (exported.ok()) {
    const Managed& managed = exported.value().managed();
    if (testbench::device_of(managed).type == kDLCPU) testbench::expect_index_0(managed);
    return c.touched();
  }
  asked.dl_device = pair(kDLCPU, 0);
  testbench::touched_if(c, testbench::export_tensor(c, source.tensor, asked).ok(),
                        "index 0 is refused too");
}

bool assigned(std::int32_t device_type) {
  return device_type > 0 && device_type != 5 && device_type != 6;
}

DLCERT_CHECK(no_export_has_an_unassigned_device,
             producer_check("abi.device.codes-unassigned",
                            "no export carries a code that names no device", exporting)) {
  const ExportedSource exported = export_drawn(c);
  const std::int32_t type = device_type(exported);
  expect_field(exported.managed(), assigned(type),
               "(int32_t)exported.dl_tensor.device.device_type > 0 && "
               "exported.dl_tensor.device.device_type != 5 && "
               "exported.dl_tensor.device.device_type != 6",
               "device type in the descriptor: found {}, which no version assigns", type);
}

DLCERT_CHECK(no_host_memory_is_an_extension_device,
             producer_check("abi.device.code-extdev",
                            "no host memory is exported as an extension device", exporting)) {
  const ExportedSource exported = export_drawn(c);
  expect_field(exported.managed(), device_type(exported) != kDLExtDev,
               "exported.dl_tensor.device.device_type != 12",
               "device type of host memory: found 12, the extension device");
}

// ---- consumers ----------------------------------------------------------------------------------

DLCERT_CHECK(imports_host_memory_as_code_1,
             consumer_check("abi.device.codes-base", "the consumer takes code 1 for host memory",
                            importing)) {
  const TensorSpec spec = draw_claimed(c);
  const ImportPath path = draw_import_path(c.draw, c.consumer);
  ImportedOffer imported{c, path.route, make_offer(spec, draw_logical(c.draw, spec), path.form)};
  imported.expect_accepted();
  expect_equal("device type", std::int32_t{kDLCPU}, imported.description().device.type);
  imported.expect_one_deletion();
}

// Offers six floats in host memory as if on `device`.
ImportedOffer offer_tagged(Case& c, dlcert_device device) {
  TensorSpec spec = compact_spec(float32, {2, 3});
  spec.device = device;
  const ImportPath path = draw_import_path(c.draw, c.consumer);
  return ImportedOffer{c, path.route, describe_spec(spec, path.form),
                       bytes_of<float>({1, 2, 3, 4, 5, 6})};
}

constexpr std::array<std::int32_t, 2> host_managed{kDLROCMHost, kDLCUDAManaged};

// Host and devices may address both kinds, so that taking them for plain memory of either is no
// misreading.
DLCERT_CHECK(host_and_managed_codes_are_not_mistaken,
             if_touched(consumer_check(
                 "abi.device.codes-host-managed",
                 "the consumer mistakes codes 11 and 13 for no other kind of memory", importing))) {
  const std::int32_t offered = c.draw.one_of(host_managed);
  ImportedOffer imported = offer_tagged(c, {offered, 0});
  if (!imported.accepted()) {
    c.declined("refused");
  } else {
    c.touched();
    const std::int32_t type = imported.description().device.type;
    const std::int32_t owner = offered == kDLCUDAManaged ? kDLCUDA : kDLROCM;
    expect(type == offered || type == kDLCPU || type == owner,
           "device type: expected {} or plain memory of that kind but found {}", offered, type);
    c.observe(type == offered ? "handed on unchanged" : "taken as plain memory");
  }
  imported.expect_one_deletion();
}

constexpr std::array<std::int32_t, 6> base_codes{kDLCUDA,  kDLOpenCL, kDLVulkan,
                                                 kDLMetal, kDLVPI,    kDLROCM};

DLCERT_CHECK(base_codes_are_taken_for_no_other,
             if_touched(consumer_check(
                 "abi.device.codes-base",
                 "memory of a device that the consumer does not have is refused, or handed on as "
                 "what it is",
                 importing))) {
  TensorSpec spec = draw_simple_spec(c.draw, c.consumer);
  const Bytes elements = scatter(spec, draw_logical(c.draw, spec));
  spec.device = {c.draw.one_of(base_codes), 0};
  if (c.consumer.can(spec)) throw NotClaimed{"a device that is foreign to it"};
  const ImportPath path = draw_import_path(c.draw, c.consumer);
  ImportedOffer imported{c, path.route, describe_spec(spec, path.form), elements};
  touched_by_outcome(c, imported);
  if (imported.accepted()) imported.expect_on(spec.device);
}

constexpr std::array<std::int32_t, 5> late_codes{kDLOneAPI, kDLWebGPU, kDLHexagon, kDLMAIA, kDLTrn};

DLCERT_CHECK(late_codes_are_refused_or_handed_on,
             if_touched(consumer_check(
                 "abi.device.codes-late",
                 "the consumer refuses later devices that it does not support or hands them on",
                 importing))) {
  ImportedOffer imported = offer_tagged(c, {c.draw.one_of(late_codes), 0});
  expect_refused_or_unchanged(c, imported);
}

DLCERT_CHECK(extension_device_is_refused_or_handed_on,
             if_touched(consumer_check("abi.device.code-extdev",
                                       "the consumer refuses the extension device or hands it on",
                                       importing))) {
  ImportedOffer imported = offer_tagged(c, {kDLExtDev, 0});
  expect_refused_or_unchanged(c, imported);
}

constexpr std::array<std::int32_t, 5> unassigned_codes{0, 5, 6, -1, INT32_MAX};

DLCERT_CHECK(unassigned_codes_are_refused_or_handed_on,
             if_touched(consumer_check(
                 "abi.device.codes-unassigned",
                 "the consumer takes no unassigned code for a device that it knows", importing))) {
  ImportedOffer imported = offer_tagged(c, {c.draw.one_of(unassigned_codes), 0});
  expect_refused_or_unchanged(c, imported);
}

// ---- codes merged after 1.3 ---------------------------------------------------------------------

// Pairs of brain floats have no other code: as a type of the library's own, or as data that it may
// hold.
std::optional<Exported> try_export_bfloat_pairs(Case& c) {
  const Bytes pairs = bytes_of<std::uint16_t>({0x3F80, 0xC000, 0x4040, 0x0000});
  const TensorSpec of_code_18 = compact_spec({bfloat_complex, 32, 1}, {2});
  if (!c.producer.can(of_code_18))
    return try_export_state(c, compact_spec({kDLComplex, 32, 1}, {2}), DLCERT_STATE_BFLOAT_COMPLEX,
                            pairs);
  const Tensor tensor = create(c, of_code_18, pairs);
  return export_or_refusal(c, tensor, draw_form(c.draw), Refusal::meets_the_rule);
}

DLCERT_CHECK(post_release_codes_in_exports_are_recorded,
             if_touched(producer_check(
                 "abi.codes.post-release",
                 "exports under codes merged after the last release are recorded", exporting))) {
  const auto exported = try_export_bfloat_pairs(c);
  if (!exported) return;
  const DLTensor& tensor = exported->managed().tensor();
  const bool used = tensor.dtype.code == bfloat_complex ||
                    (tensor.device.device_type >= 19 && tensor.device.device_type <= 21);
  if (used) c.observe("exported under a code that is not released");
  expect_field(
      exported->managed(), !used || c.settings.policy("post-release-codes") == "record",
      "exported.dl_tensor.dtype.code <= 17 && (int32_t)exported.dl_tensor.device.device_type <= 18",
      "policy post-release-codes=refuse: expected no export under a code that is not released");
}

constexpr std::array<dlcert_device, 3> post_release_devices{{{19, 0}, {20, 0}, {21, 0}}};

DLCERT_CHECK(post_release_devices_are_recorded,
             if_touched(consumer_check(
                 "abi.codes.post-release",
                 "what the consumer makes of devices merged after the last release is recorded",
                 importing))) {
  ImportedOffer imported = offer_tagged(c, c.draw.one_of(post_release_devices));
  judge_by_policy(c, imported, "post-release-codes");
  imported.expect_one_deletion();
}

DLCERT_CHECK(bfloat_complex_is_recorded,
             if_touched(consumer_check("abi.codes.post-release",
                                       "what the consumer makes of bfloat complex is recorded",
                                       importing))) {
  const TensorSpec spec = compact_spec({bfloat_complex, 32, 1}, {3});
  const ImportPath path = draw_import_path(c.draw, c.consumer);
  ImportedOffer imported{c, path.route, describe_spec(spec, path.form), Bytes(12)};
  judge_by_policy(c, imported, "post-release-codes");
  imported.expect_one_deletion();
}

// ---- the index ----------------------------------------------------------------------------------

DLCERT_CHECK(nonzero_cpu_index_is_recorded,
             if_touched(consumer_check(
                 "abi.device.id-nonzero-cpu-import",
                 "what the consumer makes of a CPU index other than 0 is recorded", importing))) {
  ImportedOffer imported = offer_tagged(c, {kDLCPU, 5});
  judge_by_policy(c, imported, "cpu-nonzero-device-id");
  if (imported.accepted())
    c.observe(imported.description().device.id == 5 ? "kept the index" : "dropped the index");
  imported.expect_one_deletion();
}

}  // namespace
}  // namespace dlcert::abi
