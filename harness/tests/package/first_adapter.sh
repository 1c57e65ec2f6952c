#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# first_adapter.sh COMPILER PREFIX DLPACK_INCLUDE GENERATOR

set -euo pipefail
compiler=$1 prefix=$2 dlpack=$3 generator=$4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

"$prefix/bin/dlcert" init cpp
cmake -S acme_adapter -B acme_adapter/build -G "$generator" "-DCMAKE_CXX_COMPILER=$compiler" \
  "-DCMAKE_PREFIX_PATH=$prefix" "-DDLPACK_INCLUDE_DIR=$dlpack"
cmake --build acme_adapter/build --target acme_adapter
"$prefix/bin/dlcert" smoke --adapter acme_adapter/build/libacme_adapter.so
if "$prefix/bin/dlcert" init cpp 2>error; then
  echo "init cpp: expected a refusal to write over a folder" >&2
  exit 1
fi
grep -q "'acme_adapter' exists" error
