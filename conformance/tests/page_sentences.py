# SPDX-License-Identifier: Apache-2.0
"""The sentences of a text without its markup: of comments (Doxygen), pages (reStructuredText) and docstrings (numpydoc)."""

import hashlib
import re
import textwrap

CODE = re.compile(r"^[ \t]*[\\@]code\b[^\n]*\n(.*?)^[ \t]*[\\@]endcode\b", re.DOTALL | re.MULTILINE)
# The indented block below a directive of that name.
CODE_BLOCK = re.compile(r"^([ \t]*)\.\. code(?:-block)?::[^\n]*\n((?:[ \t]*\n|\1[ \t]+[^\n]*\n)+)", re.MULTILINE)
REFERENCES = re.compile(r"^[ \t]*[\\@](?:sa|file|see)\b.*?(?=\n[ \t]*[\\@]|\n[ \t]*\n|\Z)", re.DOTALL | re.MULTILINE)
# Those for words (`\p stream`) are marks.
COMMAND = re.compile(r"^[ \t]*[\\@](?!(?:a|b|c|e|p|ref)\s)\w+(?:\{\w+\})?(?=\s|$)", re.MULTILINE)
ITEM = re.compile(r"^[ \t]*(?:[-*]|\d+\.)[ \t]+", re.MULTILINE)
MARKS = re.compile(r"\.\. [\w-]+::|(?::[\w-]+)+:(?=`)|\s<[^<>]*>(?=`)|`__?(?![\w`])|::(?=\s|$|cuda)|``|`|\*|~(?=\w)|\\(?:a|b|c|e|p|ref)\s+|\\")
# Options of directives, and labels.
OPTION = re.compile(r"^[ \t]*(?::\w+:[ \t]|\.\. _)[^\n]*$", re.MULTILINE)
# What ends no sentence.
ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|ex|etc|vs|cf)\.$")
END = re.compile(r"(?<=[.!?])([)\"'*`]*)\s+(?=[\"'(\[*]*(?:[A-Z0-9_`]|::))")
# Sections of a docstring whose entries are named: `stream: Optional[int]`, `BufferError`.
NAMED = {"Parameters", "Returns", "Raises"}


def digest(sentence):
    return hashlib.sha256(sentence.encode()).hexdigest()


def split(paragraph):
    """The sentences of one paragraph."""
    start = 0
    for end in END.finditer(paragraph):
        if not ABBREVIATION.search(paragraph[start:end.start()]):
            yield paragraph[start:end.end(1)]
            start = end.end()
    yield paragraph[start:]


def sentences_of(text):
    """The sentences of a text, in its order. Empty lines, commands of Doxygen and the items of lists begin a new one; a block of
    code is one."""
    blocks = []

    def keep(block):
        blocks.append(" ".join(block[block.lastindex].split()))
        return f"\n\n\0{len(blocks) - 1}\n\n"

    text = CODE_BLOCK.sub(keep, CODE.sub(keep, text))
    for marks in (OPTION, REFERENCES, COMMAND, ITEM):
        text = marks.sub("\n\n", text)
    for paragraph in re.split(r"\n[ \t]*\n", text):
        for sentence in split(" ".join(paragraph.split())):
            sentence = " ".join(MARKS.sub("", sentence).split())
            if sentence.startswith("\0"):
                yield blocks[int(sentence[1:])]
            elif sentence:
                yield sentence


def sections(text):
    """(place, text) of each section of a page, and of each named entry of a docstring's."""
    place, lines, titled = "", [], text.split("\n")
    for number, line in enumerate(titled):
        under = titled[number + 1] if number + 1 < len(titled) else ""
        if line.strip() and re.fullmatch(r"([=~^\"-])\1{3,}\s*", under) and not line.startswith(" "):
            yield place, "\n".join(lines)
            place, lines = line.strip(), []
        elif re.fullmatch(r"([=~^\"-])\1{3,}\s*", line):
            continue
        elif place.split(" ")[0] in NAMED and (entry := re.match(r"(\w+)(?::|$)", line)):
            yield place, "\n".join(lines)
            place, lines = f"{place.split(' ')[0]} {entry[1]}", []
        else:
            lines.append(line)
    yield place, "\n".join(lines)


def sentences_of_page(text):
    """(place, number, sentence) of all that a page says."""
    rows, counts = [], {}
    for place, body in sections(textwrap.dedent(text)):
        for sentence in sentences_of(body):
            counts[place] = counts.get(place, 0) + 1
            rows.append((place or "start", counts[place], sentence))
    return rows
