// SPDX-License-Identifier: Apache-2.0
//
// The consumer's side: which stream it names, and which memory it takes. Sources: array API
// 2024.12, `from_dlpack` and `__dlpack__`.

#include <gtest/gtest.h>

#include "dlcert/tensor/import.hpp"

#include "device_fixture.hpp"
#include "foreign_tensor.hpp"
#include "spy.hpp"

namespace dlcert::reference {
namespace {

/// A library whose work on its tensor is enqueued on a stream of its own.
class Library final : public DlpackObject {
 public:
  Library(const Tensor& tensor, Stream stream) : tensor_(tensor), stream_(stream) {}

  DLDevice dlpack_device() override { return tensor_.device(); }
  Exported dlpack(const ExportRequest& request) override {
    const StreamGuard guard(ordinal_of(tensor_.device()), stream_);
    return std::visit([](auto* managed) { return Exported(managed); },
                      exporter.managed(tensor_, request));
  }

 private:
  const Tensor& tensor_;
  Stream stream_;
};

class StreamImportTest : public OnDevices {
 protected:
  /// What the importer asks of a source on a device.
  ExportRequest request_for(DLDevice source, const Argument& device = Absent{}) {
    const Tensor tensor =
        Tensor::zeros(uint8(), {size}, same_device(source, cpu_device) ? cpu_device : source);
    Spy spy(std::visit([](auto* managed) { return Exported(managed); },
                       exporter.managed(tensor, {.max_version = Pair{1, 3}})));
    spy.device = source;
    const Tensor imported = importer.import(spy, {.device = device});
    return spy.request;
  }
  Argument stream_for(DLDevice source, Stream current) {
    const StreamGuard guard(ordinal_of(source), current);
    return request_for(source).stream;
  }
  static Argument either(std::int64_t on_cuda_number, std::int64_t on_rocm_number) {
    return on_cuda() ? on_cuda_number : on_rocm_number;
  }

