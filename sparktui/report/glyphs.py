"""ASCII stand-ins for the glyphs we draw and write with, for locales that are not UTF-8."""

from __future__ import annotations

import locale
from typing import IO

_ASCII = str.maketrans(
    {
        "–": "-", "—": "-", "−": "-", "≈": "~", "×": "x", "…": "...", "÷": "/", "→": "->", "·": "|", "±": "+-", "≤": "<=", "≥": ">=",
        "Σ": "sum", "▁": ".", "▂": ".", "▃": ":", "▄": ":", "▅": "-", "▆": "-", "▇": "#", "█": "#", "▀": "#", "▌": "|", "▐": "|",
        "│": "|", "┊": "|", "─": "-", "━": "=", "╸": "-", "┴": "+", "├": "|", "┤": "|", "╭": "+", "╮": "+", "╰": "+", "╯": "+",
        "▸": ">", "▶": ">", "◀": "<", "▲": "^", "▼": "v", "▾": "v", "▴": "^", "›": ">", "‖": "|",
        "●": "*", "○": "o", "◌": "o", "◉": "*", "◆": "*", "✓": "*", "✕": "x", "■": "*",
    }
)  # fmt: skip


def to_ascii(text: str) -> str:
    """`text` with our own glyphs replaced by ASCII ones. Foreign text passes unchanged."""
    return text.translate(_ASCII)


def is_unicode(stream: IO[str]) -> bool:
    """Whether `stream` can carry our glyphs: its encoding (else the locale's) is UTF-8."""
    encoding = getattr(stream, "encoding", None) or locale.getpreferredencoding(False)
    return encoding.lower().replace("-", "").replace("_", "") in ("utf8", "utf8sig", "cp65001")
