#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""sentences.py sees each kind of change. Takes the dlpack.h that is built against."""

import copy
import shutil
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import sentences
from docstring_sentences import sentences_of_docstrings
from header_sentences import sentences_of_header
from page_sentences import digest, sentences_of, sentences_of_page

HEADER = Path(sys.argv.pop(1)).read_text()


def told(old, new):
    """What is told of the header in which `new` stands for `old`."""
    assert HEADER.count(old) == 1, f"expected one {old!r} in the header but found {HEADER.count(old)}"
    return list(sentences.differences(sentences.documents()["dlpack-h"], HEADER.replace(old, new)))


def row(place, number):
    """The row of that sentence in a copy of all rows, and the copy."""
    listed = copy.deepcopy(sentences.documents())
    return next(row for row in listed["dlpack-h"]["sentences"] if (row["place"], row["n"]) == (place, number)), listed


class AChangedHeader(unittest.TestCase):
    def test_is_told_for_what_it_is(self):
        for old, new, expected in [
            ("By default the flags should be set to 0.", "By default the flags must be set to 0.",
             ["gone: DLManagedTensorVersioned.flags 2: abi.flags.default-zero", "new: By default the flags must be set to 0."]),
            ("kDLTrn = 18,", "kDLTrn = 18,\n  kDLTPU = 19,", ["new: kDLTPU=19"]),
            ("kDLFloat4_e2m1fn = 17U", "kDLFloat4_e2m1fn = 18U", ["gone: DLDataTypeCode.kDLFloat4_e2m1fn 0", "new: kDLFloat4_e2m1fn=18U"]),
            ("#define DLPACK_MINOR_VERSION 3", "#define DLPACK_MINOR_VERSION 4", ["gone: DLPACK_MINOR_VERSION 0", "new: #define"]),
            ("typedef enum : int32_t {", "typedef enum : int64_t {", ["gone: DLDeviceType 0", "new: typedef enum:int64_t"]),
            ("  /*! \\brief The offset in bytes to the beginning pointer to data */\n", "", ["gone: DLTensor.byte_offset 1"]),
            ("It may be opaque on some device\n   * types.", "It may be opaque on some device\n   * types. It is never 1.",
             ["new: It is never 1."]),
            ("This pointer is always aligned to 256 bytes as in CUDA.", "", ["gone: DLTensor.data 4: abi.data.alignment-256"]),
        ]:
            with self.subTest(new=new):
                found = told(old, new)
                self.assertEqual(len(found), len(expected), found)
                for line, beginning in zip(found, expected):
                    self.assertEqual(line[:len(beginning)], beginning)

    def test_is_not_told_for_its_line_breaks(self):
        self.assertEqual(told("The data pointer points to the allocated data. This", "The data pointer points\n   * to the allocated data. This"), [])

    def test_is_told_where_sentences_change_places(self):
        before, after = "Before DLPack v1.2, strides can be NULL to indicate contiguous data.", "This is not allowed in DLPack v1.2 and later."
        between = HEADER[HEADER.index(before) + len(before):HEADER.index(after)]
        self.assertEqual(told(before + between + after, after + between + before),
                         ["moved: DLTensor.strides 3", "moved: DLTensor.strides 4"])


class ANewTie(unittest.TestCase):
    def test_is_added_to_its_sentence_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder, "sentences")
            shutil.copytree(sentences.CONFORMANCE / "sentences", place)
            with mock.patch.object(sentences, "CONFORMANCE", Path(folder)):
                before = (place / "dlpack-h.json").read_text().splitlines()
                sentences.tie("capsule.axes-kept", "dlpack-h", "DLTensor.ndim", "1")
                after = (place / "dlpack-h.json").read_text().splitlines()
                changed = [(old, new) for old, new in zip(before, after) if old != new]
                self.assertEqual(len(changed), 1)
                self.assertEqual(changed[0][1], changed[0][0].replace(']}', ', "capsule.axes-kept"]}'))
                for wrong in (("gone", "DLTensor.ndim", "1"), ("dlpack-h", "DLTensor.ndim", "7")):
                    with self.assertRaises(SystemExit):
                        sentences.tie("capsule.axes-kept", *wrong)


class Rows(unittest.TestCase):
    def test_name_requirements_that_there_are(self):
        spoiled, listed = row("DLTensor.strides", 4)
        spoiled["requirements"] = ["abi.strides.no-such-rule"]
        self.assertEqual(list(sentences.wrong_rows(listed, sentences.requirements())),
                         ["dlpack-h: DLTensor.strides 4: expected a requirement but found abi.strides.no-such-rule"])

    def test_are_listed_once(self):
        doubled, listed = row("DLTensor.strides", 4)
        listed["dlpack-h"]["sentences"].append(doubled)
        self.assertEqual(list(sentences.wrong_rows(listed, sentences.requirements())), ["dlpack-h: DLTensor.strides 4 is listed twice"])

    def test_are_tied_to_the_documents_that_sources_name(self):
        listed = copy.deepcopy(sentences.documents())
        for other in listed["dlpack-h"]["sentences"]:
            if "exchange.version.prev-null" in other.get("requirements", []):
                other["requirements"].remove("exchange.version.prev-null")
        self.assertEqual(list(sentences.unsupported_sources(listed, sentences.requirements())),
                         ["exchange.version.prev-null: its source names dlpack.h, but no sentence of it is tied to it"])


