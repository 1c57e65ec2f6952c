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

// Whether both have the same first element, as a program in C sees it.
Judgement judged_address(const Managed& managed, const std::string& other, bool shared) {
  const std::string name = trace_name(managed.raw().pointer);
  if (name == "unknown") return {};
  return {.by = Judgement::By::condition,
          .code = fmt::format("first_element({}) {} {}", name, shared ? "==" : "!=", other),
          .type = "judge_condition"};
}

bool described_in_c() {
  return trace() != nullptr && trace()->language() == Language::c;
}

}  // namespace

Judgement judged_sharing(const Tensor& tensor, const Managed& managed, bool shared) {
  if (described_in_c())
    return judged_address(
        managed, fmt::format("address_of(library, {})", trace_name(tensor.handle())), shared);
  return judged_struct(
      managed, fmt::format("first_element({{}}) == address_of({})", trace_name(tensor.handle())),
      to_literal(shared));
}

Judgement judged_sharing(const Managed& one, const Managed& other, bool shared) {
  if (described_in_c())
    return judged_address(one, fmt::format("first_element({})", trace_name(other.raw().pointer)),
                          shared);
  return judged_struct(
      one, fmt::format("first_element({{}}) == first_element({})", trace_name(other.raw().pointer)),
      to_literal(shared));
}

Judgement judged_form(const Managed& managed, bool versioned) {
  return judged_struct(managed, "isinstance({}, DLManagedTensorVersioned)", to_literal(versioned));
}

Judgement judged_shape(const Managed& managed, const std::vector<std::int64_t>& shape) {
  if (!described_in_c()) return judged_struct(managed, "extents({}.dl_tensor)", to_literal(shape));
  Judgement in_c = judged_struct(managed, "extents({})", to_literal(shape));
  in_c.type = "judge_text";
  return in_c;
}

}  // namespace dlcert::testbench