  /// The refusal of a tensor of somebody else that claims to be on a device.
  static std::optional<ErrorKind> refusal(DLDevice claimed, void* data) {
    ForeignVersioned foreign;
    foreign.tensor().data = data;
    foreign.tensor().device = claimed;
    const std::optional<ErrorKind> kind =
        kind_of_error([&] { return importer.import(&foreign.managed); });
    EXPECT_EQ(foreign.releases, kind ? 0 : 1);
    return kind;
  }
};
DLCERT_ON_BOTH_VENDORS(StreamImportTest);

TEST_P(StreamImportTest, NamesTheDefaultStreamByTheVendorsNumber) {
  EXPECT_EQ(stream_for(device(), Stream::null), either(1, 0));
  EXPECT_EQ(stream_for(device(), Stream::legacy), either(1, 0));
}

TEST_P(StreamImportTest, NamesThePerThreadStreamWhereItHasANumber) {
  EXPECT_EQ(stream_for(device(), Stream::per_thread), either(2, 0));
}

TEST_P(StreamImportTest, NamesOtherStreamsByTheirHandle) {
  const Stream made = stream();
  EXPECT_EQ(stream_for(device(), made), number(made));
}

TEST_P(StreamImportTest, NamesTheStreamOfTheSourcesDeviceNotOfTheCurrentOne) {
  const Stream here = stream(0), there = stream(1);
  const StreamGuard current_here(0, here);
  EXPECT_EQ(request_for(device(1)).stream, either(1, 0));
  const StreamGuard current_there(1, there);
  EXPECT_EQ(request_for(device(1)).stream, number(there));
  const DeviceGuard other(1);
  EXPECT_EQ(request_for(device(0)).stream, number(here));
}

TEST_P(StreamImportTest, NamesNoStreamWhereThereIsNone) {
  const StreamGuard guard(0, stream());
  EXPECT_EQ(request_for(cpu_device).stream, Argument(Absent{}));
  for (const DLDevice source : shared_memories())
    EXPECT_EQ(request_for(source).stream, Argument(Absent{})) << to_string(source);
}

TEST_P(StreamImportTest, NamesNoStreamForACopyOnTheCpu) {
  const StreamGuard guard(0, stream());
  for (const DLDevice source : memories()) {
    const ExportRequest asked = request_for(source, Pair{kDLCPU, 0});
    EXPECT_EQ(asked.stream, Argument(Absent{})) << to_string(source);
    EXPECT_EQ(asked.dl_device, Argument(Pair{kDLCPU, 0}));
  }
}

TEST_P(StreamImportTest, TheCurrentStreamSeesWhatTheProducerHasPending) {
  on_every_schedule([&] {
    for (const Stream current : {Stream::null, Stream::legacy, Stream::per_thread, stream()}) {
      const Stream producer = stream();
      const Tensor tensor = [&] {
        const StreamGuard guard(0, producer);
        return Tensor::zeros(uint8(), {size}, device());
      }();
      fill(producer, tensor, 7);
      Library library(tensor, producer);
      const StreamGuard guard(0, current);
      const Tensor imported = importer.import(library, {});
      EXPECT_EQ(imported.first_element(), tensor.first_element());
      EXPECT_EQ(seen_by(current, imported.first_element()), all(7));
      EXPECT_EQ(logical(imported), all(7));
    }
  });
}

TEST_P(StreamImportTest, ImportsForTheCpuAreComplete) {
  for (const DLDevice there : memories()) {
    SCOPED_TRACE(to_string(there));
    const int ordinal = ordinal_of(there);
    const Stream producer = stream(ordinal);
    const StreamGuard guard(ordinal, producer);
    const Tensor tensor = Tensor::zeros(uint8(), {size}, there);
    fill(producer, tensor, 7);
    Library library(tensor, producer);
    const Tensor imported = importer.import(library, {.device = Pair{kDLCPU, 0}});
    EXPECT_TRUE(same_device(imported.device(), cpu_device));
    EXPECT_EQ(bytes_at(imported.first_element()), all(7));
  }
}

TEST_P(StreamImportTest, PinnedAndManagedMemoryIsCompleteForTheHost) {
  for (const DLDevice there : shared_memories()) {
    const Stream producer = stream();
    const StreamGuard guard(0, producer);
    const Tensor tensor = Tensor::zeros(uint8(), {size}, there);
    for (const Argument& copy : {Argument{Absent{}}, Argument{true}}) {
      fill(producer, tensor, 7);
      Library library(tensor, producer);
      const Tensor imported = importer.import(library, {.copy = copy});
      EXPECT_EQ(bytes_at(imported.first_element()), all(7)) << to_string(there);
    }
  }
}

TEST_P(StreamImportTest, TheCurrentStreamCopiesWhatTheProducerDidNot) {
  on_every_schedule([&] {
    const Stream consumer = stream();
    const StreamGuard guard(0, consumer);
    const Tensor tensor = Tensor::zeros(uint8(), {size}, device());
    fill(consumer, tensor, 7);
    Spy spy(std::visit([](auto* managed) { return Exported(managed); },
                       exporter.managed(tensor, {.stream = number(consumer)})));
    spy.device = device();
    const Tensor imported = importer.import(spy, {.copy = true});
    EXPECT_NE(imported.first_element(), tensor.first_element());
    EXPECT_EQ(seen_by(consumer, imported.first_element()), all(7));
  });
}

TEST_P(StreamImportTest, TakesMemoryOfEveryKindThatTheDriverKnows) {
  for (const DLDevice there : memories()) {
    const Tensor tensor = Tensor::zeros(uint8(), {size}, there);
    EXPECT_EQ(refusal(there, tensor.first_element() + 8), std::nullopt) << to_string(there);
  }
}

TEST_P(StreamImportTest, RefusesMemoryThatTheDriverDoesNotKnow) {
  std::array<std::int16_t, 6> host{};
  for (const DLDevice claimed : memories())
    EXPECT_EQ(refusal(claimed, host.data()), ErrorKind::buffer) << to_string(claimed);
}

/// No text obliges a producer to tell managed memory by its own code.
bool may_be_told_as(DLDevice actual, DLDevice claimed) {
  return actual.device_type == kDLCUDAManaged && same_device(claimed, {kDLCUDA, 0});
}

TEST_P(StreamImportTest, RefusesMemoryOfAnotherDeviceOrKind) {
  for (const DLDevice actual : memories()) {
    const Tensor tensor = Tensor::zeros(uint8(), {size}, actual);
    for (const DLDevice claimed : memories()) {
      if (same_device(actual, claimed) || may_be_told_as(actual, claimed)) continue;
      EXPECT_EQ(refusal(claimed, tensor.first_element()), ErrorKind::buffer)
          << to_string(actual) << " as " << to_string(claimed);
    }
  }
}

TEST_P(StreamImportTest, TakesManagedMemoryThatIsToldAsADevices) {
  if (!on_cuda()) return;
  const Tensor tensor = Tensor::zeros(uint8(), {size}, DLDevice{kDLCUDAManaged, 0});
  EXPECT_EQ(refusal(device(), tensor.first_element()), std::nullopt);
}

TEST_P(StreamImportTest, RefusesMemoryThatWasReleased) {
  std::byte* const gone = Tensor::zeros(uint8(), {size}, device()).first_element();
  EXPECT_EQ(refusal(device(), gone), ErrorKind::buffer);
}

TEST_P(StreamImportTest, RefusesElementsBeyondTheMemory) {
  const Tensor tensor = Tensor::zeros(uint8(), {size}, device());
  std::byte* const last = tensor.first_element() + size - 1;
  EXPECT_EQ(refusal(device(), last), ErrorKind::buffer);
}

TEST_P(StreamImportTest, RefusesDevicesThatAreNotThere) {
  const Tensor tensor = Tensor::zeros(uint8(), {size}, device());
  const DLDeviceType other_vendor = on_cuda() ? kDLROCM : kDLCUDA;
  for (const DLDevice claimed : {device(2), device(-1), DLDevice{pinned().device_type, 1},
                                 DLDevice{other_vendor, 0}, DLDevice{kDLOneAPI, 0}}) {
    EXPECT_EQ(refusal(claimed, tensor.first_element()), ErrorKind::buffer) << to_string(claimed);
  }
}

TEST_P(StreamImportTest, AsksForNoDeviceButTheSourcesAndTheCpu) {
  const Tensor tensor = Tensor::zeros(uint8(), {size}, device(0));
  ForeignVersioned foreign;
  Spy spy(&foreign.managed);
  for (const DLDevice source : {device(0), cpu_device}) {
    spy.device = source;
    for (const DLDevice target : {device(1), pinned()}) {
      const Pair asked{target.device_type, target.device_id};
      EXPECT_EQ(kind_of_error([&] { return importer.import(spy, {.device = asked}); }),
                ErrorKind::buffer)
          << to_string(source) << " to " << to_string(target);
    }
  }
  EXPECT_EQ(spy.exports, 0);
  Library library(tensor, Stream::null);
  const Tensor same = importer.import(library, {.device = Pair{device(0).device_type, 0}});
  EXPECT_EQ(same.first_element(), tensor.first_element());
}

TEST_P(StreamImportTest, EmptyTensorsNeedNoMemory) {
  for (const DLDevice there : memories()) {
    ForeignVersioned foreign;
    foreign.shape = {0, 3};
    foreign.tensor().data = nullptr;
    foreign.tensor().device = there;
    const Tensor tensor = importer.import(&foreign.managed);
    EXPECT_TRUE(tensor.is_empty());
    EXPECT_TRUE(same_device(tensor.device(), there));
  }
}

TEST_P(StreamImportTest, AnImportIsExportedAgainOnItsDevice) {
  const Tensor tensor = Tensor::zeros(uint8(), {size}, device(1));
  const Tensor imported = importer.import(exporter.versioned(tensor.sliced(0, 8, 16)));
  const Held again(exporter.managed(imported, {.stream = std::int64_t{-1}}));
  EXPECT_TRUE(same_device(again.tensor().device, device(1)));
  EXPECT_EQ(again.first_element(), tensor.first_element() + 8);
}

}  // namespace
}  // namespace dlcert::reference
