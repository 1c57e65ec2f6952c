/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records the facts of a library's own dlpack.h, for the checks of layouts and codes. C11 and C++.
 * An adapter calls the last function, dlcert_fill_dlpack_facts(); the others are parts of it.
 *
 *   #include <dlpack/dlpack.h>          the library's copy, of any version
 *   #include <dlcert/dlpack_facts.h>
 *   static dlcert_dlpack_facts facts;
 *   dlcert_fill_dlpack_facts(&facts);
 */
#ifndef DLCERT_DLPACK_FACTS_H_
#define DLCERT_DLPACK_FACTS_H_

#include <dlcert/adapter.h>
#include <stddef.h>
#include <stdint.h>

#ifndef DLPACK_DLPACK_H_
#error "include your library's dlpack.h before dlcert/dlpack_facts.h"
#endif

/* Converts a size, offset or enumerator to the type of the facts. */
#ifdef __cplusplus
#define DLCERT_FACT(value) static_cast<int32_t>(value)
#else
#define DLCERT_FACT(value) ((int32_t)(value))
#endif

/* The version whose names the header uses, as major * 100 + minor: 103 for 1.3, 6 for 0.6. Headers
 * of 0.x have DLPACK_VERSION, which is 10 times that number. The first ones write it with a leading
 * zero, 020, which C reads as 16; the macros below recognize these by their spelling. */
#if defined(DLPACK_MAJOR_VERSION)
#define DLCERT_FACTS_VERSION (DLPACK_MAJOR_VERSION * 100 + DLPACK_MINOR_VERSION)
#elif !defined(DLPACK_VERSION)
#define DLCERT_FACTS_VERSION 0
#elif DLPACK_VERSION >= 60
#define DLCERT_FACTS_VERSION (DLPACK_VERSION / 10)
#else
#define DLCERT_FACTS_WRITTEN_010 1
#define DLCERT_FACTS_WRITTEN_020 2
#define DLCERT_FACTS_WRITTEN_030 3
#define DLCERT_FACTS_WRITTEN_040 4
#define DLCERT_FACTS_WRITTEN_050 5
#define DLCERT_FACTS_WRITTEN_060 6
#define DLCERT_FACTS_WRITTEN_070 7
#define DLCERT_FACTS_WRITTEN_10 1
#define DLCERT_FACTS_WRITTEN_20 2
#define DLCERT_FACTS_WRITTEN_30 3
#define DLCERT_FACTS_WRITTEN_40 4
#define DLCERT_FACTS_WRITTEN_50 5
#define DLCERT_FACTS_PASTED(version) DLCERT_FACTS_WRITTEN_##version
#define DLCERT_FACTS_WRITTEN(version) DLCERT_FACTS_PASTED(version)
#define DLCERT_FACTS_VERSION DLCERT_FACTS_WRITTEN(DLPACK_VERSION)
#endif

/* The names of DLDevice and DLTensor::device, which differ before 0.4. */
#if DLCERT_FACTS_VERSION >= 4
#define DLCERT_FACTS_DEVICE DLDevice
#define DLCERT_FACTS_DEVICE_MEMBER device
#else
#define DLCERT_FACTS_DEVICE DLContext
#define DLCERT_FACTS_DEVICE_MEMBER ctx
#endif

/* Fills every entry of device_codes. Codes that this header does not name become
 * DLCERT_FACT_UNKNOWN. */
