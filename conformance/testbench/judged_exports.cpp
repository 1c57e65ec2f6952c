// SPDX-License-Identifier: Apache-2.0
#include "testbench/judged_exports.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

#include <dlcert/suite/trace.hpp>

namespace dlcert::testbench {

namespace {

// For a struct that has a name in the trace.
Judgement judged_struct(const Managed& managed, std::string_view code, std::string expected) {
  const std::string name = trace_name(managed.raw().pointer);
  if (name == "unknown") return {};
  return {.by = Judgement::By::value,
          .expected = std::move(expected),
          .code = fmt::format(fmt::runtime(code), name)};
}

bool described_in_c() {
  return trace() != nullptr && trace()->language() == Language::c;
}

// Judges if both have the same first element.
Judgement judged_address(const Managed& managed, const std::string& other, bool shared) {
  const std::string name = trace_name(managed.raw().pointer);
  if (name == "unknown") return {};
  const std::string one = fmt::format("first_element({})", name);
  if (described_in_c())
    return {.by = Judgement::By::condition,
            .code = fmt::format("{} {} {}", one, shared ? "==" : "!=", other),
            .type = "judge_condition"};
  if (shared) return {.by = Judgement::By::value, .expected = other, .code = one};
  return {.by = Judgement::By::condition,
          .expected = "\"two different addresses\"",
          .found = fmt::format("[{}, {}]", one, other),
          .code = fmt::format("{} != {}", one, other)};
}

}  // namespace

Judgement judged_sharing(const Tensor& tensor, const Managed& managed, bool shared) {
  const std::string name = trace_name(tensor.handle());
  return judged_address(
      managed, fmt::format("address_of({})", described_in_c() ? "library, " + name : name), shared);
}

Judgement judged_sharing(const Managed& one, const Managed& other, bool shared) {
  return judged_address(one, fmt::format("first_element({})", trace_name(other.raw().pointer)),
                        shared);
}

Judgement judged_form(const Managed& managed, bool versioned) {
  return judged_struct(managed, "type({})",
                       versioned ? "DLManagedTensorVersioned" : "DLManagedTensor");
}

Judgement judged_shape(const Managed& managed, const std::vector<std::int64_t>& shape) {
  if (!described_in_c()) return judged_struct(managed, "extents({}.dl_tensor)", to_literal(shape));
  Judgement in_c = judged_struct(managed, "extents({})", to_literal(shape));
  in_c.type = "judge_text";
  return in_c;
}

}  // namespace dlcert::testbench
