// SPDX-License-Identifier: Apache-2.0
#include <dlcert/adapter.hpp>

#include "dlcert/reference_adapter.hpp"

DLCERT_ADAPTER(dlcert::reference::ReferenceAdapter)
