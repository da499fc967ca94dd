"""argparse whose mistakes are UsageErrors that name the nearest right option, and types for option values."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable
from typing import NoReturn

from sparktui.core.nearest import did_you_mean
from sparktui.errors import UsageError


class Parser(argparse.ArgumentParser):
    """No abbreviations: an option added later must not change what a script means."""

    def __init__(self, prog: str, description: str = "", epilog: str = "") -> None:
        shape = argparse.RawDescriptionHelpFormatter
        super().__init__(prog=prog, description=description, epilog=epilog, allow_abbrev=False, formatter_class=shape)

    def error(self, message: str) -> NoReturn:
        unknown = re.search(r"(--[\w-]+)", message) if message.startswith("unrecognized") else None
        near = did_you_mean(unknown[1], self._option_string_actions) if unknown else ""
        raise UsageError(f"{message[:1].upper()}{message[1:]}.", hint=near or f"{self.prog} --help lists the options.")


def comma_list(text: str) -> tuple[str, ...]:
    """`a, b` → its non-empty parts. For argparse: an empty list is refused."""
    parts = tuple(part.strip() for part in text.split(",") if part.strip())
    if not parts:
        raise argparse.ArgumentTypeError("wants one or more names, separated by commas")
    return parts


def temperatures(text: str) -> tuple[int | float | None, ...]:
    """`1.0,0,unset` → numbers in the form they were given in; `unset` is None (none is sent)."""
    return tuple(None if part == "unset" else temperature(part) for part in comma_list(text))


def temperature(text: str) -> int | float:
    """One temperature between 0 and 5, an int where it was written as one."""
    try:
        value: int | float = int(text) if re.fullmatch(r"\d+", text) else float(text)
    except ValueError:
        value = -1
    if not 0 <= value <= 5:
        raise argparse.ArgumentTypeError(f"{text!r} is no temperature (0 to 5, or unset)")
    return value


def whole(low: int, high: int) -> Callable[[str], int]:
    """An argparse type for a whole number in a range."""

    def read(text: str) -> int:
        value = int(text.replace("_", "").replace(",", "")) if re.fullmatch(r"\d[\d_,]*", text) else low - 1
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(f"{text!r} is no whole number between {low:,} and {high:,}")
        return value

    return read


def seconds(low: float, high: float) -> Callable[[str], float]:
    """An argparse type for a number in a range, a time in seconds or a factor."""

    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = low - 1
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(f"{text!r} is no number between {low:,g} and {high:,g}")
        return value

    return read


def text_argument(text: str) -> str:
    """An argument as Unicode text, also where the locale is not UTF-8 and Python kept its bytes as surrogates."""
    return os.fsencode(text).decode("utf-8", "replace")
