// SPDX-License-Identifier: Apache-2.0
#include "records/records.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace dlcert {
namespace {

// The bytes of a mapping as another view of the same memory shows them.
std::span<char> second_view(const Records& records) {
  const off_t size = ::lseek(records.descriptor(), 0, SEEK_END);
  void* const memory = ::mmap(nullptr, static_cast<std::size_t>(size), PROT_READ | PROT_WRITE,
                              MAP_SHARED, records.descriptor(), 0);
  EXPECT_NE(memory, MAP_FAILED);
  return {static_cast<char*>(memory), static_cast<std::size_t>(size)};
}

TEST(Records, WorkerSeesJobAndRunnerSeesRecords) {
  Records runner = Records::create("the job", 3);
  Records worker = Records::attach(::dup(runner.descriptor()));
  EXPECT_EQ(worker.job(), "the job");
  EXPECT_EQ(worker.units(), 3u);
  EXPECT_EQ(worker.owner(), ::getpid());
  worker.write(1, {.worker = 7, .order = 9}, "a record");
  const SealedRecord record = runner.read(1).value();
  EXPECT_EQ(record.text, "a record");
  EXPECT_EQ(record.author.worker, 7u);
  EXPECT_EQ(record.author.order, 9u);
  EXPECT_FALSE(runner.read(0));
  EXPECT_FALSE(runner.read(3));
}

TEST(Records, AttachClosesTheDescriptor) {
  const Records runner = Records::create("", 1);
  const int given = ::dup(runner.descriptor());
  const Records worker = Records::attach(given);
  EXPECT_EQ(::close(given), -1);
}

TEST(Records, AttachRefusesOtherFiles) {
  EXPECT_THROW(Records::attach(::memfd_create("empty", 0)), std::runtime_error);
  EXPECT_THROW(Records::attach(-1), std::runtime_error);
  const int foreign = ::memfd_create("foreign", 0);
  ASSERT_EQ(::ftruncate(foreign, 64 << 20), 0);
  EXPECT_THROW(Records::attach(foreign), std::runtime_error);
}

TEST(Records, NobodyCutsThem) {
  const Records records = Records::create("job", 3);
  EXPECT_EQ(::ftruncate(records.descriptor(), 0), -1);
  EXPECT_EQ(::ftruncate(records.descriptor(), 1 << 30), -1);
  EXPECT_EQ(records.job(), "job");
}

TEST(Records, EachUnitIsClaimedOnce) {
  Records records = Records::create("", 2);
  EXPECT_EQ(records.claim(), 0u);
  EXPECT_EQ(records.claim(), 1u);
  EXPECT_EQ(records.claim(), no_unit);
  EXPECT_EQ(records.claim(), no_unit);
}

TEST(Records, ALaterRecordReplacesAnEarlier) {
  Records records = Records::create("", 1);
  records.write(0, {}, "a preliminary record");
  records.write(0, {}, "final");
  EXPECT_EQ(records.read(0)->text, "final");
}

TEST(Records, ATamperedRecordDoesNotCount) {
  Records records = Records::create("", 1);
  records.write(0, {}, "the one and only text");
  const std::span<char> bytes = second_view(records);
  const std::string_view text = "the one and only text";
  const auto place = std::search(bytes.begin(), bytes.end(), text.begin(), text.end());
  ASSERT_NE(place, bytes.end());
  *place = 'T';
  EXPECT_FALSE(records.read(0));
}

TEST(Records, TooMuchTextIsRefused) {
  Records records = Records::create("", 1);
  EXPECT_THROW(records.write(0, {}, std::string(Records::slot_capacity + 1, 'x')),
               std::length_error);
  const std::string most(Records::slot_capacity, 'x');
  records.write(0, {}, most);
  EXPECT_EQ(records.read(0)->text, most);
}

TEST(Records, PositionsStartWithoutAUnit) {
  Records records = Records::create("", 1);
  EXPECT_EQ(records.position(0).unit, no_unit);
  EXPECT_EQ(records.position(max_workers - 1).phase.load(), Phase::starting);
  EXPECT_THROW(records.position(max_workers), std::out_of_range);
}

TEST(Records, WhatAWorkerDidIsCountedThoughItIsKilled) {
  Records runner = Records::create("", 1);
  const auto drawn = [](Records & records) -> auto& {
    return records.work()[static_cast<std::size_t>(Work::cases_drawn)];
  };
  const pid_t child = ::fork();
  if (child == 0) {
    Records worker = Records::attach(::dup(runner.descriptor()));
    drawn(worker) += 3;
    ::kill(::getpid(), SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(drawn(runner), 3u);
}

TEST(Records, TraceKeepsWholeLinesWithinItsCapacity) {
  Records records = Records::create("", 1);
  records.append_trace(2, "first\tstatement");
  records.append_trace(2, "second\t");
  EXPECT_EQ(records.read_trace(2), "first\tstatement\nsecond\t\n");
  EXPECT_EQ(records.read_trace(1), "");
  records.append_trace(2, std::string(Records::trace_capacity, 'x'));
  EXPECT_EQ(records.read_trace(2), "first\tstatement\nsecond\t\n");
  records.clear_trace(2);
  EXPECT_EQ(records.read_trace(2), "");
}

}  // namespace
}  // namespace dlcert
