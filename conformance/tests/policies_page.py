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
what the text does not say; `dlcert --policy NAME=VALUE` chooses otherwise, and the results name every value that was used. A finding
fails the requirement that the policy decides: a MUST then ends the certification with exit code 1, a SHOULD or MAY is a warning.

This page is written from [policies.json](policies.json) by `tests/policies_page.py`.

| Policy | Question | Values (the default first) | Decides |
| --- | --- | --- | --- |
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
    ids = "<br>".join(f"`{user['id']}` ({user['level']})" for user in users)
    return f"| `{policy['name']}` | {policy['question']} | {values} | {ids} |\n"


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
