// SPDX-License-Identifier: Apache-2.0
//
// libamd_smi.so with the structures of the library that DLCERT_AMD_SMI says: of AMD SMI 24.7 (ROCm
// 6.3) for 24, of AMD SMI 26.2 (ROCm 7.1.1) for 26. Each GPU is the one processor of a socket of
// its own; handles stay valid for the whole process.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shims/management/calls.h"

enum {
  AMDSMI_STATUS_SUCCESS = 0,
  AMDSMI_STATUS_INVAL = 1,
  AMDSMI_STATUS_NOT_SUPPORTED = 2,
  AMDSMI_STATUS_NOT_INIT = 32,
  AMDSMI_GPU_UUID_SIZE = 38,
  SERIAL_SIZE = 17,
  MEBIBYTE = 1 << 20
};

typedef uint32_t amdsmi_status_t;

// A handle points at one of these.
struct amd_device {
  char unused;
};
typedef struct amd_device* amdsmi_handle;

#if DLCERT_AMD_SMI == 24

typedef struct {
  uint32_t numbers[4];  // year, major, minor, release
  const char* build;
} amdsmi_version_t;

static const amdsmi_version_t own_version = {{24, 7, 1, 0}, "24.7.1.0"};

typedef struct {
  char market_name[256];
  uint32_t vendor_id;
  char vendor_name[64];
  uint32_t subvendor_id;
  uint64_t device_id;
  uint32_t rev_id;
  char asic_serial[32];
  uint32_t oam_id;
  uint32_t num_of_compute_units;
  uint64_t target_graphics_version;
  uint32_t reserved[15];
} amdsmi_asic_info_t;

typedef struct {
  uint32_t current_socket_power, average_socket_power, gfx_voltage, soc_voltage, mem_voltage;
  uint32_t power_limit, reserved[11];
} amdsmi_power_info_t;

#elif DLCERT_AMD_SMI == 26

typedef struct {
  uint32_t numbers[3];  // major, minor, release
  const char* build;
} amdsmi_version_t;

static const amdsmi_version_t own_version = {{26, 2, 0}, "26.2.0"};

typedef struct {
  char market_name[256];
  uint32_t vendor_id;
  char vendor_name[256];
  uint32_t subvendor_id;
  uint64_t device_id;
  uint32_t rev_id;
  char asic_serial[256];
  uint32_t oam_id;
  uint32_t num_of_compute_units;
  uint64_t target_graphics_version;
  uint32_t subsystem_id;
  uint32_t reserved[21];
} amdsmi_asic_info_t;

typedef struct {
  uint64_t socket_power;
  uint32_t current_socket_power, average_socket_power;
  uint64_t gfx_voltage, soc_voltage, mem_voltage;
  uint32_t power_limit;
  uint64_t reserved[18];
} amdsmi_power_info_t;

#else
#error "expected 24 or 26 for DLCERT_AMD_SMI"
#endif

typedef struct {
  uint32_t gfx_activity, umc_activity, mm_activity, reserved[13];
} amdsmi_engine_usage_t;

typedef struct {
  uint32_t clk, min_clk, max_clk;
  uint8_t clk_locked, clk_deep_sleep;
  uint32_t reserved[4];
} amdsmi_clk_info_t;

typedef struct {
  uint32_t vram_total, vram_used, reserved[2];
} amdsmi_vram_usage_t;

typedef struct {
  uint32_t drm_render, drm_card, hsa_id, hip_id;
  char hip_uuid[256];
} amdsmi_enumeration_info_t;

const struct management_library management_library = {
    .prefix = "amdsmi",
    .uninitialized = AMDSMI_STATUS_NOT_INIT,
    .malformed_settings = AMDSMI_STATUS_INVAL,
    .default_power = 80,
};

static struct amd_device sockets[MANAGEMENT_DEVICES];
static struct amd_device processors[MANAGEMENT_DEVICES];

#define AMDSMI __attribute__((visibility("default"))) amdsmi_status_t
#define BEGIN(...)                                                         \
  struct management_call call;                                             \
  uint32_t code = 0;                                                       \
  if (!management_begin(&call, __func__, true, &code, __VA_ARGS__)) {      \
    return code;                                                           \
  }                                                                        \
  const struct management_settings* const settings = management_current(); \
  (void)settings
