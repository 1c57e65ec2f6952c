#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ties what the documents say, sentence by sentence, to the register. A sentence is known by its digest; the register quotes
those that bind a requirement.

    sentences.py                        writes conformance/SENTENCES.md
    sentences.py --check HEADER         fails unless HEADER (dlpack.h) says what dlpack-h.json lists, each tie is to a requirement,
                                        each requirement is tied to the documents that its source names, and the page is up to date
    sentences.py --compare NAME FILE    what FILE says that sentences/NAME.json does not list, and what it no longer says
    sentences.py --tie ID NAME PLACE N  ties the requirement ID to sentence N of PLACE in sentences/NAME.json
"""

import json
import re
import sys
from collections import Counter
from pathlib import Path

from docstring_sentences import sentences_of_docstrings
from header_sentences import sentences_of_header
from page_sentences import digest, sentences_of_page

WORD = re.compile(r"[A-Za-z0-9_]+")
CONFORMANCE = Path(__file__).resolve().parent.parent
PAGE = CONFORMANCE / "SENTENCES.md"
# What a requirement's `source` says of a document, and the files that list the document's sentences.
SOURCES = {"dlpack.h": "dlpack-h", "python_spec.rst": "python-spec", "array API": "array-api", "docstring": "torch-",
           "torch.utils.dlpack docs": "torch-dlpack", "to_dlpack warning": "torch-dlpack"}
# How the sentences of a document are found, by its form.
FORMS = {"docstrings": sentences_of_docstrings, "header": sentences_of_header, "page": sentences_of_page}

HEAD = """# Sentences

