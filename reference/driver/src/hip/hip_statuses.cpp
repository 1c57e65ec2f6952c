// SPDX-License-Identifier: Apache-2.0

#include "vendor/statuses.hpp"

namespace dlcert::driver {
namespace {

// What hipGetErrorName of ROCm 5.2 answers. hipGetErrorString answers the same.
constexpr StatusRow hip_rows[] = {
    {0, "hipSuccess", "hipSuccess"},
    {1, "hipErrorInvalidValue", "hipErrorInvalidValue"},
    {2, "hipErrorOutOfMemory", "hipErrorOutOfMemory"},
    {3, "hipErrorNotInitialized", "hipErrorNotInitialized"},
    {4, "hipErrorDeinitialized", "hipErrorDeinitialized"},
    {5, "hipErrorProfilerDisabled", "hipErrorProfilerDisabled"},
    {6, "hipErrorProfilerNotInitialized", "hipErrorProfilerNotInitialized"},
    {7, "hipErrorProfilerAlreadyStarted", "hipErrorProfilerAlreadyStarted"},
    {8, "hipErrorProfilerAlreadyStopped", "hipErrorProfilerAlreadyStopped"},
    {9, "hipErrorInvalidConfiguration", "hipErrorInvalidConfiguration"},
    {12, "hipErrorInvalidPitchValue", "hipErrorInvalidPitchValue"},
    {13, "hipErrorInvalidSymbol", "hipErrorInvalidSymbol"},
    {17, "hipErrorInvalidDevicePointer", "hipErrorInvalidDevicePointer"},
    {21, "hipErrorInvalidMemcpyDirection", "hipErrorInvalidMemcpyDirection"},
    {35, "hipErrorInsufficientDriver", "hipErrorInsufficientDriver"},
    {52, "hipErrorMissingConfiguration", "hipErrorMissingConfiguration"},
    {53, "hipErrorPriorLaunchFailure", "hipErrorPriorLaunchFailure"},
    {98, "hipErrorInvalidDeviceFunction", "hipErrorInvalidDeviceFunction"},
    {100, "hipErrorNoDevice", "hipErrorNoDevice"},
    {101, "hipErrorInvalidDevice", "hipErrorInvalidDevice"},
    {200, "hipErrorInvalidImage", "hipErrorInvalidImage"},
    {201, "hipErrorInvalidContext", "hipErrorInvalidContext"},
    {202, "hipErrorContextAlreadyCurrent", "hipErrorContextAlreadyCurrent"},
    {205, "hipErrorMapFailed", "hipErrorMapFailed"},
    {206, "hipErrorUnmapFailed", "hipErrorUnmapFailed"},
    {207, "hipErrorArrayIsMapped", "hipErrorArrayIsMapped"},
    {208, "hipErrorAlreadyMapped", "hipErrorAlreadyMapped"},
    {209, "hipErrorNoBinaryForGpu", "hipErrorNoBinaryForGpu"},
    {210, "hipErrorAlreadyAcquired", "hipErrorAlreadyAcquired"},
    {211, "hipErrorNotMapped", "hipErrorNotMapped"},
    {212, "hipErrorNotMappedAsArray", "hipErrorNotMappedAsArray"},
    {213, "hipErrorNotMappedAsPointer", "hipErrorNotMappedAsPointer"},
    {214, "hipErrorECCNotCorrectable", "hipErrorECCNotCorrectable"},
    {215, "hipErrorUnsupportedLimit", "hipErrorUnsupportedLimit"},
    {216, "hipErrorContextAlreadyInUse", "hipErrorContextAlreadyInUse"},
    {217, "hipErrorPeerAccessUnsupported", "hipErrorPeerAccessUnsupported"},
    {218, "hipErrorInvalidKernelFile", "hipErrorInvalidKernelFile"},
    {219, "hipErrorInvalidGraphicsContext", "hipErrorInvalidGraphicsContext"},
    {300, "hipErrorInvalidSource", "hipErrorInvalidSource"},
    {301, "hipErrorFileNotFound", "hipErrorFileNotFound"},
    {302, "hipErrorSharedObjectSymbolNotFound", "hipErrorSharedObjectSymbolNotFound"},
    {303, "hipErrorSharedObjectInitFailed", "hipErrorSharedObjectInitFailed"},
    {304, "hipErrorOperatingSystem", "hipErrorOperatingSystem"},
    {400, "hipErrorInvalidHandle", "hipErrorInvalidHandle"},
    {401, "hipErrorIllegalState", "hipErrorIllegalState"},
    {500, "hipErrorNotFound", "hipErrorNotFound"},
    {600, "hipErrorNotReady", "hipErrorNotReady"},
    {700, "hipErrorIllegalAddress", "hipErrorIllegalAddress"},
    {701, "hipErrorLaunchOutOfResources", "hipErrorLaunchOutOfResources"},
    {702, "hipErrorLaunchTimeOut", "hipErrorLaunchTimeOut"},
    {704, "hipErrorPeerAccessAlreadyEnabled", "hipErrorPeerAccessAlreadyEnabled"},
    {705, "hipErrorPeerAccessNotEnabled", "hipErrorPeerAccessNotEnabled"},
    {708, "hipErrorSetOnActiveProcess", "hipErrorSetOnActiveProcess"},
    {709, "hipErrorContextIsDestroyed", "hipErrorContextIsDestroyed"},
    {710, "hipErrorAssert", "hipErrorAssert"},
    {712, "hipErrorHostMemoryAlreadyRegistered", "hipErrorHostMemoryAlreadyRegistered"},
    {713, "hipErrorHostMemoryNotRegistered", "hipErrorHostMemoryNotRegistered"},
    {719, "hipErrorLaunchFailure", "hipErrorLaunchFailure"},
    {720, "hipErrorCooperativeLaunchTooLarge", "hipErrorCooperativeLaunchTooLarge"},
    {801, "hipErrorNotSupported", "hipErrorNotSupported"},
    {900, "hipErrorStreamCaptureUnsupported", "hipErrorStreamCaptureUnsupported"},
    {901, "hipErrorStreamCaptureInvalidated", "hipErrorStreamCaptureInvalidated"},
    {902, "hipErrorStreamCaptureMerge", "hipErrorStreamCaptureMerge"},
    {903, "hipErrorStreamCaptureUnmatched", "hipErrorStreamCaptureUnmatched"},
    {904, "hipErrorStreamCaptureUnjoined", "hipErrorStreamCaptureUnjoined"},
    {905, "hipErrorStreamCaptureIsolation", "hipErrorStreamCaptureIsolation"},
    {906, "hipErrorStreamCaptureImplicit", "hipErrorStreamCaptureImplicit"},
    {907, "hipErrorCapturedEvent", "hipErrorCapturedEvent"},
    {908, "hipErrorStreamCaptureWrongThread", "hipErrorStreamCaptureWrongThread"},
    {910, "hipErrorGraphExecUpdateFailure", "hipErrorGraphExecUpdateFailure"},
    {999, "hipErrorUnknown", "hipErrorUnknown"},
    {1052, "hipErrorRuntimeMemory", "hipErrorRuntimeMemory"},
    {1053, "hipErrorRuntimeOther", "hipErrorRuntimeOther"},
    {1054, "hipErrorTbd", "hipErrorTbd"},
};
static_assert(is_ascending(hip_rows));

}  // namespace

std::span<const StatusRow> hip_statuses() noexcept {
  return hip_rows;
}

}  // namespace dlcert::driver