#define END(answer) return management_end(&call, answer)
#define REQUIRE(condition, answer) \
  if (!(condition)) {              \
    END(answer);                   \
  }                                \
  (void)0

static int index_in(const struct amd_device* all, amdsmi_handle handle) {
  for (int i = 0; i < MANAGEMENT_DEVICES; ++i) {
    if (handle == &all[i]) {
      return i;
    }
  }
  return -1;
}

static const char* text_of(const void* pointer) {
  return pointer == NULL ? "NULL" : "out";
}

// The settings of a processor's handle, or NULL.
static const struct management_device* gpu_of(const struct management_settings* settings,
                                              amdsmi_handle processor) {
  const int index = index_in(processors, processor);
  return index >= 0 && (uint32_t)index < settings->device_count ? &settings->devices[index] : NULL;
}

// 16 hexadecimal digits.
static void write_serial(char serial[SERIAL_SIZE], const struct management_device* gpu, int index) {
  const unsigned long long set = strtoull(gpu->serial, NULL, 16);
  snprintf(serial, SERIAL_SIZE, "%016llX", *gpu->serial == '\0' ? (unsigned long long)index : set);
}

// The first call of two asks for the count, with NULL; the second for up to `*count` handles.
static void put_handles(const struct management_call* call, uint32_t* count, amdsmi_handle* to,
                        struct amd_device* first, uint32_t present) {
  if (to == NULL) {
    management_put_number(call, count, present);
    return;
  }
  const uint32_t given = *count < present ? *count : present;
  for (uint32_t i = 0; i < given; ++i) {
    to[i] = &first[i];
  }
  if (call->garbage) {
    memset(to, 0xC3, given * sizeof *to);
  }
  management_put_number(call, count, given);
}

// ---- Library and handles ------------------------------------------------------------------------

AMDSMI amdsmi_init(uint64_t flags);
AMDSMI amdsmi_shut_down(void);
AMDSMI amdsmi_get_lib_version(amdsmi_version_t* version);
AMDSMI amdsmi_get_socket_handles(uint32_t* count, amdsmi_handle* handles);
AMDSMI amdsmi_get_processor_handles(amdsmi_handle socket, uint32_t* count, amdsmi_handle* handles);

amdsmi_status_t amdsmi_init(uint64_t flags) {
  char arguments[32];
  snprintf(arguments, sizeof arguments, "%llu", (unsigned long long)flags);
  return management_initialize(__func__, arguments);
}

amdsmi_status_t amdsmi_shut_down(void) {
  return management_shut_down(__func__);
}

amdsmi_status_t amdsmi_get_lib_version(amdsmi_version_t* version) {
  BEGIN("%s", text_of(version));
  REQUIRE(version != NULL, AMDSMI_STATUS_INVAL);
  *version = own_version;
  management_put_number(&call, version->numbers, own_version.numbers[0]);
  END(AMDSMI_STATUS_SUCCESS);
}

amdsmi_status_t amdsmi_get_socket_handles(uint32_t* count, amdsmi_handle* handles) {
  BEGIN("%s, %s", text_of(count), text_of(handles));
  REQUIRE(count != NULL, AMDSMI_STATUS_INVAL);
  put_handles(&call, count, handles, sockets, settings->device_count);
  END(AMDSMI_STATUS_SUCCESS);
}

amdsmi_status_t amdsmi_get_processor_handles(amdsmi_handle socket, uint32_t* count,
                                             amdsmi_handle* handles) {
  const int index = index_in(sockets, socket);
  BEGIN("%d, %s, %s", index, text_of(count), text_of(handles));
  REQUIRE(count != NULL && index >= 0 && (uint32_t)index < settings->device_count,
          AMDSMI_STATUS_INVAL);
  put_handles(&call, count, handles, &processors[index], 1);
  END(AMDSMI_STATUS_SUCCESS);
}

// ---- What a device says of itself ---------------------------------------------------------------

