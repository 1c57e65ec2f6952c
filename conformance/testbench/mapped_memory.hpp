// SPDX-License-Identifier: Apache-2.0
//
// Memory of the harness that is no offer's own: as large as no storage is, or under several offers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <dlcert/suite/spy.hpp>

namespace dlcert::testbench {

// Zeroed address space with memory behind what is touched alone. Outlives its offers.
class MappedMemory {
 public:
  // Ends the case as not judged where the process has not so much address space.
  explicit MappedMemory(std::uint64_t size);
  MappedMemory(const MappedMemory&) = delete;
  MappedMemory& operator=(const MappedMemory&) = delete;
  ~MappedMemory();

  std::byte* begin() const { return begin_; }
  std::uint64_t size() const { return size_; }
  void put(std::uint64_t at, const Bytes& bytes) const;
  // Bytes of the pages that were read or written so far.
  std::uint64_t touched() const;

  // An offer whose data points `at` bytes into the memory; what else it says is `descriptor`'s.
  std::unique_ptr<Offer> offer(Descriptor descriptor, std::uint64_t at) const;

 private:
  std::uint64_t size_;
  std::byte* begin_;
  std::string name_;  // in the trace of a described case
};

}  // namespace dlcert::testbench
