#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Runs a mutant by hand as its README says: run_readme_command.sh README BUILD_FOLDER
command=$(grep '^DLCERT_MUTANT=' "$1" | sed "s|build/dev|$2|g")
output=$(sh -c "$command")
status=$?
echo "$command"
echo "$output"
echo "expected exit code 1 and a requirement that fails; the exit code is $status"
[ "$status" -eq 1 ] && echo "$output" | grep -q '^abi\.[a-z.-]*  fail  '
