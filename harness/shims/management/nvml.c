// SPDX-License-Identifier: Apache-2.0
//
// libnvidia-ml.so.1. Codes, sizes and rules are those of NVIDIA's NVML API reference; a device's
// handle stays valid for the whole process.

#include <stdio.h>
#include <string.h>

#include "shims/management/calls.h"

enum {
  NVML_SUCCESS = 0,
  NVML_ERROR_UNINITIALIZED = 1,
  NVML_ERROR_INVALID_ARGUMENT = 2,
  NVML_ERROR_NOT_SUPPORTED = 3,
  NVML_ERROR_NOT_FOUND = 6,
  NVML_ERROR_INSUFFICIENT_SIZE = 7,
  MIG_DEVICES_OF_A_GPU = 7
};

typedef int nvmlReturn_t;

// A handle points at one of these.
struct nvml_device {
  char unused;
};
typedef struct nvml_device* nvmlDevice_t;

typedef struct {
  unsigned gpu, memory;
} nvmlUtilization_t;

typedef struct {
  unsigned long long total, free, used;
} nvmlMemory_t;

typedef struct {
  char busIdLegacy[16];
  unsigned domain, bus, device, pciDeviceId, pciSubSystemId;
  char busId[32];
} nvmlPciInfo_t;

const struct management_library management_library = {
    .prefix = "nvml",
    .uninitialized = NVML_ERROR_UNINITIALIZED,
    .malformed_settings = NVML_ERROR_INVALID_ARGUMENT,
    .default_power = 80000,
};

static struct nvml_device gpus[MANAGEMENT_DEVICES];
static struct nvml_device mig_devices[MANAGEMENT_DEVICES];

#define NVML __attribute__((visibility("default"))) nvmlReturn_t
#define BEGIN(...)                                                         \
  struct management_call call;                                             \
  uint32_t code = 0;                                                       \
  if (!management_begin(&call, __func__, true, &code, __VA_ARGS__)) {      \
    return (nvmlReturn_t)code;                                             \
  }                                                                        \
  const struct management_settings* const settings = management_current(); \
  (void)settings
#define END(answer) return (nvmlReturn_t)management_end(&call, answer)
#define REQUIRE(condition, answer) \
  if (!(condition)) {              \
    END(answer);                   \
  }                                \
  (void)0

// ---- Handles ------------------------------------------------------------------------------------

// The index of a GPU's handle, or of a MIG device's GPU when `mig`; -1: no such handle.
static int index_in(const struct nvml_device* all, nvmlDevice_t device) {
  for (int i = 0; i < MANAGEMENT_DEVICES; ++i) {
    if (device == &all[i]) {
      return i;
    }
  }
  return -1;
}

static const char* text_of(const void* pointer) {
  return pointer == NULL ? "NULL" : "out";
}

// The settings of a GPU's handle, or NULL.
static const struct management_device* gpu_of(const struct management_settings* settings,
                                              nvmlDevice_t device) {
  const int index = index_in(gpus, device);
  return index >= 0 && (uint32_t)index < settings->device_count ? &settings->devices[index] : NULL;
}

static void write_uuid(char uuid[MANAGEMENT_TEXT], const struct management_settings* settings,
                       int index) {
  const char* const set = settings->devices[index].uuid;
  const unsigned n = (unsigned)index;
  if (*set != '\0') {
    snprintf(uuid, MANAGEMENT_TEXT, "%s", set);
  } else {
    snprintf(uuid, MANAGEMENT_TEXT, "GPU-%08x-0000-0000-0000-%012x", n, n);
  }
}

struct address {
  unsigned domain, bus, slot;
};

// Unless it is set, that of the simulated driver's device of the same index.
static struct address address_of(const struct management_settings* settings, int index) {
  struct address found = {0, 16 + (unsigned)index, 0};
  const char* const set = settings->devices[index].pci;
  if (*set != '\0') {
    sscanf(set, "%4x:%2x:%2x", &found.domain, &found.bus, &found.slot);
  }
  return found;
}

static void put_handle(const struct management_call* call, nvmlDevice_t* to, nvmlDevice_t device) {
  *to = device;
  if (call->garbage) {
    memset(to, 0xC3, sizeof *to);
  }
}

