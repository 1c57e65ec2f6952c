// SPDX-License-Identifier: Apache-2.0
//
// Devices, runtime and telemetry of an adapter in Python: each function once, and what its
// arguments and answers are on the other side.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "bridge.hpp"

namespace dlcert {
namespace {

constexpr dlcert_value integer(std::int64_t value) {
  return {DLCERT_INT, 0, value, 0, 0, nullptr};
}
constexpr dlcert_value absent{DLCERT_ABSENT, 0, 0, 0, 0, nullptr};
constexpr dlcert_value null{DLCERT_NONE, 0, 0, 0, 0, nullptr};

// The table of gpu_adapter.py.
class Gpu {
 public:
  Gpu() : library_{source_of("gpu_adapter.py")}, table{library_.party().table()} {}

  // Calls a function of a group; its status.
  template <typename Slot, typename... Arguments>
  dlcert_status call(Slot slot, Arguments&&... arguments) {
    return slot(table.self, std::forward<Arguments>(arguments)..., &error);
  }
  // What it refuses is said so.
  template <typename Slot, typename... Arguments>
  std::string refusal(Slot slot, Arguments&&... arguments) {
    if (call(slot, std::forward<Arguments>(arguments)...) != DLCERT_REFUSED) return "no refusal";
    return std::string{error.type} + ": " + error.message;
  }
  template <typename Out, typename Slot, typename... Arguments>
  Out answer(Slot slot, Arguments&&... arguments) {
    Out out{};
    EXPECT_EQ(call(slot, std::forward<Arguments>(arguments)..., &out), DLCERT_OK) << error.message;
    return out;
  }
  template <typename Slot, typename... Arguments>
  std::vector<std::string> texts(Slot slot, Arguments&&... arguments) {
    Texts told;
    EXPECT_EQ(call(slot, std::forward<Arguments>(arguments)..., &told.list()), DLCERT_OK)
        << error.message;
    return told.texts;
  }
  std::vector<std::string> take_warnings() { return library_.take_warnings(); }

 private:
  Library library_;

