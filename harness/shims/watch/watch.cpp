// SPDX-License-Identifier: Apache-2.0
//
// Writes what the simulated driver of this process sees of the program's races, as soon as it sees
// it, since a program may end in any way. The drop-ins open this library where DLCERT_RACES names a
// file: `dlcert with-simulated-gpu --races` makes it, and reads it when the program has ended
// (harness/src/cli/race_records.hpp). It may be that of many processes.

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "dlcert/driver/simulated.hpp"

#include "shims/watch/native_frames.hpp"
#include "shims/watch/python_lines.hpp"

namespace dlcert::shim {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_frames = 8;
// In front of the records, one JSON document a line: the first eight bytes count the launches of
// kernels of which nobody knows what they touch, in all processes.
constexpr std::size_t head_of_file = 4096;

struct Place {
  NativeFrames native;
  std::vector<PythonLine> python;

  friend bool operator<(const Place& a, const Place& b) {
    return std::tie(a.native, a.python) < std::tie(b.native, b.python);
  }
};

Json json_of(const Place& place) {
  Json json{{"call", described(place.native.entry).function}};
  json["python"] = Json::array();
  for (const PythonLine& line : place.python)
    json["python"].push_back(
        {{"file", line.file}, {"line", line.line}, {"function", line.function}});
  json["native"] = Json::array();
  for (void* const address : place.native.stack) {
    const NativePlace frame = described(address);
    json["native"].push_back(
        {{"function", frame.function}, {"module", frame.module}, {"offset", frame.offset}});
  }
  return json;
}

class Watcher final : public driver::RaceWatcher {
 public:
  explicit Watcher(std::string file) : file_{std::move(file)} {
    const int descriptor = ::open(file_.c_str(), O_RDWR | O_CLOEXEC);
    if (descriptor < 0) return;
    void* const mapped =
        ::mmap(nullptr, head_of_file, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (mapped != MAP_FAILED) launches_ = static_cast<std::atomic<std::uint64_t>*>(mapped);
    ::close(descriptor);
  }

  // Asked for at every call that makes work: a number of calls that are in the same place.
  std::uint64_t place() override {
    thread_local bool asks = false;  // what is asked for may call the driver
    if (std::exchange(asks, true)) return unknown_place;
    Place here{native_frames(most_frames), python_lines(most_frames)};
    asks = false;
    const std::scoped_lock lock{mutex_};
    return numbers_.emplace(std::move(here), numbers_.size() + unknown_place + 1).first->second;
  }

  void found(const driver::Race& race) override {
    Json record{{"first", race.first}, {"second", race.second}, {"missing", race.missing}};
    record["first_place"] = json_of(place_of(race.first_place));
    record["second_place"] = json_of(place_of(race.second_place));
    write("race", std::move(record));
  }

  void launched() override {
    if (launches_ != nullptr) launches_->fetch_add(1, std::memory_order_relaxed);
  }

  void write(const char* kind, Json what) {
    Json record{{"process", ::getpid()}, {kind, std::move(what)}};
    const std::string line = record.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
    // Opened for each: a program may close what it did not open.
    const int descriptor = ::open(file_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    if (descriptor < 0) return;
    while (::write(descriptor, line.data(), line.size()) < 0 && errno == EINTR) {
    }
    ::close(descriptor);
  }

  // The child of a fork finds nothing locked.
  void before_fork() {
    mutex_.lock();
    native_frames_mutex().lock();
  }
  void after_fork() {
    native_frames_mutex().unlock();
    mutex_.unlock();
  }

 private:
  static constexpr std::uint64_t unknown_place = 1;

  Place place_of(std::uint64_t number) {
    const std::scoped_lock lock{mutex_};
    for (const auto& [place, its_number] : numbers_)
      if (its_number == number) return place;
    return {};
  }

  const std::string file_;
  std::atomic<std::uint64_t>* launches_ = nullptr;
  std::mutex mutex_;
  std::map<Place, std::uint64_t> numbers_;
};

Watcher* watcher = nullptr;

}  // namespace
}  // namespace dlcert::shim

extern "C" __attribute__((visibility("default"))) void dlcert_watch_races(
    dlcert::driver::SimulatedDriver& driver, const char* file);
extern "C" void dlcert_watch_races(dlcert::driver::SimulatedDriver& driver, const char* file) {
  using dlcert::shim::watcher;
  static std::once_flag once;
  std::call_once(once, [&] {
    watcher = new dlcert::shim::Watcher{file};  // never destroyed: programs call until they end
    ::pthread_atfork([] { watcher->before_fork(); }, [] { watcher->after_fork(); },
                     [] { watcher->after_fork(); });
    watcher->write("program", ::program_invocation_short_name);
    driver.tell_limits([](const std::string& limit) {
      if (!limit.empty()) watcher->write("limit", limit);
    });
    driver.watch_races(watcher);
  });
}
