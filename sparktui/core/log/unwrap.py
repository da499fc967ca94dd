"""Physical lines in, records out: the lines a pipe cut at 80 columns become one record again. Pure; times come in with the lines.

A console (TabbyAPI prints through rich) breaks a record at the width and repeats no clock on the lines that follow; a break keeps its
blank if it fits and swallows it if not, so parts are trimmed and joined with one blank. A file log is never broken: there a line without
a head is a new line *inside* its record, which the console prints with a head of its own. Both give the same records here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from msgspec import Struct

from sparktui.core.log.loghead import HEAD_READERS, Family, Head, HeadReader, head_in, in_file_log, is_bare_llamacpp

_CONSOLE_WIDTH = 80
# a console narrower than that shows by then: not one of so many records was wider
_TELLING_HEADS = 50
_RECORD_LIMIT_CHARACTERS = 1 << 20
_PROGRESS = re.compile(r"━{3,}.*\d%|\d%\|.*\| *\d+/\d+")
PROMPT_DUMP = "Raw prompt"


class RawRecord(Struct, gc=False):
    """One record: its text without head, trailing blanks taken off.

    `starts` is False for a line that only continues a record it cannot be joined to (text inside a file log, before the first head):
    it is shown, and never read as a figure.
    """

    text: str
    time: str = ""
    level: str = ""
    family: Family = ""
    starts: bool = True


class Unwrapper:
    """Lines of one channel. `mid_file`: the first lines may be the rest of a record whose head was not read.

    `is_whole(text, last_line)` says that a wrapped record needs no further line, so that it need not wait for the next head.
    `families`: accept only these heads (a grammar chosen by hand); empty = any.
    """

    def __init__(
        self,
        *,
        mid_file: bool = False,
        is_whole: Callable[[str, str], bool] | None = None,
        families: frozenset[Family] = frozenset(),
    ) -> None:
        self._is_whole = is_whole
        self._families = families
        self._unsettled = mid_file
        self._headless_start = False
        self._family: Family = ""
        self._read_head: HeadReader = self._find_head
        self._time = ""
        self._level = ""
        self._parts: list[str] = []
        self._parts_length = 0
        self._last_line = ""
        self._widest = 0
        self._heads = 0
        self._progress = ""
        self._dump_time = ""

    @property
    def pending(self) -> bool:
        """Whether a record waits for a possible further line."""
        return bool(self._parts)

    def feed(self, lines: Iterable[str]) -> list[RawRecord]:
        out: list[RawRecord] = []
        if self._unsettled:
            lines = list(lines)
            self._settle(lines)
        rest = iter(lines)
        line = self._take_file_lines(rest, out) if self._family == "tabbyapi" and not self._parts else next(rest, None)
        while line is not None:
            head = self._read_head(line)
            if head is None or (self._dump_time and head.time < self._dump_time):
                # inside a logged prompt the clock may go back: somebody's old log, pasted
                self._headless(line, out)
            elif head.wrapped:
                self._open(line, head, out)
            else:
                self._take_whole(line, head, out)
            line = next(rest, None)
        return out

    def pass_by(self, last_line: str) -> bool:
        """Whether lines of TabbyAPI's file log, each a whole record, may go by without being fed; the last of them is taken note of."""
        told = in_file_log(last_line) if self._family == "tabbyapi" and not self._parts and not self._dump_time else None
        if told is None:
            return False
        self._time, self._level, _ = told
        return True

    def quiet(self) -> list[RawRecord]:
        """Nothing came for a while: whoever writes whole records has finished this one."""
        out: list[RawRecord] = []
        self._flush(out)
        return out

    def _settle(self, lines: list[str]) -> None:
        """Begun inside a file: if these lines show a head, those before it belong to a record that began earlier."""
        if lines:
            self._headless_start = any(head_in(line) is not None for line in lines)
            self._unsettled = False

    def _find_head(self, line: str) -> Head | None:
        """The first head decides whose log this is; one with a clock for good."""
        head = head_in(line)
        if head is None or (self._families and head.family not in self._families):
            return None
        self._family = head.family
        self._headless_start = False
        if head.family != "levelled":
            self._read_head = HEAD_READERS[head.family]
        return head

    def _take_file_lines(self, lines: Iterator[str], out: list[RawRecord]) -> str | None:
        """The quick way through TabbyAPI's file log. Returns the first line that is not simply a record of one."""
        for line in lines:
            told = in_file_log(line)
            if told is None or self._dump_time:
                return line
            self._time, self._level, start = told
            text = line[start:].rstrip()
            if text:
                out.append(RawRecord(text, self._time, self._level, "tabbyapi"))
                if text.startswith(PROMPT_DUMP):
                    self._dump_time = self._time
        return None

    def _take_whole(self, line: str, head: Head, out: list[RawRecord]) -> None:
        if self._parts:
            self._flush(out)
        text = line[head.start :].rstrip()
        self._time, self._level = time, level = head.time, head.level
        self._dump_time = time if text.startswith(PROMPT_DUMP) else ""
        if text:
            out.append(RawRecord(text, time, level, head.family))

    def _open(self, line: str, head: Head, out: list[RawRecord]) -> None:
        if self._parts:
            self._flush(out)
        self._time, self._level = head.time, head.level
        self._dump_time = ""
        self._parts = [line[head.start :].rstrip()]
        self._parts_length = 0
        self._heads += 1
        self._took(line.rstrip(), out)

    def _headless(self, line: str, out: list[RawRecord]) -> None:
        if ("%|" in line or "━━━" in line) and _PROGRESS.search(line):
            self._flush(out)
            self._show_progress(line, out)
        elif self._parts and self._continues(line):
            self._append(line, out)
        else:
            self._flush(out)
            text = line.rstrip()
            if text:
                out.append(self._alone(text))

    def _alone(self, text: str) -> RawRecord:
        """A line without head that joins nothing: a record of its own where no head was ever seen, else more of the one before."""
        if self._family:
            return RawRecord(text, self._time, self._level, self._family, False)
        return RawRecord(text, family="llamacpp" if is_bare_llamacpp(text) else "", starts=not self._headless_start)

    def _show_progress(self, line: str, out: list[RawRecord]) -> None:
        """A bar that is redrawn line by line is one record: its end."""
        text = line.strip()
        if "100%" in text and text != self._progress:
            self._progress = text
            out.append(RawRecord(text, starts=False))

    def _continues(self, line: str) -> bool:
        """Whether rich could have broken the record here: never before a blank, and only where the next word did not fit."""
        word = line.split(" ", 1)[0]
        if not word:
            return False
        last = self._last_line
        if not last.isascii() or self._parts[0].startswith("Metrics"):
            return True
        width = min(_CONSOLE_WIDTH, self._widest) if self._heads > _TELLING_HEADS else _CONSOLE_WIDTH
        return len(last) + 1 + len(word) > width

    def _append(self, line: str, out: list[RawRecord]) -> None:
        if not self._parts[0]:
            # only an indent fit on the first line
            self._parts[0] = " "
        elif not self._folded():
            self._parts.append(" ")
        line = line.rstrip()
        self._parts.append(line)
        self._parts_length += len(line)
        self._took(line, out)
        if self._parts_length > _RECORD_LIMIT_CHARACTERS:
            self._flush(out)

    def _took(self, line: str, out: list[RawRecord]) -> None:
        self._last_line = line
        self._widest = max(self._widest, len(line))
        if line.endswith(")") and self._is_whole is not None and self._is_whole("".join(self._parts), line):
            self._flush(out)

    def _folded(self) -> bool:
        """Whether the last line was cut inside a word longer than the console is wide (a path)."""
        line = self._last_line
        return len(line) >= _CONSOLE_WIDTH and len(line) >= self._widest and " " not in line and not line.endswith(",")

    def _flush(self, out: list[RawRecord]) -> None:
        parts, self._parts = self._parts, []
        text = (parts[0] if len(parts) == 1 else "".join(parts)).rstrip()
        if text:
            out.append(RawRecord(text, self._time, self._level, self._family))
