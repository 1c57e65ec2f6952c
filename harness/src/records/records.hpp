// SPDX-License-Identifier: Apache-2.0
//
// The memory that a runner shares with its workers: the job, the position of each worker, and the
// record of each unit.
//
// It is a memfd mapped by both and closed by the worker right after mapping, so that nothing an
// implementation does to descriptors, pipes or files can lose or forge a record. A record counts
// once it is sealed: its checksum is over the run's nonce, the slot's index, its author and the
// content. The threat is accident, not malice.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <dlcert/suite/work.hpp>

namespace dlcert {

inline constexpr std::uint32_t no_unit = UINT32_MAX;
inline constexpr std::size_t max_workers = 64;

enum class Phase : std::uint32_t {
  starting,
  loading,
  idle,
  running,
  closing,    // closes the libraries
  unloading,  // and takes their modules out of its memory
  finished,   // nothing is left but the end of the process
  // As finished, with units left to claim: what a check left behind, an error that sticks to its
  // devices or processes, would be held against the next.
  spent,
};

// Where a worker is. Written by that worker (its main thread), read by the runner at any time.
struct Position {
  std::atomic<Phase> phase;
  std::atomic<std::uint32_t> unit;  // index in the job; no_unit when idle
  std::atomic<std::uint64_t> case_index;
  std::atomic<std::uint64_t> case_seed;
  // CLOCK_MONOTONIC at the start of the unit, and about every case.
  std::atomic<std::uint64_t> beat_nanoseconds;
  // The process that runs the implementation.
  std::atomic<std::int32_t> pid;
  // Its resident size when loading was done; the memory limit counts from it.
  std::atomic<std::uint64_t> loaded_bytes;
  // As waitpid(2) gave it to the worker's supervisor; valid once `ended` is not 0.
  std::atomic<std::int32_t> wait_status;
  std::atomic<std::uint32_t> ended;
  // Why the worker left by itself, in one line that ends with 0; empty where it did not.
  char reason[512];
  // That is a fault of the adapter itself, which ends the run (dlcert_host::fault).
  std::atomic<std::uint32_t> adapter_fault;
  // The cases of the unit are forked from a process in which the library has threads: a lock that
  // one of them held at that moment is held for ever.
  std::atomic<std::uint32_t> forks_among_threads;
  // The limit of dlcert's own that the present case has met first, likewise (NotJudged).
  char limit[256];
  // At which the library writes where its threads are (dlcert_adapter::stacks_signal); 0: none, or
  // no library is loaded yet.
  std::atomic<std::int32_t> stacks_signal;
  // InputOfCase::properties() of the present case.
  std::atomic<std::uint64_t> inputs;
  // Of the present case, if a signal ended it: where (worker/crash_signature.hpp); else empty.
  char signature[160];
  char frames[400];
  // The signal of a crash that had to end by SIGKILL instead (CrashTexts::signal); 0: none.
  std::atomic<std::int32_t> fatal_signal;
};

// Who wrote a record: the worker's number, and how many units that worker had recorded before.
struct Author {
  std::uint32_t worker = 0;
  std::uint32_t order = 0;
};

struct SealedRecord {
  Author author;
  std::string text;
};

// The mapping. Owned by the runner; workers attach to it by descriptor.
class Records {
 public:
  // Makes the memfd and the mapping. `job` is JSON (job.hpp). Throws std::system_error.
  static Records create(std::string_view job, std::uint32_t units);
  // Maps `descriptor` and closes it. Throws std::runtime_error when it is not such a mapping.
  static Records attach(int descriptor);

  Records(const Records&) = delete;
  Records& operator=(const Records&) = delete;
  Records(Records&& other) noexcept;
  Records& operator=(Records&&) = delete;
  ~Records();

  int descriptor() const;  // the runner's, which workers inherit; -1 in a worker
  std::string_view job() const;
  std::int32_t owner() const;  // the process that made the mapping: the runner
  std::uint32_t units() const;

  // Claims the next unit that no worker has claimed; no_unit when there is none.
  std::uint32_t claim();
  Position& position(std::size_t worker);
  // Whether a worker may end for the processes that a check left behind: a few times in a job, as a
  // library may need them.
  bool may_end_for_processes();

  // Writes and seals a unit's record: JSON text, in the place of an earlier one. Throws
  // std::length_error for text over slot_capacity, of which nothing is written.
  void write(std::uint32_t unit, Author author, std::string_view record);
  // The sealed record of a unit; nothing when none was sealed or its checksum does not hold.
  std::optional<SealedRecord> read(std::uint32_t unit) const;

  // Lines of the case that a worker is describing: not sealed, so that they survive a crash. One
  // area for each worker.
  void clear_trace(std::size_t worker);
  void append_trace(std::size_t worker, std::string_view line);
  std::string read_trace(std::size_t worker) const;

  // Room for the calls that the libraries were seen to form (party/formed.hpp), for all workers.
  std::span<std::atomic<std::uint64_t>> formed_calls();

  // What the job's workers and their forks have done so far, also those that crashed.
  WorkCounters& work();

  static constexpr std::size_t slot_capacity = 512 * 1024;
  static constexpr std::size_t trace_capacity = 256 * 1024;

 private:
  struct Layout;
  Records(int descriptor, std::size_t bytes);  // takes the descriptor
  void remember();

  Layout* layout_ = nullptr;
  std::size_t bytes_ = 0;
  int descriptor_ = -1;
  // Kept apart from the mapping, which a stray write of an implementation may reach.
  std::uint64_t nonce_ = 0;
  std::uint32_t units_ = 0;
  std::string job_;
};

}  // namespace dlcert
