#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes conformance/POLICIES.md from policies.json and the register; with --check, fails unless it is up to date."""

import json
import sys
from pathlib import Path

CONFORMANCE = Path(__file__).resolve().parent.parent
PAGE = CONFORMANCE / "POLICIES.md"

HEAD = """# Policies

The standards leave some points open, and contradict themselves at others. For each such point a named
[policy](../harness/docs/README.md#terms) decides. With the default value, no library fails for something that the
standards do not say.

To choose a value, use `--policy NAME=VALUE`. To choose a value for every policy at once, use `--policy-set SET`:

| set | values |
| --- | --- |
| `standard` | the defaults |
| `interop` | the points on which libraries must agree so that arrays can cross between them. Each value names the bug of a real library that taught it ([bugs.json](../fixtures/bugs.json)) |
| `strict` | the narrowest value that the reference keeps |

A single `--policy` overrides the set. The results name the set and every value that was used.

A failure under a policy fails the requirement that the policy decides (last column). This is how it counts:

| value | how a failure counts |
| --- | --- |
| the default, and you did not name it | by the requirement's level: a MUST ends the certification with exit code 1, a SHOULD or MAY is a [warning](../harness/docs/README.md#terms) |
| a value that you chose: by `--policy`, even if it is the default, or by a set, if it is not the default | it is [binding](../harness/docs/README.md#terms) at every level |
| `record`, chosen or not | by the requirement's level: a crash of a MAY is a warning, a crash of a SHOULD fails with `--strict` |

With `record`, dlcert reports the outcome with the result and does not judge it, except as the table below says. But a
crash or a hang is always a failure.

The script `tests/policies_page.py` writes this page from [policies.json](policies.json). A name in
parentheses after a value of `interop` is the bug that taught it.

| Policy | Question | Values (the default first) | In the sets | Decides |
| --- | --- | --- | --- | --- |
"""


def users_of_policies():
    users = {}
    for path in sorted((CONFORMANCE / "requirements").glob("*.json")):
        for entry in json.loads(path.read_text())["requirements"]:
            if entry.get("policy"):
                users.setdefault(entry["policy"], []).append(entry)
    return users


def row(policy, users):
    default = policy["default"]
    names = [default] + [name for name in policy["values"] if name != default]
    values = "<br>".join(f"`{name}`: {policy['values'][name]}" for name in names)
    sets = "<br>".join(f"{name}: `{chosen['value']}`" + (f" ({chosen['bug']})" if "bug" in chosen else "")
                       for name, chosen in policy.get("sets", {}).items())
    ids = "<br>".join(f"`{user['id']}` ({user['level']})" for user in users)
    return f"| `{policy['name']}` | {policy['question']} | {values} | {sets} | {ids} |\n"


def page():
    users = users_of_policies()
    policies = json.loads((CONFORMANCE / "policies.json").read_text())["policies"]
    return HEAD + "".join(row(policy, users[policy["name"]]) for policy in policies)


def main():
    if sys.argv[1:] != ["--check"]:
        PAGE.write_text(page())
        return 0
    if PAGE.exists() and PAGE.read_text() == page():
        return 0
    print("conformance/POLICIES.md: expected the page that conformance/tests/policies_page.py writes but found another")
    return 1


if __name__ == "__main__":
    sys.exit(main())
