#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# run_recorded.sh DLCERT WORKER MODULE FOLDER COMPILER [MUTANT REQUIREMENT CORRECTION]...
#
# The recorded programs of mutants whose fault is in what they hand over must compile as C11, without their module, and
# show it (exit code 1); that of REQUIREMENT must show none (0) when CORRECTION, of sed, has mended its struct.
set -eu
dlcert=$1 worker=$2 module=$3 folder=$4 compiler=$5
shift 5
wrong=0 programs=0 mended=0

# ran SOURCE: its exit code.
ran() {
  $compiler -std=c11 -pedantic-errors -Wall -Wextra -Werror -o "$folder/program" "$1"
  code=0
  "$folder/program" >"$folder/out" 2>&1 || code=$?
}

while [ $# -gt 0 ]; do
  mutant=$1 requirement=$2 correction=$3
  shift 3
  rm -rf "$folder"
  mkdir -p "$folder"
  DLCERT_MUTANT=$mutant "$dlcert" certify --area abi --adapter "$module" --worker "$worker" --cases 30 \
    --results "$folder/results.json" >"$folder/log" 2>&1 || true
  saved=$folder/results.json.counterexamples
  for source in "$saved"/*.recorded.c; do
    ran "$source"
    programs=$((programs + 1))
    if [ "$code" -ne 1 ]; then
      echo "$mutant: $source: exit code $code"
      wrong=$((wrong + 1))
    fi
  done
  sed "$correction" "$saved/$requirement-reference-dlcert.recorded.c" >"$saved/corrected.c"
  ran "$saved/corrected.c"
  if [ "$code" -eq 0 ]; then
    mended=$((mended + 1))
  else
    echo "$mutant: $requirement, corrected by $correction: exit code $code"
    cat "$saved/corrected.c"
    wrong=$((wrong + 1))
  fi
done
echo "$programs programs, $mended mended, $wrong wrong"
[ "$programs" -gt 0 ] && [ "$wrong" -eq 0 ]
