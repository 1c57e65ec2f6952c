// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>
#include <sys/stat.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include "fuzz/require.hpp"
#include "fuzz/targets.hpp"
#include "records/job.hpp"
#include "records/records.hpp"
#include "runner/watch.hpp"

namespace dlcert::fuzz {
namespace {

constexpr std::uint32_t units = 2;
constexpr std::string_view job = "{}";
constexpr std::string_view trace = "a call\tstatement();\n";

// Records with a sealed one and a trace, and the same memory as a library finds it in its process.
class Shared {
 public:
  Shared() : records{Records::create(job, units)} {
    struct stat status {};
    ::fstat(records.descriptor(), &status);
    const auto bytes = static_cast<std::size_t>(status.st_size);
    void* const memory =
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, records.descriptor(), 0);
    if (memory == MAP_FAILED) throw std::system_error{errno, std::generic_category(), "mmap"};
    memory_ = {static_cast<char*>(memory), bytes};
    records.write(0, {}, to_json(UnitRecord{}));
    records.append_trace(0, trace.substr(0, trace.size() - 1));
    const std::string_view all{memory_.data(), memory_.size()};
    const std::size_t first_record = all.find(to_json(UnitRecord{}));
    record_head_ = first_record < 64 ? 0 : first_record - 64;
    trace_head_ = all.find(trace) - sizeof(std::uint32_t);
  }

  // A stray write into what stands in front of the positions, around them, in front of a trace or
  // of a record; its length and what it writes.
  void write(unsigned where, unsigned offset, std::string_view what) {
    constexpr std::size_t positions = 64 * sizeof(Position);
    const std::size_t starts[] = {0, offset % positions, trace_head_, record_head_};
    const std::size_t at = starts[where % 4] + (where % 4 == 1 ? 0 : offset % 160);
    if (at + what.size() > memory_.size()) return;
    undo_.push_back({at, std::string{memory_.data() + at, what.size()}});
    std::memcpy(memory_.data() + at, what.data(), what.size());
  }

  void undo() {
    for (; !undo_.empty(); undo_.pop_back())
      std::memcpy(memory_.data() + undo_.back().at, undo_.back().before.data(),
                  undo_.back().before.size());
  }

  Records records;

 private:
  struct Write {
    std::size_t at;
    std::string before;
  };
  std::span<char> memory_;
  std::size_t record_head_ = 0, trace_head_ = 0;
  std::vector<Write> undo_;
};

void require_readable(Records& records) {
  for (std::uint32_t unit = 0; unit <= units; ++unit) {
    const std::optional<SealedRecord> record = records.read(unit);
    if (!record) continue;
    require(record->text.size() <= Records::slot_capacity, "a record beyond its slot");
    accepts([&] { record_from_json(record->text); });
  }
  for (std::size_t worker = 0; worker < max_workers; ++worker) {
    const PositionSnapshot at = snapshot_of(records.position(worker), units);
    require(at.unit == no_unit || at.unit < units, "a position at no unit");
  }
  const std::string lines = records.read_trace(0);
  require(lines.size() <= Records::trace_capacity, "a trace beyond its area");
  Counterexample example;
  if (lines.size() <= 2 * trace.size()) add_trace(example, lines);
  require(records.units() == units && records.job() == job, "a runner that trusts the memory");
}

}  // namespace

// Each write: where, its offset (two bytes), its length, its bytes.
void read_shared_memory(std::string_view writes) {
  static Shared shared;
  constexpr std::size_t head = 4;
  while (writes.size() >= head) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(writes[at]); };
    const unsigned offset = byte(1) | static_cast<unsigned>(byte(2)) << 8;
    const std::string_view what = writes.substr(head, byte(3));
    shared.write(byte(0), offset, what);
    writes.remove_prefix(head + what.size());
  }
  require_readable(shared.records);
  shared.undo();
  const auto intact = shared.records.read(0);
  require(intact && intact->text == to_json(UnitRecord{}), "a record that is lost for good");
}

}  // namespace dlcert::fuzz