This page shows which documents the [requirements](../harness/docs/README.md#terms) rest on, sentence by sentence. The
data is in the folder [sentences](sentences), one file for each document.

- `dlpack.h`, DLPack's Python page, and the array API's pages on the exchange: every sentence is listed.
- Other pages of the array API: only a selection of sentences is listed.
- CUDA's documents: only sentences on ordering are listed, because stream requirements rest on them. These sentences
  bind no library. They say what CUDA's calls do.
- PyTorch's docstrings of `torch.utils.dlpack`, as four versions have them, and of `torch.cuda`: every sentence is listed.
  They bind PyTorch, and libraries that declare a runtime like that of PyTorch. The
  [notes](REGISTER_NOTES.md#docstrings-that-the-code-contradicts) list the sentences that PyTorch's code contradicts.

Each row has these parts:

- the place: the declaration, the section or the function, and the number of the sentence there (0 is the declaration
  itself);
- the digest: the SHA-256 of the sentence without markup, or null if we did not have the text;
- the requirements that the sentence supports, or the reason that it supports none (`excused`).

The texts themselves are not stored here. Each requirement that is a MUST quotes the sentence that binds it, or those
from which it follows, with a permanent link (`dlcert explain` prints them); if it rests on code alone, it names the
function and the lines. The test compares the digest of each quote, and looks for quotes of `dlpack.h` in the lines that
the link names. The licences of what is quoted: Apache-2.0 (DLPack), MIT (array API) and BSD-3-Clause (PyTorch). CUDA's
documents are cited by place and not quoted. The lines of PyTorch are those of its 2.4.1 wheel; the links name the
commit of the tag v2.4.1.

## After a change of a document

The test `register_test/sentences` compares the rows with the `dlpack.h` of the build. If that header is newer, the test
prints the sentences that are new, gone or moved. For the other documents, get a copy of the page or of the docstring as
text, or of PyTorch's Python file, and compare it by hand:

```sh
python3 -B conformance/tests/sentences.py --compare python-spec python_spec.rst
```

For each new sentence, the script prints a row. Add this row to the file of the document, with its requirements, or
with a reason as `excused`. Then run `tests/sentences.py` without arguments: it writes this page.

## Documents

| Document | Version | Sentences | With requirements | Excused | Without digest |
| --- | --- | --- | --- | --- | --- |
"""

WITHOUT = """
## Requirements that no sentence supports

These requirements rest on other sources: the code of PyTorch, the experience of other libraries and their issues, or
the rules of C, Python and CUDA. If such a requirement is a MUST, it demands what that source says or does.

| Source | Requirements |
| --- | --- |
"""


def documents():
    return {path.stem: json.loads(path.read_text()) for path in sorted((CONFORMANCE / "sentences").glob("*.json"))}


def requirements():
    return [entry for path in sorted((CONFORMANCE / "requirements").glob("*.json"))
            for entry in json.loads(path.read_text())["requirements"]]


def said_by(document, text):
    """(place, number, sentence) of what `text` says in the places that the document lists."""
    found = FORMS[document["form"]](text)
    places = {row["place"] for row in document["sentences"]}
    return [said for said in found if document["whole"] or said[0] in places]


def differences(document, text):
    """How `text` differs from what is listed. Of a document that is not listed whole, what is new is not told."""
    said = [(place, number, digest(sentence), sentence) for place, number, sentence in said_by(document, text)]
    listed = Counter((row["place"], row["digest"]) for row in document["sentences"] if row["digest"])
    gone = listed - Counter((place, key) for place, _, key, _ in said)
    for row in document["sentences"]:
        if gone[row["place"], row["digest"]] > 0:
            yield f"gone: {row['place']} {row['n']}: {' '.join(row.get('requirements', ['excused']))}"
    new = Counter((place, key) for place, _, key, _ in said) - listed if document["whole"] else Counter()
    for place, number, key, sentence in said:
        if new[place, key] > 0:
            yield f"new: {sentence}\n  {json.dumps({'place': place, 'n': number, 'digest': key, 'requirements': []})}"
    numbers = {(place, number): key for place, number, key, _ in said}
    for row in document["sentences"]:
        if not gone and not new and row["digest"] and row["digest"] != numbers.get((row["place"], row["n"])):
            yield f"moved: {row['place']} {row['n']}"


def wrong_rows(listed, entries):
    """Rows that name no requirement that there is, and sentences that are listed twice."""
    known = {entry["id"] for entry in entries}
    for name, document in listed.items():
        seen = set()
        for row in document["sentences"]:
            where = f"{name}: {row['place']} {row['n']}"
            if (row["place"], row["n"]) in seen:
                yield f"{where} is listed twice"
            seen.add((row["place"], row["n"]))
            for unknown in set(row.get("requirements", [])) - known:
                yield f"{where}: expected a requirement but found {unknown}"


def wrong_quotes(listed, entries):
    """Quotes that are no sentence of the document that they link to, or not tied to their requirement; MUSTs that rest on nothing."""
    tied = {}  # a document may say the same sentence at several places
    for document in listed.values():
        for row in document["sentences"]:
            tied.setdefault((row["digest"], document.get("link")), set()).update(row.get("requirements", []))
    for entry in entries:
        for quote in entry.get("quotes", []):
            requirements_of_it = tied.get((digest(quote["text"]), quote["link"].partition("#")[0]))
            if requirements_of_it is None:
                yield f"{entry['id']}: no listed sentence of {quote['link']}: {quote['text']}"
            elif entry["id"] not in requirements_of_it:
                yield f"{entry['id']}: quotes a sentence that is not tied to it: {quote['text']}"
            if quote["keyword"].lower() not in quote["text"].lower():
                yield f"{entry['id']}: expected the keyword '{quote['keyword']}' in: {quote['text']}"
        if entry["level"] == "MUST" and not any(entry.get(basis) for basis in ("quotes", "code", "cited")):
            yield f"{entry['id']}: a MUST that quotes no sentence and names no code"


def misplaced_quotes(document, entries, text):
    """Quotes of a document that are not in the lines to which they link. Of a declaration its head or its name is there."""
    lines = text.split("\n")
    for entry in entries:
        for quote in entry.get("quotes", []):
            page, _, anchor = quote["link"].partition("#")
            if page != document["link"]:
                continue
            first, _, last = anchor.replace("L", "").partition("-")
            there = " ".join(WORD.findall("\n".join(lines[int(first) - 1:int(last or first)])))
            head, brace, name = quote["text"].partition("{")
            parts = [head, name] if head.startswith("typedef") and brace else [quote["text"]]
            if not any(" ".join(WORD.findall(part)) in there for part in parts):
                yield f"{entry['id']}: {quote['link']} does not say: {quote['text']}"


def supporters(listed):
    """The files whose rows name a requirement, by its ID."""
    found = {}
    for name, document in listed.items():
        for row in document["sentences"]:
            for requirement in row.get("requirements", []):
                found.setdefault(requirement, set()).add(name)
    return found


def unsupported_sources(listed, entries):
    """Requirements whose source names a document none of whose sentences is tied to them."""
    tied = supporters(listed)
    for entry in entries:
        for words, name in SOURCES.items():
            if words in entry["source"] and not any(file.startswith(name) for file in tied.get(entry["id"], ())):
                yield f"{entry['id']}: its source names {words}, but no sentence of it is tied to it"


def tie(requirement, name, place, number):
    """Adds a requirement to the row of a sentence, which stands on a line of its own. Raises SystemExit."""
    path = CONFORMANCE / "sentences" / f"{name}.json"
    if not path.exists():
        raise SystemExit(f"expected one of {', '.join(documents())} but found {name}")
    lines = path.read_text().splitlines(keepends=True)
    for index, line in enumerate(lines):
        row = json.loads(line.strip().rstrip(",")) if line.lstrip().startswith('{"place"') else {}
        if (row.get("place"), row.get("n")) == (place, int(number)):
            row.pop("excused", None)
            row.setdefault("requirements", []).append(requirement)
            end = ",\n" if line.rstrip().endswith(",") else "\n"
            lines[index] = f"    {json.dumps(row, ensure_ascii=False)}{end}"
            path.write_text("".join(lines))
            return
    raise SystemExit(f"{path.name}: expected sentence {number} of {place} but found none")


def page(listed, entries):
    text = HEAD
    for name, document in listed.items():
        rows = document["sentences"]
        counts = [len(rows), sum("requirements" in row for row in rows), sum("excused" in row for row in rows),
                  sum(row["digest"] is None for row in rows)]
        text += f"| [{document['document']}](sentences/{name}.json) | {document['version']} | {' | '.join(map(str, counts))} |\n"
    tied = supporters(listed)
    others = {}
    for entry in entries:
        if entry["id"] not in tied:
            others.setdefault("PyTorch" if "torch" in entry["source"] else entry["source"], []).append(f"`{entry['id']}`")
    rows = "".join(f"| {source} | {', '.join(ids)} |\n" for source, ids in sorted(others.items()))
    return f"{text}{WITHOUT}{rows}"


def main(arguments):
    listed, entries = documents(), requirements()
    if arguments[:1] == ["--compare"]:
        problems = list(differences(listed[arguments[1]], Path(arguments[2]).read_text()))
    elif arguments[:1] == ["--check"]:
        header = Path(arguments[1]).read_text()
        problems = [*differences(listed["dlpack-h"], header), *misplaced_quotes(listed["dlpack-h"], entries, header)]
        problems += [*wrong_rows(listed, entries), *unsupported_sources(listed, entries), *wrong_quotes(listed, entries)]
        if PAGE.read_text() != page(listed, entries):
            problems.append(f"expected {PAGE.name} as written by {Path(__file__).name} but found it out of date")
    else:
        if arguments[:1] == ["--tie"]:
            tie(*arguments[1:])
            listed = documents()
        PAGE.write_text(page(listed, entries))
        return 0
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
