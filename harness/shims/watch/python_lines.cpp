// SPDX-License-Identifier: Apache-2.0

#include "shims/watch/python_lines.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>

namespace dlcert::shim {
namespace {

// Whoever holds Python's lock gives it away every 5 ms.
constexpr std::chrono::milliseconds patience{100};

// The functions of Python's C API, of the interpreter that is in this process. Objects are void*.
struct Api {
  int (*is_initialized)() = nullptr;
  int (*is_finalizing)() = nullptr;
  void* (*own_state)() = nullptr;      // of this thread, whether it has the lock or not
  void* (*current_state)() = nullptr;  // of the thread that has the lock
  int (*take_lock)() = nullptr;
  void (*give_lock)(int) = nullptr;
  int (*stop_collecting)() = nullptr;
  int (*collect_again)() = nullptr;
  void (*put_error_aside)(void**, void**, void**) = nullptr;
  void (*put_error_back)(void*, void*, void*) = nullptr;
  void (*forget_error)() = nullptr;
  void* (*frame_of)(void*) = nullptr;
  void* (*frame_behind)(void*) = nullptr;
  void* (*code_of)(void*) = nullptr;
  int (*line_of)(void*) = nullptr;
  void* (*attribute)(void*, const char*) = nullptr;
  const char* (*text_of)(void*) = nullptr;
  void (*drop)(void*) = nullptr;