static nvmlReturn_t put_text(const struct management_call* call, char* to, unsigned length,
                             const char* text) {
  if (to == NULL) {
    return NVML_ERROR_INVALID_ARGUMENT;
  }
  if (!call->garbage && length <= strlen(text)) {
    return NVML_ERROR_INSUFFICIENT_SIZE;
  }
  management_put_text(call, to, length, text);
  return NVML_SUCCESS;
}

// Bytes as they are set, terminated or not, and zeros behind them.
static nvmlReturn_t put_bytes(const struct management_call* call, char* to, unsigned length,
                              const struct management_bytes* bytes) {
  if (to == NULL || call->garbage) {
    return put_text(call, to, length, "");
  }
  size_t used = bytes->size;
  while (used > 0 && bytes->data[used - 1] == 0) {
    --used;
  }
  if (length < used) {
    return NVML_ERROR_INSUFFICIENT_SIZE;
  }
  memcpy(to, bytes->data, length < sizeof bytes->data ? length : sizeof bytes->data);
  return NVML_SUCCESS;
}

// ---- Library ------------------------------------------------------------------------------------

NVML nvmlInit(void);
NVML nvmlInit_v2(void);
NVML nvmlInitWithFlags(unsigned flags);
NVML nvmlShutdown(void);
__attribute__((visibility("default"))) const char* nvmlErrorString(nvmlReturn_t result);
NVML nvmlSystemGetDriverVersion(char* version, unsigned length);
NVML nvmlSystemGetNVMLVersion(char* version, unsigned length);
NVML nvmlSystemGetCudaDriverVersion(int* version);
NVML nvmlSystemGetCudaDriverVersion_v2(int* version);

nvmlReturn_t nvmlInit(void) {
  return (nvmlReturn_t)management_initialize(__func__, "");
}

nvmlReturn_t nvmlInit_v2(void) {
  return (nvmlReturn_t)management_initialize(__func__, "");
}

nvmlReturn_t nvmlInitWithFlags(unsigned flags) {
  char arguments[16];
  snprintf(arguments, sizeof arguments, "%u", flags);
  return (nvmlReturn_t)management_initialize(__func__, arguments);
}

nvmlReturn_t nvmlShutdown(void) {
  return (nvmlReturn_t)management_shut_down(__func__);
}

static const char* name_of(nvmlReturn_t result) {
  switch (result) {
    case NVML_SUCCESS:
      return "Success";
    case NVML_ERROR_UNINITIALIZED:
      return "Uninitialized";
    case NVML_ERROR_INVALID_ARGUMENT:
      return "Invalid Argument";
    case NVML_ERROR_NOT_SUPPORTED:
      return "Not Supported";
    case 4:
      return "Insufficient Permissions";
    case 5:
      return "Already Initialized";
    case NVML_ERROR_NOT_FOUND:
      return "Not Found";
    case NVML_ERROR_INSUFFICIENT_SIZE:
      return "Insufficient Size";
    case 9:
      return "Driver Not Loaded";
    case 12:
      return "NVML Shared Library Not Found";
    case 13:
      return "Function Not Found";
    case 15:
      return "GPU is lost";
    case 17:
      return "The operating system has blocked the request";
    case 18:
      return "RM has detected an NVML/RM version mismatch.";
    case 25:
      return "Argument version mismatch";
    default:
      return "Unknown Error";
  }
}

const char* nvmlErrorString(nvmlReturn_t result) {
  struct management_call call;
  uint32_t code = 0;
  if (!management_begin(&call, __func__, false, &code, "%d", result)) {
    return NULL;
  }
  management_end(&call, NVML_SUCCESS);
  return call.garbage ? "\xC3\xC3" : name_of(result);
}

nvmlReturn_t nvmlSystemGetDriverVersion(char* version, unsigned length) {
  BEGIN("%s, %u", text_of(version), length);
  END((uint32_t)put_text(&call, version, length, "550.54.15"));
}

nvmlReturn_t nvmlSystemGetNVMLVersion(char* version, unsigned length) {
  BEGIN("%s, %u", text_of(version), length);
  END((uint32_t)put_text(&call, version, length, "12.550.54.15"));
}

