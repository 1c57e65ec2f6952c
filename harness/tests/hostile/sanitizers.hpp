// SPDX-License-Identifier: Apache-2.0
//
// Which sanitizers the tests are built with.
#pragma once

namespace dlcert::hostile {

#if defined(__has_feature)
#define DLCERT_HAS_FEATURE(feature) __has_feature(feature)
#else
#define DLCERT_HAS_FEATURE(feature) 0
#endif
#if defined(__SANITIZE_THREAD__) || DLCERT_HAS_FEATURE(thread_sanitizer)
inline constexpr bool thread_sanitizer = true;
#else
inline constexpr bool thread_sanitizer = false;
#endif
#if defined(__SANITIZE_ADDRESS__) || DLCERT_HAS_FEATURE(address_sanitizer)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = thread_sanitizer;
#endif

}  // namespace dlcert::hostile
