/*
 * aten 2.15.0: export of data that is lazily conjugated: expected a refusal or its values but found
 * others
 *
 * Rule (protocol.export.values): lazily conjugated data is refused or exported with its values.
 * Source: derived: dlpack.h v1.3 DLManagedTensor and DLManagedTensorVersioned; array API draft,
 * array_object.py __dlpack__ (exports the array); array API draft, creation_functions.py
 * from_dlpack Returns; DLPack docs/source/python_spec.rst @7f393bb lines 15-18
 *
 * Build and run: cc -std=c11 -o counterexample THIS_FILE -ldl && ./counterexample [MODULE]
 * MODULE is the adapter of the library.
 * Exit code: 1 if the library breaks the rule, 0 if it keeps it, 2 if anything else goes wrong.
 */
#ifndef DLCERT_COUNTEREXAMPLE_H
#include "../dlcert_counterexample.h"
#endif

static void steps(void) {
  dlcert_tensor* t1 = create(library, SPEC(.dtype = {5, 64, 1}, .device = {1, 0}, .storage_size = 1,
                                           .state = DLCERT_STATE_CONJUGATE), "0000803f00000040");
  dlcert_managed m1 = UNLESS_REFUSED(export_managed(library, t1, REQUEST(.stream = ABSENT)));
  judge_text(elements(m1), "0000803f00000040");
}

int main(int argc, char** argv) {
  const char* const module_path = "<adapter>/libdlcert_libtorch_adapter.so";
  return run(JUDGES, argc > 1 ? argv[1] : module_path, steps);
}
