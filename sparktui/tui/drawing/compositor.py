"""The way to the terminal in fewer bytes: exactly the cells that changed, and of each style only what differs from the one before.

Textual sends a changed row from its widget's left edge on, and every piece of it with all of its colours and a reset.
"""

from __future__ import annotations

from functools import lru_cache

from rich.color import ColorSystem
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual._compositor import ChopsUpdate, Compositor
from textual.strip import Strip

_RESET = "\x1b[0m"
_PLAIN = Style()
# attribute bits of a rich style that have an end code of their own: bold, italic
_BOLD, _ITALIC = 1, 4


class CellCompositor(Compositor):
    """Textual's compositor with its partial updates written our way."""

    def render_partial_update(self) -> ChopsUpdate | None:
        update = super().render_partial_update()
        return None if update is None else CellUpdate(update.chops, update.spans, update.chop_ends)


class CellUpdate(ChopsUpdate):
    """Spans of changed cells as terminal sequences."""

    def render_segments(self, console: Console) -> str:
        system = console._color_system or ColorSystem.TRUECOLOR
        written: list[str] = []
        style = _PLAIN
        cursor: tuple[int, int] | None = None
        for y, x1, x2 in self.spans:
            for end, (x, strip) in zip(self.chop_ends[y], self.chops[y].items(), strict=False):
                if strip is None or x >= x2 or end <= x1:
                    continue
                start, stop = max(x, x1), min(end, x2)
                if cursor != (y, start):
                    written.append(f"\x1b[{y + 1};{start + 1}H")
                for segment in _between(strip, start - x, stop - x):
                    if segment.text and not segment.control:
                        written.append(_change(style, segment.style or _PLAIN, system) + segment.text)
                        style = segment.style or _PLAIN
                cursor = (y, stop)
        return "".join(written) + _RESET


def _between(strip: Strip, start: int, stop: int) -> list[Segment]:
    if start <= 0 and stop >= strip.cell_length:
        return list(strip)
    return list(strip.crop(start, stop))


@lru_cache(16_384)
def _change(old: Style, new: Style, system: ColorSystem) -> str:
    """The shortest way from one style to another; by a reset where an attribute ends that has no end code here."""
    if old == new:
        return ""
    old_bits, new_bits = _bits(old), _bits(new)
    known = _BOLD | _ITALIC
    if (old_bits | new_bits) & ~known or (new.color is None) != (old.color is None) or (new.bgcolor is None) != (old.bgcolor is None):
        codes = Strip.render_ansi(new, system)
        return f"{_RESET}\x1b[{codes}m" if codes else _RESET
    codes_needed: list[str] = []
    for bit, on, off in ((_BOLD, "1", "22"), (_ITALIC, "3", "23")):
        if (old_bits ^ new_bits) & bit:
            codes_needed.append(on if new_bits & bit else off)
    if new.color is not None and new.color != old.color:
        codes_needed.extend(new.color.downgrade(system).get_ansi_codes())
    if new.bgcolor is not None and new.bgcolor != old.bgcolor:
        codes_needed.extend(new.bgcolor.downgrade(system).get_ansi_codes(False))
    return f"\x1b[{';'.join(codes_needed)}m" if codes_needed else ""


def _bits(style: Style) -> int:
    return style._attributes & style._set_attributes
