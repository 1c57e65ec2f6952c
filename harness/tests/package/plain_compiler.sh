#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# plain_compiler.sh COMPILER PREFIX DLPACK_INCLUDE ACME_INCLUDE ACME_ADAPTER

set -euo pipefail
compiler=$1 prefix=$2 dlpack=$3 acme=$4 adapter=$5
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$compiler" -std=c++20 -shared -fPIC -I"$prefix/include" -I"$dlpack" -I"$acme" "$adapter" \
  -o "$folder/acme.so"
"$prefix/bin/dlcert" certify --adapter "$folder/acme.so" --results "$folder/results.json"
grep -q '"complete": true' "$folder/results.json"
