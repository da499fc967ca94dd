"""Big digits: 3×5 pixels. A pixel is two cells wide and one row high, at double size twice that both ways."""

from __future__ import annotations

ROWS = 5

_FONT = {
    "0": ("###", "#.#", "#.#", "#.#", "###"),
    "1": (".#.", "##.", ".#.", ".#.", "###"),
    "2": ("###", "..#", "###", "#..", "###"),
    "3": ("###", "..#", "###", "..#", "###"),
    "4": ("#.#", "#.#", "###", "..#", "..#"),
    "5": ("###", "#..", "###", "..#", "###"),
    "6": ("###", "#..", "###", "#.#", "###"),
    "7": ("###", "..#", "..#", ".#.", ".#."),
    "8": ("###", "#.#", "###", "#.#", "###"),
    "9": ("###", "#.#", "###", "..#", "###"),
    ".": (".", ".", ".", ".", "#"),
    "–": ("...", "...", "###", "...", "..."),
}
_HALVES = {(False, False): " ", (True, False): "▀", (False, True): "▄", (True, True): "█"}


def big_digits(text: str, scale: int = 1) -> list[str]:
    """`text` (digits, `.` and `–`; anything else is left out) as rows: 7 cells a digit and 3 the point, times `scale`."""
    rows = []
    for y in range(ROWS):
        row = "".join(_pixels(_FONT[c][y], scale) + " " * scale for c in text if c in _FONT)
        rows.extend([row] * scale)
    return rows


def _pixels(row: str, scale: int) -> str:
    return "".join(("█" if pixel == "#" else " ") * 2 * scale for pixel in row)


def digits_width(text: str, scale: int = 1) -> int:
    """Cells that `big_digits` takes, the gap after the last digit included."""
    return sum((len(_FONT[c][0]) * 2 + 1) * scale for c in text if c in _FONT)


def small_digits(text: str) -> list[str]:
    """The same in half blocks: 3 rows, 4 cells a digit."""
    pixels = [[*("".join(_FONT[c][y] + "." for c in text if c in _FONT))] for y in range(ROWS)]
    pixels.append(["."] * len(pixels[0]))
    return [
        "".join(_HALVES[upper == "#", lower == "#"] for upper, lower in zip(pixels[y], pixels[y + 1], strict=True))
        for y in range(0, ROWS + 1, 2)
    ]
