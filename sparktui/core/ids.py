"""Short ids that sort by time."""

from __future__ import annotations

_ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz"
_TIME_DIGITS = 9
_RANDOM_DIGITS = 5


def new_id(wall_s: float, random: bytes) -> str:
    """An id such as `0mivm1c2v-4k07q`: the wall clock in milliseconds, then chance; ids sort by time and hold only [0-9a-z-].

    `random`: at least 4 bytes from a good source. Raises ValueError for fewer, or for a time before 1970.
    """
    if len(random) < 4:
        raise ValueError("an id needs at least 4 random bytes")
    if wall_s < 0:
        raise ValueError("an id needs a time after 1970")
    chance = int.from_bytes(random[:8]) % len(_ALPHABET) ** _RANDOM_DIGITS
    return f"{_digits(round(wall_s * 1000), _TIME_DIGITS)}-{_digits(chance, _RANDOM_DIGITS)}"


def _digits(value: int, width: int) -> str:
    """`value` in base 36 with leading zeros."""
    out = ""
    while value or len(out) < width:
        value, digit = divmod(value, len(_ALPHABET))
        out = _ALPHABET[digit] + out
    return out
