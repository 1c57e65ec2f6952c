// SPDX-License-Identifier: Apache-2.0
#include "worker/isolated_case.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <mutex>
#include <system_error>

#include <nlohmann/json.hpp>

namespace dlcert {

namespace {

using Json = nlohmann::json;

// Memory in which the case's process leaves its outcome: no library closes it, as it may a
// descriptor.
class Message {
 public:
  Message() {
    void* const memory =
        ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
      throw std::system_error{errno, std::generic_category(), "the memory of cases"};
    shared_ = new (memory) Shared;
  }
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;
  ~Message() { ::munmap(shared_, sizeof(Shared)); }

  void clear() { shared_->size = 0; }
  void write(std::string_view text) {
    const std::size_t size = std::min(text.size(), sizeof(shared_->text));
    std::copy_n(text.data(), size, shared_->text);
    shared_->size = size;
  }
  // Empty when nothing was written.
  std::string_view read() const { return {shared_->text, shared_->size}; }
  static constexpr std::size_t capacity = std::size_t{1} << 20;

 private:
  struct Shared {
    std::atomic<std::size_t> size{0};
    char text[capacity];
  };
  Shared* shared_ = nullptr;
};

// Keeps the events of this process, and passes them on.
class Relay : public TraceSink {
 public:
  explicit Relay(TraceSink& onward) : onward_{onward} {}
  void event(std::string_view text, std::string_view statement) override {
    const std::lock_guard lock{mutex_};  // bodies may use threads
    events.push_back({std::string{text}, std::string{statement}});
    onward_.event(text, statement);
  }
  std::vector<std::pair<std::string, std::string>> events;

 private:
  TraceSink& onward_;
  std::mutex mutex_;
};

[[noreturn]] void run_here(const CasePlan& plan, Draw& draw, Message& message) {
  TraceSink* const sink = trace();
  std::optional<Relay> relay;
  if (sink != nullptr) set_trace(&relay.emplace(*sink));
  std::vector<std::string_view> observed;
  const CaseOutcome outcome = run_body(plan, draw, &observed);
  Json json{{"end", outcome.end},
            {"message", outcome.failure.message},
            {"expected", outcome.failure.expected},
            {"found", outcome.failure.found},
            {"reason", outcome.reason},
            {"met", outcome.met},
            {"evidence",
             {outcome.evidence.made, outcome.evidence.handed_over, outcome.evidence.found,
              outcome.evidence.by_export}},
            {"observed", observed},
            {"choices", draw.choices()},
            {"warnings", plan.binding.take_warnings ? plan.binding.take_warnings()
                                                    : std::vector<std::string>{}}};
  if (relay) json["events"] = relay->events;
  std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > Message::capacity) {
    json.erase("events");
    text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  message.write(text);
  ::_exit(EXIT_SUCCESS);
}

// Ends this process as the case's process ended: the runner sees only this one.
[[noreturn]] void end_alike(int status) {
  if (WIFSIGNALED(status)) {
    ::signal(WTERMSIG(status), SIG_DFL);
    ::raise(WTERMSIG(status));
  }
  ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE);
}

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) throw std::system_error{errno, std::generic_category(), "waitpid"};
  return status;
}

}  // namespace

CaseOutcome run_case_in_new_process(const CasePlan& plan, Draw& draw, Observations* observations) {
  static Message message;
  message.clear();
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0)
    throw std::system_error{errno, std::generic_category(), "a case's process cannot be forked"};
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(EXIT_FAILURE);
    run_here(plan, draw, message);
  }
  const int status = wait_for(child);
  if (message.read().empty()) end_alike(status);

  const Json json = Json::parse(message.read());
  draw.catch_up(json.at("choices").get<Choices>());
  if (observations != nullptr) {
    const auto observed = json.at("observed").get<std::vector<std::string>>();
    observations->count(std::vector<std::string_view>{observed.begin(), observed.end()});
  }
  if (plan.binding.keep_warnings)
    plan.binding.keep_warnings(json.at("warnings").get<std::vector<std::string>>());
  if (auto* const collector = dynamic_cast<TraceCollector*>(trace());
      collector != nullptr && json.contains("events"))
    collector->keep(json.at("events").get<std::vector<std::pair<std::string, std::string>>>());
  CaseOutcome outcome;
  outcome.end = json.at("end").get<CaseEnd>();
  outcome.failure = {json.at("message"), json.at("expected"), json.at("found")};
  outcome.reason = json.at("reason");
  outcome.met = json.at("met");
  const auto evidence = json.at("evidence").get<std::array<bool, 4>>();
  outcome.evidence = {evidence[0], evidence[1], evidence[2], evidence[3]};
  return outcome;
}

}  // namespace dlcert
