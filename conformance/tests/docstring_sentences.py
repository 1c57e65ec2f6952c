# SPDX-License-Identifier: Apache-2.0
"""What the docstrings of a Python file say, in the style of Google's guide.

The place of a docstring is the function or class that it is on (`Stream.wait_event`), and `module` for that of the file. Comments are
not read.
"""

import ast
import re

from page_sentences import sentences_of

# A word that opens a section, and a directive: what follows is a paragraph of its own.
HEADING = re.compile(r"^[ \t]*(?:(?:Args|Arguments|Returns|Raises|Warning|Note):(?=\s)|\.\. ?(?:note|warning)::)", re.MULTILINE | re.IGNORECASE)
EXAMPLE = re.compile(r"^([ \t]*)Examples?::[ \t]*$", re.MULTILINE)
# The name of an argument: `device (torch.device or int): ...`.
ARGUMENT = re.compile(r"^[ \t]*(?=\w+ ?\([^()\n]*\): ?\S*)", re.MULTILINE)
# The address of a link that the text names.
TARGET = re.compile(r"^[ \t]*\.\. _[^\n]*:[ \t]*\n[ \t]*https?://\S+[ \t]*$", re.MULTILINE)


def docstrings(text):
    """(place, docstring) of a file, in its order."""

    def inside(node, outer):
        for child in ast.iter_child_nodes(node):
            named = isinstance(child, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
            name = f"{outer}.{child.name}".lstrip(".") if named else outer
            if named and (found := ast.get_docstring(child)):
                yield name, found
            # A function of C++ gets its docstring by a call.
            if isinstance(child, ast.Call) and ast.unparse(child.func).endswith("._add_docstr"):
                yield ast.unparse(child.args[0]), child.args[1].value
            yield from inside(child, name)

    module = ast.parse(text)
    if found := ast.get_docstring(module):
        yield "module", found
    yield from inside(module, "")


def sentences_of_docstrings(text):
    """(place, number, sentence) of all that the docstrings of a file say."""
    rows, counts = [], {}
    for place, docstring in docstrings(text):
        body = EXAMPLE.sub(r"\1.. code-block::", TARGET.sub("", f"{docstring}\n"))
        for marks in (HEADING, ARGUMENT):
            body = marks.sub("\n\n", body)
        for sentence in sentences_of(body):
            counts[place] = counts.get(place, 0) + 1
            rows.append((place, counts[place], sentence))
    return rows
