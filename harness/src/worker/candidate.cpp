// SPDX-License-Identifier: Apache-2.0
#include "worker/candidate.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <new>
#include <system_error>

#include <dlcert/suite/forked.hpp>

namespace dlcert {

namespace {

[[noreturn]] void throw_errno(const char* what) {
  throw std::system_error{errno, std::generic_category(), what};
}

}  // namespace

CandidateRunner::CandidateRunner() {
  void* const memory = ::mmap(nullptr, sizeof(CandidateReport), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw_errno("cannot map the memory of candidates");
  report_ = new (memory) CandidateReport;
}

CandidateRunner::~CandidateRunner() {
  ::munmap(report_, sizeof(CandidateReport));
}

CandidateEnd CandidateRunner::run(const std::function<bool(CandidateReport&)>& act,
                                  TimeLimits limits, const std::function<void()>& waiting) {
  report_->choices.count = 0;
  report_->loading_seconds = 0;
  report_->loading = false;
  const Forked forked = run_forked([&] { return std::string{act(*report_) ? "survived" : ""}; },
                                   [&] {
                                     return report_->loading
                                                ? limits.loading_seconds
                                                : report_->loading_seconds + limits.seconds;
                                   },
                                   waiting);
  if (!forked.answer.empty()) return CandidateEnd::survived;
  return forked.hung ? CandidateEnd::hung : CandidateEnd::crashed;
}

Choices CandidateRunner::choices() const {
  const ChoiceLog& log = report_->choices;
  return {log.values, log.values + log.count.load(std::memory_order_acquire)};
}

}  // namespace dlcert
