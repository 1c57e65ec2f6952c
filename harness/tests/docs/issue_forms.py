#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the issue forms by GitHub's rules for them: issue_forms.py FOLDER

GitHub shows no form that breaks one of them, and tells nobody. The rules are those of "Syntax for GitHub's form schema".
Exits 77 where the Python package yaml is missing.
"""

import sys
from pathlib import Path

try:
    import yaml
except ImportError:
    print("expected the Python package yaml (Debian: python3-yaml) but found none")
    sys.exit(77)

# For each type of an element, the attributes that it must have, and those that it may have.
TYPES = {
    "markdown": ({"value"}, set()),
    "input": ({"label"}, {"description", "placeholder", "value"}),
    "textarea": ({"label"}, {"description", "placeholder", "value", "render"}),
    "dropdown": ({"label", "options"}, {"description", "multiple", "default"}),
    "checkboxes": ({"label", "options"}, {"description"}),
}
TOP = {"name", "description", "title", "body", "labels", "assignees", "projects", "type"}


def problems_of_element(element):
    kind = element.get("type")
    if kind not in TYPES:
        yield f"expected a type of {', '.join(TYPES)} but found {kind!r}"
        return
    must, may = TYPES[kind]
    attributes = set(element.get("attributes", {}))
    for missing in sorted(must - attributes):
        yield f"{kind}: expected the attribute {missing} but found none"
    for other in sorted(attributes - must - may):
        yield f"{kind}: unknown attribute {other}"
    for other in sorted(set(element) - {"type", "id", "attributes", "validations"}):
        yield f"{kind}: unknown member {other}"


def problems_of(form):
    for member in ("name", "description", "body"):
        if not form.get(member):
            yield f"expected {member} but found none"
    for member in sorted(set(form) - TOP):
        yield f"unknown member {member}"
    body = form.get("body") or []
    for element in body:
        yield from problems_of_element(element)
    for name, values in (("id", [element.get("id") for element in body]),
                         ("label", [element.get("attributes", {}).get("label") for element in body])):
        given = [value for value in values if value]
        if len(set(given)) != len(given):
            yield f"expected each {name} once but found {given}"
    if all(element.get("type") == "markdown" for element in body):
        yield "expected an element to fill in but found none"


def main():
    files = sorted(Path(sys.argv[1]).glob("*.yml"))
    wrong = [] if files else [f"{sys.argv[1]}: expected a form but found none"]
    for file in files:
        form = yaml.safe_load(file.read_text(encoding="utf-8"))
        wrong += [f"{file}: {problem}" for problem in problems_of(form)]
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