 public:
  const dlcert_adapter& table;
  const dlcert_devices_group& devices = *table.devices;
  const dlcert_runtime_group& runtime = *table.gpu_runtime;
  const dlcert_telemetry_group& telemetry = *table.telemetry;
  dlcert_error error{sizeof(dlcert_error), 0, 0, {}, {}, 0, 0, {}};
};

using TextList = std::vector<std::string>;

TEST(PythonRuntime, IsARoleOfWhoHasOneOfItsMethods) {
  const Gpu gpu;
  EXPECT_EQ(gpu.table.roles, DLCERT_RUNTIME);
  EXPECT_EQ(gpu.table.tensor, nullptr) << "it neither makes tensors nor imports them";
  const Tiny tiny;
  EXPECT_FALSE((tiny.table.roles & DLCERT_RUNTIME) != 0);
  EXPECT_EQ(tiny.table.devices, nullptr);
  EXPECT_EQ(tiny.table.gpu_runtime, nullptr) << "with_guard is the base class's";
  EXPECT_EQ(tiny.table.telemetry, nullptr);
}

TEST(PythonRuntime, MayBeOfOneVendor) {
  const Gpu gpu;
  EXPECT_TRUE((gpu.table.properties & DLCERT_CUDA_ALONE) != 0);
  EXPECT_FALSE((gpu.table.properties & DLCERT_ROCM_ALONE) != 0);
}

TEST(PythonRuntime, ReadsTheEnvironmentBeforeEachCall) {
  Gpu gpu;
  ::unsetenv("CUDA_VISIBLE_DEVICES");
  EXPECT_EQ(gpu.texts(gpu.devices.visible_devices), TextList{"unset"});
  ::setenv("CUDA_VISIBLE_DEVICES", "1,0", 1);
  EXPECT_EQ(gpu.texts(gpu.devices.visible_devices), (TextList{"1", "0"}));
  ::unsetenv("CUDA_VISIBLE_DEVICES");
  EXPECT_EQ(gpu.texts(gpu.devices.visible_devices), TextList{"unset"});
}

TEST(PythonRuntime, TellsOfDevices) {
  Gpu gpu;
  const dlcert_devices_group& devices = gpu.devices;
  EXPECT_EQ(gpu.answer<std::int64_t>(devices.raw_device_count), -1);
  Texts uuids;
  std::int32_t known = 7;
  ASSERT_EQ(gpu.call(devices.raw_device_uuids, &uuids.list(), &known), DLCERT_OK);
  EXPECT_EQ(known, 0);
  ::setenv("CUDA_VISIBLE_DEVICES", "uuids", 1);
  ASSERT_EQ(gpu.call(devices.raw_device_uuids, &uuids.list(), &known), DLCERT_OK);
  ::unsetenv("CUDA_VISIBLE_DEVICES");
  EXPECT_EQ(known, 1);
  EXPECT_EQ(uuids.texts, (TextList{"GPU-1", "GPU-2"}));
  const char* const asked[] = {"b", "a"};
  const char* const all[] = {"a", "b"};
  std::vector<std::int64_t> found;
  const dlcert_number_list numbers{
      &found, [](void* list, std::int64_t number) {
        static_cast<std::vector<std::int64_t>*>(list)->push_back(number);
      }};
  ASSERT_EQ(
      gpu.call(devices.uuids_to_ordinals, dlcert_texts{asked, 2}, dlcert_texts{all, 2}, &numbers),
      DLCERT_OK);
  EXPECT_EQ(found, (std::vector<std::int64_t>{1, 0}));
  EXPECT_EQ(gpu.answer<std::int64_t>(devices.management_device_count), 2);
  EXPECT_EQ(gpu.answer<std::int64_t>(devices.device_count), 3);
  EXPECT_EQ(gpu.answer<std::int32_t>(devices.is_available), 1);
  const dlcert_value one = integer(1), two = integer(2);
  EXPECT_EQ(gpu.answer<std::int32_t>(devices.can_access_peer, &one, &two), 1);
  EXPECT_EQ(gpu.answer<std::int32_t>(devices.can_access_peer, &two, &one), 0);
  std::int32_t major = 0, minor = 0;
  ASSERT_EQ(gpu.call(devices.device_capability, &null, &major, &minor), DLCERT_OK);
  EXPECT_EQ(std::pair(major, minor), std::pair(9, 1));
  dlcert_device_properties properties{};
  properties.struct_size = sizeof(properties);
  ASSERT_EQ(gpu.call(devices.device_properties, &null, &properties), DLCERT_OK);
  EXPECT_STREQ(properties.name, "H100");
  EXPECT_EQ(properties.total_memory, std::uint64_t{1} << 40);
}

TEST(PythonRuntime, GetsDevicesOfEachKind) {
  Gpu gpu;
  const auto name = [&](const dlcert_value& device) {
    return gpu.texts(gpu.devices.device_name, &device).at(0);
  };
  EXPECT_EQ(name(absent), "<'absent'>");
  EXPECT_EQ(name(null), "<None>");
  EXPECT_EQ(name(integer(-2)), "<-2>");
  EXPECT_EQ(name({DLCERT_TEXT, 0, 0, 0, 0, "cuda:1"}), "<'cuda:1'>");
  EXPECT_EQ(name({DLCERT_PAIR, 0, 2, -1, 0, nullptr}), "<'device (2, -1)'>");
  EXPECT_EQ(name({DLCERT_GUARD, 0, 1, 0, 0, nullptr}), "<a guard of 1>");
  EXPECT_EQ(gpu.answer<std::int64_t>(gpu.devices.management_index, &absent), 70);
  std::int64_t index = 0;
  EXPECT_EQ(gpu.refusal(gpu.devices.device_index, &absent, 1, &index), "ValueError: None, True");
}

TEST(PythonRuntime, BehavesAsABuild) {
  Gpu gpu;
  dlcert_build build{sizeof(dlcert_build), DLCERT_BUILD_RUNTIME_BINDINGS, DLCERT_BINDINGS_MISSING,
                     0, "sm_90 compute_80"};
  EXPECT_EQ(gpu.call(gpu.runtime.behave_as, &build), DLCERT_NOT_FORMABLE);
  build.flags |= DLCERT_BUILD_GPU;
  ASSERT_EQ(gpu.call(gpu.runtime.behave_as, &build), DLCERT_OK);
  EXPECT_EQ(gpu.answer<std::int32_t>(gpu.runtime.is_initialized), 1);
  EXPECT_EQ(gpu.texts(gpu.runtime.architectures), (TextList{"sm_90", "compute_80"}));
  EXPECT_EQ(gpu.texts(gpu.runtime.gencode_flags), TextList{""});
  EXPECT_EQ(gpu.answer<std::int64_t>(gpu.runtime.parse_architecture, "sm_90a"), 90);
  EXPECT_EQ(gpu.answer<std::int32_t>(gpu.runtime.supports_bfloat16, 1), 0);
}

TEST(PythonRuntime, QueuesCalls) {
  Gpu gpu;
  int made = 0;
  const auto counts = [](void* context, dlcert_error*) -> dlcert_status {
    ++*static_cast<int*>(context);
    return DLCERT_OK;
  };
  const auto fails = [](void*, dlcert_error* error) -> dlcert_status {
    *error = {sizeof(dlcert_error), DLCERT_ERROR_VALUE, 0, "ValueError", "not yet", 0, 0, {}};
    return DLCERT_REFUSED;
  };
  ASSERT_EQ(gpu.call(gpu.runtime.queue, DLCERT_CALL_PLAIN, +counts, &made), DLCERT_OK);
  EXPECT_EQ(made, 0);
  ASSERT_EQ(gpu.call(gpu.runtime.initialize), DLCERT_OK) << gpu.error.message;
  EXPECT_EQ(made, 1);
  ASSERT_EQ(gpu.call(gpu.runtime.queue, DLCERT_CALL_SEED, +fails, nullptr), DLCERT_OK);
  EXPECT_EQ(gpu.refusal(gpu.runtime.initialize), "LateError: kind 1: not yet");
  EXPECT_EQ(gpu.error.kind, DLCERT_ERROR_DEFERRED);
  EXPECT_EQ(gpu.error.cause, DLCERT_CAUSE_TOLD);
  EXPECT_EQ(gpu.error.cause_kind, DLCERT_ERROR_VALUE);
  EXPECT_STREQ(gpu.error.cause_message, "not yet");
}

TEST(PythonRuntime, TellsThatAnErrorHasNoCause) {
  Gpu gpu;
  EXPECT_NE(gpu.refusal(gpu.runtime.set_generator_offset, 4, &null), "no refusal");
  EXPECT_EQ(gpu.error.cause, DLCERT_CAUSE_NONE);
}

TEST(PythonRuntime, MakesGuards) {
  Gpu gpu;
  const dlcert_runtime_group& runtime = gpu.runtime;
  const auto with = [&](dlcert_guard* guard, dlcert_queued_call body) {
    return gpu.call(runtime.with_guard, guard, body, nullptr);
  };
  const auto nothing = [](void*, dlcert_error*) -> dlcert_status { return DLCERT_OK; };
  const auto fails = [](void*, dlcert_error* error) -> dlcert_status {
    *error = {sizeof(dlcert_error), DLCERT_ERROR_BUFFER, 0, "BufferError", "raised", 0, 0, {}};
    return DLCERT_REFUSED;
  };
  const dlcert_value one = integer(1);
  const dlcert_runtime_stream stream{1, 2, 3, 4};
  auto* const of_device = gpu.answer<dlcert_guard*>(runtime.device_guard, &one);
  auto* const of_object = gpu.answer<dlcert_guard*>(runtime.device_of_guard, &one);
  auto* const of_stream = gpu.answer<dlcert_guard*>(runtime.stream_guard, &stream);
  EXPECT_EQ(with(of_device, nothing), DLCERT_OK) << gpu.error.message;
  EXPECT_EQ(with(of_object, nothing), DLCERT_OK) << gpu.error.message;
  EXPECT_EQ(with(of_stream, fails), DLCERT_REFUSED);
  EXPECT_EQ(gpu.error.kind, DLCERT_ERROR_BUFFER);
  EXPECT_STREQ(gpu.error.message, "raised");
  EXPECT_EQ(gpu.refusal(runtime.ipc_collect),
            "ValueError: in 1 out of 1, None in Stream(id=1, device_index=2, device_type=3, "
            "handle=4) out of Stream(id=1, device_index=2, device_type=3, handle=4), "
            "BufferError('raised')");
  for (dlcert_guard* const guard : {of_device, of_object, of_stream})
    runtime.drop_guard(gpu.table.self, guard);
}

void expect_equal(const dlcert_runtime_stream& expected, const dlcert_runtime_stream& found) {
  EXPECT_EQ(found.id, expected.id);
  EXPECT_EQ(found.device_index, expected.device_index);
  EXPECT_EQ(found.device_type, expected.device_type);
  EXPECT_EQ(found.handle, expected.handle);
}

TEST(PythonRuntime, TellsOfStreams) {
  Gpu gpu;
  const dlcert_runtime_group& runtime = gpu.runtime;
  using Stream = dlcert_runtime_stream;
  expect_equal({1, 2, 3, std::uint64_t{1} << 63}, gpu.answer<Stream>(runtime.new_stream, &absent));
  expect_equal({4, 5, 6, ~std::uint64_t{0}},
               gpu.answer<Stream>(runtime.external_stream, ~std::uint64_t{0}, &null));
  expect_equal({7, 0, 1, 0}, gpu.answer<Stream>(runtime.current_stream_of, &null));
  expect_equal({0, 0, 1, 0}, gpu.answer<Stream>(runtime.default_stream_of, &null));
  const Stream* const no_stream = nullptr;
  EXPECT_EQ(gpu.refusal(runtime.set_stream, no_stream), "ValueError: None");
  EXPECT_EQ(gpu.refusal(runtime.synchronize_device, &null), "ValueError: None");
  EXPECT_EQ(gpu.refusal(runtime.sleep, 99), "ValueError: 99");
  EXPECT_EQ(gpu.answer<std::uint64_t>(runtime.blas_handle), ~std::uint64_t{0});
}

TEST(PythonRuntime, TellsOfItsState) {
  Gpu gpu;
  const dlcert_runtime_group& runtime = gpu.runtime;
  EXPECT_NE(gpu.answer<const void*>(runtime.runtime_bindings), nullptr);
  EXPECT_EQ(gpu.refusal(runtime.check_error, 700), "RuntimeError: code 700");
  EXPECT_EQ(gpu.answer<std::int64_t>(runtime.constant, DLCERT_CONSTANT_STATUS_NOT_READY), 600);
  const dlcert_value one = integer(1);
  EXPECT_EQ(gpu.refusal(runtime.set_device, &one), "TypeError: 1");
  EXPECT_EQ(gpu.answer<std::int64_t>(runtime.exchange_device, 5), 4);
  EXPECT_EQ(gpu.answer<std::int64_t>(runtime.maybe_exchange_device, 5), 3);
  const dlcert_value mode{DLCERT_TEXT, 0, 0, 0, 0, "warn"};
  EXPECT_EQ(gpu.refusal(runtime.set_sync_debug_mode, &mode), "ValueError: warn");
  EXPECT_EQ(gpu.answer<std::int64_t>(runtime.sync_debug_mode), 2);
  EXPECT_EQ(gpu.refusal(runtime.set_generator_offset, 4, &absent), "ValueError: 4 of None");
  EXPECT_EQ(gpu.answer<std::int64_t>(runtime.generator_offset, &null), 8);
}

TEST(PythonRuntime, MakesStoragesAndObjects) {
  Gpu gpu;
  const dlcert_runtime_group& runtime = gpu.runtime;
  EXPECT_EQ(gpu.texts(runtime.storage_classes), (TextList{"ByteStorage", "BoolStorage"}));
  EXPECT_EQ(gpu.texts(runtime.registered_kernels), (TextList{"sparse_product"}));
  const auto dtype = gpu.answer<dlcert_dtype>(runtime.storage_dtype, "ByteStorage", 1);
  EXPECT_EQ(dtype.bits, 8);
  EXPECT_EQ(gpu.take_warnings(), TextList{"FutureWarning: ByteStorage"});
  EXPECT_EQ(gpu.refusal(runtime.build_storage, "ByteStorage", DLCERT_STORAGE_FROM_SHARED_FILE),
            "RuntimeError: ByteStorage from SHARED_FILE");
  const dlcert_value zero = integer(0);
  auto* const object = gpu.answer<dlcert_gpu_object*>(runtime.gpu_object, &zero);
  std::int32_t is_gpu = 0, is_sparse = 1;
  ASSERT_EQ(gpu.call(runtime.describe_gpu_object, object, &is_gpu, &is_sparse), DLCERT_OK);
  EXPECT_EQ(std::pair(is_gpu, is_sparse), std::pair(1, 0));
  EXPECT_EQ(gpu.refusal(runtime.convert_gpu_object, object, "ByteStorage"),
            "ValueError: [0] to ByteStorage");
  runtime.drop_gpu_object(gpu.table.self, object);
}

TEST(PythonRuntime, Measures) {
  Gpu gpu;
  const auto measured = [&](auto slot) {
    const auto found = gpu.answer<dlcert_measurement>(slot, &null);
    return std::pair(found.value, found.unit);
  };
  const auto expected = [](std::int64_t value, std::int32_t unit) {
    return std::pair(value, unit);
  };
  EXPECT_EQ(measured(gpu.telemetry.memory_usage), expected(50, DLCERT_UNIT_PERCENT));
  EXPECT_EQ(measured(gpu.telemetry.utilization), expected(60, DLCERT_UNIT_NOT_TOLD));
  EXPECT_EQ(measured(gpu.telemetry.temperature), expected(-5, DLCERT_UNIT_DEGREES_CELSIUS));
  EXPECT_EQ(measured(gpu.telemetry.power_draw), expected(70'000, DLCERT_UNIT_MILLIWATTS));
  dlcert_measurement found{};
  EXPECT_EQ(gpu.refusal(gpu.telemetry.clock_rate, &null, &found), "OSError: no sensor");
}

TEST(PythonRuntimeDeathTest, IsAtFaultForAnAnswerThatIsNone) {
  Gpu gpu;
  std::int64_t index = 0;
  EXPECT_EXIT(gpu.call(gpu.runtime.current_device_index, &index), testing::ExitedWithCode(2),
              "current_device_index\\(\\): wrong return value 'no number': 'str' object cannot");
}

}  // namespace
}  // namespace dlcert
