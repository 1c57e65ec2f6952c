#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# on_device.sh COMMAND...: runs the command; exit code 77, not run, when it ends because there is no
# driver or no device.
output=$("$@" 2>&1)
code=$?
echo "$output"
if [ "$code" -eq 2 ] && echo "$output" | grep -Eq "driver '[a-z-]+'(:| was not built)"; then
  exit 77
fi
exit "$code"
