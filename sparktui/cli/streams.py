"""stdout carries data, stderr the talk; neither may fail because a locale lacks a character."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper
from typing import TextIO


def soften() -> None:
    """Replace what the streams' encoding cannot write instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


def say(text: str) -> None:
    """One message for a person, on stderr, its commands as they can be typed. Foreign text in it cannot steer the terminal."""
    from sparktui.io.calledas import as_called

    if sys.stderr is not None:
        print(shown(as_called(text), sys.stderr), file=sys.stderr, flush=True)


def shown(text: str, stream: TextIO) -> str:
    """`text` as `stream` can show it: control characters taken out, our own glyphs in ASCII where it is not UTF-8."""
    from sparktui.core.scrub import scrub
    from sparktui.report.glyphs import is_unicode, to_ascii

    clean = scrub(text)
    return clean if is_unicode(stream) else to_ascii(clean)


def is_terminal(stream: object) -> bool:
    """Whether a person looks at this stream; False for one that is closed."""
    try:
        return bool(stream is not None and stream.isatty())  # type: ignore[attr-defined]
    except ValueError:
        return False


def silence_stdout() -> None:
    """After a broken pipe: point stdout at nothing, so that the interpreter's last flush stays quiet."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.close(nothing)
