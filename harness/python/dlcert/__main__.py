# SPDX-License-Identifier: Apache-2.0
"""`python -m dlcert ARGUMENTS...` is the program `dlcert`."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

from dlcert._error import DlcertError
from dlcert._program import EXIT_USAGE, cmake_prefix, find_program


def main() -> NoReturn:
    """Becomes the program `dlcert` with the arguments of this process. `--cmake-prefix` prints the
    folder for CMAKE_PREFIX_PATH instead. Without the program, the exit code is 2."""
    try:
        if sys.argv[1:] == ["--cmake-prefix"]:
            print(cmake_prefix())
            sys.exit(0)
        program = find_program()
        if os.path.realpath(program) == os.path.realpath(sys.argv[0]):  # a script that calls main()
            raise DlcertError(f"{program} is a script, and the program that it starts is missing")
        # Whose libraries are certified, if no other interpreter is named.
        os.environ["DLCERT_PYTHON"] = sys.executable
        os.execvp(program, [program, *sys.argv[1:]])
    except (DlcertError, OSError) as error:
        print(f"dlcert: {error}", file=sys.stderr)
        sys.exit(EXIT_USAGE)


if __name__ == "__main__":
    main()
