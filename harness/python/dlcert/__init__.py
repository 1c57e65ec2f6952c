# SPDX-License-Identifier: Apache-2.0
"""Adapters of Python libraries: what shows a library to dlcert.

An adapter file has one subclass of Adapter:

    import acme
    import dlcert

    class Acme(dlcert.Adapter):
        library = acme

Each method of Adapter may be overridden; one that is set to None is a function that the library
lacks. What a method means, takes and gives is said at the C function of its name (adapter.h,
adapter_runtime.h).
"""

from dlcert.adapter import Adapter, Description, NotFormable
from dlcert.runtime import (Bindings, Build, CallKind, Constant, DeviceProperties, Measurement,
                            StorageSource, Stream, Unit)
from dlcert.spec import Dtype, Spec, State
from dlcert.strided import laid_out

__all__ = ["Adapter", "Bindings", "Build", "CallKind", "Constant", "Description", "DeviceProperties",
           "Dtype", "Measurement", "NotFormable", "Spec", "State", "StorageSource", "Stream", "Unit",
           "laid_out"]
