/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What dlcert/dlpack_facts.h reads of a dlpack.h of the 0.x line, as its change log tells it: OLD
 * is the minor version, and DLPACK_VERSION as that header writes it comes from the command line.
 */
#ifndef DLPACK_DLPACK_H_
#define DLPACK_DLPACK_H_

#include <stddef.h>
#include <stdint.h>

typedef enum {
  kDLCPU = 1,
#if OLD >= 5
  kDLCUDA = 2,
  kDLCUDAHost = 3,
#else
  kDLGPU = 2,
  kDLCPUPinned = 3,
#endif
  kDLOpenCL = 4,
#if OLD >= 3
  kDLVulkan = 7,
#endif
  kDLMetal = 8,
  kDLVPI = 9,
#if OLD >= 6
  kDLROCMHost = 11,
  kDLCUDAManaged = 13,
#endif
#if OLD >= 4
  kDLExtDev = 12,
#endif
#if OLD >= 7
  kDLOneAPI = 14,
  kDLWebGPU = 15,
  kDLHexagon = 16,
#endif
  kDLROCM = 10
} DLDeviceType;

typedef enum {
  kDLInt = 0U,
  kDLUInt = 1U,
#if OLD >= 3
  kDLBfloat = 4U,
#endif
#if OLD >= 4
  kDLOpaqueHandle = 3U,
  kDLComplex = 5U,
#endif
#if OLD >= 8
  kDLBool = 6U,
#endif
  kDLFloat = 2U
} DLDataTypeCode;

#if OLD >= 4
#define DEVICE_NAME DLDevice
#define DEVICE_MEMBER device
#else
#define DEVICE_NAME DLContext
#define DEVICE_MEMBER ctx
#endif

typedef struct {
  DLDeviceType device_type;
  int device_id;
} DEVICE_NAME;

typedef struct {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
} DLDataType;

typedef struct {
  void* data;
  DEVICE_NAME DEVICE_MEMBER;
  int ndim;
  DLDataType dtype;
  int64_t* shape;
  int64_t* strides;
  uint64_t byte_offset;
} DLTensor;

typedef struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(struct DLManagedTensor* self);
} DLManagedTensor;

#undef DEVICE_NAME
#undef DEVICE_MEMBER

#endif /* DLPACK_DLPACK_H_ */
