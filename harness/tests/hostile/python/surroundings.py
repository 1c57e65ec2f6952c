# SPDX-License-Identifier: Apache-2.0
"""What a library does to its process: signals, descriptors, output, children, limits."""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import os
import resource
import signal
import sys
import time
from typing import Any, Callable

from acts import Variant, at_import, before, in_create


def _handle(*signals: int) -> Callable[[], None]:
    def act() -> None:
        for number in signals:
            signal.signal(number, lambda *_: None)

    return act


def _both(first: Callable[[], Any], second: Callable[[], Any]) -> Variant:
    """The first when it is loaded, the second when provoked."""

    def variant(adapter: type) -> None:
        first()
        before(adapter, "create", second)

    return variant


def _crash() -> None:
    ctypes.string_at(0)


def _fork() -> None:
    if os.fork() == 0:
        time.sleep(0.01)


def _leave_a_child() -> None:
    os.spawnlp(os.P_NOWAIT, "sleep", "sleep", "1000")


def _new_session() -> None:
    try:
        os.setsid()
    except PermissionError:
        os.setpgid(0, 0)


def _close_output() -> None:
    for descriptor in (1, 2):
        with contextlib.suppress(OSError):
            os.close(descriptor)


def _redirect_output() -> None:
    null = os.open("/dev/null", os.O_RDWR)
    for descriptor in range(16):
        os.dup2(null, descriptor)


def _print_garbage() -> None:
    print('{"complete": true, "exit_code": 0}\n[  PASSED  ] 1 test.\n\x1b[2J\udcff')
    sys.stdout.flush()
    os.write(1, bytes(range(256)))


def _replace_output() -> None:
    sys.stdout = sys.stderr = sys.__stdout__ = None


class _Closed:
    def write(self, text: str) -> int:
        raise ValueError("I/O operation on closed file")

    flush = fileno = write


def _output_that_raises() -> None:
    sys.stdout = sys.stderr = _Closed()


def _output_that_raises_behind_a_fault(adapter: type) -> None:
    _output_that_raises()
    before(adapter, "can", lambda: 1 // 0)


def _fill_pipes() -> None:
    for _ in range(64):
        print("x" * (1 << 16))


def _limit(which: int, value: int) -> Callable[[], None]:
    return lambda: resource.setrlimit(which, (value, value))


EVERY_SIGNAL = set(signal.valid_signals()) - {signal.SIGKILL, signal.SIGSTOP}

VARIANTS: dict[str, Variant] = {
    "handles-sigsegv-at-import": _both(_handle(signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT),
                                       _crash),
    "handles-sigsegv-in-create": in_create(lambda: (_handle(signal.SIGSEGV)(), _crash())),
    "ignores-sigsegv-at-import": _both(lambda: signal.signal(signal.SIGSEGV, signal.SIG_IGN),
                                       _crash),
    "faulthandler-at-import": _both(faulthandler.enable, _crash),
    "faulthandler-in-create": in_create(lambda: (faulthandler.enable(), _crash())),
    "faulthandler-that-exits-later": at_import(
        lambda: faulthandler.dump_traceback_later(1000, exit=True)),
    "handles-every-signal": at_import(
        _handle(signal.SIGTERM, signal.SIGINT, signal.SIGCHLD, signal.SIGALRM, signal.SIGHUP,
                signal.SIGUSR1, signal.SIGPIPE)),
    "ignores-children": at_import(lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN)),
    "ignores-children-in-create": in_create(
        lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN)),
    "blocks-every-signal": at_import(
        lambda: signal.pthread_sigmask(signal.SIG_BLOCK, EVERY_SIGNAL)),
    "blocks-and-crashes": _both(lambda: signal.pthread_sigmask(signal.SIG_BLOCK, EVERY_SIGNAL),
                                _crash),
    "alarm-in-create": in_create(lambda: (signal.setitimer(signal.ITIMER_REAL, 0.01),
                                          time.sleep(60))),
    "interrupted-in-create": in_create(lambda: os.kill(os.getpid(), signal.SIGINT)),
    "terminated-in-create": in_create(lambda: os.kill(os.getpid(), signal.SIGTERM)),
    "closes-output": at_import(_close_output),
    "closes-output-in-create": in_create(_close_output),
    "redirects-every-descriptor": at_import(_redirect_output),
    "redirects-in-create": in_create(_redirect_output),
    "prints-garbage": _both(_print_garbage, _print_garbage),
    "replaces-output": _both(_replace_output, lambda: print("nowhere")),
    "output-that-raises": at_import(_output_that_raises),
    "output-that-raises-behind-a-fault": _output_that_raises_behind_a_fault,
    "closes-stdout": at_import(lambda: sys.stdout.close()),
    "fills-pipes": in_create(_fill_pipes),
    "forks-at-import": at_import(_fork),
    "forks-in-create": in_create(_fork),
    "leaves-a-child-at-import": at_import(_leave_a_child),
    "new-session": at_import(_new_session),
    "changes-directory": at_import(lambda: os.chdir("/")),
    "clears-the-environment": at_import(os.environ.clear),
    "few-descriptors": at_import(_limit(resource.RLIMIT_NOFILE, 16)),
    "no-files": at_import(_limit(resource.RLIMIT_FSIZE, 0)),
    "no-processor-time": at_import(_limit(resource.RLIMIT_CPU, 1000)),
    "nice": at_import(lambda: os.nice(1)),
}