// CUDA 12.4
#define CUDA_DRIVER_VERSION_FUNCTION(name)                   \
  nvmlReturn_t name(int* version) {                          \
    BEGIN("%s", text_of(version));                           \
    REQUIRE(version != NULL, NVML_ERROR_INVALID_ARGUMENT);   \
    management_put_number(&call, (uint32_t*)version, 12040); \
    END(NVML_SUCCESS);                                       \
  }
CUDA_DRIVER_VERSION_FUNCTION(nvmlSystemGetCudaDriverVersion)
CUDA_DRIVER_VERSION_FUNCTION(nvmlSystemGetCudaDriverVersion_v2)

// ---- Which devices there are --------------------------------------------------------------------

NVML nvmlDeviceGetCount(unsigned* count);
NVML nvmlDeviceGetCount_v2(unsigned* count);
NVML nvmlDeviceGetHandleByIndex(unsigned index, nvmlDevice_t* device);
NVML nvmlDeviceGetHandleByIndex_v2(unsigned index, nvmlDevice_t* device);
NVML nvmlDeviceGetHandleByUUID(const char* uuid, nvmlDevice_t* device);
NVML nvmlDeviceGetHandleByPciBusId_v2(const char* address, nvmlDevice_t* device);
NVML nvmlDeviceGetIndex(nvmlDevice_t device, unsigned* index);
NVML nvmlDeviceGetMigMode(nvmlDevice_t device, unsigned* current, unsigned* pending);
NVML nvmlDeviceGetMaxMigDeviceCount(nvmlDevice_t device, unsigned* count);
NVML nvmlDeviceGetMigDeviceHandleByIndex(nvmlDevice_t device, unsigned index, nvmlDevice_t* mig);

#define COUNT_FUNCTION(name)                                     \
  nvmlReturn_t name(unsigned* count) {                           \
    BEGIN("%s", text_of(count));                                 \
    REQUIRE(count != NULL, NVML_ERROR_INVALID_ARGUMENT);         \
    management_put_number(&call, count, settings->device_count); \
    END(NVML_SUCCESS);                                           \
  }
COUNT_FUNCTION(nvmlDeviceGetCount)
COUNT_FUNCTION(nvmlDeviceGetCount_v2)

#define HANDLE_FUNCTION(name)                                                               \
  nvmlReturn_t name(unsigned index, nvmlDevice_t* device) {                                 \
    BEGIN("%u, %s", index, text_of(device));                                                \
    REQUIRE(device != NULL && index < settings->device_count, NVML_ERROR_INVALID_ARGUMENT); \
    put_handle(&call, device, &gpus[index]);                                                \
    END(NVML_SUCCESS);                                                                      \
  }
HANDLE_FUNCTION(nvmlDeviceGetHandleByIndex)
HANDLE_FUNCTION(nvmlDeviceGetHandleByIndex_v2)

nvmlReturn_t nvmlDeviceGetHandleByUUID(const char* uuid, nvmlDevice_t* device) {
  BEGIN("%s, %s", uuid == NULL ? "NULL" : uuid, text_of(device));
  REQUIRE(uuid != NULL && device != NULL, NVML_ERROR_INVALID_ARGUMENT);
  for (uint32_t i = 0; i < settings->device_count; ++i) {
    char own[MANAGEMENT_TEXT];
    write_uuid(own, settings, (int)i);
    const bool is_mig = *uuid != '\0' && strcmp(uuid, settings->devices[i].mig) == 0;
    if (is_mig || strcmp(uuid, own) == 0) {
      put_handle(&call, device, is_mig ? &mig_devices[i] : &gpus[i]);
      END(NVML_SUCCESS);
    }
  }
  END(NVML_ERROR_NOT_FOUND);
}

nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char* address, nvmlDevice_t* device) {
  BEGIN("%s, %s", address == NULL ? "NULL" : address, text_of(device));
  REQUIRE(address != NULL && device != NULL, NVML_ERROR_INVALID_ARGUMENT);
  struct address asked;
  REQUIRE(sscanf(address, "%8x:%2x:%2x", &asked.domain, &asked.bus, &asked.slot) == 3,
          NVML_ERROR_INVALID_ARGUMENT);
  for (uint32_t i = 0; i < settings->device_count; ++i) {
    const struct address own = address_of(settings, (int)i);
    if (own.domain == asked.domain && own.bus == asked.bus && own.slot == asked.slot) {
      put_handle(&call, device, &gpus[i]);
      END(NVML_SUCCESS);
    }
  }
  END(NVML_ERROR_NOT_FOUND);
}

