#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks which part of the project includes and links which: dependency_rules.py PROJECT [LINKS]

LINKS has a line "<folder> <target> <folder> <target>" for each target that links another.
"""

import re
import sys
from pathlib import Path

# The folders of checks. None knows another.
AREAS = ["abi", "capsule", "devices", "exchange_api", "lifetime", "protocol", "runtime", "sharing", "stream",
         "telemetry"]

# Which part of the project may know which others. Every part knows itself and what lies in it; the longest path wins.
MAY_KNOW = {
    "reference/driver": [],
    "reference/tensor": ["reference/driver"],
    "reference/cuda": ["reference/driver"],
    "reference/adapter": ["reference/driver", "reference/tensor", "reference/cuda", "harness/include"],
    "reference/python": ["reference/driver", "reference/tensor"],
    "reference/bench": ["reference/driver", "reference/tensor", "reference/cuda"],
    "conformance": ["harness/include", "reference/driver"],
    "conformance/generators": ["harness/include", "reference/driver"],
    "conformance/testbench": ["conformance/generators", "harness/include", "reference/driver"],
    "conformance/registration.hpp": ["harness/include"],
    "conformance/fuzz": ["conformance/testbench", "conformance/generators", "harness/include"],
    **{f"conformance/{area}": ["conformance/registration.hpp", "conformance/testbench", "conformance/generators",
                               "harness/include", "reference/driver"] for area in AREAS},
    "conformance/tests": ["conformance", "harness"],
    "fixtures/mutants": ["reference", "harness/include"],
    "fixtures/designs": ["harness/shims", "harness/include"],
    "harness/include": [],
    "harness/src/party": ["harness/include"],
    "harness/src/spy": ["harness/src/party", "harness/include"],
    "harness/src/register": ["harness/include"],
    "harness/src/records": ["harness/src/register", "harness/include"],
    "harness/src/python": ["harness/src/records", "harness/src/register", "harness/src/restart", "harness/include"],
    "harness/src/restart": [],
    "harness/src/standalone": ["harness/include"],
    "harness/src/worker": ["harness/src/python", "harness/src/records", "harness/src/restart", "harness/src/register",
                           "harness/src/standalone", "harness/src/spy", "harness/src/party", "harness/include", "reference/driver"],
    "harness/src/report": ["harness/src/records", "harness/src/register", "harness/src/standalone",
                           "harness/include"],
    "harness/src/runner": ["harness/src/report", "harness/src/records", "harness/src/register",
                           "harness/src/standalone", "harness/include"],
    "harness/src/cli": ["harness/src/runner", "harness/src/report", "harness/src/python", "harness/src/records",
                        "harness/src/restart", "harness/src/register", "harness/include"],
    "harness/fuzz": ["harness/src", "harness/include"],
    "harness/adapters": ["harness/include"],
    "harness/python": ["harness/include"],
    "harness/python/bench": ["harness/python", "harness/src/python", "harness/src/records", "harness/include"],
    "harness/shims": ["reference/driver"],
    "harness/shims/examples": ["harness/shims", "harness/include"],
    "harness/tests": ["harness", "conformance", "reference", "fixtures"],
}

# Programs that are put together from parts which do not know each other.
ASSEMBLED = {"dlcert_worker_module": ["harness/src", "conformance"]}

# Libraries that implement what harness/include declares: a part that may include it may link them.
IMPLEMENTS = {
    "harness": "harness/include",
    "harness/src/party": "harness/include",
    "harness/src/spy": "harness/include",
}

# Where a header from outside may be included: a pattern for the header, one for the including file.
OUTSIDE = [
    (r"dlpack/dlpack\.h", r"(?!harness/include/dlcert/(adapter|dlpack_facts|gtest))"),
    (r"rapidcheck.*", r"reference/driver/tests/"),
    (r"gtest/.*", r".*/tests/|harness/include/dlcert/gtest\.hpp$"),
    (r"benchmark/.*", r"(harness/python|reference)/bench/"),
    (r"Python\.h", r"reference/python/|harness/tests/sides/"),
    (r"(ATen|c10|torch)/.*", r"harness/adapters/aten/|reference/bench/"),
    (r"nanobind/.*", r"harness/adapters/nanobind_example/"),
    (r"arrow/.*", r"harness/adapters/arrow/"),
    (r"mxnet/.*", r"harness/adapters/mxnet/"),
    (r"tensorflow/.*", r"harness/adapters/tensorflow/"),
    (r"tvm/.*", r"harness/adapters/tvm_ffi/|reference/bench/"),
    (r"(cuda|hip|nvml|rocm|amd_smi).*", r"reference/driver/|harness/shims/|harness/tests/any_program/"),
    (r"(CLI|nlohmann|toml\+\+)/.*|pugixml\.hpp", r"harness/(python|src|tests|shims/watch)/|(conformance|reference/cuda)/tests/|conformance/generators/(argument_)?vectors\.cpp$"),
    (r"openssl/.*", r"harness/src/report/identity\.cpp$"),
    (r"fmt/.*", r"harness/|conformance/|reference/(cuda|tensor)/src/"),
    (r"(cxxabi|dlfcn|elf|errno|execinfo|fcntl|fnmatch|link|malloc|poll|pthread|sched|semaphore|signal|spawn|ucontext|unistd|unwind)\.h", r""),
    (r"(sys|linux|sanitizer)/[a-z_]+\.h", r""),
    (r"(assert|float|inttypes|limits|stdarg|stdatomic|stdbool|stddef|stdint|stdio|stdlib|strings?)\.h", r""),
    (r"[a-z_]+", r""),
]

# Headers that other projects compile: nothing may be needed beside them.
ABI = "harness/include/dlcert/"
SELF_CONTAINED = {
    ABI + "adapter.h": {"stddef.h", "stdint.h", "dlcert/adapter_python.h", "dlcert/adapter_runtime.h",
                        "dlcert/adapter_values.h"},
    ABI + "adapter_python.h": {"stdint.h", "dlcert/adapter_runtime.h", "dlcert/adapter_values.h"},
    ABI + "adapter_runtime.h": {"stdint.h", "dlcert/adapter_values.h"},
    ABI + "adapter_values.h": {"stdint.h"},
}

SOURCES = {".h", ".hpp", ".c", ".cc", ".cpp", ".inc"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def part_of(path, parts):
    """The longest of `parts` that holds `path`, or None."""
    holding = [part for part in parts if path == part or path.startswith(part + "/")]
    return max(holding, key=len, default=None)


def source_files(project):
    folders = sorted({part.split("/")[0] for part in MAY_KNOW})
    for folder in folders:
        for path in sorted((project / folder).rglob("*")):
            if path.suffix in SOURCES and path.is_file():
                yield path.relative_to(project).as_posix()


def include_roots(files):
    """The folders from which a header can be named: include/ folders, source folders and their parents."""
    roots = {"conformance", "reference", "fixtures/designs", "fixtures/mutants", "harness",
             "harness/tests/module_run"}
    for name in files:
        match = re.match(r"(.*?/(?:include|src|tests))(?:/|$)", name)
        if match:
            roots.add(match.group(1))
    return sorted(roots)


def resolve(including, name, headers, roots):
    """The project's headers that `name` can mean in the file `including`."""
    beside = Path(including).parent / name
    parts = []
    for part in beside.parts:
        if part == ".." and parts:
            parts.pop()
        else:
            parts.append(part)
    if "/".join(parts) in headers:
        return ["/".join(parts)]
    return [f"{root}/{name}" for root in roots if f"{root}/{name}" in headers]


