# SPDX-License-Identifier: Apache-2.0
"""NumPy, by an adapter of one's own that does all in the generic way."""

import dlcert
import numpy


class PyAcme(dlcert.Adapter):
    library = numpy
    name = "pyacme"
