// SPDX-License-Identifier: Apache-2.0
#include "side_by_side.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <exception>
#include <list>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "runner/process.hpp"

namespace dlcert {
namespace {

using Work = std::function<std::string(std::size_t)>;

// Hangs wait, and use no core.
constexpr unsigned waiting = 2;

[[noreturn]] void run_here(const Work& work, std::size_t piece, int output, pid_t starter) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != starter) ::_exit(EXIT_FAILURE);
  int status = EXIT_SUCCESS;
  std::string text;
  try {
    text = work(piece);
  } catch (const std::exception& error) {
    status = EXIT_FAILURE;
    text = error.what();
  }
  for (std::string_view rest = text; !rest.empty();) {
    const ssize_t written = ::write(output, rest.data(), rest.size());
    if (written < 0) ::_exit(EXIT_FAILURE);
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  ::_exit(status);
}

class Piece {
 public:
  Piece(const Work& work, std::size_t index) : index_{index} {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0)
      throw std::system_error{errno, std::generic_category(), "cannot make a pipe"};
    output_ = Descriptor{ends[0]};
    const Descriptor write_end{ends[1]};
    const pid_t starter = ::getpid();
    process_ = ::fork();
    if (process_ < 0) throw std::system_error{errno, std::generic_category(), "cannot fork"};
    if (process_ == 0) run_here(work, index, write_end.get(), starter);
  }
  ~Piece() {
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  Piece(const Piece&) = delete;
  Piece& operator=(const Piece&) = delete;

  std::size_t index() const { return index_; }
  pollfd event() const { return {output_.get(), POLLIN, 0}; }

  // Whether it has ended, after what it has written by now.
  bool read() {
    std::array<char, 4096> chunk{};
    const ssize_t count = ::read(output_.get(), chunk.data(), chunk.size());
    if (count > 0) text_.append(chunk.data(), static_cast<std::size_t>(count));
    return count == 0;
  }

  std::string result() {
    int status = 0;
    ::waitpid(std::exchange(process_, -1), &status, 0);
    if (status != 0)
      throw std::runtime_error{text_.empty() ? describe_end(status) : std::move(text_)};
    return std::move(text_);
  }

 private:
  std::size_t index_;
  Descriptor output_;
  pid_t process_ = -1;
  std::string text_;
};

void wait_for_any(const std::list<Piece>& running) {
  std::vector<pollfd> events;
  for (const Piece& piece : running)
    events.push_back(piece.event());
  ::poll(events.data(), events.size(), -1);
}

}  // namespace

void side_by_side(std::size_t pieces, const Work& work,
                  const std::function<void(std::size_t, const std::string&)>& done) {
  const std::size_t at_once = std::max(1u, std::thread::hardware_concurrency()) + waiting;
  std::list<Piece> running;
  for (std::size_t next = 0; next < pieces || !running.empty();) {
    while (next < pieces && running.size() < at_once)
      running.emplace_back(work, next++);
    wait_for_any(running);
    for (auto piece = running.begin(); piece != running.end();) {
      pollfd event = piece->event();
      if (::poll(&event, 1, 0) <= 0 || !piece->read()) {
        ++piece;
        continue;
      }
      done(piece->index(), piece->result());
      piece = running.erase(piece);
    }
  }
}

}  // namespace dlcert
