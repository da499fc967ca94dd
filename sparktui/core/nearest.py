"""The nearest of the names that would have been right."""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(word: str, names: Iterable[str]) -> str:
    """`Did you mean …?` for the nearest of `names`, or "" when none is near."""
    import difflib

    near = difflib.get_close_matches(word.lower(), {name.lower(): name for name in names}, n=1, cutoff=0.6)
    return f"Did you mean `{near[0]}`?" if near else ""
