// SPDX-License-Identifier: Apache-2.0
#include "testbench/reported_device.hpp"

#include <fmt/format.h>

#include <optional>
#include <sstream>
#include <string>

#include <dlcert/suite/python_party.hpp>
#include <dlcert/suite/trace.hpp>

namespace dlcert::testbench {

namespace {

// Type and index of an answer that is no tuple, or has more members.
std::optional<dlcert_device> device_in_other_form(const Python& python, const Tensor& tensor) {
  auto numbers = python.evaluate(
      tensor, "'{:d} {:d}'.format(*map(__import__('operator').index, x.__dlpack_device__()))");
  if (!numbers.ok()) return std::nullopt;
  std::istringstream text{numbers.value()};
  dlcert_device device{};
  if (text >> device.type >> device.id) return device;
  return std::nullopt;
}

// Returns the answer of the object's method as text; empty: the method raises.
std::string answer_of(const Python& python, const Tensor& tensor) {
  auto answer = python.evaluate(tensor, "repr(x.__dlpack_device__())");
  return answer.ok() ? answer.value() : std::string{};
}

void fail_by_answer(const std::string& answer, const Tensor& tensor) {
  owned_by("protocol.device.signature", [&] {
    const std::string device = trace_name(tensor.handle()) + ".__dlpack_device__()";
    fail(fmt::format("device of dlpack_device: expected type and index but found {}", answer),
         {.by = Judgement::By::condition,
          .expected = "\"two integers\"",
          .found = device,
          .code = fmt::format("all(hasattr(number, \"__index__\") for number in {})", device)});
  });
}

}  // namespace

dlcert_device reported_device(const Party& producer, const Tensor& tensor) {
  auto reported = producer.dlpack_device(tensor);
  std::string answer;
  if (!reported.ok() && producer.offers(Needs{} | Can::python)) {
    const TracePause pause;  // the trace has the call that failed
    const Python python{producer};
    if (const auto device = device_in_other_form(python, tensor)) return *device;
    answer = answer_of(python, tensor);
  }
  if (!answer.empty()) fail_by_answer(answer, tensor);
  owned_by("protocol.device.signature", [&] {
    expect_acceptance(reported.ok(), "dlpack_device: expected success but found {}",
                      reported.ok() ? "it" : to_text(reported.error()));
  });
  return reported.value();
}

std::int32_t reported_device_type(const Party& producer, const Tensor& tensor) {
  auto reported = producer.dlpack_device(tensor);
  if (!reported.ok() && producer.offers(Needs{} | Can::python)) {
    auto type = Python{producer}.evaluate(
        tensor, "'{:d}'.format(__import__('operator').index(x.__dlpack_device__()[0]))");
    if (type.ok()) return static_cast<std::int32_t>(std::stoll(type.value()));
  }
  return require(std::move(reported), "dlpack_device").type;
}

}  // namespace dlcert::testbench
