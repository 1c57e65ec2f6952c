// SPDX-License-Identifier: Apache-2.0
#include "testbench/mapped_memory.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include <dlcert/suite/check.hpp>
#include <dlcert/suite/trace.hpp>

namespace dlcert::testbench {

namespace {

std::byte* mapped(std::uint64_t size) {
  void* const memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    throw NotJudged{fmt::format("{} GiB of address space are not to be had", size >> 30u)};
  ::madvise(memory, size, MADV_NOHUGEPAGE);  // what is touched counts by small pages
  return static_cast<std::byte*>(memory);
}

std::string hex(const Bytes& bytes) {
  std::vector<unsigned> numbers(bytes.size());
  std::ranges::transform(bytes, numbers.begin(),
                         [](std::byte byte) { return std::to_integer<unsigned>(byte); });
  return fmt::format("{:02x}", fmt::join(numbers, ""));
}

ProgramStep own(std::string code, std::string name = {}) {
  return {.kind = ProgramStep::Kind::own, .code = std::move(code), .name = std::move(name)};
}

}  // namespace

MappedMemory::MappedMemory(std::uint64_t size) : size_{size}, begin_{mapped(size)} {
  if (TraceSink* const sink = trace()) {
    name_ = new_trace_name("memory");
    tell_step(*sink, fmt::format("{} = {} bytes, all 0", name_, size),
              fmt::format("unsigned char* {} = mapped_memory({}u);", name_, size),
              own(fmt::format("mapped({})", size), name_));
  }
}

MappedMemory::~MappedMemory() {
  ::munmap(begin_, size_);
}

void MappedMemory::put(std::uint64_t at, const Bytes& bytes) const {
  std::ranges::copy(bytes, begin_ + at);
  if (TraceSink* const sink = trace())
    tell_step(*sink, fmt::format("{}[{}] = {}", name_, at, to_text(bytes)),
              fmt::format("put_bytes({} + {}u, \"{}\");", name_, at, hex(bytes)),
              own(fmt::format("{}[{}:{}] = bytes.fromhex(\"{}\")", name_, at, at + bytes.size(),
                              hex(bytes))));
}

std::uint64_t MappedMemory::touched() const {
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> pages((size_ + page - 1) / page);
  if (::mincore(begin_, size_, pages.data()) != 0) return 0;
  return page * static_cast<std::uint64_t>(std::ranges::count_if(
                    pages, [](unsigned char state) { return (state & 1u) != 0; }));
}

std::unique_ptr<Offer> MappedMemory::offer(Descriptor descriptor, std::uint64_t at) const {
  descriptor.data = Descriptor::Data::device;
  descriptor.device_memory = begin_;
  descriptor.data_offset = static_cast<std::int64_t>(at);
  auto offer = std::make_unique<Offer>(descriptor, Bytes{});
  if (TraceSink* const sink = trace()) {
    const std::string managed = offer->trace_name();
    tell_step(
        *sink, fmt::format("{}.data = {} + {}", managed, name_, at),
        fmt::format("lie_at({}, {} + {}u);", managed, name_, at),
        own(fmt::format("{}.dl_tensor.data = ctypes.addressof({}) + {}", managed, name_, at)));
  }
  return offer;
}

}  // namespace dlcert::testbench
