// SPDX-License-Identifier: Apache-2.0

#include "dlcert/driver/status.hpp"

#include <algorithm>
#include <span>

#include "vendor/statuses.hpp"

namespace dlcert::driver {
namespace {

constexpr StatusRow unknown_to_cuda{-1, "unrecognized error code", "unrecognized error code"};
constexpr StatusRow unknown_to_hip{-1, "hipErrorUnknown", "hipErrorUnknown"};

StatusRow row_of(Vendor vendor, Status status) noexcept {
  const int number = static_cast<int>(status);
  const std::span<const StatusRow> rows = vendor == Vendor::cuda ? cuda_statuses() : hip_statuses();
  const auto row = std::ranges::lower_bound(rows, number, {}, &StatusRow::number);
  if (row != rows.end() && row->number == number) return *row;
  return vendor == Vendor::cuda ? unknown_to_cuda : unknown_to_hip;
}

}  // namespace

const char* status_name(Vendor vendor, Status status) noexcept {
  return row_of(vendor, status).name;
}

const char* status_text(Vendor vendor, Status status) noexcept {
  return row_of(vendor, status).text;
}

std::string_view to_text(Vendor vendor) noexcept {
  return vendor == Vendor::cuda ? "cuda" : "rocm";
}

}  // namespace dlcert::driver
