// SPDX-License-Identifier: Apache-2.0
#include "party/foreign_memory.hpp"

#include <sys/uio.h>
#include <unistd.h>

namespace dlcert {

bool read_if_there(const void* from, void* to, std::size_t size) {
  const iovec local{to, size};
  const iovec remote{const_cast<void*>(from), size};
  return ::process_vm_readv(::getpid(), &local, 1, &remote, 1, 0) == static_cast<ssize_t>(size);
}

}  // namespace dlcert