class Quotes(unittest.TestCase):
    """Of a copy of all requirements, one is spoiled."""

    def problems(self, identity, spoil):
        entries = copy.deepcopy(sentences.requirements())
        spoil(next(entry for entry in entries if entry["id"] == identity))
        listed = sentences.documents()
        return [*sentences.wrong_quotes(listed, entries), *sentences.misplaced_quotes(listed["dlpack-h"], entries, HEADER)]

    def expect(self, identity, spoil, beginning):
        found = self.problems(identity, spoil)
        self.assertEqual([line[:len(beginning)] for line in found], [beginning], found)

    def test_of_the_register_are_right(self):
        self.assertEqual(self.problems("abi.strides.nonnull", lambda entry: None), [])

    def test_of_other_words_are_no_sentence_of_the_document(self):
        self.expect("capsule.name.legacy", lambda entry: entry["quotes"][0].update(text="The producer must set a name."),
                    "capsule.name.legacy: no listed sentence of https://github.com/dmlc/dlpack/blob/")

    def test_of_another_document_are_no_sentence_of_it(self):
        link = sentences.documents()["array-api-dlpack"]["link"]
        self.expect("capsule.name.legacy", lambda entry: entry["quotes"][0].update(link=f"{link}#L1"),
                    "capsule.name.legacy: no listed sentence of https://github.com/data-apis/array-api/blob/")

    def test_are_tied_to_their_requirement(self):
        other = next(entry for entry in sentences.requirements() if entry["id"] == "stream.range")
        self.expect("capsule.name.legacy", lambda entry: entry.update(quotes=other["quotes"]),
                    "capsule.name.legacy: quotes a sentence that is not tied to it: ")

    def test_have_their_keyword(self):
        self.expect("capsule.name.legacy", lambda entry: entry["quotes"][0].update(keyword="shall"),
                    "capsule.name.legacy: expected the keyword 'shall' in: ")

    def test_are_in_the_lines_of_their_link(self):
        def move(entry):
            entry["quotes"][0]["link"] = entry["quotes"][0]["link"].partition("#")[0] + "#L1-L4"
        self.expect("abi.strides.nonnull", move, "abi.strides.nonnull: https://github.com/dmlc/dlpack/blob/")

    def test_or_code_are_behind_every_must(self):
        self.expect("capsule.name.legacy", lambda entry: entry.pop("quotes"),
                    "capsule.name.legacy: a MUST that quotes no sentence and names no code")


class Sentences(unittest.TestCase):
    def test_end_where_one_would_say(self):
        self.assertEqual(list(sentences_of("One (e.g. of two). ``two`` is\nnot 1.5 items, i.e. one.\n\n- Three\n- Four")),
                         ["One (e.g. of two).", "two is not 1.5 items, i.e. one.", "Three", "Four"])

    def test_have_the_place_of_their_section(self):
        text = "Title\n=====\n\nOne.\n\nParameters\n----------\nx: int\n    two\ny: int\n    Three. Four\n"
        self.assertEqual(sentences_of_page(text), [("Title", 1, "One."), ("Parameters x", 1, "two"), ("Parameters y", 1, "Three."),
                                                   ("Parameters y", 2, "Four")])

    def test_of_a_header_belong_to_what_follows_them(self):
        text = "/*! \\brief All. */\ntypedef struct {\n  /*! \\brief First. */\n  int* a;\n  void (*b)(int x);\n} S;\n"
        self.assertEqual(sentences_of_header(text), [("S", 1, "All."), ("S", 0, "typedef struct{}S;"), ("S.a", 1, "First."),
                                                     ("S.a", 0, "int*a"), ("S.b", 0, "void(*b)(int x)")])

    def test_of_a_python_file_belong_to_their_function(self):
        text = '''"""All."""

def f(a, b):
    """Take ``a``. Give b.

    Args:
        a (int): one. It is
            a number.
        b (int or None, optional): two.
    ..Note:: Three.

    Returns:
        list: four

    .. _Link:
       https://example.org/five

    Examples::

        >>> f(1)  # Six. Seven
    """

class C:
    # No docstring.
    def g(self):
        """Warning: eight."""
        def h():
            """Nine."""

torch._C._add_docstr(i, r"""i(x) -> y

Ten.""")
'''
        self.assertEqual(sentences_of_docstrings(text), [
            ("module", 1, "All."), ("f", 1, "Take a."), ("f", 2, "Give b."), ("f", 3, "a (int): one."), ("f", 4, "It is a number."),
            ("f", 5, "b (int or None, optional): two."), ("f", 6, "Three."), ("f", 7, "list: four"), ("f", 8, ">>> f(1) # Six. Seven"),
            ("C.g", 1, "eight."), ("C.g.h", 1, "Nine."), ("i", 1, "i(x) -> y"), ("i", 2, "Ten.")])


class AChangedDocstring(unittest.TestCase):
    def test_is_told_for_what_it_is(self):
        document = {"form": "docstrings", "whole": True, "sentences": [
            {"place": "f", "n": 1, "digest": digest("One."), "requirements": ["runtime.init.lazy"]},
            {"place": "f", "n": 2, "digest": digest("Two."), "excused": "an example"}]}
        self.assertEqual(list(sentences.differences(document, 'def f():\n    "One. Two."\n')), [])
        gone, new = sentences.differences(document, 'def f():\n    "One! Two."\n')
        self.assertEqual((gone, new.splitlines()[0]), ("gone: f 1: runtime.init.lazy", "new: One!"))


if __name__ == "__main__":
    unittest.main()
