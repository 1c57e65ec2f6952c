// SPDX-License-Identifier: Apache-2.0
//
// A libcuda.so.1 with two devices that reads lists of ordinals as NVIDIA documents it, and nothing
// else. FAKE_CUDA_IGNORES_STOP: it goes on behind an entry that should stop it.

#include <stdlib.h>
#include <string.h>

enum { DEVICES = 2, NO_DEVICE = 100 };

int cuInit(unsigned flags);
int cuDriverGetVersion(int* version);
int cuDeviceGetCount(int* count);
int cuDeviceGet(int* device, int ordinal);
int cuDeviceGetUuid(unsigned char uuid[16], int device);

static int shown[DEVICES];
static int count;

static void show(int device) {
  for (int i = 0; i < count; ++i) {
    if (shown[i] == device) {
      count = -1;
      return;
    }
  }
  shown[count++] = device;
}

int cuInit(unsigned flags) {
  (void)flags;
  const char* next = getenv("CUDA_VISIBLE_DEVICES");
  if (next == NULL) {
    next = "0,1";
  }
  while (count >= 0) {
    char* end = NULL;
    const long ordinal = strtol(next, &end, 10);
    if (end != next && ordinal >= 0 && ordinal < DEVICES) {
      show((int)ordinal);
    } else if (getenv("FAKE_CUDA_IGNORES_STOP") == NULL) {
      break;
    }
    next = strchr(next, ',');
    if (next == NULL) {
      break;
    }
    ++next;
  }
  return count > 0 ? 0 : NO_DEVICE;
}

int cuDriverGetVersion(int* version) {
  *version = 12040;
  return 0;
}

int cuDeviceGetCount(int* devices) {
  *devices = count;
  return 0;
}

int cuDeviceGet(int* device, int ordinal) {
  *device = shown[ordinal];
  return 0;
}

int cuDeviceGetUuid(unsigned char uuid[16], int device) {
  memset(uuid, device + 1, 16);
  return 0;
}