static inline void dlcert_fill_device_codes(dlcert_dlpack_facts* facts) {
  int code;
  for (code = 0; code < DLCERT_DEVICE_CODES; ++code)
    facts->device_codes[code] = DLCERT_FACT_UNKNOWN;
  facts->device_codes[1] = DLCERT_FACT(kDLCPU);
  /* Headers that call themselves 0.2 differ: some name Vulkan, ExtDev and bfloat, others do not. */
#if DLCERT_FACTS_VERSION >= 5
  facts->device_codes[2] = DLCERT_FACT(kDLCUDA);
  facts->device_codes[3] = DLCERT_FACT(kDLCUDAHost);
#else
  facts->device_codes[2] = DLCERT_FACT(kDLGPU);
  facts->device_codes[3] = DLCERT_FACT(kDLCPUPinned);
#endif
  facts->device_codes[4] = DLCERT_FACT(kDLOpenCL);
#if DLCERT_FACTS_VERSION >= 3
  facts->device_codes[7] = DLCERT_FACT(kDLVulkan);
#endif
  facts->device_codes[8] = DLCERT_FACT(kDLMetal);
  facts->device_codes[9] = DLCERT_FACT(kDLVPI);
  facts->device_codes[10] = DLCERT_FACT(kDLROCM);
#if DLCERT_FACTS_VERSION >= 4
  facts->device_codes[12] = DLCERT_FACT(kDLExtDev);
#endif
#if DLCERT_FACTS_VERSION >= 6
  facts->device_codes[11] = DLCERT_FACT(kDLROCMHost);
  facts->device_codes[13] = DLCERT_FACT(kDLCUDAManaged);
#endif
#if DLCERT_FACTS_VERSION >= 7
  facts->device_codes[14] = DLCERT_FACT(kDLOneAPI);
  facts->device_codes[15] = DLCERT_FACT(kDLWebGPU);
  facts->device_codes[16] = DLCERT_FACT(kDLHexagon);
#endif
#if DLCERT_FACTS_VERSION >= 100
  facts->device_codes[17] = DLCERT_FACT(kDLMAIA);
#endif
#if DLCERT_FACTS_VERSION >= 102
  facts->device_codes[18] = DLCERT_FACT(kDLTrn);
#endif
}

/* Fills every entry of dtype_codes in the same way. */
static inline void dlcert_fill_dtype_codes(dlcert_dlpack_facts* facts) {
  int code;
  for (code = 0; code < DLCERT_DTYPE_CODES; ++code)
    facts->dtype_codes[code] = DLCERT_FACT_UNKNOWN;
  facts->dtype_codes[0] = DLCERT_FACT(kDLInt);
  facts->dtype_codes[1] = DLCERT_FACT(kDLUInt);
  facts->dtype_codes[2] = DLCERT_FACT(kDLFloat);
#if DLCERT_FACTS_VERSION >= 3
  facts->dtype_codes[4] = DLCERT_FACT(kDLBfloat);
#endif
#if DLCERT_FACTS_VERSION >= 4
  facts->dtype_codes[3] = DLCERT_FACT(kDLOpaqueHandle);
  facts->dtype_codes[5] = DLCERT_FACT(kDLComplex);
#endif
#if DLCERT_FACTS_VERSION >= 8
  facts->dtype_codes[6] = DLCERT_FACT(kDLBool);
#endif
#if DLCERT_FACTS_VERSION >= 101
  facts->dtype_codes[7] = DLCERT_FACT(kDLFloat8_e3m4);
  facts->dtype_codes[8] = DLCERT_FACT(kDLFloat8_e4m3);
  facts->dtype_codes[9] = DLCERT_FACT(kDLFloat8_e4m3b11fnuz);
  facts->dtype_codes[10] = DLCERT_FACT(kDLFloat8_e4m3fn);
  facts->dtype_codes[11] = DLCERT_FACT(kDLFloat8_e4m3fnuz);
  facts->dtype_codes[12] = DLCERT_FACT(kDLFloat8_e5m2);
  facts->dtype_codes[13] = DLCERT_FACT(kDLFloat8_e5m2fnuz);
  facts->dtype_codes[14] = DLCERT_FACT(kDLFloat8_e8m0fnu);
  facts->dtype_codes[15] = DLCERT_FACT(kDLFloat6_e2m3fn);
  facts->dtype_codes[16] = DLCERT_FACT(kDLFloat6_e3m2fn);
  facts->dtype_codes[17] = DLCERT_FACT(kDLFloat4_e2m1fn);
#endif
}

