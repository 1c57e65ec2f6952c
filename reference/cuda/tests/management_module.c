// SPDX-License-Identifier: Apache-2.0
//
// Both vendors' management libraries for tests: good ones, or by macro, bad ones.

#include <stdint.h>
#include <string.h>

#ifndef INIT_CODE
#define INIT_CODE 0
#endif
#ifndef COUNT
#define COUNT 3
#endif
#ifndef HANDLE_CODE
#define HANDLE_CODE 0
#endif
#ifndef UUID_CODE
#define UUID_CODE 0
#endif

#ifndef EMPTY

// ---- NVML ----

static int devices[8];

static unsigned index_of(const void* device) {
  return (unsigned)((const int*)device - devices);
}

int nvmlInit(void);
int nvmlDeviceGetCount_v2(unsigned* count);
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device);
int nvmlDeviceGetUUID(void* device, char* text, unsigned length);
int nvmlDeviceGetUtilizationRates(void* device, unsigned* rates);
int nvmlDeviceGetTemperature(void* device, int sensor, unsigned* value);
int nvmlDeviceGetPowerUsage(void* device, unsigned* value);
int nvmlDeviceGetClockInfo(void* device, int type, unsigned* value);

int nvmlInit(void) {
  return INIT_CODE;
}

#ifndef NO_COUNT
int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = COUNT;
  return 0;
}
#endif

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  if (index >= COUNT) return 2;
  *device = &devices[index % 8];
  // The last one fails, if any.
  return (index == COUNT - 1) * HANDLE_CODE;
}

int nvmlDeviceGetUUID(void* device, char* text, unsigned length) {
#if defined(UNTERMINATED)
  (void)device;
  memset(text, 'x', length);
#elif defined(NOT_ASCII)
  (void)device;
  memset(text, 0xe9, length / 2);
#else
  (void)length;
  strcpy(text, "GPU-0");
  text[4] = (char)('0' + index_of(device));
#endif
  return (index_of(device) == COUNT - 1) * UUID_CODE;
}

int nvmlDeviceGetUtilizationRates(void* device, unsigned* rates) {
  rates[0] = 50 + index_of(device);
  rates[1] = 30 + index_of(device);
  return 0;
}

int nvmlDeviceGetTemperature(void* device, int sensor, unsigned* value) {
  *value = 60 + index_of(device);
  return sensor == 0 ? 0 : 2;
}

int nvmlDeviceGetPowerUsage(void* device, unsigned* value) {
  *value = 81234;
  return index_of(device) == 0 ? 0 : 15;
}

int nvmlDeviceGetClockInfo(void* device, int type, unsigned* value) {
  *value = 1410 + index_of(device);
  return type == 1 ? 0 : 2;
}

// ---- AMD SMI: two sockets, the second of which has one device fewer ----

// The library whose structures it has.
#ifndef RELEASE
#define RELEASE 24
#endif
// What it writes for an activity, a clock or a power that no device reports; 0: all report.
#ifndef MISSING
#define MISSING 0
#endif
#ifndef MISSING_POWER
#define MISSING_POWER MISSING
#endif
#ifndef MISSING_AVERAGE
#define MISSING_AVERAGE MISSING_POWER
#endif
#define OR_MISSING(missing, value) (missing ? missing : value)

uint32_t amdsmi_init(uint64_t flags);
uint32_t amdsmi_get_lib_version(uint32_t* version);
uint32_t amdsmi_get_socket_handles(uint32_t* count, void** sockets);
uint32_t amdsmi_get_processor_handles(void* socket, uint32_t* count, void** processors);
uint32_t amdsmi_get_gpu_device_uuid(void* device, unsigned* length, char* text);
uint32_t amdsmi_get_gpu_activity(void* device, uint32_t* activity);
uint32_t amdsmi_get_gpu_vram_usage(void* device, uint32_t* usage);
uint32_t amdsmi_get_temp_metric(void* device, int sensor, int metric, int64_t* value);
uint32_t amdsmi_get_power_info(void* device, uint32_t* power);
uint32_t amdsmi_get_clock_info(void* device, int type, uint32_t* clock);

static int sockets[2];

uint32_t amdsmi_init(uint64_t flags) {
  return flags == 2 ? INIT_CODE : 1;
}

#ifndef NO_VERSION
uint32_t amdsmi_get_lib_version(uint32_t* version) {
  version[0] = RELEASE;
  version[1] = 1;
  version[2] = 2;
  return 0;
}
#endif

uint32_t amdsmi_get_socket_handles(uint32_t* count, void** handles) {
  for (uint32_t i = 0; handles && i < 2; ++i)
    handles[i] = &sockets[i];
#ifdef TOO_MANY
  *count = 2147483648u;
#elif defined(GROWING)
  *count = handles ? 7 : 2;
#else
  *count = 2;
#endif
  return HANDLE_CODE;
}

uint32_t amdsmi_get_processor_handles(void* socket, uint32_t* count, void** handles) {
  const uint32_t first = socket == &sockets[0] ? 0 : 2;
  *count = first == 0 ? 2 : 1;
  for (uint32_t i = 0; handles && i < *count; ++i)
    handles[i] = &devices[first + i];
  return 0;
}

uint32_t amdsmi_get_gpu_device_uuid(void* device, unsigned* length, char* text) {
  if (*length < 38) return 41;
#ifdef UNTERMINATED
  (void)device;
  memset(text, 'x', *length);
#else
  strcpy(text, "uuid-0");
  text[5] = (char)('0' + index_of(device));
#endif
  return UUID_CODE;
}

uint32_t amdsmi_get_gpu_activity(void* device, uint32_t* activity) {
  memset(activity, 0, 16 * sizeof *activity);
  activity[0] = OR_MISSING(MISSING, 50 + index_of(device));
  activity[1] = OR_MISSING(MISSING, 30 + index_of(device));
  return 0;
}

uint32_t amdsmi_get_gpu_vram_usage(void* device, uint32_t* usage) {
  usage[0] = 65536;
  usage[1] = 1024 + index_of(device);
  return 0;
}

uint32_t amdsmi_get_temp_metric(void* device, int sensor, int metric, int64_t* value) {
  *value = 60 + index_of(device);
  return sensor == 1 && metric == 0 ? 0 : 1;
}

uint32_t amdsmi_get_power_info(void* device, uint32_t* power) {
  // The two halves of socket_power.
  if (RELEASE > 24) {
    *power++ = 400 + index_of(device);
    *power++ = 0;
  }
  power[0] = OR_MISSING(MISSING_POWER, 300 + index_of(device));
  power[1] = OR_MISSING(MISSING_AVERAGE, 200 + index_of(device));
  return 0;
}

uint32_t amdsmi_get_clock_info(void* device, int type, uint32_t* clock) {
  clock[0] = OR_MISSING(MISSING, 2100 + index_of(device));
  return type == 0 ? 0 : 1;
}

#endif
