// SPDX-License-Identifier: Apache-2.0
//
// Memory between guard pages. Mapping per case would cost microseconds, so mapped pages are pooled.
#pragma once

#include <cstddef>

namespace dlcert {

// A run of bytes whose end lies directly before an inaccessible page; another one lies before its
// first page. Its memory goes back to a pool on destruction. Taking and giving back are safe from
// any thread.
class GuardedBlock {
 public:
  // What a released part is filled with.
  static constexpr std::byte poison{0xDB};

  explicit GuardedBlock(std::size_t bytes);  // throws std::bad_alloc
  ~GuardedBlock();
  GuardedBlock(const GuardedBlock&) = delete;
  GuardedBlock& operator=(const GuardedBlock&) = delete;

  std::byte* data() const { return end_ - bytes_; }
  std::byte* end() const { return end_; }  // inaccessible from here on
  std::size_t bytes() const { return bytes_; }

  void make_read_only();
  void make_inaccessible();
  void make_writable();
  void fill_with_poison();  // where it is writable

  // For memory that a consumer may still refer to: it goes back to the pool when thousands more
  // were abandoned.
  void abandon() { abandoned_ = true; }

 private:
  void protect(int protection);

  std::byte* end_;
  std::size_t bytes_;
  std::size_t pages_;
  bool protected_ = false;
  bool abandoned_ = false;
};

}  // namespace dlcert