/* Fills the facts that headers before 1.0 lack: version, DLManagedTensorVersioned and its flags. */
static inline void dlcert_fill_versioned_facts(dlcert_dlpack_facts* facts) {
#if DLCERT_FACTS_VERSION >= 100
  typedef struct DLManagedTensorVersioned Versioned;
  facts->major_version = DLPACK_MAJOR_VERSION;
  facts->minor_version = DLPACK_MINOR_VERSION;
  facts->version_bytes = DLCERT_FACT(sizeof(DLPackVersion));
  facts->version_major_offset = DLCERT_FACT(offsetof(DLPackVersion, major));
  facts->version_minor_offset = DLCERT_FACT(offsetof(DLPackVersion, minor));
  facts->versioned_bytes = DLCERT_FACT(sizeof(Versioned));
  facts->versioned_version_offset = DLCERT_FACT(offsetof(Versioned, version));
  facts->versioned_context_offset = DLCERT_FACT(offsetof(Versioned, manager_ctx));
  facts->versioned_deleter_offset = DLCERT_FACT(offsetof(Versioned, deleter));
  facts->versioned_flags_offset = DLCERT_FACT(offsetof(Versioned, flags));
  facts->versioned_tensor_offset = DLCERT_FACT(offsetof(Versioned, dl_tensor));
  facts->flag_masks[0] = DLCERT_FACT(DLPACK_FLAG_BITMASK_READ_ONLY);
  facts->flag_masks[1] = DLCERT_FACT(DLPACK_FLAG_BITMASK_IS_COPIED);
#else
  facts->major_version = facts->minor_version = DLCERT_FACT_UNKNOWN;
  facts->version_bytes = facts->version_major_offset = facts->version_minor_offset =
      DLCERT_FACT_UNKNOWN;
  facts->versioned_bytes = facts->versioned_version_offset = facts->versioned_context_offset =
      DLCERT_FACT_UNKNOWN;
  facts->versioned_deleter_offset = facts->versioned_flags_offset = facts->versioned_tensor_offset =
      DLCERT_FACT_UNKNOWN;
  facts->flag_masks[0] = facts->flag_masks[1] = DLCERT_FACT_UNKNOWN;
#endif
#if DLCERT_FACTS_VERSION >= 101
  facts->flag_masks[2] = DLCERT_FACT(DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED);
#else
  facts->flag_masks[2] = DLCERT_FACT_UNKNOWN;
#endif
}

/* Fills all members of *facts, including struct_size. Allocates nothing, keeps no reference and
 * never fails. The caller owns *facts, which needs static storage. For dlcert_adapter.cxx_facts,
 * call this function in a C++ source; for dlcert_adapter.c_facts, call it in a C source. */
static inline void dlcert_fill_dlpack_facts(dlcert_dlpack_facts* facts) {
  facts->struct_size = sizeof *facts;
#if defined(DLPACK_VERSION)
  facts->legacy_version = DLPACK_VERSION;
#else
  facts->legacy_version = DLCERT_FACT_UNKNOWN;
#endif
  facts->pointer_bytes = DLCERT_FACT(sizeof(void*));
  facts->device_type_bytes = DLCERT_FACT(sizeof(DLDeviceType));
  facts->device_bytes = DLCERT_FACT(sizeof(DLCERT_FACTS_DEVICE));
  facts->device_type_offset = DLCERT_FACT(offsetof(DLCERT_FACTS_DEVICE, device_type));
  facts->device_id_offset = DLCERT_FACT(offsetof(DLCERT_FACTS_DEVICE, device_id));
  facts->dtype_bytes = DLCERT_FACT(sizeof(DLDataType));
  facts->dtype_code_offset = DLCERT_FACT(offsetof(DLDataType, code));
  facts->dtype_bits_offset = DLCERT_FACT(offsetof(DLDataType, bits));
  facts->dtype_lanes_offset = DLCERT_FACT(offsetof(DLDataType, lanes));
  facts->tensor_bytes = DLCERT_FACT(sizeof(DLTensor));
  facts->tensor_data_offset = DLCERT_FACT(offsetof(DLTensor, data));
  facts->tensor_device_offset = DLCERT_FACT(offsetof(DLTensor, DLCERT_FACTS_DEVICE_MEMBER));
  facts->tensor_ndim_offset = DLCERT_FACT(offsetof(DLTensor, ndim));
  facts->tensor_dtype_offset = DLCERT_FACT(offsetof(DLTensor, dtype));
  facts->tensor_shape_offset = DLCERT_FACT(offsetof(DLTensor, shape));
  facts->tensor_strides_offset = DLCERT_FACT(offsetof(DLTensor, strides));
  facts->tensor_byte_offset_offset = DLCERT_FACT(offsetof(DLTensor, byte_offset));
  facts->legacy_bytes = DLCERT_FACT(sizeof(DLManagedTensor));
  facts->legacy_tensor_offset = DLCERT_FACT(offsetof(DLManagedTensor, dl_tensor));
  facts->legacy_context_offset = DLCERT_FACT(offsetof(DLManagedTensor, manager_ctx));
  facts->legacy_deleter_offset = DLCERT_FACT(offsetof(DLManagedTensor, deleter));
  dlcert_fill_versioned_facts(facts);
  dlcert_fill_device_codes(facts);
  dlcert_fill_dtype_codes(facts);
}

#endif /* DLCERT_DLPACK_FACTS_H_ */
