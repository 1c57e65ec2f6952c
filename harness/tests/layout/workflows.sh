#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# workflows.sh PROJECT CMAKE
#
# Every workflow of CMakePresets.json, and the wheel, which pip builds, is offered by harness/bootstrap, and so run by .ci/nightly, and the other way
# round; and bootstrap's usage tells each.

set -euo pipefail
cd "$1"
cmake=$2

presets=$({ "$cmake" --list-presets=workflow | sed -n 's/^ *"\([^"]*\)".*/\1/p' && echo wheel; } | sort)
offered=$(harness/bootstrap --list)
told=$(sed -n 's/^#   \([a-z-]*\)  .*/\1/p' harness/bootstrap | sort)

status=0
expect_same() {
  diff --label "$1" --label "$2" <(echo "$3") <(echo "$4") || status=1
}
expect_same "workflow presets" "harness/bootstrap --list" "$presets" "$offered"
expect_same "usage of harness/bootstrap" "harness/bootstrap --list" "$told" "$offered"
exit $status
