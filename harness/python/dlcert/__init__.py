# SPDX-License-Identifier: Apache-2.0
"""The base class and the types for adapters of Python libraries.

An adapter gives dlcert access to a library. An adapter file has one subclass of Adapter:

    import acme
    import dlcert

    class Acme(dlcert.Adapter):
        library = acme

You can override each method of Adapter. Set a method to None if the library does not have that
function. adapter.h and adapter_runtime.h describe each method, its arguments and its result: see
the C function of the same name.
"""

from dlcert.adapter import Adapter, Description, NotFormable
from dlcert.runtime import (Bindings, Build, CallKind, Constant, DeviceProperties, Measurement,
                            StorageSource, Stream, Unit)
from dlcert.spec import Dtype, Spec, State
from dlcert.strided import laid_out

__all__ = ["Adapter", "Bindings", "Build", "CallKind", "Constant", "Description", "DeviceProperties",
           "Dtype", "Measurement", "NotFormable", "Spec", "State", "StorageSource", "Stream", "Unit",
           "laid_out"]
