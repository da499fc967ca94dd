"""The ASCII glyph set: one stand-in a cell, so that a row keeps its width whatever it says."""

from __future__ import annotations

import locale
import sys
from collections.abc import Mapping
from typing import Literal

from rich.cells import cell_len

_STAND_INS = {
    " ▁▂": ".", "▃▄": ":", "▅▆": "=", "▇█▀▌▐": "#", "│┊┴├┤": "|", "─╸": "-", "━": "=",
    "●◉◆✓■▼▲▾▴‖": "*", "○◌": "o", "✕×": "x", "▸▶": ">", "◀": "<", "–−—": "-", "≈": "~", "…·": ".", "↵↑": "^",
    "↓": "v", "→›": ">", "←‹": "<", "÷": "/", "Σ": "S", "±": "+",
}  # fmt: skip
_TABLE: Mapping[int, str] = {ord(glyph): stand_in for glyphs, stand_in in _STAND_INS.items() for glyph in glyphs if glyph != " "}


class Glyphs:
    """How text leaves for the terminal. Unicode passes as it is; ASCII replaces our glyphs and writes `?` for what is left."""

    def __init__(self, *, ascii_only: bool) -> None:
        self.ascii_only = ascii_only

    def drawn(self, text: str) -> str:
        """`text` as it is written: the same number of cells."""
        if not self.ascii_only or text.isascii():
            return text
        replaced = text.translate(_TABLE)
        return replaced if replaced.isascii() else "".join(c if c.isascii() else "?" * cell_len(c) for c in replaced)


def glyphs_for(choice: Literal["auto", "unicode", "ascii"], encoding: str | None = None) -> Glyphs:
    """The set that `ui.glyphs` asks for; `auto` is ASCII where the terminal's encoding (the locale's) is not UTF-8."""
    if choice == "auto":
        name = encoding or getattr(sys.__stderr__, "encoding", None) or locale.getpreferredencoding(False)
        return Glyphs(ascii_only=name.lower().replace("-", "").replace("_", "") not in ("utf8", "utf8sig", "cp65001"))
    return Glyphs(ascii_only=choice == "ascii")
