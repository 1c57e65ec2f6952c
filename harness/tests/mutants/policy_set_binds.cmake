# SPDX-License-Identifier: Apache-2.0
# A mutant that breaks a MAY passes under the defaults, and fails the run under the set; so does the replay of what was saved.
set(ENV{DLCERT_MUTANT} ${MUTANT})
string(RANDOM LENGTH 12 unique)
set(results "$ENV{TMPDIR}")
if(NOT results)
  set(results "/tmp")
endif()
set(results "${results}/policy_set_${unique}.json")

function(expect_exit_code expected)
  execute_process(COMMAND "${DLCERT}" run ${ARGN} --adapter "${MODULE}" --worker "${WORKER}" RESULT_VARIABLE code
                  OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(NOT code EQUAL expected)
    message(SEND_ERROR "run ${ARGN}: expected exit code ${expected} but found ${code}\n${text}")
  endif()
endfunction()

expect_exit_code(0 ${REQUIREMENT} --cases 50)
expect_exit_code(1 ${REQUIREMENT} --cases 50 --policy-set ${SET} --results ${results})
file(GLOB saved "${results}.counterexamples/*.json")
list(GET saved 0 first)
expect_exit_code(1 --replay ${first})
file(REMOVE_RECURSE ${results} "${results}.counterexamples")
