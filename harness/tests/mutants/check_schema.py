#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Validates a manifest of mutants against its JSON Schema, and that the schema refuses what it should:
check_schema.py MANIFEST

Exits 77 where the Python package jsonschema is missing.
"""

import sys

try:
    from jsonschema import Draft202012Validator
except ImportError:
    print("expected the Python package jsonschema (Debian: python3-jsonschema) but found none")
    sys.exit(77)

import json
from pathlib import Path


def spoiled(document):
    """(what was done, document): copies of `document` that the schema must refuse."""
    first, *others = document["mutants"]

    def with_first(mutant):
        return document | {"mutants": [mutant, *others]}

    for member in ("id", "area", "fault", "must_fail"):
        yield f"a mutant without {member}", with_first({k: v for k, v in first.items() if k != member})
    for member in ("id", "area", "bug", "fault", "must_fail", "spec", "policies", "may_break"):
        yield f"a number for {member}", with_first(first | {member: 1})
    yield "a member that nobody knows", with_first(first | {"surplus": 1})
    yield "an ID with a blank", with_first(first | {"id": "1 2"})
    yield "a fault with a full stop", with_first(first | {"fault": "it is wrong."})
    yield "a mutant that nothing finds", with_first(first | {"must_fail": []})
    yield "an area without requirements", document | {"must_pass": {"abi": []}}
    yield "no mutants", document | {"mutants": []}


def main(path):
    document = json.loads(Path(path).read_text(encoding="utf-8"))
    schema = json.loads(Path(path).with_name(document["$schema"]).read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    problems = [f"{error.json_path}: {error.message[:200]}" for error in validator.iter_errors(document)]
    problems += [f"expected the schema to refuse {what} but found it accepted"
                 for what, other in spoiled(document) if validator.is_valid(other)]
    print(*problems, f"{len(problems)} problems", sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
