# SPDX-License-Identifier: Apache-2.0
"""All variants by their names. Each is called with the adapter class, when its file is loaded."""

from __future__ import annotations

import endings
import interpreters
import lies
import surroundings
import texts

VARIANTS = {"plain": lambda adapter: None, **endings.VARIANTS, **interpreters.VARIANTS,
            **lies.VARIANTS, **surroundings.VARIANTS, **texts.VARIANTS}
