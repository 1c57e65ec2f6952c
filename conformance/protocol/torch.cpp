// SPDX-License-Identifier: Apache-2.0
//
// What torch.utils.dlpack adds to the standard. Runs under a torch profile only.

#include <array>

#include <dlcert/suite/python_party.hpp>

#include "protocol/support.hpp"
#include "registration.hpp"

namespace dlcert::protocol {

DLCERT_FAMILY(torch)

namespace {

using testbench::Borrowed;
using testbench::managed_inside;

DLCERT_CHECK(bare_capsule_is_taken,
             consumer_check("protocol.torch.capsule-input", "a bare capsule is taken and renamed",
                            Can::capsules | Can::import_capsule | Can::describe |
                                Can::reads_back)) {
  const TensorSpec spec = draw_spec(c.draw, c.consumer, {.padded = false});
  const Bytes logical = draw_logical(c.draw, spec);
  const auto offer = make_offer(spec, logical, Form::legacy);
  Import import{c.consumer, *offer, Route::capsule};
  owned_by("lifetime.legacy-both-supported", [&] {
    expect_acceptance(import.accepted(), "import of a bare capsule: expected success but found {}",
                      import.accepted() ? "" : to_text(import.error()));
  });
  expect_holds(c.consumer, import.tensor(), spec, logical);
  expect_equal("capsule name", used_name(Form::legacy),
               import.capsule()->name().value_or("(none)"));
  import.finish();
}

DLCERT_CHECK(bare_capsule_shares_memory,
             consumer_check("protocol.torch.capsule-input",
                            "a tensor taken from a bare capsule shares its memory",
                            Can::capsules | Can::import_capsule | Can::describe |
                                Can::reads_back)) {
  const TensorSpec spec = draw_simple_spec(c.draw, c.consumer);
  const Bytes logical = draw_logical(c.draw, spec);
  const auto offer = make_offer(spec, logical, Form::legacy);
  Import import{c.consumer, *offer, Route::capsule};
  require_accepted(import, c.consumer, Form::legacy);
  const Bytes changed = different_logical(spec, logical);
  offer->set_logical(changed);
  expect_equal("elements", changed, read_imported(c.consumer, import.tensor(), spec));
  import.finish();
}

DLCERT_CHECK(to_dlpack_shares_memory,
             producer_check("protocol.torch.to-dlpack-legacy",
                            "to_dlpack returns a legacy capsule on the tensor's memory",
                            Can::create | Can::capsules | Can::to_dlpack | Can::describe)) {
  const Source source = draw_source(c, {.shape = {.empty = false}, .padded = false});
  auto exported = c.producer.to_dlpack(source.tensor);
  owned_by("lifetime.legacy-both-supported", [&] {
    expect_acceptance(exported.ok(), "to_dlpack of a claimed tensor: expected success but found {}",
                      exported.ok() ? "it" : to_text(exported.error()));
  });
  const Capsule capsule = std::move(exported).value();
  owned_by("protocol.maxversion.none-legacy", [&] {
    expect_equal("capsule name", live_name(Form::legacy), capsule.name().value_or("(none)"));
  });
  const Borrowed managed{*managed_inside(capsule)};
  const Description said = require(c.producer.describe(source.tensor), "description of a tensor");
  expect_equal("data", said.data, managed->first_element());
}

// ---- torch's own functions, in Python -----------------------------------------------------------

constexpr Needs in_python = Needs{} | Can::python;

// The text of an expression that begins with `library.NAME`; not claimed where there is no such
// name.
std::string text_of(const Case& c, const char* name, const std::string& expression) {
  auto told = Python{c.producer}.evaluate(expression);
  if (!told.ok() && told.error().kind == DLCERT_ERROR_ATTRIBUTE) throw NotClaimed{name};
  return require(std::move(told), expression);
}

DLCERT_CHECK(to_dlpack_takes_tensors_alone,
             producer_check("protocol.torch.to-dlpack-legacy",
                            "to_dlpack refuses an object that is no tensor", in_python, 4)) {
  constexpr std::array objects{"None", "1", "[1.0]", "object()"};
  text_of(c, "to_dlpack", "library.utils.dlpack.to_dlpack");
  const std::string call = fmt::format("library.utils.dlpack.to_dlpack({})", objects.at(c.row));
  auto told = Python{c.producer}.evaluate(call);
  expect(!told.ok(), "{}: expected a refusal but found {}", call, told.ok() ? told.value() : "");
}

DLCERT_CHECK(both_names_are_one_function,
             producer_check("protocol.torch.one-from-dlpack",
                            "both names of from_dlpack are one function", in_python, 1)) {
  text_of(c, "from_dlpack", "library.from_dlpack");
  text_of(c, "utils.dlpack.from_dlpack", "library.utils.dlpack.from_dlpack");
  expect_equal(
      "library.from_dlpack is library.utils.dlpack.from_dlpack", "True",
      text_of(c, "from_dlpack", "library.from_dlpack is library.utils.dlpack.from_dlpack"));
}

DLCERT_CHECK(device_is_asked_for_before_the_export,
             consumer_check("protocol.torch.device-first", "dlpack_device is called before dlpack",
                            Needs{} | Can::import_from)) {
  const TensorSpec spec = draw_simple_spec(c.draw, c.consumer);
  HonestProducer producer{c, spec, draw_logical(c.draw, spec)};
  const Tensor tensor =
      require(c.consumer.import_from(producer.c(), import_request()), "import of a claimed tensor");
  expect(producer.calls().front().device, "first call: expected dlpack_device but found dlpack");
}

DLCERT_CHECK(
    object_without_device_is_not_exported,
    if_touched(consumer_check("protocol.torch.device-first",
                              "an object without dlpack_device raises AttributeError unexported",
                              Needs{} | Can::import_from))) {
  const TensorSpec spec = draw_simple_spec(c.draw, c.consumer);
  const auto offer = make_offer(spec, draw_logical(c.draw, spec), Form::legacy);
  SpyProducer producer{cpu, offer.get(), c.consumer, false};
  producer.without_device();
  const auto imported = c.consumer.import_from(producer.c(), import_request());
  expect_refusal(!imported.ok(),
                 "import of an object without dlpack_device: expected a refusal but found success");
  expect_kind(c.consumer, imported.error(), DLCERT_ERROR_ATTRIBUTE, "error");
  expect_equal("exports", 0, producer.exports());
  touched_if_takes_plain(c, Route::producer, Form::legacy);
}

constexpr std::size_t enumerated_types[] = {1, 2, 3, 4, 7, 8, 9, 10, 12, 14};

DLCERT_CHECK(device_type_has_the_standards_value,
             fact_check(producer_check("protocol.torch.device-enum",
                                       "the library's device types have the values of dlpack.h",
                                       Needs{} | Can::cxx_facts, std::size(enumerated_types)))) {
  const std::size_t value = enumerated_types[c.row];
  const std::int32_t found = c.producer.table().cxx_facts->device_codes[value];
  if (found == DLCERT_FACT_UNKNOWN) throw NotClaimed{"this device type"};
  expect_equal("device type", static_cast<std::int32_t>(value), found);
}

DLCERT_CHECK(device_type_in_python_has_the_standards_value,
             producer_check("protocol.torch.device-enum",
                            "the library's device types in Python have the values of dlpack.h",
                            in_python, std::size(enumerated_types))) {
  const std::size_t value = enumerated_types[c.row];
  constexpr const char* types = "library.utils.dlpack.DLDeviceType";
  text_of(c, "DLDeviceType", types);
  expect_equal(
      fmt::format("members of DLDeviceType that equal {}", value), "1",
      text_of(c, "DLDeviceType",
              fmt::format("sum(one == {} and isinstance(one, int) for one in {})", value, types)));
}

}  // namespace
}  // namespace dlcert::protocol