  bool find();
};

template <class Function>
bool find(Function*& function, const char* name) {
  function = reinterpret_cast<Function*>(::dlsym(RTLD_DEFAULT, name));
  return function != nullptr;
}

bool Api::find() {
  const auto in = [](auto& function, const char* name) { return shim::find(function, name); };
  return in(is_initialized, "Py_IsInitialized") &&
         (in(is_finalizing, "Py_IsFinalizing") || in(is_finalizing, "_Py_IsFinalizing")) &&
         in(own_state, "PyGILState_GetThisThreadState") &&
         (in(current_state, "PyThreadState_GetUnchecked") ||
          in(current_state, "_PyThreadState_UncheckedGet")) &&
         in(take_lock, "PyGILState_Ensure") && in(give_lock, "PyGILState_Release") &&
         in(stop_collecting, "PyGC_Disable") && in(collect_again, "PyGC_Enable") &&
         in(put_error_aside, "PyErr_Fetch") && in(put_error_back, "PyErr_Restore") &&
         in(forget_error, "PyErr_Clear") && in(frame_of, "PyThreadState_GetFrame") &&
         in(frame_behind, "PyFrame_GetBack") && in(code_of, "PyFrame_GetCode") &&
         in(line_of, "PyFrame_GetLineNumber") && in(attribute, "PyObject_GetAttrString") &&
         in(text_of, "PyUnicode_AsUTF8") && in(drop, "Py_DecRef");
}

// NULL as long as there is no interpreter: a program may load one later.
const Api* api() {
  static std::atomic<const Api*> found{nullptr};
  if (const Api* const known = found.load(std::memory_order_acquire)) return known;
  Api looked_up;
  if (!looked_up.find()) return nullptr;
  found.store(new Api{looked_up}, std::memory_order_release);
  return found.load(std::memory_order_acquire);
}

std::string text(const Api& python, void* code, const char* name) {
  void* const value = python.attribute(code, name);
  const char* const characters = value == nullptr ? nullptr : python.text_of(value);
  std::string copy = characters == nullptr ? "" : characters;
  if (characters == nullptr) python.forget_error();
  if (value != nullptr) python.drop(value);
  return copy;
}

PythonLine line_at(const Api& python, void* frame) {
  void* const code = python.code_of(frame);
  PythonLine line{text(python, code, "co_filename"), python.line_of(frame),
                  text(python, code, "co_qualname")};
  if (line.function.empty()) line.function = text(python, code, "co_name");  // before 3.11
  python.drop(code);
  return line;
}

// The caller has the lock. No collection of garbage: it would run code of the program here.
std::vector<PythonLine> read_lines(const Api& python, void* state, std::size_t most) {
  const int collects = python.stop_collecting();
  void *type = nullptr, *value = nullptr, *trace = nullptr;
  python.put_error_aside(&type, &value, &trace);
  std::vector<PythonLine> lines;
  void* frame = python.frame_of(state);
  while (frame != nullptr && lines.size() < most) {
    lines.push_back(line_at(python, frame));
    python.drop(std::exchange(frame, python.frame_behind(frame)));
  }
  if (frame != nullptr) python.drop(frame);
  python.put_error_back(type, value, trace);
  if (collects != 0) python.collect_again();
  return lines;
}

// Reads the lines of threads that have given the lock away, as ctypes does: on a thread of its own,
// since whoever has the lock may wait for what the calling thread holds.
class Reader {
 public:
  explicit Reader(const Api& python) : python_{python} {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread{};
    const auto run = [](void* self) -> void* { static_cast<Reader*>(self)->serve(); };
    has_thread_ = pthread_create(&thread, nullptr, run, this) == 0;
    if (has_thread_) pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  // `state` is that of the calling thread.
  std::vector<PythonLine> ask(void* state, std::size_t most) {
    if (!has_thread_) return {};
    const auto until = std::chrono::steady_clock::now() + patience;
    std::unique_lock lock{mutex_};
    const auto idle = [&] { return asked_ == nullptr; };
    if (!changed_.wait_until(lock, until, idle)) return {};
    const auto asked = std::make_shared<Asked>(Asked{state, most});
    asked_ = asked;
    changed_.notify_all();
    const auto done = [&] { return asked->progress == Progress::done; };
    if (!changed_.wait_until(lock, until, done)) {
      if (asked->progress == Progress::waits) {
        asked->progress = Progress::given_up;
        return {};
      }
      changed_.wait(lock, done);  // it has the lock, and only reads
    }
    return std::move(asked->lines);
  }

  pid_t process() const { return process_; }

 private:
  enum class Progress { waits, given_up, reads, done };
  struct Asked {
    void* state;
    std::size_t most;
    Progress progress = Progress::waits;
    std::vector<PythonLine> lines = {};
  };

  // The interpreter ends this thread where it waits for the lock while Python ends.
  [[noreturn]] void serve() {
    for (;;) {
      const std::shared_ptr<Asked> asked = next();
      const int lock = python_.take_lock();
      if (begins(*asked)) asked->lines = read_lines(python_, asked->state, asked->most);
      finish(*asked);
      python_.give_lock(lock);
    }
  }

  std::shared_ptr<Asked> next() {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [&] { return asked_ != nullptr; });
    return asked_;
  }

  bool begins(Asked& asked) {
    const std::scoped_lock lock{mutex_};
    if (asked.progress == Progress::given_up) return false;
    asked.progress = Progress::reads;
    return true;
  }

  void finish(Asked& asked) {
    const std::scoped_lock lock{mutex_};
    asked.progress = Progress::done;
    asked_ = nullptr;
    changed_.notify_all();
  }

  const Api& python_;
  const pid_t process_ = ::getpid();
  bool has_thread_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::shared_ptr<Asked> asked_;
};

// A child that was forked has none of the threads of its parent. Never destroyed.
Reader& reader(const Api& python) {
  static std::atomic<Reader*> current{nullptr};
  Reader* found = current.load();
  if (found != nullptr && found->process() == ::getpid()) return *found;
  auto* const made = new Reader{python};
  return current.compare_exchange_strong(found, made) ? *made : *current.load();
}

}  // namespace

std::vector<PythonLine> python_lines(std::size_t most) {
  const Api* const python = api();
  if (python == nullptr || python->is_initialized() == 0 || python->is_finalizing() != 0) return {};
  void* const state = python->own_state();
  if (state == nullptr) return {};
  return python->current_state() == state ? read_lines(*python, state, most)
                                          : reader(*python).ask(state, most);
}

}  // namespace dlcert::shim
