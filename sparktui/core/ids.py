"""Identifiers that sort by time and can be typed: `4f8k2m9qd-7h3x1c`."""

from __future__ import annotations

_DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"
_TIME_DIGITS = 9
_RANDOM_DIGITS = 6


def new_id(wall_s: float, random: bytes) -> str:
    """Nine digits of the wall clock's milliseconds, a hyphen, and six of `random` (at least four bytes); lower case, without i, l, o, u.

    Later ids sort after earlier ones; within a millisecond the order is random. Good until the year 3084.
    """
    if len(random) < 4:
        raise ValueError("an id needs at least four random bytes")
    return f"{_digits(int(wall_s * 1000), _TIME_DIGITS)}-{_digits(int.from_bytes(random[:4], 'big'), _RANDOM_DIGITS)}"


def _digits(number: int, count: int) -> str:
    out = []
    for _ in range(count):
        number, digit = divmod(number, 32)
        out.append(_DIGITS[digit])
    return "".join(reversed(out))
