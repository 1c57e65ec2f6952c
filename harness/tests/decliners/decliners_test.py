#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails unless the checks whose rules a library keeps from being touched are not passed:
decliners_test.py WORKER MODULE LIBRARY

For each library: checks that must not apply, as patterns of "<requirement> [<role>] <sentence>"; or a role of which
nothing may pass, with those that may all the same, as they ask for no tensor.
"""

import os
import re
import subprocess
import sys

CASES = "40"

# Ordering says nothing of a producer that leaves no work pending.
ORDERED = ["stream.producer-orders *", "stream.cuda.none-legacy-default *", "stream.rocm.none-legacy-default *",
           "stream.omitted-means-none *", "stream.cuda.one-legacy *", "stream.cuda.two-per-thread *",
           "stream.rocm.zero-default *", "stream.cuda.handle *", "stream.rocm.handle *", "stream.dldevice-cpu-sync *",
           "stream.non-none-optional *"]
OUT_OF_MEMORY = ["protocol.export.other-errors *", "protocol.export.failure-clean *ran out of memory*",
                 "exchange.fn.no-cxx-exceptions *that runs out of memory",
                 "exchange.alloc.set-error *when it runs out of memory*"]
NUMBERED = ["stream.range *", "stream.cuda.zero-never-sent *", "stream.rocm.one-two-never-sent *"]
CURRENT = ["stream.consumer-passes the consumer names the stream *"]
FORWARDED = ["protocol.from.asks-once a producer that copied *",
             "protocol.from.copy-forwarded a producer's refusal to copy *"]
COPIED = ["stream.producer-orders a copy is in order *"]
ON_THE_HOST = ["protocol.from.device-cpu *", "protocol.from.copy-false-error *"]
COMPARED = ["exchange.from.same-rules an export *"]
KINDS = ["protocol.export.other-errors *", "protocol.device.may-raise *", "runtime.fork.bad-fork *told apart*",
         "runtime.init.not-compiled *the message says*"]

NOT_APPLICABLE = {"writes-that-wait": ORDERED, "never-out-of-memory": OUT_OF_MEMORY, "names-no-stream": NUMBERED,
                  "errors-without-kind": KINDS, "copies-by-itself": FORWARDED,
                  "stays-on-the-device": ON_THE_HOST, "exports-copies": COMPARED}
# What a library does wrong where it can hardly be seen.
FAILS = {"writes-that-wait": COPIED, "views-that-hold": ["exchange.view.non-owning thousands of objects*"], "names-minus-one": CURRENT}
# The role in which a library takes part in nothing.
NOTHING_PASSES = {"exports-nothing": "producer", "imports-nothing": "consumer", "claims-nothing": "producer|consumer"}
# What no exchange is needed for, and what is only recorded.
FACTS = ["protocol.torch.device-enum *", "protocol.device.enum-values *",
         "stream.graph-capture.no-sync what an export with None does to a capture is recorded *",
         "stream.graph-capture.no-sync a capture survives an exchange *"]  # by the exchange table
# Areas whose checks a library may pass without exports and imports of its own are left out.
AREAS = {"writes-that-wait": ["stream"], "exports-nothing": ["protocol", "stream"],
         "never-out-of-memory": ["protocol", "exchange"], "imports-nothing": ["protocol", "stream"],
         "names-no-stream": ["stream"], "views-that-hold": ["exchange"], "claims-nothing": ["protocol", "stream"],
         "errors-without-kind": ["protocol", "runtime"], "names-minus-one": ["stream"],
         "copies-by-itself": ["protocol"], "stays-on-the-device": ["protocol"], "exports-copies": ["exchange"]}

LINE = re.compile(r"(?P<verdict>[a-z ]+?) +(?P<requirement>[a-z0-9.-]+) \[.* (?P<role>producer|consumer|runtime)\] "
                  r"(?P<sentence>.*): \d+ of \d+ cases")


def matches(check, patterns):
    return any(re.fullmatch(re.escape(pattern).replace(r"\*", ".*"), check) for pattern in patterns)


def verdicts(worker, module, library, platform):
    """(check, role, verdict) of the checks in the library's areas."""
    for area in AREAS[library]:
        run = subprocess.run([worker, "--local", "--adapter", module, "--platform", platform, "--cases", CASES,
                              "--check", f"{area}.*"],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                             env={**os.environ, "DLCERT_DECLINER": library})
        for line in run.stdout.splitlines():
            if found := LINE.match(line):
                yield f"{found['requirement']} {found['sentence']}", found["role"], found["verdict"]


def wrong(worker, module, library):
    for platform in ("cuda", "rocm"):
        seen = list(verdicts(worker, module, library, platform))
        if not seen:
            yield f"{platform}: no check ran"
        for pattern in FAILS.get(library, []):
            if not any(matches(check, [pattern]) for check, _, _ in seen):
                yield f"{platform}: {pattern}: no such check ran"
        for check, role, verdict in seen:
            fails = matches(check, FAILS.get(library, []))
            if matches(check, NOT_APPLICABLE.get(library, [])) and not fails and verdict != "not applicable":
                yield f"{platform}: {check}: expected not applicable but found {verdict}"
            if fails and verdict != "fail":
                yield f"{platform}: {check}: expected a failure but found {verdict}"
            idle = re.fullmatch(NOTHING_PASSES.get(library, "nobody"), role)
            if verdict == "pass" and idle and not matches(check, FACTS):
                yield f"{platform}: {check} [{role}]: expected no pass but found one"


def main(worker, module, library):
    found = list(wrong(worker, module, library))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
