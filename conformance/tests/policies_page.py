#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes conformance/POLICIES.md from policies.json and the register; with --check, fails unless it is up to date."""

import json
import sys
from pathlib import Path

CONFORMANCE = Path(__file__).resolve().parent.parent
PAGE = CONFORMANCE / "POLICIES.md"

HEAD = """# Policies

Where the standard leaves a point open, or contradicts itself, a named policy decides it. The default lets nobody fail for
what the text does not say. `dlcert --policy NAME=VALUE` chooses otherwise, and `--policy-set` chooses for many at once:

- `standard`: the defaults;
- `interop`: where libraries have to agree if arrays are to cross between them; each value names the bug of a real library that
  taught it ([bugs.json](../fixtures/bugs.json));
- `strict`: the narrowest value that the reference keeps.

Single policies go on top of the set. The results name the set and every value that was used.

A finding fails the requirement that the policy decides. Under the default it counts by that requirement's level: a MUST ends the
certification with exit code 1, a SHOULD or MAY is a warning. A value that was chosen binds whatever the level, the default
too where it is named, and so do a set's values that are not the default.

`record` tells outcomes with the result and judges none but what the table says. A crash or a hang is no outcome but a finding, under
`record` too. Chosen or not, `record` leaves what it decides at its level: a MAY's crash is a warning, a SHOULD's fails with `--strict`.

This page is written from [policies.json](policies.json) by `tests/policies_page.py`.

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
