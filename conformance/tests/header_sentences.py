# SPDX-License-Identifier: Apache-2.0
"""What a C header says: the sentences of its comments and its declarations, each with a name and a number.

The place of a comment is the declaration that follows it (`DLTensor.strides`); its sentences count from 1. The declaration itself
is number 0: new codes and members often come without a comment. Read as C++ on Unix reads it.
"""

import re

from page_sentences import sentences_of

COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*(?:\n[ \t]*//[^\n]*)*", re.DOTALL)


def blank(text, start, end):
    """`text` without start..end, every other character where it was."""
    return text[:start] + re.sub(r"[^\n]", " ", text[start:end]) + text[end:]


def seen_by_the_compiler(text):
    """`text` without comments and without the branches that C++ on Unix does not take."""
    for match in COMMENT.finditer(text):
        text = blank(text, *match.span())
    lines, kept = text.split("\n"), []
    branches = []
    for line in lines:
        directive = re.match(r"\s*#\s*(ifdef|ifndef|if|else|endif)\b", line)
        if directive and directive[1] == "else":
            branches[-1] = not branches[-1]
        elif directive and directive[1] == "endif":
            branches.pop()
        elif directive:
            branches.append(directive[1] != "ifdef" or "__cplusplus" in line)
        kept.append(line if all(branches) and not directive else " " * len(line))
    return "\n".join(kept)


def containers(code):
    """(start, end, name) of each struct and enum."""
    for match in re.finditer(r"\b(?:struct|enum)\b[^{};]*\{([^{}]*)\}\s*(\w+)\s*;", code):
        yield match.start(1), match.end(1), match[2]


def name_of(declaration):
    for pattern in (r"^extern\b[^;]*?(\w+)\s*\(", r"#define\s+(\w+)", r"\(\s*\*\s*(\w+)\s*\)", r"\}\s*(\w+)\s*;?$", r"(\w+)\s*=", r"(\w+)\s*;?$"):
        if match := re.search(pattern, declaration):
            return match[1]
    return "file"


def declarations(code):
    """(start, place, text) of each macro, member, enumerator and type."""
    inner = list(containers(code))
    outside = code
    for start, end, owner in inner:
        separator = "," if re.search(r"\benum\b[^{};]*\{$", code[:start]) else ";"
        for match in re.finditer(rf"[^{separator}]+", code[start:end]):
            if text := match[0].strip():
                yield start + match.end() - len(match[0].lstrip()), f"{owner}.{name_of(text)}", text
        outside = blank(outside, start, end)
    for match in re.finditer(r"^[ \t]*#define\b[^\n]*|^[ \t]*(?:typedef|extern)\b[^;{]*(?:\{[^{}]*\}[^;{]*)?;", outside, re.MULTILINE):
        text = match[0].strip()
        yield match.end() - len(match[0].lstrip()), name_of(text), text


def place_after(position, found):
    return next((place for start, place, _ in found if start >= position), "file")


def sentences_of_header(text):
    """(place, number, sentence) of all that the header says, in its order."""
    code = seen_by_the_compiler(text)
    found = sorted(declarations(code))
    rows, counts = [], {}
    for match in COMMENT.finditer(text):
        body = re.sub(r"^[ \t]*(?:/\*+<?!?|//+<?!?|\*+/?)|\*/$|-{3,}", "", match[0], flags=re.MULTILINE)
        place = place_after(match.end(), found)
        for sentence in sentences_of(body):
            counts[place] = counts.get(place, 0) + 1
            rows.append((match.start(), place, counts[place], sentence))
    for start, place, declaration in found:
        rows.append((start, place, 0, re.sub(r"\s*([^\w\s])\s*", r"\1", " ".join(declaration.split()))))
    return [row[1:] for row in sorted(rows)]
