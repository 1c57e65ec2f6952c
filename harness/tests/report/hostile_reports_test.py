#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whatever a library says, every report stays what it is: hostile_reports_test.py PROGRAM SCHEMAS XMLLINT.

PROGRAM (hostile_reports.cpp) writes reports on results whose texts are hostile, and the same with plain words. Both must have
the same structure, and the same text once the words are replaced. Exits 77 where a Python package is missing.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unicodedata
import xml.etree.ElementTree as ElementTree
from pathlib import Path

try:
    from jsonschema import Draft202012Validator
    from markdown_it import MarkdownIt
except ImportError as missing:
    print(f"expected the Python package {missing.name} (harness/bootstrap) but found none")
    sys.exit(77)

SAMPLES = 60
PROGRAM, SCHEMAS, XMLLINT = sys.argv[1:]
# What a clean text has none of: controls, marks of direction, separators, noncharacters.
UNFIT = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufdd0-\ufdef\ufeff\ufffe\uffff]"
                   "|[" + "".join(chr(plane * 0x10000 + last) for plane in range(1, 17) for last in (0xfffe, 0xffff)) + "]")


def spaced(text):
    """As a page shows it: any run of spaces is one."""
    return " ".join(text.split())


def without_commands(text):
    """Commands quote for the shell; word and text need different quotes."""
    return "\n".join(line for line in text.split("\n") if not line.startswith(("  reproduce ", "dlcert run ")))


class Sample:
    def __init__(self, stem):
        self.stem = stem
        self.words = json.loads(Path(f"{stem}.words.json").read_text(encoding="utf-8"))

    def text(self, ending):
        return Path(f"{self.stem}{ending}").read_bytes().decode("utf-8")  # fails for what is no UTF-8

    def told(self, plain):
        """A text of a report in plain words, with the words replaced."""
        return re.sub("word[0-9]{4}", lambda word: self.words[word[0]], plain)

    def expect_same(self, what, hostile, plain):
        hostile, plain = ([spaced(item) for item in items] for items in (hostile, map(self.told, plain)))
        for i, (found, expected) in enumerate(zip(hostile, plain)):
            if found != expected:
                same = len(os.path.commonprefix([found, expected]))
                part = slice(max(0, same - 20), same + 40)
                raise AssertionError(f"{self.stem}: {what} {i}: expected {expected[part]!r} but found {found[part]!r}")
        assert len(hostile) == len(plain), f"{self.stem}: {what}: expected {len(plain)} parts but found {len(hostile)}"


def strings(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)
    elif isinstance(value, dict):
        yield from value
        for name, item in value.items():
            if name != "path":  # is opened again
                yield from strings(item)


def check_json(sample, validator):
    text = sample.text(".json")
    assert text.isascii()
    document = json.loads(text)
    validator.validate(document)
    for string in strings(document):
        unfit = UNFIT.search(string.replace("\t", ""))
        assert not unfit, f"{sample.stem}: {string!r} holds {unfit[0]!r}"
        unicodedata.normalize("NFC", string).encode("utf-8")


def parts_of_xml(text):
    for element in ElementTree.fromstring(text).iter():
        yield " ".join([element.tag, *element.attrib])
        yield from (value for name, value in element.attrib.items())
        yield without_commands(element.text or "")


def parts_of_markdown(text, markup=()):
    for token in MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text):
        if token.type == "inline":
            kinds = {child.type for child in token.children} - {"text", "text_special", *markup}
            assert not kinds, f"markup {kinds} in {token.content!r}"
            yield "".join(child.content for child in token.children)
        else:
            yield token.type
            yield without_commands(token.content)


def check(sample, validator):
    check_json(sample, validator)
    sample.expect_same("part of the XML", parts_of_xml(sample.text(".xml")), parts_of_xml(sample.text(".plain.xml")))
    sample.expect_same("part of the page", parts_of_markdown(sample.text(".md")), parts_of_markdown(sample.text(".plain.md")))
    # Names of requirements and parties are code.
    sample.expect_same("part of the texts for upstream", parts_of_markdown(sample.text(".issues.md"), ["code_inline"]),
                       parts_of_markdown(sample.text(".plain.issues.md"), ["code_inline"]))
    terminal = sample.text(".txt")
    unfit = UNFIT.search(terminal)
    assert not unfit, f"{sample.stem}: the terminal gets {unfit[0]!r}"
    sample.expect_same("line of the terminal", without_commands(terminal).split("\n"),
                       without_commands(sample.text(".plain.txt")).split("\n"))


def main():
    schema = json.loads(Path(SCHEMAS, "results.schema.json").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([PROGRAM, str(SAMPLES), folder], check=True)
        reports = sorted(Path(folder).glob("*.xml"))
        xmllint = subprocess.run([XMLLINT, "--noout", "--schema", f"{SCHEMAS}/junit.xsd", *reports], stderr=subprocess.PIPE,
                                 encoding="utf-8", errors="replace")
        assert xmllint.returncode == 0, next(line for line in xmllint.stderr.splitlines() if not line.endswith(" validates"))
        for number in range(SAMPLES):
            check(Sample(Path(folder, str(number))), Draft202012Validator(schema))


main()
