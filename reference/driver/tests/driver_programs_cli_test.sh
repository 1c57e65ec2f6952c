#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# driver_programs_cli_test.sh PROGRAM FIXTURES FOLDER: exit codes and lines of driver_programs.
# Writes into FOLDER.
program=$1
fixtures=$2
mkdir -p "$3" && cd "$3" || exit 1
failed=0

# expect CODE LINE COMMAND...: LINE is a regular expression for a whole line of the output.
expect() {
  code=$1
  line=$2
  shift 2
  output=$("$@" 2>&1)
  found=$?
  if [ "$found" -ne "$code" ] || ! echo "$output" | grep -qx "$line"; then
    echo "$*: expected exit code $code and a line '$line' but found $found and:"
    echo "$output"
    failed=1
  fi
}

sed 's/= 903$/= 901/' "$fixtures/capture_codes.txt" >planted.txt
printf 'program p\nt0 jump = 0\n' >malformed.txt
: >empty.txt

expect 0 '[1-9][0-9]* programs, [1-9][0-9]* steps, 0 disagreements' "$program" "$fixtures/capture_replay.txt"
expect 0 '.*; 2 programs not run: they need more devices' "$program" "$fixtures/order.txt"
expect 1 'planted.txt:[0-9]*: cudaStreamEndCapture: recorded 901 but found 903' "$program" planted.txt
expect 1 '[1-9][0-9]* programs, [1-9][0-9]* steps, 1 disagreements' "$program" planted.txt
expect 2 'malformed.txt:2: expected a step such as fill or wait but found .jump.' "$program" malformed.txt
expect 2 'expected a program to run but found none' "$program" empty.txt
expect 2 "expected a file but found none at 'missing.txt'" "$program" missing.txt
expect 2 "driver 'simulated': no device" env DLCERT_SIMULATED_DEVICES=0 "$program" planted.txt
expect 2 'usage: .*' "$program"

# What is there when it is recorded again is what was there.
cp "$fixtures/order.txt" order.txt
expect 0 '' "$program" --update order.txt
cmp order.txt "$fixtures/order.txt" || failed=1
exit $failed
