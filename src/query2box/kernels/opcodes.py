"""The instructions of the set machine that `kernels.traversal` runs.

A program is rows of (instruction, argument). Sets live on a stack.
"""

from __future__ import annotations

ANCHOR = 0
"""Push the set of the one entity in slot `argument`."""

PROJECT = 1
"""Replace the top set by what the relation in slot `argument` leads to from it."""

INTERSECT = 2
"""Replace the top `argument` sets by what is common to them."""

UNION = 3
"""Replace the top `argument` sets by all that is in them."""

LOAD = 4
"""Push the set of the one value that variable `argument` has now."""

FOREACH = 5
"""Pop a set and run up to END once with variable `argument` at each of its values.

Of an empty set the body runs once with no value: a union in it may do without.
"""

END = 6
"""End the body of the innermost FOREACH; all its results together are pushed."""