AMDSMI amdsmi_get_gpu_device_uuid(amdsmi_handle processor, unsigned* length, char* uuid);
AMDSMI amdsmi_get_gpu_asic_info(amdsmi_handle processor, amdsmi_asic_info_t* info);
AMDSMI amdsmi_get_gpu_enumeration_info(amdsmi_handle processor, amdsmi_enumeration_info_t* info);
AMDSMI amdsmi_get_gpu_activity(amdsmi_handle processor, amdsmi_engine_usage_t* usage);
AMDSMI amdsmi_get_temp_metric(amdsmi_handle processor, uint32_t sensor, uint32_t metric,
                              int64_t* degrees);
AMDSMI amdsmi_get_power_info(amdsmi_handle processor, amdsmi_power_info_t* info);
AMDSMI amdsmi_get_clock_info(amdsmi_handle processor, uint32_t type, amdsmi_clk_info_t* info);
AMDSMI amdsmi_get_gpu_vram_usage(amdsmi_handle processor, amdsmi_vram_usage_t* usage);

amdsmi_status_t amdsmi_get_gpu_device_uuid(amdsmi_handle processor, unsigned* length, char* uuid) {
  const int index = index_in(processors, processor);
  BEGIN("%d, %u, %s", index, length == NULL ? 0 : *length, text_of(uuid));
  const struct management_device* const gpu = gpu_of(settings, processor);
  REQUIRE(gpu != NULL && length != NULL && uuid != NULL && *length >= AMDSMI_GPU_UUID_SIZE,
          AMDSMI_STATUS_INVAL);
  char text[MANAGEMENT_TEXT];
  const unsigned n = (unsigned)index;
  snprintf(text, sizeof text, "%08x-0000-0000-0000-%012x", n, n);
  management_put_text(&call, uuid, *length, *gpu->uuid == '\0' ? text : gpu->uuid);
  END(AMDSMI_STATUS_SUCCESS);
}

amdsmi_status_t amdsmi_get_gpu_asic_info(amdsmi_handle processor, amdsmi_asic_info_t* info) {
  const int index = index_in(processors, processor);
  BEGIN("%d, %s", index, text_of(info));
  const struct management_device* const gpu = gpu_of(settings, processor);
  REQUIRE(gpu != NULL && info != NULL, AMDSMI_STATUS_INVAL);
  memset(info, 0, sizeof *info);
  char serial[SERIAL_SIZE];
  write_serial(serial, gpu, index);
  management_put_text(&call, info->market_name, sizeof info->market_name,
                      *gpu->name == '\0' ? "dlcert GPU" : gpu->name);
  management_put_text(&call, info->vendor_name, sizeof info->vendor_name,
                      "Advanced Micro Devices Inc. [AMD/ATI]");
  management_put_text(&call, info->asic_serial, sizeof info->asic_serial, serial);
  management_put_number(&call, &info->vendor_id, 0x1002);
  END(AMDSMI_STATUS_SUCCESS);
}

amdsmi_status_t amdsmi_get_gpu_enumeration_info(amdsmi_handle processor,
                                                amdsmi_enumeration_info_t* info) {
  const int index = index_in(processors, processor);
  BEGIN("%d, %s", index, text_of(info));
  const struct management_device* const gpu = gpu_of(settings, processor);
  REQUIRE(gpu != NULL && info != NULL, AMDSMI_STATUS_INVAL);
  const uint32_t n = (uint32_t)index;
  char serial[SERIAL_SIZE];
  char uuid[64];
  write_serial(serial, gpu, index);
  snprintf(uuid, sizeof uuid, "GPU-%s", serial);
  management_put_number(&call, &info->drm_render, 128 + n);
  management_put_number(&call, &info->drm_card, n);
  management_put_number(&call, &info->hsa_id, n + 1);
  management_put_number(&call, &info->hip_id, n);
  management_put_text(&call, info->hip_uuid, sizeof info->hip_uuid, uuid);
  END(AMDSMI_STATUS_SUCCESS);
}

amdsmi_status_t amdsmi_get_gpu_activity(amdsmi_handle processor, amdsmi_engine_usage_t* usage) {
  BEGIN("%d, %s", index_in(processors, processor), text_of(usage));
  const struct management_device* const gpu = gpu_of(settings, processor);
  REQUIRE(gpu != NULL && usage != NULL, AMDSMI_STATUS_INVAL);
  memset(usage, 0, sizeof *usage);
  management_put_number(&call, &usage->gfx_activity, gpu->utilization_gpu);
  management_put_number(&call, &usage->umc_activity, gpu->utilization_memory);
  END(AMDSMI_STATUS_SUCCESS);
}

