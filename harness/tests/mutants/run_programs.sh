#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# run_programs.sh DLCERT WORKER MODULE REFERENCE FOLDER COMPILER MUTANT...
#
# The saved programs of some mutants must compile and show the fault (exit code 1). Most must not show it on the reference
# (0). dlcert, which ran them too, must have confirmed as many. Programs of cases on devices must compile: outside of
# dlcert there are none.
set -eu
dlcert=$1 worker=$2 module=$3 reference=$4 folder=$5 compiler=$6
shift 6
wrong=0 programs=0 mended=0 confirmed=0
for mutant in "$@"; do
  rm -rf "$folder"
  mkdir -p "$folder"
  DLCERT_MUTANT=$mutant "$dlcert" certify --area abi --adapter "$module" --worker "$worker" --cases 30 \
    --results "$folder/results.json" >"$folder/log" || true
  for source in "$folder"/results.json.counterexamples/*.c; do
    $compiler -std=c11 -Wall -Wextra -Werror -Wno-unused-variable -Wno-unused-function -o "$folder/program" "$source" -ldl
    ! sed -n 2p "$source" | grep -q ' on \(CUDA\|ROCm\)$' || continue
    code=0
    DLCERT_MUTANT=$mutant "$folder/program" >"$folder/out" 2>&1 || code=$?
    programs=$((programs + 1))
    if [ "$code" -ne 1 ]; then
      echo "$mutant: $source: exit code $code"
      wrong=$((wrong + 1))
    fi
    code=0
    "$folder/program" "$reference" >/dev/null 2>&1 || code=$?
    [ "$code" -ne 0 ] || mended=$((mended + 1))
  done
  confirmed=$((confirmed + $(grep -c '"state": "confirmed"' "$folder/results.json")))
done
echo "$programs programs, $wrong that did not show the fault, $mended that show none on the reference, $confirmed confirmed"
[ "$programs" -gt 0 ] && [ "$wrong" -eq 0 ] && [ $((2 * mended)) -gt "$programs" ] && [ "$confirmed" -gt 0 ]
