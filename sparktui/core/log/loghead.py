"""How a record of each server's log begins: clock, level, and where its text starts."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal

from msgspec import Struct

Family = Literal["", "tabbyapi", "levelled", "llamacpp", "vllm", "sglang", "ollama"]
"""What a log looks like. `levelled`: `INFO:     text` with no clock (TabbyAPI of 2024, uvicorn). "" = no head seen."""

_WORDS = "TRACE|DEBUG|INFO|SUCCESS|WARNING|WARN|ERROR|CRITICAL"
_LEVELS = {word: word.lower() for word in _WORDS.split("|")} | {"WARN": "warning"}
_LETTERS = {"T": "trace", "D": "debug", "I": "info", "W": "warning", "E": "error"}
# the console pads level and colon so that every text starts at column 10
_PADDING = {word: " " * (9 - len(word)) for word in _LEVELS}

_STAMP = r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3})"
_TABBY_FILE = re.compile(rf"{_STAMP} \| ([A-Z]+) *\| ?")
_TABBY_FILE_LINES = re.compile(rf"^{_STAMP} \| ([A-Z]+) *\| ?(.*)$", re.MULTILINE)
_TABBY_CONSOLE = re.compile(rf"{_STAMP} ([A-Z]+):")
_LEVELLED = re.compile(rf"({_WORDS}): ")
_LLAMA = re.compile(r"(\d+\.\d\d\.\d{3}\.\d{3}) ([A-Z]) ")
_BARE_LLAMA = re.compile(r"(?:slot|srv|que) +\w+(?:\(\))?: ")
_PROCESS = r"\(([^()\n]{1,60})\) "
_VLLM = re.compile(rf"(?:{_PROCESS})?({_WORDS}) (\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?) (?:\[[^\]\n]*\]|[^\s\]]+\]) ?|{_PROCESS}({_WORDS}): +")
_SGLANG = re.compile(r"\[(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:[.,]\d+)?)([^\[\]\n]{0,80})\] ")
_SGLANG_ISO = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S*) ([^\[\]\n]{0,60})\] ")
_SLOG = re.compile(r"time=(\S+) level=([A-Z]+)\S* (?:source=\S+ )?")
_GIN = re.compile(r"\[GIN\] (\d{4}/\d\d/\d\d - \d\d:\d\d:\d\d) \| ")
_LEVEL_WORD = re.compile(rf"\b({_WORDS})\b")


class Head(Struct, frozen=True, gc=False):
    """A recognised head. `wrapped`: a console prints this form, so long records may go on in lines without a head."""

    family: Family
    time: str
    level: str
    start: int
    wrapped: bool = False


def in_file_log(line: str) -> tuple[str, str, int] | None:
    """(clock, level, start of the text) of a record of TabbyAPI's file log, None for any other line. The quick way through long logs."""
    found = _TABBY_FILE.match(line)
    if found is None:
        return None
    time, word = found.groups()
    level = _LEVELS.get(word)
    return (time, level, found.end()) if level else None


def plain_file_lines(telling: str) -> re.Pattern[str]:
    """Matches lines of TabbyAPI's file log, each a record with a text that begins with nothing that `telling` (a pattern) matches."""
    line = rf"{_STAMP} \| (?:{_WORDS}) *\| ?(?!{telling})\S[^\n]*+"
    return re.compile(rf"(?:{line}\n)*+{line}")


def file_log_records(block: str) -> list[tuple[str, str, str]] | None:
    """(clock, level, text) of every record where each line of `block` is a record of TabbyAPI's file log with a text; None otherwise.

    All lines at once: much quicker than one after the other. Trailing blanks are taken off.
    """
    found = _TABBY_FILE_LINES.findall(block)
    if len(found) != block.count("\n") + 1:
        return None
    try:
        records = [(time, _LEVELS[word], bare) for time, word, text in found if (bare := text.rstrip())]
    except KeyError:
        return None
    return records if len(records) == len(found) else None


def _tabbyapi(line: str) -> Head | None:
    if not line[:1].isdigit():
        return None
    told = in_file_log(line)
    if told is not None:
        return Head("tabbyapi", told[0], told[1], told[2])
    found = _TABBY_CONSOLE.match(line)
    if found is None:
        return None
    time, word = found.groups()
    level = _LEVELS.get(word)
    return Head("tabbyapi", time, level, _after_padding(line, word, found.end()), True) if level else None


def _after_padding(line: str, level: str, end: int) -> int:
    padding = _PADDING[level]
    if line.startswith(padding, end):
        return end + len(padding)
    while line.startswith(" ", end):
        end += 1
    return end


def _levelled(line: str) -> Head | None:
    found = _LEVELLED.match(line)
    return Head("levelled", "", _LEVELS[found[1]], _after_padding(line, found[1], found.end() - 1), True) if found else None


def _llamacpp(line: str) -> Head | None:
    found = _LLAMA.match(line)
    return Head("llamacpp", found[1], _LETTERS.get(found[2], ""), found.end()) if found else None


def _vllm(line: str) -> Head | None:
    found = _VLLM.match(line)
    if found is None:
        return None
    return Head("vllm", found[3] or "", _LEVELS[found[2] or found[5]], found.end())


def _sglang(line: str) -> Head | None:
    found = _SGLANG.match(line) or _SGLANG_ISO.match(line)
    if found is None:
        return None
    word = _LEVEL_WORD.search(found[2])
    return Head("sglang", found[1], _LEVELS[word[1]] if word else "", found.end())


def _ollama(line: str) -> Head | None:
    found = _SLOG.match(line)
    if found:
        return Head("ollama", found[1], _LEVELS.get(found[2], ""), found.end())
    found = _GIN.match(line)
    if found:
        return Head("ollama", found[1], "", 0)
    # its llama-server child prints through it, without prefix and clock
    return Head("ollama", "", "", 0) if _BARE_LLAMA.match(line) else None


HeadReader = Callable[[str], Head | None]
HEAD_READERS: dict[str, HeadReader] = {
    "tabbyapi": _tabbyapi, "levelled": _levelled, "llamacpp": _llamacpp, "vllm": _vllm, "sglang": _sglang, "ollama": _ollama,
}  # fmt: skip
"""Per family: the head of a line of such a log, or None."""


def head_in(line: str) -> Head | None:
    """The head of `line`, whoever wrote it; every form is tried, the distinctive ones first."""
    first = line[:1]
    if first.isdigit():
        return _tabbyapi(line) or _llamacpp(line) or _sglang(line)
    if first == "[":
        return _sglang(line) or (_ollama(line) if line.startswith("[GIN]") else None)
    if first == "t":
        return _ollama(line)
    return (_vllm(line) or _levelled(line)) if first == "(" or first.isupper() else None


def is_bare_llamacpp(line: str) -> bool:
    """Whether a line starts as llama.cpp's server writes it with prefix and clock switched off."""
    return _BARE_LLAMA.match(line) is not None
