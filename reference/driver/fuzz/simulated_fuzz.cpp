// SPDX-License-Identifier: Apache-2.0

#include "simulated_fuzz.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "dlcert/driver/simulated.hpp"

namespace dlcert::driver {
namespace {

constexpr std::size_t host_bytes = 4096;

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "simulated driver fuzzer: expected %s\n", what);
  std::abort();
}

class Program {
 public:
  explicit Program(std::span<const std::uint8_t> input) : input_{input} {
    SimulatedOptions options;
    options.devices = take() % 4;
    options.vendor = take() % 2 == 0 ? Vendor::cuda : Vendor::rocm;
    options.schedule = static_cast<Schedule>(take() % 3);
    options.memory_per_device = std::uint64_t{1} << 20;
    devices_ = options.devices;
    driver_.restart(options);
  }

  void run() {
    while (!input_.empty())
      step(take() % 40);
    for (const Stream stream : streams_)
      static_cast<void>(driver_.destroy_stream(stream));
    for (int device = 0; device < devices_; ++device) {
      see(driver_.set_device(device));
      see(driver_.synchronize_device());
    }
    // The next world must not find this program's memory in use.
    driver_.restart({.memory_per_device = std::uint64_t{1} << 20});
  }

 private:
  std::uint8_t take() {
    if (input_.empty()) return 0;
    const std::uint8_t byte = input_.front();
    input_ = input_.subspan(1);
    return byte;
  }

  void see(Status status) {
    const std::string_view name = status_name(Vendor::cuda, status);
    require(name != "unrecognized error code", "a status with a name");
  }

  template <class Handle>
  Handle one_of(const std::vector<Handle>& known) {
    const std::uint8_t choice = take();
    if (known.empty() || choice % 16 == 0) return Handle{choice * std::uintptr_t{0x10000001}};
    return known[choice % known.size()];
  }
  Stream stream() {
    const std::uint8_t choice = take();
    return choice % 4 == 0 ? Stream{choice / std::uintptr_t{4} % 3} : one_of(streams_);
  }
  Event event() { return one_of(events_); }

  // Somewhere in or behind device memory, at the start of other memory of the driver, or in this
  // object's own.
  std::byte* address() {
    const std::uint8_t choice = take();
    if (choice % 4 == 0 || memory_.empty()) return host_.data() + choice;
    std::byte* const begin = memory_[choice % memory_.size()];
    PointerAttributes attributes;
    if (driver_.attributes(begin, attributes) != Status::success ||
        attributes.kind != MemoryKind::device)
      return begin;
    return begin + take() % 32 * 8;
  }
  // Never beyond the own memory, whose end the driver cannot know.
  std::size_t bytes() { return take() * std::size_t{8}; }
  CopyDirection direction() { return static_cast<CopyDirection>(take() % 6); }

  void step(int what) {
    switch (what) {
      case 0:
        see(driver_.set_device(take() % 5 - 1));
        break;
      case 1:
        return make_stream();
      case 2:
        return make_event();
      case 3:
        return allocate();
      case 4:
        return release();
      case 5:
        return allocate_async();
      case 6:
        see(driver_.release_async(address(), stream()));
        break;
      case 7:
        see(driver_.copy(address(), address(), bytes(), direction()));
        break;
      case 8:
        see(driver_.copy_async(address(), address(), bytes(), direction(), stream()));
        break;
      case 9:
        return copy_rows();
      case 10:
        see(driver_.fill(address(), take(), bytes()));
        break;
      case 11:
        see(driver_.fill_async(address(), take(), bytes(), stream()));
        break;
      case 12:
        see(driver_.launch_host_function(
            stream(), [](void*) {}, nullptr));
        break;
      case 13:
        see(driver_.launch_host_function(stream(), nullptr, nullptr));
        break;
      case 14:
        see(driver_.query_stream(stream()));
        break;
      case 15:
        see(driver_.synchronize_stream(stream()));
        break;
      case 16:
        see(driver_.destroy_stream(stream()));
        break;
      case 17:
        see(driver_.destroy_event(event()));
        break;
      case 18:
        see(driver_.query_event(event()));
        break;
      case 19:
        see(driver_.synchronize_event(event()));
        break;
      case 20:
        return elapsed();
      case 21:
        see(driver_.synchronize_device());
        break;
      case 22:
        see(driver_.begin_capture(stream(), static_cast<CaptureMode>(take() % 3)));
        break;
      case 23:
        return end_capture();
      case 24:
        return instantiate();
      case 25:
        see(driver_.launch_graph(one_of(executables_), stream()));
        break;
      case 26:
        see(driver_.destroy_graph(one_of(graphs_)));
        break;
      case 27:
        see(driver_.destroy_graph_exec(one_of(executables_)));
        break;
      case 28:
        return ask();
      case 29:
        see(driver_.register_host(host_.data() + take(), bytes()));
        break;
      case 30:
        see(driver_.unregister_host(host_.data() + take()));
        break;
      case 31:
        return launch();
      case 32:
        driver_.host_access("host", {AccessKind::write, strided()});
        break;
      case 33:
        see(driver_.take_error());
        break;
      default:
        return what % 2 == 0 ? see(driver_.record_event(event(), stream()))
                             : see(driver_.wait_event(stream(), event()));
    }
  }

