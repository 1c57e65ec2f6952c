// SPDX-License-Identifier: Apache-2.0
//
// The first stage of the preflight: create, describe, read and write, without an export or import.
#include <algorithm>

#include <dlcert/suite/spy.hpp>

#include "worker/claimed_specs.hpp"
#include "worker/tried_tensor.hpp"

namespace dlcert {

namespace {

class OwnTensors {
 public:
  OwnTensors(const Library& library, Platform platform, const PreflightProgress& progress)
      : party_{library.party()},
        consumer_{library.consumer()},
        platform_{platform},
        progress_{progress} {}

  PreflightFindings find() &&;

 private:
  bool has_role(std::uint32_t role) const { return (party_.table().roles & role) != 0; }
  bool offers(Can can) const { return party_.offers(static_cast<Needs>(can)); }
  void note_call(std::string_view call, const TensorSpec& spec) const {
    progress_.call(fmt::format("{}: {}", call, to_text(spec)));
  }

  TriedTensors try_row(const TriedDevice& device, std::string_view layout);
  void try_tensor(const TensorSpec& spec);
  Outcome<Tensor> created(const TensorSpec& spec, const Bytes& logical);
  Description describe(const Tensor& tensor, const TensorSpec& spec);
  void look_at_memory(const TensorSpec& spec, const Bytes& logical, const Description& described);
  void try_write(const Tensor& tensor, const TensorSpec& spec);
  void find_faults();

  const Party& party_;
  const Party& consumer_;
  Platform platform_;
  const PreflightProgress& progress_;
  PreflightFindings findings_;
  std::vector<Reading> created_, written_, in_memory_;
  std::vector<Described> described_;
  std::string forbidden_answer_;
  std::uint64_t claimed_ = 0, formed_ = 0;  // of create
};

// An adapter that claims tensors and forms none would have its producer judged by what it imports.
std::string unformed(std::uint64_t claimed, std::uint64_t formed) {
  if (claimed == 0 || formed != 0) return {};
  return fmt::format(
      "create: the adapter claims tensors by `can`, but reports that none of {} can be formed",
      claimed);
}

PreflightFindings OwnTensors::find() && {
  progress_.row(findings_);
  progress_.call("can: which tensors are claimed");
  if (has_role(DLCERT_PRODUCER)) findings_.claims["producer"] = claimed_kinds(party_, platform_);
  if (has_role(DLCERT_CONSUMER)) findings_.claims["consumer"] = claimed_kinds(consumer_, platform_);
  if (!has_role(DLCERT_PRODUCER)) return std::move(findings_);
  for (const TriedDevice& device : tried_devices(platform_))
    for (const std::string_view layout : tried_layouts()) {
      progress_.row(findings_);
      TriedTensors row = try_row(device, layout);
      if (row.claimed == 0) continue;
      findings_.tried.push_back(std::move(row));
      find_faults();  // of all rows so far: a mistake may crash the next
    }
  if (std::string fault = unformed(claimed_, formed_); offers(Can::can) && !fault.empty())
    findings_.faults.push_back(std::move(fault));
  return std::move(findings_);
}

TriedTensors OwnTensors::try_row(const TriedDevice& device, std::string_view layout) {
  TriedTensors row{Role::producer, std::string{device.name}, std::string{layout}};
  for (const TensorSpec& spec : specs_of(layout, device.device, party_)) {
    note_call("can", spec);
    if (!party_.can(spec)) continue;
    ++row.claimed;
    const auto lost = lost_in([&] {
      try {
        try_tensor(spec);
      } catch (const AdapterFault& fault) {
        forbidden_answer_ = fault.message;
        throw;
      }
    });
    if (lost)
      note_lost(row, spec, *lost);
    else
      ++row.made;
  }
  return row;
}

void OwnTensors::try_tensor(const TensorSpec& spec) {
  const Bytes logical = tried_values(spec);
  note_call("create", spec);
  ++claimed_;
  ++formed_;
  const Tensor tensor = got(created(spec, logical), "create");
  const Description description = describe(tensor, spec);
  if (offers(Can::read)) {
    note_call("read", spec);
    const Reading& reading = created_.emplace_back(read_back(party_, tensor, spec, logical));
    if (reading.found == logical) look_at_memory(spec, logical, description);
    expect_right(reading, "create");
    if (offers(Can::write) && !spec.read_only() && !shares_memory(spec)) try_write(tensor, spec);
  }
  expect_described(description, spec);
}

Outcome<Tensor> OwnTensors::created(const TensorSpec& spec, const Bytes& logical) {
  try {
    return party_.create(spec, logical);
  } catch (const NotFormable&) {
    --formed_;
    throw;
  }
}

Description OwnTensors::describe(const Tensor& tensor, const TensorSpec& spec) {
  note_call("describe", spec);
  Description description = got(party_.describe(tensor), "describe");
  described_.push_back({spec, description});
  return description;
}

// Where create and read make the same mistake, the values come back and lie elsewhere. Looks only
// at host memory that the library says is the tensor's.
void OwnTensors::look_at_memory(const TensorSpec& spec, const Bytes& logical,
                                const Description& described) {
  if (spec.device.type != kDLCPU || described.data == nullptr ||
      described.storage_begin == nullptr || logical.empty())
    return;
  Bytes storage = scatter(spec, logical);
  const auto before = described.data - described.storage_begin;
  const auto offset = static_cast<std::ptrdiff_t>(
      sub_byte(spec.dtype) && !spec.padded()
          ? static_cast<std::size_t>(spec.offset) * spec.dtype.bits / 8
          : static_cast<std::size_t>(spec.offset) * logical_item_size(spec.dtype));
  const auto start = before - offset;
  const auto end = start + static_cast<std::ptrdiff_t>(storage.size());
  if (start < 0 || end > static_cast<std::ptrdiff_t>(described.storage_bytes)) return;
  std::copy_n(described.data - offset, storage.size(), storage.begin());
  in_memory_.push_back({spec, logical, gather(spec, storage.data()), 0});
}

void OwnTensors::try_write(const Tensor& tensor, const TensorSpec& spec) {
  const Bytes logical = tried_values(spec, true);
  note_call("write", spec);
  got(party_.write(tensor, logical), "write");
  note_call("read", spec);
  expect_right(written_.emplace_back(read_back(party_, tensor, spec, logical)), "write");
}

void OwnTensors::find_faults() {
  std::vector<std::string>& faults = findings_.faults;
  faults = {misreading(created_, "create and read"),
            misreading(written_, "write and read"),
            misreading(in_memory_, "create and describe"),
            broken_read(created_),
            misdescription(described_),
            forbidden_answer_};
  std::erase(faults, std::string{});
}

}  // namespace

PreflightFindings try_own_tensors(const Library& library, Platform platform,
                                  const PreflightProgress& progress) {
  return OwnTensors{library, platform, progress}.find();
}

}  // namespace dlcert
