// SPDX-License-Identifier: Apache-2.0
#include "records/records.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace dlcert {

namespace {

constexpr std::size_t formed_capacity = std::size_t{1} << 15;
constexpr std::uint64_t magic_number = 0x646c636572740006u;  // "dlcert", layout 6

std::uint64_t hash(std::uint64_t state, std::string_view bytes) {
  for (const char byte : bytes)
    state = (state ^ static_cast<unsigned char>(byte)) * 0x100000001B3u;  // FNV-1a
  return state;
}

std::uint64_t checksum(std::uint64_t nonce, std::uint32_t unit, Author author,
                       std::string_view record) {
  constexpr std::uint64_t spread = 0x9E3779B97F4A7C15u;
  const std::uint64_t writer = std::uint64_t{author.worker} << 32 | author.order;
  return hash(((nonce ^ unit) * spread ^ writer) * spread, record);
}

[[noreturn]] void throw_errno(const char* what) {
  throw std::system_error{errno, std::generic_category(), what};
}

}  // namespace

struct Slot {
  std::atomic<std::uint32_t> sealed;
  std::uint32_t length;
  Author author;
  std::uint64_t checksum;
  char text[Records::slot_capacity];
};

struct TraceArea {
  std::atomic<std::uint32_t> length;
  char text[Records::trace_capacity];
};

// The beginning of the mapping. The slots follow, then the job's text.
struct Records::Layout {
  std::uint64_t magic;
  std::uint64_t bytes;
  std::uint64_t nonce;
  std::uint64_t job_bytes;
  std::uint32_t units;
  std::int32_t owner;
  std::atomic<std::uint32_t> next_unit;
  std::atomic<std::uint32_t> ended_for_processes;
  Position positions[max_workers];
  TraceArea traces[max_workers];
  std::atomic<std::uint64_t> formed_calls[formed_capacity];
  WorkCounters work;

  Slot* slots() { return reinterpret_cast<Slot*>(this + 1); }
  char* job_text() { return reinterpret_cast<char*>(slots() + units); }
  static std::size_t size_for(std::uint32_t units, std::size_t job_bytes) {
    return sizeof(Layout) + units * sizeof(Slot) + job_bytes;
  }
};

Records::Records(int descriptor, std::size_t bytes) : bytes_{bytes}, descriptor_{descriptor} {
  void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (memory == MAP_FAILED) throw_errno("cannot map the memory for the results");
  layout_ = static_cast<Layout*>(memory);
}

Records Records::create(std::string_view job, std::uint32_t units) {
  const int descriptor = ::memfd_create("dlcert-records", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (descriptor < 0) throw_errno("cannot create the memory for the results");
  const std::size_t bytes = Layout::size_for(units, job.size());
  if (::ftruncate(descriptor, static_cast<off_t>(bytes)) != 0) {
    ::close(descriptor);
    throw_errno("cannot set the size of the memory for the results");
  }
  // A library that came across the file could otherwise cut it, and the runner would die of that.
  ::fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  Records records{descriptor, bytes};
  Layout& layout = *records.layout_;
  layout.magic = magic_number;
  layout.bytes = bytes;
  if (::getrandom(&layout.nonce, sizeof(layout.nonce), 0) != sizeof(layout.nonce))
    throw_errno("cannot get random numbers");
  layout.units = units;
  layout.owner = ::getpid();
  layout.job_bytes = job.size();
  std::memcpy(layout.job_text(), job.data(), job.size());
  for (Position& position : layout.positions)
    position.unit = no_unit;
  records.remember();
  return records;
}

Records Records::attach(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode) ||
      static_cast<std::size_t>(status.st_size) < sizeof(Layout))
    throw std::runtime_error{
        fmt::format("descriptor {} does not refer to results of dlcert", descriptor)};
  Records records{descriptor, static_cast<std::size_t>(status.st_size)};
  ::close(std::exchange(records.descriptor_, -1));
  const Layout& layout = *records.layout_;
  if (layout.magic != magic_number)
    throw std::runtime_error{"the results are from another build of dlcert"};
  if (layout.bytes != records.bytes_ || layout.job_bytes > layout.bytes ||
      Layout::size_for(layout.units, layout.job_bytes) != layout.bytes)
    throw std::runtime_error{
        fmt::format("descriptor {} does not refer to results of dlcert", descriptor)};
  records.remember();
  return records;
}

