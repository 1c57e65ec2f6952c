#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# expect_verdict.sh CODE LINE COMMAND...: the command ends with that exit code, and a line of its
# output matches.
wanted=$1 line=$2
shift 2
output=$("$@" 2>&1)
code=$?
echo "$output"
[ "$code" -eq "$wanted" ] || { echo "expected exit code $wanted but found $code"; exit 1; }
echo "$output" | grep -Eq "$line" || { echo "expected a line like '$line'"; exit 1; }
