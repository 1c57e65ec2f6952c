#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# order_proof.sh ORDER_EXHAUSTIVE
#
# The whole proof of the simulated driver's order, on all processors: every program of up to 6 calls, every one of up
# to 5 with the calls that block, fill both cells or end a stream, and 128,000 larger ones of each family. Prints the
# disagreements and the sums. Takes an hour of a processor.

set -euo pipefail
tool=$1
shards=64
each=2000

in_shards() {
  seq 0 $((shards - 1)) | xargs -P "$(nproc)" -I{} "$@"
}

sum() {
  awk -v what="$1" '
    / programs, .* with a race, .* disagreements, / {
      sub(/^[^:]*: /, ""); programs += $1; races += $3; disagreements += $7; next
    }
    { print }
    END { printf "%s: %d programs, %d with a race, %d disagreements\n", what, programs, races, disagreements }'
}

in_shards "$tool" --length 6 --shard "{}/$shards" | sum "up to 6 calls"
in_shards "$tool" --length 5 --more-calls --shard "{}/$shards" | sum "up to 5 calls of all kinds"
seq 1 "$each" $((each * shards)) | xargs -P "$(nproc)" -I{} "$tool" --sampled "$each" --seed {} | sum "8 to 12 calls"
