// SPDX-License-Identifier: Apache-2.0
#include "worker/tried_tensor.hpp"

#include <algorithm>

#include "party/calls.hpp"

namespace dlcert {

namespace {

constexpr std::size_t room_behind = 256;  // more than any known mistake writes

std::size_t overrun_of(const Bytes& buffer, std::size_t size) {
  std::size_t end = buffer.size();
  while (end > size && buffer[end - 1] == unread)
    --end;
  return end - size;
}

}  // namespace

void note_lost(TriedTensors& row, const TensorSpec& spec, const std::string& why) {
  const std::string_view line = std::string_view{why}.substr(0, why.find('\n'));
  if (row.lost.empty()) row.lost = fmt::format("{}: {}", to_text(spec), line);
}

Reading read_back(const Party& party, const Tensor& tensor, const TensorSpec& spec,
                  const Bytes& logical) {
  Reading reading{spec, logical, {}, 0};
  Bytes buffer(logical.size() + room_behind, unread);
  Act act{[&] { return acts::read(party.label(), tensor, logical.size()); }};
  const dlcert_adapter& table = party.table();
  const auto error = refusal_at_most(act, "read", [&](dlcert_error* out) {
    return table.tensor->read(table.self, tensor.handle(), buffer.data(), logical.size(), out);
  });
  if (error) throw Lost{fmt::format("read: refused: {}", to_text(*error))};
  reading.overrun = overrun_of(buffer, logical.size());
  buffer.resize(logical.size());
  reading.found = std::move(buffer);
  return reading;
}

void expect_right(const Reading& reading, std::string_view after) {
  if (reading.found != reading.logical)
    throw Lost{fmt::format("read after {}: expected {} but found {}", after,
                           to_text(reading.logical), to_text(reading.found))};
  if (reading.overrun != 0)
    throw Lost{fmt::format("read writes {} bytes past the end of the buffer", reading.overrun)};
}

void expect_described(const Description& description, const TensorSpec& spec) {
  const auto same = [](std::string_view what, const auto& expected, const auto& found) {
    if (!(expected == found))
      throw Lost{fmt::format("describe: {}: expected {} but found {}", what, to_text(expected),
                             to_text(found))};
  };
  same("dtype", spec.dtype, description.dtype);
  same("shape", spec.shape, description.shape);
  same("device", spec.device, description.device);
}

}  // namespace dlcert
