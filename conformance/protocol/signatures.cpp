// SPDX-License-Identifier: Apache-2.0
//
// The two methods and from_dlpack as Python's callers write them: which calls there are.

#include "protocol/support.hpp"
#include "registration.hpp"
#include "testbench/python.hpp"

namespace dlcert::protocol {

DLCERT_FAMILY(signatures)

namespace {

using testbench::exporting_in_python;
using testbench::holds;
using testbench::importing_in_python;
using testbench::kind_is;
using testbench::PythonImport;
using testbench::text_of;
using testbench::touched_if;

// A call, and whether it asks for nothing that a library may refuse: None, or nothing at all. What
// refuses a value has the argument; whether it may refuse is the rule of the argument.
struct Call {
  std::string_view expression;
  bool plain = true;
};

// ---- the methods --------------------------------------------------------------------------------

constexpr std::string_view methods[] = {"__dlpack__", "__dlpack_device__"};

DLCERT_CHECK_ALSO_ON_DEVICES(both_methods_are_there,
                             producer_check("protocol.methods-present",
                                            "an array has __dlpack__ and __dlpack_device__",
                                            exporting_in_python, std::size(methods))) {
  const Source source = simple_source(c);
  const auto expression = fmt::format("callable(getattr(x, '{}', None))", methods[c.row]);
  expect(holds(c.producer, source.tensor, expression),
         "{} of an array: expected a method but found none", methods[c.row]);
}

// The signature has the arguments of this call: it is not answered by TypeError, nor refused at all
// where it asks for nothing.
void expect_callable(Case& c, const Call& call) {
  const Source source = simple_source(c);
  const auto capsule = Python{c.producer}.capsule_of(source.tensor, std::string{call.expression});
  if (capsule.ok()) return;
  const bool may_refuse = !call.plain || !plain(source.spec);
  expect_acceptance(may_refuse && !kind_is(c.producer, capsule.error(), DLCERT_ERROR_TYPE),
                    "{}: expected a capsule but found {}", call.expression,
                    to_text(capsule.error()));
  c.observe("refused");
}

constexpr Call calls_of_2021[] = {{"x.__dlpack__()"}, {"x.__dlpack__(stream=None)"}};

DLCERT_CHECK_ALSO_ON_DEVICES(
    export_takes_a_stream_or_nothing,
    producer_check("protocol.dlpack.stream-signature",
                   "__dlpack__ is called without arguments, and with stream=None",
                   exporting_in_python, std::size(calls_of_2021))) {
  expect_callable(c, calls_of_2021[c.row]);
}

constexpr Call calls_of_2023[] = {
    {"x.__dlpack__(max_version=None)"},
    {"x.__dlpack__(max_version=(1, 0))", false},
    {"x.__dlpack__(max_version=(1, 3))", false},
    {"x.__dlpack__(dl_device=None)"},
    {"x.__dlpack__(dl_device=x.__dlpack_device__())", false},
    {"x.__dlpack__(copy=None)"},
    {"x.__dlpack__(copy=False)", false},
    {"x.__dlpack__(copy=True)", false},
    {"x.__dlpack__(stream=None, max_version=None, dl_device=None, copy=None)"},
    {"x.__dlpack__(copy=None, dl_device=None, max_version=(1, 0), stream=None)", false},
    {"x.__dlpack__(stream=None, max_version=(1, 3), dl_device=x.__dlpack_device__(), copy=False)",
     false}};

DLCERT_CHECK_ALSO_ON_DEVICES(
    export_takes_each_keyword,
    producer_check("protocol.dlpack.signature",
                   "__dlpack__ takes max_version, dl_device and copy, each and all, None "
                   "or a value",
                   exporting_in_python, std::size(calls_of_2023))) {
  expect_callable(c, calls_of_2023[c.row]);
}

DLCERT_CHECK_ALSO_ON_DEVICES(
    device_is_a_pair_of_integers,
    producer_check("protocol.device.signature",
                   "__dlpack_device__ gives a tuple of device type and index",
                   exporting_in_python)) {
  const Source source = simple_source(c);
  expect(holds(c.producer, source.tensor, "isinstance(x.__dlpack_device__(), tuple)"),
         "__dlpack_device__: expected a tuple but found {}",
         text_of(c.producer, source.tensor, "x.__dlpack_device__()"));
  expect_equal("length of what __dlpack_device__ gives", "2",
               text_of(c.producer, source.tensor, "len(x.__dlpack_device__())"));
  const std::string indices =
      text_of(c.producer, source.tensor,
              "'{}:{}'.format(*map(__import__('operator').index, x.__dlpack_device__()))");
  expect_equal(placed_on_a_device() ? "device of device memory" : "device of host memory",
               fmt::format("{}:{}", place().type, place().id), indices);
}

// ---- from_dlpack --------------------------------------------------------------------------------

constexpr Call imports_of_2023[] = {{"from_dlpack(x)"},
                                    {"from_dlpack(x, device=None)"},
                                    {"from_dlpack(x, copy=None)"},
                                    {"from_dlpack(x, copy=None, device=None)"},
                                    {"from_dlpack(x, copy=False)", false},
                                    {"from_dlpack(x, copy=True)", false}};

DLCERT_CHECK_ALSO_ON_DEVICES(
    import_takes_each_keyword,
    consumer_check("protocol.from.signature",
                   "from_dlpack takes device and copy, each and both, None or a value",
                   importing_in_python, std::size(imports_of_2023))) {
  const auto& [expression, plain] = imports_of_2023[c.row];
  PythonImport import{c, {.expression = std::string{expression}}};
  if (!import.accepted() && !plain) {
    expect_acceptance(!kind_is(c.consumer, import.error(), DLCERT_ERROR_TYPE),
                      "{}: expected an array but found {}", expression, to_text(import.error()));
    c.observe("refused");
  } else {
    import.require_accepted();
  }
  import.finish();
}

// ---- positions ----------------------------------------------------------------------------------

DLCERT_CHECK_ALSO_ON_DEVICES(
    export_takes_nothing_by_position,
    if_touched(producer_check("protocol.signature.keyword-only",
                              "__dlpack__ takes its options by keyword alone", exporting_in_python,
                              1))) {
  const Source source = simple_source(c);
  const Python python{c.producer};
  const auto exported = python.capsule_of(source.tensor, "x.__dlpack__(None)");
  expect_refusal(!exported.ok(), "x.__dlpack__(None): expected TypeError but it was accepted");
  expect_kind(c.producer, exported.error(), DLCERT_ERROR_TYPE, "x.__dlpack__(None)");
  touched_if(c, python.capsule_of(source.tensor, "x.__dlpack__(stream=None)").ok(),
             "a stream of None is refused too");
}

constexpr std::string_view misplaced[] = {"from_dlpack(x, None)", "from_dlpack(x, None, None)",
                                          "from_dlpack(x=x)"};

DLCERT_CHECK(import_takes_its_source_alone_by_position,
             if_touched(consumer_check(
                 "protocol.signature.keyword-only",
                 "from_dlpack takes its source by position and its options by keyword alone",
                 importing_in_python, std::size(misplaced)))) {
  PythonImport import{c, {.expression = std::string{misplaced[c.row]}}};
  expect_refusal(!import.accepted(), "{}: expected TypeError but it was accepted",
                 misplaced[c.row]);
  expect_kind(c.consumer, import.error(), DLCERT_ERROR_TYPE, misplaced[c.row]);
  touched_if_takes_plain(c, Route::producer, import.form());
  import.finish();
}

}  // namespace
}  // namespace dlcert::protocol
