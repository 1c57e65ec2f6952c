/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DLCERT_REFERENCE_FACTS_H_
#define DLCERT_REFERENCE_FACTS_H_

#include <dlcert/adapter.h>

#ifdef __cplusplus
extern "C" {
#endif
/* The reference's dlpack.h as C sees it; static. */
const dlcert_dlpack_facts* dlcert_reference_c_facts(void);
#ifdef __cplusplus
}
#endif

#endif /* DLCERT_REFERENCE_FACTS_H_ */