// Degrees: the function divides what the kernel says by 1000, whatever its header says.
amdsmi_status_t amdsmi_get_temp_metric(amdsmi_handle processor, uint32_t sensor, uint32_t metric,
                                       int64_t* degrees) {
  enum { VRAM_SENSOR = 2, CURRENT = 0 };
  BEGIN("%d, %u, %u, %s", index_in(processors, processor), sensor, metric, text_of(degrees));
  const struct management_device* const gpu = gpu_of(settings, processor);
  REQUIRE(gpu != NULL && degrees != NULL, AMDSMI_STATUS_INVAL);
  REQUIRE(sensor <= VRAM_SENSOR && metric == CURRENT, AMDSMI_STATUS_NOT_SUPPORTED);
  uint32_t value = 0;
  management_put_number(&call, &value, gpu->temperature);
  *degrees = value;
  END(AMDSMI_STATUS_SUCCESS);
}

// A sensor of 65535 W reports nothing: that is the kernel's number for it, which 26 replaces.
static uint32_t power_told(uint32_t watts) {
  return DLCERT_AMD_SMI == 26 && watts == UINT16_MAX ? UINT32_MAX : watts;
}

amdsmi_status_t amdsmi_get_power_info(amdsmi_handle processor, amdsmi_power_info_t* info) {
  BEGIN("%d, %s", index_in(processors, processor), text_of(info));
  const struct management_device* const gpu = gpu_of(settings, processor);
  REQUIRE(gpu != NULL && info != NULL, AMDSMI_STATUS_INVAL);
  memset(info, 0, sizeof *info);
  const bool has_average = gpu->power_average != MANAGEMENT_UNSET;
  const uint32_t current = power_told(gpu->power);
  const uint32_t average = has_average ? power_told(gpu->power_average) : current;
  management_put_number(&call, &info->current_socket_power, current);
  management_put_number(&call, &info->average_socket_power, average);
#if DLCERT_AMD_SMI == 26
  const uint64_t either = current != UINT32_MAX ? current : average;
  management_put_bytes(&call, &info->socket_power, either != UINT32_MAX ? either : UINT64_MAX);
#endif
  END(AMDSMI_STATUS_SUCCESS);
}

amdsmi_status_t amdsmi_get_clock_info(amdsmi_handle processor, uint32_t type,
                                      amdsmi_clk_info_t* info) {
  enum { GRAPHICS = 0, MEMORY = 4, VIDEO = 6 };
  BEGIN("%d, %u, %s", index_in(processors, processor), type, text_of(info));
  const struct management_device* const gpu = gpu_of(settings, processor);
  REQUIRE(gpu != NULL && info != NULL, AMDSMI_STATUS_INVAL);
  REQUIRE(type == GRAPHICS || type == MEMORY || type == VIDEO, AMDSMI_STATUS_NOT_SUPPORTED);
  memset(info, 0, sizeof *info);
  const uint32_t clock = gpu->clock[type == GRAPHICS ? 0 : type == MEMORY ? 2 : 3];
  management_put_number(&call, &info->clk, clock);
  management_put_number(&call, &info->max_clk, clock);
  END(AMDSMI_STATUS_SUCCESS);
}

amdsmi_status_t amdsmi_get_gpu_vram_usage(amdsmi_handle processor, amdsmi_vram_usage_t* usage) {
  BEGIN("%d, %s", index_in(processors, processor), text_of(usage));
  const struct management_device* const gpu = gpu_of(settings, processor);
  REQUIRE(gpu != NULL && usage != NULL, AMDSMI_STATUS_INVAL);
  memset(usage, 0, sizeof *usage);
  management_put_number(&call, &usage->vram_total, (uint32_t)(gpu->memory_total / MEBIBYTE));
  management_put_number(&call, &usage->vram_used, (uint32_t)(gpu->memory_used / MEBIBYTE));
  END(AMDSMI_STATUS_SUCCESS);
}