nvmlReturn_t nvmlDeviceGetIndex(nvmlDevice_t device, unsigned* index) {
  BEGIN("%d, %s", index_in(gpus, device), text_of(index));
  REQUIRE(gpu_of(settings, device) != NULL && index != NULL, NVML_ERROR_INVALID_ARGUMENT);
  management_put_number(&call, index, (uint32_t)index_in(gpus, device));
  END(NVML_SUCCESS);
}

nvmlReturn_t nvmlDeviceGetMigMode(nvmlDevice_t device, unsigned* current, unsigned* pending) {
  BEGIN("%d, %s, %s", index_in(gpus, device), text_of(current), text_of(pending));
  const struct management_device* const gpu = gpu_of(settings, device);
  REQUIRE(gpu != NULL && current != NULL && pending != NULL, NVML_ERROR_INVALID_ARGUMENT);
  REQUIRE(gpu->mig[0] != '\0', NVML_ERROR_NOT_SUPPORTED);
  management_put_number(&call, current, 1);
  management_put_number(&call, pending, 1);
  END(NVML_SUCCESS);
}

nvmlReturn_t nvmlDeviceGetMaxMigDeviceCount(nvmlDevice_t device, unsigned* count) {
  BEGIN("%d, %s", index_in(gpus, device), text_of(count));
  const struct management_device* const gpu = gpu_of(settings, device);
  REQUIRE(gpu != NULL && count != NULL, NVML_ERROR_INVALID_ARGUMENT);
  management_put_number(&call, count, gpu->mig[0] == '\0' ? 0 : MIG_DEVICES_OF_A_GPU);
  END(NVML_SUCCESS);
}

nvmlReturn_t nvmlDeviceGetMigDeviceHandleByIndex(nvmlDevice_t device, unsigned index,
                                                 nvmlDevice_t* mig) {
  BEGIN("%d, %u, %s", index_in(gpus, device), index, text_of(mig));
  const struct management_device* const gpu = gpu_of(settings, device);
  REQUIRE(gpu != NULL && mig != NULL && index < MIG_DEVICES_OF_A_GPU, NVML_ERROR_INVALID_ARGUMENT);
  REQUIRE(gpu->mig[0] != '\0' && index == 0, NVML_ERROR_NOT_FOUND);
  put_handle(&call, mig, &mig_devices[index_in(gpus, device)]);
  END(NVML_SUCCESS);
}

// ---- What a device says of itself ---------------------------------------------------------------

NVML nvmlDeviceGetUUID(nvmlDevice_t device, char* uuid, unsigned length);
NVML nvmlDeviceGetName(nvmlDevice_t device, char* name, unsigned length);
NVML nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t* pci);
NVML nvmlDeviceGetUtilizationRates(nvmlDevice_t device, nvmlUtilization_t* utilization);
NVML nvmlDeviceGetTemperature(nvmlDevice_t device, int sensor, unsigned* degrees);
NVML nvmlDeviceGetPowerUsage(nvmlDevice_t device, unsigned* milliwatts);
NVML nvmlDeviceGetClockInfo(nvmlDevice_t device, int type, unsigned* megahertz);
NVML nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t* memory);

nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char* uuid, unsigned length) {
  BEGIN("%d, %s, %u", index_in(gpus, device), text_of(uuid), length);
  char text[MANAGEMENT_TEXT];
  const int mig = index_in(mig_devices, device);
  if (mig >= 0) {
    snprintf(text, sizeof text, "%s", settings->devices[mig].mig);
  } else {
    const struct management_device* const gpu = gpu_of(settings, device);
    REQUIRE(gpu != NULL, NVML_ERROR_INVALID_ARGUMENT);
    if (gpu->uuid_bytes.size > 0) {
      END((uint32_t)put_bytes(&call, uuid, length, &gpu->uuid_bytes));
    }
    write_uuid(text, settings, index_in(gpus, device));
  }
  END((uint32_t)put_text(&call, uuid, length, text));
}

nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char* name, unsigned length) {
  BEGIN("%d, %s, %u", index_in(gpus, device), text_of(name), length);
  const struct management_device* const gpu = gpu_of(settings, device);
  REQUIRE(gpu != NULL, NVML_ERROR_INVALID_ARGUMENT);
  END((uint32_t)put_text(&call, name, length, *gpu->name == '\0' ? "dlcert GPU" : gpu->name));
}

nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t* pci) {
  BEGIN("%d, %s", index_in(gpus, device), text_of(pci));
  const struct management_device* const gpu = gpu_of(settings, device);
  REQUIRE(gpu != NULL && pci != NULL, NVML_ERROR_INVALID_ARGUMENT);
  const struct address at = address_of(settings, index_in(gpus, device));
  memset(pci, 0, sizeof *pci);
  management_put_number(&call, &pci->domain, at.domain);
  management_put_number(&call, &pci->bus, at.bus);
  management_put_number(&call, &pci->device, at.slot);
  char text[sizeof pci->busId];
  snprintf(text, sizeof text, "%08X:%02X:%02X.0", at.domain, at.bus & 0xFF, at.slot & 0xFF);
  management_put_text(&call, pci->busId, sizeof pci->busId, text);
  management_put_text(&call, pci->busIdLegacy, sizeof pci->busIdLegacy, text + 4);
  END(NVML_SUCCESS);
}

nvmlReturn_t nvmlDeviceGetUtilizationRates(nvmlDevice_t device, nvmlUtilization_t* utilization) {
  BEGIN("%d, %s", index_in(gpus, device), text_of(utilization));
  const struct management_device* const gpu = gpu_of(settings, device);
  REQUIRE(gpu != NULL && utilization != NULL, NVML_ERROR_INVALID_ARGUMENT);
  management_put_number(&call, &utilization->gpu, gpu->utilization_gpu);
  management_put_number(&call, &utilization->memory, gpu->utilization_memory);
  END(NVML_SUCCESS);
}

nvmlReturn_t nvmlDeviceGetTemperature(nvmlDevice_t device, int sensor, unsigned* degrees) {
  BEGIN("%d, %d, %s", index_in(gpus, device), sensor, text_of(degrees));
  const struct management_device* const gpu = gpu_of(settings, device);
  REQUIRE(gpu != NULL && degrees != NULL && sensor == 0, NVML_ERROR_INVALID_ARGUMENT);
  management_put_number(&call, degrees, gpu->temperature);
  END(NVML_SUCCESS);
}

nvmlReturn_t nvmlDeviceGetPowerUsage(nvmlDevice_t device, unsigned* milliwatts) {
  BEGIN("%d, %s", index_in(gpus, device), text_of(milliwatts));
  const struct management_device* const gpu = gpu_of(settings, device);
  REQUIRE(gpu != NULL && milliwatts != NULL, NVML_ERROR_INVALID_ARGUMENT);
  management_put_number(&call, milliwatts, gpu->power);
  END(NVML_SUCCESS);
}

nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t device, int type, unsigned* megahertz) {
  BEGIN("%d, %d, %s", index_in(gpus, device), type, text_of(megahertz));
  const struct management_device* const gpu = gpu_of(settings, device);
  REQUIRE(gpu != NULL && megahertz != NULL && type >= 0 && type < MANAGEMENT_CLOCKS,
          NVML_ERROR_INVALID_ARGUMENT);
  management_put_number(&call, megahertz, gpu->clock[type]);
  END(NVML_SUCCESS);
}

nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t* memory) {
  BEGIN("%d, %s", index_in(gpus, device), text_of(memory));
  const struct management_device* const gpu = gpu_of(settings, device);
  REQUIRE(gpu != NULL && memory != NULL, NVML_ERROR_INVALID_ARGUMENT);
  const uint64_t used = gpu->memory_used;
  uint64_t total = 0;
  uint64_t left = 0;
  uint64_t taken = 0;
  management_put_bytes(&call, &total, gpu->memory_total);
  management_put_bytes(&call, &left, used > gpu->memory_total ? 0 : gpu->memory_total - used);
  management_put_bytes(&call, &taken, used);
  *memory = (nvmlMemory_t){total, left, taken};
  END(NVML_SUCCESS);
}
