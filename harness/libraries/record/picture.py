# SPDX-License-Identifier: Apache-2.0
"""A picture of the libraries and their features, made from everything that is recorded: features.svg.

A row for the newest version of each library, a column for each feature. A cell has two halves: the library as producer
on the left, as consumer (or runtime) on the right.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from places import is_outcome, name_of, recorded, write
from rules import requirements
from table import FAILED, version_key

NAME = "features.svg"
CELL, HEAD, LEFT, PAD = 20, 150, 190, 12  # pixels
STYLE = """
text { font: 12px system-ui, sans-serif; fill: #1f2328; }
rect.page { fill: #ffffff; }
rect.none { fill: #eaeef2; }
rect.full { fill: #0a6ebd; }
rect.partial { fill: #8ec5ee; }
rect.warning { fill: #e5c54b; }
rect.failed { fill: #d4611a; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; }
  rect.page { fill: #0d1117; }
  rect.none { fill: #21262d; }
  rect.full { fill: #4aa3e8; }
  rect.partial { fill: #23547c; }
  rect.warning { fill: #8a7420; }
  rect.failed { fill: #f0883e; }
}
"""
LEGEND = {"full": "in full", "partial": "in part", "warning": "a warning", "failed": "a MUST failed",
          "none": "not claimed or not tested"}


class Half(NamedTuple):
    """A library in one role, and one feature."""

    kind: str
    words: str


def newest(folder: Path) -> list[dict]:
    """The newest certification of each library, by name."""
    found: dict[str, dict] = {}
    for _, document in recorded(folder):
        if is_outcome(document) or not document.get("scope", {}).get("features"):
            continue
        library, version = name_of(document)
        if library not in found or version_key(version) > version_key(name_of(found[library])[1]):
            found[library] = document
    return [found[library] for library in sorted(found)]


def binding_failures(document: dict) -> set[tuple[str, bool]]:
    """The features of requirements that bind and failed, and whether the library was the producer."""
    known = requirements()
    return {(known[result["requirement"]]["feature"], result["producer"] != "dlcert" and result["consumer"] != "")
            for result in document["results"]
            if result["binding"] and result["verdict"] in FAILED and result["requirement"] in known}


def half_of(scope: dict, counts: bool) -> Half:
    """What the results say of one feature in one role; `counts`: a failure of it does."""
    if scope["failed"]:
        return Half("failed" if counts else "warning", f"{scope['failed']} failed of {scope['tested']} tested")
    if scope["coverage"] in ("full", "partial"):
        return Half(scope["coverage"], f"{scope['coverage']}, {scope['tested']} of {scope['of']} tested")
    return Half("none", scope["coverage"])


def halves(document: dict) -> dict[tuple[str, bool], Half]:
    """By feature, and whether the library is the producer."""
    counting = binding_failures(document)
    keys = [(scope["feature"], scope["role"] == "producer") for scope in document["scope"]["features"]]
    return {key: half_of(scope, key in counting) for key, scope in zip(keys, document["scope"]["features"], strict=True)}


def add(parent: ElementTree.Element, tag: str, text: str = "", **attributes: object) -> ElementTree.Element:
    element = ElementTree.SubElement(parent, tag, {name.replace("_", "-"): str(value) for name, value in attributes.items()})
    element.text = text or None
    return element


def add_half(root: ElementTree.Element, half: Half, title: str, x: int, y: int) -> None:
    rect = add(root, "rect", x=x, y=y, width=CELL // 2 - 1, height=CELL - 2, **{"class": half.kind})
    add(rect, "title", f"{title}: {half.words}")


def add_row(root: ElementTree.Element, document: dict, features: list[str], y: int) -> None:
    library, version = name_of(document)
    add(root, "text", f"{library} {version}", x=LEFT - 8, y=y + CELL - 6, text_anchor="end")
    add(root, "rect", x=LEFT, y=y, width=len(features) * CELL - 2, height=CELL - 2, **{"class": "none"})
    for (feature, produces), half in halves(document).items():
        if half.kind == "none":
            continue
        role = "producer" if produces else "consumer or runtime"
        x = LEFT + features.index(feature) * CELL + (0 if produces else CELL // 2 - 1)
        add_half(root, half, f"{library} as {role}, {feature}", x, y)


def add_legend(root: ElementTree.Element, y: int) -> None:
    x = PAD
    for kind, words in LEGEND.items():
        add(root, "rect", x=x, y=y, width=CELL // 2 - 1, height=CELL - 2, **{"class": kind})
        add(root, "text", words, x=x + CELL - 6, y=y + CELL - 6)
        x += 36 + 7 * len(words)
    add(root, "text", "left half: as producer, right half: as consumer or runtime", x=PAD, y=y + 2 * CELL - 4)


def picture(folder: Path) -> str:
    """The whole picture, as SVG."""
    documents = newest(folder)
    features = list(dict.fromkeys(scope["feature"] for document in documents for scope in document["scope"]["features"]))
    width = max(LEFT + len(features) * CELL + 70, 700)
    height = HEAD + len(documents) * CELL + 3 * CELL + PAD
    root = ElementTree.Element("svg", {"xmlns": "http://www.w3.org/2000/svg", "role": "img",
                                       "viewBox": f"0 0 {width} {height}", "width": str(width), "height": str(height)})
    add(root, "title", "Which features of DLPack each library was tested for, and where it failed")
    add(root, "style", STYLE)
    add(root, "rect", x=0, y=0, width=width, height=height, **{"class": "page"})
    for column, feature in enumerate(features):
        x, y = LEFT + column * CELL + CELL // 2 + 4, HEAD - 8
        add(root, "text", feature, x=x, y=y, transform=f"rotate(-55 {x} {y})")
    for row, document in enumerate(documents):
        add_row(root, document, features, HEAD + row * CELL)
    add_legend(root, HEAD + len(documents) * CELL + PAD)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def update(folder: Path) -> None:
    """Writes the picture of a folder."""
    write(folder / NAME, picture(folder))
