"""The doctor's look at the terminal: size, colours, locale, and how wide it draws characters of ambiguous width."""

from __future__ import annotations

import locale
import os
import re
import select
import shutil
import sys
import termios
import time
import tty
from collections.abc import Iterator, Mapping

from sparktui.engine.checks.check import Check
from sparktui.report.glyphs import is_unicode

_ANSWER_S = 0.5
_POSITION = re.compile(rb"\x1b\[(\d+);(\d+)R")
_SAMPLE = "▁"


def check_terminal(env: Mapping[str, str]) -> Iterator[Check]:
    """What the screen would find here. Without a terminal that is said, and is no failure: the headless commands need none."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        yield Check("terminal", "warn", "stdin or stdout is no terminal", "the screen needs one; bench, ask, history and log do not")
        return
    term = env.get("TERM", "")
    if term in {"", "dumb", "unknown"}:
        yield Check("terminal", "warn", f"TERM is {term or 'not set'}", "the screen needs one that can be painted: xterm-256color")
        return
    columns, rows = shutil.get_terminal_size()
    size = f"{columns}×{rows}, TERM {term}"
    if columns >= 80 and rows >= 24:
        yield Check("terminal", "ok", size)
    else:
        yield Check("terminal", "warn", size, "from 80×24 every figure has its place, at 120×36 every panel")
    yield _colour_check(env)
    yield _locale_check()
    yield _width_check()


def colours(env: Mapping[str, str]) -> int:
    """How many colours the terminal says it has: 0 with NO_COLOR, 2²⁴, 256, 16 or 8."""
    if env.get("NO_COLOR"):
        return 0
    if env.get("COLORTERM", "").lower() in {"truecolor", "24bit"}:
        return 1 << 24
    term = env.get("TERM", "")
    if "256color" in term or "kitty" in term or "alacritty" in term:
        return 256
    return 8 if term in {"linux", "vt100", "screen"} else 16


def _colour_check(env: Mapping[str, str]) -> Check:
    number = colours(env)
    if number == 0:
        return Check("colours", "ok", "off (NO_COLOR); everything is told by words and marks as well")
    if number >= 256:
        return Check("colours", "ok", "16.7 million" if number > 256 else "256")
    return Check("colours", "warn", str(number), "TERM=xterm-256color, if the terminal can")


def _locale_check() -> Check:
    name = locale.setlocale(locale.LC_CTYPE, None)
    if is_unicode(sys.stdout):
        return Check("locale", "ok", f"{name}, UTF-8")
    return Check("locale", "warn", f"{name} is not UTF-8: bars and marks are drawn in ASCII", "LANG=C.UTF-8, or ui.glyphs: ascii")


def _width_check() -> Check:
    width = ambiguous_width(sys.stdin.fileno(), sys.stdout.fileno()) if is_unicode(sys.stdout) else None
    if width is None:
        return Check("glyph width", "ok", "not known: the terminal does not tell its cursor's position")
    if width == 1:
        return Check("glyph width", "ok", f"{_SAMPLE} is one cell wide")
    fix = "ui.glyphs: ascii, or set the terminal's ambiguous characters to narrow"
    return Check("glyph width", "warn", f"{_SAMPLE} is {width} cells wide: screens would shift", fix)


def ambiguous_width(fd_in: int, fd_out: int) -> int | None:
    """How many cells a block character takes, by asking the terminal for the cursor before and after it. None without an answer."""
    before = termios.tcgetattr(fd_in)
    try:
        tty.setcbreak(fd_in)
        os.write(fd_out, b"\r\x1b[6n")
        start = _column(fd_in)
        if start is None:
            return None
        os.write(fd_out, _SAMPLE.encode() + b"\x1b[6n")
        end = _column(fd_in)
        os.write(fd_out, b"\r\x1b[K")
        return None if end is None else end - start
    finally:
        termios.tcsetattr(fd_in, termios.TCSADRAIN, before)


def _column(fd: int) -> int | None:
    answer = b""
    until = time.monotonic() + _ANSWER_S
    while (left_s := until - time.monotonic()) > 0 and select.select([fd], [], [], left_s)[0]:
        block = os.read(fd, 64)
        answer += block
        if found := _POSITION.search(answer):
            return int(found[2])
        if not block:
            break
    return None
