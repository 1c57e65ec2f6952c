// SPDX-License-Identifier: Apache-2.0
//
// The worker: the harness's loop with the checks of every area that was built.
#include <dlcert/suite/worker.hpp>

#include "areas.hpp"

int main(int argc, char** argv) {
  dlcert::Suite suite;
  dlcert::register_abi_checks(suite);
  dlcert::register_lifetime_checks(suite);
  dlcert::register_capsule_checks(suite);
  dlcert::register_sharing_checks(suite);
  dlcert::register_protocol_checks(suite);
  dlcert::register_stream_checks(suite);
  dlcert::register_exchange_api_checks(suite);
  dlcert::register_devices_checks(suite);
  dlcert::register_runtime_checks(suite);
  dlcert::register_telemetry_checks(suite);
  return dlcert::dlcert_worker_main(argc, argv, suite);
}