  void make_stream() {
    Stream made{};
    see(driver_.create_stream(static_cast<StreamKind>(take() % 2), 0, made));
    streams_.push_back(made);
  }
  void make_event() {
    Event made{};
    see(driver_.create_event(static_cast<EventTiming>(take() % 2), made));
    events_.push_back(made);
  }
  void keep(void* memory) {
    if (memory != nullptr) memory_.push_back(static_cast<std::byte*>(memory));
  }
  void allocate() {
    void* made = nullptr;
    see(driver_.allocate(static_cast<MemoryKind>(take() % 4), bytes(), made));
    keep(made);
  }
  void allocate_async() {
    void* made = nullptr;
    see(driver_.allocate_async(bytes(), stream(), made));
    keep(made);
  }
  void release() {
    const auto kind = static_cast<MemoryKind>(take() % 4);
    std::byte* const memory = address();
    const Status status = driver_.release(kind, memory);
    see(status);
    // What is the host's again must not be touched any more.
    if (status == Status::success) std::erase(memory_, memory);
  }
  void copy_rows() {
    const std::size_t row = take() % 16, pitch = take() % 32, rows = take() % 8;
    see(driver_.copy_2d_async(address(), pitch, address(), pitch, row, rows, direction(),
                              stream()));
  }
  void elapsed() {
    float milliseconds = 0;
    see(driver_.elapsed_milliseconds(event(), event(), milliseconds));
  }
  void end_capture() {
    Graph made{};
    see(driver_.end_capture(stream(), made));
    graphs_.push_back(made);
  }
  void instantiate() {
    GraphExec made{};
    see(driver_.instantiate(one_of(graphs_), made));
    executables_.push_back(made);
  }
  void ask() {
    PointerAttributes attributes;
    see(driver_.attributes(address(), attributes));
    CaptureStatus capture{};
    see(driver_.capture_status(stream(), capture));
    StreamKind kind{};
    see(driver_.stream_kind(stream(), kind));
    std::uint64_t id = 0;
    see(driver_.stream_id(stream(), id));
    static_cast<void>(driver_.view(address()));
  }
  StridedBytes strided() {
    const auto begin = reinterpret_cast<std::uintptr_t>(address());
    const std::size_t run = take();
    const std::size_t extent = take() % 8 + std::size_t{1};
    return {begin, run, {{extent, std::size_t{take()}}}};
  }
  void launch() {
    const SimulatedDriver::Access access{static_cast<AccessKind>(take() % 2), strided()};
    see(driver_.launch("kernel", stream(), {&access, 1}));
  }

  SimulatedDriver& driver_ = simulated_driver();
  std::span<const std::uint8_t> input_;
  int devices_ = 0;
  std::array<std::byte, host_bytes> host_{};
  std::vector<Stream> streams_;
  std::vector<Event> events_;
  std::vector<std::byte*> memory_;
  std::vector<Graph> graphs_;
  std::vector<GraphExec> executables_;
};

}  // namespace

void call_what_bytes_say(std::span<const std::uint8_t> input) {
  Program{input}.run();
}

}  // namespace dlcert::driver
