// SPDX-License-Identifier: Apache-2.0
//
// The legacy storage classes, and what objects on GPUs have in common.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "registration.hpp"
#include "runtime/support.hpp"
#include "testbench/environment.hpp"
#include "testbench/errors.hpp"

namespace dlcert::runtime {

DLCERT_FAMILY(storages)

namespace {

using testbench::ArrangedEnvironment;
using testbench::expect_kind;

struct StorageClass {
  const char* name;
  dlcert_dtype dtype;
};

constexpr std::array<StorageClass, 12> storages{{{"ByteStorage", {1, 8, 1}},
                                                 {"CharStorage", {0, 8, 1}},
                                                 {"ShortStorage", {0, 16, 1}},
                                                 {"IntStorage", {0, 32, 1}},
                                                 {"LongStorage", {0, 64, 1}},
                                                 {"HalfStorage", {2, 16, 1}},
                                                 {"FloatStorage", {2, 32, 1}},
                                                 {"DoubleStorage", {2, 64, 1}},
                                                 {"BoolStorage", {6, 8, 1}},
                                                 {"BFloat16Storage", {4, 16, 1}},
                                                 {"ComplexFloatStorage", {5, 64, 1}},
                                                 {"ComplexDoubleStorage", {5, 128, 1}}}};

DLCERT_CHECK(storage_class_is_registered,
             on_both_vendors(in_fresh_process("runtime.storage.dtypes",
                                              "the legacy storage class is registered",
                                              storages.size()))) {
  const ArrangedEnvironment arranged{c, {}};
  const std::string name = storages.at(c.row).name;
  const auto found = require(GpuRuntime{c.subject()}.storage_classes(), "storage_classes");
  expect_equal(fmt::format("registrations of {}", name), std::ptrdiff_t{1},
               std::ranges::count(found, name));
}

DLCERT_CHECK(storage_class_has_its_dtype,
             on_both_vendors(in_fresh_process("runtime.storage.dtypes",
                                              "the storage class has its data type",
                                              storages.size()))) {
  const ArrangedEnvironment arranged{c, {}};
  const GpuRuntime runtime{c.subject()};
  const StorageClass& storage = storages.at(c.row);
  for (const bool published : {false, true})
    expect_equal(fmt::format("dtype of {}", storage.name), storage.dtype,
                 require(runtime.storage_dtype(storage.name, published), "storage_dtype"));
}

DLCERT_CHECK(published_dtype_warns,
             on_both_vendors(in_fresh_process("runtime.storage.dtypes",
                                              "the published data type alone warns of removal",
                                              storages.size()))) {
  const ArrangedEnvironment arranged{c, {}};
  const GpuRuntime runtime{c.subject()};
  const char* const name = storages.at(c.row).name;
  c.take_warnings();
  require(runtime.storage_dtype(name, false), "storage_dtype");
  expect(c.take_warnings().empty(), "the library's own dtype of {}: expected no warning", name);
  require(runtime.storage_dtype(name, true), "storage_dtype");
  expect(!c.take_warnings().empty(), "the published dtype of {}: expected a warning but found none",
         name);
}

DLCERT_CHECK(storage_cannot_be_built_of,
             on_both_vendors(in_fresh_process("runtime.storage.unsupported",
                                              "a GPU storage is not built of foreign memory",
                                              storages.size() * 3))) {
  constexpr std::array sources{DLCERT_STORAGE_FROM_BUFFER, DLCERT_STORAGE_FROM_WEAK_POINTER,
                               DLCERT_STORAGE_FROM_SHARED_FILE};
  constexpr std::array source_names{"a buffer", "a weak pointer", "a shared file"};
  const ArrangedEnvironment arranged{c, {}};
  const char* const name = storages.at(c.row / sources.size()).name;
  const std::size_t source = c.row % sources.size();
  c.take_warnings();
  const auto outcome = GpuRuntime{c.subject()}.build_storage(name, sources.at(source));
  expect_refusal(!outcome.ok(), "{} from {}: expected a refusal but it was built", name,
                 source_names.at(source));
  expect_kind(c.subject(), outcome.error(), DLCERT_ERROR_RUNTIME, "error");
}

DLCERT_CHECK(storage_of_a_buffer_is_warned_of,
             on_both_vendors(in_fresh_process(
                 "runtime.storage.unsupported",
                 "building a GPU storage from a buffer warns of removal before it is refused",
                 storages.size()))) {
  const ArrangedEnvironment arranged{c, {}};
  const char* const name = storages.at(c.row).name;
  c.take_warnings();
  require_refused(GpuRuntime{c.subject()}.build_storage(name, DLCERT_STORAGE_FROM_BUFFER),
                  "build_storage");
  expect(!c.take_warnings().empty(), "{} from a buffer: expected a warning but found none", name);
}

// ---- objects on GPUs ----------------------------------------------------------------------------

GpuObject make_object(const GpuRuntime& runtime, int device) {
  return require(runtime.gpu_object(integer(device)), "gpu_object");
}

DLCERT_CHECK(object_starts_the_runtime,
             on_both_vendors(in_fresh_process("runtime.storage.lazy-and-device",
                                              "making an object starts the runtime"))) {
  const ArrangedEnvironment arranged{c, {.devices = device_count}};
  const GpuRuntime runtime{c.subject()};
  const GpuObject object = make_object(runtime, draw_device(c));
  expect_initialized(runtime, true, "after making an object");
}

DLCERT_CHECK(object_is_dense_and_on_a_gpu,
             on_both_vendors(in_fresh_process("runtime.storage.lazy-and-device",
                                              "an object is dense and on a GPU"))) {
  const ArrangedEnvironment arranged{c, {.devices = device_count}};
  const GpuRuntime runtime{c.subject()};
  const GpuObject object = make_object(runtime, draw_device(c));
  const GpuObjectKind kind = require(runtime.describe(object), "describe_gpu_object");
  expect_equal("is_cuda", true, kind.is_gpu);
  expect_equal("is_sparse", false, kind.is_sparse);
}

bool allocates(const driver::Call& call) {
  return call.function.starts_with("allocate");
}

DLCERT_CHECK(conversion_stays_on_the_objects_device,
             if_touched(on_both_vendors(in_fresh_process("runtime.storage.lazy-and-device",
                                                         "an object is converted on its own device",
                                                         storages.size())))) {
  ArrangedEnvironment arranged{c, {.devices = device_count}};
  const GpuRuntime runtime{c.subject()};
  const int current = draw_device(c);
  use_all_devices(current);
  const int device = draw_other_device(c, current);
  const GpuObject object = make_object(runtime, device);
  const char* const type = storages.at(c.row).name;
  set_device_of_driver(current);
  arranged.runtime_calls();
  require(runtime.convert(object, type), fmt::format("convert_gpu_object to {}", type));
  expect_current(runtime, current, "after the conversion of an object");
  const std::vector<driver::Call> calls = arranged.runtime_calls();
  testbench::touched_if(c, std::ranges::any_of(calls, allocates), "converted without new memory");
  for (const driver::Call& call : calls)
    expect(!allocates(call) || call.device == device,
           "memory for the conversion of an object of device {}: found it taken on device {}",
           device, call.device);
}

}  // namespace
}  // namespace dlcert::runtime