def allowed(part, other):
    return part_of(other, [part, *MAY_KNOW[part]]) is not None


def judge_include(including, quote, name, headers, roots):
    """What is wrong with one #include, or None."""
    if including in SELF_CONTAINED and name not in SELF_CONTAINED[including]:
        wanted = ", ".join(sorted(SELF_CONTAINED[including]))
        return f"{including}: expected only {wanted} but found {name}"
    part = part_of(including, MAY_KNOW)
    targets = resolve(including, name, headers, roots)
    for target in targets:
        other = part_of(target, MAY_KNOW)
        if not allowed(part, other):
            return f"{including}: {part} may not know {other} but includes {name}"
    if targets:
        return None
    for header, place in OUTSIDE:
        if re.fullmatch(header, name):
            if quote == "<" and re.match(place, including):
                return None
            return f"{including}: may not include {name}"
    return f"{including}: includes {name}, which is neither the project's nor known from outside"


def judge_table(project):
    """Rows of what is no longer there, and folders of conformance that need a row."""
    for part in MAY_KNOW:
        if not (project / part).exists():
            yield f"{part}: has a row in {Path(__file__).name} but is not there"
    for folder in sorted((project / "conformance").iterdir()):
        part = folder.relative_to(project).as_posix()
        if part not in MAY_KNOW and any(path.suffix in SOURCES for path in folder.glob("*")):
            yield f"{part}: needs a row in {Path(__file__).name}"


def judge_includes(project):
    files = list(source_files(project))
    roots = include_roots(files)
    headers = set(files)
    for including in files:
        if part_of(including, MAY_KNOW) is None:
            yield f"{including}: belongs to no part of the project"
            continue
        text = (project / including).read_text(encoding="utf-8")
        for quote, name in INCLUDE.findall(text):
            wrong = judge_include(including, quote, name, headers, roots)
            if wrong:
                yield wrong


def judge_links(project, lines):
    for line in lines:
        folder, target, other_folder, name = line.split()
        folder, other_folder = (
            Path(f).relative_to(project).as_posix() for f in (folder, other_folder))
        if other_folder == "." or folder == ".":
            continue  # what the root defines serves all, and knows nobody
        part = part_of(folder, MAY_KNOW) or IMPLEMENTS[folder]
        others = {other_folder, IMPLEMENTS.get(other_folder, other_folder)}
        right = (part_of(other_folder, ASSEMBLED.get(target, [])) is not None
                 or any(allowed(part, other) for other in others))
        if not right:
            yield f"{folder}: {target} may not link {name} of {other_folder}"


def main(arguments):
    project = Path(arguments[0]).resolve()
    wrong = [*judge_table(project), *judge_includes(project)]
    if len(arguments) > 1:
        links = Path(arguments[1]).read_text(encoding="utf-8").splitlines()
        wrong += judge_links(project, links) if links else [f"{arguments[1]}: names no link"]
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