void Records::remember() {
  nonce_ = layout_->nonce;
  units_ = layout_->units;
  job_ = {layout_->job_text(), layout_->job_bytes};
}

Records::Records(Records&& other) noexcept
    : layout_{std::exchange(other.layout_, nullptr)},
      bytes_{other.bytes_},
      descriptor_{std::exchange(other.descriptor_, -1)},
      nonce_{other.nonce_},
      units_{other.units_},
      job_{std::move(other.job_)} {}

Records::~Records() {
  if (layout_ != nullptr) ::munmap(layout_, bytes_);
  if (descriptor_ >= 0) ::close(descriptor_);
}

int Records::descriptor() const {
  return descriptor_;
}

std::string_view Records::job() const {
  return job_;
}

std::int32_t Records::owner() const {
  return layout_->owner;
}

std::uint32_t Records::units() const {
  return units_;
}

std::uint32_t Records::claim() {
  const std::uint32_t unit = layout_->next_unit.fetch_add(1);
  return unit < units_ ? unit : no_unit;
}

Position& Records::position(std::size_t worker) {
  if (worker >= max_workers)
    throw std::out_of_range{
        fmt::format("worker: expected less than {} but found {}", max_workers, worker)};
  return layout_->positions[worker];
}

bool Records::may_end_for_processes() {
  constexpr std::uint32_t times = 16;
  return layout_->ended_for_processes.fetch_add(1) < times;
}

void Records::write(std::uint32_t unit, Author author, std::string_view record) {
  if (record.size() > slot_capacity)
    throw std::length_error{
        fmt::format("results of unit {}: expected at most {} bytes but found {}", unit,
                    slot_capacity, record.size())};
  if (unit >= units_)
    throw std::out_of_range{fmt::format("unit: expected less than {} but found {}", units_, unit)};
  Slot& slot = layout_->slots()[unit];
  slot.sealed.store(0, std::memory_order_release);
  std::memcpy(slot.text, record.data(), record.size());
  slot.length = static_cast<std::uint32_t>(record.size());
  slot.author = author;
  slot.checksum = checksum(nonce_, unit, author, record);
  slot.sealed.store(1, std::memory_order_release);
}

std::optional<SealedRecord> Records::read(std::uint32_t unit) const {
  if (unit >= units_) return std::nullopt;
  const Slot& slot = layout_->slots()[unit];
  if (slot.sealed.load(std::memory_order_acquire) != 1) return std::nullopt;
  const std::uint32_t length = slot.length;
  if (length > slot_capacity) return std::nullopt;
  SealedRecord record{slot.author, {slot.text, length}};
  if (checksum(nonce_, unit, record.author, record.text) != slot.checksum) return std::nullopt;
  return record;
}

std::span<std::atomic<std::uint64_t>> Records::formed_calls() {
  return layout_->formed_calls;
}

WorkCounters& Records::work() {
  return layout_->work;
}

void Records::clear_trace(std::size_t worker) {
  layout_->traces[worker].length.store(0, std::memory_order_release);
}

void Records::append_trace(std::size_t worker, std::string_view line) {
  TraceArea& area = layout_->traces[worker];
  const std::uint32_t length = area.length.load(std::memory_order_relaxed);
  if (length > trace_capacity || line.size() + 1 > trace_capacity - length) return;
  std::memcpy(area.text + length, line.data(), line.size());
  area.text[length + line.size()] = '\n';
  area.length.store(static_cast<std::uint32_t>(length + line.size() + 1),
                    std::memory_order_release);
}

std::string Records::read_trace(std::size_t worker) const {
  const TraceArea& area = layout_->traces[worker];
  const std::size_t length = area.length.load(std::memory_order_acquire);
  return {area.text, length < trace_capacity ? length : trace_capacity};
}

}  // namespace dlcert
